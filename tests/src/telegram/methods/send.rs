//! New messages and typing.

use serde_json::{Map, Value, json};

use super::{
    Call,
    places::{self, Place, Purpose},
};
use crate::telegram::{
    conversation::without_reply,
    markup,
    people::{ChatKind, topic_fields},
    refusal::Refusal,
    rich::Rich,
    text::{self, MESSAGE_LIMIT, Source, utf16_len},
    world::World,
};

const ACTIONS: [&str; 11] = [
    "typing",
    "upload_photo",
    "record_video",
    "upload_video",
    "record_voice",
    "upload_voice",
    "upload_document",
    "choose_sticker",
    "find_location",
    "record_video_note",
    "upload_video_note",
];

/// Text and entities fields for a message with `text`, or why it cannot be sent.
pub(super) fn text_fields(call: &mut Call<'_>) -> Result<Map<String, Value>, Refusal> {
    let text = call.text("text").unwrap_or_default();
    if text.is_empty() {
        return Err(Refusal::malformed("message text is empty"));
    }
    let source = Source { text, parse_mode: call.text("parse_mode"), entities: call.get("entities") };
    let formatted = text::format(&source)?;
    if formatted.text.is_empty() {
        return Err(Refusal::malformed("text must be non-empty"));
    }
    if utf16_len(&formatted.text) > MESSAGE_LIMIT {
        return Err(Refusal::malformed("message is too long"));
    }
    call.remarks.extend(formatted.remarks);
    let mut fields = Map::new();
    text::put(&mut fields, &formatted.text, &formatted.entities, ("text", "entities"));
    Ok(fields)
}

pub(super) fn message(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let place = places::open(call, Purpose::Message)?;
    let fields = text_fields(call)?;
    deliver(call, place, fields)
}

/// The rich content of the call, which only a draft may show thinking in.
pub(super) fn rich_content(call: &Call<'_>) -> Result<Rich, Refusal> {
    let given = call.get("rich_message");
    Rich::read(given.ok_or_else(|| Refusal::malformed("rich message must be non-empty"))?)
}

/// The fields of a rich message, or why it cannot stand.
pub(super) fn rich_fields(call: &Call<'_>) -> Result<Map<String, Value>, Refusal> {
    let rich = rich_content(call)?;
    if rich.thinking.is_some() {
        return Err(Refusal::malformed("RICH_MESSAGE_BLOCKS_UNSUPPORTED: thinking stands only in drafts"));
    }
    Ok(rich.fields())
}

pub(super) fn rich_message(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let place = places::open(call, Purpose::Message)?;
    let fields = rich_fields(call)?;
    deliver(call, place, fields)
}

/// Puts a message of the bot into the chat and gives the message object.
pub(super) fn deliver(
    call: &mut Call<'_>,
    place: Place,
    content: Map<String, Value>,
) -> Result<Value, Refusal> {
    let keyboard = call.get("reply_markup").cloned();
    if let Some(keyboard) = &keyboard {
        markup::check(keyboard)?;
    }
    let answered = answered(call, place)?;
    let (world, bot) = (&mut *call.world, call.bot);
    let id = world.take_message_id(place.chat, bot);
    let chat = world.chat_object(place.chat);
    let topic = world.chats.get(&place.chat).map(|chat| topic_fields(chat, place.thread)).unwrap_or_default();
    let channel = world.chats.get(&place.chat).is_some_and(|chat| chat.kind == ChatKind::Channel);
    let author = if channel { ("sender_chat", chat.clone()) } else { ("from", world.user_object(bot)) };
    let mut message = Map::new();
    message.insert("message_id".into(), id.into());
    message.insert(author.0.into(), author.1);
    message.insert("chat".into(), chat);
    message.insert("date".into(), World::now().into());
    message.extend(topic);
    message.extend(answered.map(|answered| ("reply_to_message".to_owned(), answered)));
    message.extend(content);
    // Only inline keyboards belong to the message; the others change the person's input field.
    let inline = keyboard.filter(|keyboard| keyboard.get("inline_keyboard").is_some());
    message.extend(inline.map(|keyboard| ("reply_markup".to_owned(), keyboard)));
    let message = Value::Object(message);
    let conversation = world.conversation(place.chat, bot);
    conversation.keep(id, message.clone());
    // A draft gives way to the message that it announced.
    conversation.drafts.give_way(place.thread);
    Ok(message)
}

fn answered(call: &Call<'_>, place: Place) -> Result<Option<Value>, Refusal> {
    let parameters = call.get("reply_parameters");
    let nested = |name: &str| parameters.and_then(|parameters| parameters.get(name));
    let Some(id) = nested("message_id").and_then(Value::as_i64).or_else(|| call.int("reply_to_message_id"))
    else {
        return Ok(None);
    };
    let found = call.world.look(place.chat, call.bot).and_then(|c| c.get(id)).map(without_reply);
    let lenient = nested("allow_sending_without_reply").and_then(Value::as_bool).unwrap_or_default()
        || call.flag("allow_sending_without_reply");
    if found.is_none() && !lenient {
        return Err(Refusal::bad_request("message to be replied not found"));
    }
    Ok(found)
}

pub(super) fn action(call: &mut Call<'_>) -> Result<Value, Refusal> {
    places::open(call, Purpose::Action)?;
    if !ACTIONS.contains(&call.text("action").unwrap_or_default()) {
        return Err(Refusal::malformed("wrong parameter action in request"));
    }
    Ok(json!(true))
}
