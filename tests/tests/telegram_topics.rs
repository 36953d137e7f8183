//! Forum topics and topics of direct chats: each a talk of its own, answered in place.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::{Request, Script};
use pensive_tests::scene::Scene;
use pensive_tests::talk::Talk;
use pensive_tests::telegram::Person;
use serde_json::{Value, json};

/// Every group, everybody, with the rule of each group as given.
async fn open(rule: Value) -> (Scene, Person) {
    let scene = Scene::with(|config| {
        let telegram = &mut config["channels"]["telegram"];
        telegram["groupPolicy"] = json!("open");
        telegram["groups"] = json!({ "*": rule });
    })
    .await;
    let ann = scene.telegram.user("Ann");
    (scene, ann)
}

fn last(scene: &Scene) -> Request {
    scene.model.requests().pop().unwrap()
}

#[tokio::test]
async fn ses_13_each_topic_is_a_talk_of_its_own_and_med_12_general_is_one_too() {
    let (scene, ann) = open(json!({ "requireMention": false })).await;
    let forum = scene.telegram.forum("Forum", &[&ann]);
    let ann = ann.at(&forum);
    let (red, blue) = (forum.topic("Red", &ann), forum.topic("Blue", &ann));
    let mut talk = Talk::with(&scene, &ann);
    for (topic, text) in [(Some(red), "red rose"), (Some(blue), "blue sea"), (None, "general words")] {
        let person = topic.map_or(ann.clone(), |topic| ann.topic(topic));
        person.say("/think high");
        let ack = talk.next().await;
        assert_eq!((ack.text.as_str(), ack.thread), ("Thinking level set to high.", topic));
        person.say(text);
        let answer = talk.next().await;
        assert_eq!((answer.text, answer.thread), (format!("You said: Ann: {text}"), topic));
        assert_eq!(last(&scene).texts("user"), [format!("Ann: {text}")], "topics share nothing");
        assert_eq!(last(&scene).effort(), Some("high"));
        person.say("/new");
        assert_eq!(talk.hear().await, "⚙️ New session started. No longer set: thinking high.");
    }
    ann.topic(red).say("/think low");
    assert_eq!(talk.hear().await, "Thinking level set to low.");
    ann.topic(blue).say("/think");
    assert!(talk.hear().await.starts_with("Current thinking level: medium (from built-in)."));
    scene.finish().await;
}

#[tokio::test]
async fn med_12_typing_in_general_carries_its_id_and_messages_do_not() {
    let (scene, ann) = open(json!({ "requireMention": false })).await;
    let forum = scene.telegram.forum("Forum", &[&ann]);
    let ann = ann.at(&forum);
    let topic = forum.topic("Red", &ann);
    let mut talk = Talk::with(&scene, &ann);
    for (person, typed, sent) in
        [(ann.clone(), json!(1), Value::Null), (ann.topic(topic), json!(topic), json!(topic))]
    {
        let gate = Gate::new();
        scene.model.play(Script::new().wait(&gate).text("Done."));
        let seen = scene.telegram.calls("sendChatAction").len();
        person.say("work");
        scene.model.wait_for_running(1).await;
        scene.sleep_out(Duration::from_millis(200), Duration::from_millis(200)).await;
        let typing = scene.telegram.wait_for_nth(seen + 1, |call| call.method == "sendChatAction").await;
        assert_eq!(typing.params["message_thread_id"], typed);
        gate.open();
        assert_eq!(talk.hear().await, "Done.");
        let answer = scene.telegram.calls("sendMessage").pop().unwrap();
        assert_eq!(answer.params.get("message_thread_id").cloned().unwrap_or_default(), sent);
    }
    scene.finish().await;
}

#[tokio::test]
async fn med_14_the_root_of_a_topic_is_no_reply_to_the_bot() {
    let (scene, ann) = open(json!({})).await;
    let forum = scene.telegram.forum("Forum", &[&ann]);
    let topic = forum.topic("Opened by the bot", &bot_as_person(&scene).at(&forum));
    let ann = ann.at(&forum).topic(topic);
    let mut talk = Talk::with(&scene, &ann);
    ann.say("said among people");
    assert_eq!(talk.ask("@pensive_test_bot hello").await, "You said: Ann: @pensive_test_bot hello");
    assert_eq!(scene.model.count(), 1);
    scene.finish().await;
}

/// The bot's own account at a keyboard, to open a topic with.
fn bot_as_person(scene: &Scene) -> Person {
    scene.telegram.user_with_id(scene.telegram.bot().id(), "Pensive")
}

#[tokio::test]
async fn med_11_ses_08_topics_of_direct_chats_are_kept_apart_and_answered_in_place() {
    let scene = Scene::start().await;
    scene.telegram.bot().enable_topics();
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    let (hers, his) = (ann.open_topic(), bob.open_topic());
    let mut talk = Talk::with(&scene, &ann);
    ann.topic(hers).say("/think high");
    let ack = talk.next().await;
    assert_eq!((ack.text.as_str(), ack.thread), ("Thinking level set to high.", Some(hers)));
    assert!(talk.ask("/think").await.starts_with("Current thinking level: medium (from built-in)."));
    let outside = scene.telegram.calls("sendMessage").pop().unwrap();
    assert_eq!(outside.params.get("message_thread_id"), None);
    let mut talk = Talk::with(&scene, &bob);
    bob.topic(his).say("/think");
    assert!(talk.hear().await.starts_with("Current thinking level: medium (from built-in)."));
    scene.finish().await;
}

#[tokio::test]
async fn med_13_an_answer_to_a_topic_that_is_gone_goes_to_the_chat_once() {
    let (scene, ann) = open(json!({ "requireMention": false })).await;
    let forum = scene.telegram.forum("Forum", &[&ann]);
    let ann = ann.at(&forum);
    let topic = forum.topic("Soon gone", &ann);
    let mut talk = Talk::with(&scene, &ann);
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).text("Too late."));
    ann.topic(topic).say("think about it");
    scene.model.wait_for_running(1).await;
    forum.delete_topic(topic);
    gate.open();
    let answer = talk.next().await;
    assert_eq!((answer.text.as_str(), answer.thread), ("Too late.", None));
    let tried = scene.telegram.calls("sendMessage");
    assert_eq!(tried.iter().map(|call| call.status).collect::<Vec<_>>(), [400, 200]);
    scene.finish().await;
}

#[tokio::test]
async fn a_topic_has_its_own_list_its_own_values_and_its_own_words_for_the_model() {
    let scene = Scene::prepared(|config| {
        config["channels"]["telegram"]["groupPolicy"] = json!("open");
        config["agents"]["defaults"]["prompt"] = json!("You are the agent.");
    })
    .await;
    let (ann, bob) = (scene.telegram.user_with_id(1, "Ann"), scene.telegram.user_with_id(2, "Bob"));
    let forum = scene.telegram.forum("Forum", &[&ann, &bob]);
    let (ann, bob) = (ann.at(&forum), bob.at(&forum));
    let (free, shut) = (forum.topic("Free", &ann), forum.topic("Shut", &ann));
    let mut scene = scene;
    let rules = json!({ forum.id().to_string(): {
        "thinkingDefault": "low",
        "prompt": "This is the forum.",
        "topics": {
            free.to_string(): { "requireMention": false, "thinkingDefault": "high", "prompt": "Speak of art." },
            shut.to_string(): { "requireMention": false, "allowFrom": ["2"] },
        },
    } });
    scene.reconfigure(|config| config["channels"]["telegram"]["groups"] = rules);
    scene.enter().await;
    let mut talk = Talk::with(&scene, &ann);
    ann.say("unheard");
    ann.topic(shut).say("unheard too");
    ann.topic(shut).say("/think high");
    ann.topic(free).say("heard");
    assert_eq!(talk.hear().await, "You said: Ann: heard");
    assert_eq!(last(&scene).effort(), Some("high"));
    assert_eq!(last(&scene).instructions(), "You are the agent.\n\nThis is the forum.\n\nSpeak of art.");
    bob.topic(shut).say("mine");
    assert_eq!(talk.hear().await, "You said: Bob: mine");
    assert_eq!(last(&scene).effort(), Some("low"));
    assert_eq!(last(&scene).instructions(), "You are the agent.\n\nThis is the forum.");
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}
