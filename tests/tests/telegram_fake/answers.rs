//! What is asked and answered when nothing is broken on purpose: polling, spellings, refusals and their words, topics, buttons, menus.

use std::time::{Duration, Instant};

use reqwest::multipart;
use serde_json::{Value, json};

use crate::Bench;

#[tokio::test]
async fn a_message_goes_in_and_an_answer_stands_in_the_chat() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let said = alice.say("/think high");
    let updates = bench.call("getUpdates", json!({"timeout": 5})).await;
    assert_eq!(updates[0]["update_id"].as_i64(), said.update_id);
    assert_eq!(updates[0]["message"]["entities"], json!([{"offset": 0, "length": 6, "type": "bot_command"}]));

    let sent = bench.call("sendMessage", json!({"chat_id": alice.id(), "text": "done"})).await;
    assert_eq!(sent["message_id"], json!(said.message_id + 1), "ids of private chats come from one counter");
    bench
        .call(
            "editMessageText",
            json!({"chat_id": alice.id(), "message_id": sent["message_id"], "text": "done."}),
        )
        .await;
    let seen: Vec<_> = alice.sees().into_iter().map(|seen| (seen.text, seen.by_bot, seen.edited)).collect();
    assert_eq!(seen, [("/think high".into(), false, false), ("done.".into(), true, true)]);
    assert_eq!(bench.telegram.violations(), []);
}

#[tokio::test]
async fn polling_waits_and_confirms() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let begun = Instant::now();
    assert_eq!(bench.call("getUpdates", json!({"timeout": 1})).await, json!([]));
    assert!(begun.elapsed() >= Duration::from_secs(1), "an empty poll lasts as long as it asked for");

    let poll = bench.call("getUpdates", json!({"timeout": 30}));
    let talk = async {
        bench.telegram.wait_for_poll().await;
        alice.say("one");
        alice.say("two")
    };
    let (updates, two) = tokio::join!(poll, talk);
    assert_eq!(updates[0]["message"]["text"], "one");
    assert_eq!(bench.texts(0).await, ["one", "two"], "nothing is confirmed without an offset");
    assert_eq!(bench.texts(two.update_id.unwrap()).await, ["two"]);
    assert_eq!(bench.texts(-1).await, ["two"]);
    assert_eq!(bench.texts(two.update_id.unwrap() + 1).await, Vec::<String>::new());
    assert_eq!(bench.telegram.bot().pending(), 0);
}

#[tokio::test]
async fn the_older_of_two_polls_is_in_conflict() {
    let bench = Bench::new().await;
    let older = bench.send("getUpdates", json!({"timeout": 30}));
    let newer = async {
        bench.telegram.wait_for_poll().await;
        bench.call("getUpdates", json!({"timeout": 0})).await
    };
    let (older, newer) = tokio::join!(older, newer);
    let (status, answer) = older.unwrap();
    assert_eq!((status, newer), (409, json!([])));
    assert!(
        answer["description"]
            .as_str()
            .unwrap()
            .starts_with("Conflict: terminated by other getUpdates request")
    );
}

#[tokio::test]
async fn a_poll_whose_client_left_is_gone() {
    let bench = Bench::new().await;
    let poll = bench.http.post(bench.url("getUpdates")).json(&json!({"timeout": 30}));
    let task = tokio::spawn(poll.send());
    bench.telegram.wait_for_poll().await;
    task.abort();
    bench.telegram.wait_until(|fake| (fake.bot().open_polls() == 0).then_some(())).await;
}

#[tokio::test]
async fn all_bodies_and_spellings_are_read() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let id = alice.id().to_string();
    let form =
        bench.http.post(bench.url("SENDMESSAGE")).header("content-type", "application/x-www-form-urlencoded");
    let form = form.body(format!("chat_id={id}&text=a+b&disable_notification=True")).send();
    assert_eq!(form.await.unwrap().status(), 200);
    let query = format!("{}?chat_id={id}&text=a%20b", bench.url("SendMessage"));
    assert_eq!(bench.http.get(query).send().await.unwrap().status(), 200);
    let parts = multipart::Form::new().text("chat_id", id.clone()).text("text", "a b");
    assert_eq!(
        bench.http.post(bench.url("sendMessage")).multipart(parts).send().await.unwrap().status(),
        200
    );
    // A base URL that ends in a slash doubles it.
    let doubled = bench.url("sendMessage").replace("/bot7", "//bot7");
    let json = bench.http.post(doubled).json(&json!({"chat_id": alice.id(), "text": "a b"})).send();
    assert_eq!(json.await.unwrap().status(), 200);
    let calls = bench.telegram.calls("sendMessage");
    assert_eq!(calls.iter().map(|call| call.text("text")).collect::<Vec<_>>(), ["a b"; 4]);
    assert_eq!(bench.telegram.violations(), []);
}

#[tokio::test]
async fn strangers_to_the_api_get_its_words() {
    let bench = Bench::new().await;
    assert_eq!(bench.refused("sendTelepathy", json!({})).await, "Not Found");
    let other = bench.url("getMe").replace("bot7", "bot8");
    let answer: Value = bench.http.get(other).send().await.unwrap().json().await.unwrap();
    assert_eq!(answer, json!({"ok": false, "error_code": 401, "description": "Unauthorized"}));
}

#[tokio::test]
async fn a_wrong_call_is_refused_and_remarked_on() {
    let bench = Bench::new().await;
    let id = bench.telegram.user("Alice").id();
    let check = async |body: Value, expected: &str| {
        bench.telegram.forget();
        let refused = bench.refused("sendMessage", body.clone()).await;
        assert!(refused.contains(expected), "{body}: {refused}");
        assert_eq!(bench.telegram.violations().len(), 1, "{body}");
    };
    check(json!({"chat_id": id, "text": ""}), "message text is empty").await;
    check(json!({"chat_id": id}), "message text is empty").await;
    check(json!({"text": "a"}), "chat_id is empty").await;
    check(json!({"chat_id": id, "text": " \n"}), "text must be non-empty").await;
    check(json!({"chat_id": id, "text": "😀".repeat(2049)}), "message is too long").await;
    let bold = json!([{"type": "bold", "offset": 1, "length": 1}]);
    check(json!({"chat_id": id, "text": "😀", "entities": bold}), "in a middle of a UTF-16 symbol").await;
    check(json!({"chat_id": id, "text": "a", "entities": bold}), "ends after the end of the text").await;
    check(json!({"chat_id": id, "text": "1.", "parse_mode": "MarkdownV2"}), "Character '.' is reserved")
        .await;
    let long = json!({"inline_keyboard": [[{"text": "a", "callback_data": "x".repeat(65)}]]});
    check(json!({"chat_id": id, "text": "a", "reply_markup": long}), "BUTTON_DATA_INVALID").await;

    bench.telegram.forget();
    bench.call("sendMessage", json!({"chat_id": id, "text": "😀".repeat(2048), "colour": "red"})).await;
    assert_eq!(
        bench.telegram.violations()[0].what,
        "unknown field colour",
        "the server passes over it, the fake does not"
    );
}

#[tokio::test]
async fn what_the_chat_forbids_is_no_violation() {
    let bench = Bench::new().await;
    let (alice, bob) = (bench.telegram.user("Alice"), bench.telegram.stranger("Bob"));
    let send = async |chat: i64| bench.refused("sendMessage", json!({"chat_id": chat, "text": "a"})).await;
    assert_eq!(send(1).await, "Bad Request: chat not found");
    assert_eq!(send(bob.id()).await, "Forbidden: bot can't initiate conversation with a user");
    alice.block();
    assert_eq!(send(alice.id()).await, "Forbidden: bot was blocked by the user");
    alice.unblock();
    let sent = bench.call("sendMessage", json!({"chat_id": alice.id(), "text": "a"})).await;
    let edit = json!({"chat_id": alice.id(), "message_id": sent["message_id"], "text": "a"});
    assert!(bench.refused("editMessageText", edit).await.starts_with("Bad Request: message is not modified"));
    let said = alice.say("mine").message_id;
    let edit = json!({"chat_id": alice.id(), "message_id": said, "text": "b"});
    assert_eq!(bench.refused("editMessageText", edit).await, "Bad Request: message can't be edited");
    let reply = json!({"chat_id": alice.id(), "text": "b", "reply_parameters": {"message_id": 99}});
    assert_eq!(bench.refused("sendMessage", reply).await, "Bad Request: message to be replied not found");
    alice.leave_telegram();
    assert_eq!(send(alice.id()).await, "Forbidden: user is deactivated");
    assert_eq!(bench.telegram.violations(), []);
}

#[tokio::test]
async fn forums_have_topics_and_a_general_one() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let forum = bench.telegram.forum("Forum", &[&alice]);
    let topic = forum.topic("Plans", &alice);
    alice.at(&forum).say("general");
    alice.at(&forum).topic(topic).say("plans");
    let updates = bench.call("getUpdates", json!({})).await;
    let (general, plans) = (&updates[1]["message"], &updates[2]["message"]);
    assert_eq!((general.get("message_thread_id"), &general["chat"]["is_forum"]), (None, &json!(true)));
    assert_eq!((&plans["message_thread_id"], &plans["is_topic_message"]), (&json!(topic), &json!(true)));
    assert_eq!(plans["reply_to_message"]["message_id"], json!(topic), "the root of the topic is answered");

    let send = |thread: i64| json!({"chat_id": forum.id(), "text": "a", "message_thread_id": thread});
    assert_eq!(bench.call("sendMessage", send(topic)).await["message_thread_id"], json!(topic));
    assert_eq!(bench.refused("sendMessage", send(1)).await, "Bad Request: message thread not found");
    let typing = json!({"chat_id": forum.id(), "action": "typing", "message_thread_id": 1});
    assert_eq!(bench.call("sendChatAction", typing).await, json!(true));
    forum.delete_topic(topic);
    assert_eq!(bench.refused("sendMessage", send(topic)).await, "Bad Request: message thread not found");
    let private = json!({"chat_id": alice.id(), "text": "a", "message_thread_id": 5});
    assert_eq!(bench.refused("sendMessage", private).await, "Bad Request: message thread not found");
}

#[tokio::test]
async fn replies_in_an_ordinary_supergroup_carry_a_thread_that_is_no_topic() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let group = bench.telegram.supergroup("Group", &[&alice]);
    let first = alice.at(&group).say("first").message_id;
    alice.at(&group).post("second").reply_to(first).send();
    let updates = bench.call("getUpdates", json!({})).await;
    let second = &updates[1]["message"];
    assert_eq!((&second["message_thread_id"], second.get("is_topic_message")), (&json!(first), None));
}

#[tokio::test]
async fn buttons_are_pressed_and_answered_once() {
    let bench = Bench::new().await;
    let alice = bench.telegram.user("Alice");
    let keyboard = json!({"inline_keyboard": [[{"text": "⏹ Stop", "callback_data": "stop:1"}]]});
    bench.call("sendMessage", json!({"chat_id": alice.id(), "text": "…", "reply_markup": keyboard})).await;
    let press = alice.press("Stop").unwrap();
    let updates = bench.call("getUpdates", json!({})).await;
    let query = &updates[0]["callback_query"];
    assert_eq!((&query["data"], &query["message"]["text"]), (&json!("stop:1"), &json!("…")));
    let answer = json!({"callback_query_id": query["id"], "text": "Stopped."});
    bench.call("answerCallbackQuery", answer.clone()).await;
    assert_eq!(press.answered().await["text"], "Stopped.");
    assert!(bench.refused("answerCallbackQuery", answer).await.contains("query is too old"));
}

#[tokio::test]
async fn menus_are_checked_and_kept() {
    let bench = Bench::new().await;
    let list = |count: usize| {
        let command = |n: usize| json!({"command": format!("c{n}"), "description": "d"});
        json!({"commands": (0..count).map(command).collect::<Vec<_>>(), "scope": {"type": "all_group_chats"}})
    };
    bench.call("setMyCommands", list(3)).await;
    let kept = bench.telegram.bot().commands(&json!({"type": "all_group_chats"})).unwrap();
    assert_eq!(kept.as_array().unwrap().len(), 3);
    assert_eq!(bench.refused("setMyCommands", list(101)).await, "Bad Request: BOT_COMMANDS_TOO_MUCH");
    let bad = json!({"commands": [{"command": "Think", "description": "d"}]});
    assert_eq!(bench.refused("setMyCommands", bad).await, "Bad Request: BOT_COMMAND_INVALID");
}

#[tokio::test]
async fn orders_come_over_http() {
    let bench = Bench::new().await;
    let order = async |order: Value| -> Value {
        let url = format!("{}/_control", bench.telegram.url());
        bench.http.post(url).json(&order).send().await.unwrap().json().await.unwrap()
    };
    let alice = order(json!({"do": "user", "name": "Alice"})).await["result"]["id"].clone();
    order(json!({"do": "say", "from": alice, "text": "hi"})).await;
    assert_eq!(bench.texts(0).await, ["hi"]);
    order(json!({"do": "fault", "method": "sendMessage", "answer": {"retry_after": 2}})).await;
    assert!(
        bench.refused("sendMessage", json!({"chat_id": alice, "text": "a"})).await.contains("retry after 2")
    );
    bench.call("sendMessage", json!({"chat_id": alice, "text": "a"})).await;
    let calls = order(json!({"do": "calls", "method": "sendMessage", "wait": 5})).await;
    assert_eq!(calls["result"].as_array().unwrap().len(), 2);
    let strange = order(json!({"do": "sing"})).await;
    assert!(strange["error"].as_str().unwrap().contains("unknown variant"), "{strange}");
}

#[tokio::test]
async fn two_bots_keep_apart() {
    let bench = Bench::new().await;
    let other = bench.telegram.add_bot("other_bot");
    let alice = bench.telegram.user("Alice");
    alice.say("to the first");
    alice.to_bot(&other).say("to the second");
    let url = format!("{}/bot{}/getUpdates", bench.telegram.url(), other.token());
    let updates: Value = bench.http.get(url).send().await.unwrap().json().await.unwrap();
    assert_eq!(updates["result"][0]["message"]["text"], "to the second");
    assert_eq!(bench.texts(0).await, ["to the first"]);
    assert_eq!((alice.sees().len(), alice.to_bot(&other).sees().len()), (1, 1));
}

#[tokio::test]
async fn calls_are_recorded_as_lines() {
    let bench = Bench::new().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.jsonl");
    bench.telegram.record_to(&path).unwrap();
    bench.call("getMe", json!({})).await;
    let line: Value = serde_json::from_str(std::fs::read_to_string(path).unwrap().trim()).unwrap();
    assert_eq!((&line["method"], &line["status"], line.get("token")), (&json!("getMe"), &json!(200), None));
}
