//! Everything there is behind the API: accounts, guilds, channels with their messages, interactions, sessions and files.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use serde_json::Value;

use super::{
    channel::{ChannelKind, ChannelState},
    gateway::session::Session,
    guild::GuildState,
    interaction::Interaction,
    limits::Limits,
    message::{Message, Reader},
    people::{Bot, OWNER, User},
    seen::Frame,
    time::{Time, snowflake},
};
use crate::gate::Gate;

/// Intents, by the events that they bring.
pub(crate) mod intent {
    pub(crate) const NONE: u64 = 0;
    pub(crate) const GUILDS: u64 = 1;
    pub(crate) const GUILD_MESSAGES: u64 = 1 << 9;
    pub(crate) const DIRECT_MESSAGES: u64 = 1 << 12;
}

#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) time: Time,
    last_id: u64,
    pub(crate) users: BTreeMap<u64, User>,
    pub(crate) bots: BTreeMap<u64, Bot>,
    pub(crate) guilds: BTreeMap<u64, GuildState>,
    pub(crate) channels: BTreeMap<u64, ChannelState>,
    pub(crate) interactions: BTreeMap<u64, Interaction>,
    pub(crate) sessions: BTreeMap<String, Session>,
    /// By path.
    pub(crate) files: HashMap<String, Bytes>,
    /// Who typed where, and when.
    pub(crate) typed: Vec<(u64, u64, i64)>,
    pub(crate) downloads: Vec<String>,
    pub(crate) gates: HashMap<String, Gate>,
    pub(crate) films: HashMap<(u64, u64), Vec<Frame>>,
    pub(crate) limits: Limits,
    pub(crate) gateway: super::gateway::Manners,
    /// Where files are fetched, which is known once the server listens.
    pub(crate) url: String,
}

impl World {
    pub(crate) fn now(&self) -> i64 {
        self.time.now()
    }

    /// A new id, larger than all before.
    pub(crate) fn take_id(&mut self) -> u64 {
        self.last_id = snowflake(self.now()).max(self.last_id + 1);
        self.last_id
    }

    pub(crate) fn add_user(&mut self, id: u64, name: &str, bot: bool) {
        self.users.entry(id).or_insert_with(|| User::new(id, name, bot));
    }

    pub(crate) fn add_bot(&mut self, id: u64, token: &str, name: &str) {
        self.add_user(id, name, true);
        self.bots.insert(id, Bot::new(id, token));
    }

    pub(crate) fn bot_of(&self, token: &str) -> Option<u64> {
        self.bots.values().find(|bot| bot.valid && bot.token == token).map(|bot| bot.id)
    }

    pub(crate) fn user_object(&self, id: u64) -> Value {
        self.users.get(&id).map(User::object).unwrap_or_default()
    }

    /// The direct channel of a person and a bot, opened where there was none.
    pub(crate) fn direct(&mut self, user: u64, bot: u64) -> u64 {
        let known = self.channels.values().find(|channel| channel.pair == Some((user, bot)));
        if let Some(known) = known {
            return known.id;
        }
        let id = self.take_id();
        let mut channel = ChannelState::new(id, ChannelKind::Direct, "");
        channel.pair = Some((user, bot));
        self.channels.insert(id, channel);
        id
    }

    pub(crate) fn channel_object(&self, id: u64) -> Value {
        let Some(channel) = self.channels.get(&id) else { return Value::Null };
        channel.object(channel.pair.map(|(user, _)| self.user_object(user)))
    }

    /// A message that was not deleted.
    pub(crate) fn message(&self, channel: u64, id: u64) -> Option<&Message> {
        self.channels.get(&channel)?.messages.get(&id).filter(|message| !message.deleted)
    }

    pub(crate) fn message_mut(&mut self, channel: u64, id: u64) -> Option<&mut Message> {
        self.channels.get_mut(&channel)?.messages.get_mut(&id).filter(|message| !message.deleted)
    }

    /// A user is in there and is shown the channel.
    pub(crate) fn sees(&self, user: u64, channel: u64) -> bool {
        let Some(channel) = self.channels.get(&channel) else { return false };
        if let Some((person, bot)) = channel.pair {
            return user == person || user == bot;
        }
        let parent = channel.parent.and_then(|parent| self.channels.get(&parent));
        let guild = channel.guild.and_then(|guild| self.guilds.get(&guild));
        let inside = guild.is_some_and(|guild| user == OWNER || guild.members.contains_key(&user));
        inside && channel.visible_to(user) && parent.is_none_or(|parent| parent.visible_to(user))
    }

    /// Bots that see the channel.
    pub(crate) fn witnesses(&self, channel: u64) -> Vec<u64> {
        self.bots.keys().copied().filter(|bot| self.sees(*bot, channel)).collect()
    }

    /// Puts a message into its channel and tells everybody who sees it.
    pub(crate) fn post(&mut self, message: Message) {
        self.keep(message.clone());
        self.announce("MESSAGE_CREATE", &message);
    }

    /// Tells that a message has changed.
    pub(crate) fn changed(&mut self, channel: u64, id: u64) {
        if let Some(message) = self.message(channel, id).cloned() {
            self.announce("MESSAGE_UPDATE", &message);
        }
        self.expose(channel);
    }

    fn keep(&mut self, message: Message) {
        let channel = message.channel;
        if let Some(channel) = self.channels.get_mut(&channel) {
            if let Some(thread) = &mut channel.thread {
                thread.members.insert(message.author);
            }
            channel.messages.insert(message.id, message);
        }
        self.expose(channel);
    }

    fn announce(&mut self, kind: &str, message: &Message) {
        if message.only.is_some() {
            return;
        }
        let guild = self.channels.get(&message.channel).and_then(|channel| channel.guild);
        let needed = if guild.is_some() { intent::GUILD_MESSAGES } else { intent::DIRECT_MESSAGES };
        for bot in self.witnesses(message.channel) {
            self.tell(bot, guild, needed, kind, |world, intents| {
                world.message_event(message, Reader::bot(bot, intents))
            });
        }
    }

    /// Deletes a message and tells everybody who sees it; false where there is none.
    pub(crate) fn delete(&mut self, channel: u64, id: u64) -> bool {
        let Some(message) = self.message_mut(channel, id) else { return false };
        message.deleted = true;
        let only = message.only;
        self.expose(channel);
        if only.is_some() {
            return true;
        }
        let guild = self.channels.get(&channel).and_then(|channel| channel.guild);
        let needed = if guild.is_some() { intent::GUILD_MESSAGES } else { intent::DIRECT_MESSAGES };
        let mut data = serde_json::json!({"id": id.to_string(), "channel_id": channel.to_string()});
        if let (Some(guild), Some(fields)) = (guild, data.as_object_mut()) {
            fields.insert("guild_id".into(), guild.to_string().into());
        }
        for bot in self.witnesses(channel) {
            self.tell(bot, guild, needed, "MESSAGE_DELETE", |_, _| data.clone());
        }
        true
    }

    /// Tells every bot that sees the channel about the channel itself.
    pub(crate) fn tell_of_channel(&mut self, channel: u64, kind: &str, data: &Value) {
        let guild = self.channels.get(&channel).and_then(|channel| channel.guild);
        for bot in self.witnesses(channel) {
            self.tell(bot, guild, intent::GUILDS, kind, |_, _| data.clone());
        }
    }

    /// Deletes a channel or thread and tells everybody who saw it.
    pub(crate) fn delete_channel(&mut self, id: u64) {
        let Some(channel) = self.channels.get(&id) else { return };
        let (kind, data) = match channel.thread {
            Some(_) => ("THREAD_DELETE", channel.stub()),
            None => ("CHANNEL_DELETE", self.channel_object(id)),
        };
        self.tell_of_channel(id, kind, &data);
        self.channels.retain(|known, channel| *known != id && channel.parent != Some(id));
    }

    /// Queues an event in the sessions of a bot that are meant for this guild, or for direct messages, and asked for it. Without a
    /// session the event is lost, as it is with Discord.
    pub(crate) fn tell(
        &mut self,
        bot: u64,
        guild: Option<u64>,
        needed: u64,
        kind: &str,
        data: impl Fn(&Self, u64) -> Value,
    ) {
        let wanted = |session: &&Session| {
            session.bot == bot && session.shard.takes(guild) && session.intents & needed == needed
        };
        let sessions = self.sessions.values().filter(wanted);
        let told: Vec<_> = sessions.map(|session| (session.id.clone(), session.intents)).collect();
        for (id, intents) in told {
            let data = data(self, intents);
            if let Some(session) = self.sessions.get_mut(&id) {
                session.push(kind, &data);
            }
        }
    }

    /// Films a channel in somebody's eyes from now on.
    pub(crate) fn film(&mut self, channel: u64, viewer: u64) {
        self.films.insert((channel, viewer), Vec::new());
        self.expose(channel);
    }

    /// Takes a picture for everybody who films this channel.
    fn expose(&mut self, channel: u64) {
        let moment = self.now();
        let keys: Vec<_> = self.films.keys().copied().filter(|key| key.0 == channel).collect();
        for key in keys {
            let messages = self.screen(key.0, key.1);
            let frames = self.films.entry(key).or_default();
            if frames.last().is_none_or(|last| last.messages != messages) {
                frames.push(Frame { moment, messages });
            }
        }
    }

    /// Places a file and gives its attachment object.
    pub(crate) fn keep_file(&mut self, channel: u64, name: &str, kind: &str, bytes: Bytes) -> Value {
        let id = self.take_id();
        let path = format!("/attachments/{channel}/{id}/{name}");
        let url = format!("{}{path}?{}", self.url, signature(self.now()));
        let mut object = serde_json::json!({
            "id": id.to_string(), "filename": name, "size": bytes.len(), "url": url, "proxy_url": url,
        });
        if let (false, Some(fields)) = (kind.is_empty(), object.as_object_mut()) {
            fields.insert("content_type".into(), kind.into());
            if kind.starts_with("image/") {
                fields.insert("width".into(), 640.into());
                fields.insert("height".into(), 480.into());
            }
        }
        self.files.insert(path, bytes);
        object
    }
}

/// What makes a link to a file good for a day.
pub(crate) fn signature(now: i64) -> String {
    let until = now / 1000 + 86_400;
    format!("ex={until:x}&is={:x}&hm={:064x}&", now / 1000, until)
}
