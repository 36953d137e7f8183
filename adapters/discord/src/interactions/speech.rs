//! What is said to an interaction, as Discord's JSON, and what it says back.

use pensive_contract::intake::Suggestion;
use pensive_contract::outward::Body;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use serenity::model::id::MessageId;

use crate::commands::{LONGEST_CHOICE, MOST_CHOICES};
use crate::render::render;

/// `EPHEMERAL`: one person alone sees it
/// (<https://docs.discord.com/developers/resources/message#message-object-message-flags>).
const PRIVATE: u64 = 1 << 6;

/// The first answer to an interaction
/// (<https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-interaction-callback-type>).
pub(super) enum Callback {
    /// A message for one person.
    Message(Map<String, Value>),
    /// A message for one person will follow, and they see that it will.
    MessageFollows,
    /// Nothing need follow.
    Heard,
    /// The message below which they pressed changes.
    Changed(Map<String, Value>),
    /// Values for what they are typing.
    Choices(Vec<Value>),
}

impl Callback {
    pub(super) fn json(self) -> Vec<u8> {
        let whole = match self {
            Self::Message(message) => json!({"type": 4, "data": private(message)}),
            Self::MessageFollows => json!({"type": 5, "data": {"flags": PRIVATE}}),
            Self::Heard => json!({"type": 6}),
            Self::Changed(message) => json!({"type": 7, "data": message}),
            Self::Choices(choices) => json!({"type": 8, "data": {"choices": choices}}),
        };
        bytes(&whole)
    }
}

/// A message as only one person sees it, whatever its other flags are.
pub(super) fn private(mut message: Map<String, Value>) -> Value {
    let flags = message.get("flags").and_then(Value::as_u64).unwrap_or(0);
    message.insert("flags".to_owned(), (flags | PRIVATE).into());
    Value::Object(message)
}

/// Our own words as a message, letter for letter. Nobody is pinged.
pub(super) fn words(text: &str) -> Map<String, Value> {
    let content = render(&Body::Plain(text.to_owned())).into_iter().next().map(|part| part.text);
    let content = content.unwrap_or_default();
    match json!({"content": content, "allowed_mentions": {"parse": []}}) {
        Value::Object(message) => message,
        _ => Map::new(),
    }
}

/// A message of any shape as JSON; nothing where it is no object.
pub(super) fn object(message: &impl Serialize) -> Option<Map<String, Value>> {
    match serde_json::to_value(message).ok()? {
        Value::Object(message) => Some(message),
        _ => None,
    }
}

/// Values that Discord takes; one that is too long to be typed is left out.
pub(super) fn choices(suggestions: &[Suggestion]) -> Vec<Value> {
    let fits = |suggestion: &&Suggestion| (1..=LONGEST_CHOICE).contains(&suggestion.value.chars().count());
    let choice = |suggestion: &Suggestion| {
        let label = if suggestion.label.is_empty() { &suggestion.value } else { &suggestion.label };
        let name: String = label.chars().take(LONGEST_CHOICE).collect();
        json!({"name": name, "value": suggestion.value})
    };
    suggestions.iter().filter(fits).take(MOST_CHOICES).map(choice).collect()
}

pub(super) fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

/// What comes back for a first answer, where Discord tells.
#[derive(Deserialize)]
pub(super) struct Said {
    interaction: SaidTo,
}

#[derive(Deserialize)]
struct SaidTo {
    response_message_id: Option<MessageId>,
}

impl Said {
    /// The message that was made.
    pub(super) fn message(&self) -> Option<u64> {
        self.interaction.response_message_id.map(MessageId::get)
    }
}

/// A message as it stands now.
#[derive(Deserialize)]
pub(super) struct Standing {
    id: MessageId,
}

impl Standing {
    pub(super) fn id(&self) -> u64 {
        self.id.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_for_one_person_whatever_else_it_is() {
        let check = |message: Value, expected: Value| {
            let Value::Object(message) = message else { panic!() };
            assert_eq!(private(message), expected);
        };
        check(json!({"content": "x"}), json!({"content": "x", "flags": 64}));
        check(json!({"content": "x", "flags": 4}), json!({"content": "x", "flags": 68}));
        check(json!({"flags": null}), json!({"flags": 64}));
    }

    #[test]
    fn choices_keep_to_the_limits() {
        let suggestion = |label: &str, value: &str| Suggestion { label: label.into(), value: value.into() };
        let long = "x".repeat(101);
        let given =
            [suggestion("high", "high"), suggestion("a", &long), suggestion(&long, "b"), suggestion("", "c")];
        let expected = [
            json!({"name": "high", "value": "high"}),
            json!({"name": "x".repeat(100), "value": "b"}),
            json!({"name": "c", "value": "c"}),
        ];
        assert_eq!(choices(&given), expected);
        assert_eq!(choices(&vec![suggestion("a", "a"); 40]).len(), 25);
    }
}
