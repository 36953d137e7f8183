//! The ways in which a call fails, each with its own name.

use std::time::Duration;

/// How a call failed. No variant's words hold a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallFault {
    /// No connection: nothing was sent.
    #[error("Discord cannot be reached: {0}")]
    Unreached(String),
    /// It was not sent: a limit that Discord told has no room for so long.
    #[error("Discord takes no more such calls for {} ms", .0.as_millis())]
    Limited(Duration),
    /// The server answered no, in its own format.
    #[error("Discord answered {} {}: {}", .0.status, .0.code, .0.message)]
    Refused(Refused),
    /// The limit passed; the call may have had its effect.
    #[error("Discord gave no answer within {} s", .0.as_secs())]
    Overdue(Duration),
    /// The connection broke or what came back is no answer of Discord's; the call may have had its effect.
    #[error("Discord's answer was lost: {0}")]
    Lost(String),
}

/// What the server said with its no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The HTTP status.
    pub(crate) status: u16,
    /// Discord's own number of the error; 0 where it gave none.
    pub(crate) code: u64,
    /// Its words, with the faults of single fields.
    pub(crate) message: String,
    /// How long a 429 asks for silence.
    pub(crate) retry_after: Option<Duration>,
}

/// Why a client cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ClientFault {
    /// The address of the server is no address.
    #[error("apiRoot {0:?} is not a web address; write it like https://discord.com")]
    Root(String),
    /// TLS or the resolver could not be set up.
    #[error("the HTTP client cannot be set up: {0}")]
    Setup(String),
}
