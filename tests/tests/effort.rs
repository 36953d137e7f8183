//! One knob for every model: who may turn it, what it outlives, where it stands among the layers, and what is told where a
//! model lacks the tier.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::model::Request;
use pensive_tests::scene::Scene;
use pensive_tests::talk::Talk;
use serde_json::{Value, json};

const SHOWN: &str = "Options: default, low, medium, high, xhigh, max → xhigh on this model (current).";
const CLAMPED: &str = "Thinking level set to xhigh (effort max not supported for fake/gpt-5.2).";

/// A scene that Ann owns and where Bob is a guest.
async fn scene(change: impl FnOnce(&mut Value)) -> (Scene, Talk, Talk) {
    let scene = Scene::with(|config| {
        config["commands"] = json!({ "ownerAllowFrom": ["telegram:1"] });
        change(config);
    })
    .await;
    let ann = Talk::with(&scene, &scene.telegram.user_with_id(1, "Ann"));
    let bob = Talk::with(&scene, &scene.telegram.user_with_id(2, "Bob"));
    (scene, ann, bob)
}

/// Writes, waits for the echo, and gives what the model was asked.
async fn run(scene: &Scene, talk: &mut Talk, text: &str) -> Request {
    assert_eq!(talk.ask(text).await, format!("You said: {text}"));
    scene.model.requests().pop().unwrap()
}

async fn effort(scene: &Scene, talk: &mut Talk, text: &str) -> Option<String> {
    run(scene, talk, text).await.effort().map(str::to_owned)
}

#[tokio::test]
async fn an_owner_sets_it_for_everybody_and_takes_it_back() {
    let (scene, mut ann, mut bob) = scene(|_| {}).await;
    ann.check(&[
        (
            "/effort",
            "Current effort: default (none is set).\nThinking level here: medium (from built-in).\n\
             Options: default (current), low, medium, high, xhigh, max → xhigh on this model.",
        ),
        ("/effort high", "⚙️ Effort set to high."),
        (
            "/think",
            "Current thinking level: high (from effort).\n\
             Options: default, off, minimal, low, medium, high, xhigh.",
        ),
    ])
    .await;
    for talk in [&mut ann, &mut bob] {
        assert_eq!(effort(&scene, talk, "hello").await.as_deref(), Some("high"));
        let status = talk.ask("/status").await;
        let line = "Thinking: high → reasoning.effort=high (from effort) · effort high";
        assert!(status.contains(line), "{status}");
    }
    assert_eq!(ann.ask("/effort default").await, "⚙️ Effort reset to default (thinking level medium).");
    assert_eq!(effort(&scene, &mut bob, "hello").await.as_deref(), Some("medium"));
    assert!(!bob.ask("/status").await.contains("effort medium ·"), "no tier is set");
    scene.finish().await;
}

#[tokio::test]
async fn who_is_no_owner_has_it_for_a_message() {
    let (scene, mut ann, mut bob) = scene(|_| {}).await;
    let refused = "❌ /effort is restricted to owners.";
    assert_eq!(ann.ask("/effort low").await, "⚙️ Effort set to low.");
    bob.check(&[
        ("/effort high", refused),
        ("/effort default", refused),
        ("/effort high /think minimal", &format!("Thinking level set to minimal.\n{refused}")),
        ("/think default", "Thinking level reset to default (low)."),
    ])
    .await;
    assert_eq!(scene.model.count(), 0);
    for (text, ack, prompt, expected) in [
        ("/effort high why?", "⚙️ Effort set to high.", "why?", "high"),
        ("how /effort:extra high then", "⚙️ Effort set to xhigh.", "how then", "xhigh"),
        ("/effort default why?", "⚙️ Effort reset to default (thinking level medium).", "why?", "medium"),
        (
            "/effort high /t low why?",
            "Thinking level set to low.\n⚙️ Effort set to high. Thinking level stays low (from this message).",
            "why?",
            "low",
        ),
    ] {
        assert_eq!(bob.ask(text).await, ack, "{text}");
        assert_eq!(bob.hear().await, format!("You said: {prompt}"));
        assert_eq!(scene.model.requests().pop().unwrap().effort(), Some(expected), "{text}");
    }
    assert_eq!(effort(&scene, &mut bob, "and now?").await.as_deref(), Some("low"), "the kept tier is back");
    assert!(bob.ask("/effort").await.starts_with("Current effort: low (set for every chat)."));
    scene.finish().await;
}

#[tokio::test]
async fn a_tier_that_the_model_lacks_is_clamped_and_told_once_in_each_chat() {
    let (scene, mut ann, mut bob) = scene(|_| {}).await;
    assert_eq!(ann.ask("/effort max").await, format!("⚙️ Effort set to max.\n{CLAMPED}"));
    for _ in 0..2 {
        assert_eq!(effort(&scene, &mut ann, "hello").await.as_deref(), Some("xhigh"), "told already");
    }
    let shown = format!(
        "Current effort: max (set for every chat).\nThinking level here: xhigh (from effort).\n{SHOWN}"
    );
    assert_eq!(ann.ask("/effort").await, shown);
    assert_eq!(ann.ask("/effort max").await, "⚙️ Effort set to max.");
    assert_eq!(bob.ask("/think").await.lines().next(), Some("Current thinking level: xhigh (from effort)."));
    assert_eq!(bob.ask("hello").await, CLAMPED, "before his first run");
    assert_eq!(bob.hear().await, "You said: hello");
    assert_eq!(effort(&scene, &mut bob, "again").await.as_deref(), Some("xhigh"));
    let status = bob.ask("/status").await;
    let line = "Thinking: xhigh → reasoning.effort=xhigh (from effort) · max not supported here · effort max";
    assert!(status.contains(line), "{status}");
    scene.finish().await;
}

#[tokio::test]
async fn it_outlives_a_restart_and_a_change_of_the_model() {
    let (mut scene, mut ann, mut bob) = scene(|_| {}).await;
    assert_eq!(ann.ask("/effort high").await, "⚙️ Effort set to high.");
    scene.restart().await;
    assert!(ann.ask("/effort").await.starts_with("Current effort: high (set for every chat)."));
    assert_eq!(effort(&scene, &mut bob, "hello").await.as_deref(), Some("high"));
    let off = "Thinking level set to off (effort high not supported for fake/gpt-4.1).";
    assert_eq!(
        bob.ask("/model fake/gpt-4.1").await,
        format!("Model set to fake/gpt-4.1 for this session.\n{off}")
    );
    assert_eq!(effort(&scene, &mut bob, "hello").await, None, "and is not told again");
    assert!(bob.ask("/think").await.starts_with("Current thinking level: off (from effort)."));
    assert_eq!(bob.ask("/model default").await, "Model reset to default (fake/gpt-5.2).");
    assert_eq!(effort(&scene, &mut bob, "hello").await.as_deref(), Some("high"));
    assert!(ann.ask("/new").await.starts_with("⚙️ New session started."));
    assert_eq!(effort(&scene, &mut ann, "hello").await.as_deref(), Some("high"), "no session owns it");
    assert_eq!(ann.ask("/effort clear").await, "⚙️ Effort reset to default (thinking level medium).");
    scene.restart().await;
    assert!(ann.ask("/effort").await.starts_with("Current effort: default (none is set)."));
    scene.finish().await;
}

#[tokio::test]
async fn killed_right_after_the_acknowledgement_the_tier_holds() {
    let scene =
        Scene::prepared(|config| config["commands"] = json!({ "ownerAllowFrom": ["telegram:1"] })).await;
    let ann = scene.telegram.user_with_id(1, "Ann");
    for (word, acknowledged, kept) in [
        ("high", "⚙️ Effort set to high.", "high (set for every chat)"),
        ("low", "⚙️ Effort set to low.", "low (set for every chat)"),
        ("default", "⚙️ Effort reset to default (thinking level medium).", "default (none is set)"),
    ] {
        let daemon = scene.daemon().await;
        ann.say(&format!("/effort {word}"));
        scene.telegram.wait_for_text(ann.chat(), acknowledged).await;
        daemon.kill().await.unwrap();
        let daemon = scene.daemon().await;
        ann.say("/effort");
        scene.telegram.wait_for_text(ann.chat(), &format!("Current effort: {kept}.")).await;
        daemon.kill().await.unwrap();
    }
    scene.finish().await;
}

#[tokio::test]
async fn it_stands_below_all_that_is_configured_or_stored() {
    let (mut scene, mut ann, mut bob) =
        scene(|config| config["agents"]["defaults"]["thinkingDefault"] = json!("low")).await;
    let stays = "⚙️ Effort set to high. Thinking level stays low (from global default).";
    assert_eq!(ann.ask("/effort high").await, stays);
    assert_eq!(effort(&scene, &mut bob, "hello").await.as_deref(), Some("low"));
    let status = bob.ask("/status").await;
    assert!(
        status.contains("Thinking: low → reasoning.effort=low (from global default) · effort high"),
        "{status}"
    );
    assert_eq!(bob.ask("/effort xhigh why?").await, "⚙️ Effort set to xhigh.");
    assert_eq!(bob.hear().await, "You said: why?");
    assert_eq!(scene.model.requests().pop().unwrap().effort(), Some("xhigh"), "typed for the message");
    scene.leave().await;
    scene.reconfigure(|config| {
        config["agents"]["defaults"].as_object_mut().unwrap().remove("thinkingDefault");
    });
    scene.enter().await;
    assert_eq!(effort(&scene, &mut bob, "hello").await.as_deref(), Some("high"));
    assert_eq!(bob.ask("/think off").await, "Thinking disabled.");
    assert_eq!(effort(&scene, &mut bob, "hello").await.as_deref(), Some("none"), "dir_06");
    scene.finish().await;
}

#[tokio::test]
async fn a_word_that_is_no_tier_changes_nothing() {
    let (scene, mut ann, _) = scene(|_| {}).await;
    let valid = "Valid tiers: default, low, medium, high, xhigh, max.";
    ann.check(&[
        ("/effort big", &format!("Unrecognized effort \"big\". {valid} Did you mean \"high\"?")),
        ("/effort zebra", &format!("Unrecognized effort \"zebra\". {valid}")),
        (
            "/effort off",
            &format!("Unrecognized effort \"off\". {valid} To turn thinking off, use /think off."),
        ),
    ])
    .await;
    let shown = ann.ask("/effort hgih and go").await;
    assert!(shown.starts_with("Current effort: default (none is set)."), "{shown}");
    assert!(shown.ends_with("Did you mean \"high\"?"), "{shown}");
    assert_eq!(ann.hear().await, "You said: hgih and go");
    scene.finish().await;
}

/// The setting of one chat is never the state of another, and what is told is what is sent.
#[tokio::test]
async fn dir_05_dir_06_dir_07_what_is_told_is_what_is_sent() {
    let (scene, mut ann, mut bob) =
        scene(|config| config["agents"]["defaults"]["thinkingDefault"] = json!("medium")).await;
    assert_eq!(
        ann.ask("/effort high").await,
        "⚙️ Effort set to high. Thinking level stays medium (from global default)."
    );
    for (text, told, sent) in [
        (None, "medium (from global default)", "medium"),
        (Some("/t off"), "off (from session)", "none"),
        (Some("/t low"), "low (from session)", "low"),
        (Some("/t default"), "medium (from global default)", "medium"),
    ] {
        if let Some(text) = text {
            bob.ask(text).await;
        }
        let (level, from) = told.split_once(' ').unwrap();
        assert!(bob.ask("/think").await.starts_with(&format!("Current thinking level: {told}.")));
        assert!(bob.ask("/effort").await.contains(&format!("Thinking level here: {told}.")));
        let status = bob.ask("/status").await;
        assert!(status.contains(&format!("Thinking: {level} → reasoning.effort={sent} {from}")), "{status}");
        assert_eq!(effort(&scene, &mut bob, "hello").await.as_deref(), Some(sent), "{told}");
        assert_eq!(effort(&scene, &mut ann, "hello").await.as_deref(), Some("medium"), "ann said nothing");
    }
    scene.finish().await;
}

/// Off is refused where it cannot be sent, and where it was stored before, its stand-in is told, shown and sent.
#[tokio::test]
async fn dir_10_off_is_never_shown_where_the_model_thinks_all_the_same() {
    let (scene, mut ann, _) = scene(|config| {
        let models = config["models"]["providers"]["fake"]["models"].as_array_mut().unwrap();
        models.push(json!({ "id": "always", "reasoning": true, "thinkingLevelMap": { "off": null, "minimal": null } }));
    })
    .await;
    ann.check(&[
        ("/think off", "Thinking disabled."),
        ("/model fake/always", "Thinking level set to low (off not supported for fake/always).\nModel set to fake/always for this session."),
        ("/think", "Current thinking level: low (from session).\nOptions: default, low, medium, high."),
        ("/think off", "Thinking level \"off\" is not supported for fake/always. Use one of: low, medium, high."),
    ])
    .await;
    let status = ann.ask("/status").await;
    assert!(
        status.contains("Thinking: low → reasoning.effort=low (from session) · off not supported here"),
        "{status}"
    );
    assert_eq!(effort(&scene, &mut ann, "hello").await.as_deref(), Some("low"));
    assert_eq!(ann.ask("/model default").await, "Thinking disabled.\nModel reset to default (fake/gpt-5.2).");
    assert_eq!(effort(&scene, &mut ann, "hello").await.as_deref(), Some("none"));
    scene.finish().await;
}
