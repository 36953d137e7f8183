//! The protocol on the socket: one JSON object a line, requests one way and events the other.
//!
//! ```text
//! → {"do":"hello","v":1,"user":"ann"}              the first line of every connection
//! ← {"is":"welcome","v":1,"version":"0.1.0"}
//! → {"do":"say","id":"a1","text":"/think high why?"}
//! ← {"is":"taken","answers":"a1"}                  on disk: a crash does not lose it
//! ← {"is":"typing"}
//! ← {"is":"preview","stream":7,"answers":"a1","thinking":{"whole":"The person asks"}}
//! ← {"is":"preview","stream":7,"answers":"a1","text":{"whole":"Bec"}}
//! ← {"is":"preview","stream":7,"answers":"a1","text":{"more":"ause"}}
//! ← {"is":"message","id":"t9-2","answers":"a1","kind":"text","text":"Because.","last":true}
//! ```
//!
//! * `id` is the client's own name for a request: 1 to 64 characters, never used twice by the same user. Saying the same
//!   `id` again is the same message, so a client may repeat what it could not see confirmed.
//! * `answers` names the request that an event belongs to; it is absent where nobody asked.
//! * `last` ends what answers a request. Every open connection of a user sees every message of that user.
//! * A `preview` shows an answer in the making: `whole` stands in the place of what was sent before, `more` comes behind it.
//!   It is left out for a client that is behind, and what is new comes with the next one. The answer itself is a `message`.
//! * Behind a `message` of kind `text` the next preview is `whole`: what it begins with may be what that message said.
//! * A line is at most [`MAX_LINE`] bytes. What cannot be read is answered with an `error` and the connection goes on.
//! * Unknown fields are ignored on both sides; an unknown `do` or another `v` is an `error`.
//! * A client that closes its writing half has left. One that does not read is closed by the daemon.

mod preview;

use pensive_contract::outward::Button;
use serde::{Deserialize, Serialize};

pub use self::preview::{Preview, Stretch};

/// The version that both sides must speak.
pub const VERSION: u32 = 1;

/// The longest line, in bytes, without its line break.
pub const MAX_LINE: usize = 8 * 1024 * 1024;

/// The longest `id` and the longest user name, in characters.
pub(crate) const MAX_NAME: usize = 64;

/// What a client asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    /// Says who is there. Comes first, once.
    Hello {
        /// The protocol's version.
        v: u32,
        /// Whose conversation this is.
        user: String,
    },
    /// A message to the bot.
    Say {
        /// The client's name for it.
        id: String,
        /// What was typed.
        text: String,
    },
    /// Stops the run, as `/stop` does.
    Stop {
        /// The client's name for it.
        id: String,
    },
    /// Presses a button.
    Press {
        /// The client's name for it.
        id: String,
        /// The message with the button.
        message: String,
        /// What the button carries.
        data: String,
    },
    /// Asks how the daemon stands.
    Status {
        /// The client's name for it.
        id: String,
    },
    /// Sends a message into any chat.
    Send {
        /// The client's name for it.
        id: String,
        /// What and where to.
        #[serde(flatten)]
        push: Push,
    },
}

/// A message that an operator pushes into a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Push {
    /// The channel, as the configuration names it.
    pub channel: String,
    /// The account of it; absent when there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The chat.
    pub to: String,
    /// The topic or thread in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The message.
    pub text: String,
    /// How the message is to be read.
    #[serde(default)]
    pub format: Format,
}

/// How the text of a push is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// As Markdown.
    #[default]
    Markdown,
    /// Letter for letter.
    Plain,
}

/// What the daemon tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Event {
    /// Answers `hello`.
    Welcome {
        /// The protocol's version.
        v: u32,
        /// The daemon's version.
        version: String,
    },
    /// The request is on disk.
    Taken {
        /// Which one.
        answers: String,
    },
    /// Something to show.
    Message(Message),
    /// An answer is being made.
    Typing,
    /// How far it is.
    Preview(Preview),
    /// A button took effect, or did not.
    Pressed {
        /// Which press.
        answers: String,
        /// Something to say about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Answers `status`.
    Status {
        /// Which request.
        answers: String,
        /// How it stands.
        #[serde(flatten)]
        status: Status,
    },
    /// Answers `send`: it landed.
    Sent {
        /// Which request.
        answers: String,
        /// The platform's ids of what landed.
        messages: Vec<String>,
    },
    /// A request failed.
    Error {
        /// Which one, where that could be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answers: Option<String>,
        /// What kind of failure.
        code: Code,
        /// What happened, for a person.
        text: String,
    },
}

/// A message of the bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its id.
    pub id: String,
    /// Which request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
    /// What it is.
    pub kind: MessageKind,
    /// Markdown, as it was written.
    pub text: String,
    /// What can be pressed under it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buttons: Vec<Choice>,
    /// Whether it ends what answers the request.
    #[serde(default)]
    pub last: bool,
}

/// What a message of the bot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// What a model said to the person.
    Text,
    /// Our own words: a tool call, a question, what became of a directive, a trace.
    Notice,
    /// Why the run came to nothing.
    Failure,
    /// What the model thought before it answered.
    Thinking,
}

/// A button under a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What it says.
    pub label: String,
    /// What `press` carries back.
    pub data: String,
}

impl From<Button> for Choice {
    fn from(button: Button) -> Self {
        Self { label: button.label, data: button.data }
    }
}

/// How the daemon stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Status {
    /// Its version.
    pub version: String,
    /// The process.
    pub pid: u32,
    /// For how long it has been running.
    pub uptime_seconds: u64,
    /// The default agent's model.
    pub model: String,
    /// Where the state is kept.
    pub store: String,
    /// Conversations in the store.
    pub sessions: u64,
    /// Of these, with something going on, or lately.
    pub lanes: u64,
    /// Runs at work.
    pub runs: u64,
    /// Every account and how it stands.
    pub accounts: Vec<AccountLine>,
}

/// One account in [`Status`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountLine {
    /// `channel/account`.
    pub account: String,
    /// How it stands.
    pub state: AccountWord,
    /// The bot's name, or what is wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// How long ago the platform last answered on the line that events come in by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard_seconds_ago: Option<u64>,
    /// How long ago the last event came in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_seconds_ago: Option<u64>,
    /// How often a broken line was taken up again without a loss.
    #[serde(default)]
    pub resumes: u64,
}

/// How an account stands, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountWord {
    /// Not heard from yet.
    Starting,
    /// Receives events.
    Listening,
    /// Connected, and hears nothing.
    Deaf,
    /// In trouble and trying again.
    Retrying,
    /// Given up until an operator acts.
    Parked,
}

/// What kind of failure an `error` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The line is no request.
    BadRequest,
    /// The line is too long; it was skipped.
    TooLong,
    /// Another version of the protocol is spoken here.
    Version,
    /// The store could not keep the message: say it again later.
    NotKept,
    /// What was asked for does not exist here.
    Unknown,
    /// The far platform refused the message.
    Refused,
    /// The far platform was not reached.
    Unreachable,
    /// The daemon has no room for another connection.
    Full,
}

impl Event {
    /// The event as a line, with its line break.
    pub(crate) fn line(&self) -> String {
        as_line(self)
    }
}

impl Request {
    /// The request as a line, with its line break.
    pub(crate) fn line(&self) -> String {
        as_line(self)
    }

    /// The client's name for it.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Hello { .. } => None,
            Self::Say { id, .. }
            | Self::Stop { id }
            | Self::Press { id, .. }
            | Self::Status { id }
            | Self::Send { id, .. } => Some(id),
        }
    }
}

fn as_line(value: &impl Serialize) -> String {
    // Plain structs of strings and numbers always serialise; an empty line is skipped by any reader.
    let mut line = serde_json::to_string(value).unwrap_or_default();
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &Request) {
        let read: Request = serde_json::from_str(line).unwrap();
        assert_eq!(&read, expected, "{line}");
        assert_eq!(&serde_json::from_str::<Request>(&expected.line()).unwrap(), expected, "{line}");
    }

    #[test]
    fn requests_read_as_documented_and_ignore_unknown_fields() {
        check(
            r#"{"do":"hello","v":1,"user":"ann","colour":"red"}"#,
            &Request::Hello { v: 1, user: "ann".into() },
        );
        check(r#"{"do":"say","id":"a1","text":"hi"}"#, &Request::Say { id: "a1".into(), text: "hi".into() });
        check(r#"{"do":"stop","id":"a2"}"#, &Request::Stop { id: "a2".into() });
        check(
            r#"{"do":"send","id":"a3","channel":"telegram","to":"1111","text":"done"}"#,
            &Request::Send {
                id: "a3".into(),
                push: Push {
                    channel: "telegram".into(),
                    account: None,
                    to: "1111".into(),
                    topic: None,
                    text: "done".into(),
                    format: Format::Markdown,
                },
            },
        );
    }

    #[test]
    fn what_is_no_request_is_an_error_and_no_panic() {
        for line in [
            "",
            "null",
            "[]",
            "{}",
            r#"{"do":"dance","id":"1"}"#,
            r#"{"do":"say"}"#,
            r#"{"do":7}"#,
            r#"{"do":"say","id":"1","text":"\ud800"}"#,
            "{\"do\":\"say\",\"id\":\"1\",\"text\":\"\u{0}\"}",
        ] {
            assert!(serde_json::from_str::<Request>(line).is_err(), "{line:?}");
        }
    }

    #[test]
    fn a_message_leaves_out_what_it_has_not() {
        let message = Message {
            id: "t1".into(),
            answers: None,
            kind: MessageKind::Text,
            text: "two\nlines".into(),
            buttons: Vec::new(),
            last: true,
        };
        assert_eq!(
            Event::Message(message).line(),
            "{\"is\":\"message\",\"id\":\"t1\",\"kind\":\"text\",\"text\":\"two\\nlines\",\"last\":true}\n"
        );
    }
}
