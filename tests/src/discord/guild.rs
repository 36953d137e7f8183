//! Guilds with their roles and members, as state and as the objects that the API shows.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{people::OWNER, time::iso};

/// What everybody may: see and write, also in threads, with links, files and commands.
pub(crate) const ORDINARY: u64 =
    1 << 6 | 1 << 10 | 1 << 11 | 1 << 14 | 1 << 15 | 1 << 16 | 1 << 18 | 1 << 31 | 1 << 35 | 1 << 38;

#[derive(Clone, Debug)]
pub(crate) struct GuildState {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) roles: Vec<Role>,
    pub(crate) members: BTreeMap<u64, Membership>,
    /// An outage keeps it from its members.
    pub(crate) away: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Role {
    pub(crate) id: u64,
    pub(crate) name: String,
    /// The bot that Discord made it for and nobody else can have it.
    pub(crate) bot: Option<u64>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Membership {
    pub(crate) roles: Vec<u64>,
    pub(crate) nick: Option<String>,
    pub(crate) joined: i64,
}

impl GuildState {
    /// Only the role of everybody, whose id is the guild's.
    pub(crate) fn new(id: u64, name: &str) -> Self {
        let everyone = Role { id, name: "@everyone".into(), bot: None };
        Self { id, name: name.to_owned(), roles: vec![everyone], members: BTreeMap::new(), away: false }
    }

    /// The id of a role that somebody made.
    pub(crate) fn role_named(&self, name: &str) -> Option<u64> {
        let mut made = self.roles.iter().filter(|role| role.bot.is_none());
        made.find(|role| role.name == name).map(|role| role.id)
    }

    /// The `Guild` object as REST gives it.
    pub(crate) fn object(&self) -> Value {
        let roles = self.roles.iter().enumerate().map(|(place, role)| role.object(place));
        json!({
            "id": self.id.to_string(), "name": self.name, "icon": null, "splash": null, "banner": null,
            "description": null, "features": [], "discovery_splash": null, "home_header": null,
            "owner_id": OWNER.to_string(), "region": "deprecated", "afk_channel_id": null, "afk_timeout": 300,
            "widget_enabled": false, "widget_channel_id": null, "verification_level": 0,
            "default_message_notifications": 1, "explicit_content_filter": 0, "roles": roles.collect::<Value>(),
            "emojis": [], "stickers": [], "mfa_level": 0, "application_id": null, "system_channel_id": null,
            "system_channel_flags": 0, "rules_channel_id": null, "max_presences": null, "max_members": 500_000,
            "max_video_channel_users": 25, "max_stage_video_channel_users": 50, "vanity_url_code": null,
            "premium_tier": 0, "premium_subscription_count": 0, "premium_progress_bar_enabled": false,
            "preferred_locale": "en-US", "public_updates_channel_id": null, "safety_alerts_channel_id": null,
            "nsfw_level": 0, "hub_type": null, "incidents_data": null, "latest_onboarding_question_id": null,
        })
    }

    /// The object without its user, as it stands beside the author of a message.
    pub(crate) fn member(&self, user: u64) -> Option<Map<String, Value>> {
        let member = self.members.get(&user)?;
        let roles: Vec<String> = member.roles.iter().map(u64::to_string).collect();
        let object = json!({
            "avatar": null, "banner": null, "communication_disabled_until": null, "deaf": false, "flags": 0,
            "joined_at": iso(member.joined), "mute": false, "nick": member.nick, "pending": false,
            "premium_since": null, "roles": roles,
        });
        object.as_object().cloned()
    }
}

impl Role {
    /// The `Role` object; `place` is its place among the guild's.
    pub(crate) fn object(&self, place: usize) -> Value {
        let mut role = json!({
            "id": self.id.to_string(), "name": self.name, "color": 0,
            "colors": {"primary_color": 0, "secondary_color": null, "tertiary_color": null}, "hoist": false,
            "icon": null, "unicode_emoji": null, "position": place, "permissions": ORDINARY.to_string(),
            "managed": self.bot.is_some(), "mentionable": self.bot.is_none(), "flags": 0,
        });
        if let (Some(bot), Some(fields)) = (self.bot, role.as_object_mut()) {
            fields.insert("tags".into(), json!({"bot_id": bot.to_string()}));
        }
        role
    }
}
