//! Publishes commands where they are wanted and takes them away where they are not, and calls Discord only when something has
//! changed.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use pensive_contract::clock::Clock;
use pensive_contract::ids::Account;
use pensive_contract::store::Notes;
use pensive_directives::table;
use reqwest::Method;
use serde::de::IgnoredAny;
use sha2::{Digest, Sha256};

use super::{Reach, commands};
use crate::client::{CallFault, Client, Payload};
use crate::gateway::Pauses;
use crate::routes;
use crate::settings::Registration;
use crate::verdict::code;

/// The list is not worth more attempts; the next start makes new ones.
const ATTEMPTS: usize = 8;
/// Longer than this nobody is kept waiting for: Discord takes 200 new commands of a guild a day
/// (<https://docs.discord.com/developers/interactions/application-commands#registering-a-command>).
const LONGEST_WAIT: Duration = Duration::from_mins(10);

const MISSING_ACCESS: u64 = 50_001;
const UNKNOWN_GUILD: u64 = 10_004;

/// Stands for what is being changed: nobody knows what is there.
const UNKNOWN: &str = "?";

/// The commands of one application.
pub(crate) struct Registry<'a> {
    pub(crate) client: &'a Client,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) notes: &'a dyn Notes,
    pub(crate) account: &'a Account,
    pub(crate) application: u64,
}

/// The fingerprint of what was published, by where.
type Published = BTreeMap<Reach, String>;

impl Registry<'_> {
    /// Makes Discord know the commands in the places that are wanted, and in no others that we know of. Failure is only
    /// logged: commands can be typed as text all the same.
    pub(crate) async fn publish(&self, wanted: &Registration) {
        let mut published = self.published().await;
        let wanted = self.reaches(wanted);
        let stale: Vec<Reach> = published.keys().copied().filter(|reach| !wanted.contains(reach)).collect();
        for reach in stale {
            self.withdraw(&mut published, reach).await;
        }
        for reach in wanted {
            self.update(&mut published, reach).await;
        }
    }

    async fn update(&self, published: &mut Published, reach: Reach) {
        let body = match serde_json::to_vec(&commands(table(), reach)) {
            Ok(body) => body,
            Err(fault) => return self.failed(reach, &fault),
        };
        let print = print(&body);
        if published.get(&reach) == Some(&print) {
            return;
        }
        // Before the call, so that a crash does not leave commands that nobody remembers.
        if published.insert(reach, UNKNOWN.to_owned()).is_none() {
            self.keep(published).await;
        }
        match self.put(reach, body).await {
            Ok(()) => {
                published.insert(reach, print);
                self.keep(published).await;
                tracing::info!(account = %self.account, %reach, "slash commands published");
            }
            Err(fault) if code(&fault) == Some(MISSING_ACCESS) => tracing::warn!(
                account = %self.account, %reach, %fault,
                "no slash commands there: invite the bot again, with the scopes bot and applications.commands"
            ),
            Err(fault) => self.failed(reach, &fault),
        }
    }

    async fn withdraw(&self, published: &mut Published, reach: Reach) {
        match self.put(reach, b"[]".to_vec()).await {
            Ok(()) => {}
            // Where we are not, there is nothing of ours.
            Err(fault) if matches!(code(&fault), Some(MISSING_ACCESS | UNKNOWN_GUILD)) => {}
            Err(fault) => return self.failed(reach, &fault),
        }
        published.remove(&reach);
        self.keep(published).await;
    }

    fn failed(&self, reach: Reach, fault: &dyn fmt::Display) {
        tracing::warn!(account = %self.account, %reach, %fault, "slash commands could not be changed");
    }

    async fn put(&self, reach: Reach, body: Vec<u8>) -> Result<(), CallFault> {
        let route = match reach {
            Reach::Everywhere => routes::global_commands(self.application),
            Reach::Guild(guild) => routes::guild_commands(self.application, guild),
        };
        let mut pauses = Pauses::between_attempts();
        let mut attempts = 1..ATTEMPTS;
        loop {
            let put = self.client.call::<IgnoredAny>(Method::PUT, &route, Payload::Json(body.clone()));
            let Err(fault) = put.await else { return Ok(()) };
            match next(&fault) {
                Next::After(wait) if wait <= LONGEST_WAIT && attempts.next().is_some() => {
                    self.clock.sleep(wait).await;
                }
                Next::Later if attempts.next().is_some() => self.clock.sleep(pauses.next()).await,
                Next::After(_) | Next::Later | Next::GiveUp => return Err(fault),
            }
        }
    }

    /// Where commands are wanted.
    fn reaches(&self, wanted: &Registration) -> Vec<Reach> {
        match wanted {
            Registration::Global => vec![Reach::Everywhere],
            Registration::Off => Vec::new(),
            Registration::Guilds(guilds) => {
                let guild = |guild: &pensive_contract::ids::SpaceId| {
                    let id = guild.as_str().parse().ok();
                    if id.is_none() {
                        tracing::warn!(account = %self.account, %guild, "no guild has such an id");
                    }
                    id.map(Reach::Guild)
                };
                guilds.iter().filter_map(guild).collect()
            }
        }
    }

    fn note(&self) -> String {
        format!("discord/{}/commands", self.application)
    }

    async fn published(&self) -> Published {
        match self.notes.note(&self.note()).await {
            Ok(kept) => read(&kept.unwrap_or_default()),
            Err(fault) => {
                tracing::warn!(account = %self.account, %fault, "which slash commands were published is not known");
                Published::new()
            }
        }
    }

    async fn keep(&self, published: &Published) {
        if let Err(fault) = self.notes.keep(&self.note(), written(published)).await {
            tracing::warn!(account = %self.account, %fault, "which slash commands are published could not be kept");
        }
    }
}

/// What to do when a list was not taken.
enum Next {
    After(Duration),
    Later,
    GiveUp,
}

fn next(fault: &CallFault) -> Next {
    match fault {
        CallFault::Limited(wait) => Next::After(*wait),
        CallFault::Refused(no) if no.status == 429 => no.retry_after.map_or(Next::Later, Next::After),
        CallFault::Refused(no) if no.status < 500 => Next::GiveUp,
        // The whole list is put: twice is as good as once.
        CallFault::Refused(_) | CallFault::Unreached(_) | CallFault::Overdue(_) | CallFault::Lost(_) => {
            Next::Later
        }
    }
}

fn print(body: &[u8]) -> String {
    Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn written(published: &Published) -> Vec<u8> {
    let lines = published.iter().map(|(reach, print)| format!("{reach} {print}"));
    lines.collect::<Vec<_>>().join("\n").into_bytes()
}

fn read(kept: &[u8]) -> Published {
    let line = |line: &str| {
        let (reach, print) = line.split_once(' ')?;
        Some((reach.parse().ok()?, print.to_owned()))
    };
    String::from_utf8_lossy(kept).lines().filter_map(line).collect()
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everywhere => f.write_str("everywhere"),
            Self::Guild(guild) => guild.fmt(f),
        }
    }
}

impl FromStr for Reach {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "everywhere" { Ok(Self::Everywhere) } else { text.parse().map(Self::Guild) }
    }
}

#[cfg(test)]
mod tests;
