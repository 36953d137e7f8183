//! What the fake breaks on demand.

use pensive_tests::{discord::Fault, gate::Gate};
use serde_json::json;

use crate::Bench;

#[tokio::test]
async fn faults_strike_before_and_after_the_message_stands() {
    let bench = Bench::unlimited().await;
    let alice = bench.discord.person("Alice");
    let path = format!("POST /channels/{}/messages", alice.channel());
    let count = || alice.sees().len();
    let send = || Bench::answer(bench.request(&path).json(&json!({"content": "a"})));

    bench.discord.inject(Fault::on_send());
    assert_eq!((send().await.unwrap().status, count()), (500, 0));
    bench.discord.inject(Fault::on_send().after_commit());
    assert_eq!((send().await.unwrap().status, count()), (500, 1));
    bench.discord.inject(Fault::on_send().reset());
    assert!(send().await.is_err() && count() == 1);
    bench.discord.inject(Fault::on_send().after_commit().reset());
    assert!(send().await.is_err() && count() == 2);
    bench.discord.inject(Fault::on_send().truncated());
    assert!(send().await.is_err() && count() == 3);
    bench.discord.inject(Fault::on_send().html(502));
    let page = send().await.unwrap();
    assert_eq!((page.status, page.header("content-type"), count()), (502, "text/html", 3));
    bench.discord.inject(Fault::on_send().in_channel(alice.channel()).broken_json());
    assert_eq!((send().await.unwrap().body, count()), (json!(null), 3));
    bench.discord.inject(Fault::on_send().unauthorized());
    assert_eq!((send().await.unwrap().status, count()), (401, 3));
    bench.discord.inject(Fault::on_send().in_channel(1));
    assert_eq!((send().await.unwrap().status, count()), (200, 4), "each struck once, and where it was to");
    let statuses: Vec<_> =
        bench.discord.calls("POST /channels/{}/messages").iter().map(|call| call.status).collect();
    assert_eq!(statuses, [500, 500, 0, 0, 0, 502, 200, 401, 200]);
}

#[tokio::test]
async fn a_held_answer_waits_for_the_gate() {
    let bench = Bench::unlimited().await;
    let alice = bench.discord.person("Alice");
    let gate = Gate::new();
    bench.discord.inject(Fault::on_send().after_commit().held(&gate));
    let send = bench.say(alice.channel(), "a");
    let release = async {
        gate.reached(1).await;
        assert_eq!(alice.sees().len(), 1, "it stands, though its sender does not know");
        gate.open();
    };
    let (sent, ()) = tokio::join!(send, release);
    assert_eq!(alice.sees()[0].id, sent);
}
