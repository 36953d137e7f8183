//! Users, bots as users, chats and topics: who there is, and the objects that the Bot API shows for them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// Supergroups and channels have ids below this.
pub(crate) const SUPERGROUP_BASE: i64 = -1_000_000_000_000;

/// A person's account.
#[derive(Clone, Debug)]
pub(crate) struct User {
    pub(crate) id: i64,
    pub(crate) first_name: String,
    pub(crate) last_name: Option<String>,
    pub(crate) username: Option<String>,
    pub(crate) language: String,
    /// Bots that this person has written to.
    pub(crate) started: BTreeSet<i64>,
    pub(crate) blocked: BTreeSet<i64>,
    pub(crate) deactivated: bool,
}

impl User {
    /// User name and first name from one word: `Alice` is `@alice_500001`.
    pub(crate) fn new(id: i64, name: &str) -> Self {
        let word: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let username = (!word.is_empty()).then(|| format!("{}_{id}", word.to_ascii_lowercase()));
        Self {
            id,
            first_name: name.to_owned(),
            last_name: None,
            username,
            language: "en".into(),
            started: BTreeSet::new(),
            blocked: BTreeSet::new(),
            deactivated: false,
        }
    }

    /// The `User` object.
    pub(crate) fn object(&self) -> Value {
        let mut user = json!({"id": self.id, "is_bot": false, "first_name": self.first_name});
        optional(&mut user, "last_name", self.last_name.as_deref());
        optional(&mut user, "username", self.username.as_deref());
        optional(&mut user, "language_code", Some(&self.language));
        user
    }
}

/// The four types of a chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatKind {
    /// One person and one bot.
    Private,
    /// A basic group; its ids count per account.
    Group,
    /// A big group, with topics where it is a forum.
    Supergroup,
    /// Posts without a visible author.
    Channel,
}

impl ChatKind {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Group => "group",
            Self::Supergroup => "supergroup",
            Self::Channel => "channel",
        }
    }
}

/// A place where messages stand.
#[derive(Clone, Debug)]
pub(crate) struct Chat {
    pub(crate) id: i64,
    pub(crate) kind: ChatKind,
    pub(crate) title: String,
    pub(crate) username: Option<String>,
    pub(crate) forum: bool,
    pub(crate) topics: BTreeMap<i64, TopicState>,
    /// People and bots.
    pub(crate) members: BTreeSet<i64>,
    pub(crate) admins: BTreeSet<i64>,
}

/// What has become of a forum topic or a topic of a private chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TopicState {
    Open,
    Closed,
    Deleted,
}

impl Chat {
    pub(crate) fn new(id: i64, kind: ChatKind, title: &str) -> Self {
        Self {
            id,
            kind,
            title: title.to_owned(),
            username: None,
            forum: false,
            topics: BTreeMap::new(),
            members: BTreeSet::new(),
            admins: BTreeSet::new(),
        }
    }

    /// The `Chat` object; a private chat shows its person.
    pub(crate) fn object(&self, person: Option<&User>) -> Value {
        let mut chat = json!({"id": self.id});
        match person {
            Some(user) => {
                optional(&mut chat, "first_name", Some(&user.first_name));
                optional(&mut chat, "last_name", user.last_name.as_deref());
                optional(&mut chat, "username", user.username.as_deref());
            }
            None => {
                optional(&mut chat, "title", Some(&self.title));
                optional(&mut chat, "username", self.username.as_deref());
            }
        }
        optional(&mut chat, "type", Some(self.kind.word()));
        if let (true, Some(fields)) = (self.forum, chat.as_object_mut()) {
            fields.insert("is_forum".into(), true.into());
        }
        chat
    }
}

fn optional(object: &mut Value, name: &str, value: Option<&str>) {
    if let (Some(value), Some(fields)) = (value, object.as_object_mut()) {
        fields.insert(name.into(), value.into());
    }
}

/// Fields of a message that belongs to a topic.
pub(crate) fn topic_fields(chat: &Chat, thread: Option<i64>) -> Map<String, Value> {
    let mut fields = Map::new();
    if let Some(thread) = thread {
        fields.insert("message_thread_id".into(), thread.into());
        if chat.topics.contains_key(&thread) {
            fields.insert("is_topic_message".into(), true.into());
        }
    }
    fields
}
