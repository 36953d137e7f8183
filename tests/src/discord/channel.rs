//! Channels, threads and direct messages, as state and as the objects that the API shows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{message::Message, people::OWNER, time::iso};

/// The kinds that the fake has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelKind {
    /// A guild's text channel.
    Text,
    /// One person and one bot.
    Direct,
    /// Posts that others subscribe to.
    Announcement,
    /// A thread that everybody of the channel sees.
    Thread,
    /// A thread for its members.
    PrivateThread,
    /// Only threads.
    Forum,
}

impl ChannelKind {
    /// The number on the wire.
    pub fn number(self) -> u8 {
        match self {
            Self::Text => 0,
            Self::Direct => 1,
            Self::Announcement => 5,
            Self::Thread => 11,
            Self::PrivateThread => 12,
            Self::Forum => 15,
        }
    }

    /// It hangs below another channel.
    pub fn is_thread(self) -> bool {
        matches!(self, Self::Thread | Self::PrivateThread)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ChannelState {
    pub(crate) id: u64,
    pub(crate) kind: ChannelKind,
    pub(crate) name: String,
    pub(crate) guild: Option<u64>,
    /// A thread's channel.
    pub(crate) parent: Option<u64>,
    /// Person and bot of a direct channel.
    pub(crate) pair: Option<(u64, u64)>,
    pub(crate) messages: BTreeMap<u64, Message>,
    /// Seconds between two messages of one author.
    pub(crate) slowmode: u64,
    pub(crate) thread: Option<Thread>,
    /// Those who do not see it.
    pub(crate) hidden_from: BTreeSet<u64>,
    /// Those who may not write.
    pub(crate) silent: BTreeSet<u64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) owner: u64,
    pub(crate) created: i64,
    pub(crate) archived: bool,
    pub(crate) locked: bool,
    pub(crate) members: BTreeSet<u64>,
    pub(crate) auto_archive: u64,
}

impl ChannelState {
    pub(crate) fn new(id: u64, kind: ChannelKind, name: &str) -> Self {
        Self {
            id,
            kind,
            name: name.to_owned(),
            guild: None,
            parent: None,
            pair: None,
            messages: BTreeMap::new(),
            slowmode: 0,
            thread: None,
            hidden_from: BTreeSet::new(),
            silent: BTreeSet::new(),
        }
    }

    /// The `Channel` object; `recipient` is the person of a direct channel.
    pub(crate) fn object(&self, recipient: Option<Value>) -> Value {
        let seen_by_all = |message: &&Message| message.only.is_none();
        let last = self.messages.values().rev().find(seen_by_all).map(|message| message.id.to_string());
        let mut object = Map::new();
        let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
        put("id", self.id.to_string().into());
        put("type", self.kind.number().into());
        put("flags", 0.into());
        put("last_message_id", json!(last));
        if self.kind == ChannelKind::Direct {
            put("name", Value::Null);
            put("recipients", recipient.into_iter().collect());
            return object.into();
        }
        put("name", self.name.clone().into());
        put("guild_id", json!(self.guild.map(|id| id.to_string())));
        put("parent_id", json!(self.parent.map(|id| id.to_string())));
        put("rate_limit_per_user", self.slowmode.into());
        match &self.thread {
            Some(thread) => object.extend(self.thread_fields(thread)),
            None => object.extend(self.channel_fields()),
        }
        object.into()
    }

    fn channel_fields(&self) -> Map<String, Value> {
        let mut fields = json!({
            "position": 0, "permission_overwrites": [], "nsfw": false, "topic": null, "last_pin_timestamp": null,
        });
        if let (ChannelKind::Forum, Some(fields)) = (self.kind, fields.as_object_mut()) {
            let forum = json!({
                "available_tags": [], "default_reaction_emoji": null, "default_sort_order": null,
                "default_forum_layout": 0,
            });
            fields.extend(forum.as_object().cloned().unwrap_or_default());
        }
        fields.as_object().cloned().unwrap_or_default()
    }

    fn thread_fields(&self, thread: &Thread) -> Map<String, Value> {
        let count = self.messages.len();
        let mut metadata = json!({
            "archived": thread.archived, "auto_archive_duration": thread.auto_archive,
            "archive_timestamp": iso(thread.created), "locked": thread.locked, "create_timestamp": iso(thread.created),
        });
        if let (ChannelKind::PrivateThread, Some(fields)) = (self.kind, metadata.as_object_mut()) {
            fields.insert("invitable".into(), true.into());
        }
        let fields = json!({
            "owner_id": thread.owner.to_string(), "thread_metadata": metadata, "message_count": count,
            "member_count": thread.members.len(), "total_message_sent": count, "last_pin_timestamp": null,
        });
        fields.as_object().cloned().unwrap_or_default()
    }

    /// All that is told of a thread that is gone.
    pub(crate) fn stub(&self) -> Value {
        json!({
            "id": self.id.to_string(), "guild_id": self.guild.map(|id| id.to_string()),
            "parent_id": self.parent.map(|id| id.to_string()), "type": self.kind.number(),
        })
    }

    /// The `ThreadMember` object of one of its members.
    pub(crate) fn thread_member(&self, user: u64) -> Option<Value> {
        let thread = self.thread.as_ref().filter(|thread| thread.members.contains(&user))?;
        Some(json!({
            "id": self.id.to_string(), "user_id": user.to_string(), "join_timestamp": iso(thread.created), "flags": 1,
        }))
    }

    /// A thread that was just opened.
    pub(crate) fn threaded(mut self, owner: u64, created: i64) -> Self {
        let members = BTreeSet::from([owner]);
        self.thread =
            Some(Thread { owner, created, archived: false, locked: false, members, auto_archive: 1440 });
        self
    }

    /// Everything about it is shown to whoever owns the guilds.
    pub(crate) fn visible_to(&self, user: u64) -> bool {
        let invited = match (&self.thread, self.kind) {
            (Some(thread), ChannelKind::PrivateThread) => thread.members.contains(&user),
            _ => true,
        };
        user == OWNER || (invited && !self.hidden_from.contains(&user))
    }
}
