//! What is known of the channels of our guilds: which thread belongs to which channel, which channel to which guild, and
//! what they and the guilds' roles are called. Learned from events; where those did not tell, Discord is asked once.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use pensive_contract::clock::{Clock, Timestamp, within};
use reqwest::Method;
use serde::de::DeserializeOwned;

use crate::client::{CallFault, Client, Payload};
use crate::routes::{self, Route};
use crate::wire::{Channel, Event, Role};

/// How many channels are remembered; those that were longest out of use go first.
const MOST: usize = 50_000;
/// How long an answer is waited for: all events wait with it.
const LIMIT: Duration = Duration::from_secs(5);
/// When to ask again where asking failed.
const AGAIN: Duration = Duration::from_mins(1);
/// The kinds of channels that need to be told apart
/// (<https://docs.discord.com/developers/resources/channel#channel-object-channel-types>).
const DIRECT: i64 = 1;
const THREADS: RangeInclusive<i64> = 10..=12;

/// What a channel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A conversation of a person with us.
    Direct,
    /// A conversation of several people outside guilds.
    Crowd,
    /// A channel of a guild.
    Guild(u64),
    /// A thread, or a post in a forum.
    Thread {
        /// Its guild.
        guild: u64,
        /// Its channel.
        parent: u64,
    },
}

/// What is not known of the place of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Missing {
    guild: u64,
    /// What this channel is.
    channel: Option<u64>,
    /// What the roles of the guild are, where one is mentioned.
    roles: bool,
}

/// Everything that is known.
#[derive(Debug, Default)]
pub(crate) struct Book {
    channels: HashMap<u64, Known>,
    guilds: HashMap<u64, Roles>,
    /// Grows with every use.
    uses: u64,
}

/// The roles of a guild.
#[derive(Debug, Default)]
struct Roles {
    by_id: HashMap<u64, Role>,
    /// When to ask again; what is here may be too little until then.
    doubted: Option<Timestamp>,
}

#[derive(Debug)]
struct Known {
    standing: Standing,
    name: Option<String>,
    used: u64,
    /// When to ask again; `standing` is a guess until then.
    doubted: Option<Timestamp>,
}

impl Standing {
    /// What Discord says of a channel that stands in `guild`. A thread that does not tell its channel counts as a channel
    /// of its own, so that nothing which is allowed elsewhere is allowed in it.
    pub(crate) fn of(channel: &Channel, guild: Option<u64>) -> Self {
        let thread = channel.kind.is_some_and(|kind| THREADS.contains(&kind));
        match (channel.guild_id.or(guild), channel.kind) {
            (Some(guild), _) => match channel.parent_id.filter(|_| thread) {
                Some(parent) => Self::Thread { guild, parent },
                None => Self::Guild(guild),
            },
            (None, None | Some(DIRECT)) => Self::Direct,
            (None, Some(_)) => Self::Crowd,
        }
    }

    /// The guild that it belongs to.
    pub(crate) fn guild(self) -> Option<u64> {
        match self {
            Self::Direct | Self::Crowd => None,
            Self::Guild(guild) | Self::Thread { guild, .. } => Some(guild),
        }
    }
}

impl Book {
    /// Takes in what an event tells.
    pub(crate) fn learn(&mut self, event: &Event) {
        match event {
            Event::Guild(guild) => {
                for channel in guild.channels.iter().chain(&guild.threads) {
                    self.note(channel, Some(guild.id));
                }
                if !guild.roles.is_empty() {
                    self.note_roles(guild.id, &guild.roles);
                }
            }
            Event::GuildGone(gone) => self.forget(gone.id),
            Event::Role(event) => {
                if let Some(roles) = self.guilds.get_mut(&event.guild_id) {
                    roles.by_id.insert(event.role.id, event.role.clone());
                }
            }
            Event::Channel(channel) => self.note(channel, None),
            Event::Threads(synced) => {
                synced.threads.iter().for_each(|thread| self.note(thread, Some(synced.guild_id)));
            }
            Event::ChannelGone(gone) => {
                self.channels.remove(&gone.id);
            }
            Event::Message(message) | Event::Edited(message) => self.touch(message.channel_id),
            Event::Interaction(call) => {
                if let Some(channel) = &call.channel {
                    self.note(channel, call.guild_id);
                }
            }
            Event::Ready | Event::Resumed | Event::Other => {}
        }
    }

    /// What must be asked for before an event can be read. A line that was taken up again by another process tells nothing
    /// of its guilds, so that this may be everything.
    pub(crate) fn missing(&self, event: &Event, now: Timestamp) -> Option<Missing> {
        let (channel, guild, mentions_roles) = match event {
            Event::Message(message) | Event::Edited(message) => {
                let roles = message.content.mention_roles.as_ref();
                (Some(message.channel_id), message.guild_id?, roles.is_some_and(|roles| !roles.is_empty()))
            }
            Event::Interaction(call) if call.channel.is_none() => (call.channel_id, call.guild_id?, false),
            _ => return None,
        };
        let sure = |doubted: Option<Timestamp>| doubted.is_none_or(|again| now < again);
        let channel = channel.filter(|id| !self.channels.get(id).is_some_and(|known| sure(known.doubted)));
        let roles = mentions_roles && !self.guilds.get(&guild).is_some_and(|roles| sure(roles.doubted));
        (channel.is_some() || roles).then_some(Missing { guild, channel, roles })
    }

    /// Asks Discord for what is missing.
    pub(crate) async fn ask(&mut self, client: &Client, clock: &dyn Clock, missing: Missing) {
        let Missing { guild, channel, roles } = missing;
        if let Some(channel) = channel {
            self.ask_channel(client, clock, (channel, guild)).await;
        }
        if roles {
            self.ask_roles(client, clock, guild).await;
        }
    }

    /// Where Discord does not tell, it is taken for a channel of its own.
    async fn ask_channel(&mut self, client: &Client, clock: &dyn Clock, (channel, guild): (u64, u64)) {
        match ask::<Channel>(client, clock, &routes::channel(channel)).await {
            Ok(told) if told.id == channel => self.note(&told, Some(guild)),
            answer => {
                tracing::warn!(channel, guild, "what channel this is could not be learned");
                let doubted = answer.map_or_else(|doubted| doubted, |_| Some(clock.now() + AGAIN));
                let standing = Standing::Guild(guild);
                self.put(channel, Known { standing, name: None, used: 0, doubted });
            }
        }
    }

    /// Where Discord does not tell, none of them is ours.
    async fn ask_roles(&mut self, client: &Client, clock: &dyn Clock, guild: u64) {
        match ask::<Vec<Role>>(client, clock, &routes::guild_roles(guild)).await {
            Ok(roles) => self.note_roles(guild, &roles),
            Err(doubted) => {
                tracing::warn!(guild, "what roles there are could not be learned");
                self.guilds.insert(guild, Roles { doubted, ..Roles::default() });
            }
        }
    }

    /// What a channel is; `guild` is what its event says.
    pub(crate) fn standing(&self, channel: u64, guild: Option<u64>) -> Standing {
        let known = self.channels.get(&channel).map(|known| known.standing);
        known
            .filter(|standing| guild.is_none_or(|guild| standing.guild() == Some(guild)))
            .unwrap_or_else(|| guild.map_or(Standing::Direct, Standing::Guild))
    }

    /// What a channel of a guild is called.
    pub(crate) fn name(&self, guild: u64, channel: u64) -> Option<&str> {
        let known = self.channels.get(&channel).filter(|known| known.standing.guild() == Some(guild));
        known?.name.as_deref()
    }

    /// A role of a guild.
    pub(crate) fn role(&self, guild: u64, role: u64) -> Option<&Role> {
        self.guilds.get(&guild)?.by_id.get(&role)
    }

    fn note_roles(&mut self, guild: u64, roles: &[Role]) {
        let by_id = roles.iter().map(|role| (role.id, role.clone())).collect();
        self.guilds.insert(guild, Roles { by_id, doubted: None });
    }

    fn note(&mut self, channel: &Channel, guild: Option<u64>) {
        let old = self.channels.get(&channel.id);
        let told = Standing::of(channel, guild);
        // A thread stays one, also where an event names only its id.
        let standing = match (told, old.map(|known| known.standing)) {
            (Standing::Guild(here), Some(thread @ Standing::Thread { guild, .. })) if here == guild => thread,
            _ => told,
        };
        let name = channel.name.clone().or_else(|| old.and_then(|known| known.name.clone()));
        self.put(channel.id, Known { standing, name, used: 0, doubted: None });
    }

    fn put(&mut self, channel: u64, known: Known) {
        self.channels.insert(channel, known);
        self.touch(channel);
        if self.channels.len() > MOST {
            self.make_room();
        }
    }

    fn touch(&mut self, channel: u64) {
        self.uses += 1;
        if let Some(known) = self.channels.get_mut(&channel) {
            known.used = self.uses;
        }
    }

    /// Forgets a quarter, so that it is not asked for at every new channel.
    fn make_room(&mut self) {
        let mut uses: Vec<_> = self.channels.values().map(|known| known.used).collect();
        let (_, &mut oldest_kept, _) = uses.select_nth_unstable(MOST / 4);
        self.channels.retain(|_, known| known.used >= oldest_kept);
    }

    fn forget(&mut self, guild: u64) {
        self.channels.retain(|_, known| known.standing.guild() != Some(guild));
        self.guilds.remove(&guild);
    }
}

/// Asks, or says when to ask again; a no of Discord's stands.
async fn ask<T: DeserializeOwned>(
    client: &Client,
    clock: &dyn Clock,
    route: &Route,
) -> Result<T, Option<Timestamp>> {
    match within(clock, LIMIT, client.call(Method::GET, route, Payload::None)).await {
        Ok(Ok(told)) => Ok(told),
        Ok(Err(CallFault::Refused(no))) if (400..500).contains(&no.status) && no.status != 429 => Err(None),
        Ok(Err(_)) | Err(_) => Err(Some(clock.now() + AGAIN)),
    }
}

#[cfg(test)]
mod tests;
