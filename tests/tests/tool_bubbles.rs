//! What people see of tools while a run goes on: bubbles by `/verbose`, read anew for each, thoughts before the bubble that
//! they led to, and nothing of it where nobody asked.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::{MODEL_KEY, Scene, said};
use pensive_tests::talk::Talk;
use pensive_tests::tools::{ToolsFake, fault};
use serde_json::json;

const ON: &str = "⚙️ Verbose logging enabled.";

fn tools() -> ToolsFake {
    ToolsFake::new()
        .tool("read", |_| async { Ok("one\ntwo\n".to_owned()) })
        .tool("web_search", |_| async { Ok(String::new()) })
        .tool("web_fetch", |_| async { fault("The page is gone.") })
}

fn reads(path: &str) -> Script {
    Script::new().tool_call("read", &json!({ "path": path }))
}

async fn verbose(level: &str, tools: &ToolsFake) -> (Scene, Talk) {
    let scene = Scene::with_tools(tools, |_| {}).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    ann.ask(&format!("/verbose {level}")).await;
    (scene, ann)
}

#[tokio::test]
async fn tool_02_with_verbose_off_only_the_answer_is_seen() {
    let (scene, mut ann) = verbose("off", &tools()).await;
    scene.model.play(Script::new().text("Let me look.").tool_call("read", &json!({ "path": "a.txt" })));
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(said(ann.person()).len(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn bubbles_come_in_the_order_of_the_calls_and_before_the_answer() {
    let (scene, mut ann) = verbose("on", &tools()).await;
    scene.model.play(
        Script::new()
            .tool_call("web_search", &json!({ "query": "tea" }))
            .tool_call("read", &json!({ "path": "a.txt" }))
            .tool_call("nothing", &json!({})),
    );
    ann.say("hello");
    assert_eq!(ann.hear().await, "🔎 Web Search: for \"tea\"");
    assert_eq!(ann.hear().await, "📖 Read: from a.txt");
    assert_eq!(ann.hear().await, "You said: hello");
    scene.finish().await;
}

#[tokio::test]
async fn rsn_10_words_before_a_call_stay_and_are_not_said_again() {
    let (scene, mut ann) = verbose("on", &tools()).await;
    scene.model.play(Script::new().text("Let me *look*.").tool_call("read", &json!({ "path": "a.txt" })));
    scene.model.play(Script::new());
    ann.say("hello");
    assert_eq!(ann.hear().await, "Let me look.");
    assert_eq!(ann.hear().await, "📖 Read: from a.txt");
    assert_eq!(ann.hear().await, "⚙️ The model used read and added no words.");
    scene.finish().await;
}

#[tokio::test]
async fn full_shows_what_came_of_each_call() {
    let (scene, mut ann) = verbose("full", &tools()).await;
    scene.model.play(reads("a.txt").tool_call("web_search", &json!({ "query": "tea" })));
    ann.say("hello");
    assert_eq!(ann.hear().await, "📖 Read: from a.txt");
    assert_eq!(ann.hear().await, "🔎 Web Search: for \"tea\"");
    let output = ann.hear().await;
    assert!(output.starts_with("📖 Read: from a.txt") && output.contains("one\ntwo"), "{output}");
    assert_eq!(ann.hear().await, "🔎 Web Search: for \"tea\"\n(no output)");
    assert_eq!(ann.hear().await, "You said: hello");
    scene.finish().await;
}

#[tokio::test]
async fn tool_03_the_level_is_read_again_for_each_bubble() {
    let (scene, mut ann) = verbose("off", &tools()).await;
    let gates = [Gate::new(), Gate::new()];
    scene.model.play(reads("1").wait(&gates[0]));
    scene.model.play(reads("2").wait(&gates[1]));
    scene.model.play(reads("3"));
    ann.say("hello");
    gates[0].reached(1).await;
    assert_eq!(ann.ask("/verbose on").await, ON);
    gates[0].open();
    assert_eq!(ann.hear().await, "📖 Read: from 1");
    gates[1].reached(1).await;
    assert_eq!(ann.ask("/verbose off").await, "⚙️ Verbose logging disabled.");
    gates[1].open();
    assert_eq!(ann.hear().await, "You said: hello");
    scene.finish().await;
}

#[tokio::test]
async fn tool_05_a_group_shows_bubbles_only_where_somebody_asked_for_them_there() {
    let scene = Scene::with_tools(&tools(), |config| {
        config["agents"]["defaults"]["verboseDefault"] = json!("on");
        config["channels"]["telegram"]["groupPolicy"] = json!("open");
    })
    .await;
    let person = scene.telegram.user("Ann");
    let mut alone = Talk::with(&scene, &person);
    scene.model.play(reads("1"));
    assert_eq!(alone.ask("hello").await, "📖 Read: from 1");
    assert_eq!(alone.hear().await, "You said: hello");
    let room = scene.telegram.supergroup("Kitchen", &[&person]);
    let mut ann = Talk::with(&scene, &person.at(&room));
    let bot = scene.telegram.bot().username();
    scene.model.play(reads("2"));
    assert!(ann.ask(&format!("@{bot} hello")).await.contains("You said"), "no bubble");
    assert_eq!(ann.ask(&format!("/verbose@{bot} on")).await, ON);
    scene.model.play(reads("3"));
    assert_eq!(ann.ask(&format!("@{bot} hello")).await, "📖 Read: from 3");
    assert!(ann.hear().await.contains("You said"));
    scene.finish().await;
}

#[tokio::test]
async fn rsn_11_thoughts_come_before_the_bubble_that_they_led_to_and_before_the_answer() {
    let (scene, mut ann) = verbose("on", &tools()).await;
    assert_eq!(ann.ask("/reasoning on").await, "⚙️ Reasoning visibility enabled.");
    scene.model.play(Script::new().reasoning("I need a.txt.").tool_call("read", &json!({ "path": "a.txt" })));
    scene.model.play(Script::new().reasoning("Now I know.").text("So."));
    ann.say("hello");
    assert_eq!(ann.hear().await, "Thinking\nI need a.txt.");
    assert_eq!(ann.hear().await, "📖 Read: from a.txt");
    assert_eq!(ann.hear().await, "Thinking\nNow I know.");
    assert_eq!(ann.hear().await, "So.");
    scene.finish().await;
}

#[tokio::test]
async fn tool_07_a_secret_in_a_bubble_is_masked() {
    let tools = ToolsFake::new().tool("read", |_| async { Ok(format!("key={MODEL_KEY}")) });
    let (scene, mut ann) = verbose("full", &tools).await;
    scene.model.play(reads(MODEL_KEY));
    ann.say("hello");
    assert_eq!(ann.hear().await, "📖 Read: from •••");
    assert!(ann.hear().await.contains("key=•••"));
    assert_eq!(ann.hear().await, "You said: hello");
    scene.finish().await;
}
