//! One run from its slot to its end: a message that waited is begun, goes its course within its time, and can be stopped at
//! any moment. What is shown and kept of it is for `ending` to say.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pensive_contract::clock::within;
use pensive_contract::ids::{MessageId, SessionId, Ticket};
use pensive_contract::inbound::{Attachment, ChatKind, Inbound};
use pensive_contract::model::{ModelRef, PromptTurn};
use pensive_contract::outward::Outcome;
use pensive_contract::session::Turn;
use pensive_contract::store::{Standing, Write};
use pensive_directives::{OnceOverrides, Settings};
use tokio_util::sync::CancellationToken;

use crate::access::Authority;
use crate::answer::{Answer, Spent};
use crate::approval;
use crate::backlog::Backlog;
use crate::budget::Rank;
use crate::core::Core;
use crate::course::Course;
use crate::media;
use crate::notices;
use crate::own::Own;
use crate::present::Occasion;
use crate::route::Route;
use crate::screen::Screen;
use crate::tools::Bearings;

/// Typing is shown for answers that take longer than an eye needs.
const TYPING_AFTER: Duration = Duration::from_millis(200);

/// How long the end of a run waits for what is still on its way to the chat: longer than any preview takes.
const END_WITHIN: Duration = Duration::from_secs(20);
/// The same where a person stopped it.
const STOP_WITHIN: Duration = Duration::from_secs(3);

/// A message that waits for its run, with the settings that held when it was accepted.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    /// The inbox entries that this run closes; more than one where waiting messages were summed up.
    pub(crate) tickets: Vec<Ticket>,
    /// The newest of the messages.
    pub(crate) inbound: Inbound,
    /// What the model is told, cleaned of directives.
    pub(crate) text: String,
    /// The messages of the album that it is, where it is one.
    pub(crate) parts: Vec<Part>,
    /// What was said in its recordings, once they were listened to. Shared between the run and its lane.
    pub(crate) said: Arc<OnceLock<String>>,
    /// What the message wants for itself.
    pub(crate) once: OnceOverrides,
    /// What holds for it.
    pub(crate) settings: Settings,
    /// The model that was in force.
    pub(crate) model: ModelRef,
    /// How old the run may be for `auto` to ask for the fast lane.
    pub(crate) fast_cutoff: Duration,
    /// Where it belongs.
    pub(crate) route: Route,
    /// Whether stored settings of its sender apply.
    pub(crate) authority: Authority,
}

/// One message of an album.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) message: MessageId,
    /// Its caption, cleaned of directives.
    pub(crate) text: String,
    pub(crate) attachments: Vec<Attachment>,
}

impl Pending {
    /// The transcript's turn for the message.
    pub(crate) fn turn(&self) -> Turn {
        let name = match self.inbound.place.kind {
            ChatKind::Direct => None,
            ChatKind::Group | ChatKind::Channel => Some(self.inbound.sender.name.clone()),
        };
        let heard = self.said.get().map(String::as_str);
        let text = media::marked(&self.text, &self.inbound.attachments, heard);
        Turn { at: self.inbound.at, name, said: PromptTurn::User(text) }
    }
}

/// What the lane shares with its run.
#[derive(Clone, Default)]
pub(crate) struct Lead {
    /// Ends the run.
    pub(crate) stop: CancellationToken,
    /// Messages that wait behind it.
    pub(crate) waiting: Arc<AtomicUsize>,
    /// The messages themselves: some may be meant for it.
    pub(crate) backlog: Arc<Backlog>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RunEnd {
    /// The model said something, or was silent.
    Answered(Box<Answer>),
    /// No model could be brought to answer.
    Failed(Failure),
    /// A person stopped it.
    Stopped(Box<Halted>),
    /// The daemon ends.
    Aborted,
}

/// What there is of a run that failed.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Failure {
    /// One sentence for the person.
    pub(crate) person: String,
    /// What had come before it broke.
    pub(crate) partial: String,
    /// What was said and done before, where that matters to whoever goes on.
    pub(crate) turns: Vec<PromptTurn>,
    /// What the person is to know beside.
    pub(crate) notes: Vec<String>,
    pub(crate) spent: Spent,
}

/// What there is of a run that a person stopped.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Halted {
    /// What the model was saying.
    pub(crate) partial: String,
    /// The same for the transcript, and what was done where that matters to whoever goes on.
    pub(crate) turns: Vec<PromptTurn>,
    pub(crate) spent: Spent,
}

impl RunEnd {
    /// It broke over a fault of ours.
    pub(crate) fn broke() -> Self {
        Self::Failed(Failure { person: notices::BROKE.to_owned(), ..Failure::default() })
    }
}

/// A run that is over.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) end: RunEnd,
    /// The preview that stands in the chat, and what becomes of it.
    pub(crate) standing: Option<Standing>,
}

impl From<RunEnd> for Ended {
    fn from(end: RunEnd) -> Self {
        Self { end, standing: None }
    }
}

/// How the course of a run ended.
enum Way {
    /// The model said what it had to say; this goes below.
    Said(Option<&'static str>),
    /// It came to nothing; one sentence for the person.
    Failed(String),
    /// A person stopped it.
    Stopped,
    /// The daemon ends.
    Aborted,
}

/// Runs `pending` in `session` until it ends one way or the other.
pub(crate) async fn run(core: Arc<Core>, pending: Pending, session: SessionId, lead: Lead) -> Ended {
    let (own, mut mail) = Own::asked_in(&pending.route.key);
    let screen = Screen::new(&core, &pending, stream(&pending), Occasion::Asked);
    let bearings =
        Bearings { core: &core, pending: &pending, waiting: &lead.waiting, own: &own, screen: &screen };
    let mut course = Course::new(bearings, &session, &lead.backlog);
    let mut work = pin!(screen.work());
    let way = tokio::select! {
        biased;
        // The end of the daemon stops everything below it, and is no person's wish.
        () = core.abort.cancelled() => Way::Aborted,
        () = lead.stop.cancelled() => Way::Stopped,
        way = in_time(bearings, &mut course) => way,
        () = typing(bearings) => Way::Aborted,
        () = &mut work => Way::Aborted,
        () = mail.carry(&screen) => Way::Aborted,
    };
    if let Way::Aborted = way {
        return RunEnd::Aborted.into();
    }
    screen.end();
    let most = match way {
        // Who says stop waits for nothing.
        Way::Stopped => STOP_WITHIN,
        Way::Said(_) | Way::Failed(_) | Way::Aborted => END_WITHIN,
    };
    tokio::select! {
        biased;
        () = core.abort.cancelled() => return RunEnd::Aborted.into(),
        ended = within(&*core.ports.clock, most, &mut work) => if ended.is_err() {
            tracing::warn!("the last preview of a run was left on its way");
            screen.rush().await;
        }
    }
    let mut closed = screen.close().await;
    let standing = closed.standing.take();
    let end = match way {
        Way::Said(coda) => RunEnd::Answered(Box::new(course.answer(coda, closed))),
        Way::Failed(person) => RunEnd::Failed(course.failure(person, closed)),
        Way::Stopped => RunEnd::Stopped(Box::new(course.halted(closed))),
        Way::Aborted => RunEnd::Aborted,
    };
    Ended { end, standing }
}

/// What names the previews of a run; never zero.
pub(crate) fn stream(pending: &Pending) -> i64 {
    let newest = pending.tickets.last().map_or(0, |ticket| ticket.0);
    i64::try_from(newest).unwrap_or(i64::MAX).max(1)
}

async fn in_time(bearings: Bearings<'_>, course: &mut Course<'_>) -> Way {
    let Bearings { core, pending, own, screen, .. } = bearings;
    let Ok(_slot) = core.slots.acquire().await else { return Way::Aborted };
    if core.closing.is_cancelled() {
        return Way::Aborted;
    }
    begin(core, pending);
    screen.open();
    // Waiting for a slot is not the run's own time, and neither is waiting for people or for sub-agents.
    let mut course = pin!(course.run());
    let mut left = core.settings.run_limit;
    loop {
        match within(&*core.ports.clock, left, &mut course).await {
            Ok(Ok(coda)) => return Way::Said(coda),
            Ok(Err(person)) => return Way::Failed(person),
            Err(_) if own.asked.swap(0, Ordering::Relaxed) > 0 => left = approval::PATIENCE,
            Err(_) => return Way::Failed(notices::TOO_LONG.to_owned()),
        }
    }
}

/// Writes down that the run goes on, for a start after a crash to tell. Nothing that a person could see comes before the
/// next flush, so nobody waits for it.
fn begin(core: &Core, pending: &Pending) {
    let begun = pending.tickets.iter().copied().map(Write::Begin).collect();
    if let Err(fault) = core.ports.ledger.commit_soon(begun) {
        tracing::warn!(%fault, "the begin of a run was not written down");
    }
}

/// Shows the typing sign for as long as this is polled, where nothing else tells that an answer is being made and the chat
/// has room for it.
async fn typing(bearings: Bearings<'_>) {
    let Bearings { core, pending, screen, .. } = bearings;
    let place = &pending.inbound.place;
    let outward = core.ports.outward.get(&place.account);
    let Some(typing) = outward.and_then(|outward| outward.typing.as_ref()) else {
        return std::future::pending().await;
    };
    core.ports.clock.sleep(TYPING_AFTER).await;
    loop {
        if !screen.is_seen() && core.pass(place, Rank::Sign).is_ok() {
            let outcome = typing.show(place).await;
            tracing::debug!(?outcome, "typing shown");
            if let Outcome::Wait(span) = outcome {
                core.hush(place, span);
            }
        }
        core.ports.clock.sleep(typing.lasts().mul_f64(0.8)).await;
    }
}
