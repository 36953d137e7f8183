//! Interactions: slash commands that people called and buttons that they pressed. Each is acknowledged in time, whatever the
//! engine does, and answered where only its person sees it.

use std::sync::Arc;

use async_trait::async_trait;
use pensive_contract::clock::Clock;
use pensive_contract::ids::{Account, MessageId};
use pensive_contract::intake::Suggestion;
use pensive_contract::media::Media;
use pensive_contract::outward::{Outcome, Presses};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::handle::Interaction;

/// What somebody did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Came {
    /// Called a slash command.
    Command,
    /// Pressed a button or chose from a menu.
    Press,
}

/// How the answer to a command went.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// It was tried here.
    Ended(Outcome<MessageId>),
    /// Discord takes no answer to this interaction any more; nothing was said. The answer belongs into the channel.
    Expired,
}

/// The interactions of one account that wait for something.
pub(crate) struct Desk {
    client: Client,
    clock: Arc<dyn Clock>,
    account: Account,
}

impl Desk {
    pub(crate) fn new(client: Client, clock: Arc<dyn Clock>, account: Account) -> Self {
        Self { client, clock, account }
    }

    /// Notes that an interaction came in: from now on it is acknowledged in time.
    pub(crate) fn arrived(&self, _interaction: &Interaction, _came: Came) {}

    /// Answers a command where its person alone sees it. `message` is a message's JSON object.
    pub(crate) async fn reply(
        &self,
        _to: &Interaction,
        _message: &impl Serialize,
        _file: Option<Media>,
    ) -> Reply {
        Reply::Expired
    }

    /// Changes a message that one person alone sees, once its interaction has been acknowledged.
    pub(crate) async fn edit(
        &self,
        _through: &Interaction,
        _message: u64,
        _body: &impl Serialize,
    ) -> Outcome<MessageId> {
        Outcome::Unchanged
    }

    /// Tells somebody whose command does not come in.
    pub(crate) async fn refuse(&self, _interaction: &Interaction, _words: &str) -> Outcome<()> {
        Outcome::Unchanged
    }

    /// Offers values behind a command that is being typed.
    pub(crate) async fn suggest(&self, _interaction: &Interaction, _values: &[Suggestion]) -> Outcome<()> {
        Outcome::Unchanged
    }

    /// Acknowledges what the engine has not answered in time, until `stop`.
    pub(crate) async fn watch(&self, stop: &CancellationToken) {
        stop.cancelled().await;
    }
}

#[async_trait]
impl Presses for Desk {
    async fn answer(&self, _query: &str, _text: Option<&str>) -> Outcome<()> {
        Outcome::Unchanged
    }
}
