//! Which value holds: layers and their words, what a model makes of it, and what reaches the wire.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::gate::Gate;
use pensive_tests::model::{Request, Script};
use pensive_tests::scene::Scene;
use pensive_tests::talk::Talk;
use serde_json::json;

/// Writes, waits for the echo, and gives what the model was asked.
async fn run(scene: &Scene, talk: &mut Talk, text: &str) -> Request {
    assert_eq!(talk.ask(text).await, format!("You said: {text}"));
    scene.model.requests().pop().unwrap()
}

#[tokio::test]
async fn dir_06_off_is_a_value_dir_07_every_notice_tells_the_same_ses_01_also_later() {
    let scene = Scene::with(|config| config["agents"]["defaults"]["thinkingDefault"] = json!("high")).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    assert!(ann.ask("/think").await.starts_with("Current thinking level: high (from global default)."));
    assert!(
        ann.ask("/status").await.contains("Thinking: high → reasoning.effort=high (from global default)")
    );
    assert_eq!(ann.ask("/think off").await, "Thinking disabled.");
    assert!(ann.ask("/think").await.starts_with("Current thinking level: off (from session)."));
    assert!(ann.ask("/status").await.contains("Thinking: off → reasoning.effort=none (from session)"));
    for _ in 0..2 {
        assert_eq!(run(&scene, &mut ann, "hello").await.effort(), Some("none"), "ses_01");
    }
    assert_eq!(ann.ask("/think default").await, "Thinking level reset to default (high).");
    assert_eq!(run(&scene, &mut ann, "hello").await.effort(), Some("high"));
    scene.finish().await;
}

#[tokio::test]
async fn a_message_runs_with_what_held_when_it_was_accepted() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).text("One."));
    assert_eq!(ann.ask("/think low").await, "Thinking level set to low.");
    ann.say("first");
    scene.model.wait_for_running(1).await;
    ann.say("second");
    assert_eq!(ann.ask("/think high").await, "Thinking level set to high.");
    gate.open();
    assert_eq!(ann.hear().await, "One.");
    assert_eq!(ann.hear().await, "You said: second");
    assert_eq!(ann.ask("third").await, "You said: third");
    let efforts: Vec<String> =
        scene.model.requests().iter().map(|request| request.effort().unwrap().to_owned()).collect();
    assert_eq!(efforts, ["low", "low", "high"]);
    scene.finish().await;
}

/// On a provider that has a fast lane; its rows and defaults are in the catalogue.
#[tokio::test]
async fn fast_mode_and_the_providers_own_default_reach_the_wire() {
    let scene = Scene::with(|config| {
        let mut provider = config["models"]["providers"]["fake"].clone();
        provider["models"] = json!([]);
        config["models"]["providers"]["openai"] = provider;
        config["agents"]["defaults"]["model"]["primary"] = json!("openai/gpt-5.6-sol");
    })
    .await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let tier = |request: &Request| request.body.get("service_tier").cloned();
    assert!(ann.ask("/think").await.starts_with("Current thinking level: medium (from provider default)."));
    assert_eq!(tier(&run(&scene, &mut ann, "slowly").await), None);
    assert_eq!(ann.ask("/fast on now").await, "⚙️ Fast mode enabled.");
    assert_eq!(ann.hear().await, "You said: now");
    assert_eq!(tier(&scene.model.requests().pop().unwrap()), Some(json!("priority")));
    assert_eq!(tier(&run(&scene, &mut ann, "slowly").await), None);
    assert_eq!(ann.ask("/fast auto").await, "⚙️ Fast mode set to auto.");
    assert_eq!(tier(&run(&scene, &mut ann, "quickly").await), Some(json!("priority")));
    assert!(
        ann.ask("/status")
            .await
            .contains("→ reasoning.effort=medium, service_tier=priority (from provider default)")
    );
    scene.finish().await;
}

#[tokio::test]
async fn a_level_that_the_picked_model_lacks_moves_and_the_stored_one_stays() {
    let scene = Scene::with(|config| {
        let models = config["models"]["providers"]["fake"]["models"].as_array_mut().unwrap();
        models.push(json!({ "id": "five", "reasoning": true, "compat": { "supportedReasoningEfforts": ["low", "medium", "high"] } }));
    })
    .await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    ann.check(&[
        ("/think xhigh", "Thinking level set to xhigh."),
        ("/model fake/five", "Thinking level set to high (xhigh not supported for fake/five).\nModel set to fake/five for this session."),
        ("/think", "Current thinking level: high (from session).\nOptions: default, off, minimal, low, medium, high."),
    ])
    .await;
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(scene.model.requests().pop().unwrap().effort(), Some("high"));
    let status = ann.ask("/status").await;
    assert!(
        status.contains("Thinking: high → reasoning.effort=high (from session) · xhigh not supported here"),
        "{status}"
    );
    ann.check(&[
        ("/model fake/gpt-4.1", "Thinking level set to off (xhigh not supported for fake/gpt-4.1).\nModel set to fake/gpt-4.1 for this session."),
        ("/think high", "Thinking level \"high\" is not supported for fake/gpt-4.1. Use one of: off."),
        ("/model default", "Thinking level set to xhigh.\nModel reset to default (fake/gpt-5.2)."),
        ("/think", "Current thinking level: xhigh (from session).\nOptions: default, off, minimal, low, medium, high, xhigh."),
    ])
    .await;
    scene.finish().await;
}

/// What the notice offers is what is taken, and what is taken is what is sent.
#[tokio::test]
async fn dir_09_every_offered_level_is_taken_and_sent() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let notice = ann.ask("/think").await;
    let options = notice.split("Options: ").nth(1).unwrap().trim_end_matches('.');
    let levels: Vec<&str> = options.split(", ").collect();
    assert_eq!(levels, ["default", "off", "minimal", "low", "medium", "high", "xhigh"]);
    let mut sent = Vec::new();
    for level in levels {
        ann.ask(&format!("/think {level}")).await;
        let status = ann.ask("/status").await;
        ann.ask("hello").await;
        let effort = scene.model.requests().pop().unwrap().effort().unwrap().to_owned();
        assert!(status.contains(&format!("reasoning.effort={effort} ")), "{level}: {status}");
        sent.push(effort);
    }
    assert_eq!(sent, ["medium", "none", "low", "low", "medium", "high", "xhigh"]);
    scene.finish().await;
}

#[tokio::test]
async fn every_value_tells_which_layer_it_came_from() {
    let scene = Scene::with(|config| {
        config["agents"]["defaults"]["fastModeDefault"] = json!("auto");
        config["agents"]["defaults"]["models"] =
            json!({ "fake/gpt-5.2": { "params": { "thinking": "low", "fastAutoOnSeconds": 30 } } });
        config["agents"]["entries"] = json!({
            "main": { "default": true },
            "ops": { "thinkingDefault": "high", "model": "fake/gpt-4.1" },
        });
        config["bindings"] = json!([
            { "agent": "ops", "match": { "channel": "telegram", "peer": { "kind": "direct", "id": "2" } } },
        ]);
    })
    .await;
    let mut ann = Talk::with(&scene, &scene.telegram.user_with_id(1, "Ann"));
    let mut bob = Talk::with(&scene, &scene.telegram.user_with_id(2, "Bob"));
    let first = |text: String| text.lines().next().unwrap().to_owned();
    assert_eq!(first(ann.ask("/think").await), "Current thinking level: low (from model default).");
    assert_eq!(first(ann.ask("/fast").await), "Current fast mode: auto (30 sec) (from global default).");
    assert_eq!(first(ann.ask("/model").await), "Current model: fake/gpt-5.2 (from global default).");
    assert_eq!(first(bob.ask("/model").await), "Current model: fake/gpt-4.1 (from agent default).");
    assert_eq!(first(bob.ask("/think").await), "Current thinking level: off (from agent default).");
    assert_eq!(first(bob.ask("/model fake/gpt-5.2").await), "Model set to fake/gpt-5.2 for this session.");
    assert_eq!(first(bob.ask("/think").await), "Current thinking level: high (from agent default).");
    assert!(bob.ask("/status").await.contains("Model: fake/gpt-5.2 (from session)"));
    assert_eq!(ann.ask("/think high /status").await, "Thinking level set to high.");
    assert!(ann.hear().await.contains("Thinking: high → reasoning.effort=high (from session)"));
    assert_eq!(ann.ask("/think low /status then").await, "Thinking level set to low.");
    assert!(ann.hear().await.contains("Thinking: low → reasoning.effort=low (from this message)"));
    assert_eq!(ann.hear().await, "You said: then");
    scene.finish().await;
}

/// What an owner sets for the whole chat stands below what a person has set for themselves.
#[tokio::test]
async fn an_owner_may_set_for_the_whole_chat() {
    let scene = Scene::with(|config| {
        config["commands"] = json!({ "ownerAllowFrom": ["telegram:1"] });
        config["channels"]["telegram"]["groups"] = json!({ "*": {} });
        config["channels"]["telegram"]["groupAllowFrom"] = json!(["*"]);
    })
    .await;
    let (ann, bob) = (scene.telegram.user_with_id(1, "Ann"), scene.telegram.user_with_id(2, "Bob"));
    let room = scene.telegram.supergroup("Team", &[&ann, &bob]);
    let mut ann = Talk::with(&scene, &ann.at(&room));
    assert_eq!(ann.ask("/think high --chat").await, "Thinking level set to high.");
    let mut bob = Talk::with(&scene, &bob.at(&room));
    assert_eq!(bob.ask("/think off --chat").await, "❌ --chat is restricted to owners.");
    assert!(bob.ask("/think").await.starts_with("Current thinking level: high (from session)."));
    assert_eq!(bob.ask("/think low").await, "Thinking level set to low.");
    assert!(bob.ask("/think").await.starts_with("Current thinking level: low (from session)."));
    assert_eq!(bob.ask("/think default").await, "Thinking level reset to default (high).");
    scene.finish().await;
}

/// Limits go with provider and model, not with the model's bare name.
#[tokio::test]
async fn ses_15_two_providers_of_one_model_have_their_own_limits() {
    let scene = Scene::with(|config| {
        let mut second = config["models"]["providers"]["fake"].clone();
        second["models"] = json!([{ "id": "gpt-5.2", "reasoning": false, "contextWindow": 1_000 }]);
        config["models"]["providers"]["other"] = second;
    })
    .await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    assert!(ann.ask("/status").await.contains("context 0 of 128000"));
    assert_eq!(ann.ask("/model other/gpt-5.2").await, "Model set to other/gpt-5.2 for this session.");
    let status = ann.ask("/status").await;
    assert!(status.contains("context 0 of 1000") && status.contains("Thinking: off"), "{status}");
    scene.finish().await;
}
