//! What a house is built from, how much of it, and why it may not stand.

use std::sync::Arc;

use pensive_config::Config;
use pensive_contract::clock::Clock;
use pensive_contract::ids::Account;
use pensive_contract::outward::Pace;
use pensive_contract::store::StoreFault;
use pensive_contract::tool::Toolshed;
use pensive_models::ModelsError;
use pensive_storage::OpenFault;
use pensive_terminal::TerminalFault;

/// What a house is built from.
#[derive(Clone)]
pub struct Plan {
    /// The settings.
    pub config: Config,
    /// Time, for every room.
    pub clock: Arc<dyn Clock>,
    /// How much of the product is started.
    pub reach: Reach,
    /// The local login: an owner of this installation.
    pub user: String,
    /// Tools that come from elsewhere than the configuration.
    pub toolshed: Option<Arc<dyn Toolshed>>,
    /// How many messages chats take, in place of what their channels say.
    pub pace: Option<Pace>,
}

/// How much of the product is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Everything, going on where the last life ended.
    Everything,
    /// Only the terminal. What the last life left to other channels stays as it is.
    Terminal,
    /// Nothing that takes messages in; only this account can be sent through.
    Outgoing(Account),
}

impl Plan {
    /// The whole product.
    #[must_use]
    pub fn new(config: Config, clock: Arc<dyn Clock>) -> Self {
        Self { config, clock, reach: Reach::Everything, user: "local".to_owned(), toolshed: None, pace: None }
    }

    /// Only a part of it.
    #[must_use]
    pub fn reaching(self, reach: Reach) -> Self {
        Self { reach, ..self }
    }
}

/// Why nothing could be started.
#[derive(Debug, thiserror::Error)]
pub enum StartFault {
    /// The store cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenFault),
    /// What the last life left cannot be read.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// The models cannot be served.
    #[error(transparent)]
    Models(#[from] ModelsError),
    /// Another daemon has this home.
    #[error(transparent)]
    Terminal(#[from] TerminalFault),
    /// There is no such account to send through.
    #[error("{0}")]
    NoAccount(String),
    /// The start was broken off.
    #[error("the start was broken off")]
    Cut,
    /// A folder could not be made.
    #[error("the folder {path} cannot be made: {cause}; choose another with --home or storage.path")]
    Folder {
        /// Which one.
        path: String,
        /// The system's answer.
        cause: std::io::Error,
    },
}
