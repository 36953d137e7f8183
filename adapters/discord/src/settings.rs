//! What an account needs to be told.

use pensive_contract::ids::{Account, SpaceId};
use pensive_contract::secret::Secret;

/// One bot account.
#[derive(Debug, Clone)]
pub struct DiscordSettings {
    /// Its name in the configuration.
    pub account: Account,
    /// The bot's token.
    pub token: Secret,
    /// Where the token was read, in words that an operator can act on, such as the name of a variable.
    pub token_from: String,
    /// The server with Discord's API, `https://discord.com` or one's own; the paths begin with `/api/v10` behind it.
    pub api_root: String,
    /// Further words that call the bot in guilds, as regular expressions; case does not matter.
    pub mention_patterns: Vec<String>,
    /// Whom mentions in our messages ping.
    pub pings: Pings,
    /// Whether links in our messages get previews.
    pub link_previews: bool,
    /// Whether other bots and webhooks are heard.
    pub hears_bots: bool,
    /// Where slash commands are published.
    pub commands: Registration,
    /// How many shards the line has; nothing means as many as Discord recommends.
    pub shards: Option<u32>,
}

/// Whom the mentions in our messages ping; by default nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pings {
    /// Members who are named.
    pub users: bool,
    /// Roles that are named.
    pub roles: bool,
    /// `@everyone` and `@here`.
    pub everyone: bool,
    /// The author of the message that is answered.
    pub replied: bool,
}

/// Where slash commands are published.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Registration {
    /// Everywhere that the bot is, direct messages included.
    #[default]
    Global,
    /// In these guilds alone, where changes are seen at once.
    Guilds(Vec<SpaceId>),
    /// Nowhere.
    Off,
}
