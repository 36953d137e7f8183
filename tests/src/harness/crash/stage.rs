//! Sends what the plan says, kills the daemon at random instants, starts it again, and looks at the end.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use fastrand::Rng;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    outcome::Outcome,
    plan::{Errand, Planner},
    verdict::{Bubble, Growth, RESTARTED, Sent, Tally, UNCONFIRMED, judge, missing_after_presses},
};
use crate::{
    gate::Gate,
    harness::{
        daemon::Daemon,
        home::{Home, Wiring},
        world::World,
    },
    telegram::{Call, Fault, Person, Seen, TelegramFake},
};

/// A chat with so many open messages is left alone until they are settled: the bot may sum up longer queues.
const MOST_OPEN: usize = 8;
/// How long a life may take to its first poll.
const START_LIMIT: Duration = Duration::from_secs(20);
/// What the model uses now and then; it does no harm.
const TOOL: &str = "session_status";
/// What the button under an answer in the making says.
const STOP: &str = "⏹";
/// Nothing called for so long means that nothing more will come: the pace of a group lets nothing pass for up to a minute.
const QUIET: Duration = Duration::from_secs(65);
/// Where nothing is missing, a shorter time will do.
const SETTLED: Duration = Duration::from_millis(300);
/// How long before a kill a message may have landed without word of it on disk.
const UNKNOWN: Duration = Duration::from_millis(100);
/// How long a pressed button may take to show what it should. A second notice about the same run brings nothing.
const PRESS_LIMIT: Duration = Duration::from_secs(3);

/// What is tried.
#[derive(Clone, Debug)]
pub struct Trial {
    /// How often the daemon is killed.
    pub rounds: usize,
    /// Decides what is sent.
    pub seed: u64,
    /// How many people write.
    pub people: usize,
    /// The daemon.
    pub program: PathBuf,
}

/// Carries a trial out.
pub async fn run(trial: &Trial) -> Result<Outcome> {
    let begun = Instant::now();
    let mut stage = Stage::set(trial).await?;
    for round in 0..trial.rounds {
        stage.round().await.with_context(|| format!("round {round}: {}", stage.home.last_words(20)))?;
    }
    let mut outcome = stage.finish().await.with_context(|| stage.home.last_words(20))?;
    outcome.seconds = begun.elapsed().as_secs_f64();
    if !outcome.clean() {
        outcome.last_words = stage.home.last_words(40);
        eprintln!("the home is kept: {}", stage.home.keep().display());
    }
    Ok(outcome)
}

struct Stage {
    world: World,
    home: Home,
    program: PathBuf,
    planner: Planner,
    /// For the instants; deliberately not from the seed.
    chance: Rng,
    chats: Vec<Chat>,
    kills: Kills,
    seed: u64,
    rounds: usize,
    killed_in_start: usize,
    killed_in_send: usize,
    /// How long the last full start took; kills in the start are spread over it.
    start: Duration,
}

/// A person, and what was written to the bot.
struct Chat {
    person: Person,
    sent: Vec<Sent>,
    /// How many of these had not come to an end when the last life ended, and what was written since.
    open: usize,
}

impl Chat {
    /// A direct chat, or a group; our messages quote what they answer only in groups.
    fn open(telegram: &TelegramFake, place: usize) -> Self {
        let person = telegram.user(&format!("Person {place}"));
        let person = match place % 2 {
            0 => person,
            _ => person.at(&telegram.supergroup(&format!("Room {place}"), &[&person])),
        };
        Self { person, sent: Vec::new(), open: 0 }
    }

    fn write(&mut self, errands: Vec<Errand>) {
        for errand in errands {
            let message = self.person.say(&errand.text).message_id;
            self.sent.push(Sent { message, errand });
            self.open += 1;
        }
    }

    fn bubbles(&self, kills: &Kills) -> Vec<Bubble> {
        let seen = self.person.sees().into_iter().filter(|seen| seen.by_bot);
        let bubble = |seen: Seen| {
            let growth = kills.growth(&self.person, &seen);
            Bubble { growth, text: seen.text, reply_to: seen.reply_to }
        };
        seen.map(bubble).collect()
    }

    fn judge(&self, kills: &Kills) -> Tally {
        judge(&self.sent, &self.bubbles(kills))
    }
}

/// When the daemon was killed, on the clock of the calls.
struct Kills {
    telegram: TelegramFake,
    moments: Vec<Duration>,
}

impl Kills {
    fn growth(&self, person: &Person, seen: &Seen) -> Growth {
        if !seen.buttons.iter().any(|label| label.contains(STOP)) {
            return Growth::Whole;
        }
        let sent = |call: &Call| {
            call.chat() == Some(person.chat())
                && call.method == "sendMessage"
                && call.answer.get("message_id").and_then(Value::as_i64) == Some(seen.id)
        };
        let landed = self.telegram.calls_where(sent).pop().map(|call| Duration::from_micros(call.at));
        let just_before = |kill: &Duration| landed.is_some_and(|at| *kill >= at && *kill - at < UNKNOWN);
        if self.moments.iter().any(just_before) { Growth::Orphan } else { Growth::Known }
    }
}

impl Stage {
    async fn set(trial: &Trial) -> Result<Self> {
        let world = World::start().await?;
        let chats: Vec<Chat> = (0..trial.people).map(|place| Chat::open(&world.telegram, place)).collect();
        let people = chats.iter().map(|chat| chat.person.id()).collect();
        let home = Home::with(&Wiring { people, runs: 4, ..world.wiring() }, |config| {
            if let Some(defaults) = config.pointer_mut("/agents/defaults").and_then(Value::as_object_mut) {
                defaults.insert("tools".to_owned(), json!({ "allow": [TOOL] }));
            }
            // What a run takes from others it answers as well, and their words would be looked for in vain.
            if let Some(config) = config.as_object_mut() {
                config.insert("messages".to_owned(), json!({ "queue": { "mode": "followup" } }));
            }
        })?;
        world.use_tool(TOOL);
        let kills = Kills { telegram: world.telegram.clone(), moments: Vec::new() };
        Ok(Self {
            world,
            home,
            program: trial.program.clone(),
            planner: Planner::new(trial.seed, trial.people),
            chance: Rng::new(),
            chats,
            kills,
            seed: trial.seed,
            rounds: 0,
            killed_in_start: 0,
            killed_in_send: 0,
            start: Duration::from_millis(100),
        })
    }

    /// One life of the daemon, with people writing to it until it is killed.
    async fn round(&mut self) -> Result<()> {
        self.shape_the_outside();
        self.write();
        let mut daemon = Daemon::start(&self.program, &self.home)?;
        match self.chance.u8(..4) {
            0 if self.rounds > 0 => {
                self.killed_in_start += 1;
                let span = self.start.mul_f64(self.chance.f64() * 1.2);
                self.live(span).await;
            }
            1 => {
                self.killed_in_send += 1;
                self.live_until_it_sends().await;
            }
            _ => {
                self.reach_poll(&mut daemon).await?;
                let span = Duration::from_micros(self.chance.u64(..350_000));
                self.live(span).await;
            }
        }
        daemon.alive()?;
        daemon.kill().await?;
        self.kills.moments.push(self.world.telegram.elapsed());
        self.rounds += 1;
        self.count_open();
        Ok(())
    }

    /// People write until the daemon is in the middle of a send, whose request has arrived and whose answer has not left: in one
    /// half of the cases the message is in the chat already.
    async fn live_until_it_sends(&mut self) {
        let gate = Gate::new();
        self.world.telegram.clear_faults();
        for method in ["sendMessage", "editMessageText"] {
            let held = Fault::on(method).held(&gate).always();
            let held = if self.chance.bool() { held } else { held.after_commit() };
            self.world.telegram.inject(held);
        }
        tokio::select! {
            () = gate.reached(1) => {}
            () = self.live(START_LIMIT) => {}
        }
    }

    /// Models and platforms take their time, a different one each round, so that kills fall into every gap.
    fn shape_the_outside(&mut self) {
        let slowest = if self.chance.bool() { 60 } else { 600 };
        self.world.answer_after(Duration::from_millis(self.chance.u64(..slowest)));
        self.world.telegram.clear_faults();
        let slow = Fault::on("sendMessage").delayed(Duration::from_millis(self.chance.u64(..12))).always();
        match self.chance.u8(..3) {
            0 => {}
            1 => drop(self.world.telegram.inject(slow)),
            _ => drop(self.world.telegram.inject(slow.after_commit())),
        }
    }

    async fn reach_poll(&mut self, daemon: &mut Daemon) -> Result<()> {
        let bot = self.world.telegram.bot();
        let polled =
            self.world.telegram.wait_within(START_LIMIT, |_| (bot.open_polls() > 0).then_some(())).await;
        if polled.is_none() {
            daemon.alive()?;
        }
        ensure!(polled.is_some(), "no poll within {START_LIMIT:?}");
        self.start = daemon.born.elapsed();
        Ok(())
    }

    /// People write for so long.
    async fn live(&mut self, span: Duration) {
        let end = Instant::now() + span;
        loop {
            let gap = Duration::from_micros(self.chance.u64(2_000..40_000));
            let left = end.saturating_duration_since(Instant::now());
            sleep(gap.min(left)).await;
            if gap >= left {
                return;
            }
            self.write();
        }
    }

    /// Somebody with little open writes what is next.
    fn write(&mut self) {
        let Self { planner, chats, .. } = self;
        let free = |chat: usize| chats.get(chat).is_some_and(|chat| chat.open < MOST_OPEN);
        let Some(place) = planner.pick(free) else { return };
        let errands = planner.next(place);
        if let Some(chat) = chats.get_mut(place) {
            chat.write(errands);
        }
    }

    fn count_open(&mut self) {
        for chat in &mut self.chats {
            let tally = chat.judge(&self.kills);
            chat.open = tally.gaps;
        }
    }

    fn judge_all(&self) -> Tally {
        let mut all = Tally::default();
        self.chats.iter().for_each(|chat| all.add(chat.judge(&self.kills)));
        all
    }

    /// The last life: everything settles, the settings are asked for, and every button is pressed.
    async fn finish(&mut self) -> Result<Outcome> {
        self.world.answer_after(Duration::ZERO);
        self.world.telegram.clear_faults();
        let mut daemon = Daemon::start(&self.program, &self.home)?;
        self.reach_poll(&mut daemon).await?;
        self.settle().await;
        self.ask_for_settings();
        self.settle().await;
        let tally = self.judge_all();
        let presses = self.press_all().await;
        self.calm(|stage| stage.missing().is_empty()).await;
        let missing = self.missing();
        daemon.alive()?;
        daemon.stop(Duration::from_secs(15)).await?;
        let violations = self.world.telegram.violations();
        Ok(Outcome {
            rounds: self.rounds,
            seed: self.seed,
            killed_in_start: self.killed_in_start,
            killed_in_send: self.killed_in_send,
            tally,
            presses,
            missing_after_presses: missing,
            violations: violations.iter().map(|what| format!("{}: {}", what.method, what.what)).collect(),
            seconds: 0.0,
            last_words: String::new(),
        })
    }

    fn ask_for_settings(&mut self) {
        for (place, chat) in self.chats.iter_mut().enumerate() {
            chat.write(self.planner.questions(place));
        }
    }

    /// What is not there though every button was pressed.
    fn missing(&self) -> Vec<String> {
        let of = |chat: &Chat| missing_after_presses(&chat.sent, &chat.bubbles(&self.kills));
        self.chats.iter().flat_map(of).collect()
    }

    /// Until nothing is missing, or nothing happens any more.
    async fn settle(&self) {
        self.calm(|stage| stage.world.telegram.bot().pending() == 0 && stage.judge_all().gaps == 0).await;
    }

    /// Until a moment passes without a call and `done` says so, or a long time without one.
    async fn calm(&self, done: impl Fn(&Self) -> bool) {
        let telegram = &self.world.telegram;
        let mut calls = telegram.call_count();
        let mut changed = Instant::now();
        loop {
            sleep(Duration::from_millis(50)).await;
            if telegram.call_count() != calls {
                calls = telegram.call_count();
                changed = Instant::now();
            }
            let still = changed.elapsed();
            if still > QUIET || (still > SETTLED && done(self)) {
                return;
            }
        }
    }

    /// Presses the button of every notice, one after the other in each chat, and waits for what it should bring.
    async fn press_all(&self) -> usize {
        let mut presses = 0;
        for Chat { person, .. } in &self.chats {
            let notices =
                person.sees().into_iter().filter(|seen| seen.text == RESTARTED || seen.text == UNCONFIRMED);
            for notice in notices {
                let Some(data) = button_data(&notice) else { continue };
                let before = person.sees().len();
                person.press_data(&notice, &data);
                presses += 1;
                let more = |_: &TelegramFake| (person.sees().len() > before).then_some(());
                self.world.telegram.wait_within(PRESS_LIMIT, more).await;
            }
        }
        presses
    }
}

fn button_data(notice: &Seen) -> Option<String> {
    let data = notice.raw.pointer("/reply_markup/inline_keyboard/0/0/callback_data")?;
    data.as_str().map(str::to_owned)
}
