//! Slash commands and buttons, from the gateway to the acknowledgement that has three seconds: whatever else there is to do.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::clock::Clock;
use pensive_contract::inbound::InboundKind;
use pensive_contract::intake::Channel;
use pensive_discord::connect;
use serde_json::{Value, json};
use support::{Engine, Gateway, HandClock, Line, Memory, Server, Taken, naps, settings};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

struct Running {
    server: Server,
    channel: Arc<dyn Channel>,
    clock: Arc<HandClock>,
    line: Line,
    taken: mpsc::Receiver<Taken>,
    _ends: JoinSet<()>,
    gateway: Gateway,
}

impl Running {
    async fn up() -> Self {
        let (mut server, mut gateway) = (Server::start().await, Gateway::start().await);
        let clock = HandClock::new();
        let channel: Arc<dyn Channel> =
            connect(settings(&server.root), clock.clone(), Arc::<Memory>::default()).unwrap().channel;
        let (engine, taken) = Engine::new();
        let mut ends = JoinSet::new();
        let running = channel.clone();
        ends.spawn(async move {
            running.run(engine, CancellationToken::new()).await.unwrap();
        });
        server.asked("GET /users/@me").await.ok(&json!({"id": "42", "username": "Pensive"}));
        server.asked("GET /gateway/bot").await.ok(&json!({"url": gateway.url, "shards": 1}));
        server.asked("GET /applications/@me").await.ok(&json!({"id": "42"}));
        let (mut line, _) = gateway.identified().await;
        line.ready("s", &gateway.url).await;
        Self { server, channel, clock, line, taken, _ends: ends, gateway }
    }

    /// Waits until what happened just now has been seen, and then for two seconds and no more.
    async fn two_seconds_pass(&self) {
        let now = self.clock.now();
        while self.channel.pulse().event != Some(now) {
            tokio::task::yield_now().await;
        }
        while self.clock.now() < now + Duration::from_secs(2) {
            self.clock.wake(Duration::ZERO, Duration::from_secs(2)).await;
        }
        assert!(self.clock.now() < now + Duration::from_millis(2_500));
    }
}

/// An interaction of this kind in a channel of a guild, by the member of this id.
fn interaction(kind: u8, id: u64, user: &str, data: &Value) -> Value {
    json!({"id": id.to_string(), "application_id": "42", "type": kind, "token": "tok", "version": 1,
        "guild_id": "3", "channel_id": "8", "channel": {"id": "8", "type": 0, "guild_id": "3", "name": "general"},
        "member": {"roles": [], "user": {"id": user, "username": "ada"}}, "data": data})
}

fn think(value: &str) -> Value {
    json!({"id": "1", "name": "think", "type": 1, "options": [{"name": "level", "type": 3, "value": value}]})
}

#[tokio::test]
async fn disc_11_a_command_behind_a_message_that_is_being_kept_is_acknowledged_in_time() {
    let mut run = Running::up().await;
    run.line.said(2, 100, "slow").await;
    let slow = run.taken.recv().await.unwrap();
    run.clock.pass(Duration::from_millis(1));
    run.line.event(3, "INTERACTION_CREATE", &interaction(2, 900, "5", &think("high"))).await;
    run.two_seconds_pass().await;
    let callback = run.server.asked("POST /interactions/900/tok/callback").await;
    assert_eq!(callback.json(), json!({"type": 5, "data": {"flags": 64}}));
    callback.nothing();
    slow.kept();
    let taken = run.taken.recv().await.unwrap();
    assert_eq!(taken.texts(), ["/think high"]);
}

#[tokio::test]
async fn whoever_may_not_call_us_is_told_so_and_comes_no_further() {
    let mut run = Running::up().await;
    run.line.event(2, "INTERACTION_CREATE", &interaction(2, 900, "666", &think("high"))).await;
    let callback = run.server.asked("POST /interactions/900/tok/callback").await;
    let told = callback.json();
    assert_eq!((&told["type"], &told["data"]["flags"]), (&json!(4), &json!(64)));
    assert_eq!(told["data"]["content"], "You may not use me here.");
    callback.nothing();
    run.line.said(3, 100, "next").await;
    assert_eq!(run.taken.recv().await.unwrap().texts(), ["next"]);
}

#[tokio::test]
async fn whoever_types_a_command_is_offered_values_at_once() {
    let mut run = Running::up().await;
    run.line.said(2, 100, "slow").await;
    let _slow = run.taken.recv().await.unwrap();
    let typing = json!({"id": "1", "name": "think", "type": 1,
        "options": [{"name": "level", "type": 3, "value": "hi", "focused": true}]});
    for id in 900..920 {
        run.line.event(id, "INTERACTION_CREATE", &interaction(4, id, "5", &typing)).await;
    }
    for id in 900..920 {
        let callback = run.server.asked(&format!("POST /interactions/{id}/tok/callback")).await;
        let choices = json!([{"name": "hi it is", "value": "hi"}]);
        assert_eq!(callback.json(), json!({"type": 8, "data": {"choices": choices}}));
        callback.nothing();
    }
}

#[tokio::test]
async fn a_press_comes_in_as_one() {
    let mut run = Running::up().await;
    let mut press = interaction(3, 900, "5", &json!({"custom_id": "halt:17", "component_type": 2}));
    press["message"] = json!({"id": "500", "channel_id": "8", "flags": 0});
    run.clock.pass(Duration::from_millis(1));
    run.line.event(2, "INTERACTION_CREATE", &press).await;
    let taken = run.taken.recv().await.unwrap();
    let kinds: Vec<_> = taken.batch.iter().map(|inbound| &inbound.kind).collect();
    assert!(matches!(kinds.as_slice(), [InboundKind::Halt { stream: 17, query: Some(_) }]), "{kinds:?}");
    taken.kept();
    run.two_seconds_pass().await;
    let callback = run.server.asked("POST /interactions/900/tok/callback").await;
    assert_eq!(callback.json()["type"], 6);
}

#[tokio::test]
async fn an_interaction_that_is_made_up_for_is_not_acknowledged_a_second_time() {
    let mut run = Running::up().await;
    run.line.said(2, 100, "before").await;
    run.taken.recv().await.unwrap().kept();
    run.line.close(1001).await;
    let (mut line, _) = naps(&run.clock, Duration::from_secs(1), run.gateway.resuming()).await;
    line.event(3, "INTERACTION_CREATE", &interaction(2, 900, "5", &think("high"))).await;
    line.event(4, "RESUMED", &json!({})).await;
    let taken = run.taken.recv().await.unwrap();
    assert_eq!(taken.texts(), ["/think high"]);
    taken.kept();
    run.clock.pass(Duration::from_secs(3));
    line.event(5, "INTERACTION_CREATE", &interaction(2, 901, "666", &think("high"))).await;
    run.server.asked("POST /interactions/901/tok/callback").await.nothing();
    assert!(run.server.unanswered().is_empty());
}
