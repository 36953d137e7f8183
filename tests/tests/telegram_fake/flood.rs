//! Limits and silences: who is too quick is told to wait, and who was told and does not wait is remarked on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use pensive_tests::telegram::FloodLimits;
use serde_json::{Value, json};

use crate::Bench;

/// A bench whose clock stands still, and its hand.
async fn bench() -> (Bench, Arc<AtomicI64>) {
    let bench = Bench::new().await;
    let hand = Arc::new(AtomicI64::new(0));
    let clock = Arc::clone(&hand);
    bench.telegram.follow(move || clock.load(Ordering::Acquire));
    (bench, hand)
}

#[tokio::test]
async fn a_burst_is_taken_and_edits_count() {
    let (bench, hand) = bench().await;
    bench.telegram.limit(FloodLimits::default());
    let alice = bench.telegram.user("Alice");
    let body = |text: String| json!({"chat_id": alice.id(), "text": text, "message_id": 1});
    bench.call("sendMessage", json!({"chat_id": alice.id(), "text": "0"})).await;
    for n in 1..5 {
        bench.call("editMessageText", body(n.to_string())).await;
    }
    let (status, answer) = bench.send("editMessageText", body("5".into())).await.unwrap();
    assert_eq!((status, &answer["parameters"]["retry_after"]), (429, &json!(3)));
    assert_eq!(bench.telegram.violations(), [], "nobody had told it");

    let typing = json!({"chat_id": alice.id(), "action": "typing"});
    hand.store(2_999, Ordering::Release);
    let (status, answer) = bench.send("sendChatAction", typing.clone()).await.unwrap();
    assert_eq!((status, &answer["parameters"]["retry_after"]), (429, &json!(1)));
    assert!(bench.telegram.violations()[0].what.contains("1 ms before the end of the silence"));
    hand.store(3_000, Ordering::Release);
    bench.call("sendChatAction", typing).await;
    bench.call("editMessageText", body("5".into())).await;
}

#[tokio::test]
async fn a_silence_holds_for_its_chat() {
    let (bench, hand) = bench().await;
    let (alice, bob) = (bench.telegram.user("Alice"), bench.telegram.user("Bob"));
    bench.telegram.bot().silence(alice.id(), Duration::from_secs(33));
    let send = async |chat: i64| -> Value {
        bench.send("sendMessage", json!({"chat_id": chat, "text": "a"})).await.unwrap().1
    };
    assert_eq!(send(alice.id()).await["parameters"]["retry_after"], 33);
    assert_eq!(send(bob.id()).await["ok"], true);
    bench.call("getMe", json!({})).await;
    hand.store(33_000, Ordering::Release);
    assert_eq!(send(alice.id()).await["ok"], true);
    assert_eq!(bench.telegram.violations(), []);
}
