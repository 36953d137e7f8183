//! The command line beside living channels: one turn for a script, messages pushed to Telegram, and how things stand.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::process::Stdio;
use std::time::Duration;

use pensive_terminal::Link;
use pensive_terminal::wire::Event;
use pensive_tests::gate::Gate;
use pensive_tests::model::{Failure, Script};
use pensive_tests::scene::{MODEL_KEY, Scene, said};
use pensive_tests::telegram::Fault;
use serde_json::Value;

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| panic!("no JSON: {text:?}"))
}

#[tokio::test]
async fn one_turn_for_a_script_with_a_daemon_and_without() {
    let scene = Scene::prepared(|_| {}).await;
    let mut daemon = None;
    for round in 0..2 {
        scene.run(&["chat", "hello", "there"]).await.expect(0, &["You said: hello there\n"]);
        let turn = parsed(&scene.run(&["chat", "--json", "/think high hello"]).await.out);
        assert_eq!((&turn["answer"], &turn["ending"]), (&"You said: hello".into(), &"answered".into()));
        assert_eq!(scene.model.requests().pop().unwrap().effort(), Some("high"), "{round}");
        let piped = scene.pipe(&["chat"], "one\n/t low\ntwo\n").await;
        piped.expect(0, &["You said: one\n", "Thinking level set to low.\n", "You said: two\n"]);
        assert_eq!(scene.model.requests().pop().unwrap().effort(), Some("low"), "{round}");
        scene.model.play(Script::fail(Failure::json(401)));
        scene.run(&["chat", "hello"]).await.expect(1, &["⚠️ The model provider refused our key."]);
        scene.run(&["chat", "/t default"]).await.expect(0, &["reset to default"]);
        if daemon.is_none() {
            daemon = Some(scene.daemon().await);
        }
    }
    scene.finish().await;
}

#[tokio::test]
async fn an_interrupt_stops_the_run_and_the_turn() {
    let scene = Scene::prepared(|_| {}).await;
    let _daemon = scene.daemon().await;
    let gate = Gate::new();
    scene.model.play(Script::new().text("half an ans").wait(&gate));
    let mut command = scene.command(&["chat", "hello"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    gate.reached(1).await;
    let told = scene.interrupt(child.id().unwrap()).await;
    assert!(told.success());
    scene.model.wait_for_abandoned(1).await;
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "half an ans\n\n⏹\n");
    let aside = String::from_utf8(output.stderr).unwrap();
    assert_eq!(aside, "Stopping. Ctrl-C again leaves.\n⚙️ Stopped.\n");
    scene.finish().await;
}

#[tokio::test]
async fn scripts_push_messages_to_telegram_with_a_daemon_and_without() {
    let scene = Scene::prepared(|_| {}).await;
    let ann = scene.telegram.user("Ann");
    let forum = scene.telegram.forum("Team", &[&ann]);
    let topic = forum.topic("Plans", &ann).to_string();
    let (to, room) = (ann.chat().to_string(), forum.id().to_string());
    let mut daemon = None;
    for _ in 0..2 {
        let send = |more: &[&str]| {
            let all: Vec<&str> = ["send", "--channel", "telegram"].iter().chain(more).copied().collect();
            let command = scene.command(&all);
            async { pensive_tests::program::finish(command, "from **standard** input").await }
        };
        let before = said(&ann).len();
        send(&["--to", &to, "some **bold** words"]).await.expect(0, &["sent: "]);
        send(&["--to", &to, "--plain", "some **plain** words"]).await.expect(0, &[]);
        let sent = parsed(&send(&["--to", &to, "--json"]).await.out);
        assert_eq!(said(&ann)[before..], ["some bold words", "some **plain** words", "from standard input"]);
        let last = ann.sees().pop().unwrap();
        assert_eq!(sent["messages"], serde_json::json!([last.id.to_string()]));
        send(&["--to", &room, "--topic", &topic, "to the topic"]).await.expect(0, &[]);
        let seen = ann.at(&forum).sees().pop().unwrap();
        assert_eq!(
            (seen.text.as_str(), seen.thread.map(|id| id.to_string())),
            ("to the topic", Some(topic.clone()))
        );
        send(&["--to", "123456", "nobody"]).await.expect(1, &["chat not found"]);
        send(&["--to", "not-an-id", "nobody"]).await.expect(1, &["no place on Telegram"]);
        send(&["--account", "other", "--to", &to, "nobody"])
            .await
            .expect(if daemon.is_some() { 1 } else { 2 }, &["no account other"]);
        if daemon.is_none() {
            daemon = Some(scene.daemon().await);
        }
    }
    scene.telegram.inject(Fault::on("sendMessage").reset().after_commit());
    let unsure = scene.run(&["send", "--channel", "telegram", "--to", &to, "perhaps"]).await;
    unsure.expect(1, &["may or may not have arrived"]);
    scene.telegram.bot().revoke_token();
    let refused = scene.run(&["send", "--channel", "telegram", "--to", &to, "owed"]).await;
    refused.expect(1, &["telegram/default is out of service", "Unauthorized", "The message is kept"]);
    assert_eq!(scene.model.count(), 0);
    scene.finish().await;
}

#[tokio::test]
async fn rst_08_the_status_shows_who_listens_and_who_is_in_trouble() {
    let scene = Scene::prepared(|_| {}).await;
    scene.run(&["status"]).await.expect(3, &["no daemon listens at"]);
    let _daemon = scene.daemon().await;
    let ann = scene.telegram.user("Ann");
    ann.say("hello");
    scene.telegram.wait_for_text(ann.chat(), "You said: hello").await;
    let shown = scene.run(&["status"]).await;
    shown.expect(0, &["telegram/default", "listening", "@pensive_test_bot", "fake/gpt-5.2"]);
    // Another program polls the same bot.
    let other = scene.rival();
    scene.telegram.wait_for(|call| call.status == 409).await;
    let shown = scene.run(&["status"]).await;
    shown.expect(0, &["retrying", "another program polls the same bot"]);
    other.abort();
    ann.say("are you there?");
    scene.telegram.wait_for_text(ann.chat(), "You said: are you there?").await;
    let status = parsed(&scene.run(&["status", "--json"]).await.out);
    let telegram =
        status["accounts"].as_array().unwrap().iter().find(|line| line["account"] == "telegram/default");
    assert_eq!(telegram.unwrap()["state"], "listening");
    scene.finish().await;
}

#[tokio::test]
async fn a_wrong_token_is_told_with_what_to_do_and_the_rest_goes_on() {
    let scene = Scene::prepared(|_| {}).await;
    scene.telegram.bot().revoke_token();
    let daemon = scene.spawn(scene.command(&["run"]));
    scene.telegram.wait_for(|call| call.status == 401).await;
    scene.run(&["chat", "hello"]).await.expect(0, &["You said: hello"]);
    let shown = scene.run(&["status"]).await;
    shown.expect(
        0,
        &["telegram/default  parked", "Telegram refused its token", "the configuration", "@BotFather"],
    );
    daemon.stop(Duration::from_secs(10)).await.unwrap();
    let log = scene.log();
    assert!(log.contains("Telegram refused its token"), "{log}");
    for text in [&shown.out, &log] {
        assert!(!text.contains(scene.telegram.token()) && !text.contains(MODEL_KEY), "{text}");
    }
    scene.finish().await;
}

/// The text that answers this request.
async fn answer(link: &mut Link, request: &str) -> String {
    loop {
        if let Event::Message(message) = link.next().await.unwrap()
            && message.answers.as_deref() == Some(request)
        {
            return message.text;
        }
    }
}

#[tokio::test]
async fn con_02_one_session_has_one_lane_whichever_door_a_message_came_by() {
    let scene = Scene::with(|config| config["session"] = serde_json::json!({"dmScope": "main"})).await;
    let ann = scene.telegram.user("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().text("You said: ").wait(&gate).text("from the phone"));
    ann.say("from the phone");
    gate.reached(1).await;
    let mut desk = Link::connect(&scene.home().join("pensive.sock"), "ann").await.unwrap();
    let question = desk.say("from the desk").await.unwrap();
    // What is answered at once shows that the question was looked at, and is not being run.
    let aside = desk.say("/whoami").await.unwrap();
    assert!(answer(&mut desk, &aside).await.starts_with("You are"));
    assert_eq!(scene.model.count(), 1);
    gate.open();
    assert_eq!(answer(&mut desk, &question).await, "You said: from the desk");
    // con_06: each answer goes where its question came from.
    scene.telegram.wait_for_text(ann.chat(), "You said: from the phone").await;
    assert_eq!(said(&ann), ["You said: from the phone"]);
    assert_eq!(scene.model.requests()[1].texts("user"), ["from the phone", "from the desk"]);
    assert_eq!(scene.model.peak(), 1);
    scene.finish().await;
}
