//! Buttons and menus on Discord: below bare directives, for one person or in front of all, and below what needs an answer.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_contract::tool::Grant;
use pensive_tests::chat::Chat;
use pensive_tests::discord::{Person, Seen};
use pensive_tests::gate::Gate;
use pensive_tests::model::{Failure, Script};
use pensive_tests::scene::Scene;
use pensive_tests::tools::ToolsFake;
use serde_json::{Value, json};

const LEVELS: [&str; 7] = ["off", "minimal", "low", "✓ medium", "high", "xhigh", "Default (medium)"];
const HIGH: &str = "Thinking level set to high.";
const ELSES: &str = "That button is for somebody else.";

/// Ann, who owns the scene, alone with the bot, and commands are offered.
async fn owned(change: impl FnOnce(&mut Value), tools: Option<&ToolsFake>) -> (Scene, Chat) {
    let mut scene = Scene::prepared_for_discord(|config| {
        config["channels"]["discord"]["streaming"] = "off".into();
        config["channels"]["discord"]["groupPolicy"] = "open".into();
        config["channels"]["discord"]["groupAllowFrom"] = json!(["*"]);
        change(config);
    })
    .await;
    scene.discord.unlimited();
    let ann = scene.discord.person("Ann");
    let owner = format!("discord:{}", ann.id());
    scene.reconfigure(|config| config["commands"] = json!({ "ownerAllowFrom": [owner] }));
    if let Some(tools) = tools {
        scene.equip(tools);
    }
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    scene.discord.wait_until(|_| ann.is_offered("think").then_some(())).await;
    let chat = Chat::with(&scene, &ann);
    (scene, chat)
}

/// A room of a guild with these people in it.
fn guild<const N: usize>(scene: &Scene, people: [&Person; N]) -> [Person; N] {
    let room = scene.discord.guild("Home", &people).channel("kitchen");
    people.map(|person| person.in_room(&room))
}

fn now(person: &Person, message: &Seen) -> Seen {
    person.saw(message.id).unwrap()
}

/// The message once one of its buttons, or an option of its menu, is marked.
async fn marked(scene: &Scene, person: &Person, message: &Seen, mark: &str) -> Seen {
    let name = mark.trim_start_matches("✓ ");
    let shows = |seen: &Seen| {
        seen.buttons.iter().any(|button| button == mark)
            || seen
                .menus
                .iter()
                .flat_map(|menu| &menu.options)
                .any(|option| option.marked && option.label == name)
    };
    scene.discord.wait_until(|_| Some(now(person, message)).filter(shows)).await
}

fn effort(scene: &Scene) -> Option<String> {
    scene.model.requests().pop().unwrap().effort().map(str::to_owned)
}

/// What the person sees of bots that is for them alone.
fn private(person: &Person) -> Vec<String> {
    person.sees().into_iter().filter(|seen| seen.ephemeral && !seen.loading).map(|seen| seen.text).collect()
}

#[tokio::test]
async fn dir_09_a_press_below_a_picker_for_one_person_sets_and_repaints_it() {
    let (scene, mut ann) = owned(|_| {}, None).await;
    ann.person().command("think", &[]);
    let picker = ann.next().await;
    assert!(picker.ephemeral);
    assert!(picker.text.starts_with("Current thinking level: medium (from built-in)."), "{}", picker.text);
    assert_eq!(picker.buttons, LEVELS);
    ann.person().press(picker.id, "high").heard().await;
    let answer = ann.next().await;
    assert_eq!((answer.text.as_str(), answer.ephemeral), (HIGH, true));
    let changed = marked(&scene, ann.person(), &picker, "✓ high").await;
    assert!(changed.text.starts_with("Current thinking level: high (from session)."), "{}", changed.text);
    assert_eq!(ann.ask("hello").await, "You said: hello", "it is told once");
    assert_eq!(effort(&scene).as_deref(), Some("high"));
    scene.finish().await;
}

#[tokio::test]
async fn dir_09_a_press_below_a_picker_for_all_is_its_persons_alone() {
    let (scene, ann) = owned(|_| {}, None).await;
    let [ann, bob, eve] =
        guild(&scene, [ann.person(), &scene.discord.person("Bob"), &scene.discord.person("Eve")]);
    let mut chat = Chat::with(&scene, &bob);
    bob.say("/think");
    let picker = chat.next().await;
    assert_eq!((picker.ephemeral, picker.buttons.as_slice()), (false, LEVELS.map(str::to_owned).as_slice()));
    eve.press(picker.id, "high");
    scene.discord.wait_until(|_| (private(&eve) == [ELSES]).then_some(())).await;
    bob.press(picker.id, "low");
    assert_eq!(chat.hear().await, "Thinking level set to low.");
    marked(&scene, &bob, &picker, "✓ low").await;
    // An owner may press for somebody.
    ann.press(picker.id, "high");
    marked(&scene, &bob, &picker, "✓ high").await;
    bob.mention_and_say("hello");
    bob.wait_for("hello").await;
    assert_eq!(effort(&scene).as_deref(), Some("high"));
    eve.mention_and_say("and me");
    eve.wait_for("and me").await;
    assert_eq!(effort(&scene).as_deref(), Some("medium"));
    scene.finish().await;
}

#[tokio::test]
async fn dir_09_a_button_of_another_model_tells_what_holds_now_and_changes_nothing() {
    let (scene, mut ann) = owned(|_| {}, None).await;
    ann.person().command("think", &[]);
    let picker = ann.next().await;
    assert!(ann.ask("/model fake/gpt-4.1").await.starts_with("Model set to fake/gpt-4.1"));
    ann.person().press(picker.id, "high").heard().await;
    let holds = "Current thinking level: off (from built-in).\nOptions: default, off.";
    assert_eq!(ann.hear().await, format!("This button is out of date.\n{holds}"));
    let changed = marked(&scene, ann.person(), &picker, "✓ off").await;
    assert_eq!(
        (changed.text.as_str(), changed.buttons.as_slice()),
        (holds, ["✓ off".to_owned(), "Default (off)".to_owned()].as_slice())
    );
    ann.person().press(picker.id, "✓ off");
    assert_eq!(ann.hear().await, "Thinking disabled.");
    scene.finish().await;
}

#[tokio::test]
async fn every_family_has_its_picker() {
    let (scene, mut ann) = owned(|_| {}, None).await;
    for (command, button, answer) in [
        ("fast", "auto", "⚙️ Fast mode set to auto."),
        ("verbose", "full", "⚙️ Verbose logging set to full."),
        ("reasoning", "stream", "⚙️ Reasoning stream enabled."),
        ("trace", "on", "⚙️ Plugin trace enabled."),
        ("elevated", "ask", "⚙️ Elevated mode set to ask (approvals may still apply)."),
        ("queue", "collect", "⚙️ Queue mode set to collect."),
        ("usage", "tokens", "⚙️ Usage line set to tokens."),
    ] {
        for typed in [false, true] {
            if typed {
                ann.person().say(&format!("/{command}"));
            } else {
                ann.person().command(command, &[]);
            }
            let picker = ann.next().await;
            let label = if typed { format!("✓ {button}") } else { button.to_owned() };
            ann.person().press(picker.id, &label);
            assert_eq!(ann.hear().await, answer, "/{command}");
            marked(&scene, ann.person(), &picker, &format!("✓ {button}")).await;
        }
    }
    scene.finish().await;
}

#[tokio::test]
async fn buttons_outlive_a_restart() {
    let (mut scene, mut ann) = owned(|_| {}, None).await;
    ann.person().command("think", &[]);
    let private = ann.next().await;
    ann.person().say("/think");
    let public = ann.next().await;
    scene.restart().await;
    scene.discord.line().wait_until_open().await;
    for (picker, label, answer) in [(&private, "low", "Thinking level set to low."), (&public, "high", HIGH)]
    {
        ann.person().press(picker.id, label);
        assert_eq!(ann.hear().await, answer);
        marked(&scene, ann.person(), picker, &format!("✓ {label}")).await;
    }
    scene.finish().await;
}

#[tokio::test]
async fn many_models_are_a_menu_that_is_leafed_through() {
    let (scene, mut ann) = owned(
        |config| {
            let model = |n| json!({ "id": format!("m{n}"), "reasoning": false, "contextWindow": 1000 });
            config["models"]["providers"]["fake"]["models"] = (1..=20).map(model).collect();
            config["agents"]["defaults"]["model"]["primary"] = "fake/m1".into();
        },
        None,
    )
    .await;
    for typed in [false, true] {
        if typed {
            ann.person().say("/model");
        } else {
            ann.person().command("model", &[]);
        }
        let picker = ann.next().await;
        assert_eq!(picker.menus.len(), 1, "{picker:?}");
        let first = &picker.menus[0];
        assert!(first.options.len() <= 25 && picker.menus.len() == 1, "{:?}", picker.menus);
        assert!(first.options.iter().any(|option| option.marked), "{:?}", first.options);
        ann.person().press(picker.id, "›").heard().await;
        let turned = |seen: &Seen| seen.menus[0].options != picker.menus[0].options;
        let second = scene.discord.wait_until(|_| Some(now(ann.person(), &picker)).filter(turned)).await;
        let choice = second.menus[0]
            .options
            .iter()
            .find(|option| !option.marked && option.label.starts_with("fake/"))
            .unwrap();
        let label = choice.label.clone();
        ann.person().choose(picker.id, &choice.value).heard().await;
        assert_eq!(ann.hear().await, format!("Model set to {label} for this session."));
        marked(&scene, ann.person(), &picker, &label).await;
        ann.ask("hello").await;
        assert_eq!(format!("fake/{}", scene.model.requests().pop().unwrap().model()), label);
        assert!(ann.ask("/model default").await.starts_with("Model reset to default (fake/m1)"));
    }
    scene.finish().await;
}

#[tokio::test]
async fn a_failed_run_is_tried_again_by_its_button() {
    let (scene, mut ann) = owned(|_| {}, None).await;
    scene.model.play(Script::fail(Failure::words(400, "bad request")));
    ann.person().say("hello");
    let failed = ann.next().await;
    let buttons = failed.buttons.clone();
    assert_eq!(buttons.len(), 1, "{failed:?}");
    ann.person().press(failed.id, &buttons[0]).heard().await;
    assert_eq!(ann.hear().await, "You said: hello");
    scene.finish().await;
}

#[tokio::test]
async fn a_call_that_could_do_harm_is_asked_about_and_only_the_asker_and_owners_answer() {
    let tools = ToolsFake::new().dangerous("exec", |_| async { Ok("done".to_owned()) });
    let (scene, ann) =
        owned(|config| config["agents"]["defaults"]["tools"] = json!({ "allow": ["*"] }), Some(&tools)).await;
    let [ann, eve] = guild(&scene, [ann.person(), &scene.discord.person("Eve")]);
    let mut chat = Chat::with(&scene, &ann);
    chat.call("/elevated ask").await;
    for (label, granted) in [("Allow once", 1), ("Deny", 1)] {
        scene.model.play(Script::new().tool_call("exec", &json!({ "command": "rm -r a" })));
        ann.mention_and_say("hello");
        let question = chat.next().await;
        assert!(question.text.starts_with("⚙️ May I do this? 🛠️ Exec: "), "{}", question.text);
        assert_eq!(question.buttons, ["Allow once", "Deny"]);
        let before = private(&eve).len();
        eve.press(question.id, "Allow once");
        scene.discord.wait_until(|_| (private(&eve).len() > before).then_some(())).await;
        assert_eq!(private(&eve).pop().as_deref(), Some(ELSES));
        ann.press(question.id, label).heard().await;
        scene
            .discord
            .wait_until(|_| ann.said().last().is_some_and(|text| text.contains("hello")).then_some(()))
            .await;
        assert_eq!(tools.made().iter().filter(|(_, _, grant)| *grant == Grant::Free).count(), granted);
        chat = Chat::with(&scene, &ann);
    }
    scene.finish().await;
}

#[tokio::test]
async fn con_04_a_press_does_not_wait_for_the_run_and_does_not_reach_it() {
    let (scene, mut ann) = owned(|_| {}, None).await;
    ann.person().command("think", &[]);
    let picker = ann.next().await;
    let gate = Gate::new();
    scene.model.play(Script::new().first_byte(&gate).text("Done."));
    ann.person().say("one");
    gate.reached(1).await;
    ann.person().press(picker.id, "low");
    assert_eq!(ann.hear().await, "Thinking level set to low.");
    gate.open();
    assert_eq!(ann.hear().await, "Done.");
    assert_eq!(effort(&scene).as_deref(), Some("medium"));
    scene.finish().await;
}

#[tokio::test]
async fn many_presses_end_with_what_was_pressed_last() {
    let (scene, mut ann) = owned(|_| {}, None).await;
    ann.person().say("/think");
    let picker = ann.next().await;
    let presses = ["off", "low", "high", "minimal", "low", "high"];
    for label in presses {
        // As quick fingers do it: before the picture has changed.
        ann.person().press(picker.id, label);
    }
    for _ in presses {
        ann.next().await;
    }
    marked(&scene, ann.person(), &picker, "✓ high").await;
    assert!(ann.ask("/think").await.starts_with("Current thinking level: high (from session)."));
    scene.finish().await;
}
