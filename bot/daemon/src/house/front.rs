//! What the command line asks of a running house: how it stands, and to send a message.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::clock::{Clock, Timestamp, within};
use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::ids::{Account, MessageId};
use pensive_contract::inbound::{ChatKind, Place, Topic, TopicKind};
use pensive_contract::intake::{AccountState, Pulse};
use pensive_contract::outward::Body;
use pensive_engine::Engine;
use pensive_terminal::Desk;
use pensive_terminal::wire::{AccountLine, AccountWord, Format, Push, Status};

use super::Plan;
use super::accounts::Standing;

/// How long somebody at a command line waits for a message to land.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Front {
    engine: Arc<Engine>,
    clock: Arc<dyn Clock>,
    standings: Vec<(Account, Standing)>,
    model: String,
    store: String,
}

impl Front {
    pub(super) fn new(engine: Arc<Engine>, plan: &Plan, standings: Vec<(Account, Standing)>) -> Self {
        Self {
            engine,
            clock: Arc::clone(&plan.clock),
            standings,
            model: plan.config.agents.first().map(|agent| agent.model.to_string()).unwrap_or_default(),
            store: plan.config.folders.data.display().to_string(),
        }
    }

    pub(super) fn accounts(&self) -> Vec<(Account, AccountState)> {
        self.standings.iter().map(|(account, standing)| (account.clone(), standing().0)).collect()
    }

    fn lines(&self) -> Vec<AccountLine> {
        let now = self.clock.now();
        self.standings.iter().map(|(account, standing)| line(account, standing(), now)).collect()
    }

    fn place(&self, push: &Push) -> Result<Place, Fault> {
        let known: Vec<Account> = self.standings.iter().map(|(account, _)| account.clone()).collect();
        let account = pick(&known, &push.channel, push.account.as_deref()).map_err(wrong)?;
        let kind = topics_of(&account);
        let topic = push.topic.as_deref().map(|id| Topic { id: id.into(), kind });
        Ok(Place { account, chat: push.to.as_str().into(), kind: ChatKind::Direct, topic, space: None })
    }
}

/// What the rooms inside a chat are called where an account is.
fn topics_of(account: &Account) -> TopicKind {
    match account.channel.as_str() {
        "discord" => TopicKind::Thread,
        _ => TopicKind::Topic,
    }
}

/// The account that a channel and perhaps an id name; the words of the refusal list what there is.
pub(crate) fn pick(known: &[Account], channel: &str, id: Option<&str>) -> Result<Account, String> {
    let of_channel: Vec<&Account> =
        known.iter().filter(|account| account.channel.as_str() == channel).collect();
    let ids = || of_channel.iter().map(|account| account.id.as_str()).collect::<Vec<_>>().join(", ");
    match (of_channel.as_slice(), id) {
        ([], _) => {
            let mut channels: Vec<&str> = known.iter().map(|account| account.channel.as_str()).collect();
            channels.dedup();
            Err(if channels.is_empty() {
                format!("There is no channel {channel} here, nor any other: none has a token yet.")
            } else {
                format!("There is no channel {channel} here; there is: {}.", channels.join(", "))
            })
        }
        ([only], None) => Ok((*only).clone()),
        (_, None) => Err(format!("{channel} has several accounts; name one with --account: {}.", ids())),
        (several, Some(id)) => {
            let found = several.iter().find(|account| account.id.as_str() == id);
            found
                .map(|account| (*account).clone())
                .ok_or_else(|| format!("{channel} has no account {id}; it has: {}.", ids()))
        }
    }
}

fn wrong(words: String) -> Fault {
    Fault::new(FaultClass::TellPerson, words.clone(), words)
}

#[async_trait]
impl Desk for Front {
    async fn status(&self) -> Status {
        let mut status = Status {
            version: crate::VERSION.to_owned(),
            pid: std::process::id(),
            model: self.model.clone(),
            store: self.store.clone(),
            accounts: self.lines(),
            ..Status::default()
        };
        match self.engine.overview().await {
            Ok(overview) => {
                status.uptime_seconds = overview.up.as_secs();
                status.sessions = overview.sessions;
                status.lanes = overview.lanes as u64;
                status.runs = overview.runs as u64;
            }
            Err(fault) => tracing::error!(%fault, "the store could not be asked for its sessions"),
        }
        status
    }

    async fn send(&self, push: Push) -> Result<Vec<MessageId>, Fault> {
        let place = self.place(&push)?;
        let body = match push.format {
            Format::Markdown => Body::Markdown(push.text),
            Format::Plain => Body::Plain(push.text),
        };
        match within(&*self.clock, PATIENCE, self.engine.say(&place, body)).await {
            Ok(said) => said,
            Err(_) => {
                let words = format!(
                    "{} took nothing for {} s; the message is kept and goes out when it can.",
                    place.account,
                    PATIENCE.as_secs()
                );
                Err(Fault::new(FaultClass::Again, words.clone(), words))
            }
        }
    }
}

fn line(account: &Account, (state, pulse): (AccountState, Pulse), now: Timestamp) -> AccountLine {
    let (state, detail) = match state {
        AccountState::Starting => (AccountWord::Starting, String::new()),
        AccountState::Listening { name } => (AccountWord::Listening, name),
        AccountState::Deaf { why } => (AccountWord::Deaf, why),
        AccountState::Retrying { why } => (AccountWord::Retrying, why),
        AccountState::Parked { why } => (AccountWord::Parked, why),
    };
    let ago = |at: Option<Timestamp>| at.map(|at| now.since(at).as_secs());
    AccountLine {
        account: account.to_string(),
        state,
        detail,
        heard_seconds_ago: ago(pulse.heard),
        event_seconds_ago: ago(pulse.event),
        resumes: pulse.resumes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_picked_by_channel_and_id() {
        let known: Vec<Account> = [("telegram", "main"), ("telegram", "second"), ("terminal", "local")]
            .map(|(channel, id)| Account { channel: channel.into(), id: id.into() })
            .to_vec();
        let check = |channel: &str, id: Option<&str>, expected: Result<&str, &str>| {
            let picked = pick(&known, channel, id).map(|account| account.to_string());
            assert_eq!(picked, expected.map(str::to_owned).map_err(str::to_owned), "{channel} {id:?}");
        };
        check("terminal", None, Ok("terminal/local"));
        check("telegram", Some("second"), Ok("telegram/second"));
        check("telegram", None, Err("telegram has several accounts; name one with --account: main, second."));
        check("telegram", Some("x"), Err("telegram has no account x; it has: main, second."));
        check("fax", None, Err("There is no channel fax here; there is: telegram, terminal."));
        let none = pick(&[], "telegram", None).map(|account| account.to_string());
        let expected = "There is no channel telegram here, nor any other: none has a token yet.";
        assert_eq!(none, Err(expected.to_owned()));
    }
}
