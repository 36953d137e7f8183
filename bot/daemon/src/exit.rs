//! How a verb can end badly, and the exit code that says so.

use std::io;
use std::process::ExitCode;

use pensive_config::{ConfigFaults, UnknownKey};
use pensive_terminal::TerminalFault;

use crate::house::StartFault;
use crate::verbs::tell;

/// Why a verb was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Something in the configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigFaults),
    /// A key that there is not.
    #[error(transparent)]
    Key(#[from] UnknownKey),
    /// The command line asks for what makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The house could not be started.
    #[error(transparent)]
    Start(#[from] StartFault),
    /// A conversation with the daemon failed.
    #[error(transparent)]
    Terminal(#[from] TerminalFault),
    /// Nobody answered.
    #[error("{0}")]
    Unreachable(String),
    /// It was tried and did not work.
    #[error("{0}")]
    Failed(String),
    /// The result could not be written out.
    #[error("the output could not be written: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// 0 done, 1 failed, 2 wrong use or configuration, 3 not reachable.
    fn code(&self) -> u8 {
        match self {
            Self::Config(_) | Self::Key(_) | Self::Usage(_) => 2,
            Self::Unreachable(_) => 3,
            Self::Terminal(fault) if fault.is_unreachable() => 3,
            Self::Start(_) | Self::Terminal(_) | Self::Failed(_) | Self::Output(_) => 1,
        }
    }
}

/// Tells the failure on standard error and gives the exit code. A reader that went away early is no failure.
pub(crate) fn code_of(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Output(cause)) if cause.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            match &failure {
                // As `file:line:column:`, so that editors find the place.
                Failure::Config(faults) => tell(&faults.to_string()),
                other => tell(&format!("pensive: {other}")),
            }
            ExitCode::from(failure.code())
        }
    }
}
