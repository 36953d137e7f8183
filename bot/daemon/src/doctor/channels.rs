//! The accounts: each by what its platform says of it, and by what a running daemon says.

use std::sync::Arc;

use futures::future::{BoxFuture, join_all};
use pensive_config::{Config, Door, TelegramAccount};
use pensive_contract::finding::Finding;
use pensive_telegram::Hearing;
use pensive_terminal::wire::{AccountLine, AccountWord, Status};

use super::{Chapter, Patient};
use crate::settings;

/// One chapter for each account.
pub(super) async fn chapters(patient: &Patient<'_>) -> Vec<Chapter> {
    let Config { telegram, discord, .. } = patient.config;
    let telegram =
        telegram.iter().map(|bot| -> BoxFuture<'_, Chapter> { Box::pin(of_telegram(patient, bot)) });
    let discord = discord.iter().map(|bot| -> BoxFuture<'_, Chapter> { Box::pin(of_discord(patient, bot)) });
    let chapters = join_all(telegram.chain(discord)).await;
    if chapters.is_empty() {
        let advice = "put a bot's token into TELEGRAM_BOT_TOKEN or DISCORD_BOT_TOKEN, or into the file";
        let none = Finding::doubtful("accounts", "no bot is configured: only the terminal can talk", advice);
        return vec![Chapter::new("channels", vec![none])];
    }
    chapters
}

async fn of_telegram(patient: &Patient<'_>, bot: &TelegramAccount) -> Chapter {
    let (settings, missing) = settings::telegram(bot);
    let subject = bot.account.to_string();
    if let Some(fault) = missing {
        return Chapter::new(subject, vec![no_token(&fault.to_string())]);
    }
    let clock = Arc::clone(&patient.clock);
    let mut findings = pensive_telegram::probe(&settings, hearing(&bot.door), clock).await;
    findings.extend(closed(&bot.door));
    Chapter::new(subject, findings)
}

async fn of_discord(patient: &Patient<'_>, bot: &pensive_config::DiscordAccount) -> Chapter {
    let (settings, missing) = settings::discord(bot);
    let subject = bot.account.to_string();
    if let Some(fault) = missing {
        return Chapter::new(subject, vec![no_token(&fault.to_string())]);
    }
    let guilds: Vec<String> = bot.guilds.keys().filter(|guild| *guild != "*").cloned().collect();
    let mut findings = pensive_discord::probe(&settings, &guilds, Arc::clone(&patient.clock)).await;
    if bot.guilds.is_empty() {
        findings.extend(closed(&bot.door));
    }
    Chapter::new(subject, findings)
}

fn no_token(why: &str) -> Finding {
    Finding::bad("token", why, "put the token where the configuration looks for it")
}

fn hearing(door: &Door) -> Hearing {
    if door.groups.values().any(|rule| !rule.require_mention) {
        Hearing::Everything
    } else {
        Hearing::Addressed
    }
}

/// A door that nobody comes in by is most likely not what was meant.
fn closed(door: &Door) -> Option<Finding> {
    let nobody = door.allow_from.is_empty() && door.groups.is_empty();
    nobody.then(|| {
        Finding::doubtful(
            "access",
            "nobody is let in: allowFrom is empty and no group is named",
            "write anything to the bot: its log names your id; list that in allowFrom",
        )
    })
}

/// What a running daemon says of itself.
pub(super) fn daemon(status: &Status) -> Chapter {
    let running = format!("version {}, process {}", status.version, status.pid);
    let accounts = status.accounts.iter().map(account);
    Chapter::new("daemon", std::iter::once(Finding::good("running", running)).chain(accounts).collect())
}

fn account(line: &AccountLine) -> Finding {
    let about = line.account.clone();
    match line.state {
        AccountWord::Listening => Finding::good(about, format!("listening {}", line.detail)),
        AccountWord::Starting => Finding::doubtful(about, "starting", "look again in a moment"),
        AccountWord::Retrying => Finding::doubtful(about, format!("trying again: {}", line.detail), ""),
        AccountWord::Deaf => Finding::bad(
            about,
            format!("connected, but hears nothing: {}", line.detail),
            "it reconnects by itself; where that does not help, look at the network",
        ),
        AccountWord::Parked => Finding::bad(about, format!("parked: {}", line.detail), ""),
    }
}
