//! What a client may ask of the daemon besides talking to the bot.

use async_trait::async_trait;
use pensive_contract::fault::Fault;
use pensive_contract::ids::MessageId;

use crate::wire::{Push, Status};

/// Answers the verbs of the command line. The daemon implements it; at most one call for each connection at a time.
#[async_trait]
pub trait Desk: Send + Sync {
    /// How the daemon stands now. Must not wait for the outside.
    async fn status(&self) -> Status;

    /// Sends a message into a chat of any channel and waits until the platform took it.
    ///
    /// # Errors
    /// [`TellPerson`](pensive_contract::fault::FaultClass::TellPerson) when the request itself is wrong, the classes of
    /// passing trouble when the platform was not reached, [`OursToMend`](pensive_contract::fault::FaultClass::OursToMend)
    /// when it refused.
    async fn send(&self, push: Push) -> Result<Vec<MessageId>, Fault>;
}
