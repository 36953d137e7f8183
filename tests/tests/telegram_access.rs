//! Who is let in, who may direct, and how often: strangers leave no trace.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::path::Path;
use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::{Request, Script};
use pensive_tests::scene::Scene;
use pensive_tests::talk::Talk;
use pensive_tests::telegram::Person;
use serde_json::json;

/// Whether any file below `folder` holds `words`.
fn holds(folder: &Path, words: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds(&path, words);
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        bytes.windows(words.len()).any(|window| window == words.as_bytes())
    })
}

/// Everything that a person could do to be noticed.
fn tries_everything(person: &Person, secret: &str) {
    person.say(&format!("{secret} hello"));
    person.say("/think high");
    person.say("/start");
    person.say("stop");
    person.photo().caption(secret).send();
    person.album(&[secret, ""]);
    person.voice().send();
    let said = person.say(secret);
    person.edit(said.message_id, &format!("{secret} again"));
}

async fn assert_a_stranger_leaves_no_trace(mut scene: Scene, stranger: &Person, known: &Person) {
    tries_everything(stranger, "Zirconium");
    let mut talk = Talk::with(&scene, known);
    assert_eq!(talk.ask("Quartz").await, "You said: Quartz");
    assert_eq!(scene.model.requests().iter().map(Request::prompt).collect::<Vec<_>>(), ["Quartz"]);
    let outward = scene.telegram.calls_where(|call| call.chat().is_some_and(|chat| chat == stranger.chat()));
    assert_eq!(outward, [], "nothing is answered, typed or deleted");
    assert_eq!(scene.telegram.calls("getFile"), [], "med_17: nothing is fetched");
    assert_eq!(scene.house().engine().overview().await.unwrap().sessions, 1);
    scene.leave().await;
    let home = scene.home();
    assert!(holds(&home, "Quartz"), "what is kept can be found");
    assert!(!holds(&home, "Zirconium"), "nothing of a stranger is kept");
    scene.finish().await;
}

#[tokio::test]
async fn direct_messages_are_closed_to_strangers() {
    for policy in ["allowlist", "pairing"] {
        let scene = Scene::with(|config| {
            config["channels"]["telegram"]["dmPolicy"] = json!(policy);
            config["channels"]["telegram"]["allowFrom"] = json!(["1"]);
        })
        .await;
        let (known, stranger) = (scene.telegram.user_with_id(1, "Ann"), scene.telegram.user_with_id(11, "1"));
        assert_a_stranger_leaves_no_trace(scene, &stranger, &known).await;
    }
}

#[tokio::test]
async fn med_16_a_group_that_is_not_listed_is_closed_to_all() {
    let scene = Scene::prepared(|config| config["channels"]["telegram"]["allowFrom"] = json!(["*"])).await;
    let ann = scene.telegram.user("Ann");
    let (listed, other) =
        (scene.telegram.supergroup("Ours", &[&ann]), scene.telegram.supergroup("Ours", &[&ann]));
    let mut scene = scene;
    let rules = json!({ listed.id().to_string(): { "requireMention": false } });
    scene.reconfigure(|config| config["channels"]["telegram"]["groups"] = rules);
    scene.enter().await;
    ann.at(&other).say("@pensive_test_bot hello");
    assert_a_stranger_leaves_no_trace(scene, &ann.at(&other), &ann).await;
}

#[tokio::test]
async fn groups_admit_those_on_their_own_list_then_the_accounts() {
    let scene = Scene::prepared(|config| {
        let telegram = &mut config["channels"]["telegram"];
        telegram["dmPolicy"] = json!("allowlist");
        telegram["allowFrom"] = json!(["1"]);
        telegram["groupAllowFrom"] = json!(["1", "2"]);
    })
    .await;
    let [ann, bob, eve] =
        [(1, "Ann"), (2, "Bob"), (3, "Eve")].map(|(id, name)| scene.telegram.user_with_id(id, name));
    let people = [&ann, &bob, &eve];
    let (plain, own) = (scene.telegram.supergroup("Plain", &people), scene.telegram.group("Own", &people));
    let mut scene = scene;
    let rules = json!({
        plain.id().to_string(): { "requireMention": false },
        own.id().to_string(): { "requireMention": false, "allowFrom": ["3"] },
    });
    scene.reconfigure(|config| config["channels"]["telegram"]["groups"] = rules);
    scene.enter().await;
    let mut in_plain = Talk::with(&scene, &bob.at(&plain));
    let mut in_own = Talk::with(&scene, &eve.at(&own));
    for person in people {
        person.at(&plain).say("hello");
        person.at(&own).say("/status");
        person.say("hello");
    }
    assert_eq!(in_plain.hear().await, "You said: Ann: hello");
    assert_eq!(in_plain.hear().await, "You said: Bob: hello");
    assert_eq!(in_plain.ask("/fast status").await, "Current fast mode: off (from built-in).");
    assert!(in_own.hear().await.starts_with("Pensive "));
    ann.at(&own).say("/status");
    assert_eq!(in_own.ask("/think low").await, "Thinking level set to low.");
    assert!(bob.sees().iter().all(|seen| !seen.by_bot), "a list for groups opens no direct chat");
    scene.finish().await;
}

#[tokio::test]
async fn disabled_policies_admit_nobody() {
    let scene = Scene::with(|config| {
        let telegram = &mut config["channels"]["telegram"];
        telegram["dmPolicy"] = json!("disabled");
        telegram["groupPolicy"] = json!("open");
    })
    .await;
    let ann = scene.telegram.user("Ann");
    let room = scene.telegram.supergroup("Team", &[&ann]);
    ann.say("hello");
    let mut talk = Talk::with(&scene, &ann.at(&room));
    assert_eq!(talk.ask("/think low").await, "Thinking level set to low.");
    assert!(ann.sees().iter().all(|seen| !seen.by_bot));
    scene.finish().await;

    let scene = Scene::with(|config| {
        let telegram = &mut config["channels"]["telegram"];
        telegram["groupPolicy"] = json!("disabled");
        telegram["groups"] = json!({ "*": { "requireMention": false } });
    })
    .await;
    let ann = scene.telegram.user("Ann");
    let room = scene.telegram.supergroup("Team", &[&ann]);
    ann.at(&room).say("@pensive_test_bot hello");
    let mut talk = Talk::with(&scene, &ann);
    assert_eq!(talk.ask("hello").await, "You said: hello");
    assert_eq!(scene.model.count(), 1);
    scene.finish().await;
}

/// Whoever may talk but not direct: their slash words are text, and what shows the model's work is not for them.
#[tokio::test]
async fn dir_16_directives_are_for_those_on_the_list_and_text_for_all_others() {
    let scene = Scene::with(|config| {
        config["commands"] = json!({ "ownerAllowFrom": ["telegram:1"], "allowFrom": { "telegram": ["1"] } });
        let telegram = &mut config["channels"]["telegram"];
        telegram["groupPolicy"] = json!("open");
        telegram["groups"] = json!({ "*": { "requireMention": false, "reasoningInGroups": true } });
    })
    .await;
    let (ann, bob) = (scene.telegram.user_with_id(1, "Ann"), scene.telegram.user_with_id(2, "Bob"));
    let mut talk = Talk::with(&scene, &ann);
    assert_eq!(talk.ask("/think high hello").await, "Thinking level set to high.");
    assert_eq!(talk.hear().await, "You said: hello");
    let mut talk = Talk::with(&scene, &bob);
    for dropped in ["/think high", "/status", "/new", "stop", "/trace on", "/think high --chat"] {
        talk.say(dropped);
    }
    for text in ["/think high hello", "tell me /status now", "line\n/think off\nline"] {
        assert_eq!(talk.ask(text).await, format!("You said: {text}"));
        let request = scene.model.requests().pop().unwrap();
        assert_eq!((request.prompt().as_str(), request.effort()), (text, Some("medium")));
    }
    let room = scene.telegram.supergroup("Team", &[&ann, &bob]);
    let (ann, bob) = (ann.at(&room), bob.at(&room));
    let mut talk = Talk::with(&scene, &ann);
    assert_eq!(talk.ask("/reasoning on --chat").await, "⚙️ Reasoning visibility enabled.");
    assert_eq!(talk.ask("hello").await, "Thinking\nThinking with effort medium.");
    assert_eq!(talk.hear().await, "You said: Ann: hello");
    assert_eq!(talk.handed_to(&bob).ask("hello").await, "You said: Bob: hello", "rsn_14");
    scene.finish().await;
}

#[tokio::test]
async fn who_writes_too_fast_is_told_once_and_stop_always_works() {
    let scene =
        Scene::with(|config| config["limits"] = json!({ "perSender": { "perMinute": 6, "burst": 2 } })).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let mut bob = Talk::with(&scene, &scene.telegram.user("Bob"));
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).text("never"));
    ann.say("a long task");
    scene.model.wait_for_running(1).await;
    assert_eq!(ann.ask("/think high").await, "Thinking level set to high.");
    assert_eq!(
        ann.ask("/think low").await,
        "⚙️ That was too fast for me, and your last message was not taken. Please wait 10 s."
    );
    ann.say("one more");
    ann.say("/status");
    assert_eq!(bob.ask("hello").await, "You said: hello", "others are not slowed down");
    assert_eq!(ann.ask("/stop").await, "⚙️ Stopped.");
    scene.pass(Duration::from_secs(10)).await;
    assert!(ann.ask("/think").await.starts_with("Current thinking level: high (from session)."));
    assert_eq!(
        ann.ask("hello").await,
        "⚙️ That was too fast for me, and your last message was not taken. Please wait 10 s.",
        "told again for a new rush"
    );
    assert_eq!(
        scene.model.requests().iter().map(Request::prompt).collect::<Vec<_>>(),
        ["a long task", "hello"]
    );
    scene.finish().await;
}
