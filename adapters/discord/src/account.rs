//! One bot account: what it is made of, how it runs, how it stands.

mod health;
mod heed;
mod marks;
mod missed;
mod reception;
mod record;

use std::sync::Arc;

use async_trait::async_trait;
use pensive_contract::clock::Clock;
use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::ids::Account;
use pensive_contract::intake::{AccountState, Channel, Intake, Pulse};
use pensive_contract::outward::Outward;
use pensive_contract::secret::Secret;
use pensive_contract::store::Notes;
use regex::{Regex, RegexBuilder};
use reqwest::Method;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::client::{CallFault, Client, Payload};
use crate::commands::Registry;
use crate::gateway::{Dialer, Entrance, Line, Park, Pauses, Shard, Slice, Trouble, WAITING, trouble};
use crate::interactions::Desk;
use crate::letter::Manners;
use crate::outlet::outward;
use crate::receive::Us;
use crate::routes;
use crate::settings::{DiscordSettings, Registration};
use crate::wire::{Application, User};

use health::Health;
use heed::Heeder;
use reception::{PROMPTS, Reception};

/// An account, ready to run.
pub struct Discord {
    /// What comes in.
    pub channel: Arc<dyn Channel>,
    /// What goes out.
    pub outward: Outward,
}

/// Makes an account. Reaches for nothing: the network is first touched when the channel runs or something is sent.
///
/// # Errors
/// The address of the server or a mention pattern cannot be used; the words name it.
pub fn connect(
    settings: DiscordSettings,
    clock: Arc<dyn Clock>,
    notes: Arc<dyn Notes>,
) -> Result<Discord, Fault> {
    let settings = settings.trimmed();
    let account = settings.account.clone();
    let unusable = |why: String| unusable(&account, &why);
    let patterns =
        settings.mention_patterns.iter().map(|pattern| compiled(pattern)).collect::<Result<_, _>>();
    let patterns = patterns.map_err(unusable)?;
    let client = Client::new(&settings.api_root, &settings.token, clock.clone());
    let client = client.map_err(|fault| unusable(fault.to_string()))?;
    let desk = Arc::new(Desk::new(client.clone(), clock.clone(), account.clone()));
    let outward = outward(client.clone(), desk.clone(), Manners::of(&settings));
    let bot = Bot {
        dialer: Dialer::new(&settings.api_root, clock.clone()),
        entrance: Entrance::new(client.clone(), clock.clone()),
        health: Health::new(account.clone()),
        patterns,
        account,
        token: settings.token,
        token_from: settings.token_from,
        hears_bots: settings.hears_bots,
        commands: settings.commands,
        shards: settings.shards,
        client,
        clock,
        notes,
        desk,
        running: tokio::sync::Mutex::new(()),
    };
    Ok(Discord { channel: Arc::new(bot), outward })
}

/// One account's parts, shared by what runs of it.
struct Bot {
    account: Account,
    token: Secret,
    token_from: String,
    patterns: Vec<Regex>,
    hears_bots: bool,
    commands: Registration,
    shards: Option<u32>,
    client: Client,
    clock: Arc<dyn Clock>,
    notes: Arc<dyn Notes>,
    desk: Arc<Desk>,
    entrance: Entrance,
    dialer: Dialer,
    health: Health,
    /// Held while it runs: two would take each other's sessions.
    running: tokio::sync::Mutex<()>,
}

#[async_trait]
impl Channel for Bot {
    async fn run(&self, intake: Arc<dyn Intake>, stop: CancellationToken) -> Result<(), Fault> {
        let Ok(_only) = self.running.try_lock() else {
            return Err(unusable(&self.account, "it is running already"));
        };
        let end = Box::pin(self.serve(&*intake, &stop)).await;
        if let Err(fault) = &end {
            self.health.enter(AccountState::Parked { why: fault.log.clone() });
        }
        end
    }

    fn state(&self) -> AccountState {
        self.health.state()
    }

    fn pulse(&self) -> Pulse {
        self.health.pulse()
    }
}

impl Bot {
    /// Finds out who it is and how many lines it needs, and lives on them.
    async fn serve(&self, intake: &dyn Intake, stop: &CancellationToken) -> Result<(), Fault> {
        let route = routes::me();
        let me = self.asked(stop, || self.client.call::<User>(Method::GET, &route, Payload::None));
        let Some(me) = me.await? else { return Ok(()) };
        let us = self.us(&me);
        let Some(start) = self.told(stop, || self.entrance.start()).await? else { return Ok(()) };
        let count = self.shards.unwrap_or(start.shards).max(1);
        self.health.begin(&us.username, count);
        let (prompts, waiting) = mpsc::channel(PROMPTS);
        let reception = Reception { bot: self, us: &us, intake, prompts };
        let aside = async {
            futures::join!(self.publish(stop), self.desk.watch(stop), reception.prompt(waiting));
            std::future::pending::<()>().await;
        };
        let end = tokio::select! {
            biased;
            end = self.lines(&reception, count, stop) => end,
            () = aside => Ok(()),
        };
        if stop.is_cancelled() {
            // Whoever called a command is told that they were heard, whenever the answer comes.
            self.desk.watch(stop).await;
        }
        end
    }

    fn us(&self, me: &User) -> Us {
        Us {
            account: self.account.clone(),
            bot: me.id,
            username: me.username.clone().unwrap_or_default(),
            patterns: self.patterns.clone(),
            hears_bots: self.hears_bots,
        }
    }

    /// All lines, until told to stop; none goes on when one has to be given up.
    async fn lines(
        &self,
        reception: &Reception<'_>,
        count: u32,
        stop: &CancellationToken,
    ) -> Result<(), Fault> {
        let stop = stop.child_token();
        let line = Line {
            entrance: &self.entrance,
            dialer: &self.dialer,
            token: &self.token,
            clock: &self.clock,
            watcher: reception,
            stop: &stop,
        };
        let lines = (0..count).map(|index| self.line(&line, reception, Slice { index, count }));
        let ends = futures::future::join_all(lines).await;
        ends.into_iter().collect::<Result<(), Park>>().map_err(|park| self.parked(park))
    }

    /// One line, and whoever takes in what it brings.
    async fn line(&self, line: &Line<'_>, reception: &Reception<'_>, slice: Slice) -> Result<(), Park> {
        let heeder = Heeder::start(reception, slice, line.stop).await;
        let (hand, events) = mpsc::channel(WAITING);
        let shard = Shard::new(line, slice, hand, heeder.taken());
        let reader = async {
            let end = shard.run().await;
            if end.is_err() {
                line.stop.cancel();
            }
            end
        };
        let (end, ()) = futures::join!(reader, heeder.run(events));
        end
    }

    /// Sees to it that people find our slash commands.
    async fn publish(&self, stop: &CancellationToken) {
        let route = routes::application();
        let ask = || self.client.call::<Application>(Method::GET, &route, Payload::None);
        let application = match self.asked(stop, ask).await {
            Ok(Some(application)) => application.id,
            Ok(None) => return,
            // The same token is refused on the line, which parks the account.
            Err(fault) => {
                return tracing::debug!(account = %self.account, %fault, "slash commands stay as they are");
            }
        };
        let registry = Registry {
            client: &self.client,
            clock: &*self.clock,
            notes: &*self.notes,
            account: &self.account,
            application,
        };
        registry.publish(&self.commands).await;
    }

    /// Makes a call until it succeeds; nothing when told to stop.
    async fn asked<T, F>(
        &self,
        stop: &CancellationToken,
        mut call: impl FnMut() -> F,
    ) -> Result<Option<T>, Fault>
    where
        F: Future<Output = Result<T, CallFault>>,
    {
        self.told(stop, || {
            let call = call();
            async { call.await.map_err(|fault| trouble(&fault)) }
        })
        .await
    }

    /// The same for a call whose failures have been judged.
    async fn told<T, F>(
        &self,
        stop: &CancellationToken,
        mut call: impl FnMut() -> F,
    ) -> Result<Option<T>, Fault>
    where
        F: Future<Output = Result<T, Trouble>>,
    {
        let mut pauses = Pauses::between_attempts();
        loop {
            let answer = tokio::select! {
                biased;
                () = stop.cancelled() => return Ok(None),
                answer = call() => answer,
            };
            let (wait, why) = match answer {
                Ok(answer) => return Ok(Some(answer)),
                Err(Trouble::Token(why)) => return Err(self.parked(Park::Token(why))),
                Err(Trouble::After(wait, why)) => (wait, why),
                Err(Trouble::Again(why)) => (pauses.next(), why),
            };
            self.health.waits(why);
            tokio::select! {
                biased;
                () = stop.cancelled() => return Ok(None),
                () = self.clock.sleep(wait) => {}
            }
        }
    }

    /// The fault of an account that needs an operator.
    fn parked(&self, park: Park) -> Fault {
        let from = &self.token_from;
        let why = match park {
            Park::Token(why) => format!(
                "{why}. Its token was read from {from}; get the right one from https://discord.com/developers/applications (the application, Bot, Reset Token), put it there and restart"
            ),
            Park::Other(why) => why,
        };
        unusable(&self.account, &why)
    }
}

fn compiled(pattern: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(pattern).case_insensitive(true).size_limit(1 << 20).build();
    // The parser draws a picture over several lines, and says what is wrong in the last.
    let why = |error: regex::Error| error.to_string().lines().last().unwrap_or_default().to_owned();
    built.map_err(|error| format!("the mention pattern {pattern:?} is no regular expression: {}", why(error)))
}

fn unusable(account: &Account, why: &str) -> Fault {
    Fault::new(
        FaultClass::OursToMend,
        "This bot's Discord account is out of service until its operator has looked at it.",
        format!("account {account} cannot be used: {why}"),
    )
}
