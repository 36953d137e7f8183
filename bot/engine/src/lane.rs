//! One lane for each session: takes its messages in order of arrival, answers directives and commands at once, and runs
//! the rest one after the other. It owns the session's queue and its run; nothing else touches them.

mod change;
mod edit;
mod pick;
mod press;
mod repaint;

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::{SenderId, SessionId, SessionKey, Ticket};
use pensive_contract::inbound::{Inbound, InboundKind, TypedText};
use pensive_contract::outward::{Extras, Finality};
use pensive_contract::session::SessionRecord;
use pensive_contract::store::{InboxState, OutboxKind, StoreFault, Write};
use pensive_directives::{NOTHING_RUNNING, Parsed, QueueMode, STOPPED};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::access::Authority;
use crate::backlog::{self, Backlog, Meets, Next};
use crate::core::{Core, Letter};
use crate::courier::Parcel;
use crate::desk::{Control, Decision, Desk};
use crate::ending;
use crate::hold::Hold;
use crate::notices;
use crate::route::Route;
use crate::run::{self, Ended, Lead, Part, Pending, RunEnd};
use crate::status::Busy;
use crate::trace;
use crate::workers::Bench;

use repaint::Easel;

pub(crate) use change::session_id;

/// How long a message waits for its run where the session could not be read.
const READ_AGAIN: Duration = Duration::from_secs(1);

/// One event on its way to a lane.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) ticket: Ticket,
    /// Those of the texts that it continues.
    pub(crate) earlier: Vec<Ticket>,
    /// The messages of the album that it is, where it is one.
    pub(crate) parts: Vec<Part>,
    /// How far it has come.
    pub(crate) state: InboxState,
    pub(crate) inbound: Inbound,
    /// What its text means; nothing when its sender's slash words are plain text.
    pub(crate) parsed: Option<Parsed>,
    pub(crate) authority: Authority,
    pub(crate) route: Route,
}

impl Job {
    /// All its entries in the inbox, oldest first.
    pub(crate) fn tickets(&self) -> impl Iterator<Item = Ticket> {
        self.earlier.iter().copied().chain([self.ticket])
    }
}

/// The life of one lane.
pub(crate) async fn work(core: Arc<Core>, mut bench: Bench<SessionKey, Job>) {
    let backlog = Arc::new(Backlog::new(core.settings.queue));
    let mut lane = Lane {
        core,
        key: bench.key.clone(),
        backlog,
        hold: Hold::default(),
        active: None,
        again: READ_AGAIN,
        easel: Easel::default(),
    };
    loop {
        match lane.step(&mut bench).await {
            Step::Job(job) => {
                lane.handle(*job).await;
                bench.done();
            }
            Step::Ended(end) => lane.finish(end).await,
            Step::Due => {
                let ready = lane.hold.release(&lane.core);
                lane.take_up(ready).await;
            }
            Step::Again => {}
            Step::Over => return,
        }
        lane.start_next().await;
    }
}

enum Step {
    Job(Box<Job>),
    Ended(Ended),
    /// A text that was held has waited long enough.
    Due,
    /// What waits could not begin a while ago and may now.
    Again,
    Over,
}

struct Lane {
    core: Arc<Core>,
    key: SessionKey,
    /// What waits; the run under way sees it too.
    backlog: Arc<Backlog>,
    /// What may be continued.
    hold: Hold,
    active: Option<Active>,
    /// When what waits may begin, where it could not yet.
    again: Duration,
    /// Messages that are to show what holds by now.
    easel: Easel,
}

/// The run that is under way.
struct Active {
    pending: Pending,
    session: SessionId,
    stop: CancellationToken,
    task: JoinHandle<Ended>,
    /// What names its previews.
    stream: i64,
}

impl Lane {
    /// The next thing that happens.
    async fn step(&mut self, bench: &mut Bench<SessionKey, Job>) -> Step {
        let core = Arc::clone(&self.core);
        let is_idle = self.hold.is_empty() && self.backlog.len() == 0;
        let due = self.hold.due();
        match &mut self.active {
            Some(active) => tokio::select! {
                biased;
                end = &mut active.task => Step::Ended(end.unwrap_or_else(|error| {
                    tracing::error!(%error, "a run broke");
                    RunEnd::broke().into()
                })),
                () = moment(&core, due) => Step::Due,
                job = bench.next() => job.map_or(Step::Over, |job| Step::Job(Box::new(job))),
            },
            None => tokio::select! {
                biased;
                // What waits stays in the inbox for the next start.
                () = core.closing.cancelled() => Step::Over,
                // Made before its condition is looked at, so the clock is asked only when it is waited for.
                () = async { core.ports.clock.sleep(self.again).await }, if self.backlog.len() > 0 => Step::Again,
                () = moment(&core, due) => Step::Due,
                job = async {
                    if is_idle { bench.next_or_retire(&*core.ports.clock).await } else { bench.next().await }
                } => job.map_or(Step::Over, |job| Step::Job(Box::new(job))),
            },
        }
    }

    async fn handle(&mut self, job: Job) {
        match &job.inbound.kind {
            InboundKind::Message(_) => {
                let ready = self.hold.meet(&self.core, job);
                self.take_up(ready).await;
            }
            InboundKind::Edit(typed) => self.edit(&job, typed).await,
            InboundKind::Press { data, query } => self.press(&job, data, query).await,
            InboundKind::Halt { stream, query } => self.halt(&job, *stream, query.as_deref()).await,
        }
    }

    async fn take_up(&mut self, jobs: Vec<Job>) {
        for job in jobs {
            if let InboundKind::Message(typed) = &job.inbound.kind {
                self.message(&job, typed).await;
            }
        }
    }

    async fn message(&mut self, job: &Job, typed: &TypedText) {
        let Some(record) = self.record().await else {
            self.core.close_later(&job.tickets().collect::<Vec<_>>());
            self.not_stored(job).await;
            return;
        };
        let desk = Desk { core: &self.core, job, record: record.as_ref(), busy: self.busy() };
        let decision = desk.decide(job.ticket, typed, &job.inbound.attachments);
        let decision = if job.state == InboxState::Heeded { decision.heeded() } else { decision };
        if let Err(fault) = self.carry_out(job, decision).await {
            self.unwritten(job, &fault).await;
        }
    }

    /// Does what was decided: all that is to be kept is on disk before anybody hears of it.
    ///
    /// # Errors
    /// It was not written down, and nothing goes out.
    async fn carry_out(&mut self, job: &Job, decision: Decision) -> Result<(), StoreFault> {
        let Decision { changes, scope, effort, clamp, mut letters, run, control } = decision;
        if let Some(tier) = effort {
            self.core.effort.keep(tier).await?;
        }
        let mut writes = Vec::new();
        if run.is_some() && !(changes.is_empty() && letters.is_empty()) {
            writes.extend(job.tickets().map(Write::Heed));
        }
        match control {
            Control::None if changes.is_empty() => {}
            Control::None => writes.push(self.change(job, changes, scope)),
            Control::Stop => {
                let text = if self.stop().await { STOPPED } else { NOTHING_RUNNING };
                letters.push(Letter::plain(OutboxKind::Acknowledgement, text).last());
            }
            Control::Rule(ruling) => {
                let text = notices::ruled(self.core.approvals.answer_oldest(ruling, self.by(job)), ruling);
                letters.push(Letter::plain(OutboxKind::Acknowledgement, text).last());
            }
            Control::Renew => {
                self.stop().await;
                self.core.traces.forget(&self.key);
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
            writes.extend(job.tickets().map(Write::Close));
        }
        self.core.post(writes, entries).await?;
        if let Some(clamp) = clamp {
            self.core.effort.told(clamp);
        }
        if let Some(pending) = run {
            self.enqueue(pending).await;
        }
        Ok(())
    }

    async fn unwritten(&self, job: &Job, fault: &StoreFault) {
        tracing::error!(%fault, session = %self.key, "a message could not be written down");
        self.core.close_later(&job.tickets().collect::<Vec<_>>());
        self.not_stored(job).await;
    }

    /// Puts a message where it waits; one that interrupts ends the run first, and what its sender had waiting.
    async fn enqueue(&mut self, pending: Pending) {
        if self.active.is_some() && pending.settings.queue.value.mode == QueueMode::Interrupt {
            self.end(Some(&pending.inbound.sender.id)).await;
        }
        let works = self.active.is_some() || self.backlog.len() > 0;
        let meets = if works { Meets::Work } else { Meets::Idleness };
        self.backlog.push(pending, meets, self.core.now());
    }

    async fn start_next(&mut self) {
        if self.active.is_some() || self.core.closing.is_cancelled() {
            return;
        }
        self.again = READ_AGAIN;
        let mut pending = match self.backlog.next(self.core.now()) {
            Next::Nothing => return,
            Next::After(pause) => {
                self.again = pause;
                return;
            }
            Next::Run(pending) => *pending,
        };
        let Some(record) = self.record().await else {
            self.backlog.put_back(pending);
            return;
        };
        self.unite(&mut pending);
        let session = record.map_or_else(|| session_id(&pending.tickets), |record| record.id);
        let stop = self.core.abort.child_token();
        let backlog = Arc::clone(&self.backlog);
        let lead = Lead { stop: stop.clone(), waiting: backlog.count(), backlog };
        let work = run::run(Arc::clone(&self.core), pending.clone(), session.clone(), lead);
        let task = self.core.lane_tasks.spawn(work);
        let stream = run::stream(&pending);
        self.active = Some(Active { pending, session, stop, task, stream });
    }

    /// Messages that became one are one from here on: what is told after a crash, and run again, is all of it.
    fn unite(&self, pending: &mut Pending) {
        let Some((newest, older)) = pending.tickets.split_last().filter(|(_, older)| !older.is_empty())
        else {
            return;
        };
        let amend = Write::Amend(*newest, pending.inbound.clone());
        let writes = older.iter().copied().map(Write::Close).chain([amend]).collect();
        match self.core.ports.ledger.commit_soon(writes) {
            Ok(()) => pending.tickets = vec![*newest],
            Err(fault) => tracing::warn!(%fault, session = %self.key, "messages were not made one"),
        }
    }

    /// Writes down what came of the run, then sends it.
    async fn finish(&mut self, ended: Ended) {
        let Some(mut active) = self.active.take() else { return };
        let Ended { end, standing } = ended;
        if end == RunEnd::Aborted {
            return;
        }
        let amend = backlog::absorb(&mut active.pending, self.backlog.settle(), &end);
        trace::keep(&self.core, &self.key, &end);
        let record = self.record().await.flatten();
        let ending::Ending { letter, mut writes } =
            ending::of(&self.core, &self.key, &active.pending, &active.session, record.as_ref(), &end);
        let inbound = &active.pending.inbound;
        let mut entry =
            letter.and_then(|letter| self.core.seal(letter, &inbound.place, Some(inbound.message.clone())));
        match &mut entry {
            Some(entry) => entry.standing = standing,
            None => self.core.take_away(&inbound.place, standing),
        }
        writes.extend(amend);
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

    /// Ends the run and forgets all that waits; tells whether there was anything to end.
    async fn stop(&mut self) -> bool {
        self.end(None).await
    }

    /// Ends the run and forgets what one person, or anybody, had waiting.
    async fn end(&mut self, of: Option<&SenderId>) -> bool {
        let gone = self.backlog.forget(of).into_iter().chain(self.hold.forget(of));
        let writes: Vec<Write> = gone.map(Write::Close).collect();
        let waited = !writes.is_empty();
        if let Err(fault) = self.core.ports.ledger.commit_soon(writes) {
            tracing::error!(%fault, session = %self.key, "stopped messages were not closed");
        }
        let Some(active) = &mut self.active else { return waited };
        active.stop.cancel();
        let end = (&mut active.task).await.unwrap_or_else(|_| RunEnd::Stopped(Box::default()).into());
        // A run that had ended by itself in this very moment still counts.
        self.finish(end).await;
        true
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
        Busy { running: self.active.is_some(), waiting: self.backlog.len() }
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

/// Waits for a moment, where there is one.
async fn moment(core: &Core, moment: Option<Timestamp>) {
    match moment {
        Some(moment) => core.ports.clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
