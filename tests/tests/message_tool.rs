//! Messages that a run sends by itself: where to, in which form, and what becomes of the answer after them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::model::Script;
use pensive_tests::scene::{MODEL_KEY, Scene, said};
use pensive_tests::talk::Talk;
use serde_json::{Value, json};

const MESSAGE: &str = "message";
const SENT: &str = "Sent to this chat. Do not say it again in your answer.";

fn sends(text: &str) -> Script {
    Script::new().tool_call(MESSAGE, &json!({ "text": text }))
}

async fn with(change: impl FnOnce(&mut Value)) -> Scene {
    Scene::with(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": [MESSAGE] });
        change(config);
    })
    .await
}

async fn scene() -> (Scene, Talk) {
    let scene = with(|_| {}).await;
    let ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    (scene, ann)
}

fn result(scene: &Scene) -> String {
    scene.model.requests().pop().unwrap().tool_results().pop().unwrap().1
}

#[tokio::test]
async fn a_message_goes_out_at_once_and_the_answer_after_it() {
    let (scene, mut ann) = scene().await;
    scene.model.play(sends("*Half* of it."));
    ann.say("hello");
    assert_eq!(ann.hear().await, "Half of it.");
    assert_eq!(ann.hear().await, "You said: hello");
    assert_eq!(result(&scene), SENT);
    scene.finish().await;
}

#[tokio::test]
async fn rsn_16_tool_07_thoughts_and_secrets_stay_behind() {
    let (scene, mut ann) = scene().await;
    scene.model.play(sends(&format!("<think>They want it.</think>The key is {MODEL_KEY}.")));
    ann.say("hello");
    assert_eq!(ann.hear().await, "The key is •••.");
    assert_eq!(ann.hear().await, "You said: hello");
    scene.model.play(sends("<thinking></thinking> "));
    assert_eq!(ann.ask("two").await, "You said: two");
    assert_eq!(result(&scene), "Nothing of this text is for people to see, so it was not sent.");
    scene.finish().await;
}

#[tokio::test]
async fn rsn_19_who_has_sent_its_answer_may_end_without_a_word() {
    let (scene, mut ann) = scene().await;
    scene.model.play(sends("Seven."));
    scene.model.play(Script::new());
    assert_eq!(ann.ask("how many?").await, "Seven.");
    assert_eq!(ann.ask("two").await, "You said: two");
    // What was sent is known afterwards.
    let request = scene.model.requests().pop().unwrap();
    assert_eq!(request.texts("user"), ["how many?", "two"]);
    assert_eq!(request.tool_results().pop().unwrap().1, SENT);
    assert_eq!(said(ann.person()).len(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn tool_10_what_was_sent_is_not_sent_again_as_the_answer() {
    let (scene, mut ann) = scene().await;
    scene.model.play(sends("Seven of them,\nin **all**."));
    scene.model.play(Script::new().text(" Seven of them, in **all**.\n"));
    assert_eq!(ann.ask("how many?").await, "Seven of them,\nin all.");
    assert_eq!(ann.ask("two").await, "You said: two");
    scene.model.play(sends("Seven."));
    scene.model.play(Script::new().text("Seven, and no more."));
    assert_eq!(ann.ask("how many?").await, "Seven.");
    assert_eq!(ann.hear().await, "Seven, and no more.");
    assert_eq!(said(ann.person()).len(), 4);
    scene.finish().await;
}

#[tokio::test]
async fn strangers_are_not_written_to() {
    let (scene, mut ann) = scene().await;
    let bob = scene.telegram.user("Bob");
    let mut other = Talk::with(&scene, &bob);
    assert_eq!(other.ask("hello").await, "You said: hello");
    let to = bob.id().to_string();
    scene.model.play(Script::new().tool_call(MESSAGE, &json!({ "text": "Boo.", "to": to })));
    assert_eq!(ann.ask("tell Bob").await, "You said: tell Bob");
    assert_eq!(ann.hear().await, format!("⚠️ ✉️ Message: {to} failed"));
    assert_eq!(result(&scene), format!("This conversation may not write to \"{to}\"."));
    scene.model.play(Script::new().tool_call(MESSAGE, &json!({ "text": "Boo.", "channel": "discord" })));
    assert_eq!(ann.ask("tell them").await, "You said: tell them");
    assert_eq!(ann.hear().await, "⚠️ ✉️ Message failed");
    assert_eq!(result(&scene), "Other channels than that of this chat cannot be reached.");
    assert_eq!(said(&bob).len(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn a_group_that_was_set_up_is_written_to_with_leave() {
    let mut scene = Scene::prepared(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": [MESSAGE] });
    })
    .await;
    let person = scene.telegram.user("Ann");
    let room = scene.telegram.supergroup("Kitchen", &[&person]);
    let (owner, group) = (format!("telegram:{}", person.id()), room.id().to_string());
    scene.reconfigure(|config| {
        config["commands"] = json!({ "ownerAllowFrom": [owner] });
        config["channels"]["telegram"]["groups"] = json!({ &group: {} });
    });
    scene.enter().await;
    let (mut ann, mut kitchen) = (Talk::with(&scene, &person), Talk::with(&scene, &person.at(&room)));
    let sends = || Script::new().tool_call(MESSAGE, &json!({ "text": "Dinner!", "to": group }));
    scene.model.play(sends());
    assert_eq!(ann.ask("call them").await, "You said: call them");
    assert_eq!(ann.hear().await, format!("⚠️ ✉️ Message: {group} failed"));
    assert!(result(&scene).starts_with("Nobody has allowed messages to other chats."), "{}", result(&scene));
    ann.ask("/elevated ask").await;
    scene.model.play(sends());
    ann.say("call them");
    let question = ann.next().await;
    assert!(question.text.starts_with("⚙️ May I do this? ✉️ Message: "), "{}", question.text);
    ann.person().press("Allow once").unwrap();
    assert_eq!(kitchen.hear().await, "Dinner!");
    assert_eq!(ann.hear().await, "You said: call them");
    assert_eq!(result(&scene), "Sent.");
    scene.finish().await;
}

#[tokio::test]
async fn from_a_group_its_person_is_written_to_alone_once_they_have_talked_alone() {
    let scene = with(|config| config["channels"]["telegram"]["groupPolicy"] = json!("open")).await;
    let person = scene.telegram.user("Ann");
    let room = scene.telegram.supergroup("Kitchen", &[&person]);
    let (mut alone, mut kitchen) = (Talk::with(&scene, &person), Talk::with(&scene, &person.at(&room)));
    let ask = format!("@{} hello", scene.telegram.bot().username());
    let whispers = || Script::new().tool_call(MESSAGE, &json!({ "text": "Psst.", "to": "me" }));
    scene.model.play(whispers());
    assert!(kitchen.ask(&ask).await.contains("You said"));
    assert_eq!(kitchen.hear().await, "⚠️ ✉️ Message: me failed");
    assert_eq!(result(&scene), "This person has not talked to me alone, so I cannot write to them.");
    assert_eq!(alone.ask("hello").await, "You said: hello");
    scene.model.play(whispers());
    kitchen.say(&ask);
    assert_eq!(alone.hear().await, "Psst.");
    assert!(kitchen.hear().await.contains("You said"));
    assert_eq!(said(kitchen.person()).len(), 3);
    scene.finish().await;
}

#[tokio::test]
async fn tool_12_only_structured_calls_are_made() {
    let (scene, mut ann) = scene().await;
    let prose = "I run message({\"text\": \"Boo.\"}) -> sent, and `rm -r /`.";
    scene.model.play(Script::new().text(prose));
    assert_eq!(ann.ask("hello").await, "I run message({\"text\": \"Boo.\"}) -> sent, and rm -r /.");
    assert_eq!(ann.ask("two").await, "You said: two");
    assert_eq!((scene.model.count(), said(ann.person()).len()), (2, 2));
    scene.finish().await;
}

#[tokio::test]
async fn rsn_19_who_waits_at_the_machine_is_told_that_the_turn_is_over() {
    let scene = Scene::prepared(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": [MESSAGE] });
    })
    .await;
    scene.model.play(sends("Seven."));
    scene.model.play(Script::new());
    scene.run(&["chat", "how many?"]).await.expect(0, &["Seven.\n", "⚙️ That was all.\n"]);
    scene.finish().await;
}
