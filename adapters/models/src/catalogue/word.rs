//! The word that carries a level to a provider: a word proper, a number of tokens, a switch, or nothing at all.

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;

/// What stands for a level on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) enum Word {
    /// Nothing is sent: what the provider does by itself is this level.
    Silent,
    /// The provider's own word.
    Said(String),
    /// A budget in tokens; -1 lets the provider decide.
    Tokens(i64),
    /// Thinking, without saying how much.
    On,
    /// No thinking, said expressly.
    Off,
}

impl Word {
    /// The word proper, where it is one.
    pub(crate) fn said(&self) -> Option<&str> {
        match self {
            Self::Said(word) => Some(word),
            Self::Silent | Self::Tokens(_) | Self::On | Self::Off => None,
        }
    }
}

impl TryFrom<Value> for Word {
    type Error = serde_json::Error;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        match value {
            Value::Null => Ok(Self::Silent),
            Value::Bool(true) => Ok(Self::On),
            Value::Bool(false) => Ok(Self::Off),
            Value::String(word) => Ok(Self::Said(word)),
            Value::Number(number) => number
                .as_i64()
                .map(Self::Tokens)
                .ok_or_else(|| serde_json::Error::custom("a budget is a whole number")),
            Value::Array(_) | Value::Object(_) => Err(serde_json::Error::custom("no word for a level")),
        }
    }
}

/// A level of a row: its word, and what people call it where that is not its name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) struct Spoken {
    pub(crate) word: Word,
    pub(crate) label: Option<String>,
}

impl TryFrom<Value> for Spoken {
    type Error = serde_json::Error;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Labelled {
            word: Word,
            label: String,
        }
        match value {
            Value::Object(_) => {
                let Labelled { word, label } = serde_json::from_value(value)?;
                Ok(Self { word, label: Some(label) })
            }
            plain => Ok(Self { word: Word::try_from(plain)?, label: None }),
        }
    }
}
