//! Groups and forums: when the bot is meant, whose settings hold, and where its answers stand.

#![allow(clippy::unwrap_used, reason = "a scenario that meets nothing where something must be fails there")]

use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::{Request, Script};
use pensive_tests::scene::Scene;
use pensive_tests::talk::Talk;
use pensive_tests::telegram::Person;
use serde_json::{Value, json};

/// Every group, everybody, with the rule of each group as given.
async fn open(rule: Value) -> (Scene, Person, Person) {
    let scene = Scene::with(|config| {
        let telegram = &mut config["channels"]["telegram"];
        telegram["groupPolicy"] = json!("open");
        telegram["groups"] = json!({ "*": rule });
    })
    .await;
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    (scene, ann, bob)
}

fn last(scene: &Scene) -> Request {
    scene.model.requests().pop().unwrap()
}

fn prompts(scene: &Scene) -> Vec<String> {
    scene.model.requests().iter().map(Request::prompt).collect()
}

#[tokio::test]
async fn among_people_the_bot_answers_only_when_it_is_meant() {
    let (scene, ann, bob) = open(json!({})).await;
    let room = scene.telegram.supergroup("Team", &[&ann, &bob]);
    let (ann, bob) = (ann.at(&room), bob.at(&room));
    let mut talk = Talk::with(&scene, &ann);
    let us = json!({"id": scene.telegram.bot().id(), "is_bot": true, "first_name": "Pensive"});
    ann.say("hello all");
    ann.say("@other_bot hello");
    ann.say("mail me at ann@pensive_test_bot.org");
    ann.say("stop");
    ann.say("/think high please");
    ann.photo().caption("look").send();
    let first = ann.say("@Pensive_Test_Bot one");
    let answer = talk.next().await;
    assert_eq!(
        (answer.text.as_str(), answer.reply_to),
        ("You said: Ann: @Pensive_Test_Bot one", Some(first.message_id))
    );
    let theirs = bob.say("two, not for you");
    ann.post("three, not for you either").reply_to(theirs.message_id).send();
    ann.post("four").reply_to(answer.id).send();
    assert_eq!(talk.hear().await, "You said: Ann: four");
    let named = json!({"type": "text_mention", "offset": 0, "length": 4, "user": us});
    bob.post("bot, five").entity(named).send();
    assert_eq!(talk.hear().await, "You said: Bob: bot, five");
    bob.say("/think@pensive_test_bot high six");
    assert_eq!(talk.hear().await, "Thinking level set to high.");
    assert_eq!(talk.hear().await, "You said: Bob: six");
    assert_eq!(
        prompts(&scene),
        ["Ann: @Pensive_Test_Bot one", "Ann: four", "Bob: bot, five", "Bob: six"],
        "what is said among people never reaches the model"
    );
    scene.finish().await;
}

#[tokio::test]
async fn where_no_mention_is_needed_everything_is_taken_but_what_names_another_bot() {
    let (scene, ann, bob) = open(json!({ "requireMention": false })).await;
    let room = scene.telegram.group("Family", &[&ann, &bob]);
    let mut talk = Talk::with(&scene, &ann.at(&room));
    assert_eq!(talk.ask("hello").await, "You said: Ann: hello");
    talk.say("/think@other_bot high");
    talk.say("/start@other_bot");
    talk.say("/weather@other_bot in Rome");
    assert_eq!(talk.ask("/weather in Rome").await, "You said: Ann: /weather in Rome");
    assert!(talk.ask("/think").await.starts_with("Current thinking level: medium (from built-in)."));
    assert_eq!(talk.ask("stop").await, "⚙️ Nothing is running.");
    scene.finish().await;
}

#[tokio::test]
async fn configured_words_call_the_bot_too() {
    let scene = Scene::with(|config| {
        let telegram = &mut config["channels"]["telegram"];
        telegram["groupPolicy"] = json!("open");
        telegram["mentionPatterns"] = json!(["\\bpensive\\b"]);
    })
    .await;
    let ann = scene.telegram.user("Ann");
    let room = scene.telegram.supergroup("Team", &[&ann]);
    let mut talk = Talk::with(&scene, &ann.at(&room));
    talk.say("the pensiveness of it all");
    assert_eq!(talk.ask("Pensive, what now?").await, "You said: Ann: Pensive, what now?");
    assert_eq!(talk.ask("Pensive /think low").await, "Thinking level set to low.");
    scene.finish().await;
}

#[tokio::test]
async fn dir_12_a_bare_command_needs_no_mention_unless_the_group_says_so() {
    let scene = Scene::prepared(|config| config["channels"]["telegram"]["groupPolicy"] = json!("open")).await;
    let ann = scene.telegram.user("Ann");
    let (lax, strict) =
        (scene.telegram.supergroup("Lax", &[&ann]), scene.telegram.supergroup("Strict", &[&ann]));
    let mut scene = scene;
    let rules = json!({ strict.id().to_string(): { "bareCommands": false } });
    scene.reconfigure(|config| config["channels"]["telegram"]["groups"] = rules);
    scene.enter().await;
    let mut talk = Talk::with(&scene, &ann.at(&lax));
    talk.check(&[
        ("/think high", "Thinking level set to high."),
        ("/think@pensive_test_bot low", "Thinking level set to low."),
        ("@pensive_test_bot /think off", "Thinking disabled."),
        ("/think high @pensive_test_bot", "Thinking level set to high."),
    ])
    .await;
    let mut talk = Talk::with(&scene, &ann.at(&strict));
    talk.say("/think high");
    talk.say("/status");
    assert_eq!(talk.ask("/think@pensive_test_bot low").await, "Thinking level set to low.");
    assert_eq!(talk.ask("@pensive_test_bot /think off").await, "Thinking disabled.");
    scene.finish().await;
}

#[tokio::test]
async fn a_group_shares_the_talk_and_each_keeps_their_own_settings() {
    let (scene, ann, bob) = open(json!({ "requireMention": false })).await;
    let room = scene.telegram.supergroup("Team", &[&ann, &bob]);
    let (ann, bob) = (ann.at(&room), bob.at(&room));
    let mut talk = Talk::with(&scene, &ann);
    assert_eq!(talk.ask("/think high").await, "Thinking level set to high.");
    assert_eq!(talk.ask("my dog is Rex").await, "You said: Ann: my dog is Rex");
    assert_eq!(last(&scene).effort(), Some("high"));
    let talk = talk.handed_to(&bob);
    assert!(talk.ask("/think").await.starts_with("Current thinking level: medium (from built-in)."));
    assert_eq!(talk.ask("what is her dog?").await, "You said: Bob: what is her dog?");
    assert_eq!(last(&scene).effort(), Some("medium"));
    assert_eq!(last(&scene).texts("user"), ["Ann: my dog is Rex", "Bob: what is her dog?"]);
    scene.finish().await;
}

#[tokio::test]
async fn ses_14_a_group_may_share_settings_as_well() {
    let scene = Scene::with(|config| {
        config["channels"]["telegram"]["groupPolicy"] = json!("open");
        config["session"] = json!({ "overrideScope": "session" });
    })
    .await;
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    let room = scene.telegram.supergroup("Team", &[&ann, &bob]);
    let (ann, bob) = (ann.at(&room), bob.at(&room));
    let mut talk = Talk::with(&scene, &ann);
    assert_eq!(talk.ask("/think high").await, "Thinking level set to high.");
    assert!(
        talk.handed_to(&bob).ask("/think").await.starts_with("Current thinking level: high (from session).")
    );
    scene.finish().await;
}

#[tokio::test]
async fn ses_05_two_people_never_meet_in_one_session() {
    let scene = Scene::start().await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let mut bob = Talk::with(&scene, &scene.telegram.user("Bob"));
    assert_eq!(ann.ask("/think high").await, "Thinking level set to high.");
    assert_eq!(ann.ask("my word is Basalt").await, "You said: my word is Basalt");
    assert_eq!(bob.ask("what is the word?").await, "You said: what is the word?");
    assert_eq!(last(&scene).texts("user"), ["what is the word?"]);
    assert_eq!(last(&scene).effort(), Some("medium"));
    scene.finish().await;
}

#[tokio::test]
async fn ses_13_each_topic_is_a_talk_of_its_own_and_med_12_general_is_one_too() {
    let (scene, ann, _) = open(json!({ "requireMention": false })).await;
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
    let (scene, ann, _) = open(json!({ "requireMention": false })).await;
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
async fn ses_12_a_reply_chain_in_an_ordinary_group_is_no_topic() {
    let (scene, ann, bob) = open(json!({ "requireMention": false })).await;
    let room = scene.telegram.supergroup("Team", &[&ann, &bob]);
    let ann = ann.at(&room);
    let mut talk = Talk::with(&scene, &ann);
    assert_eq!(talk.ask("/think high").await, "Thinking level set to high.");
    let root = ann.say("one");
    assert_eq!(talk.hear().await, "You said: Ann: one");
    ann.post("two").reply_to(root.message_id).send();
    assert_eq!(talk.hear().await, "You said: Ann: two");
    assert_eq!(last(&scene).texts("user"), ["Ann: one", "Ann: two"], "one session");
    assert_eq!(last(&scene).effort(), Some("high"));
    let sent = scene.telegram.calls("sendMessage");
    assert!(sent.iter().all(|call| call.params.get("message_thread_id").is_none()), "no thread is made up");
    scene.finish().await;
}

#[tokio::test]
async fn med_14_the_root_of_a_topic_is_no_reply_to_the_bot() {
    let (scene, ann, _) = open(json!({})).await;
    let forum = scene.telegram.forum("Forum", &[&ann]);
    let topic = forum.topic("Opened by the bot", &bot_as_person(&scene).at(&forum));
    let ann = ann.at(&forum).topic(topic);
    let mut talk = Talk::with(&scene, &ann);
    ann.say("said among people");
    assert_eq!(talk.ask("@pensive_test_bot hello").await, "You said: Ann: @pensive_test_bot hello");
    assert_eq!(prompts(&scene), ["Ann: @pensive_test_bot hello"]);
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
    let (scene, ann, _) = open(json!({ "requireMention": false })).await;
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
async fn med_05_service_messages_and_med_10_other_bots_start_nothing() {
    let (scene, ann, bob) = open(json!({ "requireMention": false })).await;
    let room = scene.telegram.supergroup("Team", &[&ann, &bob]);
    let (ann, bob) = (ann.at(&room), bob.at(&room));
    let mut talk = Talk::with(&scene, &ann);
    let noted = ann.say("pin this");
    assert_eq!(talk.hear().await, "You said: Ann: pin this");
    ann.service("pinned_message", json!({"message_id": noted.message_id, "date": 1, "chat": {"id": room.id(), "type": "supergroup"}, "text": "/think high"}));
    bob.join(&room);
    ann.service("new_chat_title", json!("/think high"));
    ann.service("left_chat_member", json!({"id": 5, "is_bot": false, "first_name": "Eve"}));
    let robot = json!({"id": 77, "is_bot": true, "first_name": "Robot"});
    let said = ann.post("beep @pensive_test_bot").field("from", robot.clone()).send();
    ann.edit(said.message_id, "beep beep");
    ann.post("/think high").field("from", robot).send();
    ann.post("from the channel").field("is_automatic_forward", json!(true)).send();
    ann.react(noted.message_id, "👍");
    assert_eq!(talk.ask("and now").await, "You said: Ann: and now");
    assert_eq!(prompts(&scene), ["Ann: pin this", "Ann: and now"]);
    assert_eq!(last(&scene).effort(), Some("medium"));
    scene.finish().await;
}

#[tokio::test]
async fn a_group_has_starting_values_of_its_own() {
    let (scene, ann, _) =
        open(json!({ "requireMention": false, "thinkingDefault": "low", "fastModeDefault": "on" })).await;
    let room = scene.telegram.supergroup("Team", &[&ann]);
    let mut talk = Talk::with(&scene, &ann.at(&room));
    assert!(talk.ask("/think").await.starts_with("Current thinking level: low (from agent default)."));
    assert!(talk.ask("/fast status").await.starts_with("Current fast mode: on (from agent default)."));
    assert_eq!(talk.ask("hello").await, "You said: Ann: hello");
    assert_eq!(last(&scene).effort(), Some("low"));
    scene.finish().await;
}
