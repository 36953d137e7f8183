//! Durable state. A write returns when it is on disk; writes of one [`Ledger::commit`] are on disk together or not at all.
//!
//! One room implements all of these; they are apart so that a caller shows what it needs.

use async_trait::async_trait;

use crate::clock::Timestamp;
use crate::ids::{Account, MessageId, SessionId, SessionKey, Ticket};
use crate::inbound::{Inbound, Place};
use crate::outward::{Button, Finality, Part};
use crate::session::{SessionRecord, Turn};

/// Why the store could not do what was asked. Nothing of the failed commit is kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreFault {
    /// The disk is full, read-only or broken.
    #[error("the store cannot write: {0}")]
    Disk(String),
    /// The store is closing.
    #[error("the store is closed")]
    Closed,
    /// A value could not be read back.
    #[error("the store holds a damaged record: {0}")]
    Damaged(String),
}

/// Where an account stands in its platform's stream of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// Whose stream.
    pub account: Account,
    /// The identity that the numbers belong to: another bot behind the same account starts anew.
    pub bot: String,
    /// The next event to ask for.
    pub next: i64,
}

/// How far an inbox entry has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InboxState {
    /// Not begun, or begun without any effect that a person could see: safe to begin again.
    Waiting,
    /// What it asks of the settings was done and acknowledged; only its run waits, and is safe to begin.
    Heeded,
    /// A run works on it.
    Running,
    /// Put by until a person presses the button that runs it; forgotten after 24 hours.
    Parked,
}

/// A message that was taken in and is not yet done with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxEntry {
    /// Its place in the order of arrival.
    pub ticket: Ticket,
    /// How far it has come.
    pub state: InboxState,
    /// The message.
    pub inbound: Inbound,
}

/// How far one part of an outbox entry has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartState {
    /// Not tried.
    Waiting,
    /// Being sent; after a crash nobody knows whether it landed.
    Trying,
    /// Landed.
    Sent(MessageId),
    /// May have landed; never sent again by itself.
    Unknown,
    /// Will never land; the words are the platform's.
    Failed(String),
}

/// What an outbox entry is to its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutboxKind {
    /// What a model said.
    Answer,
    /// The answer to a directive or command.
    Acknowledgement,
    /// A line about our own doing; nobody is told when it goes missing.
    #[default]
    Notice,
}

/// A message that is to go out, with what is known of each part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxEntry {
    /// Its place in the order of sending, and what buttons refer to.
    pub ticket: Ticket,
    /// What it is.
    pub kind: OutboxKind,
    /// Where to.
    pub place: Place,
    /// The parts, in order.
    pub parts: Vec<(Part, PartState)>,
    /// Buttons under the last part.
    pub buttons: Vec<Button>,
    /// The message it answers.
    pub reply_to: Option<MessageId>,
    /// The preview that stands in the chat as a message of its own, and what becomes of it.
    pub standing: Option<Standing>,
    /// Whether its last part ends the turn.
    pub finality: Finality,
    /// When it was written.
    pub created: Timestamp,
}

/// A preview that stands as a message when the real one goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The first part takes its place.
    Settle(MessageId),
    /// It is taken away first.
    Remove(MessageId),
}

/// A change to a session's record. Runs on the store's writer, one after another; must be quick and must not block. Gets
/// nothing when the session does not exist yet and returns the record to keep.
pub type SessionChange = Box<dyn FnOnce(Option<SessionRecord>) -> SessionRecord + Send>;

/// One write of a commit.
pub enum Write {
    /// Changes a session's record.
    Session(SessionKey, SessionChange),
    /// Adds to the end of a transcript.
    Turn(SessionId, Turn),
    /// Marks an inbox entry as one whose run alone is left to do.
    Heed(Ticket),
    /// Marks an inbox entry as being worked on.
    Begin(Ticket),
    /// Replaces the message of an inbox entry, unless a run works on it.
    Amend(Ticket, Inbound),
    /// Puts an inbox entry by until a person asks for it.
    Park(Ticket),
    /// Closes an inbox entry; its event stays known as seen.
    Close(Ticket),
    /// Keeps an outbox entry, new or changed.
    Outbox(OutboxEntry),
    /// Records how far one part of an outbox entry has come.
    Part(Ticket, usize, PartState),
    /// Forgets an outbox entry.
    Forget(Ticket),
}

/// The one way to write.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// The next ticket; never given twice, also not after a restart.
    fn ticket(&self) -> Ticket;

    /// Writes all of `commit`, in order, together. Returns when it is on disk. Commits take effect in the order in which
    /// this was called. Many waiting callers share one flush.
    ///
    /// # Errors
    /// Nothing of it was kept.
    async fn commit(&self, commit: Vec<Write>) -> Result<(), StoreFault>;

    /// The same without waiting for the disk: ordered with the other commits and on disk with the next flush, within
    /// 100 ms. For what only saves work after a crash.
    ///
    /// # Errors
    /// The store is closed or its queue is full.
    fn commit_soon(&self, commit: Vec<Write>) -> Result<(), StoreFault>;
}

/// Messages between arrival and the end of their run.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Keeps the events that were never seen before, and the cursor, in one commit; returns them with their tickets, in
    /// order, when they are on disk. Events stay known as seen for 24 hours.
    ///
    /// # Errors
    /// Nothing of it was kept.
    async fn take(
        &self,
        batch: Vec<Inbound>,
        cursor: Option<Cursor>,
    ) -> Result<Vec<(Ticket, Inbound)>, StoreFault>;

    /// All that is not closed, in order of arrival: read once, at start.
    ///
    /// # Errors
    /// The store could not be read.
    async fn open(&self) -> Result<Vec<InboxEntry>, StoreFault>;

    /// One entry that is not closed; nothing when it is, or never was.
    ///
    /// # Errors
    /// The store could not be read.
    async fn entry(&self, ticket: Ticket) -> Result<Option<InboxEntry>, StoreFault>;

    /// What an account stored last.
    ///
    /// # Errors
    /// The store could not be read.
    async fn cursor(&self, account: &Account) -> Result<Option<Cursor>, StoreFault>;
}

/// Session records.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// One record; nothing when there is none.
    ///
    /// # Errors
    /// The store could not be read.
    async fn get(&self, key: &SessionKey) -> Result<Option<SessionRecord>, StoreFault>;

    /// How many there are.
    ///
    /// # Errors
    /// The store could not be read.
    async fn count(&self) -> Result<u64, StoreFault>;
}

/// What was said.
#[async_trait]
pub trait Transcript: Send + Sync {
    /// The last `most` turns of a session, oldest first.
    ///
    /// # Errors
    /// The store could not be read.
    async fn tail(&self, session: &SessionId, most: usize) -> Result<Vec<Turn>, StoreFault>;
}

/// What is to go out.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// All that is kept, in order: read once, at start.
    ///
    /// # Errors
    /// The store could not be read.
    async fn pending(&self) -> Result<Vec<OutboxEntry>, StoreFault>;

    /// One entry; nothing when it was forgotten.
    ///
    /// # Errors
    /// The store could not be read.
    async fn entry(&self, ticket: Ticket) -> Result<Option<OutboxEntry>, StoreFault>;
}

/// Small values under a name, such as the hash of a menu that was sent.
#[async_trait]
pub trait Notes: Send + Sync {
    /// What was kept under `name`.
    ///
    /// # Errors
    /// The store could not be read.
    async fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreFault>;

    /// Keeps `value` under `name`; on disk when it returns.
    ///
    /// # Errors
    /// It was not kept.
    async fn keep(&self, name: &str, value: Vec<u8>) -> Result<(), StoreFault>;
}
