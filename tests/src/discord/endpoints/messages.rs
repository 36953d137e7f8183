//! Messages in channels.

use serde_json::Value;

use super::{
    Ask, Done,
    channels::seen,
    draft::{change, draft},
    given_id,
};
use crate::discord::{
    checks::{Place, message},
    message::{Allowed, Message, Reader},
    outcome::Outcome,
    people::MESSAGE_CONTENT,
    refusal::{Refusal, Scope},
    world::World,
};

/// How long a nonce that is to be enforced is remembered, in milliseconds: "the past few minutes".
const NONCE_LASTS: i64 = 5 * 60 * 1_000;

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
    if let Some(standing) = repeated(ask, channel)? {
        return Ok(Outcome::Done(ask.world.message_object(standing, reader(ask.world, ask.bot))));
    }
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

/// The message that was sent with this nonce already, where it is to be the only one.
fn repeated<'a>(ask: &'a Ask<'_>, channel: u64) -> Result<Option<&'a Message>, Refusal> {
    let known = seen(ask.world, ask.bot, channel)?;
    let enforced = ask.body.get("enforce_nonce").and_then(Value::as_bool).unwrap_or_default();
    let Some(nonce) = ask.body.get("nonce").filter(|nonce| enforced && !nonce.is_null()) else {
        return Ok(None);
    };
    let since = ask.world.now() - NONCE_LASTS;
    let same = |message: &&Message| {
        message.author == ask.bot && message.nonce.as_ref() == Some(nonce) && message.sent >= since
    };
    Ok(known.messages.values().rev().filter(|message| !message.deleted).find(same))
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
    let archived = seen(ask.world, ask.bot, channel)?.thread.as_ref().is_some_and(|thread| thread.archived);
    let found = ask.world.message(channel, id).filter(|message| message.only.is_none());
    let found = found.ok_or_else(Refusal::unknown_message)?;
    if found.author != ask.bot {
        return Err(Refusal::missing_permissions());
    }
    if archived {
        return Err(Refusal::archived());
    }
    ask.world.delete(channel, id);
    Ok(Outcome::Nothing)
}
