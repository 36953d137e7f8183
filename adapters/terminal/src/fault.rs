//! What can go wrong between a client and the daemon on this machine.

use std::io;
use std::path::PathBuf;

use crate::wire::Code;

/// Why the socket could not be opened, or a client could not go on.
#[derive(Debug, thiserror::Error)]
pub enum TerminalFault {
    /// A daemon of this home is there already.
    #[error("another pensive already listens at {0}")]
    Busy(PathBuf),
    /// The place of the socket is taken by something that we must not remove.
    #[error("{0} is in the way: it is no socket; move it and start again")]
    NotASocket(PathBuf),
    /// The path does not fit into a socket address.
    #[error("the path of the socket is too long for this system: {0}; choose a shorter --home")]
    PathTooLong(PathBuf),
    /// Nobody listens.
    #[error("no daemon listens at {0}")]
    NoDaemon(PathBuf),
    /// The daemon said no.
    #[error("{text}")]
    Refused {
        /// What kind of no.
        code: Code,
        /// Its words.
        text: String,
    },
    /// The far side closed the connection.
    #[error("the daemon closed the connection")]
    Closed,
    /// The far side does not speak this protocol.
    #[error("the far side of the socket sends no protocol of ours: {0}")]
    Garbled(String),
    /// The system said no.
    #[error("{at}: {cause}")]
    Io {
        /// What was being done, and to what.
        at: String,
        /// The system's answer.
        cause: io::Error,
    },
    /// The line editor could not go on.
    #[error("the line editor failed: {0}")]
    Editor(String),
}

impl TerminalFault {
    /// Names what was being done when the system said no.
    pub(crate) fn io(at: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let at = at.into();
        move |cause| Self::Io { at, cause }
    }
}
