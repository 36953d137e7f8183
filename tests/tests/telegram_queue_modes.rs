//! What becomes of a message that comes while the model works: the four ways, and their options.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::{Failure, Script};
use pensive_tests::scene::{Scene, said};
use pensive_tests::telegram::Person;
use pensive_tests::tools::ToolsFake;
use serde_json::json;

const QUIET: Duration = Duration::from_millis(500);

/// A daemon whose agent has tools, and whose messages meet a run like this.
async fn scene(queue: serde_json::Value) -> Scene {
    Scene::with(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": ["session_status"] });
        config["messages"]["queue"] = queue;
    })
    .await
}

/// Ann says `one`, whose run calls a tool once the gate opens and then answers as it is told next.
async fn working(scene: &Scene) -> (Person, Gate) {
    let ann = scene.telegram.user("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).tool_call("session_status", &json!({})));
    ann.say("one");
    gate.reached(1).await;
    (ann, gate)
}

/// Ann says `one`, which is being answered until the gate opens.
async fn answering(scene: &Scene) -> (Person, Gate) {
    let ann = scene.telegram.user("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().text("You said: ").wait(&gate).text("one"));
    ann.say("one");
    gate.reached(1).await;
    (ann, gate)
}

/// Waits until all that was said has reached the queue.
async fn heard(scene: &Scene, person: &Person) {
    person.say("/whoami");
    scene.telegram.wait_for_text(person.chat(), "You are").await;
}

fn answers(person: &Person) -> Vec<String> {
    said(person).into_iter().filter(|text| text.starts_with("You said") || text.starts_with("Done")).collect()
}

fn prompts(scene: &Scene) -> Vec<String> {
    scene.model.requests().iter().map(pensive_tests::model::Request::prompt).collect()
}

#[tokio::test]
async fn steer_puts_a_message_in_at_the_next_call() {
    let scene = scene(json!({})).await;
    let (ann, gate) = working(&scene).await;
    ann.say("two");
    ann.say("three");
    heard(&scene, &ann).await;
    scene.model.play(Script::new().text("Done."));
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "Done.").await;
    let request = scene.model.requests().pop().unwrap();
    assert_eq!(request.texts("user"), ["one", "two", "three"]);
    assert_eq!(request.tool_results().len(), 1);
    ann.say("four");
    scene.telegram.wait_for_text(ann.chat(), "You said: four").await;
    let request = scene.model.requests().pop().unwrap();
    assert_eq!(request.texts("user"), ["one", "two", "three", "four"], "the transcript has them");
    assert_eq!((scene.model.count(), answers(&ann)), (3, vec!["Done.".into(), "You said: four".into()]));
    scene.finish().await;
}

#[tokio::test]
async fn steer_gives_a_message_its_own_turn_where_no_call_is_left() {
    let scene = scene(json!({ "mode": "steer" })).await;
    let (ann, gate) = answering(&scene).await;
    ann.say("two");
    heard(&scene, &ann).await;
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "You said: two").await;
    assert_eq!(prompts(&scene), ["one", "two"]);
    scene.finish().await;
}

#[tokio::test]
async fn steer_leaves_a_message_that_wants_other_settings_and_all_behind_it_to_their_own_turns() {
    let scene = scene(json!({})).await;
    let (ann, gate) = working(&scene).await;
    ann.say("/think high two");
    ann.say("three");
    heard(&scene, &ann).await;
    scene.model.play(Script::new().text("Done."));
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "You said: three").await;
    assert_eq!(prompts(&scene), ["one", "one", "two", "three"]);
    let efforts: Vec<_> = scene.model.requests().iter().map(|r| r.effort().map(str::to_owned)).collect();
    assert_eq!(efforts[2].as_deref(), Some("high"));
    assert_eq!(efforts[3].as_deref(), Some("medium"));
    scene.finish().await;
}

#[tokio::test]
async fn steer_never_puts_one_persons_words_into_the_run_of_another() {
    let scene = Scene::with(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": ["session_status"] });
        config["channels"]["telegram"]["groupPolicy"] = json!("open");
        config["channels"]["telegram"]["groups"] = json!({ "*": { "requireMention": false } });
    })
    .await;
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    let room = scene.telegram.group("Room", &[&ann, &bob]);
    let (ann, bob) = (ann.at(&room), bob.at(&room));
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).tool_call("session_status", &json!({})));
    scene.model.play(Script::new().text("Done."));
    ann.say("one");
    gate.reached(1).await;
    bob.say("two");
    scene.telegram.bot().wait_until_confirmed().await;
    gate.open();
    scene.telegram.wait_for_text(bob.chat(), "You said: Bob: two").await;
    assert_eq!(prompts(&scene), ["Ann: one", "Ann: one", "Bob: two"]);
    scene.finish().await;
}

#[tokio::test]
async fn steer_keeps_what_a_failed_run_had_taken_for_its_button() {
    let scene = scene(json!({})).await;
    let (ann, gate) = working(&scene).await;
    ann.say("two");
    heard(&scene, &ann).await;
    scene.model.play(Script::fail(Failure::words(400, "no such thing")));
    gate.open();
    scene.telegram.wait_until(|_| said(&ann).iter().any(|text| text.starts_with("⚠️")).then_some(())).await;
    ann.press("Try again").unwrap().answered().await;
    scene.telegram.wait_for_text(ann.chat(), "You said: one\n\ntwo").await;
    scene.finish().await;
}

/// A run that has done what cannot be undone and has taken up `two`, in front of its next call.
async fn deep_in_work(next: Script) -> (Scene, Person, Gate) {
    let tools = ToolsFake::new().dangerous("exec", |_| async { Ok("done".to_owned()) });
    let scene = Scene::with_tools(&tools, |_| {}).await;
    let ann = scene.telegram.user("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).tool_call("exec", &json!({ "command": "ls" })));
    scene.model.play(next);
    ann.say("one");
    gate.reached(1).await;
    ann.say("two");
    heard(&scene, &ann).await;
    gate.open();
    (scene, ann, gate)
}

#[tokio::test]
async fn what_a_run_took_is_kept_once_when_it_is_stopped_after_a_deed() {
    let held = Gate::new();
    let (scene, ann, _gate) = deep_in_work(Script::new().first_byte(&held).text("never")).await;
    held.reached(1).await;
    ann.say("/stop");
    scene.telegram.wait_for_text(ann.chat(), "⚙️ Stopped.").await;
    ann.say("three");
    scene.telegram.wait_for_text(ann.chat(), "You said: three").await;
    assert_eq!(scene.model.requests().pop().unwrap().texts("user"), ["one", "two", "three"]);
    scene.finish().await;
}

#[tokio::test]
async fn what_a_run_took_is_kept_once_when_it_fails_after_a_deed_and_its_button_asks_for_all() {
    let (scene, ann, _gate) = deep_in_work(Script::fail(Failure::words(400, "no such thing"))).await;
    scene.telegram.wait_until(|_| said(&ann).iter().any(|text| text.starts_with("⚠️")).then_some(())).await;
    ann.press("Try again").unwrap().answered().await;
    scene.telegram.wait_for_text(ann.chat(), "You said: one\n\ntwo").await;
    assert_eq!(scene.model.requests().pop().unwrap().texts("user"), ["one", "two", "one\n\ntwo"]);
    scene.finish().await;
}

#[tokio::test]
async fn stop_ends_a_run_with_what_it_took_and_what_waits() {
    let scene = scene(json!({})).await;
    let (ann, gate) = working(&scene).await;
    ann.say("two");
    heard(&scene, &ann).await;
    let held = Gate::new();
    scene.model.play(Script::new().first_byte(&held).text("never"));
    gate.open();
    held.reached(1).await;
    ann.say("three");
    ann.say("/stop");
    scene.telegram.wait_for_text(ann.chat(), "⚙️ Stopped.").await;
    ann.say("four");
    scene.telegram.wait_for_text(ann.chat(), "You said: four").await;
    assert_eq!(scene.model.requests().pop().unwrap().texts("user").join("|"), "one\n\ntwo|four");
    scene.finish().await;
}

#[tokio::test]
async fn followup_gives_each_message_its_own_turn() {
    let scene = scene(json!({ "mode": "followup" })).await;
    let (ann, gate) = working(&scene).await;
    ann.say("two");
    ann.say("three");
    heard(&scene, &ann).await;
    scene.model.play(Script::new().text("Done."));
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "You said: three").await;
    assert_eq!(prompts(&scene), ["one", "one", "two", "three"]);
    scene.finish().await;
}

#[tokio::test]
async fn collect_makes_one_turn_of_all_that_waits_after_a_moment_of_quiet() {
    let scene = scene(json!({ "mode": "collect" })).await;
    let (ann, gate) = answering(&scene).await;
    ann.say("two");
    ann.say("three");
    heard(&scene, &ann).await;
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "You said: one").await;
    assert_eq!(scene.sleep_out(QUIET / 2, QUIET).await, QUIET);
    scene.telegram.wait_for_text(ann.chat(), "You said: two\n\nthree").await;
    assert_eq!(prompts(&scene), ["one", "two\n\nthree"]);
    scene.finish().await;
}

#[tokio::test]
async fn collect_waits_on_while_messages_come_and_as_long_as_it_was_told() {
    let scene = scene(json!({})).await;
    let ann = scene.telegram.user("Ann");
    ann.say("/queue collect debounce:2s");
    scene.telegram.wait_for_text(ann.chat(), "⚙️ Queue mode set to collect debounce:2s.").await;
    let gate = Gate::new();
    scene.model.play(Script::new().text("You said: ").wait(&gate).text("one"));
    ann.say("one");
    gate.reached(1).await;
    ann.say("two");
    heard(&scene, &ann).await;
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "You said: one").await;
    let second = Duration::from_secs(1);
    assert_eq!(scene.clock.wait_for_sleeper(second, 2 * second).await, 2 * second);
    scene.advance(second);
    ann.say("three");
    ann.say("/status");
    scene
        .telegram
        .wait_until(|_| {
            said(&ann).iter().any(|text| text.contains("Queue: collect debounce:2s · ")).then_some(())
        })
        .await;
    // Three came when a second of the quiet had passed, so it begins anew.
    assert_eq!(scene.sleep_out(2 * second, 2 * second).await, 2 * second);
    scene.telegram.wait_for_text(ann.chat(), "You said: two\n\nthree").await;
    scene.finish().await;
}

#[tokio::test]
async fn collect_outlives_a_restart() {
    let mut scene = scene(json!({ "mode": "collect" })).await;
    let (ann, _gate) = answering(&scene).await;
    ann.say("two");
    ann.say("three");
    heard(&scene, &ann).await;
    scene.cut_off().await;
    scene.enter().await;
    scene.telegram.wait_for_text(ann.chat(), "You said: two").await;
    scene.sleep_out(Duration::from_millis(1), QUIET).await;
    scene.telegram.wait_for_text(ann.chat(), "You said: three").await;
    assert_eq!(scene.model.count(), 3);
    scene.finish().await;
}

#[tokio::test]
async fn interrupt_ends_the_run_and_runs_the_newest() {
    let scene = scene(json!({ "mode": "interrupt" })).await;
    let (ann, _gate) = answering(&scene).await;
    ann.say("two");
    scene.telegram.wait_for_text(ann.chat(), "You said: two").await;
    assert_eq!(prompts(&scene), ["one", "two"]);
    assert_eq!(
        scene.model.requests().pop().unwrap().texts("user"),
        ["one", "two"],
        "what was said stays known"
    );
    assert!(!said(&ann).iter().any(|text| text.contains("You said: one")), "{:?}", said(&ann));
    scene.finish().await;
}

#[tokio::test]
async fn the_mode_of_one_message_holds_for_it_alone() {
    let scene = scene(json!({ "mode": "followup" })).await;
    let (ann, _gate) = answering(&scene).await;
    ann.say("two");
    ann.say("/queue interrupt three");
    scene.telegram.wait_for_text(ann.chat(), "You said: three").await;
    assert_eq!(prompts(&scene), ["one", "three"]);
    scene.finish().await;
}

#[tokio::test]
async fn a_cap_sums_up_what_is_too_much() {
    let scene = scene(json!({ "mode": "followup", "cap": 2 })).await;
    let (ann, gate) = answering(&scene).await;
    for text in ["two", "three", "four"] {
        ann.say(text);
    }
    heard(&scene, &ann).await;
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "You said: four").await;
    assert_eq!(prompts(&scene), ["one", "[Earlier messages, shortened]\n- two\n- three", "four"]);
    scene.finish().await;
}
