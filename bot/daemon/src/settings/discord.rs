//! A Discord account's settings from the configuration, with its token read.

use pensive_config::{DiscordAccount, MentionKind, SecretFault, SlashCommands};
use pensive_contract::ids::SpaceId;
use pensive_contract::secret::Secret;
use pensive_discord::{DiscordSettings, Pings, Registration};

/// The settings, and why there is no token where there is none: such an account still keeps what it owes, and waits.
/// Blocks on the token's place.
pub(crate) fn discord(account: &DiscordAccount) -> (DiscordSettings, Option<SecretFault>) {
    let (token, fault) = match account.token.read() {
        Ok(token) => (token, None),
        Err(fault) => (Secret::new(""), Some(fault)),
    };
    let settings = DiscordSettings {
        account: account.account.clone(),
        token,
        token_from: account.token.place(),
        api_root: account.api_root.clone(),
        mention_patterns: account.mention_patterns.clone(),
        pings: pings(&account.allowed_mentions),
        link_previews: account.link_previews,
        hears_bots: account.allow_bots,
        commands: registration(&account.commands),
        shards: account.shards,
    };
    (settings, fault)
}

fn pings(allowed: &[MentionKind]) -> Pings {
    Pings {
        users: allowed.contains(&MentionKind::Users),
        roles: allowed.contains(&MentionKind::Roles),
        everyone: allowed.contains(&MentionKind::Everyone),
        replied: allowed.contains(&MentionKind::RepliedUser),
    }
}

fn registration(commands: &SlashCommands) -> Registration {
    match commands {
        SlashCommands::Global => Registration::Global,
        SlashCommands::Off => Registration::Off,
        SlashCommands::Guilds(ids) => {
            Registration::Guilds(ids.iter().map(|id| SpaceId::from(id.as_str())).collect())
        }
    }
}
