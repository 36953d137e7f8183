//! Groups and forums: when the bot is meant, whose settings hold, and where its answers stand.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::model::Request;
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
    assert_eq!(talk.ask("@pensive_test_bot stop").await, "⚙️ Nothing is running.");
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

#[tokio::test]
async fn dir_05_off_is_shown_and_holds_in_a_group_too() {
    let (scene, ann, _) = open(json!({ "requireMention": false, "thinkingDefault": "high" })).await;
    let room = scene.telegram.supergroup("Team", &[&ann]);
    let mut talk = Talk::with(&scene, &ann.at(&room));
    assert_eq!(talk.ask("/t off").await, "Thinking disabled.");
    assert!(talk.ask("/think").await.starts_with("Current thinking level: off (from session)."));
    assert_eq!(talk.ask("hello").await, "You said: Ann: hello");
    assert_eq!(last(&scene).effort(), Some("none"));
    scene.finish().await;
}

#[tokio::test]
async fn dir_17_what_somebody_else_wrote_is_never_read_as_mine() {
    let (scene, ann, bob) = open(json!({})).await;
    let room = scene.telegram.supergroup("Team", &[&ann, &bob]);
    let (ann, bob) = (ann.at(&room), bob.at(&room));
    let mut talk = Talk::with(&scene, &bob);
    let hers = ann.say("/think high");
    assert_eq!(talk.hear().await, "Thinking level set to high.");
    bob.post("@pensive_test_bot what does she mean?").reply_to(hers.message_id).quote("/think high").send();
    assert_eq!(talk.hear().await, "You said: Bob: @pensive_test_bot what does she mean?");
    assert_eq!(last(&scene).effort(), Some("medium"));
    assert!(talk.ask("/think").await.starts_with("Current thinking level: medium (from built-in)."));
    scene.finish().await;
}

#[tokio::test]
async fn all_direct_chats_may_share_one_talk_where_that_is_wanted() {
    let scene = Scene::with(|config| config["session"] = json!({ "dmScope": "main" })).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let mut bob = Talk::with(&scene, &scene.telegram.user("Bob"));
    assert_eq!(ann.ask("/think high").await, "Thinking level set to high.");
    assert_eq!(ann.ask("my word is Basalt").await, "You said: my word is Basalt");
    assert_eq!(bob.ask("what is the word?").await, "You said: what is the word?");
    assert_eq!(last(&scene).texts("user"), ["my word is Basalt", "what is the word?"]);
    assert_eq!(last(&scene).effort(), Some("medium"), "settings stay their sender's");
    scene.finish().await;
}
