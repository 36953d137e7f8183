//! Examines an account: its token, what its application may hear, the line that it would open, and whether it is in the
//! guilds that it has rules for. Nothing is changed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use pensive_contract::clock::{Clock, within};
use pensive_contract::finding::Finding;
use reqwest::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::client::{CallFault, Client, Payload};
use crate::routes::{self, Route};
use crate::settings::DiscordSettings;

/// One question may take this long.
const LIMIT: Duration = Duration::from_secs(10);

/// Message content is granted, to a verified application and to one that is in few guilds
/// (<https://docs.discord.com/developers/resources/application#application-object-application-flags>).
const MESSAGE_CONTENT: u64 = 1 << 18 | 1 << 19;

/// A day allows 1,000 sessions (<https://docs.discord.com/developers/events/gateway#session-start-limit-object>); with so few left something starts
/// over and over.
const FEW_STARTS: u32 = 50;

#[derive(Deserialize)]
struct Me {
    username: String,
}

#[derive(Deserialize)]
struct Application {
    #[serde(default)]
    flags: u64,
}

#[derive(Deserialize)]
struct Gateway {
    #[serde(default)]
    shards: u32,
    session_start_limit: Option<Starts>,
}

#[derive(Deserialize)]
struct Starts {
    remaining: u32,
}

#[derive(Deserialize)]
struct Guild {
    id: String,
}

/// Looks at one account; `guilds` are those that it has rules for. No words hold the token.
pub async fn probe(settings: &DiscordSettings, guilds: &[String], clock: Arc<dyn Clock>) -> Vec<Finding> {
    let settings = &settings.clone().trimmed();
    let client = match Client::new(&settings.api_root, &settings.token, Arc::clone(&clock)) {
        Ok(client) => client,
        Err(fault) => return vec![Finding::bad("server", fault.to_string(), "correct apiRoot")],
    };
    let eye = Eye { client, clock };
    let me = match eye.ask::<Me>(&routes::me()).await {
        Ok(me) => me,
        Err(fault) => return vec![unknown(settings, &fault)],
    };
    let mut found = vec![Finding::good("token", format!("it is {}", me.username))];
    found.push(told("intents", eye.ask(&routes::application()).await, intents));
    found.push(told("gateway", eye.ask(&routes::gateway()).await, line));
    if !guilds.is_empty() {
        found.push(told("guilds", eye.ask(&routes::guilds()).await, |joined: Vec<Guild>| {
            membership(guilds, &joined)
        }));
    }
    found
}

struct Eye {
    client: Client,
    clock: Arc<dyn Clock>,
}

impl Eye {
    async fn ask<T: DeserializeOwned>(&self, route: &Route) -> Result<T, CallFault> {
        let asked = self.client.call(Method::GET, route, Payload::None);
        within(&*self.clock, LIMIT, asked).await.unwrap_or(Err(CallFault::Overdue(LIMIT)))
    }
}

fn told<T>(about: &str, answer: Result<T, CallFault>, judge: impl FnOnce(T) -> Finding) -> Finding {
    match answer {
        Ok(answer) => judge(answer),
        Err(fault) => Finding::doubtful(about, fault.to_string(), "look again; Discord may be in trouble"),
    }
}

fn unknown(settings: &DiscordSettings, fault: &CallFault) -> Finding {
    match fault {
        CallFault::Refused(no) if no.status == 401 => {
            let advice = format!(
                "reset the token in the Developer Portal (Bot, Reset Token) and put it into {}",
                settings.token_from
            );
            Finding::bad("token", "Discord refuses it", advice)
        }
        other => {
            let advice = format!("see that {} can be reached from here", settings.api_root);
            Finding::bad("server", other.to_string(), advice)
        }
    }
}

fn intents(application: Application) -> Finding {
    if application.flags & MESSAGE_CONTENT != 0 {
        return Finding::good("intents", "it may read messages");
    }
    Finding::bad(
        "intents",
        "the Message Content Intent is off, so Discord closes the line",
        "turn it on in the Developer Portal: Bot, Privileged Gateway Intents, Message Content Intent",
    )
}

fn line(gateway: Gateway) -> Finding {
    let shards = gateway.shards.max(1);
    let remaining = gateway.session_start_limit.map_or(u32::MAX, |starts| starts.remaining);
    if remaining < FEW_STARTS {
        return Finding::doubtful(
            "gateway",
            format!("only {remaining} sessions may still be started today"),
            "find out what starts over and over; until tomorrow the line can only be resumed",
        );
    }
    Finding::good("gateway", if shards == 1 { "one shard".to_owned() } else { format!("{shards} shards") })
}

fn membership(wanted: &[String], joined: &[Guild]) -> Finding {
    let joined: BTreeSet<&str> = joined.iter().map(|guild| guild.id.as_str()).collect();
    let missing: Vec<&str> =
        wanted.iter().map(String::as_str).filter(|guild| !joined.contains(guild)).collect();
    if missing.is_empty() {
        return Finding::good("guilds", "it is in each that has rules");
    }
    Finding::doubtful(
        "guilds",
        format!("there are rules for guilds that it is not in: {}", missing.join(", ")),
        "invite it with the scopes bot and applications.commands, or correct the ids",
    )
}

#[cfg(test)]
mod tests {
    use pensive_contract::finding::Grade;

    use super::*;

    #[test]
    fn a_bot_without_message_content_is_told_which_switch() {
        let check = |flags: u64, expected: Grade| {
            let finding = intents(Application { flags });
            assert_eq!(finding.grade, expected, "{flags}");
        };
        check(0, Grade::Bad);
        check(1 << 18, Grade::Good);
        check(1 << 19 | 1 << 23, Grade::Good);
        check(1 << 14, Grade::Bad);
        assert!(intents(Application { flags: 0 }).advice.contains("Message Content Intent"));
    }

    #[test]
    fn guilds_that_it_is_not_in_are_named() {
        let joined = [Guild { id: "1".to_owned() }];
        assert_eq!(membership(&["1".to_owned()], &joined).grade, Grade::Good);
        let finding = membership(&["1".to_owned(), "2".to_owned()], &joined);
        assert_eq!(finding.grade, Grade::Doubtful);
        assert!(finding.found.ends_with(": 2"), "{finding:?}");
    }

    #[test]
    fn few_starts_are_told() {
        let gateway = |remaining| Gateway { shards: 2, session_start_limit: Some(Starts { remaining }) };
        assert_eq!(line(gateway(900)), Finding::good("gateway", "2 shards"));
        assert_eq!(line(gateway(3)).grade, Grade::Doubtful);
    }
}
