//! The port between a channel and the engine: events in, durably, before the platform hears that they were received.

use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::clock::Timestamp;
use crate::fault::Fault;
use crate::ids::{Account, UpdateId};
use crate::inbound::{Inbound, Place, Sender};
use crate::store::{Cursor, StoreFault};

/// Takes events from channels; the engine implements it.
#[async_trait]
pub trait Intake: Send + Sync {
    /// Called by an account for each batch, in the platform's order. Returns when every admitted event is on disk, and
    /// `cursor` with them; only then may the platform be told that they were received. Events seen before are dropped.
    ///
    /// # Errors
    /// The store could not keep them: tell the platform nothing and offer the same batch again later.
    async fn take(&self, batch: Vec<Inbound>, cursor: Option<Cursor>) -> Result<Kept, StoreFault>;

    /// What the account stored with its last batch, so that it can go on from there.
    ///
    /// # Errors
    /// The store could not be read.
    async fn cursor(&self, account: &Account) -> Result<Option<Cursor>, StoreFault>;

    /// Whether an event would come in, for platforms on which somebody waits for an answer even where we keep silent.
    /// Changes nothing.
    fn admits(&self, inbound: &Inbound) -> bool;

    /// What a person could put behind a command where they are typing it: the values that hold for their session, best
    /// match first. Nothing for those who may not use it. Changes nothing and reads little: it is called on every key.
    async fn suggest(&self, asked: &Asked) -> Vec<Suggestion>;
}

/// What became of a batch, as far as a platform has to do something about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// Events whose senders write too fast and have heard so: nothing more will be said of these.
    pub hushed: Vec<UpdateId>,
}

/// A command that a person is about to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Where.
    pub place: Place,
    /// Who.
    pub sender: Sender,
    /// The command's word, without a slash.
    pub command: String,
    /// What they have typed behind it so far.
    pub typed: String,
}

/// A value that could be put behind a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What people read.
    pub label: String,
    /// What is then typed.
    pub value: String,
}

/// How an account stands, for the log, `/status` and health.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountState {
    /// Not heard from yet.
    Starting,
    /// Receives events; the name is what people see.
    Listening {
        /// The bot's name on its platform.
        name: String,
    },
    /// Connected, and nothing has come in for longer than it should: what we send may still pass.
    Deaf {
        /// What is missing, for an operator.
        why: String,
    },
    /// In trouble and trying again.
    Retrying {
        /// What happened, for an operator.
        why: String,
    },
    /// Given up until an operator acts.
    Parked {
        /// What happened and what to do.
        why: String,
    },
}

/// One account of a channel, as it runs.
#[async_trait]
pub trait Channel: Send + Sync {
    /// Runs until `stop` is cancelled or the account parks, handing every event to `intake`. Passing trouble is handled
    /// inside; a parked account returns its fault, and nothing else in the daemon ends with it.
    ///
    /// # Errors
    /// The account can do nothing more until an operator acts; the words say what to do.
    async fn run(&self, intake: Arc<dyn Intake>, stop: CancellationToken) -> Result<(), Fault>;

    /// How it stands now.
    fn state(&self) -> AccountState;

    /// Its signs of life.
    fn pulse(&self) -> Pulse;
}

/// An account's signs of life, since it began to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pulse {
    /// When the platform last answered on the line that events come in by.
    pub heard: Option<Timestamp>,
    /// When the last event came in.
    pub event: Option<Timestamp>,
    /// How often a broken line was taken up again without a loss.
    pub resumes: u64,
}
