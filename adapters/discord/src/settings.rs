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

impl DiscordSettings {
    /// The same with what people copy along taken off: the path of the API behind the server's address, and the word that stands before
    /// a token in a header.
    pub(crate) fn trimmed(self) -> Self {
        let token = self.token.expose().trim();
        let token = Secret::new(token.strip_prefix("Bot ").unwrap_or(token).trim());
        Self { api_root: server(&self.api_root).to_owned(), token, ..self }
    }
}

/// `https://discord.com` of `https://discord.com/api/v10/`.
fn server(root: &str) -> &str {
    let root = root.trim().trim_end_matches('/');
    let is_version = |name: &str| name.strip_prefix('v').is_some_and(|number| number.parse::<u8>().is_ok());
    let unversioned =
        root.rsplit_once('/').filter(|(_, name)| is_version(name)).map_or(root, |(before, _)| before);
    unversioned.strip_suffix("/api").unwrap_or(root)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_address_is_taken_as_people_copy_it() {
        let check = |root: &str, expected: &str| assert_eq!(server(root), expected, "{root}");
        check("https://discord.com", "https://discord.com");
        check(" https://discord.com/ ", "https://discord.com");
        check("https://discord.com/api", "https://discord.com");
        check("https://discord.com/api/v10/", "https://discord.com");
        check("http://127.0.0.1:9/own/api", "http://127.0.0.1:9/own");
        check("http://127.0.0.1:9/v10", "http://127.0.0.1:9/v10");
    }
}
