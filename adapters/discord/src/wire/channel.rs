//! Guilds with their roles, and channels (<https://docs.discord.com/developers/resources/channel>).

use serde::Deserialize;

use super::lenient::{each, id, lenient, maybe_id, number, text};

/// A guild. Its members, emojis and whatever else it comes with are not read.
#[derive(Debug, Deserialize)]
pub(crate) struct Guild {
    #[serde(deserialize_with = "id")]
    pub(crate) id: u64,
    #[serde(default, deserialize_with = "each")]
    pub(crate) channels: Vec<Channel>,
    /// Those that are active and that we can see.
    #[serde(default, deserialize_with = "each")]
    pub(crate) threads: Vec<Channel>,
    #[serde(default, deserialize_with = "each")]
    pub(crate) roles: Vec<Role>,
}

/// Something that is no more.
#[derive(Debug, Deserialize)]
pub(crate) struct Gone {
    #[serde(deserialize_with = "id")]
    pub(crate) id: u64,
}

/// A channel or a thread.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Channel {
    #[serde(deserialize_with = "id")]
    pub(crate) id: u64,
    #[serde(default, rename = "type", deserialize_with = "number")]
    pub(crate) kind: Option<i64>,
    #[serde(default, deserialize_with = "maybe_id")]
    pub(crate) guild_id: Option<u64>,
    /// The channel of a thread; the category of any other.
    #[serde(default, deserialize_with = "maybe_id")]
    pub(crate) parent_id: Option<u64>,
    #[serde(default, deserialize_with = "text")]
    pub(crate) name: Option<String>,
}

/// Threads of one guild.
#[derive(Debug, Deserialize)]
pub(crate) struct Threads {
    #[serde(deserialize_with = "id")]
    pub(crate) guild_id: u64,
    #[serde(default, deserialize_with = "each")]
    pub(crate) threads: Vec<Channel>,
}

/// A role of a guild.
#[derive(Debug, Deserialize)]
pub(crate) struct GuildRole {
    #[serde(deserialize_with = "id")]
    pub(crate) guild_id: u64,
    pub(crate) role: Role,
}

/// A role.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Role {
    #[serde(deserialize_with = "id")]
    pub(crate) id: u64,
    #[serde(default, deserialize_with = "text")]
    pub(crate) name: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) tags: Tags,
}

/// What a role is for, where Discord made it.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Tags {
    /// The bot whose own role it is.
    #[serde(default, deserialize_with = "maybe_id")]
    pub(crate) bot_id: Option<u64>,
}
