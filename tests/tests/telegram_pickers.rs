//! Pickers below bare directives: what they offer, what a press does, who may press, and what becomes of buttons that are of
//! another time or made up.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::{Scene, said};
use pensive_tests::talk::Talk;
use pensive_tests::telegram::{Person, Press, Seen};
use serde_json::{Value, json};

const LEVELS: [&str; 7] = ["off", "minimal", "low", "medium", "high", "xhigh", "Default (medium)"];

const MOVED: &str = "Model set to fake/gpt-4.1 for this session.\n\
                     Thinking level set to off (effort low not supported for fake/gpt-4.1).";

async fn start() -> (Scene, Talk) {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let talk = Talk::with(&scene, &ann);
    (scene, talk)
}

/// A scene that Ann owns.
async fn owned(change: impl FnOnce(&mut Value)) -> (Scene, Talk) {
    let mut scene = Scene::prepared(change).await;
    let ann = scene.telegram.user("Ann");
    let owner = format!("telegram:{}", ann.id());
    scene.reconfigure(|config| config["commands"] = json!({ "ownerAllowFrom": [owner] }));
    scene.enter().await;
    let talk = Talk::with(&scene, &ann);
    (scene, talk)
}

/// Tells a story while time goes on: a chat takes no more than a few messages at once.
async fn flowing(scene: &Scene, story: impl Future<Output = ()>) {
    let time = async {
        loop {
            scene.run_for(Duration::from_millis(100)).await;
        }
    };
    tokio::select! {
        biased;
        () = story => {}
        () = time => {}
    }
}

/// The message as it stands by now.
fn now(person: &Person, message: &Seen) -> Seen {
    person.sees().into_iter().find(|seen| seen.id == message.id).unwrap()
}

/// The buttons of the message once one of them is marked.
async fn marked(scene: &Scene, person: &Person, message: &Seen, mark: &str) -> Seen {
    let shows = |seen: &Seen| seen.buttons.iter().any(|button| button == mark);
    scene.telegram.wait_until(|_| Some(now(person, message)).filter(shows)).await
}

async fn told(press: Press) -> String {
    press.answered().await.get("text").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn data(message: &Seen, label: &str) -> String {
    let keyboard = message.raw["reply_markup"]["inline_keyboard"].as_array().unwrap().clone();
    let buttons = keyboard.iter().flat_map(|row| row.as_array().unwrap());
    let found = buttons.clone().find(|button| button["text"] == label).unwrap();
    found["callback_data"].as_str().unwrap().to_owned()
}

fn effort(scene: &Scene) -> Option<String> {
    scene.model.requests().pop().unwrap().effort().map(str::to_owned)
}

#[tokio::test]
async fn dir_09_a_press_is_the_directive_and_the_picker_shows_what_holds() {
    let (scene, mut ann) = start().await;
    flowing(&scene, async {
    ann.say("/think");
    let picker = ann.next().await;
    assert_eq!(
        picker.text,
        "Current thinking level: medium (from built-in).\nOptions: default, off, minimal, low, medium, high, xhigh."
    );
    assert_eq!(picker.buttons, LEVELS.map(|label| if label == "medium" { "✓ medium" } else { label }));
    let press = ann.person().press("high").unwrap();
    assert_eq!(told(press).await, "Thinking level set to high.");
    assert_eq!(ann.hear().await, "Thinking level set to high.");
    let changed = marked(&scene, ann.person(), &picker, "✓ high").await;
    assert_eq!(
        changed.text,
        "Current thinking level: high (from session).\nOptions: default, off, minimal, low, medium, high, xhigh."
    );
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(effort(&scene).as_deref(), Some("high"));
    assert_eq!(
        told(ann.person().press("Default").unwrap()).await,
        "Thinking level reset to default (medium)."
    );
    assert_eq!(ann.hear().await, "Thinking level reset to default (medium).");
    marked(&scene, ann.person(), &picker, "✓ medium").await;
    })
    .await;
    scene.finish().await;
}

#[tokio::test]
async fn every_family_has_its_picker_and_every_button_its_answer() {
    let (scene, mut ann) = owned(|_| {}).await;
    flowing(&scene, async {
        for (directive, button, answer, mark) in [
            ("/fast", "auto", "⚙️ Fast mode set to auto.", "✓ auto"),
            ("/verbose", "full", "⚙️ Verbose logging set to full.", "✓ full"),
            ("/reasoning", "stream", "⚙️ Reasoning stream enabled.", "✓ stream"),
            ("/trace", "on", "⚙️ Plugin trace enabled.", "✓ on"),
            ("/elevated", "ask", "⚙️ Elevated mode set to ask (approvals may still apply).", "✓ ask"),
            ("/queue", "collect", "⚙️ Queue mode set to collect.", "✓ collect"),
            ("/usage", "tokens", "⚙️ Usage line set to tokens.", "✓ tokens"),
            ("/effort", "low", "⚙️ Effort set to low.", "✓ low"),
            ("/model", "fake/gpt-4.1", MOVED, "✓ fake/gpt-4.1"),
        ] {
            ann.say(directive);
            let picker = ann.next().await;
            let press = ann.person().press_data(&picker, &data(&picker, button));
            assert_eq!(told(press).await, answer, "{directive}");
            assert_eq!(ann.hear().await, answer, "{directive}");
            marked(&scene, ann.person(), &picker, mark).await;
        }
        let status = ann.ask("/status").await;
        for shown in [
            "Fast:auto (60 sec)",
            "Verbose: full",
            "Reasoning: stream",
            "effort low",
            "fake/gpt-4.1",
            "collect",
        ] {
            assert!(status.contains(shown), "{shown}: {status}");
        }
    })
    .await;
    scene.finish().await;
}

#[tokio::test]
async fn what_does_not_only_ask_has_no_picker() {
    let (scene, mut ann) = start().await;
    flowing(&scene, async {
        for text in ["/think high", "/think big", "/fast status", "/model list", "/trace", "/effort high"] {
            ann.say(text);
            assert_eq!(ann.next().await.buttons, Vec::<String>::new(), "{text}");
        }
        assert!(ann.ask("/think about it").await.starts_with("Current thinking level: high"));
        assert_eq!(ann.hear().await, "You said: about it");
    })
    .await;
    scene.finish().await;
}

#[tokio::test]
async fn dir_09_a_button_of_another_model_tells_what_holds_now_and_changes_nothing() {
    let (scene, mut ann) = start().await;
    flowing(&scene, async {
        ann.say("/think");
        let picker = ann.next().await;
        ann.ask("/model fake/gpt-4.1").await;
        let press = ann.person().press_data(&picker, &data(&picker, "high"));
        let holds = "Current thinking level: off (from built-in).\nOptions: default, off.";
        assert_eq!(told(press).await, format!("This button is out of date.\n{holds}"));
        let changed = marked(&scene, ann.person(), &picker, "✓ off").await;
        assert_eq!(
            (changed.text.as_str(), changed.buttons.clone()),
            (holds, vec!["✓ off".into(), "Default (off)".into()])
        );
        // The new buttons work, and so do those that no model changes.
        ann.person().press_data(&changed, &data(&now(ann.person(), &picker), "✓ off"));
        assert_eq!(ann.hear().await, "Thinking disabled.");
        ann.say("/fast");
        let fast = ann.next().await;
        ann.ask("/model default").await;
        ann.person().press_data(&fast, &data(&fast, "on"));
        assert_eq!(ann.hear().await, "⚙️ Fast mode enabled.");
    })
    .await;
    scene.finish().await;
}

#[tokio::test]
async fn buttons_outlive_a_restart_and_nothing_can_be_made_up() {
    let (mut scene, mut ann) = start().await;
    ann.say("/think");
    let picker = ann.next().await;
    scene.restart().await;
    let press = ann.person().press_data(&picker, &data(&picker, "low"));
    assert_eq!(told(press).await, "Thinking level set to low.");
    assert_eq!(ann.hear().await, "Thinking level set to low.");
    flowing(&scene, async {
        let good = data(&picker, "high");
        let bob = scene.telegram.user("Bob");
        for forged in [
            good.replace("high", "off"),
            good.replace("think", "fast"),
            good.replace(&ann.person().id().to_string(), &bob.id().to_string()),
            good.get(..good.len() - 1).unwrap().to_owned(),
            "pick:".to_owned(),
            "pick:think:high:1::".to_owned(),
        ] {
            let press = ann.person().press_data(&picker, &forged);
            assert_eq!(told(press).await, "This button is out of date.", "{forged}");
        }
        // A button of another chat.
        let mut talk = Talk::with(&scene, &bob);
        talk.say("/think");
        let foreign = data(&talk.next().await, "high");
        let press = ann.person().press_data(&picker, &foreign);
        assert_eq!(told(press).await, "This button is out of date.");
        assert!(ann.ask("/think").await.starts_with("Current thinking level: low (from session)."));
    })
    .await;
    scene.finish().await;
}

#[tokio::test]
async fn only_the_person_it_was_shown_to_and_owners_press_and_it_is_that_persons_setting() {
    let (scene, ann) = owned(|config| config["channels"]["telegram"]["groupPolicy"] = json!("open")).await;
    flowing(&scene, async {
        let (ann, bob, eve) = (ann.person().clone(), scene.telegram.user("Bob"), scene.telegram.user("Eve"));
        let room = scene.telegram.group("House", &[&ann, &bob, &eve]);
        let [ann, bob, eve] = [ann, bob, eve].map(|person| person.at(&room));
        let mut talk = Talk::with(&scene, &bob);
        talk.say("/think");
        let picker = talk.next().await;
        let press = eve.press_data(&picker, &data(&picker, "high"));
        assert_eq!(told(press).await, "That button is for somebody else.");
        let press = bob.press_data(&picker, &data(&picker, "low"));
        assert_eq!(told(press).await, "Thinking level set to low.");
        assert_eq!(talk.hear().await, "Thinking level set to low.");
        let press = ann.press_data(&picker, &data(&picker, "high"));
        assert_eq!(told(press).await, "Thinking level set to high.");
        assert_eq!(talk.hear().await, "Thinking level set to high.");
        marked(&scene, &bob, &picker, "✓ high").await;
        assert!(talk.ask("/think").await.starts_with("Current thinking level: high (from session)."));
        assert!(talk.handed_to(&ann).ask("/think").await.starts_with("Current thinking level: medium"));
    })
    .await;
    scene.finish().await;
}

#[tokio::test]
async fn con_04_a_press_does_not_wait_for_the_run_and_does_not_reach_it() {
    let (scene, mut ann) = start().await;
    flowing(&scene, async {
        ann.say("/think");
        ann.next().await;
        let gate = Gate::new();
        scene.model.play(Script::new().first_byte(&gate).text("Done."));
        ann.say("one");
        gate.reached(1).await;
        ann.person().press("low").unwrap();
        assert_eq!(ann.hear().await, "Thinking level set to low.");
        gate.open();
        assert_eq!(ann.hear().await, "Done.");
        assert_eq!(effort(&scene).as_deref(), Some("medium"));
    })
    .await;
    scene.finish().await;
}

#[tokio::test]
async fn many_models_are_leafed_through() {
    let models = |config: &mut Value| {
        let models: Vec<Value> = (1..=20)
            .map(|n| json!({ "id": format!("m{n}"), "reasoning": false, "contextWindow": 1000 }))
            .collect();
        config["models"]["providers"]["fake"]["models"] = json!(models);
        config["agents"]["defaults"]["model"]["primary"] = json!("fake/m1");
    };
    let scene = Scene::with(models).await;
    flowing(&scene, async {
        let ann = scene.telegram.user("Ann");
        let mut talk = Talk::with(&scene, &ann);
        talk.say("/model");
        let picker = talk.next().await;
        assert_eq!(picker.buttons.len(), 10, "{:?}", picker.buttons);
        assert!(told(ann.press("›").unwrap()).await.is_empty());
        let second = marked(&scene, &ann, &picker, "‹").await;
        assert!(!second.buttons.contains(&"✓ fake/m1".to_owned()), "{:?}", second.buttons);
        let label = second.buttons[2].clone();
        ann.press(&label).unwrap();
        assert_eq!(talk.hear().await, format!("Model set to {label} for this session."));
        let changed = marked(&scene, &ann, &picker, &format!("✓ {label}")).await;
        assert!(changed.buttons.iter().any(|button| button == "‹"), "it stays on its page");
    })
    .await;
    scene.finish().await;
}

#[tokio::test]
async fn many_presses_end_with_what_was_pressed_last() {
    let (scene, mut ann) = start().await;
    flowing(&scene, async {
        ann.say("/think");
        let picker = ann.next().await;
        let presses = ["off", "low", "high", "minimal", "low", "high"];
        for label in presses {
            ann.person().press_data(&picker, &data(&picker, label));
        }
        for _ in presses {
            ann.next().await;
        }
        // What a chat takes is used up by then: the last picture waits for its turn.
        marked(&scene, ann.person(), &picker, "✓ high").await;
        assert_eq!(said(ann.person()).last().map(String::as_str), Some("Thinking level set to high."));
    })
    .await;
    scene.finish().await;
}

#[tokio::test]
async fn status_tells_what_the_last_run_told_where_trace_is_on() {
    let (scene, mut ann) = owned(|_| {}).await;
    flowing(&scene, async {
        ann.ask("hello").await;
        assert!(!ann.ask("/status").await.contains('🔎'));
        ann.ask("/trace on").await;
        let status = ann.ask("/status").await;
        assert!(status.contains("\n🔎 Model: fake/gpt-5.2, calls: 1\n"), "{status}");
        ann.ask("/new").await;
        ann.ask("/trace on").await;
        assert!(!ann.ask("/status").await.contains('🔎'));
    })
    .await;
    scene.finish().await;
}
