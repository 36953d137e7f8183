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
    fault::{Answer, Fault, Faults, Injected, Stage},
    gateway::line::Line,
    limits::Rule,
    people::MESSAGE_CONTENT,
    person::Person,
    record::{Call, Record, Said, Violation},
    room::Guild,
    seen::{Film, Seen},
    server,
    time::Time,
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
    /// Every call and every frame goes into a file of this folder, one JSON object a line.
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
            token: "MTAwMDAwMDAwMDAwMDAwMDAx.GfAkE0.TokenOfTheFirstFakeDiscordBot00000000000".into(),
            username: "PensiveTest".into(),
        }
    }
}

/// A running server. Clones share it; it stops with the last of them.
#[derive(Clone, Debug)]
pub struct DiscordFake {
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
    first: (u64, String),
}

/// The id of the first bot.
const FIRST: u64 = 100_000_000_000_000_001;

/// No test goes on after a panic under one of these locks, and a client's request must not bring the fake down.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A bot of the fake's.
#[derive(Clone, Debug)]
pub struct BotAccount {
    fake: DiscordFake,
    id: u64,
}

impl BotAccount {
    /// Its id, which is its application's too.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// What logs it in.
    pub fn token(&self) -> String {
        self.fake.world().bots.get(&self.id).map(|bot| bot.token.clone()).unwrap_or_default()
    }

    /// `<@id>`, as people's apps write it.
    pub fn mention(&self) -> String {
        format!("<@{}>", self.id)
    }

    /// Its connections.
    pub fn line(&self) -> Line {
        Line::new(&self.fake, self.id)
    }

    /// What is registered: names of commands, and the guild's id for those of one guild.
    pub fn commands(&self) -> Vec<(Option<u64>, Value)> {
        let world = self.fake.world();
        world.bots.get(&self.id).map(|bot| bot.commands.values().cloned().collect()).unwrap_or_default()
    }

    /// Message content is switched on or off in the developer portal.
    pub fn switch_message_content(&self, on: bool) {
        self.change(|bot| bot.privileged = if on { MESSAGE_CONTENT } else { 0 });
    }

    /// The token is reset.
    pub fn revoke(&self) {
        self.change(|bot| bot.valid = false);
    }

    /// It is good again.
    pub fn restore(&self) {
        self.change(|bot| bot.valid = true);
    }

    /// Discord's advice from now on.
    pub fn recommend_shards(&self, shards: u32) {
        self.change(|bot| bot.shards = shards);
    }

    /// So many sessions may still be started, until `resets_in`.
    pub fn limit_starts(&self, left: u32, resets_in: Duration) {
        let now = self.fake.world().now();
        let span = i64::try_from(resets_in.as_millis()).unwrap_or(0);
        self.change(|bot| (bot.starts_left, bot.resets_at) = (left, now + span));
    }

    /// The guild gave it no right to have commands.
    pub fn deny_commands(&self, guild: u64) {
        self.change(|bot| {
            bot.no_commands.insert(guild);
        });
    }

    fn change(&self, change: impl FnOnce(&mut super::people::Bot)) {
        if let Some(bot) = self.fake.world().bots.get_mut(&self.id) {
            change(bot);
        }
        self.fake.tick();
    }
}

impl DiscordFake {
    /// Starts on loopback with one bot.
    pub async fn start() -> io::Result<Self> {
        Self::start_with(Options::default()).await
    }

    /// Starts with choices of one's own.
    pub async fn start_with(options: Options) -> io::Result<Self> {
        let shared = Shared {
            world: Mutex::default(),
            record: Mutex::default(),
            faults: Mutex::default(),
            first: (FIRST, options.token.clone()),
        };
        let mut fake = Self { shared: Arc::new(shared), serving: None };
        fake.world().add_bot(FIRST, &options.token, &options.username);
        fake.world().add_user(super::people::OWNER, "Owner", false);
        let serving = Serving::start(server::router(fake.clone()), options.address).await?;
        fake.world().url = serving.url();
        if let Some(folder) = options.record_dir {
            std::fs::create_dir_all(&folder)?;
            let (process, port) = (std::process::id(), serving.address().port());
            fake.record_to(&folder.join(format!("discord-{process}-{port}.jsonl")))?;
        }
        fake.serving = Some(Arc::new(serving));
        Ok(fake)
    }

    /// Base URL: what stands in the place of `https://discord.com`.
    pub fn url(&self) -> String {
        self.world().url.clone()
    }

    /// Stops serving: new connections are refused, those that are open are left to end.
    pub fn stop(&self) {
        if let Some(serving) = &self.serving {
            serving.stop();
        }
    }

    /// Reads the time from here on, in milliseconds since 1970. No real wait is measured any more.
    pub fn follow(&self, clock: impl Fn() -> i64 + Send + Sync + 'static) {
        self.world().time = Time::by_hand(clock);
    }

    /// The first bot's token.
    pub fn token(&self) -> &str {
        &self.shared.first.1
    }

    /// The first bot.
    pub fn bot(&self) -> BotAccount {
        BotAccount { fake: self.clone(), id: self.shared.first.0 }
    }

    /// One more bot, with a token of its own.
    pub fn add_bot(&self, username: &str) -> BotAccount {
        let mut world = self.world();
        let id = world.take_id();
        let token = format!("MTAw{id}.GfAkE0.TokenOf{username}000000000000000000000000");
        world.add_bot(id, &token, username);
        drop(world);
        BotAccount { fake: self.clone(), id }
    }

    /// The connections of the first bot.
    pub fn line(&self) -> Line {
        self.bot().line()
    }

    /// The person of this name, new or known, in front of their direct channel with the first bot.
    pub fn person(&self, name: &str) -> Person {
        let known =
            self.world().users.values().find(|user| !user.bot && user.name == name).map(|user| user.id);
        let id = known.unwrap_or_else(|| self.world().take_id());
        self.person_with_id(id, name)
    }

    /// A person with an id of one's choice; an id that exists stays who it is.
    pub fn person_with_id(&self, id: u64, name: &str) -> Person {
        let mut world = self.world();
        world.add_user(id, name, false);
        let channel = world.direct(id, self.shared.first.0);
        drop(world);
        Person::new(self.clone(), id, self.shared.first.0, channel)
    }

    /// A guild with these people and the first bot.
    pub fn guild(&self, name: &str, people: &[&Person]) -> Guild {
        Guild::found(self, name, people)
    }

    /// The guild of this name.
    pub fn guild_named(&self, name: &str) -> Option<Guild> {
        let id = self.world().guilds.values().find(|guild| guild.name == name).map(|guild| guild.id)?;
        Some(Guild::known(self, id))
    }

    /// What stands in a channel now for everybody, oldest first.
    pub fn messages(&self, channel: u64) -> Vec<Seen> {
        self.world().screen(channel, 0)
    }

    /// Films a channel in the eyes of everybody.
    pub fn film(&self, channel: u64) -> Film {
        Film::begin(self, channel, 0)
    }

    /// Who typed where, and when on the clock that is followed.
    pub fn typed(&self) -> Vec<(u64, u64, i64)> {
        self.world().typed.clone()
    }

    /// Paths of files that were fetched.
    pub fn downloads(&self) -> Vec<String> {
        self.world().downloads.clone()
    }

    /// Nobody is limited any more.
    pub fn unlimited(&self) {
        self.world().limits.off = true;
    }

    /// So many such calls, like `POST /channels/{}/messages`, in this time.
    pub fn limit(&self, call: &str, calls: u32, span: Duration) {
        let span = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        let mut world = self.world();
        world.limits.off = false;
        world.limits.rules.insert(call.to_owned(), Rule { calls, span });
    }

    /// `heartbeat_interval` of connections to come.
    pub fn beat_every(&self, interval: Duration) {
        self.world().gateway.interval = interval;
    }

    /// The next `count` resumes are refused.
    pub fn refuse_resumes(&self, count: usize) {
        self.world().gateway.refused_resumes = count;
    }

    /// Whoever identifies twice in five seconds is turned away.
    pub fn be_strict_about_identifies(&self) {
        self.world().gateway.strict_identify = true;
    }

    /// Such calls so far, like `POST /channels/{}/messages`, in the order in which they were done.
    pub fn calls(&self, what: &str) -> Vec<Call> {
        self.calls_where(|call| call.is(what))
    }

    /// Calls so far that satisfy `wanted`.
    pub fn calls_where(&self, wanted: impl Fn(&Call) -> bool) -> Vec<Call> {
        lock(&self.shared.record).calls().filter(|call| wanted(call)).cloned().collect()
    }

    /// What clients said on the gateway.
    pub fn commands(&self) -> Vec<Said> {
        lock(&self.shared.record).commands.clone()
    }

    /// What they were told there.
    pub fn events(&self) -> Vec<Said> {
        lock(&self.shared.record).events.clone()
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

    /// Forgets calls, frames and violations; the world stays.
    pub fn forget(&self) {
        lock(&self.shared.record).forget();
    }

    /// Keeps only the last `count` calls and nothing of the gateway, for runs of millions.
    pub fn keep_calls(&self, count: usize) {
        lock(&self.shared.record).keep(count);
    }

    /// Writes every call and frame from now on to this file, one JSON object a line.
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

    /// A message of a bot in this channel whose text contains `part`, as soon as it stands there for everybody.
    pub async fn wait_for_text(&self, channel: u64, part: &str) -> Seen {
        let here = |seen: &Seen| seen.by_bot && seen.text.contains(part);
        self.wait_until(|fake| fake.messages(channel).into_iter().find(here)).await
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

    /// As [`Self::wait_until`], for as long as it takes.
    pub async fn wait_until_ever<T>(&self, look: impl Fn(&Self) -> Option<T>) -> T {
        loop {
            if let Some(found) = self.wait_within(Duration::from_secs(3_600), &look).await {
                return found;
            }
        }
    }

    fn summary(&self) -> String {
        let record = lock(&self.shared.record);
        let calls: Vec<_> = record.calls().collect();
        let last = calls.iter().rev().take(12).rev();
        let lines: Vec<_> =
            last.map(|c| format!("\n  {} {} {} {}", c.method, c.route, c.status, c.body)).collect();
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

    /// Places a file as if somebody had uploaded it and gives its attachment object.
    pub fn add_file(&self, channel: u64, name: &str, kind: &str, bytes: impl Into<Bytes>) -> Value {
        self.world().keep_file(channel, name, kind, bytes.into())
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.shared.world)
    }

    pub(crate) fn gateway_url(&self) -> String {
        format!("ws{}", self.world().url.strip_prefix("http").unwrap_or_default())
    }

    pub(crate) fn strike(&self, call: &str, bot: u64, channel: u64) -> Option<(Stage, Answer)> {
        lock(&self.shared.faults).strike(call, bot, channel)
    }

    pub(crate) fn file(&self, mut call: Call, faults: Vec<String>) {
        call.moment = self.world().now();
        lock(&self.shared.record).add(call, faults);
    }

    pub(crate) fn file_event(&self, said: Said) {
        lock(&self.shared.record).add_event(said);
    }

    pub(crate) fn file_command(&self, said: Said) {
        lock(&self.shared.record).add_command(said);
    }

    pub(crate) fn blame(&self, about: &str, what: &str) {
        let mut record = lock(&self.shared.record);
        record.violations.push(Violation { about: about.to_owned(), what: what.to_owned() });
        record.tick();
    }

    pub(crate) fn clock(&self) -> u64 {
        lock(&self.shared.record).clock()
    }

    pub(crate) fn tick(&self) {
        lock(&self.shared.record).tick();
    }
}
