//! What a body makes of a message: a new one, or a change of one that stands.

use serde_json::{Value, json};

use super::{Upload, given_id};
use crate::discord::{
    message::{Allowed, Message},
    refusal::Refusal,
    world::World,
};

/// The most that may be uploaded with one message, in bytes.
const LARGEST: usize = 10 << 20;
/// The most files of one message.
const MOST_FILES: usize = 10;

/// A message made of a body.
pub(super) fn draft(
    world: &mut World,
    bot: u64,
    channel: u64,
    body: &Value,
    files: &[Upload],
) -> Result<Message, Refusal> {
    let list = |name: &str| body.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let content = body.get("content").and_then(Value::as_str).unwrap_or_default();
    let (embeds, components) = (list("embeds"), list("components"));
    if content.trim().is_empty() && embeds.is_empty() && files.is_empty() && components.is_empty() {
        return Err(Refusal::empty_message());
    }
    let attachments = attachments(world, channel, body, files, &[])?;
    let guild = world.channels.get(&channel).and_then(|channel| channel.guild);
    let pings = world.pings(content, guild, &Allowed::read(body.get("allowed_mentions")));
    let (id, sent) = (world.take_id(), world.now());
    Ok(Message {
        id,
        channel,
        author: bot,
        sent,
        content: content.to_owned(),
        pings,
        attachments,
        embeds,
        components: numbered(components),
        flags: body.get("flags").and_then(Value::as_u64).unwrap_or_default(),
        tts: body.get("tts").and_then(Value::as_bool).unwrap_or_default(),
        nonce: body.get("nonce").filter(|nonce| !nonce.is_null()).cloned(),
        ..Message::default()
    })
}

/// Changes what a body names.
pub(super) fn change(
    world: &mut World,
    channel: u64,
    id: u64,
    body: &Value,
    files: &[Upload],
) -> Result<(), Refusal> {
    let now = world.now();
    let guild = world.channels.get(&channel).and_then(|channel| channel.guild);
    let content = body.get("content").map(|content| content.as_str().unwrap_or_default().to_owned());
    let pings = content
        .as_ref()
        .map(|content| world.pings(content, guild, &Allowed::read(body.get("allowed_mentions"))));
    let before = world.message(channel, id).ok_or_else(Refusal::unknown_message)?.clone();
    let mut after = Message {
        attachments: attachments(world, channel, body, files, &before.attachments)?,
        edited: Some(now),
        ..before
    };
    if let Some(content) = content {
        after.content = content;
        after.pings = pings.unwrap_or_default();
    }
    if let Some(list) = body.get("components").and_then(Value::as_array) {
        after.components = numbered(list.clone());
    }
    if let Some(list) = body.get("embeds").and_then(Value::as_array) {
        after.embeds.clone_from(list);
    }
    if after.content.trim().is_empty()
        && after.embeds.is_empty()
        && after.attachments.is_empty()
        && after.components.is_empty()
    {
        return Err(Refusal::empty_message());
    }
    if let Some(message) = world.message_mut(channel, id) {
        *message = after;
    }
    Ok(())
}

/// The files of a message: those it had before and keeps, and those that came with the body, described as it says. A body that lists
/// any keeps only the listed ones.
fn attachments(
    world: &mut World,
    channel: u64,
    body: &Value,
    files: &[Upload],
    before: &[Value],
) -> Result<Vec<Value>, Refusal> {
    if files.iter().map(|file| file.bytes.len()).sum::<usize>() > LARGEST {
        return Err(Refusal::new(413, 40005, "Request entity too large"));
    }
    let listed = body.get("attachments").and_then(Value::as_array);
    let old = |id: u64| before.iter().any(|file| given_id(file.get("id")) == Some(id));
    let new = |id: u64| files.iter().any(|file| file.place() == Some(id));
    let unknown = |about: &Value| given_id(about.get("id")).is_none_or(|id| !old(id) && !new(id));
    if let Some(place) = listed.and_then(|listed| listed.iter().position(unknown)) {
        let path = format!("attachments/{place}");
        return Err(Refusal::field(&path, "ATTACHMENT_NOT_FOUND", "Attachment data not found"));
    }
    let about = |id: Option<u64>| {
        let mut listed = listed.into_iter().flatten();
        listed.find(|about| id.is_some() && given_id(about.get("id")) == id)
    };
    let stays = |file: &&Value| listed.is_none() || about(given_id(file.get("id"))).is_some();
    let kept = before.iter().filter(stays).cloned();
    let added = files.iter().map(|file| {
        let mut kept = world.keep_file(channel, &file.name, &file.kind, file.bytes.clone());
        let words = about(file.place()).and_then(|about| about.get("description"));
        let words = words.filter(|words| !words.is_null());
        if let (Some(words), Some(fields)) = (words, kept.as_object_mut()) {
            fields.insert("description".into(), words.clone());
        }
        kept
    });
    let all: Vec<Value> = kept.chain(added).collect();
    if all.len() > MOST_FILES {
        return Err(Refusal::field("attachments", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length."));
    }
    Ok(all)
}

/// Components as they come back: each with a number.
fn numbered(mut components: Vec<Value>) -> Vec<Value> {
    fn number(list: &mut [Value], next: &mut u64) {
        for one in list {
            let Some(fields) = one.as_object_mut() else { continue };
            fields.entry("id").or_insert_with(|| json!(*next));
            *next += 1;
            if let Some(inner) = fields.get_mut("components").and_then(Value::as_array_mut) {
                number(inner, next);
            }
        }
    }
    number(&mut components, &mut 1);
    components
}
