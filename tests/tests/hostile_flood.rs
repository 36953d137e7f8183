//! Floods and limits from outside: one chat that Telegram silences, letters without end, counts that no sum can hold.

#![allow(clippy::unwrap_used, reason = "a scenario that meets nothing where something must be fails there")]

use std::collections::BTreeSet;
use std::time::Duration;

use pensive_tests::model::{Script, Usage};
use pensive_tests::scene::{Scene, said};
use pensive_tests::talk::Talk;
use pensive_tests::telegram::Fault;
use serde_json::{Value, json};

#[tokio::test]
async fn str_03_a_chat_that_telegram_silences_holds_up_nobody_else() {
    let scene = Scene::with(|config| config["limits"] = json!({ "perSender": { "perMinute": 0 } })).await;
    let ann = scene.telegram.user("Ann");
    let mut bob = Talk::with(&scene, &scene.telegram.user("Bob"));
    scene.telegram.inject(Fault::on("sendMessage").in_chat(ann.chat()).retry_after(13_938).always());
    for _ in 0..300 {
        ann.say("/think high");
    }
    scene.telegram.bot().wait_until_confirmed().await;
    assert_eq!(bob.ask("hello").await, "You said: hello");
    assert_eq!(bob.ask("/think low").await, "Thinking level set to low.");
    assert_eq!(said(&ann), Vec::<String>::new());
    scene.telegram.clear_faults();
}

#[tokio::test]
async fn what_found_no_room_behind_a_silenced_chat_arrives_once_and_in_order() {
    const LETTERS: usize = 200;
    let scene = Scene::with(|config| config["limits"] = json!({ "perSender": { "perMinute": 0 } })).await;
    let ann = scene.telegram.user("Ann");
    scene.telegram.inject(Fault::on("sendMessage").retry_after(3_600).times(1));
    let expected: Vec<String> = (0..LETTERS)
        .map(|n| {
            ann.say(&format!("/model no-such-{n}/model"));
            format!("no-such-{n}/model")
        })
        .collect();
    scene.telegram.bot().wait_until_confirmed().await;
    scene.sleep_out(Duration::from_secs(3_600), Duration::from_secs(3_600)).await;
    scene
        .telegram
        .wait_until(|telegram| (telegram.messages(ann.chat()).len() >= 2 * LETTERS).then_some(()))
        .await;
    let seen = said(&ann);
    assert_eq!(seen.len(), LETTERS);
    for (text, name) in seen.iter().zip(expected) {
        assert!(text.contains(&format!("{name}\"")), "{name} was due, not {text}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn a_stop_cuts_a_long_letter_and_the_next_start_sends_the_rest_of_it_once() {
    const PARTS: usize = 60;
    let in_parts = |config: &mut Value| config["channels"]["telegram"]["richMessages"] = json!("off");
    let mut scene = Scene::with(in_parts).await;
    let ann = scene.telegram.user("Ann");
    let paragraphs: Vec<String> = (0..PARTS).map(|n| format!("{n:03} {}", "word ".repeat(800))).collect();
    scene.model.play(Script::new().text(&paragraphs.join("\n\n")));
    scene.telegram.inject(Fault::on("sendMessage").delayed(Duration::from_millis(150)).always());
    ann.say("tell me everything");
    scene.telegram.wait_for_text(ann.chat(), "002 ").await;
    let asked = scene.telegram.elapsed();
    scene.cut_off().await;
    let took = scene.telegram.elapsed() - asked;
    assert!(took < Duration::from_secs(4), "stopped after {took:?}");
    let before = said(&ann).len();
    assert!(before < PARTS, "all {before} were sent");
    scene.telegram.clear_faults();
    scene.enter().await;
    scene.telegram.wait_for_text(ann.chat(), "059 ").await;
    let seen = said(&ann);
    let begins: BTreeSet<&str> = seen.iter().filter_map(|text| text.get(..3)).collect();
    assert_eq!((seen.len(), begins.len()), (PARTS, PARTS), "once each");
    scene.finish().await;
}

#[tokio::test]
async fn counts_of_tokens_that_no_sum_can_hold_spoil_nothing() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    for text in ["one", "two"] {
        let usage = Usage { input: u64::MAX, ..Usage::default() };
        scene.model.play(Script::new().text(text).usage(usage));
        assert_eq!(ann.ask("count").await, text);
    }
    assert!(ann.ask("/status").await.contains(&u64::MAX.to_string()), "the answers were written down");
    assert_eq!(ann.ask("hello").await, "You said: hello");
    scene.finish().await;
}
