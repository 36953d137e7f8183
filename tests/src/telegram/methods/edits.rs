//! Changes to messages that stand: text, buttons, reactions, removal.

use serde_json::{Map, Value};

use super::{Call, files, places, send};
use crate::telegram::{conversation::see, markup, people::ChatKind, refusal::Refusal, world::World};

const NOT_MODIFIED: &str = "message is not modified: specified new message content and reply markup are exactly the same as a \
                            current content and reply markup of the message";

/// The named message, which must be the bot's own.
fn own(call: &Call<'_>) -> Result<(i64, i64), Refusal> {
    let chat = places::named(call)?.id;
    let id = call.int("message_id").unwrap_or_default();
    let message = call.world.look(chat, call.bot).and_then(|c| c.get(id));
    let message = message.ok_or_else(|| Refusal::bad_request("message to edit not found"))?;
    let channel = call.world.chats.get(&chat).is_some_and(|chat| chat.kind == ChatKind::Channel);
    if see(message).from != call.bot && !channel {
        return Err(Refusal::bad_request("message can't be edited"));
    }
    Ok((chat, id))
}

/// What a message says in place of a file's caption; one kind can become the other.
const WORDS: [&str; 3] = ["text", "entities", "rich_message"];

pub(super) fn text(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let (chat, id) = own(call)?;
    let content = new_words(call)?;
    let message = call.world.look(chat, call.bot).and_then(|c| c.get(id));
    let has_words = message.is_some_and(|m| m.get("text").is_some() || m.get("rich_message").is_some());
    if !has_words {
        return Err(Refusal::bad_request("there is no text in the message to edit"));
    }
    replace(call, (chat, id), content, &WORDS)
}

fn new_words(call: &mut Call<'_>) -> Result<Map<String, Value>, Refusal> {
    if call.get("rich_message").is_some() {
        if call.get("text").is_some() {
            return Err(Refusal::malformed("can't use text and rich_message simultaneously"));
        }
        return send::rich_fields(call);
    }
    send::text_fields(call).map_err(|mut refusal| {
        // The same fault has another name on this path.
        if refusal.description.ends_with("message is too long") {
            refusal.description = "Bad Request: MESSAGE_TOO_LONG".into();
        }
        refusal
    })
}

pub(super) fn caption(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let place = own(call)?;
    let content = files::caption_fields(call)?;
    replace(call, place, content, &["caption", "caption_entities"])
}

pub(super) fn markup(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let place = own(call)?;
    replace(call, place, Map::new(), &[])
}

/// Swaps content and keyboard, unless nothing would change.
fn replace(
    call: &mut Call<'_>,
    (chat, id): (i64, i64),
    content: Map<String, Value>,
    names: &[&str],
) -> Result<Value, Refusal> {
    let keyboard = call.get("reply_markup").cloned();
    if let Some(keyboard) = &keyboard {
        markup::check(keyboard)?;
    }
    // An empty keyboard is none.
    let keyboard = keyboard
        .filter(|k| k.get("inline_keyboard").and_then(Value::as_array).is_some_and(|r| !r.is_empty()));
    let bot = call.bot;
    let message = call.world.conversation(chat, bot).change(id);
    let message = message.ok_or_else(|| Refusal::bad_request("message to edit not found"))?;
    let same = names.iter().all(|name| message.get(*name) == content.get(*name));
    if same && message.get("reply_markup") == keyboard.as_ref() {
        return Err(Refusal::bad_request(NOT_MODIFIED));
    }
    for name in names.iter().chain(&["reply_markup"]) {
        message.shift_remove(*name);
    }
    message.insert("edit_date".into(), World::now().into());
    message.extend(content);
    message.extend(keyboard.map(|keyboard| ("reply_markup".to_owned(), keyboard)));
    Ok(Value::Object(message.clone()))
}

pub(super) fn delete(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let (chat, kind) = places::named(call).map(|chat| (chat.id, chat.kind))?;
    let admin = call.world.chats.get(&chat).is_some_and(|chat| chat.admins.contains(&call.bot));
    let id = call.int("message_id").unwrap_or_default();
    let message = call.world.look(chat, call.bot).and_then(|c| c.get(id));
    let message = message.ok_or_else(|| Refusal::bad_request("message to delete not found"))?;
    if see(message).from != call.bot && kind != ChatKind::Private && !admin {
        return Err(Refusal::bad_request("message can't be deleted"));
    }
    call.world.conversation(chat, call.bot).delete(id);
    Ok(true.into())
}

pub(super) fn delete_many(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let chat = places::named(call)?.id;
    let ids: Vec<i64> = call
        .get("message_ids")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_i64)
        .collect();
    if !(1..=100).contains(&ids.len()) {
        return Err(Refusal::malformed("message identifiers are not specified"));
    }
    for id in ids {
        // What is already gone is passed over.
        call.world.conversation(chat, call.bot).delete(id);
    }
    Ok(true.into())
}

pub(super) fn react(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let chat = places::named(call)?.id;
    let id = call.int("message_id").unwrap_or_default();
    let known = call.world.look(chat, call.bot).is_some_and(|c| c.get(id).is_some());
    if !known {
        return Err(Refusal::bad_request("message to react not found"));
    }
    let reactions = call.get("reaction").and_then(Value::as_array).map_or(0, Vec::len);
    if reactions > 1 {
        return Err(Refusal::bad_request("REACTIONS_TOO_MANY"));
    }
    Ok(true.into())
}
