//! Messages and who writes them (<https://docs.discord.com/developers/resources/message>).

use serde::Deserialize;

use super::lenient::{each, id, ids, lenient, list, maybe_id, number, text};

/// A message, or what it has become.
#[derive(Debug, Deserialize)]
pub(crate) struct Message {
    #[serde(deserialize_with = "id")]
    pub(crate) id: u64,
    #[serde(deserialize_with = "id")]
    pub(crate) channel_id: u64,
    #[serde(default, deserialize_with = "maybe_id")]
    pub(crate) guild_id: Option<u64>,
    #[serde(default, rename = "type", deserialize_with = "number")]
    pub(crate) kind: Option<i64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) author: Option<User>,
    /// What its author is in the guild.
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) member: Member,
    #[serde(default, deserialize_with = "maybe_id")]
    pub(crate) webhook_id: Option<u64>,
    /// When its author last changed it.
    #[serde(default, deserialize_with = "text")]
    pub(crate) edited_timestamp: Option<String>,
    /// What it says; it stands beside the rest.
    #[serde(skip)]
    pub(crate) content: Content,
    /// The message that this one answers.
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) referenced_message: Option<Replied>,
    /// What was forwarded in it.
    #[serde(default, deserialize_with = "each")]
    pub(crate) message_snapshots: Vec<Snapshot>,
}

impl Message {
    pub(super) fn read(data: &str) -> serde_json::Result<Box<Self>> {
        // Two readings, because what serde flattens it first takes apart, and then no field reads leniently any more.
        let message = Self { content: serde_json::from_str(data)?, ..serde_json::from_str(data)? };
        Ok(Box::new(message))
    }
}

/// What a message says and brings.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Content {
    #[serde(default, rename = "content", deserialize_with = "text")]
    pub(crate) text: Option<String>,
    #[serde(default, deserialize_with = "number")]
    pub(crate) flags: Option<i64>,
    /// Whom its text mentions, and whom it answers if that is to be noticed.
    #[serde(default, deserialize_with = "list")]
    pub(crate) mentions: Option<Vec<User>>,
    /// Which roles its text mentions.
    #[serde(default, deserialize_with = "ids")]
    pub(crate) mention_roles: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "each")]
    pub(crate) attachments: Vec<File>,
    #[serde(default, deserialize_with = "each")]
    pub(crate) sticker_items: Vec<Sticker>,
}

/// The message that another one answers. Its text is another person's and is not read.
#[derive(Debug, Deserialize)]
pub(crate) struct Replied {
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) author: Option<User>,
}

/// A message as it was when somebody forwarded it.
#[derive(Debug, Deserialize)]
pub(crate) struct Snapshot {
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) message: Content,
}

/// A person, a bot or a webhook.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct User {
    #[serde(deserialize_with = "id")]
    pub(crate) id: u64,
    #[serde(default, deserialize_with = "text")]
    pub(crate) username: Option<String>,
    #[serde(default, deserialize_with = "text")]
    pub(crate) global_name: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) bot: bool,
    /// Whether it is Discord itself.
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) system: bool,
    /// What a mentioned user is in the guild.
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) member: Nick,
}

/// How a member is called in a guild.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Nick {
    #[serde(default, deserialize_with = "text")]
    pub(crate) nick: Option<String>,
}

/// What somebody is in a guild.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Member {
    #[serde(default, deserialize_with = "text")]
    pub(crate) nick: Option<String>,
    #[serde(default, deserialize_with = "ids")]
    pub(crate) roles: Option<Vec<u64>>,
    /// Who it is; only interactions tell it here.
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) user: Option<User>,
}

/// A file that came with a message.
#[derive(Debug, Deserialize)]
pub(crate) struct File {
    #[serde(default, deserialize_with = "text")]
    pub(crate) filename: Option<String>,
    #[serde(default, deserialize_with = "text")]
    pub(crate) content_type: Option<String>,
    #[serde(default, deserialize_with = "number")]
    pub(crate) size: Option<i64>,
    #[serde(default, deserialize_with = "text")]
    pub(crate) url: Option<String>,
}

/// A sticker.
#[derive(Debug, Deserialize)]
pub(crate) struct Sticker {
    #[serde(deserialize_with = "id")]
    pub(crate) id: u64,
    #[serde(default, deserialize_with = "text")]
    pub(crate) name: Option<String>,
    #[serde(default, deserialize_with = "number")]
    pub(crate) format_type: Option<i64>,
}
