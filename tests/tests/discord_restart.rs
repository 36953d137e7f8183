//! What people on Discord notice of a restart: nothing is lost, nothing is said twice, and what was cut off is told.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::discord::{Fault, Person};
use pensive_tests::gate::Gate;
use pensive_tests::harness::daemon::Daemon;
use pensive_tests::model::Script;
use pensive_tests::scene::Scene;
use serde_json::json;

const RESTARTED: &str = "⚙️ I was restarted while answering. Tap to run it again.";
const RUN: &str = "Run it again";
const UNCONFIRMED: &str = "⚙️ I could not confirm that my last answer arrived.";
const SHOW: &str = "Show it again";

const IDENTIFY: u64 = 2;
const RESUME: u64 = 6;

/// Says something and waits for its echo: whatever was to come before has come then.
async fn talk(person: &Person, text: &str) {
    person.say(text);
    person.wait_for(&format!("You said: {text}")).await;
}

/// Waits until bots have said exactly this.
async fn wait_said(scene: &Scene, person: &Person, expected: &[&str]) {
    let look = |_: &_| (person.said() == expected).then_some(());
    let found = scene.discord.wait_within(Duration::from_secs(10), look).await;
    assert!(found.is_some(), "{:?} instead of {expected:?}", person.said());
}

/// How many lines began so.
fn begun(scene: &Scene, op: u64) -> usize {
    scene.discord.commands().iter().filter(|said| said.closed.is_none() && said.op == op).count()
}

/// Starts it, and lets time pass until its line stands.
async fn enter(scene: &mut Scene) {
    scene.enter().await;
    scene.run_until_at_discord("its line", |fake| (fake.line().open() == 1).then_some(())).await;
}

/// The real program, once its line stands.
async fn daemon(scene: &Scene) -> Daemon {
    let daemon = scene.spawn(scene.command(&["run", "-vv"]));
    scene.discord.line().wait_until_open().await;
    daemon
}

/// Ends it as a power cut does.
async fn kill(scene: &Scene, daemon: Daemon) {
    daemon.kill().await.unwrap();
    scene.discord.line().wait_until_closed().await;
}

/// A scene for the real program.
async fn prepared() -> Scene {
    let scene = Scene::prepared_for_discord(|config| {
        config["channels"]["discord"]["streaming"] = json!("off");
    })
    .await;
    scene.discord.unlimited();
    scene
}

#[tokio::test]
async fn rst_07_what_was_written_while_it_was_down_is_answered_by_resuming() {
    let mut scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    talk(&ann, "one").await;
    scene.leave().await;
    scene.discord.line().wait_until_closed().await;
    ann.say("two");
    let bob = scene.discord.person("Bob");
    bob.say("and I, for the first time");
    scene.advance(Duration::from_mins(1));
    enter(&mut scene).await;
    talk(&ann, "three").await;
    wait_said(&scene, &ann, &["You said: one", "You said: two", "You said: three"]).await;
    wait_said(&scene, &bob, &["You said: and I, for the first time"]).await;
    assert_eq!((begun(&scene, IDENTIFY), begun(&scene, RESUME)), (1, 1));
    scene.finish().await;
}

#[tokio::test]
async fn rst_07_what_was_written_is_read_from_the_channel_where_the_session_is_gone() {
    let mut scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    talk(&ann, "one").await;
    scene.leave().await;
    scene.discord.line().forget();
    ann.say("two");
    ann.say("three");
    scene.advance(Duration::from_hours(2));
    enter(&mut scene).await;
    ann.wait_for("You said: three").await;
    talk(&ann, "four").await;
    let said = ann.said().join("\n");
    for text in ["one", "two", "three", "four"] {
        assert_eq!(said.matches(text).count(), 1, "{said}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn rst_03_nothing_is_said_again_after_a_restart() {
    let mut scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    talk(&ann, "one").await;
    for round in 0..4 {
        scene.leave().await;
        if round % 2 == 1 {
            scene.discord.line().forget();
        }
        enter(&mut scene).await;
    }
    talk(&ann, "two").await;
    assert_eq!(ann.said(), ["You said: one", "You said: two"]);
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn ses_03_settings_and_the_conversation_outlive_a_restart() {
    let mut scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    ann.say("/think high");
    ann.wait_for("Thinking level set to high.").await;
    talk(&ann, "one").await;
    scene.leave().await;
    enter(&mut scene).await;
    ann.say("/think");
    ann.wait_for("Current thinking level: high (from session)").await;
    talk(&ann, "two").await;
    let request = scene.model.requests().pop().unwrap();
    assert_eq!(request.effort(), Some("high"));
    assert_eq!(request.texts("user"), ["one", "two"]);
    scene.finish().await;
}

#[tokio::test]
async fn a_run_that_was_cut_off_is_told_with_a_button_that_runs_it_again() {
    let mut scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().text("half an ans").wait(&gate));
    ann.say("one");
    gate.reached(1).await;
    scene.cut_off().await;
    enter(&mut scene).await;
    let notice = ann.wait_for(RESTARTED).await;
    assert_eq!(notice.buttons, [RUN]);
    ann.press(notice.id, RUN).heard().await;
    ann.wait_for("You said: one").await;
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn rst_06_killed_while_the_model_speaks_nothing_is_lost() {
    let scene = prepared().await;
    let (ann, bob) = (scene.discord.person("Ann"), scene.discord.person("Bob"));
    let first = daemon(&scene).await;
    let gate = Gate::new();
    scene.model.play(Script::new().text("half an ans").wait(&gate));
    ann.say("one");
    gate.reached(1).await;
    // What is acknowledged is on disk, and what came before it too.
    bob.say("/verbose off");
    bob.wait_for("Verbose").await;
    kill(&scene, first).await;
    bob.say("while you were dead");
    let _second = daemon(&scene).await;
    let notice = ann.wait_for(RESTARTED).await;
    bob.wait_for("You said: while you were dead").await;
    ann.press(notice.id, RUN).heard().await;
    ann.wait_for("You said: one").await;
    assert_eq!(bob.said().iter().filter(|text| text.contains("dead")).count(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn rst_01_killed_between_an_answer_and_its_confirmation_nothing_is_doubled() {
    for landed in [false, true] {
        let scene = prepared().await;
        let ann = scene.discord.person("Ann");
        let first = daemon(&scene).await;
        let gate = Gate::new();
        let held = Fault::on_send().held(&gate).in_channel(ann.channel());
        scene.discord.inject(if landed { held.after_commit() } else { held });
        ann.say("one");
        gate.reached(1).await;
        kill(&scene, first).await;
        let _second = daemon(&scene).await;
        let doubt = ann.wait_for(UNCONFIRMED).await;
        let answer = ["You said: one"].into_iter().filter(|_| landed);
        assert_eq!(ann.said(), answer.chain([UNCONFIRMED]).collect::<Vec<_>>());
        ann.press(doubt.id, SHOW).heard().await;
        let times = 1 + usize::from(landed);
        let shown = || ann.said().iter().filter(|text| *text == "You said: one").count();
        scene.discord.wait_until(|_| (shown() == times).then_some(())).await;
        assert_eq!(scene.model.count(), 1);
        scene.finish().await;
    }
}

#[tokio::test]
async fn an_answer_that_was_refused_until_the_end_goes_out_after_the_start() {
    let mut scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    let refusals = scene.discord.inject(Fault::on_send().always());
    ann.say("one");
    scene.discord.wait_until(|_| (refusals.hits() > 0).then_some(())).await;
    scene.cut_off().await;
    refusals.end();
    enter(&mut scene).await;
    ann.wait_for("You said: one").await;
    talk(&ann, "two").await;
    assert_eq!(ann.said(), ["You said: one", "You said: two"]);
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn a_status_that_stood_when_it_was_killed_is_taken_away_after_the_start() {
    let scene = Scene::prepared_for_discord(|_| {}).await;
    scene.discord.unlimited();
    let ann = scene.discord.person("Ann");
    let first = daemon(&scene).await;
    let gate = Gate::new();
    scene.model.play(Script::new().text("half an ans").wait(&gate));
    ann.say("one");
    // After three seconds there is something to see, in real time.
    let status = scene.discord.wait_until(|_| ann.sees().into_iter().find(|seen| seen.by_bot)).await;
    // What is acknowledged is on disk, and what came before it too.
    let bob = scene.discord.person("Bob");
    bob.say("/verbose off");
    bob.wait_for("Verbose").await;
    kill(&scene, first).await;
    let _second = daemon(&scene).await;
    ann.wait_for(RESTARTED).await;
    scene.discord.wait_until(|_| ann.saw(status.id).unwrap().deleted.then_some(())).await;
    assert_eq!(ann.said(), [RESTARTED]);
    scene.finish().await;
}

#[tokio::test]
async fn a_slash_command_that_came_while_it_was_down_is_answered_in_the_channel() {
    let mut scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    scene.discord.wait_until(|_| ann.is_offered("think").then_some(())).await;
    talk(&ann, "one").await;
    scene.leave().await;
    let called = ann.command("think", &[("level", "high")]);
    // Discord has told them long ago that nobody answered.
    scene.advance(Duration::from_mins(1));
    enter(&mut scene).await;
    let answer = ann.wait_for("Thinking level set to high.").await;
    assert!(!answer.ephemeral && !called.is_heard());
    talk(&ann, "two").await;
    assert_eq!(scene.model.requests().pop().unwrap().effort(), Some("high"));
    let times = ann.said().iter().filter(|text| text.contains("set to high")).count();
    assert_eq!(times, 1);
    scene.finish().await;
}

#[tokio::test]
async fn a_slash_command_that_was_heard_before_the_stop_is_answered_after_the_start() {
    let mut scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    scene.discord.wait_until(|_| ann.is_offered("think").then_some(())).await;
    let refused: Vec<_> = [
        "POST /interactions/{}/{}/callback",
        "PATCH /webhooks/{}/{}/messages/{}",
        "POST /webhooks/{}/{}",
        "POST /channels/{}/messages",
    ]
    .map(|call| scene.discord.inject(Fault::on(call).always()))
    .into();
    ann.command("think", &[("level", "high")]);
    scene.discord.wait_until(|_| refused.iter().any(|fault| fault.hits() > 0).then_some(())).await;
    scene.cut_off().await;
    refused.iter().for_each(pensive_tests::discord::Injected::end);
    enter(&mut scene).await;
    ann.wait_for("Thinking level set to high.").await;
    talk(&ann, "two").await;
    assert_eq!(scene.model.requests().pop().unwrap().effort(), Some("high"));
    assert_eq!(ann.said().iter().filter(|text| text.contains("set to high")).count(), 1);
    scene.finish().await;
}
