//! The lines at the start: what was found, what is on, and what to do next.

use pensive_config::{Config, DefaultModel, DirectPolicy, Door, GroupPolicy};
use pensive_contract::ids::Account;
use pensive_contract::intake::AccountState;

use crate::equipment;

/// The lines, in reading order.
pub(crate) fn lines(config: &Config, accounts: &[(Account, AccountState)]) -> Vec<String> {
    let mut lines = vec![settings(config), model(config), format!("data: {}", config.folders.data.display())];
    lines.extend(equipment::lines(config));
    for (account, state) in accounts {
        lines.push(format!("{account}: {}", standing(state)));
        if !matches!(state, AccountState::Parked { .. }) && nobody_may_write(config, account) {
            lines.push(closed(account));
        }
    }
    lines.extend(next(config));
    lines
}

fn settings(config: &Config) -> String {
    match &config.file {
        Some(file) => format!("settings: {}", file.display()),
        None => "settings: defaults, as there is no configuration file".to_owned(),
    }
}

fn model(config: &Config) -> String {
    let name = config.agents.first().map(|agent| agent.model.to_string()).unwrap_or_default();
    let found = match config.default_model {
        DefaultModel::Configured => "as configured".to_owned(),
        DefaultModel::Key(variable) => format!("as {variable} is set"),
        DefaultModel::Rehearsal => {
            "offline rehearsal, as no model and no provider's key was found".to_owned()
        }
        DefaultModel::Adopted => "found running on this machine".to_owned(),
    };
    format!("model: {name} ({found})")
}

fn standing(state: &AccountState) -> String {
    match state {
        AccountState::Starting => "on".to_owned(),
        AccountState::Listening { name } => format!("on ({name})"),
        AccountState::Deaf { why } => format!("on, but hears nothing: {why}"),
        AccountState::Retrying { why } => format!("in trouble, trying again: {why}"),
        AccountState::Parked { why } => format!("off: {why}"),
    }
}

/// Whether an account is a bot whose doors are all shut.
fn nobody_may_write(config: &Config, account: &Account) -> bool {
    let telegram = config.telegram.iter().find(|bot| bot.account == *account).map(|bot| is_shut(&bot.door));
    let discord = config.discord.iter().find(|bot| bot.account == *account);
    let discord = discord.map(|bot| is_shut(&bot.door) && bot.guilds.is_empty());
    telegram.or(discord).unwrap_or(false)
}

fn is_shut(door: &Door) -> bool {
    let direct = match door.direct {
        DirectPolicy::Pairing | DirectPolicy::Allowlist | DirectPolicy::Open => !door.allow_from.is_empty(),
        DirectPolicy::Disabled => false,
    };
    let groups = match door.group {
        GroupPolicy::Allowlist => !door.groups.is_empty(),
        GroupPolicy::Open => true,
        GroupPolicy::Disabled => false,
    };
    !direct && !groups
}

fn closed(account: &Account) -> String {
    format!(
        "  nobody may write to it yet: put your id into channels.{}.allowFrom; a message from you is logged with the id",
        account.channel
    )
}

fn next(config: &Config) -> Vec<String> {
    let mut next = vec!["talk to it: pensive chat (or: cargo run --release -- chat)".to_owned()];
    if config.telegram.is_empty() && config.discord.is_empty() {
        next.push(
            "add a bot: set TELEGRAM_BOT_TOKEN or DISCORD_BOT_TOKEN and start again; README.md has the steps"
                .to_owned(),
        );
    }
    if config.default_model == DefaultModel::Rehearsal {
        next.push(
            "use a real model: set OPENAI_API_KEY or another provider's key and start again".to_owned(),
        );
    }
    next
}

#[cfg(test)]
mod tests {
    use pensive_config::{Sources, load};

    use super::*;

    /// The lines for a file of this text, or without one, and these variables.
    fn greeting(file: Option<&str>, variables: &[(&str, &str)]) -> String {
        let home = tempfile::tempdir().unwrap();
        if let Some(text) = file {
            std::fs::write(home.path().join("pensive.json5"), text).unwrap();
        }
        let env = variables.iter().copied().collect();
        let config = load(Sources { file: None, home: Some(home.path().to_owned()), env }).unwrap();
        let telegram = config.telegram.iter().map(|bot| bot.account.clone());
        let discord = config.discord.iter().map(|bot| bot.account.clone());
        let accounts: Vec<_> =
            telegram.chain(discord).map(|account| (account, AccountState::Starting)).collect();
        lines(&config, &accounts).join("\n")
    }

    fn check(file: Option<&str>, variables: &[(&str, &str)], present: &[&str], absent: &[&str]) {
        let text = greeting(file, variables);
        for part in present {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        for part in absent {
            assert!(!text.contains(part), "{part:?} is in\n{text}");
        }
    }

    #[test]
    fn the_lines_say_what_was_found_what_is_on_and_what_is_next() {
        check(
            None,
            &[],
            &[
                "settings: defaults",
                "rehearsal/echo (offline",
                "set TELEGRAM_BOT_TOKEN",
                "set OPENAI_API_KEY",
            ],
            &["nobody may write"],
        );
        check(
            None,
            &[("TELEGRAM_BOT_TOKEN", "1:x"), ("OPENAI_API_KEY", "sk-x")],
            &[
                "telegram/",
                ": on",
                "nobody may write to it yet: put your id into channels.telegram.allowFrom",
                "as OPENAI_API_KEY is set",
            ],
            &["set TELEGRAM_BOT_TOKEN", "set OPENAI_API_KEY", "sk-x", "1:x"],
        );
        check(
            Some(
                "{ channels: { telegram: { botToken: \"1:x\", dmPolicy: \"allowlist\", allowFrom: [1111] } } }",
            ),
            &[],
            &["pensive.json5", ": on"],
            &["nobody may write"],
        );
        check(
            None,
            &[("DISCORD_BOT_TOKEN", "a.b.c")],
            &["discord/default: on", "put your id into channels.discord.allowFrom"],
            &["set TELEGRAM_BOT_TOKEN", "a.b.c"],
        );
        check(
            Some("{ channels: { discord: { token: \"a.b.c\", guilds: { \"5\": {} } } } }"),
            &[],
            &["discord/default: on"],
            &["nobody may write"],
        );
    }
}
