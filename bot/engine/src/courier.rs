//! One courier for each chat carries our messages in order, each part confirmed before the next, and writes down what
//! is known of each, so that a restart neither loses nor doubles one.

mod place;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::ids::{MessageId, Ticket};
use pensive_contract::inbound::Place;
use pensive_contract::outward::{Extras, Finality, Outcome, Outlet, Part, Quote, Refusal};
use pensive_contract::store::{OutboxEntry, OutboxKind, PartState, Write};
use tokio::sync::oneshot;

use crate::core::{Address, Core, Letter};
use crate::notices;
use crate::retry::send_pause;
use crate::workers::Bench;

/// Refused sends are repeated for this long; then the platform has had its chance.
const PATIENCE: Duration = Duration::from_hours(24);

/// How often a part is sent again whose fate is unknown, where twice does no harm.
const MOST_TWICE: u32 = 5;

/// An entry on its way, and whoever waits for its end.
pub(crate) struct Parcel {
    pub(crate) entry: OutboxEntry,
    pub(crate) done: Option<Done>,
}

/// Where the end of a delivery is told.
pub(crate) type Done = oneshot::Sender<Result<Vec<MessageId>, Fault>>;

/// How one part ended.
enum Landing {
    Known(PartState),
    /// The same for this many parts at once: they went as one.
    Whole(PartState, usize),
    /// The chat takes nothing any more.
    ChatGone(String),
    /// We are shutting down: the entry stays as it is for the next start.
    Kept,
}

impl Parcel {
    /// Leaves it in the outbox, untried, and tells whoever waits: too much is ahead of it.
    pub(crate) fn left(self, core: &Core) {
        let Self { entry, done } = self;
        if entry.parts.first().is_some_and(|(_, state)| *state == PartState::Trying) {
            note(core, entry.ticket, 0, PartState::Waiting);
        }
        if let Some(done) = done {
            let words = "Much is waiting for that chat. The message is kept and goes out in its turn.";
            // Whoever asked may have gone.
            let _gone = done.send(Err(Fault::new(FaultClass::TellPerson, words, words))).is_err();
        }
    }
}

/// The life of one courier.
pub(crate) async fn work(core: Arc<Core>, mut bench: Bench<Address, Parcel>) {
    // Entries that were fetched from the outbox and may yet come by the queue as well.
    let mut fetched = HashSet::new();
    loop {
        let parcel = tokio::select! {
            biased;
            () = core.abort.cancelled() => None,
            parcel = bench.next_or_retire(&*core.ports.clock) => parcel,
        };
        let Some(parcel) = parcel else { return };
        if !fetched.remove(&parcel.entry.ticket) {
            Round::new(&core, parcel.entry, parcel.done, &bench).deliver().await;
        }
        bench.done();
        while bench.has_left() {
            for entry in left_for(&core, &bench.key).await {
                if fetched.insert(entry.ticket) {
                    Round::new(&core, entry, None, &bench).deliver().await;
                }
            }
        }
    }
}

/// Writes down how far a part has come, without waiting for the disk.
fn note(core: &Core, ticket: Ticket, index: usize, state: PartState) {
    if let Err(fault) = core.ports.ledger.commit_soon(vec![Write::Part(ticket, index, state)]) {
        tracing::warn!(%fault, %ticket, "the state of a message was not written down");
    }
}

/// What the outbox holds for a chat and nobody carries, in order.
async fn left_for(core: &Core, (account, chat): &Address) -> Vec<OutboxEntry> {
    let mut tries = 0;
    let pending = loop {
        match core.ports.outbox.pending().await {
            Ok(pending) => break pending,
            Err(fault) => tracing::error!(%fault, %account, "messages wait for the store"),
        }
        tokio::select! {
            () = core.abort.cancelled() => return Vec::new(),
            () = core.ports.clock.sleep(send_pause(tries, fastrand::f64())) => tries += 1,
        }
    };
    let here = |entry: &OutboxEntry| entry.place.account == *account && entry.place.chat == *chat;
    let untried = |entry: &OutboxEntry| entry.parts.iter().any(|(_, state)| *state == PartState::Waiting);
    pending.into_iter().filter(|entry| here(entry) && untried(entry)).collect()
}

/// The delivery of one entry.
struct Round<'a> {
    core: &'a Arc<Core>,
    /// Where what comes behind it waits.
    bench: &'a Bench<Address, Parcel>,
    entry: OutboxEntry,
    /// Where to, without a topic that turned out to be gone.
    place: Place,
    /// Whoever waits for the end.
    done: Option<Done>,
    /// Whether anybody would read a word about this entry.
    chat: Chat,
}

#[derive(PartialEq, Eq)]
enum Chat {
    Reads,
    Gone,
}

impl<'a> Round<'a> {
    fn new(
        core: &'a Arc<Core>,
        entry: OutboxEntry,
        done: Option<Done>,
        bench: &'a Bench<Address, Parcel>,
    ) -> Self {
        let place = entry.place.clone();
        Self { core, bench, entry, place, done, chat: Chat::Reads }
    }

    async fn deliver(mut self) {
        let Some(outward) = self.core.ports.outward.get(&self.place.account) else {
            tracing::error!(account = %self.place.account, ticket = %self.entry.ticket, "no such account to send through");
            return;
        };
        let outlet = Arc::clone(&outward.outlet);
        self.clear().await;
        let mut index = 0;
        while index < self.entry.parts.len() {
            match self.deliver_part(&*outlet, index).await {
                Landing::Known(state) => {
                    self.set(index, state);
                    index += 1;
                }
                Landing::Whole(state, parts) => {
                    self.set_whole(index, parts, &state);
                    index += parts.max(1);
                }
                Landing::ChatGone(why) => {
                    self.fail_rest(&why);
                    break;
                }
                Landing::Kept => return,
            }
        }
        self.close().await;
    }

    /// Sends one part until something final is known of it.
    async fn deliver_part(&mut self, outlet: &dyn Outlet, index: usize) -> Landing {
        let Some((mut part, state)) = self.entry.parts.get(index).cloned() else { return Landing::Kept };
        match state {
            // Whether it went as one with those behind it, nobody knows either.
            PartState::Unknown => return as_one(&part, Landing::Known(state)),
            PartState::Sent(_) | PartState::Failed(_) => return Landing::Known(state),
            // A letter may have hundreds of parts; the rest of it is for the next start.
            PartState::Trying | PartState::Waiting if self.core.abort.is_cancelled() => {
                self.note(index, PartState::Waiting);
                return Landing::Kept;
            }
            PartState::Trying => {}
            PartState::Waiting => {
                if let Landing::Kept = self.announce(index).await {
                    return Landing::Kept;
                }
            }
        }
        let landing = self.persist(outlet, index, &mut part).await;
        if let Landing::Kept = landing {
            // It has certainly not landed: the next start may send it.
            self.note(index, PartState::Waiting);
        }
        as_one(&part, landing)
    }

    /// Writes down that a part is about to be tried; after a crash nobody could know otherwise.
    async fn announce(&mut self, index: usize) -> Landing {
        let mut tries = 0;
        loop {
            let write = vec![Write::Part(self.entry.ticket, index, PartState::Trying)];
            match self.core.ports.ledger.commit(write).await {
                Ok(()) => return Landing::Known(PartState::Trying),
                Err(fault) => {
                    tracing::error!(%fault, ticket = %self.entry.ticket, "a message waits for the store")
                }
            }
            if self.pause(send_pause(tries, fastrand::f64())).await.is_err() {
                return Landing::Kept;
            }
            tries += 1;
        }
    }

    async fn persist(&mut self, outlet: &dyn Outlet, index: usize, part: &mut Part) -> Landing {
        let deadline = self.entry.created + PATIENCE;
        let mut tries = 0;
        loop {
            if let Landing::Kept = self.room(index).await {
                return Landing::Kept;
            }
            let attempt = self.attempt(outlet, index, part).await;
            let pause = match attempt {
                Outcome::Delivered(id) => return Landing::Known(PartState::Sent(id)),
                Outcome::Unchanged => return Landing::Known(PartState::Failed("unchanged".to_owned())),
                Outcome::Unknown { .. } if self.bears_twice(index) && tries < MOST_TWICE => {
                    send_pause(tries, fastrand::f64())
                }
                Outcome::Unknown { why } => {
                    tracing::warn!(account = %self.place.account, ticket = %self.entry.ticket, why, "a message may or may not have landed");
                    return Landing::Known(PartState::Unknown);
                }
                Outcome::Wait(span) => {
                    self.core.hush(&self.place, span);
                    span
                }
                Outcome::Refused { refusal, why } => match self.refused(refusal, &why, part) {
                    Next::Repeat => {
                        self.clear().await;
                        Duration::ZERO
                    }
                    Next::Later => send_pause(tries, fastrand::f64()),
                    Next::End(landing) => return landing,
                },
            };
            if self.core.now() + pause > deadline {
                return Landing::Known(PartState::Failed("refused for a day".to_owned()));
            }
            if let Landing::Kept = self.wait(index, pause).await {
                return Landing::Kept;
            }
            tries += 1;
        }
    }

    /// Waits between two tries of a part. It has certainly not landed: a crash in the meantime must not make that doubtful.
    async fn wait(&mut self, index: usize, span: Duration) -> Landing {
        if span.is_zero() {
            return Landing::Known(PartState::Trying);
        }
        self.note(index, PartState::Waiting);
        if self.pause(span).await.is_err() {
            return Landing::Kept;
        }
        self.announce(index).await
    }

    /// What to do about a no; may make the part plainer or drop the topic.
    fn refused(&mut self, refusal: Refusal, why: &str, part: &mut Part) -> Next {
        tracing::warn!(account = %self.place.account, ticket = %self.entry.ticket, ?refusal, why, "a message was refused");
        let styled = !part.marks.is_empty();
        match refusal {
            Refusal::Again => Next::Later,
            // It cannot be changed any more: a new message comes instead, in its full form.
            Refusal::Never if self.gives_place_up() => Next::Repeat,
            Refusal::Style | Refusal::Never if part.whole.take().is_some() => Next::Repeat,
            Refusal::Style | Refusal::Never if styled => {
                part.marks.clear();
                Next::Repeat
            }
            Refusal::TopicGone if self.place.topic.is_some() => {
                self.place.topic = None;
                Next::Repeat
            }
            Refusal::ChatGone => Next::End(Landing::ChatGone(why.to_owned())),
            // It may pass, and an operator may mend it: what is due stays due.
            Refusal::Account => {
                self.tell_shut(why);
                Next::Later
            }
            Refusal::Style | Refusal::TopicGone | Refusal::Never => {
                Next::End(Landing::Known(PartState::Failed(why.to_owned())))
            }
        }
    }

    /// Waits, unless the daemon ends meanwhile: what is due in a while is due after the next start.
    async fn pause(&self, span: Duration) -> Result<(), ()> {
        if span.is_zero() {
            return Ok(());
        }
        tokio::select! {
            () = self.core.ports.clock.sleep(span) => Ok(()),
            () = self.core.closing.cancelled() => Err(()),
        }
    }

    fn extras(&self, index: usize, part: &Part) -> Extras {
        let last = index + part.whole.as_ref().map_or(1, |whole| whole.parts) >= self.entry.parts.len();
        let first = index == 0;
        Extras {
            buttons: if last { self.entry.buttons.clone() } else { Vec::new() },
            reply_to: self.entry.reply_to.clone(),
            quote: if first || last { Quote::Shown } else { Quote::Hidden },
            file: None,
            finality: if last { self.entry.finality } else { Finality::More },
            kind: self.entry.kind,
        }
    }

    fn set(&mut self, index: usize, state: PartState) {
        if let PartState::Failed(why) = &state {
            tracing::error!(account = %self.place.account, ticket = %self.entry.ticket, why, "a message could not be delivered");
        }
        let more = index + 1 < self.entry.parts.len();
        if let Some((_, slot)) = self.entry.parts.get_mut(index) {
            *slot = state.clone();
        }
        // The last part is written down by `close`.
        if more {
            self.note(index, state);
        }
    }

    /// The same for parts that went as one, in one commit: a crash must not leave some of them to be sent again.
    fn set_whole(&mut self, index: usize, parts: usize, state: &PartState) {
        let mut writes = Vec::new();
        for (at, (_, slot)) in self.entry.parts.iter_mut().enumerate().skip(index).take(parts) {
            if at == index || matches!(slot, PartState::Waiting | PartState::Trying) {
                *slot = state.clone();
                writes.push(Write::Part(self.entry.ticket, at, state.clone()));
            }
        }
        if let Err(fault) = self.core.ports.ledger.commit_soon(writes) {
            tracing::warn!(%fault, ticket = %self.entry.ticket, "the state of a message was not written down");
        }
    }

    fn note(&self, index: usize, state: PartState) {
        note(self.core, self.entry.ticket, index, state);
    }

    fn fail_rest(&mut self, why: &str) {
        tracing::warn!(account = %self.place.account, ticket = %self.entry.ticket, why, "the chat takes no messages any more");
        self.chat = Chat::Gone;
        for (_, state) in &mut self.entry.parts {
            if matches!(state, PartState::Waiting | PartState::Trying) {
                *state = PartState::Failed(why.to_owned());
            }
        }
    }

    /// Tells whoever waits that this takes until the account is put right.
    fn tell_shut(&mut self, why: &str) {
        let account = &self.place.account;
        let words = format!(
            "{account} is out of service ({why}). The message is kept and goes out once that is mended."
        );
        if let Some(done) = self.done.take() {
            // Whoever asked may have gone.
            let _gone = done.send(Err(Fault::new(FaultClass::TellPerson, words, why))).is_err();
        }
    }

    /// Forgets the entry, or keeps it where its fate is unknown and tells the person so.
    async fn close(mut self) {
        if let Some(done) = self.done.take() {
            // Whoever asked may have gone.
            let _gone = done.send(self.report()).is_err();
        }
        let Some((letter, kept)) = self.word() else {
            return self.write(vec![Write::Forget(self.entry.ticket)]).await;
        };
        let notice = self.core.seal(letter, &self.place, for_caller(&self.entry));
        let mut writes = vec![kept];
        writes.extend(notice.clone().map(Write::Outbox));
        self.write(writes).await;
        if let Some(notice) = notice {
            // Next in line for this chat; a notice never makes another one.
            Box::pin(Round::new(self.core, notice, None, self.bench).deliver()).await;
        }
    }

    /// What the person must hear about an entry that did not arrive, and what becomes of it.
    fn word(&self) -> Option<(Letter, Write)> {
        if self.entry.kind == OutboxKind::Notice {
            return None;
        }
        let any = |wanted: fn(&PartState) -> bool| self.entry.parts.iter().any(|(_, state)| wanted(state));
        if any(|state| *state == PartState::Unknown) {
            let letter = Letter::plain(OutboxKind::Notice, notices::UNCONFIRMED)
                .with_button(notices::SHOW_AGAIN, notices::show_data(self.entry.ticket));
            return Some((letter, Write::Outbox(self.entry.clone())));
        }
        let failed = any(|state| matches!(state, PartState::Failed(_))) && self.chat == Chat::Reads;
        let forget = Write::Forget(self.entry.ticket);
        failed.then(|| (Letter::plain(OutboxKind::Notice, notices::REFUSED), forget))
    }

    async fn write(&self, writes: Vec<Write>) {
        if let Err(fault) = self.core.ports.ledger.commit(writes).await {
            tracing::error!(%fault, ticket = %self.entry.ticket, "the end of a message was not written down");
        }
    }

    fn report(&self) -> Result<Vec<MessageId>, Fault> {
        let mut ids = Vec::new();
        for (_, state) in &self.entry.parts {
            match state {
                // Parts that went as one share it.
                PartState::Sent(id) if ids.last() == Some(id) => {}
                PartState::Sent(id) => ids.push(id.clone()),
                PartState::Unknown => {
                    let words = "The message may or may not have arrived.";
                    return Err(Fault::new(FaultClass::TellPerson, words, "unknown outcome"));
                }
                PartState::Failed(why) => {
                    return Err(Fault::new(
                        FaultClass::TellPerson,
                        format!("The message was refused: {why}"),
                        why.clone(),
                    ));
                }
                PartState::Waiting | PartState::Trying => {}
            }
        }
        Ok(ids)
    }
}

/// What is known of a part is known of all that went with it.
fn as_one(part: &Part, landing: Landing) -> Landing {
    match (landing, &part.whole) {
        (Landing::Known(state), Some(whole)) => Landing::Whole(state, whole.parts),
        (landing, _) => landing,
    }
}

enum Next {
    Repeat,
    Later,
    End(Landing),
}

/// The message that what is said of an entry answers too. What a command was answered may have been for its caller's eyes alone.
fn for_caller(entry: &OutboxEntry) -> Option<MessageId> {
    entry.reply_to.clone().filter(|_| entry.kind == OutboxKind::Acknowledgement)
}

/// What is to be shown again of an entry: the parts whose fate is unknown, as a new entry.
pub(crate) fn again(entry: &OutboxEntry, ticket: Ticket) -> Option<OutboxEntry> {
    let parts: Vec<_> = entry
        .parts
        .iter()
        .filter(|(_, state)| *state == PartState::Unknown)
        .map(|(part, _)| (part.clone(), PartState::Waiting))
        .collect();
    (!parts.is_empty()).then(|| OutboxEntry {
        ticket,
        parts,
        reply_to: for_caller(entry),
        standing: None,
        ..entry.clone()
    })
}
