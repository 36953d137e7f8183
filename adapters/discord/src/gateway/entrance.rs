//! Where a session is started, and when: the address and the limits that Discord names
//! (<https://docs.discord.com/developers/events/gateway#get-gateway-bot>), minded for all lines of an account together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pensive_contract::clock::{Clock, Timestamp};
use reqwest::Method;
use serde::Deserialize;

use crate::client::{CallFault, Client, Payload};
use crate::routes;

/// Between two starts of the same row; Discord says 5 s, and the way there takes a different time each time.
const APART: Duration = Duration::from_millis(5_250);
/// For so long what Discord told is believed.
const FRESH: Duration = Duration::from_mins(1);
/// A pause of nothing is not obeyed: it would be asked for without end.
const SHORTEST: Duration = Duration::from_secs(1);
/// No account of ours has more lines, whatever a server says.
const MOST_SHARDS: u32 = 1_024;

/// What Discord tells whoever wants to connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Start {
    /// Where.
    pub(crate) url: String,
    /// How many lines it advises, at least one.
    pub(crate) shards: u32,
    /// How many sessions may still be started.
    remaining: u32,
    /// When that number is new again.
    reset: Timestamp,
    /// How many rows of starts there are.
    rows: u32,
    asked: Timestamp,
}

/// The body of the answer.
#[derive(Deserialize)]
struct Told {
    url: String,
    #[serde(default)]
    shards: Option<u32>,
    #[serde(default)]
    session_start_limit: Option<Limit>,
}

#[derive(Deserialize)]
struct Limit {
    remaining: u32,
    #[serde(default)]
    reset_after: u64,
    #[serde(default)]
    max_concurrency: u32,
}

/// Why there is no address, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Try again after a growing pause.
    Again(String),
    /// Try again when this time has passed.
    After(Duration, String),
    /// Nothing will help until an operator has changed the token.
    Token(String),
}

/// What a failed call means for an account that cannot begin without it.
pub(crate) fn trouble(fault: &CallFault) -> Trouble {
    const UNNAMED: Duration = Duration::from_secs(5);
    match fault {
        CallFault::Refused(no) if no.status == 401 => {
            Trouble::Token("Discord refused its token, which was reset or belongs to no bot".to_owned())
        }
        CallFault::Refused(no) if no.status == 429 => {
            Trouble::After(no.retry_after.unwrap_or(UNNAMED).max(SHORTEST), fault.to_string())
        }
        CallFault::Limited(wait) => Trouble::After((*wait).max(SHORTEST), fault.to_string()),
        CallFault::Refused(_) | CallFault::Unreached(_) | CallFault::Overdue(_) | CallFault::Lost(_) => {
            Trouble::Again(fault.to_string())
        }
    }
}

/// The entrance of one account.
pub(crate) struct Entrance {
    client: Client,
    clock: Arc<dyn Clock>,
    known: Mutex<Option<Start>>,
    /// When each row started a session last.
    rows: Mutex<HashMap<u32, Timestamp>>,
}

impl Entrance {
    /// Asks nothing yet.
    pub(crate) fn new(client: Client, clock: Arc<dyn Clock>) -> Self {
        Self { client, clock, known: Mutex::default(), rows: Mutex::default() }
    }

    /// What Discord says, asked for again where it is no longer believed.
    pub(crate) async fn start(&self) -> Result<Start, Trouble> {
        if let Some(known) = self.known() {
            return Ok(known);
        }
        let told: Told = self
            .client
            .call(Method::GET, &routes::gateway(), Payload::None)
            .await
            .map_err(|fault| trouble(&fault))?;
        let start = told.start(self.clock.now());
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(start.clone());
        Ok(start)
    }

    /// The address to start a session at, where Discord lets us start one.
    pub(crate) async fn door(&self) -> Result<String, Trouble> {
        let start = self.start().await?;
        if start.remaining > 0 {
            return Ok(start.url);
        }
        let wait = start.reset.since(self.clock.now()).max(SHORTEST);
        let minutes = wait.as_secs().div_ceil(60);
        let why = format!(
            "Discord lets this bot start no more sessions for {minutes} min: it started too many today"
        );
        Err(Trouble::After(wait, why))
    }

    /// When the line of this number may start a session. The turn is taken, whether it is used or not.
    pub(crate) fn turn(&self, shard: u32) -> Timestamp {
        let now = self.clock.now();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(start) = known.as_mut() {
            start.remaining = start.remaining.saturating_sub(1);
        }
        let row = shard % known.as_ref().map_or(1, |start| start.rows);
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = rows.get(&row).map_or(now, |last| (*last + APART).max(now));
        // After the clock was set back, a row would wait for the old time to come again.
        let turn = if turn.since(now) > APART * MOST_SHARDS { now } else { turn };
        rows.insert(row, turn);
        turn
    }

    fn known(&self) -> Option<Start> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        known.clone().filter(|start| {
            let believed = now.since(start.asked) < FRESH && now >= start.asked;
            believed || (start.remaining == 0 && now < start.reset && now >= start.asked)
        })
    }
}

impl Told {
    fn start(self, now: Timestamp) -> Start {
        // A server that names no limit has none.
        let limit = self.session_start_limit.unwrap_or(Limit {
            remaining: u32::MAX,
            reset_after: 0,
            max_concurrency: 1,
        });
        let most = Duration::from_hours(24);
        Start {
            url: self.url,
            shards: self.shards.unwrap_or(1).clamp(1, MOST_SHARDS),
            remaining: limit.remaining,
            reset: now + Duration::from_millis(limit.reset_after).min(most),
            rows: limit.max_concurrency.max(1),
            asked: now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Refused;

    #[test]
    fn disc_08_each_failure_has_its_answer() {
        let refused = |status: u16, wait: Option<u64>| {
            let retry_after = wait.map(Duration::from_secs);
            CallFault::Refused(Refused { status, code: 0, message: String::new(), retry_after })
        };
        let check = |fault: CallFault, expected: fn(&Trouble) -> bool| {
            let found = trouble(&fault);
            assert!(expected(&found), "{fault:?} gives {found:?}");
        };
        check(refused(401, None), |t| matches!(t, Trouble::Token(_)));
        check(refused(429, Some(17)), |t| matches!(t, Trouble::After(wait, _) if wait.as_secs() == 17));
        check(refused(429, Some(0)), |t| matches!(t, Trouble::After(wait, _) if wait.as_secs() == 1));
        check(refused(429, None), |t| matches!(t, Trouble::After(wait, _) if wait.as_secs() == 5));
        check(CallFault::Limited(Duration::from_secs(3)), |t| matches!(t, Trouble::After(..)));
        check(refused(500, None), |t| matches!(t, Trouble::Again(_)));
        check(refused(403, None), |t| matches!(t, Trouble::Again(_)));
        check(CallFault::Lost("reset".to_owned()), |t| matches!(t, Trouble::Again(_)));
        check(CallFault::Unreached("refused".to_owned()), |t| matches!(t, Trouble::Again(_)));
        check(CallFault::Overdue(Duration::from_secs(30)), |t| matches!(t, Trouble::Again(_)));
    }

    #[test]
    fn what_discord_tells_is_read_and_bounded() {
        let check = |body: &str, shards: u32, remaining: u32, rows: u32, reset: i64| {
            let told: Told = serde_json::from_str(body).unwrap();
            let start = told.start(Timestamp(1_000));
            let found = (start.shards, start.remaining, start.rows, start.reset.0);
            assert_eq!(found, (shards, remaining, rows, reset), "{body}");
        };
        let usual = r#"{"url":"wss://g","shards":9,"session_start_limit":
            {"total":1000,"remaining":999,"reset_after":14400000,"max_concurrency":16}}"#;
        check(usual, 9, 999, 16, 14_401_000);
        check(r#"{"url":"wss://g"}"#, 1, u32::MAX, 1, 1_000);
        check(r#"{"url":"wss://g","shards":0,"session_start_limit":{"remaining":0}}"#, 1, 0, 1, 1_000);
        check(r#"{"url":"wss://g","shards":4000000000}"#, 1_024, u32::MAX, 1, 1_000);
    }
}
