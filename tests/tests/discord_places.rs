//! Where on Discord the bot listens, to whom, and what belongs together there: guilds, channels, threads, roles.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::path::Path;

use pensive_tests::chat::Chat;
use pensive_tests::discord::{Guild, Person, Room};
use pensive_tests::model::Request;
use pensive_tests::scene::Scene;
use serde_json::{Value, json};

fn prompts(scene: &Scene) -> Vec<String> {
    scene.model.requests().iter().map(Request::prompt).collect()
}

fn last(scene: &Scene) -> Request {
    scene.model.requests().pop().unwrap()
}

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

/// A daemon that is not open to everybody, Ann and Bob, and a guild with a channel. Nothing runs yet.
async fn prepared() -> (Scene, Guild, Room, Person, Person) {
    let scene = Scene::prepared_for_discord(|config| {
        let keys = &mut config["channels"]["discord"];
        keys["streaming"] = "off".into();
        keys["dmPolicy"] = "allowlist".into();
        keys["allowFrom"] = json!([]);
    })
    .await;
    scene.discord.unlimited();
    let (ann, bob) = (scene.discord.person("Ann"), scene.discord.person("Bob"));
    let guild = scene.discord.guild("Home", &[&ann, &bob]);
    let room = guild.channel("kitchen");
    (scene, guild, room, ann, bob)
}

/// Starts it with these rules for guilds.
async fn enter(scene: &mut Scene, guilds: Value) {
    scene.reconfigure(|config| config["channels"]["discord"]["guilds"] = guilds);
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
}

fn id(person: &Person) -> String {
    person.id().to_string()
}

/// Everything that a person could do to be noticed.
fn tries_everything(person: &Person, secret: &str) {
    person.mention_and_say(&format!("{secret} hello"));
    person.say("/think high");
    person.say("stop");
    person.send(secret, &[("secret.txt", "text/plain", b"x")]);
    let said = person.mention_and_say(secret);
    person.edit(said, &format!("{secret} again"));
}

/// The stranger has tried everything where they are, and Ann's answer comes behind that.
async fn assert_a_stranger_left_no_trace(mut scene: Scene, stranger: &Person, known: &mut Chat) {
    assert!(known.call("Quartz").await.contains("Quartz"));
    assert_eq!(scene.model.count(), 1);
    let outward = scene.discord.calls_where(|call| call.channel == stranger.channel());
    assert_eq!(outward, [], "nothing is answered, typed or deleted");
    assert_eq!(scene.discord.downloads(), Vec::<String>::new());
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
        let (mut scene, _, _, ann, bob) = prepared().await;
        let listed = id(&ann);
        scene.reconfigure(|config| {
            config["channels"]["discord"]["dmPolicy"] = policy.into();
            config["channels"]["discord"]["allowFrom"] = json!([listed]);
        });
        enter(&mut scene, json!({})).await;
        tries_everything(&bob, "Zirconium");
        let mut ann = Chat::with(&scene, &ann);
        assert_a_stranger_left_no_trace(scene, &bob, &mut ann).await;
    }
}

#[tokio::test]
async fn med_16_a_guild_that_is_not_listed_is_closed_to_all() {
    let (mut scene, guild, room, ann, _) = prepared().await;
    let other = scene.discord.guild("Home", &[&ann]).channel("kitchen");
    enter(&mut scene, json!({ guild.id().to_string(): { "allowFrom": [id(&ann)] } })).await;
    let stranger = ann.in_room(&other);
    tries_everything(&stranger, "Zirconium");
    let mut ann = Chat::with(&scene, &ann.in_room(&room));
    assert_a_stranger_left_no_trace(scene, &stranger, &mut ann).await;
}

#[tokio::test]
async fn a_guild_admits_the_people_on_its_list_and_a_channel_those_on_its_own() {
    let (mut scene, guild, room, ann, bob) = prepared().await;
    let own = guild.channel("cellar");
    let rule = json!({
        "requireMention": false,
        "allowFrom": [id(&ann)],
        "channels": { own.id().to_string(): { "allowFrom": [id(&bob)], "thinkingDefault": "low" } },
    });
    enter(&mut scene, json!({ guild.id().to_string(): rule })).await;
    for (here, heard, unheard) in [(&room, &ann, &bob), (&own, &bob, &ann)] {
        let mut chat = Chat::with(&scene, &heard.in_room(here));
        unheard.in_room(here).mention_and_say("not me");
        assert!(chat.ask("it is me").await.ends_with(": it is me"));
    }
    assert_eq!(prompts(&scene), ["Ann: it is me", "Bob: it is me"]);
    let efforts: Vec<_> =
        scene.model.requests().iter().map(|request| request.effort().map(str::to_owned)).collect();
    assert_eq!(efforts, [Some("medium".to_owned()), Some("low".to_owned())]);
    ann.say("a list for guilds opens no direct chat");
    let mut chat = Chat::with(&scene, &ann.in_room(&room));
    chat.ask("once more").await;
    assert_eq!(ann.said(), Vec::<String>::new());
    scene.finish().await;
}

#[tokio::test]
async fn a_role_lets_people_in_for_as_long_as_they_have_it() {
    let (mut scene, guild, room, ann, bob) = prepared().await;
    let role = guild.role("Cooks");
    guild.give_role(ann.id(), role);
    let rule = json!({ "requireMention": false, "allowFrom": [format!("role:{role}")] });
    enter(&mut scene, json!({ guild.id().to_string(): rule })).await;
    let mut chat = Chat::with(&scene, &ann.in_room(&room));
    let (ann, bob) = (ann.in_room(&room), bob.in_room(&room));
    bob.say("not yet");
    assert_eq!(chat.ask("one").await, "You said: Ann: one");
    guild.give_role(bob.id(), role);
    assert_eq!(chat.handed_to(&bob).ask("two").await, "You said: Bob: two");
    guild.take_role(ann.id(), role);
    ann.say("no more");
    // Neither may she command, nor press what stands there.
    let refused = ann.command("think", &[("level", "high")]);
    refused.heard().await;
    assert_eq!(ann.sees().pop().unwrap().text, "You may not use me here.");
    assert_eq!(chat.handed_to(&bob).ask("three").await, "You said: Bob: three");
    assert_eq!(prompts(&scene), ["Ann: one", "Bob: two", "Bob: three"]);
    scene.finish().await;
}

#[tokio::test]
async fn the_role_that_all_members_have_lets_nobody_in() {
    let (mut scene, guild, room, ann, bob) = prepared().await;
    let rule = json!({ "requireMention": false, "allowFrom": [format!("role:{}", guild.id()), id(&ann)] });
    enter(&mut scene, json!({ guild.id().to_string(): rule })).await;
    bob.in_room(&room).mention_and_say("hello");
    let mut chat = Chat::with(&scene, &ann.in_room(&room));
    assert_eq!(chat.ask("hello").await, "You said: Ann: hello");
    assert_eq!(scene.model.count(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn disc_10_a_thread_follows_its_channels_rule_and_has_its_own_session() {
    let (mut scene, guild, room, ann, bob) = prepared().await;
    let closed = guild.channel("vault");
    let rule = json!({
        "channels": {
            room.id().to_string(): { "allowFrom": [id(&ann)], "requireMention": false, "thinkingDefault": "low" },
        },
    });
    let (thread, locked) = (room.thread("soup"), closed.thread("gold"));
    let post = room.private_thread("secret soup");
    enter(&mut scene, json!({ guild.id().to_string(): rule })).await;
    ann.in_room(&locked).mention_and_say("may I?");
    for here in [&room, &thread, &post] {
        bob.in_room(here).mention_and_say("nobody let me in");
        let mut chat = Chat::with(&scene, &ann.in_room(here));
        assert_eq!(chat.ask("hello").await, "You said: Ann: hello");
        assert_eq!(last(&scene).texts("user"), ["Ann: hello"], "nothing of the others");
        assert_eq!(last(&scene).effort(), Some("low"));
        assert_eq!(here.said(), ["You said: Ann: hello"], "answered where it was asked");
    }
    assert_eq!(locked.said(), Vec::<String>::new());
    // A thread that begins now.
    let fresh = room.thread("salad");
    let mut chat = Chat::with(&scene, &ann.in_room(&fresh));
    assert_eq!(chat.ask("and here").await, "You said: Ann: and here");
    assert_eq!(last(&scene).texts("user"), ["Ann: and here"]);
    assert_eq!(scene.discord.calls("GET /channels/{}"), [], "all of them were told of");
    scene.finish().await;
}

#[tokio::test]
async fn ses_13_settings_of_one_thread_are_not_those_of_another() {
    let (mut scene, guild, room, ann, _) = prepared().await;
    enter(
        &mut scene,
        json!({ guild.id().to_string(): { "allowFrom": [id(&ann)], "requireMention": false } }),
    )
    .await;
    let (one, other) = (room.thread("one"), guild.forum("questions").thread("other"));
    let mut chat = Chat::with(&scene, &ann.in_room(&one));
    assert_eq!(chat.ask("/think high").await, "Thinking level set to high.");
    for (here, effort) in [(&one, "high"), (&other, "medium"), (&room, "medium")] {
        let mut chat = Chat::with(&scene, &ann.in_room(here));
        chat.ask("hello").await;
        assert_eq!(last(&scene).effort(), Some(effort));
    }
    assert_eq!(scene.house().engine().overview().await.unwrap().sessions, 3);
    scene.finish().await;
}

/// Who takes up the line of an earlier process is told of no guild again.
#[tokio::test]
async fn disc_10_a_thread_that_nobody_told_of_is_asked_for_once() {
    let (mut scene, guild, room, ann, _) = prepared().await;
    let rule = json!({ "channels": { room.id().to_string(): { "allowFrom": [id(&ann)], "requireMention": false } } });
    let thread = room.thread("old soup");
    enter(&mut scene, json!({ guild.id().to_string(): rule })).await;
    let mut chat = Chat::with(&scene, &ann.in_room(&thread));
    assert_eq!(chat.ask("one").await, "You said: Ann: one");
    let asked = || scene.discord.calls("GET /channels/{}").len();
    assert_eq!(asked(), 0, "the guild told of it");
    scene.restart().await;
    scene.discord.line().wait_until_open().await;
    assert_eq!(
        scene.discord.commands().iter().filter(|said| said.op == 6).count(),
        1,
        "the line was taken up"
    );
    for text in ["two", "three"] {
        assert_eq!(chat.ask(text).await, format!("You said: Ann: {text}"));
    }
    assert_eq!(scene.discord.calls("GET /channels/{}").len(), 1);
    assert_eq!(last(&scene).texts("user"), ["Ann: one", "Ann: two", "Ann: three"], "it is the same session");
    scene.finish().await;
}

#[tokio::test]
async fn a_guild_and_one_of_its_channels_may_have_agents_of_their_own() {
    let (mut scene, guild, room, ann, _) = prepared().await;
    let other = scene.discord.guild("Work", &[&ann]);
    let desk = other.channel("desk");
    let listed = id(&ann);
    let here = guild.id().to_string();
    scene.reconfigure(|config| {
        config["agents"]["list"] = json!([
            { "id": "main", "default": true, "prompt": "You are Main." },
            { "id": "cook", "prompt": "You are Cook." },
        ]);
        config["bindings"] = json!([{ "agent": "cook", "match": { "channel": "discord", "guild": here } }]);
        config["channels"]["discord"]["allowFrom"] = json!([listed]);
    });
    enter(&mut scene, json!({ "*": { "requireMention": false } })).await;
    let thread = room.thread("soup");
    for (person, expected) in [
        (ann.in_room(&room), "You are Cook."),
        (ann.in_room(&thread), "You are Cook."),
        (ann.in_room(&desk), "You are Main."),
        (ann.clone(), "You are Main."),
    ] {
        let mut chat = Chat::with(&scene, &person);
        chat.ask("hello").await;
        let (asked, system) = (last(&scene), last(&scene).system() + &last(&scene).instructions());
        assert!(system.contains(expected), "{system} {asked:?}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn people_of_a_guild_share_the_talk_and_each_keeps_their_own_settings() {
    let (mut scene, guild, room, ann, bob) = prepared().await;
    let rule = json!({ "allowFrom": [id(&ann), id(&bob)], "requireMention": false });
    enter(&mut scene, json!({ guild.id().to_string(): rule })).await;
    let (ann, bob) = (ann.in_room(&room), bob.in_room(&room));
    let mut chat = Chat::with(&scene, &ann);
    assert_eq!(chat.ask("/think high").await, "Thinking level set to high.");
    assert_eq!(chat.ask("hello").await, "You said: Ann: hello");
    assert_eq!(last(&scene).effort(), Some("high"));
    assert_eq!(chat.handed_to(&bob).ask("me too").await, "You said: Bob: me too");
    assert_eq!(last(&scene).effort(), Some("medium"));
    assert_eq!(last(&scene).texts("user"), ["Ann: hello", "Bob: me too"]);
    scene.finish().await;
}

#[tokio::test]
async fn ses_05_two_people_never_meet_in_one_session() {
    let (mut scene, _, _, ann, bob) = prepared().await;
    let listed = [id(&ann), id(&bob)];
    scene.reconfigure(|config| config["channels"]["discord"]["allowFrom"] = json!(listed));
    enter(&mut scene, json!({})).await;
    let (mut ann, mut bob) = (Chat::with(&scene, &ann), Chat::with(&scene, &bob));
    assert_eq!(ann.ask("/think high").await, "Thinking level set to high.");
    assert_eq!(ann.ask("my word is Basalt").await, "You said: my word is Basalt");
    assert_eq!(bob.ask("what is the word?").await, "You said: what is the word?");
    assert_eq!(last(&scene).texts("user"), ["what is the word?"]);
    assert_eq!(last(&scene).effort(), Some("medium"));
    scene.finish().await;
}

#[tokio::test]
async fn disabled_policies_admit_nobody() {
    let (mut scene, guild, room, ann, _) = prepared().await;
    let listed = id(&ann);
    scene.reconfigure(|config| {
        config["channels"]["discord"]["dmPolicy"] = "disabled".into();
        config["channels"]["discord"]["allowFrom"] = json!([listed]);
    });
    enter(&mut scene, json!({ guild.id().to_string(): { "requireMention": false } })).await;
    ann.say("hello");
    let mut chat = Chat::with(&scene, &ann.in_room(&room));
    assert_eq!(chat.ask("/think low").await, "Thinking level set to low.");
    assert_eq!((ann.said(), scene.model.count()), (vec![], 0));
    scene.leave().await;
    scene.reconfigure(|config| {
        config["channels"]["discord"]["dmPolicy"] = "allowlist".into();
        config["channels"]["discord"]["groupPolicy"] = "disabled".into();
    });
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    ann.in_room(&room).mention_and_say("hello");
    let mut chat = Chat::with(&scene, &ann);
    assert_eq!(chat.ask("me").await, "You said: me");
    assert_eq!(prompts(&scene), ["me"]);
    scene.finish().await;
}
