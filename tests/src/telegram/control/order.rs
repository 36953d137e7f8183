//! The orders and their JSON.

use serde::Deserialize;
use serde_json::{Map, Value};

/// Everything that can be ordered. `chat` and `topic` stand for the place of a person's act, the private chat with the first bot when
/// absent.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// Tokens, ids and names of the bots.
    Bots,
    /// One more bot.
    AddBot {
        /// Without the `@`.
        username: String,
    },
    /// A person; one with this id or name that exists is given back.
    User {
        /// First name.
        name: String,
        /// User id.
        id: Option<i64>,
    },
    /// A group, supergroup, forum or channel.
    Room {
        /// `group`, `supergroup`, `forum` or `channel`.
        kind: String,
        /// Title.
        title: String,
        /// User ids.
        #[serde(default)]
        members: Vec<i64>,
    },
    /// Opens a forum topic.
    Topic {
        /// The forum.
        chat: i64,
        /// Who opens it.
        by: i64,
        /// Its name.
        name: String,
    },
    /// Deletes a forum topic.
    DeleteTopic {
        /// The forum.
        chat: i64,
        /// Its id.
        topic: i64,
    },
    /// Writes a message.
    Say(Say),
    /// Changes a message of one's own.
    Edit {
        /// User id.
        from: i64,
        /// Where it stands.
        chat: Option<i64>,
        /// Which.
        message_id: i64,
        /// The new text or caption.
        text: String,
    },
    /// Presses the newest button with this label.
    Press {
        /// User id.
        from: i64,
        /// Where it stands.
        chat: Option<i64>,
        /// All or part of its label.
        label: String,
    },
    /// What the bot answered to a press; null before it did.
    PressAnswer {
        /// As `press` gave it.
        id: String,
    },
    /// Presses Stop below a draft.
    StopDraft {
        /// User id.
        from: i64,
    },
    /// Lacks methods as an older server does.
    TurnOff {
        /// Their names; none for having all again.
        methods: Vec<String>,
    },
    /// Holds bots to Telegram's limits in each chat.
    Limit,
    /// Turns a chat silent for the first bot as after a flood.
    Silence {
        /// Which.
        chat: i64,
        /// For how long.
        seconds: u64,
    },
    /// Paths of the files that were downloaded.
    Downloads,
    /// Blocks the first bot.
    Block {
        /// User id.
        user: i64,
    },
    /// Undoes `block`.
    Unblock {
        /// User id.
        user: i64,
    },
    /// Queues an update as it is.
    Update {
        /// The whole object; an absent `update_id` is filled in.
        update: Value,
    },
    /// Polls see nothing until `release`.
    Hold,
    /// See `hold`.
    Release,
    /// Turns the order of waiting updates round.
    Reverse,
    /// Sends an update again.
    Repeat {
        /// Its id.
        update_id: i64,
    },
    /// Numbers updates from here on.
    NextUpdateId {
        /// Any number, backwards too.
        id: i64,
    },
    /// Makes calls go wrong.
    Fault(FaultOrder),
    /// Takes all faults back.
    ClearFaults,
    /// Opens a gate that a fault holds calls at.
    OpenGate {
        /// As the fault named it.
        name: String,
    },
    /// Calls with numbers above `after`; waits for the first of them for up to `wait` seconds.
    Calls {
        /// Only this method.
        method: Option<String>,
        /// Only later ones.
        #[serde(default)]
        after: usize,
        /// Seconds.
        #[serde(default)]
        wait: f64,
    },
    /// What stands in a chat.
    Messages {
        /// Which.
        chat: i64,
    },
    /// The draft in a chat, or null.
    Draft {
        /// Which.
        chat: i64,
    },
    /// The first bot's menu.
    Commands {
        /// As the bot sent it.
        scope: Value,
    },
    /// What should not have been sent.
    Violations,
    /// Forgets calls and violations.
    Forget,
}

/// A message to write.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Say {
    pub(super) from: i64,
    pub(super) chat: Option<i64>,
    pub(super) topic: Option<i64>,
    /// User name of another bot, for its private chat.
    pub(super) bot: Option<String>,
    #[serde(default)]
    pub(super) text: String,
    /// `photo`, `voice` or `document`, with the text as its caption.
    pub(super) media: Option<String>,
    pub(super) reply_to: Option<i64>,
    /// Further fields of the message object.
    #[serde(default)]
    pub(super) fields: Map<String, Value>,
}

/// A fault in JSON.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultOrder {
    pub(super) method: Option<String>,
    pub(super) chat: Option<i64>,
    #[serde(default)]
    pub(super) skip: usize,
    /// 1 when absent, every call when 0.
    pub(super) times: Option<usize>,
    /// The call takes effect all the same.
    #[serde(default)]
    pub(super) after_commit: bool,
    pub(super) answer: AnswerOrder,
}

/// What the client gets: `"reset"`, `{"html": 502}`, `{"refuse": {"code": 500, "description": "…"}}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AnswerOrder {
    RetryAfter(u64),
    Refuse { code: u16, description: String },
    Conflict,
    Html(u16),
    BrokenJson,
    Reset,
    Truncated,
    Silence,
    Held(String),
    Delayed(u64),
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn orders_are_read_and_strange_ones_refused() {
        let check = |order: Value, good: bool| {
            let read = serde_json::from_value::<Order>(order.clone());
            assert_eq!(read.is_ok(), good, "{order}: {read:?}");
        };
        check(json!({"do": "say", "from": 1, "text": "a"}), true);
        check(json!({"do": "say", "from": 1, "txt": "a"}), false);
        check(json!({"do": "sing"}), false);
        check(json!({"do": "violations"}), true);
        check(json!({"do": "fault", "method": "sendMessage", "answer": {"retry_after": 3}}), true);
        check(json!({"do": "fault", "answer": "reset", "after_commit": true, "times": 0}), true);
        check(json!({"do": "fault", "answer": "shrug"}), false);
    }
}
