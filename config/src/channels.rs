//! Channels: one entry for each bot, with its secrets and the rules of its door.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use pensive_contract::ids::Account;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::agents::DirectiveDefaults;
use crate::secret::SecretSource;

/// A Telegram bot.
#[derive(Debug, Clone)]
pub struct TelegramAccount {
    /// Its name in this installation.
    pub account: Account,
    /// The token that `@BotFather` gave.
    pub token: SecretSource,
    /// The Bot API server, without a slash at the end.
    pub api_root: String,
    /// Who may come in.
    pub door: Door,
    /// How an answer is shown while it is made.
    pub streaming: Streaming,
    /// Whether rich messages are used.
    pub rich_messages: RichMessages,
    /// Words besides the bot's name that count as addressing it in groups.
    pub mention_patterns: Vec<String>,
    /// Telegram calls us here; nothing for polling.
    pub webhook: Option<Webhook>,
    /// What heartbeats may show.
    pub heartbeat: HeartbeatVisibility,
}

/// Where Telegram calls us.
#[derive(Debug, Clone)]
pub struct Webhook {
    /// The public address.
    pub url: String,
    /// What proves that the caller is Telegram.
    pub secret: SecretSource,
}

/// A Discord bot.
#[derive(Debug, Clone)]
pub struct DiscordAccount {
    /// Its name in this installation.
    pub account: Account,
    /// The bot's token.
    pub token: SecretSource,
    /// The server with Discord's API, without a slash at the end.
    pub api_root: String,
    /// Who may come in; its groups are the channels that have rules.
    pub door: Door,
    /// Rules by guild id; `*` for all others.
    pub guilds: BTreeMap<String, GroupRule>,
    /// How an answer is shown while it is made.
    pub streaming: Streaming,
    /// Words besides the bot's name that count as addressing it in guilds.
    pub mention_patterns: Vec<String>,
    /// Whom mentions in our messages ping.
    pub allowed_mentions: Vec<MentionKind>,
    /// Whether links in our messages get previews.
    pub link_previews: bool,
    /// Whether other bots and webhooks are heard.
    pub allow_bots: bool,
    /// Where slash commands are published.
    pub commands: SlashCommands,
    /// How many connections the gateway is split over; nothing for as many as Discord recommends.
    pub shards: Option<u32>,
    /// What heartbeats may show.
    pub heartbeat: HeartbeatVisibility,
}

/// Whom a mention may ping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MentionKind {
    /// People who are named.
    Users,
    /// Roles that are named.
    Roles,
    /// `@everyone` and `@here`.
    Everyone,
    /// Whoever wrote what is answered.
    RepliedUser,
}

/// Where slash commands are published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlashCommands {
    /// Everywhere that the bot is.
    Global,
    /// Nowhere.
    Off,
    /// In these guilds alone.
    Guilds(Vec<String>),
}

/// The web page that the daemon serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPage {
    /// Where it listens; nothing when it is off.
    pub bind: Option<SocketAddr>,
}

/// Who may come in through one account. Closed unless said otherwise; ids match exactly. On Discord lists of people may also
/// hold `role:` and the id of a role.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Door {
    /// For direct messages.
    pub direct: DirectPolicy,
    /// Who is admitted to direct messages; `*` is everybody, where the policy is open.
    pub allow_from: Vec<String>,
    /// For groups and channels.
    pub group: GroupPolicy,
    /// Who is admitted in groups; nothing set means as in direct messages.
    pub group_allow_from: Option<Vec<String>>,
    /// Rules by chat id; `*` for all others.
    pub groups: BTreeMap<String, GroupRule>,
    /// Rules of direct chats, by sender id; `*` for all others.
    pub directs: BTreeMap<String, ChatRule>,
}

/// Whom direct messages are open to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DirectPolicy {
    /// Those on the list, and newcomers that an owner approves.
    #[default]
    Pairing,
    /// Those on the list.
    Allowlist,
    /// Everybody; needs `*` on the list, so that nobody opens a bot by accident.
    Open,
    /// Nobody.
    Disabled,
}

/// Whom groups are open to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GroupPolicy {
    /// The groups that have rules, and in them those on the list.
    #[default]
    Allowlist,
    /// Every group, everybody.
    Open,
    /// No group.
    Disabled,
}

/// The rule of one group, channel or guild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRule {
    /// Whether a message must be addressed to the bot.
    pub require_mention: bool,
    /// Whether a bare command counts as addressed.
    pub bare_commands: bool,
    /// Who may speak here; nothing set means as in the account.
    pub allow_from: Option<Vec<String>>,
    /// Whether reasoning may be shown here.
    pub reasoning: bool,
    /// What holds in the chat, and in its topics or threads.
    pub chat: ChatRule,
}

/// What holds in one chat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatRule {
    /// Starting values of directives here.
    pub defaults: DirectiveDefaults,
    /// Put behind the agent's prompt here; empty for nothing.
    pub prompt: String,
    /// What differs in single topics or threads, by id.
    pub topics: BTreeMap<String, TopicRule>,
}

/// What differs in one topic or thread; nothing where it is as in its chat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TopicRule {
    /// Whether a message must be addressed to the bot.
    pub require_mention: Option<bool>,
    /// Who may speak here.
    pub allow_from: Option<Vec<String>>,
    /// Starting values of directives here.
    pub defaults: DirectiveDefaults,
    /// Put behind the prompt here; empty for nothing.
    pub prompt: String,
}

/// How an answer is shown while it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Streaming {
    /// Not at all.
    Off,
    /// The text so far.
    Partial,
    /// Whole blocks.
    Block,
    /// One line that says what goes on.
    Progress,
}

/// Whether rich messages are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RichMessages {
    /// Where they show what plain ones cannot.
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// What heartbeats may show on an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeartbeatVisibility {
    /// Acknowledgements that nothing needs attention.
    pub show_ok: bool,
    /// What needs attention.
    pub show_alerts: bool,
    /// A sign that a beat is running.
    pub use_indicator: bool,
}
