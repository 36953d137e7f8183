//! What Telegram sends, as far as we read it. Every field that we could do without is optional.
//!
//! The frame is ours and not teloxide's `Message`: that one is an untagged choice in which a single entity of a kind it
//! does not know turns a text into an empty message, and reading it costs several attempts.

use std::ops::RangeInclusive;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::repair::repaired;

/// The envelope of every answer. A no is a no however oddly the server writes what stands beside it: taken for no answer,
/// it would leave in doubt what has certainly not landed.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer<'a> {
    pub(crate) ok: Option<bool>,
    #[serde(default, borrow)]
    pub(crate) result: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "number")]
    pub(crate) error_code: Option<u16>,
    pub(crate) description: Option<String>,
    #[serde(default, deserialize_with = "or_nothing")]
    pub(crate) parameters: Parameters,
}

/// What an error says beside its words.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    #[serde(deserialize_with = "number")]
    pub(crate) retry_after: Option<u64>,
    #[serde(deserialize_with = "number")]
    pub(crate) migrate_to_chat_id: Option<i64>,
}

/// The answer to getMe.
#[derive(Debug, Deserialize)]
pub(crate) struct Me {
    pub(crate) username: String,
}

/// The answer to sendMessage: all we need of the message that now stands in the chat.
#[derive(Debug, Deserialize)]
pub(crate) struct Sent {
    pub(crate) message_id: i64,
}

/// The answer to getFile.
#[derive(Debug, Deserialize)]
pub(crate) struct Located {
    pub(crate) file_size: Option<u64>,
    pub(crate) file_path: Option<String>,
}

/// One event.
#[derive(Debug, Deserialize)]
pub(crate) struct Update {
    pub(crate) update_id: i64,
    pub(crate) message: Option<Box<Message>>,
    pub(crate) edited_message: Option<Box<Message>>,
    pub(crate) callback_query: Option<Box<CallbackQuery>>,
    pub(crate) stopped_message_generation: Option<Stopping>,
}

/// The number of an event whose content could not be read.
#[derive(Debug, Deserialize)]
pub(crate) struct UpdateNumber {
    pub(crate) update_id: i64,
}

/// A message. Service messages have none of the content fields.
#[derive(Debug, Deserialize)]
pub(crate) struct Message {
    pub(crate) message_id: i64,
    pub(crate) message_thread_id: Option<i64>,
    #[serde(default)]
    pub(crate) is_topic_message: bool,
    pub(crate) from: Option<User>,
    pub(crate) chat: Chat,
    #[serde(default)]
    pub(crate) date: i64,
    pub(crate) edit_date: Option<i64>,
    #[serde(default)]
    pub(crate) is_automatic_forward: bool,
    pub(crate) forward_origin: Option<IgnoredAny>,
    pub(crate) via_bot: Option<IgnoredAny>,
    pub(crate) reply_to_message: Option<Box<Replied>>,
    pub(crate) text: Option<String>,
    #[serde(default, deserialize_with = "those_that_read")]
    pub(crate) entities: Vec<Entity>,
    pub(crate) caption: Option<String>,
    #[serde(default, deserialize_with = "those_that_read")]
    pub(crate) caption_entities: Vec<Entity>,
    #[serde(default, deserialize_with = "those_that_read")]
    pub(crate) photo: Vec<File>,
    pub(crate) animation: Option<File>,
    pub(crate) audio: Option<File>,
    pub(crate) document: Option<File>,
    pub(crate) video: Option<File>,
    pub(crate) video_note: Option<File>,
    pub(crate) voice: Option<File>,
    pub(crate) sticker: Option<File>,
    /// What the messages of one album have in common.
    pub(crate) media_group_id: Option<String>,
    pub(crate) migrate_to_chat_id: Option<i64>,
}

/// The message that another one answers. Its text is another person's and is not read.
#[derive(Debug, Deserialize)]
pub(crate) struct Replied {
    pub(crate) message_id: i64,
    pub(crate) from: Option<User>,
    pub(crate) forum_topic_created: Option<IgnoredAny>,
}

/// A person or a bot.
#[derive(Debug, Deserialize)]
pub(crate) struct User {
    pub(crate) id: i64,
    #[serde(default)]
    pub(crate) is_bot: bool,
    #[serde(default)]
    pub(crate) first_name: String,
    pub(crate) last_name: Option<String>,
    pub(crate) username: Option<String>,
}

/// A chat.
#[derive(Debug, Deserialize)]
pub(crate) struct Chat {
    pub(crate) id: i64,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) is_forum: bool,
    /// The name of the person, in a private chat.
    #[serde(default)]
    pub(crate) first_name: String,
    pub(crate) last_name: Option<String>,
    pub(crate) username: Option<String>,
}

/// A stretch of a text with a meaning; counted in UTF-16 units, and not to be trusted.
#[derive(Debug, Deserialize)]
pub(crate) struct Entity {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) offset: i64,
    pub(crate) length: i64,
    pub(crate) user: Option<User>,
}

/// A file that can be fetched by its id.
#[derive(Debug, Deserialize)]
pub(crate) struct File {
    pub(crate) file_id: String,
    pub(crate) file_size: Option<u64>,
    pub(crate) file_name: Option<String>,
    /// What a piece of music is called.
    pub(crate) title: Option<String>,
    /// What a sticker stands for.
    pub(crate) emoji: Option<String>,
}

/// A press of a button.
#[derive(Debug, Deserialize)]
pub(crate) struct CallbackQuery {
    pub(crate) id: String,
    pub(crate) from: User,
    pub(crate) message: Option<Pressed>,
    pub(crate) data: Option<String>,
}

/// The message under which a button was pressed; an old one comes without its content.
#[derive(Debug, Deserialize)]
pub(crate) struct Pressed {
    pub(crate) message_id: i64,
    pub(crate) message_thread_id: Option<i64>,
    #[serde(default)]
    pub(crate) is_topic_message: bool,
    pub(crate) chat: Chat,
}

/// The person's stop under a draft of ours (Bot API 10.3). Drafts are for private chats, so the chat is the person.
#[derive(Debug, Deserialize)]
pub(crate) struct Stopping {
    pub(crate) chat: Chat,
    pub(crate) message_thread_id: Option<i64>,
    pub(crate) draft_id: i64,
}

/// A whole number as servers write it: as a number, with a fraction (rounded up), or in quotes. Anything else is none.
fn number<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<i128>,
{
    #[allow(clippy::cast_possible_truncation, reason = "the cast saturates, as meant")]
    let whole = |text: &str| text.parse().ok().or_else(|| Some(text.parse::<f64>().ok()?.ceil() as i128));
    let read = match Value::deserialize(deserializer)? {
        Value::Number(number) => whole(&number.to_string()),
        Value::String(text) => whole(text.trim()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    Ok(read.and_then(|number| T::try_from(number).ok()))
}

/// A value of the right shape, or an empty one.
fn or_nothing<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: serde::de::DeserializeOwned + Default,
{
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).unwrap_or_default())
}

/// Reads a list item by item and leaves out what is not of the right shape.
fn those_that_read<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let items = Option::<Vec<&'de RawValue>>::deserialize(deserializer)?.unwrap_or_default();
    Ok(items.into_iter().filter_map(|item| serde_json::from_str(item.get()).ok()).collect())
}

/// Numbers that an offset can confirm; Telegram gives no others.
const NUMBERS: RangeInclusive<i64> = 1..=0x7fff_fffe;

/// Reads the events of a batch. One that cannot be read keeps its number and spoils nothing; one without a number is
/// left out.
pub(crate) fn updates(batch: &[&RawValue]) -> Vec<Numbered> {
    batch.iter().filter_map(|raw| numbered(raw.get())).filter(|event| NUMBERS.contains(&event.id)).collect()
}

/// An event, or only its number.
#[derive(Debug)]
pub(crate) struct Numbered {
    pub(crate) id: i64,
    /// The event, or where reading it stopped. Never what was read: that may be a person's words.
    pub(crate) update: Result<Update, Stopped>,
}

/// Where and why the reader stopped, without the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stopped {
    pub(crate) why: serde_json::error::Category,
    pub(crate) column: usize,
}

fn numbered(raw: &str) -> Option<Numbered> {
    let first = serde_json::from_str::<Update>(raw);
    let read = first.or_else(|_| serde_json::from_str(&repaired(raw.as_bytes())));
    match read {
        Ok(update) => Some(Numbered { id: update.update_id, update: Ok(update) }),
        Err(error) => {
            let number = serde_json::from_str::<UpdateNumber>(&repaired(raw.as_bytes())).ok()?;
            let stopped = Stopped { why: error.classify(), column: error.column() };
            Some(Numbered { id: number.update_id, update: Err(stopped) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<Numbered> {
        numbered(json)
    }

    fn text_of(json: &str) -> Option<String> {
        read(json)?.update.ok()?.message?.text
    }

    const HEAD: &str = r#""message_id":1,"date":0,"chat":{"id":1,"type":"private"}"#;

    #[test]
    fn an_entity_of_an_unknown_kind_or_shape_is_left_out_and_the_text_stays() {
        let json = format!(
            r#"{{"update_id":1,"message":{{{HEAD},"text":"hi","entities":[
                {{"type":"from_the_future","offset":0,"length":1}},{{"type":"bold","offset":"x","length":1}},7,
                {{"type":"code","offset":-1,"length":1}}]}}}}"#
        );
        let message = read(&json).unwrap().update.unwrap().message.unwrap();
        assert_eq!(message.text.as_deref(), Some("hi"));
        assert_eq!(
            message.entities.iter().map(|e| e.kind.as_str()).collect::<Vec<_>>(),
            ["from_the_future", "code"]
        );
    }

    #[test]
    fn why_the_frame_is_ours_teloxide_loses_a_text_with_an_unknown_entity() {
        let json = format!(
            r#"{{{HEAD},"text":"hi","entities":[{{"type":"from_the_future","offset":0,"length":1}}]}}"#
        );
        let message: teloxide_core::types::Message = serde_json::from_str(&json).unwrap();
        assert_eq!(message.text(), None);
    }

    #[test]
    fn half_a_surrogate_pair_is_replaced_and_a_whole_one_stays() {
        let check = |escaped: &str, expected: &str| {
            let json = format!(r#"{{"update_id":1,"message":{{{HEAD},"text":"{escaped}"}}}}"#);
            assert_eq!(text_of(&json).as_deref(), Some(expected), "{escaped}");
        };
        check(r"a\ud800b", "a\u{fffd}b");
        check(r"\udc00", "\u{fffd}");
        check(r"\ud800\ud800\udc00", "\u{fffd}\u{10000}");
        check(r"\ud83d\ude00 \ud83d", "\u{1f600} \u{fffd}");
        check(r"\\ud800 \ud800", "\\ud800 \u{fffd}");
        check("a\u{0}b", "a b");
        check(r"\u0000 \ud800\n", "\u{0} \u{fffd}\n");
    }

    #[test]
    fn a_broken_event_keeps_its_number() {
        let broken = read(r#"{"update_id":7,"message":{"message_id":"x \ud800"}}"#).unwrap();
        assert_eq!(broken.id, 7);
        assert!(broken.update.is_err());
        assert!(read(r#"{"message":{}}"#).is_none());
        assert!(read("[]").is_none());
    }
}
