//! How runs with tools end: failures that the person has to hear of, words that were being said at a stop, and what the
//! next try knows of what was done.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::gate::Gate;
use pensive_tests::model::{Failure, Script};
use pensive_tests::scene::{Scene, said};
use pensive_tests::talk::Talk;
use pensive_tests::tools::{ToolsFake, fault};
use serde_json::json;

fn tools() -> ToolsFake {
    ToolsFake::new()
        .dangerous("exec", |_| async { fault("exit code 1: /home/x/secret.txt is not there\nmore") })
        .dangerous("write", |_| async { Ok("written".to_owned()) })
        .tool("read", |_| async { fault("There is no such file.") })
}

fn executes() -> Script {
    Script::new().tool_call("exec", &json!({ "command": "make" }))
}

#[tokio::test]
async fn tool_13_a_failure_is_one_line_after_the_answer_and_its_reason_only_for_those_who_see_all() {
    let scene = Scene::with_tools(&tools(), |_| {}).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(executes());
    assert_eq!(ann.ask("hello").await, "You said: hello");
    let line = ann.hear().await;
    assert!(line.starts_with("⚠️ 🛠️ Exec: ") && line.ends_with(" failed"), "{line}");
    ann.ask("/verbose full").await;
    scene.model.play(executes());
    ann.say("hello");
    ann.next().await;
    ann.next().await;
    assert_eq!(ann.hear().await, "You said: hello");
    let line = ann.hear().await;
    assert!(line.ends_with(" failed: exit code 1: /home/x/secret.txt is not there"), "{line}");
    scene.finish().await;
}

#[tokio::test]
async fn a_failure_that_the_answer_tells_or_does_without_is_not_told_again() {
    let scene = Scene::with_tools(&tools(), |_| {}).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(executes());
    scene.model.play(Script::new().text("The build failed: there is no Makefile."));
    assert_eq!(ann.ask("hello").await, "The build failed: there is no Makefile.");
    scene.model.play(Script::new().tool_call("read", &json!({ "path": "a" })));
    assert_eq!(ann.ask("two").await, "You said: two");
    assert_eq!(ann.ask("three").await, "You said: three");
    scene.finish().await;
}

#[tokio::test]
async fn words_at_a_stop_stay_with_a_sign_and_the_model_knows_them() {
    let begun = Gate::new();
    let gate = begun.clone();
    let tools = ToolsFake::new().tool("read", move |_| {
        let gate = gate.clone();
        async move {
            gate.pass().await;
            Ok(String::new())
        }
    });
    let scene = Scene::with_tools(&tools, |_| {}).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(Script::new().text("Half of it").tool_call("read", &json!({ "path": "a" })));
    ann.say("one");
    begun.reached(1).await;
    assert_eq!(ann.ask("/stop").await, "Half of it\n\n⏹");
    assert_eq!(ann.hear().await, "⚙️ Stopped.");
    assert_eq!(ann.ask("two").await, "You said: two");
    let request = scene.model.requests().pop().unwrap();
    assert_eq!(request.texts("user"), ["one", "two"]);
    assert_eq!(request.texts("assistant"), ["Half of it"]);
    assert_eq!(request.tool_results(), []);
    scene.finish().await;
}

#[tokio::test]
async fn who_tries_again_knows_what_was_done() {
    let scene = Scene::with_tools(&tools(), |_| {}).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(Script::new().tool_call("write", &json!({ "path": "a", "content": "b" })));
    scene.model.play(Script::fail(Failure::json(401)));
    let seen = ann.ask("write it").await;
    assert_eq!(seen, "⚠️ The model provider refused our key. An admin needs to check it.");
    ann.person().press("Try again").unwrap();
    assert_eq!(ann.hear().await, "You said: write it");
    let request = scene.model.requests().pop().unwrap();
    assert_eq!(request.texts("user"), ["write it", "write it"]);
    assert_eq!(request.tool_results().pop().unwrap().1, "written");
    assert_eq!(said(ann.person()).len(), 2);
    scene.finish().await;
}
