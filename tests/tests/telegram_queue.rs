//! Messages that come while the model works, and messages that are changed after they were sent.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::{Scene, said};
use pensive_tests::telegram::{Person, Posted};
use serde_json::json;

const LATE: &str = "⚙️ I had already taken up that message before you changed it.";
const RUN: &str = "Run the new text";

/// A scene in which Ann's first message is being answered until the gate opens.
async fn busy() -> (Scene, Person, Posted, Gate) {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().text("You said: ").wait(&gate).text("one"));
    let first = ann.say("one");
    gate.reached(1).await;
    (scene, ann, first, gate)
}

/// Waits until everything that was sent to the bot has been taken in.
async fn taken_in(scene: &Scene) {
    scene.telegram.bot().wait_until_confirmed().await;
}

/// Says something that is answered at once, and only after everything before it was looked at.
async fn catch_up(scene: &Scene, person: &Person) {
    person.say("/whoami");
    let mark = scene.telegram.wait_for_text(person.chat(), "You are").await;
    scene.telegram.wait_until(|_| person.sees().iter().any(|seen| seen.id == mark.id).then_some(())).await;
}

async fn finished(scene: &Scene, person: &Person, last: &str) -> Vec<String> {
    scene.telegram.wait_for_text(person.chat(), last).await;
    said(person).into_iter().filter(|text| !text.starts_with("You are")).collect()
}

#[tokio::test]
async fn med_09_an_edit_of_a_waiting_message_replaces_it() {
    let (scene, ann, _, gate) = busy().await;
    let waiting = ann.say("twoo");
    catch_up(&scene, &ann).await;
    ann.edit(waiting.message_id, "two");
    taken_in(&scene).await;
    gate.open();
    assert_eq!(finished(&scene, &ann, "You said: two").await, ["You said: one", "You said: two"]);
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn med_09_an_edit_of_a_waiting_message_outlives_a_restart() {
    let (mut scene, ann, _, _gate) = busy().await;
    let waiting = ann.say("twoo");
    catch_up(&scene, &ann).await;
    ann.edit(waiting.message_id, "/think high two");
    taken_in(&scene).await;
    scene.cut_off().await;
    scene.enter().await;
    scene.telegram.wait_for_text(ann.chat(), "You said: ").await;
    let request = scene.model.requests().pop().unwrap();
    assert_eq!((request.prompt().as_str(), request.effort()), ("two", Some("medium")));
    scene.finish().await;
}

#[tokio::test]
async fn med_09_an_edit_of_a_running_message_is_told_and_a_button_runs_it() {
    let (scene, ann, first, gate) = busy().await;
    ann.edit(first.message_id, "won");
    let notice = scene.telegram.wait_for_text(ann.chat(), LATE).await;
    assert_eq!(notice.buttons, [RUN]);
    ann.press(RUN).unwrap().answered().await;
    gate.open();
    assert_eq!(finished(&scene, &ann, "You said: won").await, [LATE, "You said: one", "You said: won"]);
    let stale = ann.press(RUN).unwrap().answered().await;
    assert_eq!(stale.get("text"), Some(&json!("That is no longer here.")));
    scene.finish().await;
}

#[tokio::test]
async fn med_09_an_edit_of_an_answered_message_is_told_and_a_button_runs_it() {
    let (scene, ann, first, gate) = busy().await;
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "You said: one").await;
    ann.edit(first.message_id, "won");
    scene.telegram.wait_for_text(ann.chat(), LATE).await;
    ann.press(RUN).unwrap().answered().await;
    assert_eq!(finished(&scene, &ann, "You said: won").await, ["You said: one", LATE, "You said: won"]);
    scene.finish().await;
}

#[tokio::test]
async fn med_09_nothing_in_an_edit_is_ever_executed() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let question = ann.say("one");
    scene.telegram.wait_for_text(ann.chat(), "You said: one").await;
    let directive = ann.say("/think low");
    scene.telegram.wait_for_text(ann.chat(), "Thinking level set to low.").await;
    for text in ["/think high", "/new", "/stop", "/model fake/gpt-4.1", "stop"] {
        ann.edit(directive.message_id, text);
    }
    ann.edit(question.message_id, "/think high /fast on uno");
    scene.telegram.wait_for_text(ann.chat(), LATE).await;
    ann.press(RUN).unwrap().answered().await;
    scene.telegram.wait_for_text(ann.chat(), "You said: uno").await;
    let request = scene.model.requests().pop().unwrap();
    assert_eq!((request.model(), request.effort()), ("gpt-5.2", Some("low")));
    assert_eq!(request.body.get("service_tier"), None);
    assert_eq!(request.texts("user"), ["one", "uno"]);
    ann.say("/think");
    scene.telegram.wait_for_text(ann.chat(), "Current thinking level: low (from session)").await;
    let notices = said(&ann).into_iter().filter(|text| text == LATE).count();
    // `stop` is only a word when it is edited in, and so is a text to run.
    assert!(notices <= 2, "{:?}", said(&ann));
    scene.finish().await;
}

#[tokio::test]
async fn med_09_an_edit_that_changes_no_text_is_ignored() {
    let (scene, ann, first, gate) = busy().await;
    ann.edit(first.message_id, "one");
    catch_up(&scene, &ann).await;
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "You said: one").await;
    ann.edit(first.message_id, "one");
    ann.say("two");
    assert_eq!(finished(&scene, &ann, "You said: two").await, ["You said: one", "You said: two"]);
    scene.finish().await;
}

#[tokio::test]
async fn con_04_a_setting_is_answered_at_once_and_does_not_reach_the_run_before_it() {
    let (scene, ann, _, gate) = busy().await;
    ann.say("two");
    ann.say("/think high");
    scene.telegram.wait_for_text(ann.chat(), "Thinking level set to high.").await;
    ann.say("three");
    taken_in(&scene).await;
    gate.open();
    assert_eq!(
        finished(&scene, &ann, "You said: three").await,
        ["Thinking level set to high.", "You said: one", "You said: two", "You said: three"]
    );
    let efforts: Vec<Option<String>> =
        scene.model.requests().iter().map(|request| request.effort().map(str::to_owned)).collect();
    // Each message runs with what held when it was accepted.
    assert_eq!(efforts, [Some("medium".into()), Some("medium".into()), Some("high".into())]);
    assert_eq!(scene.model.peak(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn a_queue_beyond_its_cap_sums_its_oldest_up_and_runs_the_rest() {
    let (scene, ann, _, gate) = busy().await;
    for n in 0..25 {
        ann.say(&format!("waiting {n}"));
    }
    taken_in(&scene).await;
    catch_up(&scene, &ann).await;
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "You said: waiting 24").await;
    let requests = scene.model.requests();
    assert_eq!(requests.len(), 21, "the one that ran, and twenty");
    let summed = "[Earlier messages, shortened]\n- waiting 0\n- waiting 1\n- waiting 2\n- waiting 3\n- waiting 4\n- waiting 5";
    assert_eq!(requests[1].prompt(), summed);
    assert_eq!(requests[2].prompt(), "waiting 6");
    assert_eq!(scene.model.peak(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn con_03_many_people_at_once_are_each_answered_in_their_order() {
    let scene = Scene::start().await;
    let gate = Gate::new();
    let held = gate.clone();
    scene.model.reply_with(move |request| Some(Script::echo(request).first_byte(&held)));
    let people: Vec<Person> = (0..20).map(|n| scene.telegram.user(&format!("Person {n}"))).collect();
    for n in 0..3 {
        for person in &people {
            person.say(&format!("message {n}"));
        }
    }
    // As many at once as the configuration says, and no two of one person.
    gate.reached(16).await;
    assert!(scene.model.requests().iter().all(|request| request.prompt() == "message 0"));
    gate.open();
    for person in &people {
        scene.telegram.wait_for_text(person.chat(), "You said: message 2").await;
        assert_eq!(said(person), ["You said: message 0", "You said: message 1", "You said: message 2"]);
    }
    assert_eq!(scene.model.peak(), 16);
    scene.finish().await;
}
