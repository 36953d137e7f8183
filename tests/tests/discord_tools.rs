//! What people see of tools on Discord: bubbles by `/verbose`, thoughts as `/reasoning` says, and what a run sends by itself.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::fs;

use pensive_tests::discord::{Fault, Person, Room};
use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::{MODEL_KEY, Scene};
use pensive_tests::tools::{ToolsFake, fault};
use serde_json::{Value, json};

const ON: &str = "⚙️ Verbose logging enabled.";
const MESSAGE: &str = "message";

fn tools() -> ToolsFake {
    ToolsFake::new()
        .tool("read", |_| async { Ok("one\ntwo\n".to_owned()) })
        .tool("web_search", |_| async { Ok(String::new()) })
        .tool("write", |_| async { fault("The disk at /srv/a is full.") })
        .tool("web_fetch", |_| async { fault("The page is gone.") })
}

fn reads(path: &str) -> Script {
    Script::new().tool_call("read", &json!({ "path": path }))
}

/// A daemon with these tools, and Ann alone and in a channel of a guild where everything is heard.
async fn world(tools: &ToolsFake, change: impl FnOnce(&mut Value, &str)) -> (Scene, Person, Room) {
    let mut scene = Scene::prepared_for_discord(|_| {}).await;
    scene.discord.unlimited();
    let ann = scene.discord.person("Ann");
    let guild = scene.discord.guild("Home", &[&ann]);
    let room = guild.channel("kitchen");
    let id = guild.id().to_string();
    scene.reconfigure(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": ["*"] });
        config["channels"]["discord"]["streaming"] = json!("off");
        config["channels"]["discord"]["groupPolicy"] = json!("open");
        config["channels"]["discord"]["guilds"] = json!({ &id: { "requireMention": false } });
        change(config, &id);
    });
    scene.equip(tools);
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    (scene, ann, room)
}

async fn alone(tools: &ToolsFake) -> (Scene, Person) {
    let (scene, ann, _) = world(tools, |_, _| {}).await;
    (scene, ann)
}

/// Says something and waits until the bot has answered with exactly these.
async fn ask(scene: &Scene, person: &Person, text: &str, expected: &[&str]) {
    let before = person.said().len();
    person.say(text);
    wait(scene, person, before, expected).await;
}

async fn wait(scene: &Scene, person: &Person, before: usize, expected: &[&str]) {
    let said = || person.said().split_off(before.min(person.said().len()));
    let found = |_: &_| (said() == expected).then_some(());
    let found = scene.discord.wait_within(std::time::Duration::from_secs(10), found).await;
    assert!(found.is_some(), "{:#?} instead of {expected:#?}", said());
}

fn result(scene: &Scene) -> String {
    scene.model.requests().pop().unwrap().tool_results().pop().unwrap().1
}

#[tokio::test]
async fn tool_02_tool_04_bubbles_are_shown_as_everywhere_and_only_when_asked_for() {
    let (scene, ann) = alone(&tools()).await;
    let calls = || {
        Script::new()
            .text("Let me look.")
            .tool_call("web_search", &json!({ "query": "tea" }))
            .tool_call("read", &json!({ "path": "a_b.txt" }))
    };
    scene.model.play(calls());
    ask(&scene, &ann, "hello", &["You said: hello"]).await;
    ask(&scene, &ann, "/verbose on", &[ON]).await;
    scene.model.play(calls());
    let bubbles =
        ["Let me look.", "🔎 Web Search: for \"tea\"", "📖 Read: from a\\_b.txt", "You said: hello"];
    ask(&scene, &ann, "hello", &bubbles).await;
    ask(&scene, &ann, "/verbose full", &["⚙️ Verbose logging set to full."]).await;
    scene.model.play(reads("a.txt").tool_call("web_search", &json!({ "query": "tea" })));
    let bubbles = [
        "📖 Read: from a.txt",
        "🔎 Web Search: for \"tea\"",
        "📖 Read: from a.txt\n```\none\ntwo\n```",
        "🔎 Web Search: for \"tea\"\n(no output)",
        "You said: hello",
    ];
    ask(&scene, &ann, "hello", &bubbles).await;
    scene.finish().await;
}

#[tokio::test]
async fn long_output_is_shown_in_parts_with_its_fences() {
    let output: String = (0..200).map(|n| format!("line {n} ``` of it\n")).collect();
    let told = output.clone();
    let tools = ToolsFake::new().tool("read", move |_| {
        let told = told.clone();
        async move { Ok(told) }
    });
    let (scene, ann) = alone(&tools).await;
    ask(&scene, &ann, "/verbose full", &["⚙️ Verbose logging set to full."]).await;
    scene.model.play(reads("a.txt"));
    ann.say("hello");
    ann.wait_for("You said: hello").await;
    let said = ann.said();
    let parts = &said[2..said.len() - 1];
    assert!(parts.len() >= 10, "{}", parts.len());
    for part in parts {
        assert!(part.lines().count() <= 17 && part.encode_utf16().count() <= 2_000);
        assert_eq!(part.matches("```").count(), 2, "{part}");
    }
    let lines = parts.iter().flat_map(|part| part.lines()).filter(|line| line.starts_with("line ")).count();
    assert_eq!(lines, 200);
    scene.finish().await;
}

#[tokio::test]
async fn tool_03_the_level_is_read_again_for_each_bubble() {
    let (scene, ann) = alone(&tools()).await;
    let gates = [Gate::new(), Gate::new()];
    scene.model.play(reads("1").wait(&gates[0]));
    scene.model.play(reads("2").wait(&gates[1]));
    scene.model.play(reads("3"));
    ann.say("hello");
    gates[0].reached(1).await;
    ask(&scene, &ann, "/verbose on", &[ON]).await;
    gates[0].open();
    ann.wait_for("📖 Read: from 1").await;
    gates[1].reached(1).await;
    ask(&scene, &ann, "/verbose off", &["⚙️ Verbose logging disabled."]).await;
    gates[1].open();
    ann.wait_for("You said: hello").await;
    let expected = [ON, "📖 Read: from 1", "⚙️ Verbose logging disabled.", "You said: hello"];
    assert_eq!(ann.said(), expected);
    scene.finish().await;
}

#[tokio::test]
async fn tool_05_a_guild_shows_bubbles_only_where_somebody_asked_for_them() {
    let open = |config: &mut Value, _: &str| config["agents"]["defaults"]["verboseDefault"] = json!("on");
    let (scene, ann, room) = world(&tools(), open).await;
    let (here, thread) = (ann.in_room(&room), ann.in_room(&room.thread("aside")));
    scene.model.play(reads("1"));
    ask(&scene, &ann, "hello", &["📖 Read: from 1", "You said: hello"]).await;
    scene.model.play(reads("2"));
    ask(&scene, &here, "hello", &["You said: Ann: hello"]).await;
    ask(&scene, &here, "/verbose on", &[ON]).await;
    scene.model.play(reads("3"));
    ask(&scene, &here, "hello", &["📖 Read: from 3", "You said: Ann: hello"]).await;
    scene.model.play(reads("4"));
    ask(&scene, &thread, "hello", &["You said: Ann: hello"]).await;
    scene.finish().await;
}

#[tokio::test]
async fn tool_13_a_failure_is_a_short_line_and_its_cause_is_told_at_full_alone() {
    let (scene, ann) = alone(&tools()).await;
    let writes = || Script::new().tool_call("write", &json!({ "path": "a.txt", "content": "tea" }));
    let line = "⚠️ ✍️ Write: to a.txt (3 chars) failed";
    scene.model.play(writes());
    ask(&scene, &ann, "hello", &["You said: hello", line]).await;
    // What was only to be looked up is not missed where there is an answer.
    scene.model.play(Script::new().tool_call("web_fetch", &json!({ "url": "https://x.org/a" })));
    ask(&scene, &ann, "and now?", &["You said: and now?"]).await;
    ask(&scene, &ann, "/verbose full", &["⚙️ Verbose logging set to full."]).await;
    scene.model.play(writes());
    ann.say("again");
    let told = |_: &_| ann.said().into_iter().rfind(|text| text.starts_with(line) && text.contains("disk"));
    scene.discord.wait_until(told).await;
    scene.finish().await;
}

#[tokio::test]
async fn tool_07_secrets_are_masked_in_bubbles_outputs_and_messages() {
    let tools = ToolsFake::new().tool("read", |_| async { Ok(format!("key={MODEL_KEY}")) });
    let (scene, ann) = alone(&tools).await;
    ask(&scene, &ann, "/verbose full", &["⚙️ Verbose logging set to full."]).await;
    let token = scene.discord.token().to_owned();
    scene.model.play(reads(MODEL_KEY));
    scene.model.play(Script::new().tool_call(MESSAGE, &json!({ "text": format!("It is {token}.") })));
    scene.model.play(Script::new().text(&format!("{MODEL_KEY} and {token}")));
    ann.say("hello");
    ann.wait_for("••• and •••").await;
    let calls = scene.discord.calls_where(|call| {
        let body = call.body.to_string();
        body.contains(MODEL_KEY) || body.contains(&token)
    });
    assert!(calls.is_empty(), "{calls:?}");
    assert!(ann.said().contains(&"📖 Read: from •••".to_owned()), "{:?}", ann.said());
    scene.finish().await;
}

#[tokio::test]
async fn rsn_11_thoughts_come_as_small_quotations_before_what_they_led_to() {
    let (scene, ann) = alone(&tools()).await;
    ask(&scene, &ann, "/reasoning on", &["⚙️ Reasoning visibility enabled."]).await;
    ask(&scene, &ann, "/verbose on", &[ON]).await;
    scene.model.play(Script::new().reasoning("I need a.txt.").tool_call("read", &json!({ "path": "a.txt" })));
    scene.model.play(Script::new().reasoning("Now\nI know.").text("So."));
    let expected = [
        "**Thinking**\n> -# I need a.txt.",
        "📖 Read: from a.txt",
        "**Thinking**\n> -# Now\n> -# I know.",
        "So.",
    ];
    ask(&scene, &ann, "hello", &expected).await;
    scene.finish().await;
}

#[tokio::test]
async fn disc_03_long_thoughts_are_split_with_their_marks_counted() {
    let (scene, ann) = alone(&tools()).await;
    ask(&scene, &ann, "/reasoning on", &["⚙️ Reasoning visibility enabled."]).await;
    for thought in
        ["x".repeat(2_000), "*x* and so on; ".repeat(200), (0..60).map(|n| format!("step {n}\n\n")).collect()]
    {
        let before = ann.said().len();
        scene.model.play(Script::new().reasoning(&thought).text("So."));
        ann.say("hello");
        scene
            .discord
            .wait_until(|_| ann.said().split_off(before).contains(&"So.".to_owned()).then_some(()))
            .await;
        let mut parts = ann.said().split_off(before);
        assert_eq!(parts.pop().as_deref(), Some("So."));
        assert!(parts.len() > 1);
        for part in &parts {
            assert!(part.encode_utf16().count() <= 2_000 && part.lines().count() <= 17, "{part}");
            assert!(part.lines().all(|line| line == "**Thinking**" || line.starts_with("> ")), "{part}");
        }
        let letters = |text: &str| text.matches('x').count() + text.matches("step").count();
        assert_eq!(parts.iter().map(|part| letters(part)).sum::<usize>(), letters(&thought));
    }
    scene.finish().await;
}

#[tokio::test]
async fn thoughts_are_shown_in_a_guild_only_where_its_rules_say_so() {
    for is_allowed in [false, true] {
        let (scene, ann, room) = world(&tools(), |config, guild| {
            config["channels"]["discord"]["guilds"][guild]["reasoningInGroups"] = is_allowed.into();
        })
        .await;
        let here = ann.in_room(&room);
        here.say("/reasoning on");
        here.wait_for("⚙️").await;
        let before = here.said().len();
        scene.model.play(Script::new().reasoning("Basalt.").text("So."));
        here.say("hello");
        let expected: &[&str] = if is_allowed { &["**Thinking**\n> -# Basalt.", "So."] } else { &["So."] };
        wait(&scene, &here, before, expected).await;
        scene.finish().await;
    }
}

#[tokio::test]
async fn tool_10_a_message_of_the_runs_own_goes_out_at_once_and_is_not_said_again() {
    let (scene, ann) = alone(&tools()).await;
    scene.model.play(Script::new().tool_call(MESSAGE, &json!({ "text": "**Half** of it." })));
    ask(&scene, &ann, "hello", &["**Half** of it.", "You said: hello"]).await;
    scene.model.play(Script::new().tool_call(MESSAGE, &json!({ "text": "Seven." })));
    scene.model.play(Script::new().text("Seven."));
    ask(&scene, &ann, "how many?", &["Seven."]).await;
    ask(&scene, &ann, "two", &["You said: two"]).await;
    scene.finish().await;
}

#[tokio::test]
async fn a_named_channel_is_written_to_with_leave_alone() {
    let mut scene = Scene::prepared_for_discord(|_| {}).await;
    scene.discord.unlimited();
    let ann = scene.discord.person("Ann");
    let guild = scene.discord.guild("Home", &[&ann]);
    let room = guild.channel("kitchen");
    let (owner, to) = (format!("discord:{}", ann.id()), room.id().to_string());
    scene.reconfigure(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": [MESSAGE] });
        config["commands"] = json!({ "ownerAllowFrom": [owner] });
        config["channels"]["discord"]["streaming"] = json!("off");
        config["channels"]["discord"]["guilds"] =
            json!({ guild.id().to_string(): { "channels": { &to: {} } } });
    });
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    let sends = || Script::new().tool_call(MESSAGE, &json!({ "text": "Dinner!", "to": to }));
    scene.model.play(sends());
    ann.say("call them");
    ann.wait_for("⚠️ ✉️ Message").await;
    assert!(result(&scene).starts_with("Nobody has allowed messages to other chats."), "{}", result(&scene));
    ann.say("/elevated ask");
    ann.wait_for("Elevated").await;
    scene.model.play(sends());
    ann.say("call them");
    let question = ann.wait_for("⚙️ May I do this?").await;
    ann.press(question.id, "Allow once").heard().await;
    ann.in_room(&room).wait_for("Dinner!").await;
    assert_eq!((room.said(), result(&scene).as_str()), (vec!["Dinner!".to_owned()], "Sent."));
    scene.finish().await;
}

/// With the real tools, of which only that for messages is allowed.
async fn at_home() -> (Scene, Person) {
    let allowed = |config: &mut Value| config["agents"]["defaults"]["tools"] = json!({ "allow": [MESSAGE] });
    let scene = Scene::on_discord(allowed).await;
    let ann = scene.discord.person("Ann");
    (scene, ann)
}

fn put(scene: &Scene, path: &str, bytes: impl AsRef<[u8]>) {
    let file = scene.home().join("workspace").join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, bytes).unwrap();
}

#[tokio::test]
async fn a_file_of_the_workspace_arrives_with_its_words_and_without_secrets() {
    let (scene, ann) = at_home().await;
    put(&scene, "plots/a.png", b"\x89PNG\r\n\x1a\n and no more of a picture");
    put(&scene, "notes.txt", format!("key = {MODEL_KEY}\n"));
    for (path, words) in [("plots/a.png", "**Look** at it."), ("notes.txt", "")] {
        scene.model.play(Script::new().tool_call(MESSAGE, &json!({ "file": path, "text": words })));
        ask(&scene, &ann, "go on", &[words, "You said: go on"]).await;
    }
    let files: Vec<_> = ann.sees().into_iter().flat_map(|seen| seen.attachments).collect();
    let seen: Vec<(&str, u64)> = files.iter().map(|file| (file.name.as_str(), file.size)).collect();
    assert_eq!(seen, [("a.png", 33), ("notes.txt", "key = •••\n".len() as u64)]);
    scene.finish().await;
}

#[tokio::test]
async fn a_file_that_discord_does_not_take_is_told_and_holds_up_nothing() {
    let (scene, ann) = at_home().await;
    put(&scene, "a.csv", "1,2\n");
    let refusal = Fault::on("POST /channels/{}/messages").refuse(413, 40_005, "Request entity too large");
    scene.discord.inject(refusal);
    scene.model.play(Script::new().tool_call(MESSAGE, &json!({ "file": "a.csv", "text": "Numbers." })));
    ann.say("go on");
    ann.wait_for("You said: go on").await;
    let said = ann.said();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("could not be delivered here in full"), "{said:?}");
    scene.finish().await;
}
