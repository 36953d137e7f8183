//! How an account comes by its events: how it connects, stays connected, goes on and gives up, against a gateway and an API
//! whose every answer the test gives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::clock::Clock;
use pensive_contract::fault::Fault;
use pensive_contract::intake::{AccountState, Channel};
use pensive_discord::{DiscordSettings, connect};
use serde_json::{Value, json};
use support::{
    EVERY_MS, Engine, Gateway, HandClock, Line, Memory, Reply, Server, TOKEN, Taken, naps, settings,
};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const SECOND: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(EVERY_MS);

struct Running {
    server: Server,
    gateway: Gateway,
    clock: Arc<HandClock>,
    notes: Arc<Memory>,
    channel: Arc<dyn Channel>,
    taken: mpsc::Receiver<Taken>,
    stop: CancellationToken,
    ends: JoinSet<Result<(), Fault>>,
}

impl Running {
    async fn start() -> Self {
        Self::with(|_| {}).await
    }

    async fn with(change: impl FnOnce(&mut DiscordSettings)) -> Self {
        Self::restart(Server::start().await, Gateway::start().await, Arc::default(), change)
    }

    fn restart(
        server: Server,
        gateway: Gateway,
        notes: Arc<Memory>,
        change: impl FnOnce(&mut DiscordSettings),
    ) -> Self {
        let clock = HandClock::new();
        let mut settings = settings(&server.root);
        change(&mut settings);
        let channel = connect(settings, clock.clone(), notes.clone()).unwrap().channel;
        let (engine, taken) = Engine::new();
        let stop = CancellationToken::new();
        let mut ends = JoinSet::new();
        let (running, token) = (channel.clone(), stop.clone());
        ends.spawn(async move { running.run(engine, token).await });
        Self { server, gateway, clock, notes, channel, taken, stop, ends }
    }

    /// Stops, and starts anew with what was noted.
    async fn again(mut self) -> Self {
        self.stop.cancel();
        self.ends.join_next().await.unwrap().unwrap().unwrap();
        Self::restart(self.server, self.gateway, self.notes, |_| {})
    }

    async fn end(mut self) -> Result<(), Fault> {
        self.ends.join_next().await.unwrap().unwrap()
    }

    /// Answers what is asked before there is a line, and what is asked beside it.
    async fn introduce(&mut self) {
        self.named().await;
        self.told(&limit(1_000, 0)).await;
    }

    async fn named(&mut self) {
        self.server
            .asked("GET /users/@me")
            .await
            .ok(&json!({"id": "42", "username": "Pensive", "bot": true}));
    }

    async fn told(&mut self, limit: &Value) {
        let gateway = json!({"url": self.gateway.url, "shards": 1, "session_start_limit": limit});
        self.server.asked("GET /gateway/bot").await.ok(&gateway);
        self.server.asked("GET /applications/@me").await.ok(&json!({"id": "42", "name": "Pensive"}));
    }

    /// Where sessions are resumed here.
    fn back(&self) -> String {
        format!("{}/back", self.gateway.url)
    }

    /// Starts, and has the session `s` begin.
    async fn up(&mut self) -> Line {
        self.introduce().await;
        let (mut line, _) = self.gateway.identified().await;
        line.ready("s", &self.back()).await;
        self.stands(|state| matches!(state, AccountState::Listening { .. })).await;
        line
    }

    /// Waits until the account stands so.
    async fn stands(&self, fits: impl Fn(&AccountState) -> bool) {
        while !fits(&self.channel.state()) {
            tokio::task::yield_now().await;
        }
    }

    /// Lets a heartbeat come, and be answered; how far it has heard.
    async fn beat(&self, line: &mut Line) -> Value {
        self.clock.pass(EVERY);
        let seq = line.beats().await;
        while self.channel.pulse().heard != Some(self.clock.now()) {
            tokio::task::yield_now().await;
        }
        seq
    }

    /// Has the next message taken in; what it says.
    async fn takes(&mut self) -> Vec<String> {
        let taken = self.taken.recv().await.unwrap();
        let texts = taken.texts().iter().map(ToString::to_string).collect();
        taken.kept();
        texts
    }

    /// The next connection, after the pause before it, with what it asks to be resumed.
    async fn resuming(&mut self) -> (Line, Value) {
        naps(&self.clock, SECOND, self.gateway.resuming()).await
    }

    /// The next connection after a session was refused, and once it may start another.
    async fn identified(&mut self) -> (Line, Value) {
        naps(&self.clock, Duration::from_secs(6), self.gateway.identified()).await
    }

    /// Lets the pause before the next attempt pass.
    async fn nap(&self) -> Duration {
        self.clock.wake(Duration::ZERO, Duration::from_millis(999)).await
    }
}

fn limit(remaining: u32, reset_after: u64) -> Value {
    json!({"total": 1000, "remaining": remaining, "reset_after": reset_after, "max_concurrency": 1})
}

#[tokio::test]
async fn an_account_connects_as_discord_wants_it() {
    let mut run = Running::start().await;
    run.introduce().await;
    let (mut line, identify) = run.gateway.identified().await;
    assert_eq!(line.path, "/?v=10&encoding=json");
    assert!(line.user_agent.starts_with("DiscordBot (https://"), "{}", line.user_agent);
    let expected = json!({"token": TOKEN, "intents": 37_377, "shard": [0, 1],
        "properties": {"os": std::env::consts::OS, "browser": "pensive", "device": "pensive"}});
    assert_eq!(identify, expected);
    line.ready("s", &run.back()).await;
    line.said(2, 100, "hello").await;
    assert_eq!(run.takes().await, ["hello"]);
    assert_eq!(run.channel.state(), AccountState::Listening { name: "@Pensive".to_owned() });
    assert!(run.channel.pulse().event.is_some());
}

#[tokio::test]
async fn disc_07_heartbeats_go_out_on_time_and_say_how_far_we_have_heard() {
    let mut run = Running::start().await;
    let mut line = run.up().await;
    line.said(7, 100, "hello").await;
    run.takes().await;
    for _ in 0..4 {
        assert_eq!(run.beat(&mut line).await, 7);
    }
    line.say(&json!({"op": 1, "d": null})).await;
    assert_eq!(line.hears(1).await, 7);
}

#[tokio::test]
async fn disc_05_a_zombie_is_noticed_and_its_session_taken_up_again() {
    let mut run = Running::start().await;
    let mut line = run.up().await;
    line.said(7, 100, "hello").await;
    run.takes().await;
    run.clock.pass(EVERY);
    line.hears(1).await;
    run.clock.pass(EVERY);
    assert_eq!(line.closed().await, Some(4000));
    assert!(matches!(run.channel.state(), AccountState::Deaf { why } if why.contains("heartbeat")));
    let (mut line, resume) = run.resuming().await;
    assert_eq!(line.path, "/back?v=10&encoding=json");
    assert_eq!(resume, json!({"token": TOKEN, "session_id": "s", "seq": 7}));
    assert!(matches!(run.channel.state(), AccountState::Deaf { .. }));
    line.said(8, 101, "missed").await;
    line.event(9, "RESUMED", &json!({})).await;
    assert_eq!(run.takes().await, ["missed"]);
    run.stands(|state| matches!(state, AccountState::Listening { .. })).await;
    assert_eq!(run.channel.pulse().resumes, 1);
}

#[tokio::test]
async fn disc_05_a_line_that_breaks_off_is_taken_up_again() {
    let mut run = Running::start().await;
    let mut line = run.up().await;
    line.said(2, 100, "first").await;
    run.takes().await;
    // In the middle of a frame, without a word, with a code, on request.
    for (index, seq) in (0_u8..4).zip(2_u64..) {
        match index {
            0 => line.half().await,
            1 => drop(line),
            2 => line.close(1001).await,
            _ => {
                line.say(&json!({"op": 7, "d": null})).await;
                assert_eq!(line.closed().await, Some(4000));
            }
        }
        let resume;
        (line, resume) = run.resuming().await;
        assert_eq!(resume["seq"], seq);
        line.event(seq + 1, "RESUMED", &json!({})).await;
        run.stands(|state| matches!(state, AccountState::Listening { .. })).await;
        while run.channel.pulse().resumes <= u64::from(index) {
            tokio::task::yield_now().await;
        }
        run.clock.pass(SECOND);
        run.notes.kept("shard/0").await;
        while !run.notes.only().unwrap().contains(&format!("\"seq\":{}", seq + 1)) {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn disc_06_a_missing_intent_parks_the_account_and_names_the_switch() {
    let mut run = Running::start().await;
    run.introduce().await;
    let (line, _) = run.gateway.identified().await;
    line.close(4014).await;
    let channel = run.channel.clone();
    let fault = run.end().await.unwrap_err();
    for words in ["discord/main", "Message Content Intent", "Privileged Gateway Intents"] {
        assert!(fault.log.contains(words), "{}", fault.log);
    }
    assert_eq!(channel.state(), AccountState::Parked { why: fault.log });
}

#[tokio::test]
async fn a_refused_token_parks_the_account_and_says_what_to_do() {
    for asked in ["GET /users/@me", "GET /gateway/bot", "IDENTIFY"] {
        let mut run = Running::start().await;
        if asked == "IDENTIFY" {
            run.introduce().await;
            run.gateway.identified().await.0.close(4004).await;
        } else {
            if asked == "GET /gateway/bot" {
                run.named().await;
            }
            run.server.asked(asked).await.no(401, 0, "401: Unauthorized");
        }
        let fault = run.end().await.unwrap_err();
        for words in ["discord/main", "Reset Token", "DISCORD_BOT_TOKEN"] {
            assert!(fault.log.contains(words), "{asked}: {}", fault.log);
        }
        assert!(!fault.log.contains("secret_half"), "{}", fault.log);
    }
}

#[tokio::test]
async fn disc_08_a_flood_is_waited_out_and_every_other_failure_is_tried_again() {
    let mut run = Running::start().await;
    run.named().await;
    let flood = json!({"message": "You are being rate limited.", "retry_after": 17.0, "global": false});
    run.server.asked("GET /gateway/bot").await.told(429, &[("retry-after", "17")], &flood);
    assert_eq!(run.clock.wake(SECOND, Duration::from_secs(20)).await, Duration::from_secs(17));
    run.server.asked("GET /gateway/bot").await.page(502);
    assert!(run.nap().await <= SECOND / 2);
    assert!(matches!(run.channel.state(), AccountState::Retrying { .. }));
    run.server.asked("GET /gateway/bot").await.with(Reply::Reset);
    run.nap().await;
    run.server.asked("GET /gateway/bot").await.no(500, 0, "Internal");
    run.clock.wake(Duration::ZERO, Duration::from_secs(2)).await;
    run.told(&limit(1_000, 0)).await;
    let (mut line, _) = run.gateway.identified().await;
    line.ready("s", &run.back()).await;
    run.stands(|state| matches!(state, AccountState::Listening { .. })).await;
}

#[tokio::test]
async fn disc_08_a_bot_that_may_start_no_session_waits_until_it_may() {
    let mut run = Running::start().await;
    run.named().await;
    run.told(&limit(0, 3_600_000)).await;
    let wait = run.clock.wake(Duration::from_mins(1), Duration::from_hours(2)).await;
    assert_eq!(wait, Duration::from_hours(1));
    run.server
        .asked("GET /gateway/bot")
        .await
        .ok(&json!({"url": run.gateway.url, "shards": 1, "session_start_limit": limit(1_000, 0)}));
    run.gateway.identified().await;
}

#[tokio::test]
async fn disc_09_a_new_session_wants_the_same_events_as_the_first() {
    let mut run = Running::start().await;
    run.introduce().await;
    let (mut line, first) = run.gateway.identified().await;
    line.ready("s", &run.back()).await;
    line.say(&json!({"op": 9, "d": false})).await;
    assert_eq!(line.closed().await, Some(4000));
    let (line, second) = run.identified().await;
    assert_eq!(line.path, "/?v=10&encoding=json");
    assert_eq!(second, first);
}

#[tokio::test]
async fn disc_11_hearts_beat_while_the_engine_keeps_a_message() {
    let mut run = Running::start().await;
    let mut line = run.up().await;
    line.said(2, 100, "first").await;
    line.said(3, 101, "second").await;
    let first = run.taken.recv().await.unwrap();
    for _ in 0..3 {
        assert_eq!(run.beat(&mut line).await, 3);
    }
    assert!(run.taken.try_recv().is_err());
    first.kept();
    assert_eq!(run.takes().await, ["second"]);
}

#[tokio::test]
async fn what_finds_no_room_is_asked_for_again_when_there_is() {
    let mut run = Running::start().await;
    let mut line = run.up().await;
    let held = {
        line.said(2, 1_002, "2").await;
        run.taken.recv().await.unwrap()
    };
    for seq in 3..=1_027_u64 {
        line.said(seq, 1_000 + seq, &seq.to_string()).await;
    }
    // One waits at the engine, 1,024 for it, and one is too many.
    assert_eq!(line.closed().await, Some(4000));
    run.stands(|state| matches!(state, AccountState::Retrying { why } if why.contains("faster"))).await;
    held.kept();
    let mut expected = 3;
    while expected <= 520 {
        assert_eq!(run.takes().await, [expected.to_string()]);
        expected += 1;
    }
    let (mut line, resume) = run.resuming().await;
    let from = resume["seq"].as_u64().unwrap();
    assert!((514..=520).contains(&from), "{from}");
    for seq in from + 1..=1_027 {
        line.said(seq, 1_000 + seq, &seq.to_string()).await;
    }
    line.event(1_028, "RESUMED", &json!({})).await;
    while expected <= 1_027 {
        assert_eq!(run.takes().await, [expected.to_string()]);
        expected += 1;
    }
}

#[tokio::test]
async fn an_event_that_comes_twice_is_taken_once() {
    let mut run = Running::start().await;
    let mut line = run.up().await;
    for _ in 0..3 {
        line.said(2, 100, "once").await;
    }
    line.said(3, 101, "next").await;
    assert_eq!(run.takes().await, ["once"]);
    assert_eq!(run.takes().await, ["next"]);
}

#[tokio::test]
async fn what_cannot_be_read_is_passed_over() {
    let mut run = Running::start().await;
    let mut line = run.up().await;
    line.raw("{\"op\":0,\"t\":\"MESSAGE_CREATE\",".into()).await;
    line.raw("[]".into()).await;
    line.event(2, "MESSAGE_CREATE", &json!({"id": "words of a person"})).await;
    line.event(3, "FROM_THE_FUTURE", &json!({"x": 1})).await;
    line.say(&json!({"op": 99, "d": {}})).await;
    line.binary(&json!({"op": 0, "s": 4, "t": "MESSAGE_CREATE", "d": support::said(100, "bytes")})).await;
    line.said(5, 101, "text").await;
    assert_eq!(run.takes().await, ["bytes"]);
    assert_eq!(run.takes().await, ["text"]);
}

#[tokio::test]
async fn a_message_that_cannot_be_kept_is_offered_again() {
    let mut run = Running::start().await;
    let mut line = run.up().await;
    line.said(2, 100, "hello").await;
    run.taken.recv().await.unwrap().failed();
    run.stands(|state| matches!(state, AccountState::Retrying { why } if why.contains("full"))).await;
    let taken = naps(&run.clock, SECOND, run.taken.recv()).await.unwrap();
    assert_eq!(taken.texts(), ["hello"]);
    taken.kept();
    run.stands(|state| matches!(state, AccountState::Listening { .. })).await;
}

#[tokio::test]
async fn rst_07_what_was_written_while_the_daemon_was_down_comes_after_the_start() {
    let mut run = Running::start().await;
    let mut line = run.up().await;
    line.said(2, 100, "before").await;
    run.takes().await;
    line.said(3, 101, "in the last moment").await;
    let untaken = run.taken.recv().await.unwrap();
    run.stop.cancel();
    assert_eq!(line.closed().await, Some(4000));
    untaken.failed();
    let mut run = run.again().await;
    run.introduce().await;
    let (mut line, resume) = run.gateway.resuming().await;
    assert_eq!(line.path, "/back?v=10&encoding=json");
    assert_eq!(resume, json!({"token": TOKEN, "session_id": "s", "seq": 2}));
    line.said(3, 101, "in the last moment").await;
    line.said(4, 102, "while it was down").await;
    line.event(5, "RESUMED", &json!({})).await;
    assert_eq!(run.takes().await, ["in the last moment"]);
    assert_eq!(run.takes().await, ["while it was down"]);
}

#[tokio::test]
async fn rst_07_messages_that_a_lost_session_missed_are_read_from_their_channels() {
    let mut run = Running::start().await;
    let mut line = run.up().await;
    line.said(2, 100, "before").await;
    run.takes().await;
    let mut run = run.again().await;
    run.introduce().await;
    let (mut line, _) = run.gateway.resuming().await;
    line.say(&json!({"op": 9, "d": false})).await;
    line.closed().await;
    let (mut line, _) = run.identified().await;
    line.ready("t", &run.back()).await;
    line.said(2, 103, "live").await;
    let asked = run.server.asked("GET /channels/7/messages").await;
    assert_eq!(asked.line, "GET /channels/7/messages?after=100&limit=50");
    // The newest first, as Discord lists them, and the live one among them.
    let listed: Vec<_> =
        [(103, "live"), (102, "second"), (101, "first")].map(|(id, text)| support::said(id, text)).into();
    asked.ok(&json!(listed));
    assert_eq!(run.takes().await, ["first", "second", "live"]);
    assert_eq!(run.takes().await, ["live"]);
    // Nobody asks again.
    line.said(3, 104, "next").await;
    assert_eq!(run.takes().await, ["next"]);
    assert!(run.server.unanswered().is_empty());
}

#[tokio::test]
async fn who_wrote_what_a_lost_session_missed_has_the_roles_that_they_have() {
    let mut run = Running::start().await;
    let mut line = run.up().await;
    let said = |id: u64, text: &str, user: &str| {
        let mut said = support::said(id, text);
        said["channel_id"] = json!("8");
        said["author"]["id"] = json!(user);
        said["mentions"] = json!([{"id": "42", "username": "Pensive"}]);
        said
    };
    let mut first = said(100, "<@42> before", "5");
    (first["guild_id"], first["member"]) = (json!("3"), json!({"roles": ["30"]}));
    line.event(2, "MESSAGE_CREATE", &first).await;
    run.server.asked("GET /channels/8").await.ok(&json!({"id": "8", "type": 0, "guild_id": "3"}));
    assert_eq!(run.takes().await.len(), 1);
    line.say(&json!({"op": 9, "d": false})).await;
    line.closed().await;
    let (mut line, _) = run.identified().await;
    line.ready("t", &run.back()).await;
    let listed = [
        said(105, "<@42> c", "6"),
        said(104, "<@42> b", "5"),
        said(103, "no word to us", "7"),
        said(102, "<@42> a", "5"),
    ];
    let mut listed = json!(listed);
    listed[2]["mentions"] = json!([]);
    run.server.asked("GET /channels/8/messages").await.ok(&listed);
    run.server.asked("GET /guilds/3/members/5").await.ok(&json!({"roles": ["31", "32"]}));
    run.server.asked("GET /guilds/3/members/6").await.no(404, 10_007, "Unknown Member");
    let taken = run.taken.recv().await.unwrap();
    let roles: Vec<_> = taken
        .batch
        .iter()
        .map(|inbound| inbound.sender.roles.iter().map(|role| role.as_str()).collect::<Vec<_>>())
        .collect();
    assert_eq!(roles, [vec!["31", "32"], vec![], vec!["31", "32"], vec![]]);
    let space = |inbound: &pensive_contract::inbound::Inbound| inbound.place.space.clone();
    assert!(taken.batch.iter().all(|inbound| space(inbound) == Some("3".into())));
    assert!(run.server.unanswered().is_empty());
}

#[tokio::test]
async fn a_channel_that_cannot_be_read_just_now_is_asked_for_again() {
    let mut run = Running::start().await;
    let mut line = run.up().await;
    line.said(2, 100, "before").await;
    run.takes().await;
    line.say(&json!({"op": 9, "d": false})).await;
    line.closed().await;
    let (mut line, _) = run.identified().await;
    line.ready("t", &run.back()).await;
    run.server.asked("GET /channels/7/messages").await.page(502);
    let again = run.server.asked("GET /channels/7/messages");
    naps(&run.clock, SECOND, again).await.no(403, 50_001, "Missing Access");
    line.said(2, 101, "live").await;
    assert_eq!(run.takes().await, ["live"]);
    assert!(run.server.unanswered().is_empty());
}

#[tokio::test]
async fn rst_06_a_session_is_known_to_the_next_start_from_its_first_moment_on() {
    let mut run = Running::start().await;
    let _line = run.up().await;
    // No time passes, as before a crash.
    run.notes.kept("shard/0").await;
    let note: Value = serde_json::from_str(&run.notes.only().unwrap()).unwrap();
    assert_eq!(note["session"]["id"], "s");
}

#[tokio::test]
async fn a_stop_keeps_the_session_and_ends_every_wait() {
    let mut run = Running::start().await;
    let mut line = run.up().await;
    line.said(2, 100, "hello").await;
    run.takes().await;
    let (stop, notes) = (run.stop.clone(), run.notes.clone());
    stop.cancel();
    assert_eq!(line.closed().await, Some(4000));
    assert_eq!(run.end().await, Ok(()));
    let note: Value = serde_json::from_str(&notes.only().unwrap()).unwrap();
    assert_eq!((&note["session"]["id"], &note["session"]["seq"]), (&json!("s"), &json!(2)));

    // While it asks, while it pauses, while it is greeted.
    let run = Running::start().await;
    run.stop.cancel();
    assert_eq!(run.end().await, Ok(()));
    let mut run = Running::start().await;
    run.server.asked("GET /users/@me").await.page(502);
    run.stands(|state| matches!(state, AccountState::Retrying { .. })).await;
    run.stop.cancel();
    assert_eq!(run.end().await, Ok(()));
    let mut run = Running::start().await;
    run.introduce().await;
    let line = run.gateway.connected().await;
    run.stop.cancel();
    line.closed().await;
    assert_eq!(run.end().await, Ok(()));
}

#[tokio::test]
async fn rst_13_an_account_runs_once() {
    let mut run = Running::start().await;
    let _line = run.up().await;
    let (engine, _taken) = Engine::new();
    let fault = run.channel.run(engine, CancellationToken::new()).await.unwrap_err();
    assert!(fault.log.contains("running already"));
}

#[tokio::test]
async fn shards_start_one_after_the_other_and_one_that_is_refused_ends_all() {
    let mut run = Running::with(|settings| settings.shards = Some(2)).await;
    run.introduce().await;
    let (mut first, mut second) = (run.gateway.connected().await, run.gateway.connected().await);
    first.hello().await;
    let a = first.hears(2).await;
    second.hello().await;
    let first_start = run.clock.now();
    let b = naps(&run.clock, Duration::from_secs(6), second.hears(2)).await;
    assert!(run.clock.now().since(first_start) >= Duration::from_secs(5));
    let mut shards = [a["shard"].clone(), b["shard"].clone()];
    shards.sort_by_key(ToString::to_string);
    assert_eq!(shards, [json!([0, 2]), json!([1, 2])]);
    first.ready("a", &run.back()).await;
    assert_eq!(run.channel.state(), AccountState::Starting);
    second.ready("b", &run.back()).await;
    run.stands(|state| matches!(state, AccountState::Listening { .. })).await;
    second.close(4010).await;
    assert_eq!(first.closed().await, Some(4000));
    let fault = run.end().await.unwrap_err();
    assert!(fault.log.contains("shards"), "{}", fault.log);
}
