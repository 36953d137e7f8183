//! Tools that hang, flood, break or are stopped: each is told to the model, the run ends well, the daemon goes on.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::{MODEL_KEY, Scene};
use pensive_tests::talk::Talk;
use pensive_tests::tools::{ToolsFake, fault};
use serde_json::json;

fn calls(names: &[&str]) -> Script {
    names.iter().fold(Script::new(), |script, name| script.tool_call(name, &json!({})))
}

fn results(scene: &Scene) -> Vec<String> {
    let request = scene.model.requests().pop().unwrap();
    request.tool_results().into_iter().map(|(_, text)| text).collect()
}

#[tokio::test]
async fn parallel_calls_are_worked_at_the_same_time_and_answered_in_order() {
    let (first, second) = (Gate::new(), Gate::new());
    let waits = |gate: &Gate, word: &'static str| {
        let gate = gate.clone();
        move |_| {
            let gate = gate.clone();
            async move {
                gate.pass().await;
                Ok(word.to_owned())
            }
        }
    };
    let tools = ToolsFake::new().tool("slow", waits(&first, "one")).tool("quick", waits(&second, "two"));
    let scene = Scene::with_tools(&tools, |_| {}).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(calls(&["slow", "quick"]));
    ann.say("hello");
    first.reached(1).await;
    second.reached(1).await;
    second.open();
    first.open();
    assert_eq!(ann.hear().await, "You said: hello");
    assert_eq!(results(&scene), ["one", "two"]);
    assert_eq!(tools.cut_off(), 0);
    scene.finish().await;
}

#[tokio::test]
async fn a_tool_that_hangs_is_ended_in_time() {
    let begun = Gate::new();
    let gate = begun.clone();
    let tools = ToolsFake::new().tool("hangs", move |_| {
        let gate = gate.clone();
        async move {
            gate.pass().await;
            Ok(String::new())
        }
    });
    let scene = Scene::with_tools(&tools, |_| {}).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(calls(&["hangs"]));
    ann.say("hello");
    begun.reached(1).await;
    scene.advance(Duration::from_secs(60));
    assert_eq!(ann.hear().await, "You said: hello");
    assert_eq!(results(&scene), ["hangs was ended: it had not come to an end after 60 s."]);
    assert_eq!(tools.cut_off(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn a_flood_is_cut_and_a_secret_in_it_goes_nowhere() {
    let flood = || async {
        let line = format!("row {MODEL_KEY} end\n");
        Ok(format!("first\n{}last", line.repeat(100_000)))
    };
    let tools = ToolsFake::new().tool("floods", move |_| flood());
    let scene = Scene::with_tools(&tools, |_| {}).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(calls(&["floods"]));
    assert_eq!(ann.ask("hello").await, "You said: hello");
    let result = results(&scene).pop().unwrap();
    assert!(result.len() < 66_000, "{}", result.len());
    assert!(result.starts_with("first\nrow ••• end\n") && result.ends_with("row ••• end\nlast"), "{result}");
    assert!(result.contains(" bytes are left out here …]") && !result.contains("model-key"));
    scene.finish().await;
}

#[tokio::test]
async fn a_tool_that_breaks_breaks_nothing_else() {
    let tools = ToolsFake::new()
        .tool("breaks", |_| async { panic!("a bug of a tool") })
        .tool("fails", |_| async { fault("The page is gone.") })
        .tool("works", |_| async { Ok("fine".to_owned()) });
    let scene = Scene::with_tools(&tools, |_| {}).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(calls(&["breaks", "fails", "works"]));
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(
        results(&scene),
        ["breaks broke over this call. Do something else.", "The page is gone.", "fine"]
    );
    scene.finish().await;
}

#[tokio::test]
async fn a_stop_ends_what_tools_do_and_the_next_message_runs() {
    let begun = Gate::new();
    let gate = begun.clone();
    let tools = ToolsFake::new().tool("hangs", move |_| {
        let gate = gate.clone();
        async move {
            gate.pass().await;
            Ok(String::new())
        }
    });
    let scene = Scene::with_tools(&tools, |_| {}).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(calls(&["hangs", "hangs"]));
    ann.say("hello");
    begun.reached(2).await;
    assert_eq!(ann.ask("/stop").await, "⚙️ Stopped.");
    assert_eq!(tools.cut_off(), 2);
    assert_eq!(ann.ask("and now?").await, "You said: and now?");
    scene.finish().await;
}
