//! `channels`: the bots, their tokens and their doors.

use pensive_directives::{Fast, Level, Reasoning, Verbose};
use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{Entries, Id, SecretText, Switch, Text};
use crate::channels::{DirectPolicy, GroupPolicy, MentionKind, RichMessages, Streaming};
use crate::defaults;
use crate::format::{Address, Url};

/// Where people are.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Channels {
    /// Telegram bots. Without this block there is one when `TELEGRAM_BOT_TOKEN` is in the environment.
    pub(crate) telegram: Option<Telegram>,
    /// Discord bots. Without this block there is one when `DISCORD_BOT_TOKEN` is in the environment.
    pub(crate) discord: Option<Discord>,
    /// The web page.
    #[serde(default)]
    pub(crate) web: Web,
}

/// Telegram bots.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Telegram {
    #[serde(flatten)]
    pub(crate) keys: TelegramKeys,
    #[serde(flatten)]
    pub(crate) door: DoorKeys,
    /// More bots: a name and the same keys. What an account does not say holds as in the block around it.
    #[serde(default)]
    pub(crate) accounts: Entries<TelegramEntry>,
}

/// One of several Telegram bots.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct TelegramEntry {
    #[serde(flatten)]
    pub(crate) keys: TelegramKeys,
    #[serde(flatten)]
    pub(crate) door: DoorKeys,
}

/// The keys of a Telegram bot.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TelegramKeys {
    /// Whether it is on.
    #[schemars(extend("default" = true))]
    pub(crate) enabled: Option<bool>,
    /// The token that @BotFather gave.
    #[schemars(extend("default" = { "env": "TELEGRAM_BOT_TOKEN" }))]
    pub(crate) bot_token: Option<SecretText>,
    /// How an answer is shown while it is made.
    #[schemars(extend("default" = "partial"))]
    pub(crate) streaming: Option<Streaming>,
    /// Whether rich messages are used: where they show what plain ones cannot, always, or never.
    #[schemars(extend("default" = "auto"))]
    pub(crate) rich_messages: Option<RichMessages>,
    /// Another Bot API server.
    #[schemars(extend("default" = defaults::TELEGRAM_ROOT))]
    pub(crate) api_root: Option<Text<Url>>,
    /// Words besides the bot's name that count as addressing it in groups.
    pub(crate) mention_patterns: Option<Vec<String>>,
    /// Our public address, for a webhook instead of polling.
    pub(crate) webhook_url: Option<Text<Url>>,
    /// What proves that a webhook's caller is Telegram.
    pub(crate) webhook_secret: Option<SecretText>,
    /// What heartbeats may show.
    pub(crate) heartbeat: Option<HeartbeatVisibility>,
}

/// Discord bots.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Discord {
    #[serde(flatten)]
    pub(crate) keys: DiscordKeys,
    #[serde(flatten)]
    pub(crate) door: DoorKeys,
    /// More bots: a name and the same keys. What an account does not say holds as in the block around it.
    #[serde(default)]
    pub(crate) accounts: Entries<DiscordEntry>,
}

/// One of several Discord bots.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct DiscordEntry {
    #[serde(flatten)]
    pub(crate) keys: DiscordKeys,
    #[serde(flatten)]
    pub(crate) door: DoorKeys,
}

/// The keys of a Discord bot.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiscordKeys {
    /// Whether it is on.
    #[schemars(extend("default" = true))]
    pub(crate) enabled: Option<bool>,
    /// The bot's token.
    #[schemars(extend("default" = { "env": "DISCORD_BOT_TOKEN" }))]
    pub(crate) token: Option<SecretText>,
    /// Rules by guild id; `*` for all others.
    pub(crate) guilds: Option<Entries<Guild>>,
    /// How an answer is shown while it is made.
    #[schemars(extend("default" = "progress"))]
    pub(crate) streaming: Option<Streaming>,
    /// Another server with Discord's API.
    #[schemars(extend("default" = defaults::DISCORD_ROOT))]
    pub(crate) api_root: Option<Text<Url>>,
    /// Words besides the bot's name that count as addressing it in guilds.
    pub(crate) mention_patterns: Option<Vec<String>>,
    /// Whom mentions in what the bot writes ping. Nobody, unless listed.
    #[schemars(extend("default" = []))]
    pub(crate) allowed_mentions: Option<Vec<MentionKind>>,
    /// Whether links in what the bot writes get previews.
    #[schemars(extend("default" = false))]
    pub(crate) link_previews: Option<bool>,
    /// Whether messages of other bots and of webhooks are heard. They must be admitted like people.
    #[schemars(extend("default" = false))]
    pub(crate) allow_bots: Option<bool>,
    /// Where slash commands are published: everywhere (`"global"`), nowhere (`"off"`), or in the guilds with these ids,
    /// where changes are seen at once.
    #[schemars(extend("default" = "global"))]
    pub(crate) commands: Option<SlashCommands>,
    /// How many connections the bot is split over. Without it as many as Discord recommends.
    #[schemars(range(min = 1, max = 1024))]
    pub(crate) shards: Option<u32>,
    /// What heartbeats may show.
    pub(crate) heartbeat: Option<HeartbeatVisibility>,
}

/// Where slash commands are published.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum SlashCommands {
    /// Everywhere or nowhere.
    Word(SlashWord),
    /// In these guilds alone.
    Guilds(Vec<Id>),
}

/// Where slash commands are published, in one word.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SlashWord {
    /// Everywhere that the bot is.
    Global,
    /// Nowhere.
    Off,
}

/// Who may come in. Closed unless said otherwise; ids match exactly. On Discord lists of people may also hold roles, as
/// `"role:ID"`; they hold where the person speaks in the role's guild.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DoorKeys {
    /// Whom direct messages are open to.
    #[schemars(extend("default" = "pairing"))]
    pub(crate) dm_policy: Option<DirectPolicy>,
    /// Who is admitted to direct messages, by id. `*` is everybody, with `dmPolicy: "open"`.
    pub(crate) allow_from: Option<Vec<Id>>,
    /// Whom groups are open to.
    #[schemars(extend("default" = "allowlist"))]
    pub(crate) group_policy: Option<GroupPolicy>,
    /// Who is admitted in groups, by id; on Discord also by role, as `"role:ID"`. Without it as in `allowFrom`.
    pub(crate) group_allow_from: Option<Vec<Id>>,
    /// The groups that are served, by id, each with its rules; `*` for all others.
    pub(crate) groups: Option<Entries<Group>>,
    /// Rules of direct chats, by the person's id; `*` for all others.
    pub(crate) direct: Option<Entries<Direct>>,
}

/// The rules of one group.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Group {
    #[serde(flatten)]
    pub(crate) rule: GroupKeys,
    /// What differs in single topics or threads, by id.
    #[serde(default)]
    pub(crate) topics: Entries<Topic>,
}

/// The rules of one guild.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Guild {
    #[serde(flatten)]
    pub(crate) rule: GroupKeys,
    /// What differs in single channels or threads, by id.
    #[serde(default)]
    pub(crate) channels: Entries<Topic>,
}

/// The rules of one direct chat.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Direct {
    #[serde(flatten)]
    pub(crate) chat: ChatKeys,
    /// What differs in single topics, by id.
    #[serde(default)]
    pub(crate) topics: Entries<Topic>,
}

/// What differs in one topic or thread.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Topic {
    /// Whether a message must be addressed to the bot. Without it as in the chat.
    pub(crate) require_mention: Option<bool>,
    /// Who may speak here, by id; on Discord also by role, as `"role:ID"`. Without it as in the chat.
    pub(crate) allow_from: Option<Vec<Id>>,
    #[serde(flatten)]
    pub(crate) chat: ChatKeys,
}

/// The keys of a group or guild.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupKeys {
    /// Whether a message must be addressed to the bot.
    #[schemars(extend("default" = true))]
    pub(crate) require_mention: Option<bool>,
    /// Whether a bare command counts as addressed.
    #[schemars(extend("default" = true))]
    pub(crate) bare_commands: Option<bool>,
    /// Who may speak here, by id; on Discord also by role, as `"role:ID"`. Without it as in the account.
    pub(crate) allow_from: Option<Vec<Id>>,
    /// Whether reasoning may be shown here.
    #[schemars(extend("default" = false))]
    pub(crate) reasoning_in_groups: Option<bool>,
    #[serde(flatten)]
    pub(crate) chat: ChatKeys,
}

/// What may be set for any chat.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChatKeys {
    /// How hard the model thinks here where nobody says otherwise.
    pub(crate) thinking_default: Option<Text<Level>>,
    /// Whether model calls ask for the provider's fast lane here.
    pub(crate) fast_mode_default: Option<Switch<Fast>>,
    /// How much of the work with tools is shown here.
    pub(crate) verbose_default: Option<Switch<Verbose>>,
    /// Whether the model's reasoning is shown here.
    pub(crate) reasoning_default: Option<Switch<Reasoning>>,
    /// Put behind the agent's prompt here.
    pub(crate) prompt: Option<String>,
}

/// What heartbeats may show. With all three off none runs.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct HeartbeatVisibility {
    /// Acknowledgements that nothing needs attention.
    #[schemars(extend("default" = false))]
    pub(crate) show_ok: Option<bool>,
    /// What needs attention.
    #[schemars(extend("default" = true))]
    pub(crate) show_alerts: Option<bool>,
    /// A sign that a beat is running.
    #[schemars(extend("default" = true))]
    pub(crate) use_indicator: Option<bool>,
}

/// The web page.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Web {
    /// Whether it is on.
    #[schemars(extend("default" = true))]
    pub(crate) enabled: Option<bool>,
    /// Where it listens: `address:port`.
    #[schemars(extend("default" = defaults::WEB_BIND))]
    pub(crate) bind: Option<Text<Address>>,
}
