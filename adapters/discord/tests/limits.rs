//! Limits that the server tells, and calls that keep them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::ids::MessageId;
use pensive_contract::inbound::Place;
use pensive_contract::outward::{Extras, Outcome, Outward, Part};
use serde_json::json;
use support::{HandClock, Reply, Request, Server, channel, outward, settings};

const POST: &str = "POST /channels/7/messages";

struct Bench {
    server: Server,
    clock: Arc<HandClock>,
    outward: Outward,
}

impl Bench {
    async fn new() -> Self {
        let (server, clock) = (Server::start().await, HandClock::new());
        let outward = outward(settings(&server.root), clock.clone());
        Self { server, clock, outward }
    }

    /// Sends a word, and answers the request that it makes.
    async fn send(&mut self, to: &Place, line: &str, answer: impl FnOnce(Request)) -> Outcome<MessageId> {
        let (part, extras) = word();
        let sending = self.outward.outlet.send(to, &part, &extras);
        tokio::join!(sending, async { answer(self.server.asked(line).await) }).0
    }

    /// Sends a word that asks nobody.
    async fn held(&mut self, to: &Place) -> Outcome<MessageId> {
        let (part, extras) = word();
        let outcome = self.outward.outlet.send(to, &part, &extras).await;
        assert!(self.server.unanswered().is_empty());
        outcome
    }
}

fn word() -> (Part, Extras) {
    (Part { text: "hi".to_owned(), ..Part::default() }, Extras::default())
}

fn sent() -> Outcome<MessageId> {
    Outcome::Delivered("52".into())
}

fn wait<T>(millis: u64) -> Outcome<T> {
    Outcome::Wait(Duration::from_millis(millis))
}

fn other() -> Place {
    Place { chat: "8".into(), ..channel() }
}

/// Took it, and says what is left of its bucket.
fn left(remaining: &'static str, reset_after: &'static str) -> impl FnOnce(Request) {
    move |request| {
        let headers = [
            ("x-ratelimit-bucket", "abcd"),
            ("x-ratelimit-limit", "5"),
            ("x-ratelimit-remaining", remaining),
            ("x-ratelimit-reset-after", reset_after),
        ];
        request.told(200, &headers, &json!({"id": "52"}));
    }
}

fn flooded(scope: &'static str, retry_after: f64) -> impl FnOnce(Request) {
    move |request| {
        let body = json!({
            "message": "You are being rate limited.", "retry_after": retry_after, "global": scope == "global",
        });
        request.told(429, &[("retry-after", "65"), ("x-ratelimit-scope", scope)], &body);
    }
}

#[tokio::test]
async fn disc_14_an_empty_bucket_is_not_called_before_its_reset() {
    let mut bench = Bench::new().await;
    assert_eq!(bench.send(&channel(), POST, left("1", "4.5")).await, sent());
    assert_eq!(bench.send(&channel(), POST, left("0", "4.5")).await, sent());
    assert_eq!(bench.held(&channel()).await, wait(4_500));
    // Another channel has a limit of its own.
    assert_eq!(bench.send(&other(), "POST /channels/8/messages", left("4", "5")).await, sent());
    bench.clock.pass(Duration::from_millis(4_000));
    assert_eq!(bench.held(&channel()).await, wait(500));
    bench.clock.pass(Duration::from_millis(500));
    assert_eq!(bench.send(&channel(), POST, left("4", "5")).await, sent());
}

#[tokio::test]
async fn a_429_of_one_bucket_names_its_wait_to_the_millisecond() {
    for scope in ["user", "shared"] {
        let mut bench = Bench::new().await;
        assert_eq!(bench.send(&channel(), POST, flooded(scope, 1.337)).await, wait(1_337));
        assert_eq!(bench.held(&channel()).await, wait(1_337));
        assert_eq!(bench.send(&other(), "POST /channels/8/messages", left("4", "5")).await, sent());
        bench.clock.pass(Duration::from_millis(1_337));
        assert_eq!(bench.send(&channel(), POST, left("4", "5")).await, sent());
    }
}

#[tokio::test]
async fn a_429_over_all_silences_every_channel() {
    let mut bench = Bench::new().await;
    assert_eq!(bench.send(&channel(), POST, flooded("global", 2.0)).await, wait(2_000));
    assert_eq!(bench.held(&other()).await, wait(2_000));
    let typing = bench.outward.typing.clone().unwrap();
    // The sign is no message: whoever waits for it waits for nothing.
    assert_eq!(typing.show(&other()).await, Outcome::Unchanged);
    bench.clock.pass(Duration::from_secs(2));
    assert_eq!(bench.send(&other(), "POST /channels/8/messages", left("4", "5")).await, sent());
}

#[tokio::test]
async fn a_429_of_a_gatekeeper_is_obeyed_as_well() {
    let mut bench = Bench::new().await;
    let page = |request: Request| {
        let headers = vec![("retry-after", "600".to_owned())];
        request.with(Reply::Answer(429, headers, b"error code: 1015".to_vec()));
    };
    assert_eq!(bench.send(&channel(), POST, page).await, wait(600_000));
    assert_eq!(bench.held(&other()).await, wait(600_000));
}

#[tokio::test]
async fn a_call_that_was_given_up_gives_its_room_back() {
    let mut bench = Bench::new().await;
    assert_eq!(bench.send(&channel(), POST, left("1", "1")).await, sent());
    let (part, extras) = word();
    {
        let (place, outlet) = (channel(), bench.outward.outlet.clone());
        let sending = outlet.send(&place, &part, &extras);
        tokio::select! {
            _ = sending => panic!("nobody answered"),
            _ = bench.server.asked(POST) => {}
        }
    }
    assert_eq!(bench.held(&channel()).await, wait(1_000));
    bench.clock.pass(Duration::from_secs(1));
    assert_eq!(bench.send(&channel(), POST, left("4", "1")).await, sent());
}
