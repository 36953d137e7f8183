//! Messages in channels.

use serde_json::{Value, json};

use super::{Ask, Done, Upload, channels::seen, given_id};
use crate::discord::{
    checks::{Place, message},
    message::{Allowed, Message, Reader},
    outcome::Outcome,
    people::MESSAGE_CONTENT,
    refusal::{Refusal, Scope},
    world::World,
};

/// The most that may be uploaded with one message.
const LARGEST: usize = 10 << 20;

pub(super) fn list(ask: &Ask<'_>, channel: u64) -> Done {
    let known = seen(ask.world, ask.bot, channel)?;
    let asked = |name: &str| {
        let mut pairs = ask.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).and_then(|(_, value)| value.parse::<u64>().ok())
    };
    let limit = usize::try_from(asked("limit").unwrap_or(50)).unwrap_or(50);
    if !(1..=100).contains(&limit) {
        return Err(Refusal::field(
            "limit",
            "NUMBER_TYPE_MAX",
            "int value should be less than or equal to 100.",
        ));
    }
    let shown = |message: &&Message| !message.deleted && message.only.is_none();
    let all = || known.messages.values().filter(shown);
    let reader = reader(ask.world, ask.bot);
    let object = |message: &Message| ask.world.message_object(message, reader);
    let mut list: Vec<Value> = match (asked("after"), asked("before")) {
        (Some(after), _) => all().filter(|message| message.id > after).take(limit).map(object).collect(),
        (None, Some(before)) => {
            let older: Vec<_> = all().filter(|message| message.id < before).collect();
            older.into_iter().rev().take(limit).rev().map(object).collect()
        }
        (None, None) => {
            let every: Vec<_> = all().collect();
            every.into_iter().rev().take(limit).rev().map(object).collect()
        }
    };
    list.reverse();
    Ok(Outcome::Done(list.into()))
}

/// What REST shows goes by the switch in the portal.
pub(super) fn reader(world: &World, bot: u64) -> Reader {
    let privileged = world.bots.get(&bot).map_or(0, |bot| bot.privileged);
    Reader::bot(bot, privileged & MESSAGE_CONTENT)
}

pub(super) fn read(ask: &Ask<'_>, channel: u64, id: u64) -> Done {
    seen(ask.world, ask.bot, channel)?;
    let found = ask.world.message(channel, id).filter(|message| message.only.is_none());
    let found = found.ok_or_else(Refusal::unknown_message)?;
    Ok(Outcome::Done(ask.world.message_object(found, reader(ask.world, ask.bot))))
}

pub(super) fn send(ask: &mut Ask<'_>, channel: u64) -> Done {
    let form = message(ask.body, Place::Channel);
    ask.remarks.extend(form.remarks.clone());
    form.verdict()?;
    may_speak(ask, channel)?;
    let answers = answered(ask, channel)?;
    let mut new = draft(ask.world, ask.bot, channel, ask.body, ask.files)?;
    new.answers = answers;
    if let Some(author) = answers.and_then(|id| ask.world.message(channel, id)).map(|message| message.author)
        && Allowed::read(ask.body.get("allowed_mentions")).replied
        && !new.pings.users.contains(&author)
    {
        new.pings.users.push(author);
    }
    new.kind = if answers.is_some() { 19 } else { 0 };
    let object = ask.world.message_object(&new, reader(ask.world, ask.bot));
    ask.world.post(new);
    Ok(Outcome::Done(object))
}

fn may_speak(ask: &mut Ask<'_>, channel: u64) -> Result<(), Refusal> {
    let now = ask.world.now();
    let known = seen(ask.world, ask.bot, channel)?;
    if known.silent.contains(&ask.bot) {
        return Err(Refusal::missing_permissions());
    }
    if let Some((person, _)) = known.pair
        && ask.world.users.get(&person).is_some_and(|person| person.closed)
    {
        return Err(Refusal::new(403, 50007, "Cannot send messages to this user"));
    }
    let last =
        known.messages.values().rev().find(|message| message.author == ask.bot).map(|message| message.sent);
    if let Some(since) = last.map(|last| now - last)
        && known.slowmode > 0
        && since < i64::try_from(known.slowmode).unwrap_or(0) * 1_000
    {
        let wait = i64::try_from(known.slowmode).unwrap_or(0) * 1_000 - since;
        let slow = Refusal::too_many(crate::discord::limits::seconds(wait), Scope::User);
        let words = "This action cannot be performed due to slowmode rate limit";
        return Err(Refusal { code: 20016, message: words.to_owned(), ..slow });
    }
    if let Some(thread) = &known.thread {
        if thread.locked {
            return Err(Refusal::archived());
        }
        if let Some(thread) = ask.world.channels.get_mut(&channel).and_then(|channel| channel.thread.as_mut())
        {
            thread.archived = false;
        }
    }
    Ok(())
}

/// The message that a new one answers.
fn answered(ask: &Ask<'_>, channel: u64) -> Result<Option<u64>, Refusal> {
    let Some(reference) = ask.body.get("message_reference").filter(|given| !given.is_null()) else {
        return Ok(None);
    };
    let id = given_id(reference.get("message_id"));
    let found = id.and_then(|id| ask.world.message(channel, id)).map(|message| message.id);
    let strict = reference.get("fail_if_not_exists").and_then(Value::as_bool).unwrap_or(true);
    match found {
        None if strict => {
            Err(Refusal::field("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message"))
        }
        found => Ok(found),
    }
}

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
    if files.iter().map(|file| file.bytes.len()).sum::<usize>() > LARGEST {
        return Err(Refusal::new(413, 40005, "Request entity too large"));
    }
    let attachments = uploaded(world, channel, body, files);
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

/// Files that came with a body, described as it says.
fn uploaded(world: &mut World, channel: u64, body: &Value, files: &[Upload]) -> Vec<Value> {
    let about = body.get("attachments").and_then(Value::as_array).cloned().unwrap_or_default();
    let keep = |file: &Upload| {
        let mut kept = world.keep_file(channel, &file.name, &file.kind, file.bytes.clone());
        let place = file.part.trim_start_matches("files[").trim_end_matches(']').parse().ok();
        let about = about.iter().find(|about| place.is_some() && given_id(about.get("id")) == place);
        let words = about.and_then(|about| about.get("description")).filter(|words| !words.is_null());
        if let (Some(words), Some(fields)) = (words, kept.as_object_mut()) {
            fields.insert("description".into(), words.clone());
        }
        kept
    };
    files.iter().map(keep).collect()
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
    let attachments = uploaded(world, channel, body, files);
    let message = world.message_mut(channel, id).ok_or_else(Refusal::unknown_message)?;
    if let Some(content) = content {
        message.content = content;
        message.pings = pings.unwrap_or_default();
    }
    if let Some(list) = body.get("components").and_then(Value::as_array) {
        message.components = numbered(list.clone());
    }
    if let Some(list) = body.get("embeds").and_then(Value::as_array) {
        message.embeds.clone_from(list);
    }
    message.attachments.extend(attachments);
    if message.content.trim().is_empty()
        && message.embeds.is_empty()
        && message.attachments.is_empty()
        && message.components.is_empty()
    {
        return Err(Refusal::empty_message());
    }
    message.edited = Some(now);
    Ok(())
}

pub(super) fn edit(ask: &mut Ask<'_>, channel: u64, id: u64) -> Done {
    let form = message(ask.body, Place::Edit);
    ask.remarks.extend(form.remarks.clone());
    form.verdict()?;
    let locked = seen(ask.world, ask.bot, channel)?
        .thread
        .as_ref()
        .is_some_and(|thread| thread.archived || thread.locked);
    let found = ask.world.message(channel, id).filter(|message| message.only.is_none());
    let found = found.ok_or_else(Refusal::unknown_message)?;
    if found.author != ask.bot {
        return Err(Refusal::new(403, 50005, "Cannot edit a message authored by another user"));
    }
    if locked {
        return Err(Refusal::archived());
    }
    change(ask.world, channel, id, ask.body, ask.files)?;
    ask.world.changed(channel, id);
    let message = ask.world.message(channel, id).cloned().unwrap_or_default();
    Ok(Outcome::Done(ask.world.message_object(&message, reader(ask.world, ask.bot))))
}

pub(super) fn delete(ask: &mut Ask<'_>, channel: u64, id: u64) -> Done {
    seen(ask.world, ask.bot, channel)?;
    let found = ask.world.message(channel, id).filter(|message| message.only.is_none());
    let found = found.ok_or_else(Refusal::unknown_message)?;
    if found.author != ask.bot {
        return Err(Refusal::missing_permissions());
    }
    ask.world.delete(channel, id);
    Ok(Outcome::Nothing)
}
