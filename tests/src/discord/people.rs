//! People and bots: who there is, and the objects that the API shows for them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// An account, a person's or a bot's.
#[derive(Clone, Debug)]
pub(crate) struct User {
    pub(crate) id: u64,
    /// Lower case, as it is unique.
    pub(crate) username: String,
    /// What others see.
    pub(crate) name: String,
    pub(crate) bot: bool,
    /// Takes direct messages from nobody.
    pub(crate) closed: bool,
}

impl User {
    /// User name and shown name from one word.
    pub(crate) fn new(id: u64, name: &str, bot: bool) -> Self {
        let word: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let username = if word.is_empty() { format!("user{id}") } else { word.to_ascii_lowercase() };
        Self { id, username, name: name.to_owned(), bot, closed: false }
    }

    /// The `User` object.
    pub(crate) fn object(&self) -> Value {
        let shown = (!self.bot).then_some(&self.name);
        let mut user = json!({
            "id": self.id.to_string(), "username": if self.bot { &self.name } else { &self.username },
            "discriminator": if self.bot { "0001" } else { "0" }, "global_name": shown, "avatar": null,
            "avatar_decoration_data": null, "collectibles": null, "primary_guild": null, "public_flags": 0,
        });
        if let (true, Some(fields)) = (self.bot, user.as_object_mut()) {
            fields.insert("bot".into(), true.into());
        }
        user
    }
}

/// What only bots have.
#[derive(Clone, Debug)]
pub(crate) struct Bot {
    pub(crate) id: u64,
    pub(crate) token: String,
    /// The token is known to the server.
    pub(crate) valid: bool,
    /// Privileged intents that are switched on in the developer portal.
    pub(crate) privileged: u64,
    /// How many shards are recommended.
    pub(crate) shards: u32,
    /// Of so many sessions a day, these are left.
    pub(crate) starts_left: u32,
    /// When the session starts come back, for `gateway/bot`.
    pub(crate) resets_at: i64,
    /// Registered commands by id, the guild's id with those of one guild.
    pub(crate) commands: BTreeMap<u64, (Option<u64>, Value)>,
    /// Guilds that gave it no right to have commands.
    pub(crate) no_commands: BTreeSet<u64>,
    /// When each shard identified last.
    pub(crate) identified: BTreeMap<u32, i64>,
}

/// Message content, members and presences.
pub(crate) const PRIVILEGED: u64 = MESSAGE_CONTENT | 1 << 1 | 1 << 8;
/// The intent without which messages come empty.
pub(crate) const MESSAGE_CONTENT: u64 = 1 << 15;
/// Sessions that a bot may start in a day.
pub(crate) const STARTS: u32 = 1_000;

impl Bot {
    pub(crate) fn new(id: u64, token: &str) -> Self {
        Self {
            id,
            token: token.to_owned(),
            valid: true,
            privileged: MESSAGE_CONTENT,
            shards: 1,
            starts_left: STARTS,
            resets_at: 0,
            commands: BTreeMap::new(),
            no_commands: BTreeSet::new(),
            identified: BTreeMap::new(),
        }
    }

    /// `ApplicationFlags`: small bots have the limited kinds.
    pub(crate) fn flags(&self) -> u64 {
        let flag = |intent: u64, flag: u64| if self.privileged & intent != 0 { flag } else { 0 };
        let commands = if self.commands.is_empty() { 0 } else { 1 << 23 };
        flag(MESSAGE_CONTENT, 1 << 19) | flag(1 << 1, 1 << 15) | flag(1 << 8, 1 << 13) | commands
    }

    /// The `Application` object.
    pub(crate) fn application(&self, user: &Value) -> Value {
        json!({
            "id": self.id.to_string(), "name": user.get("username"), "icon": null, "description": "",
            "summary": "", "bot_public": true, "bot_require_code_grant": false, "bot": user,
            "verify_key": "0".repeat(64), "team": null, "flags": self.flags(), "flags_new": self.flags().to_string(),
            "owner": owner(), "integration_types_config": {"0": {}}, "approximate_guild_count": 1,
            "interactions_endpoint_url": null, "redirect_uris": [],
        })
    }
}

/// Whoever made the bots, and owns every guild.
pub(crate) const OWNER: u64 = 90_000_000_000_000_001;

pub(crate) fn owner() -> Value {
    User::new(OWNER, "Owner", false).object()
}
