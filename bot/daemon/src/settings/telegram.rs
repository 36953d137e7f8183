//! A Telegram account's settings from the configuration, with its token read.

use pensive_config::{RichMessages as Rich, SecretFault, TelegramAccount};
use pensive_contract::secret::Secret;
use pensive_telegram::{RichMessages, TelegramSettings};

/// The settings, and why there is no token where there is none: such an account still keeps what it owes, and waits.
/// Blocks on the token's place.
pub(crate) fn telegram(account: &TelegramAccount) -> (TelegramSettings, Option<SecretFault>) {
    let (token, fault) = match account.token.read() {
        Ok(token) => (token, None),
        Err(fault) => (Secret::new(""), Some(fault)),
    };
    let settings = TelegramSettings {
        account: account.account.clone(),
        token,
        token_from: account.token.place(),
        api_root: account.api_root.clone(),
        mention_patterns: account.mention_patterns.clone(),
        rich_messages: match account.rich_messages {
            Rich::Auto => RichMessages::Auto,
            Rich::On => RichMessages::On,
            Rich::Off => RichMessages::Off,
        },
    };
    (settings, fault)
}
