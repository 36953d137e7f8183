//! Interactions: a command that somebody called, a button that they pressed, values that they are typing.

use serde_json::Value;

/// Without a first word in this time Discord gives up, in milliseconds.
pub(crate) const FIRST_WORD: i64 = 3_000;
/// A token is good for so long, in milliseconds.
pub(crate) const TOKEN_LASTS: i64 = 15 * 60 * 1_000;

/// How far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Nobody has said a word.
    Open,
    /// "… is thinking" stands there, which the first answer takes the place of.
    Thinking(u64),
    /// The press was seen; the message that was pressed stays what it is.
    Seen,
    /// The answer stands.
    Answered(u64),
    /// Values were offered.
    Offered,
}

#[derive(Clone, Debug)]
pub(crate) struct Interaction {
    pub(crate) id: u64,
    pub(crate) token: String,
    pub(crate) bot: u64,
    /// `InteractionType`.
    pub(crate) kind: u8,
    pub(crate) user: u64,
    pub(crate) channel: u64,
    pub(crate) created: i64,
    /// The command's name.
    pub(crate) name: String,
    /// The message whose button was pressed.
    pub(crate) pressed: Option<u64>,
    pub(crate) state: State,
    /// What was offered to somebody typing.
    pub(crate) choices: Option<Value>,
    /// When the first word came.
    pub(crate) heard: Option<i64>,
}

impl Interaction {
    /// Its token may still be used for further answers.
    pub(crate) fn is_alive(&self, now: i64) -> bool {
        now - self.created < TOKEN_LASTS
    }

    /// What `@original` is.
    pub(crate) fn original(&self) -> Option<u64> {
        match self.state {
            State::Thinking(id) | State::Answered(id) => Some(id),
            State::Seen => self.pressed,
            State::Open | State::Offered => None,
        }
    }
}
