//! One message box: ids that only grow, messages as the bot sees them, and the drafts that hang below them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{draft::Drafts, markup, rich};

/// What a person would see of one message at this moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// `message_id`.
    pub id: i64,
    /// Who wrote it.
    pub from: i64,
    /// Written by a bot, ours or another.
    pub by_bot: bool,
    /// Text or caption; of a rich message what can be read in it.
    pub text: String,
    /// Entities of text or caption.
    pub entities: Vec<Value>,
    /// Labels of the inline buttons, in reading order.
    pub buttons: Vec<String>,
    /// Topic or reply thread.
    pub thread: Option<i64>,
    /// The message it answers.
    pub reply_to: Option<i64>,
    /// It was changed after it was sent.
    pub edited: bool,
    /// The message object as the Bot API gives it.
    pub raw: Value,
}

#[derive(Debug, Default)]
pub(crate) struct Conversation {
    last_id: i64,
    messages: BTreeMap<i64, Value>,
    pub(crate) drafts: Drafts,
}

impl Conversation {
    pub(crate) fn take_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    pub(crate) fn keep(&mut self, id: i64, message: Value) {
        self.last_id = self.last_id.max(id);
        self.messages.insert(id, message);
    }

    pub(crate) fn get(&self, id: i64) -> Option<&Value> {
        self.messages.get(&id)
    }

    pub(crate) fn change(&mut self, id: i64) -> Option<&mut Map<String, Value>> {
        self.messages.get_mut(&id).and_then(Value::as_object_mut)
    }

    pub(crate) fn delete(&mut self, id: i64) -> bool {
        self.messages.remove(&id).is_some()
    }

    pub(crate) fn seen(&self) -> impl Iterator<Item = Seen> + '_ {
        self.messages.values().map(see)
    }
}

/// Reads a message object back as a person would.
pub(crate) fn see(message: &Value) -> Seen {
    let int = |value: Option<&Value>| value.and_then(Value::as_i64);
    let text =
        message.get("text").or_else(|| message.get("caption")).and_then(Value::as_str).map(str::to_owned);
    let blocks = message.get("rich_message").and_then(|rich| rich.get("blocks")).and_then(Value::as_array);
    let text = text.or_else(|| blocks.map(|blocks| rich::lines(blocks)));
    let entities =
        message.get("entities").or_else(|| message.get("caption_entities")).and_then(Value::as_array);
    let from = message.get("from");
    Seen {
        id: int(message.get("message_id")).unwrap_or_default(),
        from: int(from.and_then(|from| from.get("id"))).unwrap_or_default(),
        by_bot: from.and_then(|from| from.get("is_bot")).and_then(Value::as_bool).unwrap_or_default(),
        text: text.unwrap_or_default(),
        entities: entities.cloned().unwrap_or_default(),
        buttons: message.get("reply_markup").map(markup::labels).unwrap_or_default(),
        thread: int(message.get("message_thread_id")),
        reply_to: int(message.get("reply_to_message").and_then(|reply| reply.get("message_id"))),
        edited: message.get("edit_date").is_some(),
        raw: message.clone(),
    }
}

/// A message without the message that it answers: replies are shown one level deep.
pub(crate) fn without_reply(message: &Value) -> Value {
    let mut message = message.clone();
    if let Some(fields) = message.as_object_mut() {
        fields.shift_remove("reply_to_message");
    }
    message
}
