//! Reads an event of Discord as an [`Inbound`], or as nothing for us. Pure: what must be known of the bot and of the
//! channels is passed in.

mod interaction;
mod message;
mod text;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::{Account, ChatId, RoleId, SenderId, SpaceId, TopicId};
use pensive_contract::inbound::{ChatKind, Inbound, Place, Sender, Topic, TopicKind};
use regex::Regex;

use crate::book::{Book, Standing};
use crate::wire::{Event, User};

pub(crate) use interaction::{asked, handle};

/// Who we are among them.
#[derive(Debug, Clone)]
pub(crate) struct Us {
    pub(crate) account: Account,
    pub(crate) bot: u64,
    pub(crate) username: String,
    /// Other words that call us.
    pub(crate) patterns: Vec<Regex>,
    /// Whether other bots and webhooks are heard.
    pub(crate) hears_bots: bool,
}

/// What a person did in `event`; nothing for what we, other bots and Discord itself say, and for messages without text or a
/// file that could be read.
pub(crate) fn inbound(us: &Us, book: &Book, event: &Event, now: Timestamp) -> Option<Inbound> {
    match event {
        Event::Message(message) => message::written(us, book, message),
        Event::Edited(message) => message::edited(us, book, message, now),
        Event::Interaction(call) => interaction::done(us, book, call),
        Event::Ready
        | Event::Resumed
        | Event::Guild(_)
        | Event::GuildGone(_)
        | Event::Role(_)
        | Event::Channel(_)
        | Event::Threads(_)
        | Event::ChannelGone(_)
        | Event::Other => None,
    }
}

/// The place that a channel is: a thread is a topic of its channel.
fn place(us: &Us, channel: u64, standing: Standing) -> Option<Place> {
    let (chat, kind, topic) = match standing {
        Standing::Crowd => return None,
        Standing::Direct => (channel, ChatKind::Direct, None),
        Standing::Guild(_) => (channel, ChatKind::Group, None),
        Standing::Thread { parent, .. } => {
            let topic = Topic { id: TopicId::from(channel.to_string()), kind: TopicKind::Thread };
            (parent, ChatKind::Group, Some(topic))
        }
    };
    Some(Place {
        account: us.account.clone(),
        chat: ChatId::from(chat.to_string()),
        kind,
        topic,
        space: standing.guild().map(|guild| SpaceId::from(guild.to_string())),
    })
}

fn sender(user: &User, nick: Option<&str>, roles: Option<&[u64]>, place: &Place) -> Sender {
    // The role that all members have is named by its guild, and says nothing of anybody.
    let everyone = place.space.as_ref().map(SpaceId::as_str);
    let roles = roles.unwrap_or_default().iter().map(u64::to_string);
    Sender {
        id: SenderId::from(user.id.to_string()),
        name: name(user, nick).unwrap_or_else(|| user.id.to_string()),
        roles: roles.filter(|role| everyone != Some(role)).map(RoleId::from).collect(),
    }
}

/// What somebody is called where they are.
fn name(user: &User, nick: Option<&str>) -> Option<String> {
    let names = [nick, user.global_name.as_deref(), user.username.as_deref()];
    names.into_iter().flatten().find(|name| !name.trim().is_empty()).map(str::to_owned)
}

/// When something with an id was made (<https://docs.discord.com/developers/reference#snowflakes>).
fn made(id: u64) -> Timestamp {
    /// 2015, where Discord's time begins.
    const EPOCH: u64 = 1_420_070_400_000;
    Timestamp(i64::try_from((id >> 22) + EPOCH).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;
