//! One lane for each session: takes its messages in order of arrival, answers directives and commands at once, and runs
//! the rest one after the other. It owns the session's queue and its run; nothing else touches them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use pensive_contract::ids::{SessionId, SessionKey, Ticket};
use pensive_contract::inbound::{Inbound, InboundKind, TypedText};
use pensive_contract::model::PromptTurn;
use pensive_contract::outward::{Extras, Finality};
use pensive_contract::session::SessionRecord;
use pensive_contract::store::{InboxState, OutboxKind, StoreFault, Write};
use pensive_directives::{Change, NOTHING_RUNNING, Parsed, STOPPED, Scope, Shape};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::access::{Authority, owner};
use crate::answer::Spent;
use crate::core::{Core, Letter};
use crate::courier::{self, Parcel};
use crate::desk::{Control, Decision, Desk};
use crate::digest;
use crate::ending;
use crate::hearing;
use crate::notices::{self, Wish};
use crate::prompt;
use crate::route::Route;
use crate::run::{Lead, Pending, RunEnd, run};
use crate::status::Busy;
use crate::workers::Bench;

/// How long a message waits for its run where the session could not be read.
const READ_AGAIN: Duration = Duration::from_secs(1);

/// One event on its way to a lane.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) ticket: Ticket,
    /// How far it has come.
    pub(crate) state: InboxState,
    pub(crate) inbound: Inbound,
    /// What its text means; nothing when its sender's slash words are plain text.
    pub(crate) parsed: Option<Parsed>,
    pub(crate) authority: Authority,
    pub(crate) route: Route,
}

/// The life of one lane.
pub(crate) async fn work(core: Arc<Core>, mut bench: Bench<SessionKey, Job>) {
    let mut lane =
        Lane { core, key: bench.key.clone(), queue: VecDeque::new(), active: None, waiting: Arc::default() };
    loop {
        match lane.step(&mut bench).await {
            Step::Job(job) => {
                lane.handle(*job).await;
                bench.done();
            }
            Step::Ended(end) => lane.finish(end).await,
            Step::Again => {}
            Step::Over => return,
        }
        lane.start_next().await;
        lane.waiting.store(lane.queue.len(), Ordering::Relaxed);
    }
}

enum Step {
    Job(Box<Job>),
    Ended(RunEnd),
    /// What waits could not begin a while ago and may now.
    Again,
    Over,
}

struct Lane {
    core: Arc<Core>,
    key: SessionKey,
    queue: VecDeque<Pending>,
    active: Option<Active>,
    /// How long the queue is, for the run to see.
    waiting: Arc<AtomicUsize>,
}

/// The run that is under way.
struct Active {
    pending: Pending,
    session: SessionId,
    stop: CancellationToken,
    task: JoinHandle<RunEnd>,
}

impl Lane {
    /// The next thing that happens.
    async fn step(&mut self, bench: &mut Bench<SessionKey, Job>) -> Step {
        let core = Arc::clone(&self.core);
        match &mut self.active {
            Some(active) => tokio::select! {
                biased;
                end = &mut active.task => Step::Ended(end.unwrap_or_else(|error| {
                    tracing::error!(%error, "a run broke");
                    RunEnd::broke()
                })),
                job = bench.next() => job.map_or(Step::Over, |job| Step::Job(Box::new(job))),
            },
            None => tokio::select! {
                biased;
                // What waits stays in the inbox for the next start.
                () = core.closing.cancelled() => Step::Over,
                // Made before its condition is looked at, so the clock is asked only when it is waited for.
                () = async { core.ports.clock.sleep(READ_AGAIN).await }, if !self.queue.is_empty() => Step::Again,
                job = bench.next_or_retire(&*core.ports.clock) => job.map_or(Step::Over, |job| Step::Job(Box::new(job))),
            },
        }
    }

    async fn handle(&mut self, job: Job) {
        match &job.inbound.kind {
            InboundKind::Message(typed) => self.message(&job, typed).await,
            InboundKind::Edit(typed) => self.edit(&job, typed).await,
            InboundKind::Press { data, query } => self.press(&job, data, query).await,
            InboundKind::Halt { query, .. } => self.halt(&job, query.as_deref()).await,
        }
    }

    async fn message(&mut self, job: &Job, typed: &TypedText) {
        let Some(record) = self.record().await else {
            self.core.close_later(&[job.ticket]);
            self.not_stored(job).await;
            return;
        };
        let desk = Desk { core: &self.core, job, record: record.as_ref(), busy: self.busy() };
        let decision = desk.decide(job.ticket, typed, &job.inbound.attachments);
        let decision = if job.state == InboxState::Heeded { decision.heeded() } else { decision };
        let Decision { changes, scope, effort, clamp, mut letters, run, control } = decision;
        if let Some(tier) = effort
            && let Err(fault) = self.core.effort.keep(tier).await
        {
            return self.unwritten(job, &fault).await;
        }
        let mut writes = Vec::new();
        if run.is_some() && !(changes.is_empty() && letters.is_empty()) {
            writes.push(Write::Heed(job.ticket));
        }
        match control {
            Control::None if changes.is_empty() => {}
            Control::None => writes.push(self.change(job, changes, scope)),
            Control::Stop => {
                let text = if self.stop().await { STOPPED } else { NOTHING_RUNNING };
                letters.push(Letter::plain(OutboxKind::Acknowledgement, text).last());
            }
            Control::Renew => {
                self.stop().await;
                writes.push(self.renew(job, changes, scope));
            }
        }
        let place = &job.inbound.place;
        let reply_to = Some(job.inbound.message.clone());
        let entries = letters
            .into_iter()
            .filter_map(|letter| self.core.seal(letter, place, reply_to.clone()))
            .collect();
        if run.is_none() {
            writes.push(Write::Close(job.ticket));
        }
        if let Err(fault) = self.core.post(writes, entries).await {
            return self.unwritten(job, &fault).await;
        }
        if let Some(clamp) = clamp {
            self.core.effort.told(clamp);
        }
        if let Some(pending) = run {
            self.enqueue(pending);
        }
    }

    async fn unwritten(&self, job: &Job, fault: &StoreFault) {
        tracing::error!(%fault, session = %self.key, "a message could not be written down");
        self.core.close_later(&[job.ticket]);
        self.not_stored(job).await;
    }

    /// Puts a message in the queue; where that is full the two oldest become one.
    fn enqueue(&mut self, pending: Pending) {
        self.queue.push_back(pending);
        digest::fold(&mut self.queue);
    }

    async fn start_next(&mut self) {
        if self.active.is_some() || self.core.closing.is_cancelled() {
            return;
        }
        let Some(pending) = self.queue.pop_front() else { return };
        let Some(record) = self.record().await else {
            self.queue.push_front(pending);
            return;
        };
        let session = record.map_or_else(|| session_id(&pending.tickets), |record| record.id);
        let stop = self.core.abort.child_token();
        let lead = Lead { stop: stop.clone(), waiting: Arc::clone(&self.waiting) };
        let work = run(Arc::clone(&self.core), pending.clone(), session.clone(), lead);
        let task = self.core.lane_tasks.spawn(work);
        self.active = Some(Active { pending, session, stop, task });
    }

    /// Writes down what came of the run, then sends it.
    async fn finish(&mut self, end: RunEnd) {
        let Some(active) = self.active.take() else { return };
        if end == RunEnd::Aborted {
            return;
        }
        let record = self.record().await.flatten();
        let ending::Ending { letter, mut writes } =
            ending::of(&self.core, &self.key, &active.pending, &active.session, record.as_ref(), &end);
        let inbound = &active.pending.inbound;
        let entry =
            letter.and_then(|letter| self.core.seal(letter, &inbound.place, Some(inbound.message.clone())));
        writes.extend(entry.clone().map(Write::Outbox));
        if let Err(fault) = self.core.ports.ledger.commit(writes).await {
            // The answer is worth more than its record: it goes out, and the log says that it is nowhere else.
            tracing::error!(%fault, session = %self.key, "an answer goes out without being stored");
            self.core.close_later(&active.pending.tickets);
        }
        if let Some(entry) = entry {
            self.core.dispatch(Parcel { entry, done: None });
        }
    }

    /// Ends the run and forgets the queue; tells whether there was anything to end.
    async fn stop(&mut self) -> bool {
        let mut writes: Vec<Write> = Vec::new();
        for pending in self.queue.drain(..) {
            writes.extend(pending.tickets.iter().copied().map(Write::Close));
        }
        let waited = !writes.is_empty();
        if let Err(fault) = self.core.ports.ledger.commit_soon(writes) {
            tracing::error!(%fault, session = %self.key, "stopped messages were not closed");
        }
        let Some(active) = &mut self.active else { return waited };
        active.stop.cancel();
        let end = (&mut active.task).await.unwrap_or_else(|_| RunEnd::Stopped(Spent::default()));
        // A run that had ended by itself in this very moment still counts.
        self.finish(end).await;
        true
    }

    async fn edit(&mut self, job: &Job, typed: &TypedText) {
        let text =
            job.parsed.as_ref().map_or(typed.text.as_str(), |parsed| parsed.text.as_str()).trim().to_owned();
        let directive_only = job.parsed.as_ref().is_some_and(|parsed| parsed.shape == Shape::DirectiveOnly);
        if text.is_empty() || directive_only {
            return self.close(job.ticket).await;
        }
        let message = &job.inbound.message;
        if let Some(waiting) = self.queue.iter_mut().find(|pending| pending.inbound.message == *message) {
            text.clone_into(&mut waiting.text);
            // Should a crash come between, the new text is a message in which nothing is executed.
            let code = std::iter::once(0..text.len()).collect();
            let kind = InboundKind::Message(TypedText { text, code, ..typed.clone() });
            let inbound = Inbound { kind, ..job.inbound.clone() };
            let amend = waiting.tickets.iter().copied().map(|ticket| Write::Amend(ticket, inbound.clone()));
            let writes = amend.chain([Write::Close(job.ticket)]).collect();
            if let Err(fault) = self.core.ports.ledger.commit(writes).await {
                tracing::error!(%fault, session = %self.key, "an edit was not written down");
            }
            return;
        }
        if self.has_said(&text).await {
            return self.close(job.ticket).await;
        }
        let letter = Letter::plain(OutboxKind::Notice, notices::EDITED_LATE)
            .with_button(notices::RUN_EDIT, notices::run_data(job.ticket));
        let entry = self.core.seal(letter, &job.inbound.place, Some(message.clone()));
        if let Err(fault) = self.core.post(vec![Write::Park(job.ticket)], entry.into_iter().collect()).await {
            tracing::error!(%fault, session = %self.key, "an edit was not written down");
        }
    }

    /// Whether the text of an edit is what the run has or had: then only marks or pictures of the message changed.
    async fn has_said(&self, text: &str) -> bool {
        if self.active.as_ref().is_some_and(|active| active.pending.text.trim() == text) {
            return true;
        }
        let Some(Some(record)) = self.record().await else { return false };
        let history = self.core.ports.transcript.tail(&record.id, prompt::MOST_TURNS).await;
        self.read(history).is_some_and(|history| {
            history.iter().any(|turn| matches!(&turn.said, PromptTurn::User(said) if said.trim() == text))
        })
    }

    async fn press(&mut self, job: &Job, data: &str, query: &str) {
        let answer = match notices::wish(data) {
            Some(Wish::Run(ticket)) => self.run_parked(job, ticket).await,
            Some(Wish::Show(ticket)) => self.show_again(job, ticket).await,
            None => Some(notices::STALE),
        };
        self.close(job.ticket).await;
        self.answer_press(job, query, answer);
    }

    /// Ends the run as `/stop` does, where the person may. One that comes too late is told only on the button.
    async fn halt(&mut self, job: &Job, query: Option<&str>) {
        let stopped = job.authority == Authority::Directs && self.stop().await;
        let reply_to = Some(job.inbound.message.clone());
        let letter = Letter::plain(OutboxKind::Acknowledgement, STOPPED).last();
        let entry =
            stopped.then(|| self.core.seal(letter, &job.inbound.place, reply_to)).flatten().into_iter();
        if let Err(fault) = self.core.post(vec![Write::Close(job.ticket)], entry.collect()).await {
            tracing::error!(%fault, session = %self.key, "a stop was not written down");
        }
        if let Some(query) = query {
            self.answer_press(job, query, (!stopped).then_some(NOTHING_RUNNING));
        }
    }

    fn answer_press(&self, job: &Job, query: &str, answer: Option<&'static str>) {
        let outward = self.core.ports.outward.get(&job.inbound.place.account);
        if let Some(presses) = outward.and_then(|outward| outward.presses.clone()) {
            let query = query.to_owned();
            // The sign on the button is no part of the conversation: it waits for nobody.
            self.core.tasks.spawn(async move {
                let outcome = presses.answer(&query, answer).await;
                tracing::debug!(?outcome, "a press was answered");
            });
        }
    }

    /// Runs a message that was put by. What it changed when it came is not changed again.
    async fn run_parked(&mut self, press: &Job, ticket: Ticket) -> Option<&'static str> {
        let entry = self.read(self.core.ports.inbox.entry(ticket).await).flatten();
        let Some(entry) = entry.filter(|entry| entry.state == InboxState::Parked) else {
            return Some(notices::STALE);
        };
        if !self.may_press(press, &entry.inbound) {
            return Some(notices::NOT_YOURS);
        }
        let at_work = self.active.iter().map(|active| &active.pending).chain(&self.queue);
        if at_work.flat_map(|pending| &pending.tickets).any(|known| *known == ticket) {
            return None;
        }
        let Some(typed) = entry.inbound.typed().cloned() else { return Some(notices::STALE) };
        let Some(route) = hearing::belongs(&self.core, &entry.inbound) else { return Some(notices::STALE) };
        let job = hearing::hear(&self.core, &entry.inbound).job(entry, route);
        let Some(record) = self.record().await else { return Some(notices::STALE) };
        let desk = Desk { core: &self.core, job: &job, record: record.as_ref(), busy: self.busy() };
        let decision = desk.decide(ticket, &typed, &[]);
        match decision.run {
            Some(pending) => self.enqueue(pending),
            None => return Some(notices::STALE),
        }
        None
    }

    async fn show_again(&mut self, press: &Job, ticket: Ticket) -> Option<&'static str> {
        let entry = self.read(self.core.ports.outbox.entry(ticket).await).flatten();
        let Some(entry) = entry.filter(|entry| entry.place.chat == press.inbound.place.chat) else {
            return Some(notices::STALE);
        };
        let Some(again) = courier::again(&entry, self.core.ports.ledger.ticket()) else {
            return Some(notices::STALE);
        };
        if let Err(fault) = self.core.post(vec![Write::Forget(ticket)], vec![again]).await {
            tracing::error!(%fault, session = %self.key, "an answer could not be shown again");
        }
        None
    }

    /// A button belongs to the person whose message it is about, and to owners.
    fn may_press(&self, press: &Job, about: &Inbound) -> bool {
        let presser = &press.inbound.sender;
        presser.id == about.sender.id
            || owner(&self.core.settings, &press.inbound.place.account, presser)
                == pensive_directives::Owner::Yes
    }

    /// The session's record; the outer nothing means that the store could not tell, and was logged.
    async fn record(&self) -> Option<Option<SessionRecord>> {
        self.read(self.core.ports.sessions.get(&self.key).await)
    }

    /// What the store told; nothing, and a line in the log, when it could not.
    fn read<T>(&self, told: Result<T, StoreFault>) -> Option<T> {
        told.inspect_err(|fault| tracing::error!(%fault, session = %self.key, "the store cannot be read"))
            .ok()
    }

    fn busy(&self) -> Busy {
        Busy { running: self.active.is_some(), waiting: self.queue.len() }
    }

    fn change(&self, job: &Job, changes: Vec<Change>, scope: Scope) -> Write {
        let fresh = self.fresh(job);
        let holder = job.route.holder.clone();
        let now = self.core.now();
        let change = move |old: Option<SessionRecord>| {
            let mut record = old.unwrap_or(fresh);
            record.updated = now;
            record.last_interaction = now;
            apply(&mut record, &holder, &changes, scope);
            record
        };
        Write::Session(self.key.clone(), Box::new(change))
    }

    fn renew(&self, job: &Job, changes: Vec<Change>, scope: Scope) -> Write {
        let mut fresh = self.fresh(job);
        apply(&mut fresh, &job.route.holder, &changes, scope);
        Write::Session(self.key.clone(), Box::new(move |_old| fresh))
    }

    fn fresh(&self, job: &Job) -> SessionRecord {
        let place = job.inbound.place.clone();
        let id = session_id(&[job.ticket]);
        SessionRecord::new(id, self.key.clone(), job.route.agent.id.clone(), place, self.core.now())
    }

    async fn close(&self, ticket: Ticket) {
        if let Err(fault) = self.core.ports.ledger.commit(vec![Write::Close(ticket)]).await {
            tracing::error!(%fault, %ticket, "a message was not closed");
        }
    }

    /// Tells the person that nothing was stored, past the outbox, which is as broken.
    async fn not_stored(&self, job: &Job) {
        let place = &job.inbound.place;
        let Some(outward) = self.core.ports.outward.get(&place.account) else { return };
        let body = pensive_contract::outward::Body::Plain(notices::NOT_STORED.to_owned());
        let extras = Extras {
            reply_to: Some(job.inbound.message.clone()),
            finality: Finality::Failed,
            ..Extras::default()
        };
        for part in outward.outlet.render(&body) {
            let outcome = outward.outlet.send(place, &part, &extras).await;
            tracing::debug!(?outcome, "told that nothing was stored");
        }
    }
}

fn apply(
    record: &mut SessionRecord,
    holder: &pensive_contract::ids::SenderId,
    changes: &[Change],
    scope: Scope,
) {
    let target = match scope {
        Scope::Sender => record.senders.entry(holder.clone()).or_default(),
        Scope::Chat => &mut record.chat,
    };
    for change in changes {
        target.apply(change);
    }
}

/// A session is named after the message that began it, so that names never repeat.
pub(crate) fn session_id(tickets: &[Ticket]) -> SessionId {
    let first = tickets.first().copied().unwrap_or(Ticket(0));
    SessionId::from(format!("s{first}"))
}
