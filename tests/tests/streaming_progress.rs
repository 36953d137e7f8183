//! Answers in the making told by what goes on: one status while a run works, and the answer as a message of its own.

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
use pensive_tests::telegram::{Fault, Person, Seen};
use pensive_tests::tools::ToolsFake;
use serde_json::{Value, json};

const READ: &str = "📖 Read";
const STOP: &str = "⏹ Stop";
const ANSWER: &str = "It says one.";

fn progress(config: &mut Value) {
    let telegram = &mut config["channels"]["telegram"];
    telegram["streaming"] = json!("progress");
    telegram["groupPolicy"] = json!("open");
    telegram["groups"] = json!({ "*": { "requireMention": false } });
}

/// Ann in a group where everything is heard, and where `read` waits at a gate.
async fn group() -> (Scene, Person, Gate) {
    let gate = Gate::new();
    let held = gate.clone();
    let tools = ToolsFake::new().tool("read", move |_| {
        let held = held.clone();
        async move {
            held.pass().await;
            Ok("one".to_owned())
        }
    });
    let scene = Scene::with_tools(&tools, progress).await;
    let ann = scene.telegram.user("Ann");
    let ann = ann.at(&scene.telegram.supergroup("Kitchen", &[&ann]));
    (scene, ann, gate)
}

fn reads() -> Script {
    Script::new().text("Let me look. ").tool_call("read", &json!({ "path": "a.txt" }))
}

fn status(person: &Person) -> Option<Seen> {
    person.sees().into_iter().find(|seen| seen.by_bot && seen.text.starts_with(READ))
}

/// The status once it stands.
async fn stands(scene: &Scene, person: &Person) -> Seen {
    scene.run_until("a status", |_| status(person)).await
}

#[tokio::test]
async fn a_status_stays_one_message_until_the_answer_comes_as_another() {
    let (scene, ann, gate) = group().await;
    let film = ann.film();
    let written = Gate::new();
    scene.model.play(reads());
    scene.model.play(Script::new().tool_call("message", &json!({ "text": "Half of it." })));
    scene.model.play(Script::new().wait(&written).text(ANSWER));
    let asked = ann.say("what is in it?");
    let first = stands(&scene, &ann).await;
    assert_eq!(
        (first.text.as_str(), first.buttons.as_slice(), first.reply_to),
        (READ, [STOP.to_owned()].as_slice(), Some(asked.message_id))
    );
    gate.open();
    scene.run_until("the message", |_| said(&ann).contains(&"Half of it.".to_owned()).then_some(())).await;
    scene.run_until_seen(&film, "✉️ Message").await;
    let now: Vec<_> =
        ann.sees().into_iter().filter(|seen| seen.by_bot).map(|seen| (seen.id, seen.text)).collect();
    assert_eq!(now.len(), 2, "{now:?}");
    assert_eq!(now[0], (first.id, "✉️ Message".to_owned()), "what a run sends stands below its status");
    assert_eq!(now[1].1, "Half of it.");
    written.open();
    scene.run_until("the answer", |_| said(&ann).contains(&ANSWER.to_owned()).then_some(())).await;
    assert_eq!(said(&ann), ["Half of it.", ANSWER]);
    assert!(ann.sees().iter().all(|seen| seen.buttons.is_empty()), "no Stop is left");
    assert_eq!(scene.telegram.calls("deleteMessage").len(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn str_11_words_and_thoughts_are_no_part_of_a_status() {
    let (scene, ann, gate) = group().await;
    let film = ann.film();
    scene.model.play(reads());
    scene.model.play(Script::new().text(ANSWER));
    ann.say("what is in it?");
    stands(&scene, &ann).await;
    gate.open();
    scene.run_until("the answer", |_| said(&ann).contains(&ANSWER.to_owned()).then_some(())).await;
    assert_eq!(film.first("Let me look"), None);
    assert_eq!(said(&ann), [ANSWER]);
    scene.finish().await;
}

#[tokio::test]
async fn str_20_a_status_that_is_not_let_go_at_once_goes_later_and_holds_up_no_answer() {
    let (scene, ann, gate) = group().await;
    scene.telegram.inject(Fault::on("deleteMessage").in_chat(ann.chat()).times(3));
    scene.model.play(reads());
    scene.model.play(Script::new().text(ANSWER));
    ann.say("what is in it?");
    stands(&scene, &ann).await;
    gate.open();
    scene.run_until("the answer", |_| said(&ann).contains(&ANSWER.to_owned()).then_some(())).await;
    scene.run_until("the end", |_| status(&ann).is_none().then_some(())).await;
    assert_eq!(scene.telegram.calls("deleteMessage").len(), 4);
    assert_eq!(said(&ann), [ANSWER]);
    scene.finish().await;
}

#[tokio::test]
async fn str_20_no_status_stays_where_a_run_fails_or_is_stopped() {
    let (scene, ann, gate) = group().await;
    scene.model.play(reads());
    scene.model.play(Script::fail(Failure::json(401)));
    ann.say("what is in it?");
    stands(&scene, &ann).await;
    gate.open();
    let is_failure = |text: &String| text.starts_with("⚠️");
    scene.run_until("the failure", |_| said(&ann).iter().any(is_failure).then_some(())).await;
    assert_eq!(status(&ann), None);
    scene.finish().await;

    let (scene, ann, gate) = group().await;
    scene.model.play(reads());
    ann.say("what is in it?");
    let standing = stands(&scene, &ann).await;
    assert_eq!(standing.buttons, [STOP]);
    ann.press("Stop").unwrap();
    scene.run_until("the end", |_| status(&ann).is_none().then_some(())).await;
    assert!(ann.sees().iter().all(|seen| seen.buttons.is_empty()), "no Stop is left");
    gate.open();
    scene.finish().await;
}

#[tokio::test]
async fn str_25_a_status_that_a_crash_left_is_taken_away_by_the_next_start() {
    let (mut scene, ann, gate) = group().await;
    scene.model.play(reads());
    ann.say("what is in it?");
    stands(&scene, &ann).await;
    scene.cut_off().await;
    gate.open();
    scene.enter().await;
    let is_told = |text: &String| text.contains("I was restarted while answering");
    scene.run_until("word of it", |_| said(&ann).iter().any(is_told).then_some(())).await;
    scene.run_for(Duration::from_secs(5)).await;
    assert_eq!(status(&ann), None);
    scene.finish().await;
}
