//! What can go wrong in a call, with what to do about it and the words for both readers.

use std::time::Duration;

use pensive_contract::fault::{Fault, FaultClass};

use crate::refusal::Refusal;
use crate::settings::Api;

/// How a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The configuration has no such provider.
    #[error("no provider is called {0:?}")]
    UnknownProvider(String),
    /// The provider's shape is known but not spoken yet.
    #[error("provider {provider} speaks {}, which this version cannot yet", api.name())]
    Unspoken { provider: String, api: Api },
    /// No connection, or it broke before an answer.
    #[error("not reached: {0}")]
    Unreachable(String),
    /// Connected and sent, and no byte came back in time.
    #[error("no answer within {0:?}")]
    Late(Duration),
    /// The answer began and then nothing more came.
    #[error("silent for {0:?} in the middle of an answer")]
    Stalled(Duration),
    /// The answer ended before its end.
    #[error("the answer ended before its end: {0}")]
    Cut(String),
    /// What came is not what the shape says.
    #[error("broken answer: {0}")]
    Broken(String),
    /// The provider said no, before or in the middle of an answer.
    #[error("{0}")]
    Refused(Box<Refusal>),
}

impl Trouble {
    fn class(&self) -> FaultClass {
        match self {
            Self::UnknownProvider(_) => FaultClass::TellPerson,
            Self::Unspoken { .. } => FaultClass::OursToMend,
            Self::Unreachable(_) | Self::Late(_) | Self::Stalled(_) | Self::Cut(_) | Self::Broken(_) => {
                FaultClass::Again
            }
            Self::Refused(refusal) => refusal.class(),
        }
    }

    fn person(&self) -> String {
        match self {
            Self::UnknownProvider(name) => {
                let name: String = name.chars().take(40).collect();
                format!("There is no model provider called {name}. Send /model to pick another model.")
            }
            Self::Unspoken { provider, api } => {
                format!(
                    "Provider {provider} speaks {}, which this version cannot yet. Send /model to pick another model.",
                    api.name()
                )
            }
            Self::Unreachable(_) => {
                "The model provider is out of reach. Please try again in a moment.".to_owned()
            }
            Self::Late(_) => {
                "The model provider did not answer in time. Please try again in a moment.".to_owned()
            }
            Self::Stalled(_) => {
                "The model stopped in the middle of its answer. Please try again in a moment.".to_owned()
            }
            Self::Cut(_) => {
                "The model's answer was cut off on its way. Please try again in a moment.".to_owned()
            }
            Self::Broken(_) => "The model's answer arrived damaged. Please try again in a moment.".to_owned(),
            Self::Refused(refusal) => refusal.person().to_owned(),
        }
    }

    /// The fault for the engine. `provider` is named in the log.
    pub(crate) fn fault(&self, provider: &str) -> Fault {
        Fault { class: self.class(), person: self.person(), log: format!("{provider}: {self}") }
    }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}
