//! What people write on Discord, directly and among others, and what comes of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::chat::Chat;
use pensive_tests::discord::{Guild, Person, Room};
use pensive_tests::gate::Gate;
use pensive_tests::model::{MediaKind, Request, Script};
use pensive_tests::scene::Scene;
use serde_json::{Value, json};

const LATE: &str = "⚙️ I had already taken up that message before you changed it.";
const RUN: &str = "Run the new text";
const JPEG: &[u8] = b"\xff\xd8\xff\xe0 no real picture";

fn prompts(scene: &Scene) -> Vec<String> {
    scene.model.requests().iter().map(Request::prompt).collect()
}

fn last(scene: &Scene) -> Request {
    scene.model.requests().pop().unwrap()
}

/// The scene's model takes these beside text.
fn takes(config: &mut Value, kinds: &[&str]) {
    let input: Vec<&str> = std::iter::once("text").chain(kinds.iter().copied()).collect();
    config["models"]["providers"]["fake"]["models"][0]["input"] = json!(input);
}

/// Ann and Bob in a channel of a guild that follows this rule.
async fn guild(rule: Value, change: impl FnOnce(&mut Value)) -> (Scene, Guild, Room, Person, Person) {
    let mut scene = Scene::prepared_for_discord(change).await;
    let (ann, bob) = (scene.discord.person("Ann"), scene.discord.person("Bob"));
    let guild = scene.discord.guild("Home", &[&ann, &bob]);
    let room = guild.channel("kitchen");
    scene.discord.unlimited();
    let id = guild.id().to_string();
    scene.reconfigure(|config| {
        config["channels"]["discord"]["guilds"] = json!({ id: rule });
        config["channels"]["discord"]["streaming"] = "off".into();
    });
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    let (ann, bob) = (ann.in_room(&room), bob.in_room(&room));
    (scene, guild, room, ann, bob)
}

/// A scene in which Ann's first message is being answered until the gate opens.
async fn busy() -> (Scene, Chat, u64, Gate) {
    let scene = Scene::on_discord(|_| {}).await;
    let ann = scene.discord.person("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().text("You said: ").wait(&gate).text("one"));
    let first = ann.say("one");
    gate.reached(1).await;
    let chat = Chat::with(&scene, &ann);
    (scene, chat, first, gate)
}

/// Changes a message a moment after everything before.
fn edit(scene: &Scene, chat: &Chat, message: u64, text: &str) {
    scene.advance(Duration::from_millis(1));
    chat.person().edit(message, text);
}

/// Says something that is answered at once, and only after everything before it was looked at.
async fn catch_up(chat: &mut Chat) {
    assert!(chat.ask("/whoami").await.starts_with("You are"));
}

#[tokio::test]
async fn dir_04_an_inline_value_is_used_for_the_run_and_not_kept() {
    let scene = Scene::on_discord(|_| {}).await;
    let mut ann = Chat::with(&scene, &scene.discord.person("Ann"));
    assert_eq!(ann.ask("/think low").await, "Thinking level set to low.");
    assert_eq!(ann.ask("/think high explain Raft").await, "Thinking level set to high.");
    assert_eq!(ann.hear().await, "You said: explain Raft");
    assert_eq!((last(&scene).effort(), last(&scene).prompt().as_str()), (Some("high"), "explain Raft"));
    assert_eq!(ann.ask("and Paxos").await, "You said: and Paxos");
    assert_eq!(last(&scene).effort(), Some("low"));
    ann.check(&[
        ("/think", "Current thinking level: low (from session).\nOptions: default, off, minimal, low, medium, high, xhigh."),
        ("/think big", "Unrecognized thinking level \"big\". Valid levels: default, off, minimal, low, medium, high, xhigh. Did you mean \"high\"?"),
        ("/fast status", "Current fast mode: off (from built-in)."),
        ("Is /models a command", "You said: Is /models a command"),
    ])
    .await;
    scene.finish().await;
}

#[tokio::test]
async fn dir_05_off_is_shown_and_holds_in_direct_and_in_a_guild() {
    let (scene, _, _, ann, _) =
        guild(json!({ "requireMention": false, "thinkingDefault": "high" }), |_| {}).await;
    let direct = scene.discord.person("Ann");
    for (person, prompt) in [(&ann, "You said: Ann: hello"), (&direct, "You said: hello")] {
        let mut chat = Chat::with(&scene, person);
        assert_eq!(chat.ask("/t off").await, "Thinking disabled.");
        assert!(chat.ask("/think").await.starts_with("Current thinking level: off (from session)."));
        assert_eq!(chat.ask("hello").await, prompt);
        assert_eq!(last(&scene).effort(), Some("none"));
    }
    scene.finish().await;
}

#[tokio::test]
async fn dir_12_a_bare_command_needs_no_mention_unless_the_guild_says_so() {
    let (scene, _, _, ann, _) = guild(json!({}), |_| {}).await;
    let mut chat = Chat::with(&scene, &ann);
    assert_eq!(chat.ask("/think low").await, "Thinking level set to low.");
    assert_eq!(chat.ask("/think@PensiveTest high").await, "Thinking level set to high.");
    assert_eq!(chat.call("/think off").await, "Thinking disabled.");
    // Neither names us, nor is it a command alone.
    ann.say("/think@OtherBot minimal");
    ann.say("/think low what is that");
    assert!(chat.ask("/think").await.starts_with("Current thinking level: off (from session)."));
    assert_eq!(scene.model.count(), 0);
    scene.finish().await;

    let (scene, _, _, ann, _) = guild(json!({ "bareCommands": false }), |_| {}).await;
    let mut chat = Chat::with(&scene, &ann);
    ann.say("/think high");
    assert!(
        chat.ask("/think@PensiveTest").await.starts_with("Current thinking level: medium (from built-in).")
    );
    scene.finish().await;
}

#[tokio::test]
async fn dir_16_directives_are_for_those_on_the_list_and_text_for_all_others() {
    let scene =
        Scene::prepared_for_discord(|config| config["channels"]["discord"]["streaming"] = "off".into()).await;
    let (ann, bob) = (scene.discord.person("Ann"), scene.discord.person("Bob"));
    let mut scene = scene;
    scene.discord.unlimited();
    let listed = ann.id().to_string();
    scene.reconfigure(|config| config["commands"] = json!({ "allowFrom": { "discord": [listed] } }));
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    let (mut ann, mut bob) = (Chat::with(&scene, &ann), Chat::with(&scene, &bob));
    assert_eq!(ann.ask("/think high hello").await, "Thinking level set to high.");
    assert_eq!(ann.hear().await, "You said: hello");
    assert_eq!(last(&scene).effort(), Some("high"));
    bob.person().say("/think high");
    for text in ["/think high hello", "tell me /status now"] {
        assert_eq!(bob.ask(text).await, format!("You said: {text}"));
        assert_eq!((last(&scene).effort(), last(&scene).prompt().as_str()), (Some("medium"), text));
    }
    scene.finish().await;
}

#[tokio::test]
async fn dir_17_what_somebody_else_wrote_is_never_read_as_mine() {
    let (scene, _, _, ann, bob) = guild(json!({}), |_| {}).await;
    let mut chat = Chat::with(&scene, &bob);
    let hers = ann.say("/think high");
    assert_eq!(chat.hear().await, "Thinking level set to high.");
    bob.reply(hers, &format!("{} what does she mean?", scene.discord.bot().mention()));
    assert_eq!(chat.hear().await, "You said: Bob: @PensiveTest what does she mean?");
    assert_eq!(last(&scene).effort(), Some("medium"));
    // A forwarded message stands in a snapshot.
    let forwarded = json!({
        "message_reference": {"type": 1, "message_id": hers.to_string(), "channel_id": bob.channel().to_string()},
        "message_snapshots": [{"message": {"type": 0, "content": "/think low", "attachments": [], "embeds": [],
            "timestamp": "2026-01-01T00:00:00+00:00", "edited_timestamp": null, "flags": 0,
            "mentions": [], "mention_roles": [], "components": []}}],
    });
    let direct = scene.discord.person("Bob");
    let mut alone = Chat::with(&scene, &direct);
    direct.send_raw("", 0, &forwarded);
    assert_eq!(alone.hear().await, "You said: /think low");
    assert!(alone.ask("/think").await.starts_with("Current thinking level: medium (from built-in)."));
    assert!(chat.ask("/think").await.starts_with("Current thinking level: medium (from built-in)."));
    scene.finish().await;
}

#[tokio::test]
async fn among_people_the_bot_answers_only_when_it_is_meant() {
    let (scene, guild, _, ann, bob) = guild(json!({}), |_| {}).await;
    let mut chat = Chat::with(&scene, &ann);
    ann.say("hello all");
    ann.say(&format!("{} look", bob.mention()));
    ann.say("@everyone look");
    ann.say("`PensiveTest` is a name");
    assert_eq!(chat.call("and you?").await, "You said: Ann: @PensiveTest and you?");
    let ours = ann.sees().into_iter().find(|seen| seen.by_bot).unwrap();
    bob.reply(ours.id, "I agree");
    assert_eq!(chat.hear().await, "You said: Bob: I agree");
    let hers = ann.say("nobody asked");
    bob.reply(hers, "indeed");
    // The role that Discord made for the bot calls it as well.
    let role = guild.role_of(scene.discord.bot().id()).unwrap();
    ann.say(&format!("<@&{role}> by role"));
    assert_eq!(chat.hear().await, "You said: Ann: @PensiveTest by role");
    assert_eq!(scene.model.count(), 3);
    scene.finish().await;
}

#[tokio::test]
async fn where_no_mention_is_needed_everything_is_taken() {
    let (scene, _, _, ann, bob) = guild(json!({ "requireMention": false }), |_| {}).await;
    let mut chat = Chat::with(&scene, &ann);
    assert_eq!(chat.ask("hello").await, "You said: Ann: hello");
    assert_eq!(chat.handed_to(&bob).ask("me too").await, "You said: Bob: me too");
    assert_eq!(last(&scene).texts("user"), ["Ann: hello", "Bob: me too"], "the channel shares its talk");
    scene.finish().await;
}

#[tokio::test]
async fn con_01_two_messages_at_once_are_answered_in_their_order() {
    let scene = Scene::on_discord(|config| config["messages"]["queue"] = json!({ "mode": "followup" })).await;
    let mut ann = Chat::with(&scene, &scene.discord.person("Ann"));
    scene.discord.line().hold();
    for text in ["one", "two", "three"] {
        ann.person().say(text);
    }
    scene.discord.line().release();
    for text in ["one", "two", "three"] {
        assert_eq!(ann.hear().await, format!("You said: {text}"));
    }
    assert_eq!(last(&scene).texts("user"), ["one", "two", "three"]);
    scene.finish().await;
}

#[tokio::test]
async fn rst_04_an_event_that_comes_again_is_answered_once() {
    let (scene, mut ann, _, gate) = busy().await;
    scene.discord.line().repeat("MESSAGE_CREATE");
    scene.discord.line().replay("MESSAGE_CREATE");
    catch_up(&mut ann).await;
    gate.open();
    assert_eq!(ann.hear().await, "You said: one");
    scene.discord.line().repeat("MESSAGE_CREATE");
    assert_eq!(ann.ask("two").await, "You said: two");
    assert_eq!(prompts(&scene), ["one", "two"]);
    scene.finish().await;
}

#[tokio::test]
async fn med_09_an_edit_of_a_waiting_message_replaces_it() {
    let (scene, mut ann, _, gate) = busy().await;
    let waiting = ann.person().say("twoo");
    catch_up(&mut ann).await;
    edit(&scene, &ann, waiting, "two");
    catch_up(&mut ann).await;
    gate.open();
    assert_eq!(ann.hear().await, "You said: one");
    assert_eq!(ann.hear().await, "You said: two");
    assert_eq!(prompts(&scene), ["one", "two"]);
    scene.finish().await;
}

#[tokio::test]
async fn med_09_an_edit_of_a_message_that_was_taken_up_is_told_and_a_button_runs_it() {
    let (scene, mut ann, first, gate) = busy().await;
    edit(&scene, &ann, first, "won");
    let notice = ann.next().await;
    assert_eq!((notice.text.as_str(), notice.buttons.as_slice()), (LATE, [RUN.to_owned()].as_slice()));
    ann.person().press(notice.id, RUN).heard().await;
    gate.open();
    assert_eq!(ann.hear().await, "You said: one");
    assert_eq!(ann.hear().await, "You said: won");
    // The same after the answer.
    edit(&scene, &ann, first, "/think high one more");
    let notice = ann.next().await;
    assert_eq!(notice.text, LATE);
    ann.person().press(notice.id, RUN);
    assert_eq!(ann.hear().await, "You said: one more");
    assert_eq!(last(&scene).effort(), Some("medium"), "nothing in an edit is executed");
    assert!(ann.ask("/think").await.starts_with("Current thinking level: medium (from built-in)."));
    scene.finish().await;
}

#[tokio::test]
async fn med_09_changes_that_are_no_edits_are_ignored() {
    let (scene, mut ann, first, gate) = busy().await;
    ann.person().unfurl(first);
    edit(&scene, &ann, first, "one");
    catch_up(&mut ann).await;
    gate.open();
    assert_eq!(ann.hear().await, "You said: one");
    ann.person().unfurl(first);
    edit(&scene, &ann, first, "one");
    let second = ann.person().say("two");
    assert_eq!(ann.hear().await, "You said: two");
    ann.person().delete(second);
    scene.discord.line().event(
        "MESSAGE_UPDATE",
        &json!({"id": first.to_string(), "channel_id": ann.person().channel().to_string(), "pinned": true}),
    );
    assert_eq!(ann.ask("three").await, "You said: three");
    assert_eq!(prompts(&scene), ["one", "two", "three"]);
    scene.finish().await;
}

#[tokio::test]
async fn med_05_what_discord_tells_by_itself_and_med_10_what_bots_write_starts_nothing() {
    let (scene, guild, room, ann, _) = guild(json!({ "requireMention": false }), |_| {}).await;
    let mut chat = Chat::with(&scene, &ann);
    // A pin, a join, a boost, a new thread, a followed channel.
    for kind in [6, 7, 8, 18, 12] {
        ann.send_raw("/think high", kind, &json!({}));
    }
    ann.say_by_webhook("/think high");
    let other = scene.discord.add_bot("Robot");
    guild.join(other.id());
    let robot = scene.discord.person_with_id(other.id(), "Robot").in_room(&room);
    let words = robot.mention_and_say("beep");
    robot.edit(words, "beep beep");
    robot.say("/think high");
    ann.say("");
    assert_eq!(chat.ask("hello").await, "You said: Ann: hello");
    assert_eq!(prompts(&scene), ["Ann: hello"], "its own words came back to it as well");
    assert_eq!(last(&scene).effort(), Some("medium"));
    scene.finish().await;
}

#[tokio::test]
async fn other_bots_and_webhooks_are_heard_where_that_is_wanted_and_never_the_bot_itself() {
    let (scene, guild, room, ann, _) = guild(json!({ "requireMention": false }), |config| {
        config["channels"]["discord"]["allowBots"] = true.into();
    })
    .await;
    let mut chat = Chat::with(&scene, &ann);
    let other = scene.discord.add_bot("Robot");
    guild.join(other.id());
    let robot = scene.discord.person_with_id(other.id(), "Robot").in_room(&room);
    robot.say("beep");
    assert_eq!(chat.hear().await, "You said: Robot: beep");
    ann.say_by_webhook("ding");
    assert_eq!(chat.hear().await, "You said: Ann: ding");
    assert_eq!(chat.ask("hello").await, "You said: Ann: hello");
    assert_eq!(scene.model.count(), 3);
    scene.finish().await;
}

#[tokio::test]
async fn a_text_that_was_cut_waits_for_its_continuation() {
    let scene = Scene::on_discord(|_| {}).await;
    scene.model.reply_with(|_| Some(Script::new().text("Read.")));
    let mut ann = Chat::with(&scene, &scene.discord.person("Ann"));
    let (first, second) = ("a".repeat(2_000), format!("{} end", "b".repeat(1_896)));
    for text in [first.as_str(), second.as_str(), "and the rest"] {
        ann.person().say(text);
    }
    assert_eq!(ann.hear().await, "Read.");
    assert_eq!(prompts(&scene), [format!("{first}{second}\nand the rest")]);
    ann.person().say(&"ö".repeat(1_899));
    assert_eq!(ann.hear().await, "Read.", "a text below that waits for nothing");
    scene.finish().await;
}

#[tokio::test]
async fn a_picture_reaches_the_model_and_leaves_only_a_mark() {
    let scene = Scene::on_discord(|config| takes(config, &["image"])).await;
    let mut ann = Chat::with(&scene, &scene.discord.person("Ann"));
    ann.person().send(
        "what is this? /think high",
        &[("cat.jpg", "image/jpeg", JPEG), ("dog.jpg", "image/jpeg", JPEG)],
    );
    assert_eq!(ann.hear().await, "Thinking level set to high.");
    assert_eq!(ann.hear().await, "You said: what is this?\n\\[2 × photo]");
    let media = last(&scene).media();
    assert!(media.iter().all(|media| media.kind == MediaKind::Image && media.bytes == JPEG), "{media:?}");
    assert_eq!((media.len(), last(&scene).effort()), (2, Some("high")));
    ann.ask("and now?").await;
    assert_eq!(last(&scene).media().len(), 0, "it is kept nowhere");
    scene.finish().await;
}

#[tokio::test]
async fn med_06_a_voice_message_is_written_down_where_somebody_can_and_declined_elsewhere() {
    let scene = Scene::on_discord(|_| {}).await;
    let mut ann = Chat::with(&scene, &scene.discord.person("Ann"));
    ann.person().speak(b"OggS");
    assert_eq!(ann.hear().await, "I cannot listen to voice messages here. Please write it instead.");
    assert_eq!((scene.model.count(), scene.discord.downloads().len()), (0, 0));
    scene.finish().await;

    let scene =
        Scene::on_discord(|config| config["messages"]["voice"] = json!({ "transcribe": "fake/whisper-1" }))
            .await;
    scene.model.transcribe("What is the time?");
    let mut ann = Chat::with(&scene, &scene.discord.person("Ann"));
    ann.person().speak(b"OggS");
    assert_eq!(ann.hear().await, "You said: \\[voice message]\nWhat is the time?");
    scene.finish().await;
}

#[tokio::test]
async fn documents_are_quoted_or_told_and_what_is_too_large_is_left_out() {
    let scene = Scene::on_discord(|config| takes(config, &["image"])).await;
    scene.model.reply_with(|_| Some(Script::new().text("Read.")));
    let mut ann = Chat::with(&scene, &scene.discord.person("Ann"));
    ann.person().send("sum up", &[("notes.md", "text/markdown; charset=utf-8", b"one\ntwo\n")]);
    assert_eq!(ann.hear().await, "Read.");
    assert_eq!(prompts(&scene), ["sum up\n[document notes.md]\n\nnotes.md:\n```\none\ntwo\n```"]);
    ann.person().send("", &[("table.xlsx", "application/octet-stream", b"PK\x03\x04\0")]);
    let line = "⚠️ I cannot read the document table.xlsx. I can read pictures, PDF and plain text.";
    assert_eq!(ann.hear().await, line);
    let mut large = scene.discord.add_file(ann.person().channel(), "large.png", "image/png", JPEG);
    large["size"] = (11 << 20).into();
    ann.person().send_raw("", 0, &json!({ "attachments": [large] }));
    assert_eq!(ann.hear().await, "⚠️ The photo is larger than 10 MB, so I left it out.");
    assert_eq!((scene.model.count(), scene.discord.downloads().len()), (1, 2));
    scene.finish().await;
}

#[tokio::test]
async fn med_17_nothing_of_a_stranger_is_fetched() {
    let scene = Scene::on_discord(|config| {
        takes(config, &["image"]);
        config["channels"]["discord"]["dmPolicy"] = json!("allowlist");
        config["channels"]["discord"]["allowFrom"] = json!(["1"]);
    })
    .await;
    let ann = scene.discord.person_with_id(1, "Ann");
    let eve = scene.discord.person("Eve");
    eve.send("look", &[("cat.jpg", "image/jpeg", JPEG)]);
    eve.speak(b"OggS");
    let mut ann = Chat::with(&scene, &ann);
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!((scene.model.count(), scene.discord.downloads()), (1, vec![]));
    assert_eq!(eve.said(), Vec::<String>::new());
    scene.finish().await;
}

#[tokio::test]
async fn disc_13_a_link_to_a_message_is_a_link_and_nothing_is_read_behind_it() {
    let (scene, _, room, ann, _) = guild(json!({ "requireMention": false }), |_| {}).await;
    let mut chat = Chat::with(&scene, &ann);
    let other = scene.discord.guild("Elsewhere", &[&ann]);
    let secret = ann.in_room(&other.channel("vault")).say("Zirconium");
    let link =
        format!("https://discord.com/channels/{}/{}/{secret}", other.id(), other.channel("vault").id());
    assert_eq!(chat.ask(&format!("what is {link}")).await, format!("You said: Ann: what is {link}"));
    let read = scene
        .discord
        .calls_where(|call| call.method == "GET" && call.channel != 0 && call.channel != room.id());
    assert_eq!(read, []);
    assert!(prompts(&scene).iter().all(|prompt| !prompt.contains("Zirconium")));
    scene.finish().await;
}

#[tokio::test]
async fn a_file_of_the_workspace_is_sent_with_its_words() {
    let scene = Scene::on_discord(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": ["message"] });
    })
    .await;
    let workspace = scene.home().join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    std::fs::write(workspace.join("notes.txt"), "one\ntwo\n").unwrap();
    let mut ann = Chat::with(&scene, &scene.discord.person("Ann"));
    scene
        .model
        .play(Script::new().tool_call("message", &json!({ "text": "Here it is.", "file": "notes.txt" })));
    ann.person().say("go on");
    let sent = ann.next().await;
    assert_eq!(sent.text, "Here it is.");
    let names: Vec<_> = sent.attachments.iter().map(|file| (file.name.as_str(), file.size)).collect();
    assert_eq!(names, [("notes.txt", 8)]);
    assert_eq!(ann.hear().await, "You said: go on");
    scene.finish().await;
}
