//! Commands that are called or typed, and what is pressed
//! (<https://docs.discord.com/developers/interactions/receiving-and-responding>).

use serde::{Deserialize, Deserializer};

use super::lenient::{each, id, lenient, maybe_id, number, scalar, text, texts};
use super::{Channel, Member, User};

/// Something that somebody waits for us to answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Interaction {
    #[serde(deserialize_with = "id")]
    pub(crate) id: u64,
    #[serde(deserialize_with = "id")]
    pub(crate) application_id: u64,
    #[serde(default, rename = "type")]
    pub(crate) kind: InteractionKind,
    pub(crate) token: String,
    #[serde(default, deserialize_with = "maybe_id")]
    pub(crate) guild_id: Option<u64>,
    #[serde(default, deserialize_with = "maybe_id")]
    pub(crate) channel_id: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) channel: Option<Channel>,
    /// Who did it, in a guild.
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) member: Member,
    /// Who did it, elsewhere.
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) user: Option<User>,
    /// The message that something was pressed on.
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) message: Option<Pressed>,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) data: Called,
}

/// What somebody does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum InteractionKind {
    /// Calls a command.
    Command,
    /// Presses a button or chooses from a menu.
    Component,
    /// Is typing a command.
    Autocomplete,
    /// None of ours: a form, a ping, or something that is yet to come.
    #[default]
    Other,
}

impl<'de> Deserialize<'de> for InteractionKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match number(deserializer)? {
            Some(2) => Self::Command,
            Some(3) => Self::Component,
            Some(4) => Self::Autocomplete,
            _ => Self::Other,
        })
    }
}

/// What was called or pressed.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Called {
    /// The command.
    #[serde(default, deserialize_with = "text")]
    pub(crate) name: Option<String>,
    /// What was put behind it.
    #[serde(default, deserialize_with = "each")]
    pub(crate) options: Vec<Choice>,
    /// What we put behind the button or menu.
    #[serde(default, deserialize_with = "text")]
    pub(crate) custom_id: Option<String>,
    /// What was chosen from a menu.
    #[serde(default, deserialize_with = "texts")]
    pub(crate) values: Vec<String>,
}

/// One option of a command.
#[derive(Debug, Deserialize)]
pub(crate) struct Choice {
    pub(crate) name: String,
    #[serde(default, deserialize_with = "scalar")]
    pub(crate) value: Option<String>,
    /// Whether it is being typed.
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) focused: bool,
}

/// A message that something was pressed on.
#[derive(Debug, Deserialize)]
pub(crate) struct Pressed {
    #[serde(deserialize_with = "id")]
    pub(crate) id: u64,
    #[serde(default, deserialize_with = "number")]
    pub(crate) flags: Option<i64>,
}
