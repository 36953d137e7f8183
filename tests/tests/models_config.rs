//! Models and providers that nothing but the configuration knows, and a conversation that wanders over every shape.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::model::{Script, Shape};
use pensive_tests::scene::Scene;
use pensive_tests::talk::Talk;
use serde_json::{Value, json};

/// Puts a provider of this name before the fake.
fn provider(config: &mut Value, name: &str, api: &str, more: &Value) {
    let base = config["models"]["providers"]["fake"]["baseUrl"].clone();
    let mut entry = json!({ "api": api, "baseUrl": base, "apiKey": "k-0123456789" });
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    config["models"]["providers"][name] = entry;
}

#[tokio::test]
async fn a_model_is_one_row_and_a_provider_one_block_of_the_configuration() {
    let scene = Scene::with(|config| {
        let row = json!({
            "id": "brain", "reasoning": true, "contextWindow": 50_000,
            "compat": { "supportedReasoningEfforts": ["none", "low", "xhigh"] },
        });
        provider(config, "homelab", "openai-completions", &json!({ "models": [row] }));
        let switch = json!({ "id": "switch", "reasoning": true, "compat": { "thinkingFormat": "qwen" } });
        let words = json!({
            "id": "gpt-5.2", "thinkingLevelMap": { "xhigh": null, "max": "utmost" },
        });
        provider(config, "another", "openai-completions", &json!({ "models": [switch, words] }));
    })
    .await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    ann.check(&[
        ("/model homelab/brain", "Model set to homelab/brain for this session."),
        (
            "/think",
            "Current thinking level: low (from built-in).\nOptions: default, off, minimal, low, xhigh.",
        ),
        ("/think xhigh", "Thinking level set to xhigh."),
        ("hello", "You said: hello"),
    ])
    .await;
    let request = scene.model.requests().pop().unwrap();
    assert_eq!((request.shape, request.effort()), (Shape::Chat, Some("xhigh")));
    assert!(ann.ask("/status").await.contains("of 50000"));
    ann.check(&[
        ("/think default", "Thinking level reset to default (low)."),
        ("/model another/switch", "Model set to another/switch for this session."),
        ("/think on", "Thinking level set to on."),
        ("hello", "You said: hello"),
    ])
    .await;
    assert_eq!(scene.model.requests().pop().unwrap().at_path("/enable_thinking"), &json!(true));
    assert_eq!(ann.ask("/think off hello").await, "Thinking disabled.");
    assert_eq!(ann.hear().await, "You said: hello");
    assert_eq!(scene.model.requests().pop().unwrap().at_path("/enable_thinking"), &json!(false));
    assert_eq!(ann.ask("/think default").await, "Thinking level reset to default (on).");
    ann.ask("/model another/gpt-5.2").await;
    let options = ann.ask("/think").await;
    assert!(options.contains("max") && !options.contains("xhigh"), "{options}");
    ann.ask("/think max hello").await;
    assert_eq!(ann.hear().await, "You said: hello");
    assert_eq!(scene.model.requests().pop().unwrap().effort(), Some("utmost"));
    scene.finish().await;
}

const SHAPES: [(&str, &str, &str); 5] = [
    ("openai", "openai-responses", "gpt-5.2"),
    ("anthropic", "anthropic-messages", "claude-opus-4-8"),
    ("deepseek", "openai-completions", "deepseek-v4-pro"),
    ("google", "google-generative-ai", "gemini-3-pro-preview"),
    ("ollama", "ollama", "gpt-oss:20b"),
];

/// The fake is as strict as the vendors, so each of these requests was one that they would have taken.
#[tokio::test]
async fn a_conversation_with_thoughts_and_calls_wanders_over_every_shape_and_back() {
    let scene = Scene::with(|config| {
        for (name, api, id) in SHAPES {
            provider(config, name, api, &json!({}));
            config["agents"]["defaults"]["models"][format!("{name}/{id}")] = json!({});
        }
        config["agents"]["defaults"]["tools"] = json!({ "allow": ["session_status"] });
    })
    .await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let mut calls = 0;
    for round in 0..2 {
        for (name, _, id) in SHAPES {
            let model = format!("{name}/{id}");
            assert_eq!(
                ann.ask(&format!("/model {model}")).await,
                format!("Model set to {model} for this session.")
            );
            let call = Script::new().reasoning("I look.").sealed().tool_call("session_status", &json!({}));
            scene.model.play(call);
            scene.model.play(Script::new().reasoning("I saw.").sealed().text(&format!("{name} saw it")));
            let question = format!("/think high question {round} for {name}");
            assert_eq!(ann.ask(&question).await, "Thinking level set to high.");
            assert_eq!(ann.hear().await, format!("{name} saw it"), "{:?}", scene.model.refusals());
            let last = scene.model.requests().pop().unwrap();
            calls += 1;
            assert_eq!(last.tool_results().len(), calls, "{model} is told of every call so far");
        }
    }
    assert_eq!(scene.model.refusals(), [""; 0], "no vendor would have refused any of it");
    scene.finish().await;
}
