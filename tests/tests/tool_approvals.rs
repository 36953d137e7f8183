//! Calls that could do harm: confined, asked about, or free by `/elevated`; who may answer, how, and what comes of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_contract::tool::Grant;
use pensive_tests::model::Script;
use pensive_tests::scene::Scene;
use pensive_tests::talk::Talk;
use pensive_tests::tools::ToolsFake;
use serde_json::{Value, json};

fn tools() -> ToolsFake {
    ToolsFake::new().dangerous("exec", |_| async { Ok("done".to_owned()) })
}

fn executes(command: &str) -> Script {
    Script::new().tool_call("exec", &json!({ "command": command }))
}

/// A scene whose people are Ann, who owns it, and Bob.
async fn scene(tools: &ToolsFake) -> (Scene, Talk) {
    let mut scene = Scene::prepared(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": ["*"] });
        config["channels"]["telegram"]["groupPolicy"] = json!("open");
    })
    .await;
    let ann = scene.telegram.user("Ann");
    let owner = format!("telegram:{}", ann.id());
    scene.reconfigure(|config| config["commands"] = json!({ "ownerAllowFrom": [owner] }));
    scene.equip(tools);
    scene.enter().await;
    let talk = Talk::with(&scene, &ann);
    (scene, talk)
}

fn result(scene: &Scene) -> String {
    scene.model.requests().pop().unwrap().tool_results().pop().unwrap().1
}

fn grants(tools: &ToolsFake) -> Vec<Grant> {
    tools.made().into_iter().map(|(_, _, grant)| grant).collect()
}

const DENIED: &str = "The person did not allow this call. Do not try it in another way; ask what they want.";

#[tokio::test]
async fn off_confines_and_full_frees_without_a_question() {
    let tools = tools();
    let (scene, mut ann) = scene(&tools).await;
    scene.model.play(executes("ls"));
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(ann.ask("/elevated full").await, "⚙️ Elevated mode set to full (auto-approve).");
    scene.model.play(executes("ls"));
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(grants(&tools), [Grant::Confined, Grant::Free]);
    scene.finish().await;
}

#[tokio::test]
async fn ask_asks_with_buttons_and_the_whole_call() {
    let tools = tools();
    let (scene, mut ann) = scene(&tools).await;
    ann.ask("/elevated ask").await;
    for (label, told, expected) in
        [("Allow once", "⚙️ Allowed once.", "done"), ("Deny", "⚙️ Denied.", DENIED)]
    {
        scene.model.play(executes("rm -r a"));
        ann.say("hello");
        let question = ann.next().await;
        assert!(question.text.starts_with("⚙️ May I do this? 🛠️ Exec: "), "{}", question.text);
        assert!(question.text.contains(r#"{"command":"rm -r a"}"#), "{}", question.text);
        assert_eq!(question.buttons, ["Allow once", "Deny"]);
        let press = ann.person().press(label).unwrap();
        let answer: Value = press.answered().await;
        assert!(answer.to_string().contains(told), "{answer}");
        assert_eq!(ann.hear().await, "You said: hello");
        assert_eq!(result(&scene), expected);
    }
    assert_eq!(grants(&tools), [Grant::Free]);
    // The question is over.
    let press = ann.person().press("Allow once").unwrap();
    assert!(press.answered().await.to_string().contains("There is nothing to approve."));
    scene.finish().await;
}

#[tokio::test]
async fn approve_answers_in_words() {
    let tools = tools();
    let (scene, mut ann) = scene(&tools).await;
    assert_eq!(ann.ask("/approve").await, "⚙️ There is nothing to approve.");
    ann.ask("/elevated ask").await;
    for (words, told, expected) in
        [("/approve", "⚙️ Allowed once.", "done"), ("/approve deny", "⚙️ Denied.", DENIED)]
    {
        scene.model.play(executes("rm -r a"));
        ann.say("hello");
        ann.next().await;
        assert_eq!(ann.ask(words).await, told);
        assert_eq!(ann.hear().await, "You said: hello");
        assert_eq!(result(&scene), expected);
    }
    scene.finish().await;
}

#[tokio::test]
async fn a_question_that_nobody_answers_is_answered_with_no() {
    let tools = tools();
    let (scene, mut ann) = scene(&tools).await;
    ann.ask("/elevated ask").await;
    scene.model.play(executes("rm -r a"));
    ann.say("hello");
    ann.next().await;
    scene.sleep_out(Duration::from_mins(10), Duration::from_mins(10)).await;
    assert_eq!(ann.hear().await, "You said: hello");
    assert_eq!(result(&scene), "Nobody allowed this call, so it was not made.");
    assert_eq!(tools.made(), []);
    scene.finish().await;
}

#[tokio::test]
async fn med_15_the_question_stands_in_the_topic_and_is_for_the_asker_and_owners() {
    let tools = tools();
    let (scene, ann) = scene(&tools).await;
    let (ann, bob, eve) = (ann.person().clone(), scene.telegram.user("Bob"), scene.telegram.user("Eve"));
    let room = scene.telegram.forum("House", &[&ann, &bob, &eve]);
    let topic = room.topic("Red", &ann.at(&room));
    let [ann, bob, eve] = [ann, bob, eve].map(|person| person.at(&room).topic(topic));
    let bot = scene.telegram.bot().username();
    let mut talk = Talk::with(&scene, &ann);
    talk.ask(&format!("/elevated@{bot} ask --chat")).await;
    scene.model.play(executes("rm -r a"));
    talk.handed_to(&bob).say(&format!("@{bot} hello"));
    let question = talk.next().await;
    assert_eq!((question.thread, question.buttons.len()), (Some(topic), 2), "{}", question.text);
    let data = question.raw["reply_markup"]["inline_keyboard"][0][0]["callback_data"].clone();
    let press = eve.press_data(&question, data.as_str().unwrap());
    assert!(press.answered().await.to_string().contains("That button is for somebody else."));
    let press = ann.press_data(&question, data.as_str().unwrap());
    assert!(press.answered().await.to_string().contains("Allowed once."));
    assert!(talk.hear().await.contains("You said"));
    assert_eq!(grants(&tools), [Grant::Free]);
    scene.finish().await;
}
