//! Work that a run hands to sub-agents: sessions of their own, how many and how deep, what they may do, what people see of
//! them, and the level that is made for it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_contract::tool::Grant;
use pensive_tests::gate::Gate;
use pensive_tests::model::{Failure, Request, Script, Usage};
use pensive_tests::scene::{Scene, said};
use pensive_tests::talk::Talk;
use pensive_tests::tools::ToolsFake;
use serde_json::{Value, json};

const SPAWN: &str = "sessions_spawn";
const SUB: &str = "You are a sub-agent";
const PLAN: &str = "Plan first";

fn spawns(task: &str) -> Script {
    Script::new().tool_call(SPAWN, &json!({ "task": task, "label": "beans" }))
}

async fn allowing(tools: Value) -> (Scene, Talk) {
    let scene = Scene::with(|config| {
        config["agents"]["defaults"]["tools"] = tools;
        config["agents"]["defaults"]["maxConcurrent"] = json!(1);
        let models = config["models"]["providers"]["fake"]["models"].as_array_mut().unwrap();
        let efforts = json!(["low", "medium", "high", "max"]);
        models.push(
            json!({ "id": "big", "reasoning": true, "compat": { "supportedReasoningEfforts": efforts } }),
        );
    })
    .await;
    let ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    (scene, ann)
}

async fn scene() -> (Scene, Talk) {
    allowing(json!({ "allow": [SPAWN, "message", "session_status"] })).await
}

/// The newest request of a run that somebody asked for.
fn last(scene: &Scene) -> Request {
    scene.model.requests().into_iter().rfind(|request| !request.system().contains(SUB)).unwrap()
}

fn results(scene: &Scene) -> Vec<String> {
    last(scene).tool_results().into_iter().map(|(_, text)| text).collect()
}

#[tokio::test]
async fn a_sub_agent_has_a_session_of_its_own_and_answers_its_caller_alone() {
    let (scene, mut ann) = scene().await;
    ann.check(&[("/think high", "Thinking level set to high."), ("before", "You said: before")]).await;
    scene.model.play(spawns("Count the beans."));
    assert_eq!(ann.ask("hello").await, "You said: hello");
    let requests = scene.model.requests();
    let [_, caller, sub, again] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    assert_eq!(sub.texts("user"), ["Count the beans."]);
    assert!(sub.system().contains(SUB) && !caller.system().contains(SUB) && !again.system().contains(SUB));
    assert_eq!((sub.effort(), sub.model()), (Some("high"), "gpt-5.2"));
    assert_eq!(caller.tools(), ["session_status", SPAWN, "message"]);
    assert_eq!(sub.tools(), ["session_status", SPAWN], "it speaks to nobody else");
    assert_eq!(results(&scene), ["You said: Count the beans."]);
    assert_eq!(ann.ask("after").await, "You said: after");
    assert_eq!(last(&scene).texts("user"), ["before", "hello", "after"]);
    assert_eq!(said(ann.person()).len(), 4);
    scene.finish().await;
}

#[tokio::test]
async fn a_sub_agents_sub_agent_has_none() {
    let (scene, mut ann) = scene().await;
    scene.model.play(spawns("one"));
    scene.model.play(spawns("two"));
    scene.model.play(spawns("three"));
    assert_eq!(ann.ask("hello").await, "You said: hello");
    let requests = scene.model.requests();
    assert_eq!(requests[1].tools(), ["session_status", SPAWN]);
    assert_eq!(requests[2].tools(), ["session_status"]);
    let denied = requests[3].tool_results().pop().unwrap().1;
    assert_eq!(denied, "There is no tool \"sessions_spawn\". Tools: session_status.");
    assert_eq!(results(&scene), ["You said: one"]);
    scene.finish().await;
}

#[tokio::test]
async fn four_work_at_once_on_the_slot_of_their_caller_and_eight_in_all() {
    let (scene, mut ann) = scene().await;
    let mut calls = Script::new();
    for number in 0..10 {
        calls = calls.tool_call(SPAWN, &json!({ "task": format!("task {number}") }));
    }
    scene.model.play(calls);
    let gate = Gate::new();
    let held = gate.clone();
    scene.model.reply_with(move |request| {
        let is_sub = request.system().contains(SUB);
        is_sub.then(|| Script::new().wait(&held).text(&request.prompt()))
    });
    ann.say("hello");
    gate.reached(4).await;
    assert_eq!(scene.model.peak(), 4);
    gate.open();
    assert_eq!(ann.hear().await, "You said: hello");
    let mut expected: Vec<String> = (0..8).map(|number| format!("task {number}")).collect();
    let beyond = "All 8 sub-agents of this run have been used. Do the rest yourself.";
    expected.extend([beyond.to_owned(), beyond.to_owned()]);
    assert_eq!(results(&scene), expected);
    assert_eq!(scene.model.peak(), 4);
    scene.finish().await;
}

#[tokio::test]
async fn tool_09_tool_11_nothing_of_its_work_is_shown_and_its_call_once() {
    let (scene, mut ann) = scene().await;
    ann.ask("/verbose on").await;
    ann.ask("/reasoning on").await;
    scene.model.play(spawns("Count the beans."));
    scene
        .model
        .play(Script::new().reasoning("Beans.").text("Let me look.").tool_call("session_status", &json!({})));
    ann.say("hello");
    assert_eq!(ann.hear().await, "🧑‍🔧 Sub-agent: beans, Count the beans.");
    assert_eq!(ann.hear().await, "Thinking\nThinking with effort medium.", "its caller's");
    assert_eq!(ann.hear().await, "You said: hello");
    assert_eq!(said(ann.person()).len(), 5);
    let status = &scene.model.requests()[2].tool_results()[0].1;
    assert!(status.contains(":sub:"), "{status}");
    scene.finish().await;
}

#[tokio::test]
async fn stop_reaches_it() {
    let (scene, mut ann) = scene().await;
    let gate = Gate::new();
    scene.model.play(spawns("Count the beans."));
    scene.model.play(Script::new().wait(&gate).text("Seven."));
    ann.say("hello");
    gate.reached(1).await;
    assert_eq!(ann.ask("/stop").await, "⚙️ Stopped.");
    scene.telegram.wait_until(|_| (scene.model.running() == 0).then_some(())).await;
    assert_eq!(ann.ask("two").await, "You said: two");
    assert_eq!(scene.model.count(), 3);
    scene.finish().await;
}

#[tokio::test]
async fn one_that_does_not_end_is_ended_and_its_caller_goes_on() {
    let begun = Gate::new();
    let held = begun.clone();
    let tools = ToolsFake::new().tool("read", move |_| {
        let held = held.clone();
        async move {
            held.pass().await;
            Ok(String::new())
        }
    });
    let scene = Scene::with_tools(&tools, |_| {}).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(spawns("Count the beans."));
    for number in 0..10 {
        scene
            .model
            .play(Script::new().text("Still.").tool_call("read", &json!({ "path": number.to_string() })));
    }
    ann.say("hello");
    for round in 1..=10 {
        begun.reached(round).await;
        scene.sleep_out(Duration::from_mins(1), Duration::from_mins(1)).await;
    }
    // The clock stood at ten minutes for both of them.
    assert_eq!(ann.hear().await, "You said: hello");
    assert!(ann.hear().await.ends_with(" failed"));
    let told = results(&scene).pop().unwrap();
    assert!(told.starts_with("The sub-agent came to nothing: It took too long."), "{told}");
    assert!(told.ends_with("Still."), "{told}");
    scene.finish().await;
}

#[tokio::test]
async fn what_broke_is_told_to_the_caller_and_what_cannot_be_run_is_not_run() {
    let (scene, mut ann) = scene().await;
    scene.model.play(spawns("Count the beans."));
    scene.model.play(Script::fail(Failure::json(401)));
    let failed = "⚠️ 🧑‍🔧 Sub-agent: beans, Count the beans. failed";
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(ann.hear().await, failed);
    let told = results(&scene).pop().unwrap();
    assert_eq!(
        told,
        "The sub-agent came to nothing: The model provider refused our key. An admin needs to check it."
    );
    for (arguments, expected) in [
        (json!({}), "\"task\" must be a text that is not empty."),
        (json!({ "task": 1 }), "\"task\" must be a text."),
        (
            json!({ "task": "a", "agent": "other" }),
            "Only an owner of this house may have another agent work.",
        ),
        (json!({ "task": "a", "model": "fake/" }), "Unrecognized model \"fake/\"."),
        (json!({ "task": "a", "thinking": "hgih" }), "Unrecognized thinking level \"hgih\"."),
        (
            json!({ "task": "a", "thinking": "max" }),
            "Thinking level \"max\" is not supported for fake/gpt-5.2.",
        ),
    ] {
        scene.advance(Duration::from_secs(10));
        let before = scene.model.count();
        scene.model.play(Script::new().tool_call(SPAWN, &arguments));
        assert_eq!(ann.ask("hello").await, "You said: hello");
        assert!(ann.hear().await.starts_with("⚠️ 🧑‍🔧 Sub-agent"));
        assert_eq!(scene.model.count(), before + 2, "{arguments}");
        let told = results(&scene).pop().unwrap();
        assert!(told.starts_with(expected), "{told}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn another_model_and_level_may_be_named() {
    let (scene, mut ann) = scene().await;
    let wish = json!({ "task": "a", "model": "fake/big", "thinking": "max" });
    scene.model.play(Script::new().tool_call(SPAWN, &wish));
    assert_eq!(ann.ask("hello").await, "You said: hello");
    let sub = &scene.model.requests()[1];
    assert_eq!((sub.model(), sub.effort()), ("big", Some("max")));
    scene.finish().await;
}

#[tokio::test]
async fn what_it_uses_counts_for_its_caller() {
    let (scene, mut ann) = scene().await;
    let usage = |input| Usage { input, output: 1, ..Usage::default() };
    scene.model.play(spawns("Count the beans.").usage(usage(100)));
    scene.model.play(Script::new().text("Seven.").usage(usage(1000)));
    scene.model.play(Script::new().text("So.").usage(usage(10)));
    ann.ask("/usage tokens").await;
    let answer = ann.ask("hello").await;
    assert_eq!(answer, "So.\n\nin 1110 · out 3 · reasoning 0 · cached 0");
    scene.finish().await;
}

#[tokio::test]
async fn people_answer_its_questions_where_its_caller_was_asked() {
    let tools = ToolsFake::new().dangerous("exec", |_| async { Ok("done".to_owned()) });
    let mut scene = Scene::prepared(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": ["*"] });
    })
    .await;
    let person = scene.telegram.user("Ann");
    let owner = format!("telegram:{}", person.id());
    scene.reconfigure(|config| config["commands"] = json!({ "ownerAllowFrom": [owner] }));
    scene.equip(&tools);
    scene.enter().await;
    let mut ann = Talk::with(&scene, &person);
    ann.ask("/elevated ask").await;
    scene.model.play(spawns("Remove it."));
    scene.model.play(Script::new().tool_call("exec", &json!({ "command": "rm -r a" })));
    ann.say("hello");
    let question = ann.next().await;
    assert!(question.text.starts_with("⚙️ May I do this? 🛠️ Exec: "), "{}", question.text);
    assert_eq!(ann.ask("/approve").await, "⚙️ Allowed once.");
    assert_eq!(ann.hear().await, "You said: hello");
    assert_eq!(tools.made().pop().unwrap().2, Grant::Free);
    scene.finish().await;
}

#[tokio::test]
async fn ultra_is_the_most_of_a_model_and_a_plan_for_that_run_alone() {
    let (scene, mut ann) = scene().await;
    ann.check(&[
        ("/model fake/big", "Model set to fake/big for this session."),
        ("/think ultra", "Thinking level set to ultra."),
    ])
    .await;
    scene.model.play(spawns("Count the beans."));
    assert_eq!(ann.ask("hello").await, "You said: hello");
    let requests = scene.model.requests();
    assert!(requests[0].system().contains(PLAN) && requests[2].system().contains(PLAN));
    assert!(!requests[1].system().contains(PLAN), "the plan is its caller's");
    let efforts: Vec<_> = requests.iter().map(Request::effort).collect();
    assert_eq!(efforts, [Some("max"); 3]);
    ann.ask("/think max").await;
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert!(!last(&scene).system().contains(PLAN));
    scene.finish().await;
}

#[tokio::test]
async fn ultra_is_not_offered_where_there_are_no_sub_agents_or_no_max() {
    let (scene, mut ann) = allowing(json!({ "allow": ["*"], "deny": [SPAWN] })).await;
    ann.check(&[
        ("/model fake/big", "Model set to fake/big for this session."),
        (
            "/think ultra",
            "Thinking level \"ultra\" is not supported for fake/big. Use one of: off, minimal, low, medium, high, max.",
        ),
    ])
    .await;
    scene.finish().await;
    let (scene, mut ann) = self::scene().await;
    assert!(
        ann.ask("/think ultra")
            .await
            .starts_with("Thinking level \"ultra\" is not supported for fake/gpt-5.2.")
    );
    scene.finish().await;
}
