//! The fake as a test holds it: start it, read what was sent, wait for what is to come, make things go wrong.

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use bytes::Bytes;
use serde_json::Value;

use super::{
    bots::BotAccount,
    conversation::Seen,
    draft::Draft,
    fault::{Answer, Fault, Faults, Injected, Stage},
    person::Person,
    record::{Call, Record, Violation},
    room::Room,
    server,
    world::World,
};
use crate::{gate::Gate, socket::Serving};

/// How long a wait lasts before it is called a failure.
const PATIENCE: Duration = Duration::from_secs(20);

/// What can be chosen at the start.
#[derive(Clone, Debug)]
pub struct Options {
    /// Port 0 is picked by the system.
    pub address: SocketAddr,
    /// Every call goes into a file of this folder, one JSON object a line.
    pub record_dir: Option<PathBuf>,
    /// Token of the bot that exists from the start.
    pub token: String,
    /// User name of that bot.
    pub username: String,
}

impl Default for Options {
    /// Loopback, a port of the system's choice, and the recording folder that `PENSIVE_RECORD_DIR` names.
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            record_dir: std::env::var_os("PENSIVE_RECORD_DIR").map(PathBuf::from),
            token: "7000001:AAFakeTokenOfTheFirstFakeTelegramBot0".into(),
            username: "pensive_test_bot".into(),
        }
    }
}

/// A running server. Clones share it; it stops with the last of them.
#[derive(Clone, Debug)]
pub struct TelegramFake {
    shared: Arc<Shared>,
    /// Absent in the server's own clone, which must not keep itself alive.
    serving: Option<Arc<Serving>>,
}

#[derive(Debug)]
struct Shared {
    world: Mutex<World>,
    record: Mutex<Record>,
    faults: Mutex<Faults>,
    /// Id and token of the bot that exists from the start.
    first: (i64, String),
}

/// No test goes on after a panic under one of these locks, and a client's request must not bring the fake down.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TelegramFake {
    /// Starts on loopback with one bot.
    pub async fn start() -> io::Result<Self> {
        Self::start_with(Options::default()).await
    }

    /// Starts with choices of one's own.
    pub async fn start_with(options: Options) -> io::Result<Self> {
        let id = options.token.split(':').next().and_then(|id| id.parse().ok()).unwrap_or(7_000_001);
        let shared = Shared {
            world: Mutex::default(),
            record: Mutex::default(),
            faults: Mutex::default(),
            first: (id, options.token.clone()),
        };
        let mut fake = Self { shared: Arc::new(shared), serving: None };
        fake.world().add_bot(id, &options.token, "Pensive", &options.username);
        let serving = Serving::start(server::router(fake.clone()), options.address).await?;
        if let Some(folder) = options.record_dir {
            std::fs::create_dir_all(&folder)?;
            let (process, port) = (std::process::id(), serving.address().port());
            fake.record_to(&folder.join(format!("telegram-{process}-{port}.jsonl")))?;
        }
        fake.serving = Some(Arc::new(serving));
        Ok(fake)
    }

    /// Base URL, what a bot takes as the Bot API's root.
    pub fn url(&self) -> String {
        self.serving.as_ref().map(|serving| serving.url()).unwrap_or_default()
    }

    /// Stops serving: new connections are refused, those that are open are left to end.
    pub fn stop(&self) {
        if let Some(serving) = &self.serving {
            serving.stop();
        }
    }

    /// The first bot's token.
    pub fn token(&self) -> &str {
        &self.shared.first.1
    }

    /// The first bot.
    pub fn bot(&self) -> BotAccount {
        BotAccount::new(self.clone(), self.shared.first.0, self.shared.first.1.clone())
    }

    /// The bot with this user name.
    pub fn bot_named(&self, username: &str) -> Option<BotAccount> {
        let world = self.world();
        let bot = world.bots.values().find(|bot| bot.username == username)?;
        let token = world.tokens.iter().find(|(_, id)| **id == bot.id).map(|(token, _)| token.clone())?;
        Some(BotAccount::new(self.clone(), bot.id, token))
    }

    /// One more bot, with a token of its own.
    pub fn add_bot(&self, username: &str) -> BotAccount {
        let mut world = self.world();
        let id = 7_100_000 + world.serial();
        let token = format!("{id}:AAFakeTokenOf_{username}");
        world.add_bot(id, &token, username, username);
        drop(world);
        BotAccount::new(self.clone(), id, token)
    }

    /// A person who has written to the first bot before.
    pub fn user(&self, name: &str) -> Person {
        let person = self.stranger(name);
        person.start(&self.bot());
        person
    }

    /// The person of this name, new or known, who has written to the first bot before.
    pub fn person(&self, name: &str) -> Person {
        let known = self.world().users.values().find(|user| user.first_name == name).map(|user| user.id);
        known.map_or_else(|| self.user(name), |id| self.user_with_id(id, name))
    }

    /// A person whom no bot may write to yet.
    pub fn stranger(&self, name: &str) -> Person {
        let id = 500_000 + self.world().serial();
        self.user_with_id(id, name)
    }

    /// A person with an id of one's choice; an id that exists stays who it is.
    pub fn user_with_id(&self, id: i64, name: &str) -> Person {
        self.world().add_user(id, name);
        Person::new(self.clone(), id, self.bot())
    }

    /// A basic group with these people and the first bot.
    pub fn group(&self, title: &str, people: &[&Person]) -> Room {
        Room::found(self, super::ChatKind::Group, title, people)
    }

    /// A supergroup without topics.
    pub fn supergroup(&self, title: &str, people: &[&Person]) -> Room {
        Room::found(self, super::ChatKind::Supergroup, title, people)
    }

    /// A supergroup with topics.
    pub fn forum(&self, title: &str, people: &[&Person]) -> Room {
        let room = self.supergroup(title, people);
        room.make_forum();
        room
    }

    /// A channel in which the first bot may post.
    pub fn channel(&self, title: &str) -> Room {
        Room::found(self, super::ChatKind::Channel, title, &[])
    }

    /// What stands in the chat now, in the first bot's eyes, oldest first.
    pub fn messages(&self, chat: i64) -> Vec<Seen> {
        self.bot().messages(chat)
    }

    /// The draft below the chat's last message, that of the chat itself before those of its topics.
    pub fn draft(&self, chat: i64) -> Option<Draft> {
        self.world().screen(chat, self.shared.first.0).drafts.into_iter().next()
    }

    /// Calls of one method so far, in the order in which they were done.
    pub fn calls(&self, method: &str) -> Vec<Call> {
        self.calls_where(|call| call.method.eq_ignore_ascii_case(method))
    }

    /// Calls so far that satisfy `wanted`.
    pub fn calls_where(&self, wanted: impl Fn(&Call) -> bool) -> Vec<Call> {
        lock(&self.shared.record).calls().filter(|call| wanted(call)).cloned().collect()
    }

    /// Time since the start, on the clock of [`Call::at`].
    pub fn elapsed(&self) -> Duration {
        lock(&self.shared.record).elapsed()
    }

    /// Calls so far, forgotten ones included.
    pub fn call_count(&self) -> usize {
        lock(&self.shared.record).count()
    }

    /// When the clock of [`Call::at`] began.
    pub fn started(&self) -> Instant {
        lock(&self.shared.record).started()
    }

    /// Everything that should not have been sent.
    pub fn violations(&self) -> Vec<Violation> {
        lock(&self.shared.record).violations.clone()
    }

    /// Forgets calls and violations; the world stays.
    pub fn forget(&self) {
        lock(&self.shared.record).forget();
    }

    /// Keeps only the last `count` calls, for runs of millions.
    pub fn keep_calls(&self, count: usize) {
        lock(&self.shared.record).keep(count);
    }

    /// Writes every call from now on to this file, one JSON object a line.
    pub fn record_to(&self, path: &Path) -> io::Result<()> {
        lock(&self.shared.record).write_to(path)
    }

    /// The first call, past or to come, that satisfies `wanted`. Fails the test after a while, with what was called instead.
    pub async fn wait_for(&self, wanted: impl Fn(&Call) -> bool) -> Call {
        self.wait_for_nth(1, wanted).await
    }

    /// The `n`th call, counted from 1, that satisfies `wanted`.
    pub async fn wait_for_nth(&self, n: usize, wanted: impl Fn(&Call) -> bool) -> Call {
        let found = self.wait_until(|fake| {
            let record = lock(&fake.shared.record);
            record.calls().filter(|call| wanted(call)).nth(n.saturating_sub(1)).cloned()
        });
        found.await
    }

    /// A message of a bot in this chat whose text contains `part`, as soon as it stands there.
    pub async fn wait_for_text(&self, chat: i64, part: &str) -> Seen {
        let here = |seen: &Seen| seen.by_bot && seen.text.contains(part);
        self.wait_until(|fake| fake.messages(chat).into_iter().find(here)).await
    }

    /// Waits until `look` finds something; it is asked again after every call and every change.
    pub async fn wait_until<T>(&self, look: impl Fn(&Self) -> Option<T>) -> T {
        match self.wait_within(PATIENCE, look).await {
            Some(found) => found,
            #[expect(clippy::panic, reason = "this is how a test fails; no request of a client comes here")]
            None => panic!("nothing of the kind came within {PATIENCE:?}; {}", self.summary()),
        }
    }

    /// As [`Self::wait_until`], with a limit of one's own and no failure.
    pub async fn wait_within<T>(&self, limit: Duration, look: impl Fn(&Self) -> Option<T>) -> Option<T> {
        let mut ticks = lock(&self.shared.record).ticks.subscribe();
        let search = async {
            loop {
                ticks.mark_unchanged();
                if let Some(found) = look(self) {
                    return found;
                }
                // The sender lives as long as this borrow.
                ticks.changed().await.ok();
            }
        };
        tokio::time::timeout(limit, search).await.ok()
    }

    /// Waits until the first bot has a poll open.
    pub async fn wait_for_poll(&self) {
        self.bot().wait_for_poll().await;
    }

    fn summary(&self) -> String {
        let record = lock(&self.shared.record);
        let calls: Vec<_> = record.calls().filter(|call| call.method != "getUpdates").collect();
        let last = calls.iter().rev().take(12).rev();
        let lines: Vec<_> = last.map(|c| format!("\n  {} {} {}", c.method, c.status, c.params)).collect();
        format!("{} calls, the last:{}\nviolations: {:?}", record.count(), lines.concat(), record.violations)
    }

    /// Puts a fault in force.
    pub fn inject(&self, fault: Fault) -> Injected {
        lock(&self.shared.faults).add(fault)
    }

    /// The gate of this name, closed until somebody opens it: how another process holds and releases calls.
    pub fn gate(&self, name: &str) -> Gate {
        self.world().gates.entry(name.to_owned()).or_default().clone()
    }

    /// Takes all faults back.
    pub fn clear_faults(&self) {
        lock(&self.shared.faults).clear();
    }

    /// Places a file as if somebody had uploaded it and gives its id.
    pub fn add_file(&self, folder: &str, name: &str, bytes: impl Into<Bytes>) -> String {
        self.world().keep_file(folder, name, bytes.into()).0
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.shared.world)
    }

    pub(crate) fn strike(&self, method: &str, token: &str, chat: Option<i64>) -> Option<(Stage, Answer)> {
        lock(&self.shared.faults).strike(method, token, chat)
    }

    pub(crate) fn file(&self, mut call: Call, faults: Vec<String>) {
        let world = self.world();
        call.bot = world.tokens.get(&call.token).copied().unwrap_or_default();
        call.moment = world.moment();
        drop(world);
        lock(&self.shared.record).add(call, faults);
    }

    pub(crate) fn clock(&self) -> u64 {
        lock(&self.shared.record).clock()
    }

    pub(crate) fn tick(&self) {
        lock(&self.shared.record).tick();
    }

    /// The answer to a pressed button, once there is one.
    pub(crate) fn press_answer(&self, id: &str) -> Option<Value> {
        self.world().presses.get(id).and_then(|(_, answer)| answer.clone())
    }
}
