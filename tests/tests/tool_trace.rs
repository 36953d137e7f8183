//! `/trace`: what a run tells of itself after its answer.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::model::{Failure, Script, Usage};
use pensive_tests::scene::{MODEL_KEY, Scene};
use pensive_tests::talk::Talk;
use pensive_tests::tools::ToolsFake;
use serde_json::json;

async fn traced(level: &str) -> (Scene, Talk) {
    let tools = ToolsFake::new().tool("read", |_| async { Ok("four".to_owned()) });
    let mut scene = Scene::prepared(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": ["*"] });
        config["agents"]["defaults"]["model"]["fallbacks"] = json!(["fake/gpt-4.1"]);
    })
    .await;
    let ann = scene.telegram.user("Ann");
    let owner = format!("telegram:{}", ann.id());
    scene.reconfigure(|config| config["commands"] = json!({ "ownerAllowFrom": [owner] }));
    scene.equip(&tools);
    scene.enter().await;
    let mut talk = Talk::with(&scene, &ann);
    talk.ask(&format!("/trace {level}")).await;
    (scene, talk)
}

fn usage() -> Usage {
    Usage { input: 1_000, cached: 250, output: 20, reasoning: 10 }
}

#[tokio::test]
async fn on_tells_in_lines_what_the_run_went_through() {
    let (scene, mut ann) = traced("on").await;
    scene.model.play(Script::new().tool_call("read", &json!({ "path": "a" })));
    scene.model.play(Script::fail(Failure::json(401)));
    scene.model.play(Script::new().text("So.").usage(usage()));
    assert_eq!(ann.ask("hello").await, "So.");
    let told = ann.hear().await;
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "🔎 Model: fake/gpt-4.1, calls: 2, failed: 1", "{told}");
    assert!(lines[1].starts_with("🔎 Failed: fake/gpt-5.2: "), "{told}");
    assert!(told.contains("\n🔎 Tools: 1 calls, 0 failed\n"), "{told}");
    assert!(told.contains("🔎 Context: ") && told.contains("🔎 Cache: "), "{told}");
    assert!(!told.contains(MODEL_KEY), "{told}");
    scene.finish().await;
}

#[tokio::test]
async fn raw_tells_all_of_it_in_blocks() {
    let (scene, mut ann) = traced("raw").await;
    scene.model.play(Script::new().tool_call("read", &json!({ "path": "a" })));
    scene.model.play(Script::new().text("So.").usage(usage()));
    assert_eq!(ann.ask("/think high hello").await, "Thinking level set to high.");
    assert_eq!(ann.hear().await, "So.");
    let told = ann.hear().await;
    for part in [
        "🔎 Execution Result:\n\n",
        "🔎 Fallback Chain:\n\nfake/gpt-5.2: answered\n",
        "🔎 Prompt Segments:\n\n",
        "🔎 Tool Summary:\n\nread: 4 bytes\n",
        "🔎 Token Usage:\n\n",
        "🔎 Request Parameters:\n\nreasoning.effort=high",
    ] {
        assert!(told.contains(part), "{part:?} is not in {told}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn off_tells_nothing() {
    let (scene, mut ann) = traced("off").await;
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(ann.ask("again").await, "You said: again");
    scene.finish().await;
}
