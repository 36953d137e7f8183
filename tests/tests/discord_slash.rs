//! Slash commands: published when they have changed, answered to whoever called them, in time and also much later.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::chat::Chat;
use pensive_tests::discord::{Fault, Person, Seen};
use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::Scene;
use serde_json::{Value, json};

const GLOBAL: &str = "PUT /applications/{}/commands";
const OF_GUILD: &str = "PUT /applications/{}/guilds/{}/commands";
const HIGH: &str = "Thinking level set to high.";

/// A scene that Ann owns, with whatever is changed, once commands are offered.
async fn owned(change: impl FnOnce(&mut Value)) -> (Scene, Chat) {
    let mut scene = Scene::prepared_for_discord(|config| {
        config["channels"]["discord"]["streaming"] = "off".into();
        change(config);
    })
    .await;
    scene.discord.unlimited();
    let ann = scene.discord.person("Ann");
    let owner = format!("discord:{}", ann.id());
    scene.reconfigure(|config| config["commands"] = json!({ "ownerAllowFrom": [owner] }));
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    offered(&scene, &ann, "think").await;
    let chat = Chat::with(&scene, &ann);
    (scene, chat)
}

async fn offered(scene: &Scene, person: &Person, command: &str) {
    scene.discord.wait_until(|_| person.is_offered(command).then_some(())).await;
}

/// Calls a command and gives its answer, which only its person sees.
async fn call(chat: &mut Chat, command: &str, options: &[(&str, &str)]) -> Seen {
    chat.person().command(command, options);
    let answer = chat.next().await;
    assert!(answer.ephemeral, "/{command}: {}", answer.text);
    answer
}

fn effort(scene: &Scene) -> Option<String> {
    scene.model.requests().pop().unwrap().effort().map(str::to_owned)
}

/// Makes the next message into Ann's channel wait so long, in seconds, and everything else that is said to her with it.
async fn hold_up(scene: &Scene, ann: &Chat, seconds: f64) {
    let held = scene.discord.inject(Fault::on_send().in_channel(ann.person().channel()).retry_after(seconds));
    ann.person().say("hello");
    scene.discord.wait_until(|_| (held.hits() == 1).then_some(())).await;
}

/// Waits until somebody looks to it that a command is acknowledged in time.
async fn come_in(scene: &Scene) {
    let limit = Duration::from_secs(2);
    scene.clock.wait_for_sleeper(limit, limit).await;
}

/// Time goes on for so long, second by second: whatever is due has its moment.
async fn go_on(scene: &Scene, span: Duration) {
    for _ in 0..span.as_secs() {
        scene.advance(Duration::from_secs(1));
        scene.discord.wait_within(Duration::from_millis(5), |_| None::<()>).await;
    }
}

#[tokio::test]
async fn commands_are_published_once_and_again_only_where_that_changes() {
    let mut scene = Scene::prepared_for_discord(|_| {}).await;
    scene.discord.unlimited();
    let ann = scene.discord.person("Ann");
    let guild = scene.discord.guild("Home", &[&ann]);
    let there = ann.in_room(&guild.channel("kitchen"));
    let calls = |scene: &Scene| (scene.discord.calls(GLOBAL).len(), scene.discord.calls(OF_GUILD).len());
    scene.enter().await;
    offered(&scene, &ann, "think").await;
    // By then it is kept what was published.
    let mut chat = Chat::with(&scene, &ann);
    assert_eq!(chat.ask("hello").await, "You said: hello");
    assert_eq!(chat.ask("/think low").await, "Thinking level set to low.");
    scene.restart().await;
    assert_eq!(chat.ask("/think high").await, HIGH);
    assert_eq!(calls(&scene), (1, 0));
    let id = guild.id().to_string();
    scene.reconfigure(|config| config["channels"]["discord"]["commands"] = json!([id]));
    scene.restart().await;
    scene.discord.wait_until(|_| (!ann.is_offered("think")).then_some(())).await;
    offered(&scene, &there, "think").await;
    assert_eq!(calls(&scene), (2, 1));
    scene.reconfigure(|config| config["channels"]["discord"]["commands"] = "off".into());
    scene.restart().await;
    scene.discord.wait_until(|_| (!there.is_offered("think")).then_some(())).await;
    assert_eq!(calls(&scene), (2, 2));
    scene.finish().await;
}

#[tokio::test]
async fn a_setting_by_form_is_confirmed_to_its_person_alone_and_holds() {
    let (mut scene, mut ann) = owned(|_| {}).await;
    assert_eq!(call(&mut ann, "think", &[("level", "high")]).await.text, HIGH);
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(effort(&scene).as_deref(), Some("high"));
    scene.restart().await;
    assert_eq!(ann.ask("again").await, "You said: again");
    assert_eq!(effort(&scene).as_deref(), Some("high"), "ses_03");
    let refused = call(&mut ann, "think", &[("level", "big")]).await.text;
    assert!(refused.starts_with("Unrecognized thinking level \"big\"."), "{refused}");
    assert_eq!(
        call(&mut ann, "think", &[("level", "high hello")]).await.text.split('.').next(),
        Some("Unrecognized thinking level \"highhello\"")
    );
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn dir_14_every_command_that_is_offered_is_answered_here() {
    let (scene, mut ann) = owned(|_| {}).await;
    let commands = scene.discord.bot().commands();
    assert!(commands.len() > 10, "{commands:?}");
    for (_, command) in &commands {
        let name = command["name"].as_str().unwrap();
        let required =
            command["options"].as_array().into_iter().flatten().any(|option| option["required"] == true);
        assert!(!required, "/{name} may be called bare");
        let answer = call(&mut ann, name, &[]).await;
        assert!(!answer.text.is_empty(), "/{name}");
    }
    assert_eq!(scene.model.count(), 0);
    scene.finish().await;
}

#[tokio::test]
async fn what_the_commands_do() {
    let (scene, mut ann) = owned(|_| {}).await;
    assert!(call(&mut ann, "help", &[]).await.text.contains("/think"));
    assert!(ann.hear().await.contains("/commands lists everything."), "it is a long list");
    let status = call(&mut ann, "status", &[]).await.text;
    assert!(status.contains("fake/gpt-5.2"), "{status}");
    assert_eq!(call(&mut ann, "trace", &[("level", "on")]).await.text, "⚙️ Plugin trace enabled.");
    ann.ask("my word is Basalt").await;
    let trace = ann.hear().await;
    assert!(trace.starts_with("🔎"), "{trace}");
    call(&mut ann, "new", &[]).await;
    assert_eq!(ann.ask("what was it?").await, "You said: what was it?");
    assert_eq!(scene.model.requests().pop().unwrap().texts("user"), ["what was it?"]);
    let gate = Gate::new();
    scene.model.play(Script::new().text("Never").wait(&gate).text(" said."));
    ann.person().say("a long task");
    gate.reached(1).await;
    ann.person().command("stop", &[]);
    assert!(ann.person().wait_for("⚙️ Stopped.").await.ephemeral);
    let partial = ann.person().wait_for("⏹").await;
    assert_eq!((partial.text.as_str(), partial.ephemeral), ("Never\n\n⏹", false));
    scene.model.wait_for_abandoned(1).await;
    scene.finish().await;
}

#[tokio::test]
async fn an_owners_command_is_refused_to_others() {
    let (scene, _ann) = owned(|_| {}).await;
    let mut bob = Chat::with(&scene, &scene.discord.person("Bob"));
    for command in ["trace", "elevated"] {
        let options = scene.discord.bot().commands();
        let known = options.iter().find(|(_, known)| known["name"] == command).unwrap();
        let option = known.1["options"][0]["name"].as_str().unwrap().to_owned();
        let answer = call(&mut bob, command, &[(&option, "on")]).await.text;
        assert_eq!(answer, format!("❌ /{command} is restricted to owners."));
        assert_eq!(bob.person().complete(command, &option, "").await, []);
    }
    scene.finish().await;
}

#[tokio::test]
async fn a_stranger_is_told_that_they_may_not_and_nothing_of_it_is_kept() {
    let (scene, mut ann) = owned(|config| {
        config["channels"]["discord"]["dmPolicy"] = "allowlist".into();
        config["channels"]["discord"]["allowFrom"] = json!(["1"]);
    })
    .await;
    let mut known = Chat::with(&scene, &scene.discord.person_with_id(1, "Known"));
    let called = ann.person().command("think", &[("level", "high")]);
    assert_eq!(ann.next().await.text, "You may not use me here.");
    assert!(called.heard_after().is_some_and(|after| after < 2_000));
    assert_eq!(known.ask("hello").await, "You said: hello");
    assert_eq!(ann.person().complete("think", "level", "").await, []);
    assert_eq!(scene.house().engine().overview().await.unwrap().sessions, 1);
    scene.finish().await;
}

#[tokio::test]
async fn in_a_guild_nobody_else_sees_it_and_the_setting_is_its_persons() {
    let mut scene =
        Scene::prepared_for_discord(|config| config["channels"]["discord"]["streaming"] = "off".into()).await;
    scene.discord.unlimited();
    let (ann, bob) = (scene.discord.person("Ann"), scene.discord.person("Bob"));
    let guild = scene.discord.guild("Home", &[&ann, &bob]);
    let (room, id) = (guild.channel("kitchen"), guild.id().to_string());
    let thread = room.thread("soup");
    scene.reconfigure(|config| {
        config["channels"]["discord"]["guilds"] = json!({ id: { "allowFrom": ["*"] } })
    });
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    let (ann, bob) = (ann.in_room(&room), bob.in_room(&room));
    offered(&scene, &ann, "think").await;
    let mut chat = Chat::with(&scene, &ann);
    assert_eq!(call(&mut chat, "think", &[("level", "high")]).await.text, HIGH);
    let mut aside = Chat::with(&scene, &ann.in_room(&thread));
    assert_eq!(call(&mut aside, "think", &[("level", "low")]).await.text, "Thinking level set to low.");
    for (person, expected) in [(&ann, "high"), (&ann.in_room(&thread), "low"), (&bob, "medium")] {
        let mut chat = Chat::with(&scene, person);
        assert!(chat.call("hello").await.contains("hello"));
        assert_eq!(effort(&scene).as_deref(), Some(expected));
    }
    assert!(bob.sees().iter().all(|seen| !seen.text.contains("Thinking level")));
    scene.finish().await;
}

#[tokio::test]
async fn dir_09_what_is_offered_while_typing_follows_the_model_of_the_session() {
    let (scene, mut ann) = owned(|_| {}).await;
    let values = async |ann: &Chat, typed: &str| -> Vec<String> {
        let choices = ann.person().complete("think", "level", typed).await;
        choices.into_iter().map(|choice| choice.value).collect()
    };
    assert_eq!(values(&ann, "").await, ["off", "minimal", "low", "medium", "high", "xhigh", "default"]);
    assert_eq!(values(&ann, "hi").await[0], "high");
    call(&mut ann, "model", &[("model", "fake/gpt-4.1")]).await;
    assert_eq!(values(&ann, "").await, ["off", "default"]);
    for value in values(&ann, "").await {
        let answer = call(&mut ann, "think", &[("level", &value)]).await.text;
        assert!(answer.starts_with("Thinking "), "{value}: {answer}");
    }
    let models = ann.person().complete("model", "model", "gpt").await;
    assert!(models.iter().any(|choice| choice.label.starts_with("✓ fake/gpt-4.1")), "{models:?}");
    scene.finish().await;
}

#[tokio::test]
async fn an_answer_that_takes_longer_is_promised_in_time_and_then_stands_in_its_place() {
    let (scene, ann) = owned(|_| {}).await;
    hold_up(&scene, &ann, 20.0).await;
    let called = ann.person().command("think", &[("level", "high")]);
    come_in(&scene).await;
    go_on(&scene, Duration::from_secs(3)).await;
    assert_eq!(called.heard_after(), Some(2_000));
    let promised = ann.person().sees().into_iter().find(|seen| seen.loading).unwrap();
    go_on(&scene, Duration::from_secs(20)).await;
    ann.person().wait_for("You said: hello").await;
    let answer = ann.person().wait_for(HIGH).await;
    assert_eq!((answer.id, answer.ephemeral), (promised.id, true));
    assert_eq!(ann.person().said().len(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn an_answer_after_minutes_follows_and_one_after_a_quarter_of_an_hour_goes_to_the_channel() {
    for (wait, private) in [(300_u32, true), (1_000, false)] {
        let (scene, mut ann) = owned(|_| {}).await;
        hold_up(&scene, &ann, f64::from(wait)).await;
        let called = ann.person().command("think", &[("level", "high")]);
        come_in(&scene).await;
        go_on(&scene, Duration::from_secs(90)).await;
        assert_eq!(called.heard_after(), Some(2_000));
        assert_eq!(ann.hear().await, "I have nothing to say to that.", "nobody waits for ever");
        scene.advance(Duration::from_secs(u64::from(wait)));
        go_on(&scene, Duration::from_secs(5)).await;
        assert_eq!(ann.hear().await, "You said: hello");
        let answer = ann.next().await;
        assert_eq!((answer.text.as_str(), answer.ephemeral), (HIGH, private), "after {wait} s");
        scene.finish().await;
    }
}

#[tokio::test]
async fn a_command_is_answered_across_a_restart() {
    let (mut scene, mut ann) = owned(|_| {}).await;
    hold_up(&scene, &ann, 20.0).await;
    ann.person().command("think", &[("level", "high")]);
    come_in(&scene).await;
    go_on(&scene, Duration::from_secs(3)).await;
    scene.cut_off().await;
    scene.advance(Duration::from_secs(20));
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    let mut said = [ann.next().await, ann.next().await];
    said.sort_by_key(|seen| seen.ephemeral);
    assert_eq!((said[0].text.as_str(), said[1].text.as_str()), ("You said: hello", HIGH));
    assert!(said[1].ephemeral, "it follows what was promised");
    scene.finish().await;
}

#[tokio::test]
async fn an_interaction_that_comes_again_is_one() {
    let (scene, mut ann) = owned(|_| {}).await;
    assert_eq!(call(&mut ann, "think", &[("level", "high")]).await.text, HIGH);
    scene.discord.line().repeat("INTERACTION_CREATE");
    scene.discord.line().replay("INTERACTION_CREATE");
    assert_eq!(ann.ask("/think low").await, "Thinking level set to low.");
    scene.discord.line().repeat("INTERACTION_CREATE");
    assert!(ann.ask("/think").await.starts_with("Current thinking level: low (from session)."));
    scene.finish().await;
}

#[tokio::test]
async fn a_command_that_is_gone_is_told_to_be_gone() {
    let (scene, mut ann) = owned(|_| {}).await;
    ann.person().call_forgotten("imagine");
    let answer = ann.next().await;
    assert_eq!(
        (answer.text.as_str(), answer.ephemeral),
        ("I do not have that command any more. Type / to see what I have.", true)
    );
    assert_eq!(ann.ask("hello").await, "You said: hello");
    scene.finish().await;
}

#[tokio::test]
async fn a_first_word_that_was_lost_is_said_once() {
    let (scene, mut ann) = owned(|_| {}).await;
    let lost = scene.discord.inject(Fault::on("POST /interactions/{}/{}/callback").after_commit().reset());
    assert_eq!(call(&mut ann, "think", &[("level", "high")]).await.text, HIGH);
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!((lost.hits(), ann.person().said().iter().filter(|text| *text == HIGH).count()), (1, 1));
    scene.finish().await;
}

#[tokio::test]
async fn a_doubt_about_an_answer_for_one_person_is_for_them_alone_too() {
    let (scene, ann) = owned(|_| {}).await;
    hold_up(&scene, &ann, 20.0).await;
    ann.person().command("think", &[("level", "high")]);
    come_in(&scene).await;
    let lost = [
        scene.discord.inject(Fault::on("POST /webhooks/{}/{}").reset()),
        scene.discord.inject(Fault::on("PATCH /webhooks/{}/{}/messages/{}").reset()),
    ];
    go_on(&scene, Duration::from_secs(25)).await;
    scene.discord.wait_until(|_| lost.iter().any(|lost| lost.hits() > 0).then_some(())).await;
    scene.discord.clear_faults();
    let doubt = ann.person().wait_for("I could not confirm").await;
    assert!(doubt.ephemeral, "{doubt:?}");
    ann.person().press(doubt.id, "Show it again");
    let answer = ann.person().wait_for(HIGH).await;
    assert!(answer.ephemeral, "{answer:?}");
    scene.finish().await;
}

#[tokio::test]
async fn whoever_calls_commands_too_fast_is_told_each_time() {
    let (scene, mut ann) =
        owned(|config| config["limits"]["perSender"] = json!({ "perMinute": 20, "burst": 2 })).await;
    for _ in 0..2 {
        assert_eq!(call(&mut ann, "think", &[("level", "high")]).await.text, HIGH);
    }
    for _ in 0..3 {
        let told = call(&mut ann, "think", &[("level", "low")]).await;
        assert!(told.text.contains("too fast"), "{}", told.text);
    }
    scene.finish().await;
}
