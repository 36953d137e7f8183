//! Why a call came to nothing. `Display` is for the model: what went wrong and what it could do instead, in paths of the
//! workspace only. The cause goes to the log.

use std::io;

use pensive_contract::tool::ToolFault;

/// What goes wrong in this room.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("The arguments do not fit: {0}. Call again with a JSON object that fits the tool's schema.")]
    Arguments(String),
    /// A path, a command or a time that is not taken. The words say what is.
    #[error("{0}")]
    Refused(String),
    /// The command should be confined and cannot be; why is for the log.
    #[error(
        "This machine cannot confine commands, so this one did not run. The bot's owner can allow it outside of the sandbox."
    )]
    NoSandbox(String),
    /// The system said no, or failed.
    #[error("{what}: {}", words(.cause))]
    System { what: String, cause: io::Error },
}

impl Trouble {
    pub(crate) fn system(what: impl Into<String>, cause: impl Into<io::Error>) -> Self {
        Self::System { what: what.into(), cause: cause.into() }
    }
}

/// The cause in words without a path, an address or a number of the system.
fn words(cause: &io::Error) -> String {
    match cause.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full".to_owned(),
        io::ErrorKind::NotADirectory => "a part of the path is not a folder".to_owned(),
        io::ErrorKind::InvalidFilename => "the name is too long".to_owned(),
        kind => kind.to_string(),
    }
}

impl From<Trouble> for ToolFault {
    fn from(trouble: Trouble) -> Self {
        let log = match &trouble {
            Trouble::Arguments(_) => "arguments do not fit".to_owned(),
            Trouble::Refused(_) => "refused".to_owned(),
            Trouble::NoSandbox(why) => format!("no sandbox: {why}"),
            Trouble::System { cause, .. } => cause.to_string(),
        };
        ToolFault { model: trouble.to_string(), log }
    }
}
