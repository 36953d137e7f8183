//! Handing a task to a sub-agent: another run of the agent with a session of its own, for which the calling run waits. It
//! works on its caller's slot, nobody sees it work, and whoever ends its caller ends it.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::clock::within;
use pensive_contract::ids::{SessionId, Ticket};
use pensive_contract::model::ToolSpec;
use pensive_contract::tool::{Danger, Errand, Tool, ToolFault};

use super::arguments::{Arguments, refused};
use super::crew::{MOST, Tally};
use super::{Own, SPAWN};
use crate::answer::Answer;
use crate::approval::PATIENCE;
use crate::backlog::Backlog;
use crate::core::Core;
use crate::course::Course;
use crate::ending;
use crate::notices;
use crate::present::Occasion;
use crate::run::{Failure, Pending, RunEnd};
use crate::screen::Screen;
use crate::tools::Bearings;

/// How long a sub-agent may work. What it waits for people or for sub-agents of its own is not its time.
const WORKS: Duration = Duration::from_mins(10);

/// How long a call may take in all: some wait for a seat, or for people.
const LONGEST: Duration = Duration::from_hours(1);

/// The tool of one run.
pub(super) struct Spawn {
    spec: ToolSpec,
    pub(super) core: Arc<Core>,
    pub(super) pending: Pending,
    pub(super) own: Arc<Own>,
}

/// A sub-agent at work. However it ends, what it used is told to its caller.
struct Worker<'a> {
    course: Course<'a>,
    own: &'a Own,
    caller: &'a Own,
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let mut tally = self.own.crew.settle();
        tally.spent.also(self.course.spent);
        tally.deeds += self.course.deeds;
        self.caller.crew.report(tally);
    }
}

impl Spawn {
    pub(super) fn new(core: Arc<Core>, pending: Pending, own: Arc<Own>) -> Self {
        let levels = core.profile(&pending.route.agent, &pending.model).values();
        Self { spec: spec(&levels), core, pending, own }
    }

    /// Runs a sub-agent to its end, and writes down what there is to keep.
    async fn run(&self, ticket: Ticket, pending: &Pending) -> RunEnd {
        let session = SessionId::from(format!("s{ticket}"));
        let end = self.course(ticket, pending, &session).await;
        let kept = ending::of(&self.core, &pending.route.key, pending, &session, None, &end);
        if let Err(fault) = self.core.ports.ledger.commit(kept.writes).await {
            tracing::error!(%fault, %session, "what a sub-agent did was not written down");
        }
        end
    }

    async fn course(&self, ticket: Ticket, pending: &Pending, session: &SessionId) -> RunEnd {
        let own = self.own.below();
        let stream = i64::try_from(ticket.0).unwrap_or(i64::MAX).max(1);
        let screen = Screen::new(&self.core, pending, stream, Occasion::Background);
        let (waiting, backlog) = (Arc::default(), Backlog::default());
        let bearings = Bearings { core: &self.core, pending, waiting: &waiting, own: &own, screen: &screen };
        let course = Course::new(bearings, session, &backlog);
        let mut worker = Worker { course, own: &own, caller: &self.own };
        screen.open();
        let said = self.in_time(&own, worker.course.run()).await;
        let closed = screen.close().await;
        match said {
            Some(Ok(coda)) => RunEnd::Answered(Box::new(worker.course.answer(coda, closed))),
            Some(Err(person)) => RunEnd::Failed(worker.course.failure(person, closed)),
            None => RunEnd::Failed(worker.course.failure(notices::SUB_TOO_LONG.to_owned(), closed)),
        }
    }

    /// Waits as long as a sub-agent may work. Its caller does not grow old meanwhile.
    async fn in_time<T>(&self, own: &Own, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        let mut left = WORKS;
        loop {
            self.own.asked.fetch_add(1, Ordering::Relaxed);
            match within(&*self.core.ports.clock, left, &mut work).await {
                Ok(done) => {
                    self.own.asked.fetch_add(1, Ordering::Relaxed);
                    return Some(done);
                }
                Err(_) if own.asked.swap(0, Ordering::Relaxed) > 0 => left = PATIENCE,
                Err(_) => return None,
            }
        }
    }
}

#[async_trait]
impl Tool for Spawn {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// What a sub-agent does is judged call by call.
    fn danger(&self, _arguments: &str) -> Danger {
        Danger::Harmless
    }

    fn limit(&self, _arguments: &str) -> Duration {
        LONGEST
    }

    async fn call(&self, arguments: &str, _errand: &Errand) -> Result<String, ToolFault> {
        let ticket = self.core.ports.ledger.ticket();
        let pending = self.sub_agent(&Arguments::read(arguments)?, ticket)?;
        if !self.own.crew.hire() {
            return Err(refused(format!(
                "All {MOST} sub-agents of this run have been used. Do the rest yourself."
            )));
        }
        let Some(_seat) = self.own.crew.seat().await else { return Err(refused(notices::BROKE)) };
        tracing::info!(session = %pending.route.key, agent = %pending.route.agent.id, "a sub-agent begins");
        // A whole run is a large thing to hold.
        match Box::pin(self.run(ticket, &pending)).await {
            RunEnd::Answered(answer) => self.answered(*answer),
            RunEnd::Failed(failure) => Err(failed(&failure)),
            RunEnd::Stopped(_) | RunEnd::Aborted => Err(refused("The sub-agent was ended.")),
        }
    }
}

impl Spawn {
    fn answered(&self, answer: Answer) -> Result<String, ToolFault> {
        let Answer { text, coda, notes, .. } = answer;
        self.own.crew.report(Tally { notes, ..Tally::default() });
        if text.trim().is_empty() {
            return Err(refused(
                "The sub-agent came back without a word. Ask it otherwise, or do it yourself.",
            ));
        }
        Ok(coda.map_or_else(|| text.clone(), |coda| format!("{text}\n\n{coda}")))
    }
}

/// What the calling model hears of a sub-agent that came to nothing.
fn failed(failure: &Failure) -> ToolFault {
    let Failure { person, partial, .. } = failure;
    let said = if partial.trim().is_empty() {
        String::new()
    } else {
        format!(" What it had said by then:\n{partial}")
    };
    ToolFault {
        model: format!("The sub-agent came to nothing: {person}{said}"),
        log: "a sub-agent came to nothing".to_owned(),
    }
}

fn spec(levels: &str) -> ToolSpec {
    let description = "Hands a task to a sub-agent and gives back its answer. It has the same tools, but knows nothing of \
                       this conversation and cannot ask back: tell it all that it needs, and what to answer. Call it \
                       several times in one turn for tasks that do not depend on each other; four work at once.";
    let field = |description: &str| serde_json::json!({ "type": "string", "description": description });
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "task": field("The whole task, and what the answer should hold."),
            "label": field("A few words by which people know it."),
            "agent": field("Another agent of this house; only its owner may name one."),
            "model": field("Another model, as provider/model or by its short name."),
            "thinking": field(&format!("How hard it thinks: {levels}. The same as you where nothing is said.")),
        },
        "required": ["task"],
        "additionalProperties": false,
    });
    ToolSpec { name: SPAWN.to_owned(), description: description.to_owned(), schema: schema.to_string() }
}
