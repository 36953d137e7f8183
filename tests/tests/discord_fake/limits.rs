//! Buckets, the limit over all calls, and what is said about who does not keep to them.

use std::{sync::atomic::Ordering, time::Duration};

use pensive_tests::discord::Fault;
use serde_json::{Value, json};

use crate::Bench;

#[tokio::test]
async fn a_bucket_is_told_with_every_answer_and_refuses_when_it_is_empty() {
    let bench = Bench::new().await;
    let clock = bench.follow();
    let (alice, bob) = (bench.discord.person("Alice"), bench.discord.person("Bob"));
    let send = async |channel: u64| {
        bench.call(&format!("POST /channels/{channel}/messages"), json!({"content": "x"})).await
    };
    let first = send(alice.channel()).await;
    assert_eq!((first.header("x-ratelimit-limit"), first.header("x-ratelimit-remaining")), ("5", "4"));
    assert_eq!(first.header("x-ratelimit-reset-after"), "5.000");
    assert_eq!(first.header("x-ratelimit-reset"), "1800000005.000");
    assert_eq!(first.header("via"), "1.1 google");
    clock.fetch_add(500, Ordering::SeqCst);
    for _ in 0..4 {
        send(alice.channel()).await;
    }
    let no = send(alice.channel()).await;
    let expected = json!({"message": "You are being rate limited.", "retry_after": 4.5, "global": false});
    assert_eq!((no.status, &no.body), (429, &expected));
    assert_eq!((no.header("x-ratelimit-scope"), no.header("retry-after")), ("user", "5"));
    assert_eq!((no.header("x-ratelimit-remaining"), no.header("x-ratelimit-reset-after")), ("0", "4.500"));
    assert_eq!(no.header("x-ratelimit-bucket"), first.header("x-ratelimit-bucket"));
    assert_eq!(bench.blamed(), ["called on though the limit said that nothing is left"]);
    let other = send(bob.channel()).await;
    assert_eq!(other.header("x-ratelimit-remaining"), "4", "every channel has its own");
    clock.fetch_add(4_500, Ordering::SeqCst);
    assert_eq!(send(alice.channel()).await.status, 200);
    bench.discord.limit("POST /channels/{}/messages", 1, Duration::from_secs(60));
    assert_eq!(send(alice.channel()).await.status, 429);
    bench.discord.unlimited();
    let free = send(alice.channel()).await;
    assert_eq!((free.status, free.header("x-ratelimit-limit")), (200, ""));
}

#[tokio::test]
async fn fifty_calls_a_second_are_enough_whatever_they_are() {
    let bench = Bench::new().await;
    let clock = bench.follow();
    bench.discord.limit("GET /users/@me", 1_000, Duration::from_secs(1));
    for _ in 0..50 {
        bench.done("GET /users/@me", Value::Null).await;
    }
    let no = bench.call("GET /users/@me", Value::Null).await;
    assert_eq!((no.status, &no.body["global"], &no.body["retry_after"]), (429, &json!(true), &json!(1.0)));
    assert_eq!((no.header("x-ratelimit-scope"), no.header("x-ratelimit-global")), ("global", "true"));
    assert_eq!(no.header("x-ratelimit-bucket"), "");
    clock.fetch_add(1_000, Ordering::SeqCst);
    bench.done("GET /users/@me", Value::Null).await;
}

#[tokio::test]
async fn a_429_that_a_test_asks_for_looks_like_any_other() {
    let bench = Bench::new().await;
    let alice = bench.discord.person("Alice");
    let send = format!("POST /channels/{}/messages", alice.channel());
    bench.discord.inject(Fault::on_send().retry_after(2.5));
    let no = bench.call(&send, json!({"content": "x"})).await;
    assert_eq!((no.status, no.header("x-ratelimit-remaining")), (429, "0"));
    assert_eq!((no.header("x-ratelimit-limit"), no.header("x-ratelimit-reset-after")), ("5", "2.500"));
    bench.discord.inject(Fault::on_send().global(1.5));
    let no = bench.call(&send, json!({"content": "x"})).await;
    assert_eq!((no.header("x-ratelimit-global"), no.header("x-ratelimit-limit")), ("true", ""));
    assert_eq!((alice.sees().len(), bench.blamed()), (0, vec![]));
}
