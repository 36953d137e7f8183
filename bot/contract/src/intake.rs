//! The port between a channel and the engine: events in, durably, before the platform hears that they were received.

use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::fault::Fault;
use crate::ids::Account;
use crate::inbound::Inbound;
use crate::store::{Cursor, StoreFault};

/// Takes events from channels; the engine implements it.
#[async_trait]
pub trait Intake: Send + Sync {
    /// Called by an account for each batch, in the platform's order. Returns when every admitted event is on disk, and
    /// `cursor` with them; only then may the platform be told that they were received. Events seen before are dropped.
    ///
    /// # Errors
    /// The store could not keep them: tell the platform nothing and offer the same batch again later.
    async fn take(&self, batch: Vec<Inbound>, cursor: Option<Cursor>) -> Result<(), StoreFault>;

    /// What the account stored with its last batch, so that it can go on from there.
    ///
    /// # Errors
    /// The store could not be read.
    async fn cursor(&self, account: &Account) -> Result<Option<Cursor>, StoreFault>;
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
}
