//! Channels and threads themselves.

use serde_json::{Value, json};

use super::{Ask, Done};
use crate::discord::{
    channel::{ChannelKind, ChannelState},
    outcome::Outcome,
    refusal::Refusal,
    world::World,
};

/// A channel that the bot is shown.
pub(super) fn seen(world: &World, bot: u64, channel: u64) -> Result<&ChannelState, Refusal> {
    let known = world.channels.get(&channel).ok_or_else(Refusal::unknown_channel)?;
    if world.sees(bot, channel) { Ok(known) } else { Err(Refusal::missing_access()) }
}

pub(super) fn one(ask: &mut Ask<'_>, channel: u64) -> Done {
    seen(ask.world, ask.bot, channel)?;
    match ask.method {
        "GET" => Ok(Outcome::Done(ask.world.channel_object(channel))),
        "PATCH" => {
            let archived = ask.body.get("archived").and_then(Value::as_bool);
            let thread = ask.world.channels.get_mut(&channel).and_then(|channel| channel.thread.as_mut());
            if let (Some(archived), Some(thread)) = (archived, thread) {
                thread.archived = archived;
            }
            let object = ask.world.channel_object(channel);
            ask.world.tell_of_channel(channel, "THREAD_UPDATE", &object);
            Ok(Outcome::Done(object))
        }
        "DELETE" => {
            let object = ask.world.channel_object(channel);
            ask.world.delete_channel(channel);
            Ok(Outcome::Done(object))
        }
        _ => Err(Refusal::new(405, 0, "405: Method Not Allowed")),
    }
}

pub(super) fn typing(ask: &mut Ask<'_>, channel: u64) -> Done {
    if seen(ask.world, ask.bot, channel)?.silent.contains(&ask.bot) {
        return Err(Refusal::missing_permissions());
    }
    let now = ask.world.now();
    ask.world.typed.push((ask.bot, channel, now));
    Ok(Outcome::Nothing)
}

pub(super) fn open_thread(ask: &mut Ask<'_>, channel: u64, on: Option<u64>) -> Done {
    let parent = seen(ask.world, ask.bot, channel)?.clone();
    let name = ask.body.get("name").and_then(Value::as_str).unwrap_or_default();
    if name.is_empty() || name.chars().count() > 100 {
        return Err(Refusal::field("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length."));
    }
    let id = on.unwrap_or_else(|| ask.world.take_id());
    let now = ask.world.now();
    let mut thread = ChannelState::new(id, ChannelKind::Thread, name).threaded(ask.bot, now);
    thread.guild = parent.guild;
    thread.parent = Some(parent.id);
    ask.world.channels.insert(id, thread);
    let mut object = ask.world.channel_object(id);
    let member = ask.world.channels.get(&id).and_then(|thread| thread.thread_member(ask.bot));
    if let (Some(member), Some(fields)) = (member, object.as_object_mut()) {
        fields.insert("member".into(), member);
    }
    let mut event = object.clone();
    if let Some(fields) = event.as_object_mut() {
        fields.insert("newly_created".into(), json!(true));
    }
    ask.world.tell_of_channel(id, "THREAD_CREATE", &event);
    Ok(Outcome::Done(object))
}
