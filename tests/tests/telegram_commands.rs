//! The commands around the directives, as a person on Telegram meets them: status, help, sessions, models, the menu.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_directives::{Access, table};
use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::Scene;
use pensive_tests::talk::Talk;
use serde_json::{Value, json};

fn with_owner(config: &mut Value) {
    config["commands"] = json!({ "ownerAllowFrom": ["telegram:1"] });
}

#[tokio::test]
async fn dir_14_the_menu_is_the_table_and_every_entry_is_handled_here() {
    let scene = Scene::with(with_owner).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user_with_id(1, "Ann"));
    let sent = scene.telegram.wait_for_nth(2, |call| call.method == "setMyCommands" && call.ok()).await;
    let scopes: Vec<Value> = scene
        .telegram
        .calls("setMyCommands")
        .iter()
        .map(|call| call.params["scope"]["type"].clone())
        .collect();
    assert_eq!(scopes, ["default", "all_group_chats"]);
    let expected: Vec<Value> =
        table().iter().map(|spec| json!({"command": spec.word, "description": spec.summary})).collect();
    assert_eq!(sent.params["commands"], Value::from(expected));
    for spec in table() {
        let answer = ann.ask(&format!("/{}", spec.word)).await;
        assert!(!answer.is_empty(), "{}", spec.word);
        for choice in (spec.choices)() {
            let answer = ann.ask(&format!("/{} {choice}", spec.word)).await;
            assert!(!answer.contains("Unrecognized"), "/{} {choice}: {answer}", spec.word);
        }
    }
    assert_eq!(scene.model.count(), 0, "no advertised command reaches the model");
    scene.finish().await;
}

#[tokio::test]
async fn the_menu_is_sent_again_only_when_it_has_changed() {
    let mut scene = Scene::start().await;
    scene.telegram.wait_for_nth(2, |call| call.method == "setMyCommands" && call.ok()).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    ann.ask("/id").await;
    scene.restart().await;
    ann.ask("/id").await;
    scene.telegram.wait_for_nth(2, |call| call.method == "getMe" && call.ok()).await;
    assert_eq!(scene.telegram.calls("setMyCommands").len(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn dir_21_help_and_commands_are_written_from_the_table() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let (help, commands) = (ann.ask("/help").await, ann.ask("/commands").await);
    for spec in table() {
        assert!(commands.contains(spec.usage), "{}", spec.word);
        assert_eq!(help.contains(spec.usage), spec.access != Access::Owner, "{}", spec.word);
        for choice in (spec.choices)() {
            assert!(commands.contains(choice), "{choice}");
        }
    }
    assert_eq!(help, pensive_directives::help());
    assert_eq!(commands, pensive_directives::commands());
    scene.finish().await;
}

#[tokio::test]
async fn commands_inside_a_text_are_answered_at_once_and_the_rest_goes_on() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let status = ann.ask("tell me /status what is up").await;
    assert!(status.starts_with("Pensive "), "{status}");
    assert_eq!(ann.hear().await, "You said: tell me what is up");
    assert_eq!(scene.model.requests().pop().unwrap().prompt(), "tell me what is up");
    let who = ann.ask("/whoami and /think high who are you").await;
    assert_eq!(who, "Thinking level set to high.");
    let id = ann.person().id();
    assert_eq!(
        ann.hear().await,
        format!(
            "You are Ann (telegram:{id}).\nOwner: no.\nAgent: main.\nSession: agent:main:telegram:direct:{id}"
        )
    );
    assert_eq!(ann.hear().await, "You said: and who are you");
    scene.finish().await;
}

#[tokio::test]
async fn status_tells_all_that_holds() {
    let scene = Scene::with(|config| {
        with_owner(config);
        config["agents"]["defaults"]["model"]["fallbacks"] = json!(["fake/gpt-4.1"]);
    })
    .await;
    let mut ann = Talk::with(&scene, &scene.telegram.user_with_id(1, "Ann"));
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        ann.ask("/status").await,
        format!(
            "Pensive {version} · up 0 s\n\
             Model: fake/gpt-5.2 (from global default) · fallbacks: fake/gpt-4.1\n\
             Thinking: medium → reasoning.effort=medium (from built-in)\n\
             Tokens: 0 in, 0 out · context 0 of 128000 (0 %)\n\
             Session: agent:main:telegram:direct:1 · new\n\
             Queue: steer · idle"
        )
    );
    for text in ["/think high", "/fast auto", "/v on", "/reasoning on", "/trace on", "/queue followup"] {
        ann.ask(text).await;
    }
    scene.pass(Duration::from_secs(7_260)).await;
    let usage = pensive_tests::model::Usage { input: 1_280, cached: 0, output: 20, reasoning: 5 };
    scene.model.play(Script::new().text("Hello.").usage(usage));
    ann.say("hello");
    assert_eq!(ann.hear().await, "Hello.");
    assert!(ann.hear().await.starts_with("🔎 Model: fake/gpt-5.2, calls: 1\n"));
    scene.pass(Duration::from_secs(30)).await;
    assert_eq!(
        ann.ask("/status").await,
        format!(
            "Pensive {version} · up 2 h 1 min\n\
             Model: fake/gpt-5.2 (from global default) · fallbacks: fake/gpt-4.1\n\
             Thinking: high → reasoning.effort=high (from session) · Fast:auto (60 sec)\n\
             Verbose: on (from session) · Reasoning: on (from session) · Trace: on (from session)\n\
             Tokens: 1280 in, 20 out · context 1300 of 128000 (1 %)\n\
             Session: agent:main:telegram:direct:1 · 2 h 1 min old\n\
             Queue: followup · idle\n\
             Last run: answered (30 s ago)\n\
             🔎 Model: fake/gpt-5.2, calls: 1\n\
             🔎 Context: 1300 of 128000 (1 %)\n\
             🔎 Cache: 0 of 1280 (0 %)"
        )
    );
    scene.finish().await;
}

#[tokio::test]
async fn ses_04_a_new_session_starts_bare_and_says_what_is_gone() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    ann.check(&[
        ("/new", "⚙️ New session started."),
        ("/think off", "Thinking disabled."),
        ("/v full", "⚙️ Verbose logging set to full."),
        ("remember blue", "You said: remember blue"),
        ("/new", "⚙️ New session started. No longer set: thinking off, verbose full."),
    ])
    .await;
    assert!(ann.ask("/think").await.starts_with("Current thinking level: medium (from built-in)."));
    assert_eq!(ann.ask("what colour?").await, "You said: what colour?");
    let request = scene.model.requests().pop().unwrap();
    assert_eq!(request.texts("user"), ["what colour?"], "nothing of the old session reaches the model");
    assert_eq!(request.effort(), Some("medium"));
    ann.check(&[
        ("/new gpt-9", "Unrecognized model \"gpt-9\". See /model list."),
        ("/reset", "⚙️ New session started."),
        ("/new fake/gpt-4.1", "⚙️ New session started.\nModel set to fake/gpt-4.1 for this session."),
        ("/new 1", "⚙️ New session started. No longer set: model fake/gpt-4.1.\nModel set to fake/gpt-5.2 for this session."),
    ])
    .await;
    scene.finish().await;
}

#[tokio::test]
async fn what_stands_beside_new_holds_in_the_new_session() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    ann.check(&[
        ("/v on", "⚙️ Verbose logging enabled."),
        ("/new /think high", "⚙️ New session started. No longer set: verbose on.\nThinking level set to high."),
        ("/think", "Current thinking level: high (from session).\nOptions: default, off, minimal, low, medium, high, xhigh."),
        ("/verbose", "Current verbose level: off (from built-in).\nOptions: default, on, full, off."),
        ("/think low /new fake/gpt-4.1", "⚙️ New session started. No longer set: thinking high.\nThinking level \"low\" is not supported for fake/gpt-4.1. Use one of: off.\nModel set to fake/gpt-4.1 for this session."),
        ("/new gpt-9 /think off", "Thinking disabled.\nUnrecognized model \"gpt-9\". See /model list."),
        ("/reset /think big", "⚙️ New session started. No longer set: thinking off, model fake/gpt-4.1.\nUnrecognized thinking level \"big\". Valid levels: default, off, minimal, low, medium, high, xhigh. Did you mean \"high\"?"),
    ])
    .await;
    scene.finish().await;
}

#[tokio::test]
async fn a_new_session_ends_what_the_old_one_was_doing() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(Script::new().stall());
    ann.say("count to ten");
    scene.model.wait_for_running(1).await;
    ann.say("and then to twenty");
    assert_eq!(ann.ask("/new").await, "⚙️ New session started.");
    scene.model.wait_for_abandoned(1).await;
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(scene.model.requests().pop().unwrap().texts("user"), ["hello"]);
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn stop_ends_the_run_and_the_queue_and_nothing_else() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    ann.check(&[
        ("/stop", "⚙️ Nothing is running."),
        ("stop", "⚙️ Nothing is running."),
        ("Abort!", "⚙️ Nothing is running."),
    ])
    .await;
    assert_eq!(ann.ask("stop it").await, "You said: stop it");
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).text("One two"));
    ann.say("count");
    scene.model.wait_for_running(1).await;
    ann.say("and this waits");
    assert_eq!(ann.ask("/think high").await, "Thinking level set to high.", "settings never wait for a run");
    assert!(ann.ask("/status").await.contains("Queue: steer · working, 1 waiting"));
    assert_eq!(ann.ask("/stop").await, "⚙️ Stopped.");
    scene.model.wait_for_abandoned(1).await;
    // The message that was stopped is still a part of the conversation.
    assert_eq!(ann.ask("hello").await, "You said: hello", "con_05");
    scene.finish().await;
}

#[tokio::test]
async fn models_are_listed_and_picked_by_name_alias_and_number() {
    let scene = Scene::with(|config| {
        config["agents"]["defaults"]["models"] = json!({ "fake/gpt-4.1": { "alias": "small" } });
    })
    .await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    ann.check(&[
        ("/models", "Models:\n1. fake/gpt-4.1 (small)\n2. fake/gpt-5.2 ← current\nPick one with /model and its number."),
        ("/model list", "Models:\n1. fake/gpt-4.1 (small)\n2. fake/gpt-5.2 ← current\nPick one with /model and its number."),
        ("/model", "Current model: fake/gpt-5.2 (from global default).\nOptions: default, status, list, provider/model, an alias, or a number of the list."),
        ("/model SMALL", "Model set to fake/gpt-4.1 for this session."),
        ("/model status", "Current model: fake/gpt-4.1 (from session).\nOptions: default, status, list, provider/model, an alias, or a number of the list."),
        ("/model 2", "Model set to fake/gpt-5.2 for this session."),
        ("/model 9", "There is no model 9. Use a number from 1 to 2; see /model list."),
        ("/model smal", "Unrecognized model \"smal\". See /model list. Did you mean \"small\"?"),
    ])
    .await;
    assert_eq!(ann.ask("/model small tell me").await, "Model set to fake/gpt-4.1 for this session.");
    assert_eq!(ann.hear().await, "You said: tell me");
    let request = scene.model.requests().pop().unwrap();
    assert_eq!((request.model(), request.effort()), ("gpt-4.1", None));
    assert_eq!(ann.ask("and you?").await, "You said: and you?");
    assert_eq!(scene.model.requests().pop().unwrap().model(), "gpt-4.1", "a pick is always for the session");
    scene.finish().await;
}

#[tokio::test]
async fn usage_puts_a_line_under_each_answer() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    ann.check(&[
        ("/usage", "Current usage line: off (from built-in).\nOptions: default, off, tokens, full."),
        ("/usage tokens", "⚙️ Usage line set to tokens."),
    ])
    .await;
    let usage = pensive_tests::model::Usage { input: 12, cached: 3, output: 20, reasoning: 5 };
    scene.model.play(Script::new().text("Hi.").usage(usage));
    assert_eq!(ann.ask("hello").await, "Hi.\n\nin 12 · out 20 · reasoning 5 · cached 3");
    assert_eq!(ann.ask("/usage full").await, "⚙️ Usage line set to full.");
    scene.model.play(Script::new().text("Hi.").usage(usage));
    assert_eq!(
        ann.ask("hello").await,
        "Hi.\n\nin 12 · out 20 · reasoning 5 · cached 3 · fake/gpt-5.2 · medium · first after 0.0 s · 0.0 s in all"
    );
    ann.check(&[
        ("/usage off", "⚙️ Usage line disabled."),
        ("hello", "You said: hello"),
        ("/usage x", "Unrecognized usage line \"x\". Valid values: default, off, tokens, full."),
    ])
    .await;
    scene.finish().await;
}
