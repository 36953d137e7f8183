//! Several bots in one daemon, and the secrets that none of them ever tells.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::path::Path;

use base64::Engine as _;
use pensive_contract::intake::AccountState;
use pensive_tests::model::{Failure, Script};
use pensive_tests::scene::{MODEL_KEY, Scene};
use pensive_tests::telegram::{BotAccount, Fault, Person};
use serde_json::{Value, json};

/// A scene whose daemon serves two bots.
async fn two_bots() -> (Scene, BotAccount) {
    let mut scene = Scene::prepared(|_| {}).await;
    let second = scene.telegram.add_bot("second_bot");
    scene.reconfigure(|config| {
        config["channels"]["telegram"]["accounts"] = json!({"second": {"botToken": second.token()}});
    });
    scene.enter().await;
    (scene, second)
}

/// Texts of `bot` in a person's chat with it.
fn told(bot: &BotAccount, person: &Person) -> Vec<String> {
    bot.messages(person.chat()).into_iter().filter(|seen| seen.by_bot).map(|seen| seen.text).collect()
}

async fn wait_told(scene: &Scene, bot: &BotAccount, person: &Person, expected: &[&str]) {
    let look = |_: &_| (told(bot, person) == expected).then_some(());
    let found = scene.telegram.wait_within(std::time::Duration::from_secs(10), look).await;
    assert!(found.is_some(), "{:?} instead of {expected:?}", told(bot, person));
}

#[tokio::test]
async fn rst_13_two_bots_have_each_their_own_offsets_and_sessions() {
    let (mut scene, second) = two_bots().await;
    let first = scene.telegram.bot();
    let ann = scene.telegram.user("Ann");
    let there = ann.to_bot(&second);
    // The same update and message numbers at both.
    first.set_next_update_id(900_000_000);
    second.set_next_update_id(900_000_000);
    let (one, two) = (ann.say("to the first"), there.say("to the second"));
    assert_eq!((one.update_id, one.message_id), (two.update_id, two.message_id));
    wait_told(&scene, &first, &ann, &["You said: to the first"]).await;
    wait_told(&scene, &second, &ann, &["You said: to the second"]).await;
    let bots: Vec<i64> = scene.telegram.calls("sendMessage").iter().map(|call| call.bot).collect();
    assert!(bots.contains(&first.id()) && bots.contains(&second.id()), "{bots:?}");

    // The second is far ahead; a restart must not carry its offset over.
    second.set_next_update_id(900_500_000);
    there.say("again to the second");
    wait_told(&scene, &second, &ann, &["You said: to the second", "You said: again to the second"]).await;
    scene.leave().await;
    scene.telegram.forget();
    ann.say("while you were away");
    there.say("you too");
    scene.enter().await;
    wait_told(&scene, &first, &ann, &["You said: to the first", "You said: while you were away"]).await;
    scene.telegram.wait_for_text(ann.chat(), "You said: while you were away").await;
    let asked = |bot: &BotAccount| {
        let id = bot.id();
        scene.telegram.wait_for(move |call| call.method == "getUpdates" && call.bot == id)
    };
    assert_eq!(asked(&first).await.int("offset"), Some(900_000_001));
    assert_eq!(asked(&second).await.int("offset"), Some(900_500_001));
    scene.finish().await;
}

#[tokio::test]
async fn a_revoked_token_parks_its_account_with_words_and_the_other_goes_on() {
    let (mut scene, second) = two_bots().await;
    let first = scene.telegram.bot();
    let ann = scene.telegram.user("Ann");
    let there = ann.to_bot(&second);
    there.say("hello");
    wait_told(&scene, &second, &ann, &["You said: hello"]).await;
    second.wait_for_poll().await;
    second.revoke_token();
    // The last thing that the open poll brings; the answer cannot go out.
    there.say("anybody?");
    scene.telegram.wait_for(|call| call.method == "sendMessage" && call.status == 401).await;
    scene.telegram.wait_for(|call| call.method == "getUpdates" && call.status == 401).await;
    ann.say("and you?");
    wait_told(&scene, &first, &ann, &["You said: and you?"]).await;
    let AccountState::Parked { why } = scene.state("telegram/second") else {
        panic!("{:?}", scene.state("telegram/second"))
    };
    for part in ["telegram/second", "Telegram refused its token", "@BotFather", "restart"] {
        assert!(why.contains(part), "{part:?} is not in {why:?}");
    }
    assert!(matches!(scene.state("telegram/default"), AccountState::Listening { .. }));

    // The operator puts it right; what was owed and what was written meanwhile is answered.
    second.restore_token();
    there.say("are you back?");
    scene.restart().await;
    let expected = ["You said: hello", "You said: anybody?", "You said: are you back?"];
    wait_told(&scene, &second, &ann, &expected).await;
    scene.finish().await;
}

/// Every form of the scene's secrets that must not be seen.
fn secrets(scene: &Scene) -> Vec<String> {
    let token = scene.telegram.token().to_owned();
    let half = token.split(':').next_back().unwrap().to_owned();
    let encode = |text: &str| base64::engine::general_purpose::STANDARD_NO_PAD.encode(text);
    vec![half, encode(MODEL_KEY), encode(&token), MODEL_KEY.to_owned(), token]
}

fn assert_clean(secrets: &[String], what: &str, text: &str) {
    for secret in secrets {
        assert!(!text.contains(secret.as_str()), "{secret} is in {what}: {text}");
    }
}

/// A text with all secrets in it.
fn leak(secrets: &[String]) -> String {
    format!("Look: {}", secrets.join(" and "))
}

#[tokio::test]
async fn tool_07_secrets_in_what_a_model_says_do_not_leave() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let secrets = secrets(&scene);
    ann.say("/reasoning on");
    scene.telegram.wait_for_text(ann.chat(), "Reasoning visibility enabled").await;
    scene.model.play(Script::new().reasoning(&leak(&secrets)).text(&leak(&secrets)));
    ann.say("what do you know?");
    scene.telegram.wait_for_text(ann.chat(), "Look: •••").await;
    scene.model.play(Script::fail(Failure::with_error(400, &leak(&secrets), "invalid_request_error", "odd")));
    ann.say("and now?");
    scene.telegram.wait_for_text(ann.chat(), "⚠️").await;
    ann.say("/status");
    scene.telegram.wait_for_text(ann.chat(), "Tokens:").await;
    ann.say("what did you say?");
    scene.telegram.wait_for_text(ann.chat(), "You said: what did you say?").await;
    for call in scene.telegram.calls_where(|_| true) {
        assert_clean(&secrets, &call.method, &call.params.to_string());
    }
    // Nor are they kept and shown to the provider with the next question.
    for request in scene.model.requests() {
        assert_clean(&secrets, "a prompt", &request.body.to_string());
    }
    scene.finish().await;
}

#[tokio::test]
async fn tool_08_secrets_are_in_no_log_and_in_no_file() {
    let scene = Scene::prepared(|_| {}).await;
    let ann = scene.telegram.user("Ann");
    let secrets = secrets(&scene);
    let daemon = scene.daemon().await;
    scene.model.play(Script::new().text(&format!("Listen. {}", leak(&secrets))));
    ann.say("what do you know?");
    scene.telegram.wait_for_text(ann.chat(), "Listen. Look: •••").await;
    scene.model.play(Script::fail(Failure::with_error(400, &leak(&secrets), "invalid_request_error", "odd")));
    ann.say("and now?");
    scene.telegram.wait_for_text(ann.chat(), "⚠️").await;
    // Network errors have addresses in them, and those the token.
    let refusal = format!("Bad Request: {}", leak(&secrets));
    scene.telegram.inject(Fault::on("sendMessage").refuse(400, &refusal));
    scene.telegram.inject(Fault::on("getUpdates").reset());
    ann.say("hello");
    scene.telegram.wait_for(|call| call.method == "getUpdates" && call.status == 0).await;
    ann.say("still there?");
    scene.telegram.wait_for_text(ann.chat(), "You said: still there?").await;
    daemon.stop(std::time::Duration::from_secs(10)).await.unwrap();

    let log = scene.log();
    for part in ["a model call failed", "a message was refused", "trying again", "•••"] {
        assert!(log.contains(part), "{part:?} is not in {log}");
    }
    assert_clean(&secrets, "the log", &log);
    for text in ["what do you know", "Listen", "still there"] {
        assert!(!log.contains(text), "a message's text is in the log: {log}");
    }
    for file in files(&scene.home().join("data")) {
        let content = std::fs::read(&file).unwrap();
        assert_clean(&secrets, &file.display().to_string(), &String::from_utf8_lossy(&content));
    }
    scene.finish().await;
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[tokio::test]
async fn the_menu_is_set_for_each_bot() {
    let (scene, second) = two_bots().await;
    for bot in [scene.telegram.bot(), second] {
        let look = |_: &_| bot.commands(&json!({"type": "default"}));
        let menu: Value = scene.telegram.wait_until(look).await;
        assert!(menu.as_array().is_some_and(|menu| !menu.is_empty()));
    }
    scene.finish().await;
}
