//! What the fake breaks on demand, and that nothing breaks the fake.

use pensive_tests::{gate::Gate, telegram::Fault};
use serde_json::json;

use crate::Bench;

#[tokio::test]
async fn faults_strike_before_and_after_the_message_stands() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let count = || alice.sees().len();
    let send = || bench.send("sendMessage", json!({"chat_id": alice.id(), "text": "a"}));

    bench.telegram.inject(Fault::on("sendMessage").retry_after(3));
    let (status, answer) = send().await.unwrap();
    assert_eq!((status, &answer["parameters"]["retry_after"], count()), (429, &json!(3), 0));
    bench.telegram.inject(Fault::on("sendMessage").after_commit());
    assert_eq!((send().await.unwrap().0, count()), (500, 1));
    bench.telegram.inject(Fault::on("sendMessage").reset());
    assert!(send().await.is_err() && count() == 1);
    bench.telegram.inject(Fault::on("sendMessage").after_commit().reset());
    assert!(send().await.is_err() && count() == 2);
    bench.telegram.inject(Fault::on("sendMessage").truncated());
    assert!(send().await.is_err() && count() == 3);
    bench.telegram.inject(Fault::on("sendMessage").html(502));
    let page = bench.http.post(bench.url("sendMessage")).json(&json!({"chat_id": alice.id(), "text": "a"}));
    let page = page.send().await.unwrap();
    assert_eq!(page.status(), 502);
    assert!(page.text().await.unwrap().starts_with("<html>") && count() == 3);
    bench.telegram.inject(Fault::on("sendMessage").in_chat(alice.id()).broken_json());
    assert!(send().await.is_err() && count() == 3);
    assert_eq!((send().await.unwrap().0, count()), (200, 4), "each struck once");
    let statuses: Vec<_> = bench.telegram.calls("sendMessage").iter().map(|call| call.status).collect();
    assert_eq!(statuses, [429, 500, 0, 0, 0, 502, 200, 200]);
}

#[tokio::test]
async fn a_held_answer_waits_for_the_gate() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let gate = Gate::new();
    bench.telegram.inject(Fault::on("sendMessage").after_commit().held(&gate));
    let send = bench.call("sendMessage", json!({"chat_id": alice.id(), "text": "a"}));
    let release = async {
        gate.reached(1).await;
        assert_eq!(alice.sees().len(), 1, "it stands, though its sender does not know");
        gate.open();
    };
    let (sent, ()) = tokio::join!(send, release);
    assert_eq!(sent["text"], "a");
}

#[tokio::test]
async fn raw_updates_arrive_byte_for_byte() {
    let bench = Bench::new().await;
    let bot = bench.telegram.bot();
    let alice = bench.telegram.user("Alice");
    bot.push_text_escape(alice.id(), "\\ud800 alone");
    let body = bench.http.get(bench.url("getUpdates")).send().await.unwrap().text().await.unwrap();
    assert!(body.contains(r#""text":"\ud800 alone""#), "{body}");
    alice.say(&"x".repeat(1 << 20));
    bot.set_next_update_id(5);
    alice.say("low id");
    let body = bench
        .http
        .get(bench.url("getUpdates?offset=999999999999"))
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    assert!(body.len() > 1 << 20 && body.contains("\"update_id\":5,"));
}

#[tokio::test]
async fn held_updates_arrive_in_one_answer_in_any_order() {
    let bench = Bench::new().await;
    let (alice, bot) = (bench.telegram.user("Alice"), bench.telegram.bot());
    bot.hold_updates();
    let first = alice.say("a").update_id.unwrap();
    alice.say("b");
    assert_eq!(bench.texts(0).await, Vec::<String>::new());
    bot.repeat(first);
    bot.reverse_pending();
    bot.release_updates();
    assert_eq!(bench.texts(0).await, ["a", "b", "a"]);
}

#[tokio::test]
async fn whatever_bytes_come_are_answered() {
    let bench = Bench::new().await;
    let id = bench.telegram.user("Alice").id();
    let long = "[".repeat(1 << 20);
    for kind in [
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain",
    ] {
        for body in ["{", "[]", "null", "\u{0}", "a=%ff", "--x\r\n\r\n", "{\"chat_id\":\"\\ud800\"}", &long] {
            let sent = bench
                .http
                .post(bench.url("sendMessage"))
                .header("content-type", kind)
                .body(body.to_owned())
                .send();
            assert_eq!(sent.await.unwrap().status(), 400, "{kind} {body:.20}");
        }
    }
    for entities in
        [json!("x"), json!([1]), json!([{"type": "bold", "offset": i64::MAX, "length": i64::MAX}])]
    {
        bench.refused("sendMessage", json!({"chat_id": id, "text": "a", "entities": entities})).await;
    }
    bench.refused("sendMessage", json!({"chat_id": id, "text": "a", "reply_markup": "{"})).await;
    let huge = json!({"offset": i64::MIN, "limit": i64::MAX, "timeout": -5});
    assert_eq!(bench.call("getUpdates", huge).await, json!([]));
}
