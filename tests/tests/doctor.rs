//! `pensive doctor` as an operator meets it: what is well is said, what is not is named with what to do, and no secret is shown.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::discord;
use pensive_tests::model::{Failure, ModelFake, Options, Script};
use pensive_tests::program::Ran;
use pensive_tests::scene::{MODEL_KEY, Scene, discord_keys};
use pensive_tests::telegram::{Answer, Fault};
use serde_json::{Value, json};

/// A bot on each platform, and no daemon.
async fn installation() -> Scene {
    let mut scene = Scene::prepared(|_| {}).await;
    let keys = discord_keys(&scene.discord.url(), scene.discord.token());
    scene.reconfigure(|config| config["channels"]["discord"] = keys);
    scene
}

/// Runs the doctor, who shows no secret whatever is wrong.
async fn examined(scene: &Scene, more: &[&str]) -> Ran {
    let arguments: Vec<&str> = ["doctor"].iter().chain(more).copied().collect();
    let ran = scene.run(&arguments).await;
    for secret in [scene.telegram.token(), scene.discord.token(), MODEL_KEY] {
        assert!(!ran.out.contains(secret) && !ran.err.contains(secret), "{ran:?}");
    }
    ran
}

/// What was found, as a script reads it.
async fn found(scene: &Scene, more: &[&str]) -> (i32, Vec<Value>) {
    let arguments: Vec<&str> = ["--json"].iter().chain(more).copied().collect();
    let ran = examined(scene, &arguments).await;
    let rows: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("no JSON: {ran:?}"));
    (ran.code, rows.as_array().unwrap().clone())
}

/// State, words and advice on this check of this subject.
#[track_caller]
fn row<'a>(rows: &'a [Value], subject: &str, check: &str) -> (&'a str, &'a str, &'a str) {
    let row = rows.iter().find(|row| row["subject"] == subject && row["check"] == check);
    let row = row.unwrap_or_else(|| panic!("no {subject} {check} in {rows:#?}"));
    let word = |name: &str| row[name].as_str().unwrap_or_default();
    (word("state"), word("found"), word("advice"))
}

/// The doctor names what is wrong: exit code, then state and words of one row.
#[track_caller]
fn expect(told: &(i32, Vec<Value>), code: i32, about: [&str; 2], state: &str, parts: &[&str]) {
    let (exit, rows) = told;
    let (is, found, advice) = row(rows, about[0], about[1]);
    assert_eq!((*exit, is), (code, state), "{rows:#?}");
    for part in parts {
        assert!(found.contains(part) || advice.contains(part), "{part:?} is not in {found:?} → {advice:?}");
    }
}

#[tokio::test]
async fn where_all_is_well_every_subject_has_its_lines_and_nothing_is_changed() {
    let scene = installation().await;
    let ran = examined(&scene, &[]).await;
    ran.expect(
        0,
        &[
            "configuration\n",
            "telegram/default\n",
            "  ok    token: it is @pensive_test_bot\n",
            "  ok    events: 0 waiting\n",
            "discord/default\n",
            "  ok    token: it is PensiveTest\n",
            "  ok    intents: it may read messages\n",
            "  ok    gateway: one shard\n",
            "provider fake\n",
            "  ok    reach: it answers and takes the key\n",
            "store\n",
            "machine\n",
        ],
    );
    assert!(!ran.out.contains("FAIL"), "{}", ran.out);
    let (code, rows) = found(&scene, &[]).await;
    assert_eq!(code, 0);
    for row in &rows {
        let fields: Vec<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields.len(), 5, "{row}");
        assert!(["ok", "warn"].contains(&row["state"].as_str().unwrap()), "{row}");
        let advised = row["advice"].is_string();
        assert!(row["state"] == "ok" || advised || row["subject"] == "configuration", "{row}");
    }
    // It only looked.
    let asked = scene.discord.calls_where(|call| call.method != "GET");
    assert!(asked.is_empty() && scene.discord.commands().is_empty(), "{asked:?}");
    let asked = scene.telegram.calls_where(|call| !call.method.starts_with("get"));
    assert!(asked.is_empty(), "{asked:?}");
    assert!(scene.telegram.calls("getUpdates").is_empty());
    assert_eq!(scene.model.count(), 0);
    scene.finish().await;
}

#[tokio::test]
async fn refused_tokens_are_told_with_where_new_ones_come_from() {
    let scene = installation().await;
    scene.telegram.bot().revoke_token();
    scene.discord.bot().revoke();
    let told = found(&scene, &[]).await;
    expect(&told, 1, ["telegram/default", "token"], "fail", &["refused", "@BotFather"]);
    expect(&told, 1, ["discord/default", "token"], "fail", &["refuses it", "Reset Token"]);
    examined(&scene, &[]).await.expect(1, &["  FAIL  token: ", "          → ", "lines that say FAIL"]);
    scene.finish().await;
}

#[tokio::test]
async fn disc_06_a_missing_intent_is_told_before_the_line_is_closed_for_it() {
    let scene = installation().await;
    scene.discord.bot().switch_message_content(false);
    let told = found(&scene, &[]).await;
    expect(&told, 1, ["discord/default", "intents"], "fail", &["Message Content Intent", "Developer Portal"]);
    expect(&told, 1, ["telegram/default", "token"], "ok", &[]);
    scene.finish().await;
}

#[tokio::test]
async fn platforms_that_are_away_are_told_and_the_rest_is_looked_at() {
    let scene = installation().await;
    scene.discord.inject(discord::Fault::on_any().html(502).always());
    scene.telegram.inject(Fault::on("getMe").reset().always());
    let told = found(&scene, &[]).await;
    expect(&told, 1, ["discord/default", "server"], "fail", &["502", "can be reached"]);
    expect(&told, 1, ["telegram/default", "server"], "fail", &["can be reached"]);
    expect(&told, 1, ["provider fake", "reach"], "ok", &[]);
    scene.finish().await;
}

#[tokio::test]
async fn what_keeps_a_bot_from_hearing_is_a_warning() {
    let mut scene = installation().await;
    scene.reconfigure(|config| {
        config["channels"]["telegram"]["groups"] = json!({ "*": { "requireMention": false } });
        config["channels"]["discord"]["guilds"] = json!({ "4711": {} });
    });
    let me = br#"{"ok":true,"result":{"id":1,"is_bot":true,"first_name":"P","username":"shy_bot","can_read_all_group_messages":false}}"#;
    let shy = Answer::Raw { status: 200, kind: "application/json".into(), body: me.as_slice().into() };
    scene.telegram.inject(Fault::on("getMe").answer(shy).always());
    let hook = "setWebhook?url=https://example.org/secret-path";
    let set = reqwest::get(format!("{}/bot{}/{hook}", scene.telegram.url(), scene.telegram.token())).await;
    assert!(set.unwrap().status().is_success());
    scene.discord.bot().limit_starts(3, Duration::from_hours(20));
    scene.discord.bot().recommend_shards(2);
    let told = found(&scene, &[]).await;
    expect(&told, 0, ["telegram/default", "privacy mode"], "warn", &["requireMention", "/setprivacy"]);
    expect(&told, 0, ["telegram/default", "events"], "warn", &["webhook"]);
    expect(&told, 0, ["discord/default", "guilds"], "warn", &["4711", "invite it"]);
    expect(&told, 0, ["discord/default", "gateway"], "warn", &["only 3 sessions"]);
    assert!(!json!(told.1).to_string().contains("secret-path"), "{told:?}");
    scene.finish().await;
}

#[tokio::test]
async fn a_guild_that_it_is_in_and_a_second_account_are_found() {
    let mut scene = installation().await;
    let second = scene.discord.add_bot("Second");
    let guild = scene.discord.guild("Home", &[]);
    scene.reconfigure(|config| {
        config["channels"]["discord"]["guilds"] = json!({ guild.id().to_string(): {}, "*": {} });
        config["channels"]["discord"]["accounts"] = json!({ "second": { "token": second.token() } });
    });
    second.revoke();
    let told = found(&scene, &[]).await;
    expect(&told, 1, ["discord/default", "guilds"], "ok", &["in each"]);
    expect(&told, 1, ["discord/second", "token"], "fail", &["refuses it"]);
    scene.finish().await;
}

#[tokio::test]
async fn a_provider_that_refuses_the_key_fails_and_a_model_that_it_does_not_list_is_doubtful() {
    let mut scene = installation().await;
    let told = found(&scene, &[]).await;
    expect(&told, 0, ["provider fake", "reach"], "ok", &[]);
    expect(&told, 0, ["provider fake", "model"], "warn", &["gpt-4.1 is not among the 4", "--live"]);
    let options = Options { key: Some("another key".to_owned()), ..Options::default() };
    let other = ModelFake::start_with(options).await.unwrap();
    scene.reconfigure(|config| config["models"]["providers"]["fake"]["baseUrl"] = json!(other.base_url()));
    let told = found(&scene, &[]).await;
    expect(&told, 1, ["provider fake", "key"], "fail", &["apiKey"]);
    scene.reconfigure(|config| {
        config["models"]["providers"]["fake"]["baseUrl"] = json!("http://127.0.0.1:9/v1");
    });
    let told = found(&scene, &[]).await;
    expect(&told, 1, ["provider fake", "reach"], "fail", &["baseUrl"]);
    scene.finish().await;
}

#[tokio::test]
async fn each_level_of_each_model_is_asked_where_that_is_wanted() {
    let scene = installation().await;
    let (code, rows) = found(&scene, &["--live"]).await;
    assert_eq!(code, 0, "{rows:#?}");
    let efforts: Vec<Option<String>> =
        scene.model.requests().iter().map(|request| request.effort().map(str::to_owned)).collect();
    for level in ["low", "medium", "high"] {
        let (state, found, _) = row(&rows, "model fake/gpt-5.2", &format!("level {level}"));
        assert_eq!(state, "ok");
        assert!(found.contains("it answers") && found.contains(level), "{found}");
        assert!(efforts.contains(&Some(level.to_owned())), "{efforts:?}");
    }
    scene.model.play(Script::fail(Failure::json(401)));
    let (code, rows) = found(&scene, &["--live"]).await;
    assert_eq!(code, 1, "{rows:#?}");
    let failed = rows.iter().find(|row| row["state"] == "fail").unwrap();
    assert!(failed["subject"].as_str().unwrap().starts_with("model fake/gpt-"), "{failed}");
    // Nobody was written to.
    assert!(scene.telegram.calls("sendMessage").is_empty());
    assert!(scene.discord.calls("POST /channels/{}/messages").is_empty());
    scene.finish().await;
}

#[tokio::test]
async fn a_running_daemon_tells_how_its_accounts_stand() {
    let scene = installation().await;
    scene.discord.bot().revoke();
    let daemon = scene.daemon().await;
    scene.discord.wait_for(|call| call.status == 401).await;
    let told = found(&scene, &[]).await;
    expect(&told, 1, ["daemon", "running"], "ok", &["version", "process"]);
    expect(&told, 1, ["daemon", "telegram/default"], "ok", &["listening"]);
    expect(&told, 1, ["daemon", "discord/default"], "fail", &["parked", "refused its token"]);
    assert!(told.1.iter().any(|row| row["subject"] == "store"), "{told:?}");
    daemon.stop(Duration::from_secs(10)).await.unwrap();
    scene.finish().await;
}

#[tokio::test]
async fn a_broken_configuration_is_told_as_everywhere_and_nobody_is_asked() {
    let mut scene = installation().await;
    scene.reconfigure(|config| config["channels"]["discord"]["streaming"] = json!("sometimes"));
    examined(&scene, &[]).await.expect(2, &["channels.discord.streaming", "sometimes"]);
    assert_eq!(scene.discord.call_count(), 0);
    scene.finish().await;
}
