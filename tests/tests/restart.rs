//! What holds over the end of a daemon, gentle or not: settings, conversations, waiting messages, owed answers, and an honest
//! word about what was cut off.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::{Scene, said};
use pensive_tests::telegram::{Fault, Person};
use serde_json::{Value, json};

const RESTARTED: &str = "⚙️ I was restarted while answering. Tap to run it again.";
const RUN: &str = "Run it again";
const UNCONFIRMED: &str = "⚙️ I could not confirm that my last answer arrived.";
const SHOW: &str = "Show it again";

/// Says something and waits for its echo: whatever was to come before has come then.
async fn talk(scene: &Scene, person: &Person, text: &str) {
    person.say(text);
    scene.telegram.wait_for_text(person.chat(), &format!("You said: {text}")).await;
}

/// Waits until the bot has said exactly this.
async fn wait_said(scene: &Scene, person: &Person, expected: &[&str]) {
    let look = |_: &_| (said(person) == expected).then_some(());
    let found = scene.telegram.wait_within(std::time::Duration::from_secs(10), look).await;
    assert!(found.is_some(), "{:?} instead of {expected:?}", said(person));
}

/// A setting that is on disk takes everything with it that was written before.
async fn flush(scene: &Scene, person: &Person) {
    person.say("/verbose off");
    scene.telegram.wait_for_text(person.chat(), "Verbose").await;
}

#[tokio::test]
async fn ses_03_settings_and_the_conversation_outlive_a_restart() {
    let mut scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    ann.say("/think high");
    scene.telegram.wait_for_text(ann.chat(), "Thinking level set to high.").await;
    talk(&scene, &ann, "one").await;
    scene.restart().await;
    ann.say("/think");
    scene.telegram.wait_for_text(ann.chat(), "Current thinking level: high (from session)").await;
    talk(&scene, &ann, "two").await;
    let request = scene.model.requests().pop().unwrap();
    assert_eq!(request.effort(), Some("high"));
    assert_eq!(request.texts("user"), ["one", "two"]);
    assert_eq!(request.texts("assistant"), ["You said: one"]);
    scene.finish().await;
}

#[tokio::test]
async fn rst_03_nothing_is_said_again_after_a_restart() {
    let mut scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    talk(&scene, &ann, "one").await;
    let pressed_late = scene.telegram.bot();
    for _ in 0..3 {
        scene.restart().await;
        pressed_late.wait_for_poll().await;
    }
    talk(&scene, &ann, "two").await;
    assert_eq!(said(&ann), ["You said: one", "You said: two"]);
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn a_run_that_ends_within_the_grace_is_answered_before_the_end() {
    let mut scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().text("You said: ").wait(&gate).text("one"));
    ann.say("one");
    gate.reached(1).await;
    tokio::join!(scene.leave(), async { gate.open() });
    assert_eq!(said(&ann), ["You said: one"]);
    scene.enter().await;
    talk(&scene, &ann, "two").await;
    assert_eq!(said(&ann), ["You said: one", "You said: two"]);
    scene.finish().await;
}

#[tokio::test]
async fn a_run_that_was_cut_off_is_told_and_what_waited_behind_it_runs() {
    let mut scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().text("half an ans").wait(&gate));
    ann.say("/think high one");
    gate.reached(1).await;
    ann.say("two");
    ann.say("/model fake/gpt-4.1 three");
    scene.telegram.wait_for_text(ann.chat(), "Model set to fake/gpt-4.1").await;
    ann.say("/model default");
    scene.telegram.wait_for_text(ann.chat(), "Model reset to default").await;
    let before = said(&ann);
    scene.cut_off().await;
    scene.model.wait_for_abandoned(1).await;
    scene.enter().await;
    scene.telegram.wait_for_text(ann.chat(), "You said: three").await;
    // What waited was acknowledged before, and what it set was set otherwise since.
    assert_eq!(said(&ann)[before.len()..], [RESTARTED, "You said: two", "You said: three"]);
    assert_eq!(ann.press(RUN).unwrap().answered().await.get("text"), None);
    scene.telegram.wait_for_text(ann.chat(), "You said: one").await;
    assert_eq!(said(&ann)[before.len()..], [RESTARTED, "You said: two", "You said: three", "You said: one"]);
    let models: Vec<String> =
        scene.model.requests().iter().map(|request| request.model().to_owned()).collect();
    assert_eq!(models, ["gpt-5.2", "gpt-5.2", "gpt-4.1", "gpt-5.2"]);
    // What the message wanted for itself still holds for it.
    let again = scene.model.requests().pop().unwrap();
    assert_eq!((again.prompt().as_str(), again.effort()), ("one", Some("high")));
    let stale = ann.press(RUN).unwrap().answered().await;
    assert_eq!(stale.get("text"), Some(&json!("That is no longer here.")));
    scene.finish().await;
}

#[tokio::test]
async fn an_answer_that_was_refused_until_the_end_goes_out_after_the_start() {
    let mut scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let refusals = scene.telegram.inject(Fault::on("sendMessage").always());
    ann.say("one");
    scene.telegram.wait_for(|call| call.method == "sendMessage" && call.status == 500).await;
    scene.cut_off().await;
    refusals.end();
    scene.enter().await;
    scene.telegram.wait_for_text(ann.chat(), "You said: one").await;
    talk(&scene, &ann, "two").await;
    assert_eq!(said(&ann), ["You said: one", "You said: two"]);
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn what_a_person_may_do_with_a_button_outlives_a_second_restart() {
    let mut scene = Scene::start().await;
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate));
    ann.say("one");
    gate.reached(1).await;
    scene.telegram.inject(Fault::on("sendMessage").reset().in_chat(bob.chat()));
    bob.say("two");
    scene.telegram.wait_for_text(bob.chat(), UNCONFIRMED).await;
    scene.cut_off().await;
    scene.enter().await;
    scene.telegram.wait_for_text(ann.chat(), RESTARTED).await;
    scene.restart().await;
    assert!(ann.press(RUN).is_some() && bob.press(SHOW).is_some());
    wait_said(&scene, &ann, &[RESTARTED, "You said: one"]).await;
    wait_said(&scene, &bob, &[UNCONFIRMED, "You said: two"]).await;
    scene.finish().await;
}

#[tokio::test]
async fn killed_while_the_model_speaks_the_person_is_told_and_can_run_it_again() {
    let scene = Scene::prepared(|_| {}).await;
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    let daemon = scene.daemon().await;
    let gate = Gate::new();
    scene.model.play(Script::new().text("half an ans").wait(&gate));
    ann.say("/think high one");
    gate.reached(1).await;
    flush(&scene, &bob).await;
    daemon.kill().await.unwrap();
    let daemon = scene.daemon().await;
    let notice = scene.telegram.wait_for_text(ann.chat(), RESTARTED).await;
    assert_eq!(notice.buttons, [RUN]);
    ann.press(RUN).unwrap().answered().await;
    wait_said(&scene, &ann, &["Thinking level set to high.", RESTARTED, "You said: one"]).await;
    assert_eq!(scene.model.requests().pop().unwrap().effort(), Some("high"));
    drop(daemon);
    scene.finish().await;
}

#[tokio::test]
async fn killed_between_the_answer_and_its_confirmation_nothing_is_doubled() {
    for landed in [false, true] {
        let scene = Scene::prepared(|_| {}).await;
        let ann = scene.telegram.user("Ann");
        let daemon = scene.daemon().await;
        let gate = Gate::new();
        let held = Fault::on("sendMessage").held(&gate).in_chat(ann.chat());
        scene.telegram.inject(if landed { held.after_commit() } else { held });
        ann.say("one");
        gate.reached(1).await;
        daemon.kill().await.unwrap();
        let daemon = scene.daemon().await;
        scene.telegram.wait_for_text(ann.chat(), UNCONFIRMED).await;
        let mut expected = if landed { vec!["You said: one", UNCONFIRMED] } else { vec![UNCONFIRMED] };
        assert_eq!(said(&ann), expected);
        ann.press(SHOW).unwrap().answered().await;
        expected.push("You said: one");
        wait_said(&scene, &ann, &expected).await;
        assert_eq!(scene.model.count(), 1);
        drop(daemon);
        scene.finish().await;
    }
}

#[tokio::test]
async fn killed_between_two_tries_of_a_refused_send_the_answer_still_goes_out() {
    let scene = Scene::prepared(|_| {}).await;
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    let daemon = scene.daemon().await;
    scene.telegram.inject(Fault::on("sendMessage").retry_after(3_600).in_chat(ann.chat()));
    ann.say("one");
    scene.telegram.wait_for(|call| call.method == "sendMessage" && call.status == 429).await;
    flush(&scene, &bob).await;
    daemon.kill().await.unwrap();
    let daemon = scene.daemon().await;
    scene.telegram.wait_for_text(ann.chat(), "You said: one").await;
    talk(&scene, &ann, "two").await;
    assert_eq!(said(&ann), ["You said: one", "You said: two"]);
    drop(daemon);
    scene.finish().await;
}

#[tokio::test]
async fn killed_in_the_middle_of_a_long_answer_the_parts_before_stay_and_those_behind_come() {
    let plain = |config: &mut Value| config["channels"]["telegram"]["richMessages"] = json!("off");
    let scene = Scene::prepared(plain).await;
    let ann = scene.telegram.user("Ann");
    let daemon = scene.daemon().await;
    let gate = Gate::new();
    let parts: Vec<String> =
        ["a", "b", "c"].map(|letter| format!("{} ", letter.repeat(9)).repeat(400)).to_vec();
    scene.model.play(Script::new().text(&parts.join("\n\n")));
    scene.telegram.inject(Fault::on("sendMessage").held(&gate).in_chat(ann.chat()).skip(1));
    ann.say("tell me a story");
    gate.reached(1).await;
    daemon.kill().await.unwrap();
    let daemon = scene.daemon().await;
    scene.telegram.wait_for_text(ann.chat(), UNCONFIRMED).await;
    let letters = || said(&ann).iter().filter_map(|part| part.chars().next()).collect::<String>();
    assert_eq!(letters(), "ac⚙");
    ann.press(SHOW).unwrap().answered().await;
    scene.telegram.wait_until(|_| (letters() == "ac⚙b").then_some(())).await;
    drop(daemon);
    scene.finish().await;
}

#[tokio::test]
async fn killed_right_after_an_acknowledgement_the_setting_holds() {
    let scene = Scene::prepared(|_| {}).await;
    let ann = scene.telegram.user("Ann");
    for level in ["high", "low"] {
        let daemon = scene.daemon().await;
        ann.say(&format!("/think {level}"));
        scene.telegram.wait_for_text(ann.chat(), &format!("Thinking level set to {level}.")).await;
        daemon.kill().await.unwrap();
        let daemon = scene.daemon().await;
        ann.say("/think");
        let shown = format!("Current thinking level: {level} (from session)");
        scene.telegram.wait_for_text(ann.chat(), &shown).await;
        daemon.kill().await.unwrap();
    }
    // Nothing was acknowledged twice either.
    let acknowledged = said(&ann).into_iter().filter(|text| text.contains("set to")).count();
    assert_eq!(acknowledged, 2);
    scene.finish().await;
}
