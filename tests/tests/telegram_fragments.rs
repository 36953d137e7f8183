//! Long texts that a person's app cuts into several messages, and texts that are waited for.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::Scene;
use serde_json::json;

const WAIT: Duration = Duration::from_millis(300);

fn prompts(scene: &Scene) -> Vec<String> {
    scene.model.requests().iter().map(pensive_tests::model::Request::prompt).collect()
}

/// Waits until something is held for as long as that.
async fn held(scene: &Scene, span: Duration) {
    assert_eq!(scene.clock.wait_for_sleeper(span, span).await, span);
}

#[tokio::test]
async fn a_text_that_was_cut_waits_for_its_continuation() {
    let scene = Scene::start().await;
    scene.model.reply_with(|_| Some(Script::new().text("Read.")));
    let ann = scene.telegram.user("Ann");
    // The second is cut at a word, whose blank is gone; the first where it had to be.
    let (first, second) = ("a".repeat(4_096), format!("{} end", "b".repeat(3_900)));
    ann.say(&first);
    ann.say(&second);
    ann.say("and the rest");
    scene.telegram.wait_for_text(ann.chat(), "Read.").await;
    assert_eq!(prompts(&scene), [format!("{first}{second}\nand the rest")]);
    scene.finish().await;
}

#[tokio::test]
async fn a_long_text_alone_runs_when_nothing_followed() {
    let scene = Scene::start().await;
    scene.model.reply_with(|_| Some(Script::new().text("Read.")));
    let ann = scene.telegram.user("Ann");
    let text = "ö".repeat(3_800);
    ann.say(&text);
    held(&scene, WAIT).await;
    assert_eq!(scene.model.count(), 0);
    scene.advance(WAIT);
    scene.telegram.wait_for_text(ann.chat(), "Read.").await;
    assert_eq!(prompts(&scene), [text]);
    scene.finish().await;
}

#[tokio::test]
async fn a_text_below_that_waits_for_nothing() {
    let scene = Scene::start().await;
    scene.model.reply_with(|_| Some(Script::new().text("Read.")));
    let ann = scene.telegram.user("Ann");
    ann.say(&"ö".repeat(3_799));
    scene.telegram.wait_for_text(ann.chat(), "Read.").await;
    scene.finish().await;
}

#[tokio::test]
async fn a_directive_in_a_text_that_was_cut_holds_for_all_of_it() {
    let scene = Scene::start().await;
    scene.model.reply_with(|_| Some(Script::new().text("Read.")));
    let ann = scene.telegram.user("Ann");
    let text = "a".repeat(4_080);
    ann.say(&format!("/think high {text}"));
    ann.say("bc");
    scene.telegram.wait_for_text(ann.chat(), "Read.").await;
    let request = scene.model.requests().pop().unwrap();
    assert_eq!((request.effort(), request.prompt()), (Some("high"), format!("{text}\nbc")));
    scene.finish().await;
}

#[tokio::test]
async fn a_command_continues_nothing_and_waits_for_nothing() {
    let scene = Scene::start().await;
    scene.model.reply_with(|_| Some(Script::new().text("Read.")));
    let ann = scene.telegram.user("Ann");
    ann.say(&"a".repeat(4_096));
    ann.say("/think low");
    scene.telegram.wait_for_text(ann.chat(), "Thinking level set to low.").await;
    scene.telegram.wait_for_text(ann.chat(), "Read.").await;
    assert_eq!(scene.model.requests().pop().unwrap().effort(), Some("medium"));
    scene.finish().await;
}

#[tokio::test]
async fn a_cut_text_outlives_a_restart_as_one() {
    let mut scene = Scene::start().await;
    scene.model.reply_with(|_| Some(Script::new().text("Read.")));
    let ann = scene.telegram.user("Ann");
    let text = "a".repeat(4_096);
    ann.say(&text);
    held(&scene, WAIT).await;
    scene.restart().await;
    held(&scene, WAIT).await;
    ann.say("b");
    scene.telegram.wait_for_text(ann.chat(), "Read.").await;
    assert_eq!(prompts(&scene), [format!("{text}b")]);
    scene.finish().await;
}

#[tokio::test]
async fn a_run_of_a_cut_text_that_was_cut_off_runs_again_whole() {
    let mut scene = Scene::start().await;
    let gate = Gate::new();
    scene.model.play(Script::new().first_byte(&gate).text("never"));
    let ann = scene.telegram.user("Ann");
    let text = "a".repeat(4_096);
    ann.say(&text);
    ann.say("b");
    gate.reached(1).await;
    // What tells that the run began is on disk before that.
    ann.say("/whoami");
    scene.telegram.wait_for_text(ann.chat(), "You are").await;
    scene.cut_off().await;
    scene.model.reply_with(|_| Some(Script::new().text("Read.")));
    scene.enter().await;
    scene.telegram.wait_for_text(ann.chat(), "⚙️ I was restarted while answering.").await;
    ann.press("Run it again").unwrap().answered().await;
    scene.telegram.wait_for_text(ann.chat(), "Read.").await;
    assert_eq!(prompts(&scene).pop().unwrap(), format!("{text}b"));
    scene.finish().await;
}

#[tokio::test]
async fn debounce_joins_what_one_person_writes_and_no_other() {
    let second = Duration::from_secs(1);
    let scene = Scene::with(|config| config["messages"]["inbound"] = json!({ "debounceMs": 1_000 })).await;
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    ann.say("one");
    held(&scene, second).await;
    bob.say("mine");
    ann.say("two");
    ann.say("/whoami");
    scene.telegram.wait_for_text(ann.chat(), "You are").await;
    scene.telegram.wait_for_text(ann.chat(), "You said: one\ntwo").await;
    scene.sleep_out(second, second).await;
    scene.telegram.wait_for_text(bob.chat(), "You said: mine").await;
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}
