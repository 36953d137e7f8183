//! The fakes, one program under trial between them, and messages sent to it one at a time.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use serde_json::Value;
use tokio::{process::Command, time::sleep};

use crate::{
    harness::{
        daemon::{Daemon, Usage},
        home::{Home, Wiring},
        samples::Samples,
        world::World,
    },
    telegram::{Call, Person, TelegramFake},
};

/// The machine's rest between two messages.
const GAP: Duration = Duration::from_millis(3);
/// How long anything may take before the run is given up.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// What people write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Traffic {
    /// A directive and nothing else: stored, flushed and acknowledged.
    Directive,
    /// A question to the model.
    Question,
}

impl Traffic {
    pub(super) fn text(self, number: usize) -> String {
        match (self, number % 2) {
            (Self::Directive, 0) => "/think low".to_owned(),
            (Self::Directive, _) => "/think high".to_owned(),
            (Self::Question, _) => format!("Is {number} a good number?"),
        }
    }
}

/// Where the time of many messages went.
#[derive(Debug, Default)]
pub(super) struct Trips {
    /// From the update's delivery to the model's request.
    pub(super) to_model: Samples,
    /// From the update's delivery to the request that sends the answer.
    pub(super) to_answer: Samples,
    /// Processor time for one message.
    pub(super) cpu: Duration,
    /// Model requests for one message.
    pub(super) requests: f64,
}

/// Both fakes, people, and what is tried.
pub(super) struct Bench {
    pub(super) world: World,
    pub(super) program: PathBuf,
    pub(super) people: Vec<Person>,
}

impl Bench {
    pub(super) async fn new(program: PathBuf, people: usize) -> Result<Self> {
        let world = World::start().await?;
        let people = (0..people).map(|n| world.telegram.user(&format!("Person {n}"))).collect();
        Ok(Self { world, program, people })
    }

    /// A home for a daemon with so many runs at once.
    pub(super) fn home(&self, runs: usize) -> Result<Home> {
        self.home_with(runs, |_| {})
    }

    /// The same after `change` has been at its configuration.
    pub(super) fn home_with(&self, runs: usize, change: impl FnOnce(&mut Value)) -> Result<Home> {
        Ok(Home::with(&Wiring { runs, ..self.world.wiring() }, change)?)
    }

    /// Starts the daemon; the time is that from its execution to its first poll.
    pub(super) async fn start(&self, home: &Home) -> Result<(Daemon, Duration)> {
        self.first_poll(Daemon::start(&self.program, home), home).await
    }

    /// The same for any other program.
    pub(super) async fn start_other(&self, command: Command, home: &Home) -> Result<(Daemon, Duration)> {
        self.first_poll(Daemon::spawn(command, &home.log()), home).await
    }

    async fn first_poll(&self, daemon: Result<Daemon>, home: &Home) -> Result<(Daemon, Duration)> {
        let mut daemon = daemon?;
        let bot = self.world.telegram.bot();
        let look = |_: &TelegramFake| (bot.open_polls() > 0).then(Instant::now);
        let open = self.world.telegram.wait_within(PATIENCE, look).await;
        daemon.alive().with_context(|| home.last_words(20))?;
        let open = open.with_context(|| format!("no poll; {}", home.last_words(20)))?;
        let up = open.saturating_duration_since(daemon.born);
        Ok((daemon, up))
    }

    /// Ends the daemon and waits until the fake has seen it go.
    pub(super) async fn end(&self, daemon: Daemon) -> Result<()> {
        daemon.stop(PATIENCE).await?;
        let bot = self.world.telegram.bot();
        self.world.telegram.wait_within(PATIENCE, |_| (bot.open_polls() == 0).then_some(())).await;
        Ok(())
    }

    /// `count` messages, each sent when the one before it was answered, each by the next of the first `people`.
    pub(super) async fn one_by_one(
        &self,
        daemon: &Daemon,
        people: usize,
        count: usize,
        traffic: Traffic,
    ) -> Result<Trips> {
        let mut trips = Trips::default();
        let requests = self.world.model_requests();
        let before = daemon.usage()?;
        for number in 0..count {
            let person = self.people.get(number % people.max(1)).context("no people")?;
            self.one(person, &traffic.text(number), &mut trips).await?;
        }
        // What is written after an answer belongs to its cost.
        sleep(Duration::from_millis(200)).await;
        trips.cpu = cpu_between(before, daemon.usage()?).div_f64(count as f64);
        trips.requests = (self.world.model_requests() - requests) as f64 / count as f64;
        Ok(trips)
    }

    async fn one(&self, person: &Person, text: &str, trips: &mut Trips) -> Result<()> {
        let telegram = &self.world.telegram;
        telegram.wait_for_poll().await;
        sleep(GAP).await;
        telegram.forget();
        let requests = self.world.model_requests();
        person.say(text);
        let sent = |call: &Call| is_message(call) && call.chat() == Some(person.id());
        let answer = telegram.wait_within(PATIENCE, |fake| fake.calls_where(sent).pop()).await;
        let answer = answer.with_context(|| format!("no answer to {text:?}"))?;
        let polls = telegram.calls("getUpdates");
        let delivered = polls.first().context("an answer to an update that was never delivered")?.at;
        trips.to_answer.add(Duration::from_micros(answer.came.saturating_sub(delivered)));
        if self.world.model_requests() > requests
            && let Some(asked) = self.world.last_model_request()
        {
            let asked = asked.saturating_duration_since(telegram.started());
            trips.to_model.add(asked.saturating_sub(Duration::from_micros(delivered)));
        }
        Ok(())
    }
}

/// Whether a call puts a message into a chat, a plain or a rich one.
pub(super) fn is_message(call: &Call) -> bool {
    matches!(call.method.as_str(), "sendMessage" | "sendRichMessage")
}

/// Processor time that was used from one look to the next.
pub(super) fn cpu_between(before: Usage, after: Usage) -> Duration {
    after.cpu.saturating_sub(before.cpu)
}
