//! The one loop that asks Telegram for events. A batch is kept by the engine first and confirmed to Telegram afterwards,
//! by the offset of the next question.

use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::fault::Fault;
use pensive_contract::inbound::Inbound;
use pensive_contract::intake::{AccountState, Intake};
use pensive_contract::store::Cursor;
use serde_json::value::RawValue;
use teloxide_core::payloads::DeleteWebhook;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::account::Bot;
use crate::client::{CallFault, Client};
use crate::pauses::Pauses;
use crate::payloads::GetUpdates;
use crate::receive::{Us, receive};
use crate::trouble::{Asked, Trouble, trouble};
use crate::wire::{Numbered, updates};

/// Telegram answers a long poll after this many seconds at the latest.
const LONG: u32 = 50;
/// Beyond it the connection is taken for dead.
const POLL_LIMIT: Duration = Duration::from_secs(65);
/// Without a finished poll for this long, connections are made anew.
const SILENCE: Duration = Duration::from_secs(120);
const BATCH: u8 = 100;
/// The kinds of events that we ask for.
const KINDS: &[&str] =
    &["message", "edited_message", "callback_query", "my_chat_member", "stopped_message_generation"];
/// A long poll without events that comes back sooner did not wait.
const HASTY: Duration = Duration::from_secs(1);
/// After another poller was met this often in a row, it is no leftover of a restart.
const ALARM: u32 = 3;

/// How the next question is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Wait for events and take many.
    Long,
    /// Answer at once with one event at most: after trouble, to see soon whether all is well, and to pass a batch that
    /// cannot be read.
    Probe,
}

/// The loop and where it stands.
pub(crate) struct Poller<'a> {
    bot: &'a Bot,
    id: i64,
    intake: &'a dyn Intake,
    stop: &'a CancellationToken,
    names: watch::Receiver<Option<String>>,
    client: Client,
    next: Option<i64>,
    reach: Reach,
    pauses: Pauses,
    /// How often in a row another poller was met.
    contests: u32,
    /// How many polls in a row brought nothing new and had not waited for it either.
    idle: u32,
    /// When a poll last finished, or connections were last made anew.
    heard: Timestamp,
}

/// The loop was told to end.
struct Stopped;

impl<'a> Poller<'a> {
    pub(crate) fn new(
        bot: &'a Bot,
        id: i64,
        intake: &'a dyn Intake,
        stop: &'a CancellationToken,
        names: watch::Receiver<Option<String>>,
    ) -> Self {
        let (client, heard) = (bot.client.clone(), bot.clock.now());
        Self {
            bot,
            id,
            intake,
            stop,
            names,
            client,
            next: None,
            reach: Reach::Long,
            pauses: Pauses::default(),
            contests: 0,
            idle: 0,
            heard,
        }
    }

    /// Polls until told to stop, or until the account has to be parked.
    pub(crate) async fn run(mut self) -> Result<(), Fault> {
        self.next = self.stored().await;
        loop {
            let asked = self.bot.clock.now();
            let Ok(answer) = self.unless_stopped(self.ask()).await else { break };
            let went_on = match answer {
                Ok(batch) => self.heard_of(batch, asked).await,
                Err(fault) => self.recover(fault).await?,
            };
            if went_on.is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Where the last life of this account stopped, where that was the same bot.
    async fn stored(&self) -> Option<i64> {
        let account = &self.bot.account;
        match self.intake.cursor(account).await {
            Ok(Some(cursor)) if cursor.bot == self.id.to_string() => Some(cursor.next),
            Ok(Some(_)) => {
                tracing::warn!(%account, "the account has another bot now; its events are read from the start");
                None
            }
            Ok(None) => None,
            Err(fault) => {
                tracing::warn!(%account, %fault, "where the account stopped cannot be read; nothing is confirmed");
                None
            }
        }
    }

    async fn ask(&self) -> Result<Vec<Numbered>, CallFault> {
        let (limit, timeout) = match self.reach {
            Reach::Long => (BATCH, LONG),
            Reach::Probe => (1, 0),
        };
        let question =
            GetUpdates { offset: self.next.filter(|next| *next > 0), limit, timeout, allowed_updates: KINDS };
        let body = self.client.post(&question, POLL_LIMIT).await?;
        self.client.read(&body, |batch| {
            let raw: Vec<&RawValue> = serde_json::from_str(batch).ok()?;
            let read = updates(&raw);
            // A batch without a single number could never be confirmed.
            (raw.is_empty() || !read.is_empty()).then_some(read)
        })
    }

    async fn heard_of(&mut self, batch: Vec<Numbered>, asked: Timestamp) -> Result<(), Stopped> {
        self.heard = self.bot.clock.now();
        self.bot.pulse.send_modify(|pulse| {
            pulse.heard = Some(self.heard);
            pulse.event = (!batch.is_empty()).then_some(self.heard).or(pulse.event);
        });
        let hasty = self.reach == Reach::Long && self.heard.since(asked) < HASTY;
        let news = batch
            .iter()
            .map(|event| event.id)
            .max()
            .is_some_and(|last| self.next.is_none_or(|next| last >= next));
        self.idle = if hasty && !news { self.idle.saturating_add(1) } else { 0 };
        // Whoever fights for the bot wins every other short poll; only a long one tells that the fight is over.
        if self.reach == Reach::Long {
            self.contests = 0;
            if self.idle == 0 {
                self.pauses.reset();
            }
        }
        self.reach = Reach::Long;
        self.say_listening();
        if !batch.is_empty() {
            self.hand_in(batch).await?;
        }
        self.slow_down().await
    }

    /// A server that neither waits nor has news, or never takes note of what is confirmed, must not be asked without end.
    /// Once may be chance.
    async fn slow_down(&mut self) -> Result<(), Stopped> {
        if self.idle < 2 {
            return Ok(());
        }
        if self.idle == 2 {
            tracing::warn!(account = %self.bot.account, "the server answers at once without anything new; it is asked less often");
        }
        let pause = self.pauses.next();
        self.unless_stopped(self.bot.clock.sleep(pause)).await
    }

    fn say_listening(&self) {
        if self.contests < ALARM {
            self.bot.listening(self.names.borrow().as_deref());
        }
    }

    /// Has the engine keep the batch, and only then moves on.
    async fn hand_in(&mut self, mut batch: Vec<Numbered>) -> Result<(), Stopped> {
        batch.sort_by_key(|event| event.id);
        let (Some(first), Some(last)) = (batch.first(), batch.last()) else { return Ok(()) };
        let (first, next) = (first.id, last.id.saturating_add(1));
        if let Some(expected) = self.next.filter(|expected| first < *expected) {
            tracing::warn!(account = %self.bot.account, first, expected, "event numbers went backwards; the count begins anew");
        }
        let us = self.us().await?;
        let events = self.read(&us, batch);
        if !events.is_empty() {
            let cursor = Cursor { account: self.bot.account.clone(), bot: self.id.to_string(), next };
            self.keep(events, cursor).await?;
        }
        self.next = Some(next);
        Ok(())
    }

    fn read(&self, us: &Us, batch: Vec<Numbered>) -> Vec<Inbound> {
        let now = self.bot.clock.now();
        let read = |event: Numbered| match event.update {
            Ok(update) => {
                self.bot.chats.learn(&update);
                receive(us, update, now)
            }
            Err(stopped) => {
                let (account, update) = (&self.bot.account, event.id);
                tracing::warn!(%account, update, why = ?stopped.why, column = stopped.column, "skipped an event that cannot be read");
                None
            }
        };
        batch.into_iter().filter_map(read).collect()
    }

    async fn keep(&self, events: Vec<Inbound>, cursor: Cursor) -> Result<(), Stopped> {
        let mut pauses = Pauses::default();
        // Not cut short by a stop: what was kept is worth knowing.
        while let Err(fault) = self.intake.take(events.clone(), Some(cursor.clone())).await {
            let why = format!("messages cannot be kept and wait at Telegram: {fault}");
            self.bot.enter(AccountState::Retrying { why });
            self.unless_stopped(self.bot.clock.sleep(pauses.next())).await?;
        }
        self.say_listening();
        Ok(())
    }

    /// Who we are; waits for the name, without which a mention could be missed.
    async fn us(&mut self) -> Result<Us, Stopped> {
        let mut names = self.names.clone();
        let name = self.unless_stopped(names.wait_for(Option::is_some)).await?;
        let username = name.ok().and_then(|name| name.clone()).ok_or(Stopped)?;
        let (account, patterns) = (self.bot.account.clone(), self.bot.patterns.clone());
        Ok(Us { account, bot: self.id, username, patterns })
    }

    /// Waits as long as the failure asks for.
    async fn recover(&mut self, fault: CallFault) -> Result<Result<(), Stopped>, Fault> {
        self.reach = Reach::Probe;
        self.renew_after(&fault);
        let (wait, why) = match trouble(&fault, Asked::Updates) {
            Trouble::Park(why) => return Err(self.bot.parked(&why)),
            Trouble::After(wait, why) => (wait, why),
            Trouble::Again(why) => (self.pauses.next(), why),
            Trouble::Contested(why) => {
                self.contests = self.contests.saturating_add(1);
                if self.contests == ALARM {
                    tracing::error!(account = %self.bot.account, why, "two programs fight for one bot");
                }
                (self.pauses.next(), why)
            }
            Trouble::Webhook => {
                if self.unless_stopped(self.remove_webhook()).await.is_err() {
                    return Ok(Err(Stopped));
                }
                (self.pauses.next(), "a webhook was set for this bot and is being removed".to_owned())
            }
        };
        self.bot.enter(AccountState::Retrying { why });
        Ok(self.unless_stopped(self.bot.clock.sleep(wait)).await)
    }

    /// Makes connections anew when the old ones may be dead without having said so.
    fn renew_after(&mut self, fault: &CallFault) {
        let now = self.bot.clock.now();
        let dead = matches!(fault, CallFault::Overdue(_)) || now.since(self.heard) >= SILENCE;
        if dead && let Ok(fresh) = self.client.renewed() {
            tracing::info!(account = %self.bot.account, "connections are made anew");
            self.client = fresh;
            self.heard = now;
        }
    }

    /// The configuration says polling. What waits at Telegram is kept.
    async fn remove_webhook(&self) {
        let asked = DeleteWebhook { drop_pending_updates: Some(false) };
        match self.client.call::<_, bool>(&asked).await {
            Ok(_) => {
                tracing::warn!(account = %self.bot.account, "removed the webhook that stood in the way of polling")
            }
            Err(fault) => {
                tracing::warn!(account = %self.bot.account, %fault, "the webhook could not be removed")
            }
        }
    }

    async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T, Stopped> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(Stopped),
            output = work => Ok(output),
        }
    }
}
