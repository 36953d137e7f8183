//! Answers in the making on Discord: a status that gives way to the answer, or one message that grows into it, with a button that
//! stops it, within what the channel takes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

mod ended;
mod limited;
mod shown;

use std::time::Duration;

use pensive_tests::discord::{Call, Fault, Person, Room, Seen};
use pensive_tests::gate::Gate;
use pensive_tests::model::{Failure, Script};
use pensive_tests::scene::Scene;
use pensive_tests::tools::ToolsFake;
use serde_json::{Value, json};

const SEND: &str = "POST /channels/{}/messages";
const EDIT: &str = "PATCH /channels/{}/messages/{}";
const DELETE: &str = "DELETE /channels/{}/messages/{}";
const TYPE: &str = "POST /channels/{}/typing";
const STOP: &str = "⏹ Stop";
const AT_WORK: &str = "Thinking…";
const READ: &str = "📖 Read";
const FIRST: &str = "The first line of it is a long one. ";
const SECOND: &str = "And then one more of them. ";
const END: &str = "That is all.";

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn streaming(mode: &'static str) -> impl FnOnce(&mut Value) {
    move |config| config["channels"]["discord"]["streaming"] = json!(mode)
}

/// Ann alone with the bot, at its own pace and within Discord's limits.
async fn alone(mode: &'static str) -> (Scene, Person) {
    let scene = Scene::on_discord_paced(streaming(mode)).await;
    let ann = scene.discord.person("Ann");
    (scene, ann)
}

/// The same with `read` waiting at a gate.
async fn reading(mode: &'static str) -> (Scene, Person, Gate) {
    let gate = Gate::new();
    let held = gate.clone();
    let tools = ToolsFake::new().tool("read", move |_| {
        let held = held.clone();
        async move {
            held.pass().await;
            Ok("one".to_owned())
        }
    });
    let mut scene = Scene::prepared_for_discord(|config| {
        streaming(mode)(config);
        config["agents"]["defaults"]["tools"] = json!({ "allow": ["*"] });
    })
    .await;
    scene.equip(&tools);
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    let ann = scene.discord.person("Ann");
    (scene, ann, gate)
}

/// Ann in two channels of a guild where everything is heard.
async fn guild(change: impl FnOnce(&mut Value, &str)) -> (Scene, Person, [Room; 2]) {
    let mut scene = Scene::prepared_for_discord(streaming("partial")).await;
    let ann = scene.discord.person("Ann");
    let guild = scene.discord.guild("Home", &[&ann]);
    let rooms = [guild.channel("kitchen"), guild.channel("cellar")];
    let id = guild.id().to_string();
    scene.reconfigure(|config| {
        config["channels"]["discord"]["groupPolicy"] = json!("open");
        config["channels"]["discord"]["guilds"] = json!({ &id: { "requireMention": false } });
        change(config, &id);
    });
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    (scene, ann, rooms)
}

fn of_bot(person: &Person) -> Vec<Seen> {
    person.sees().into_iter().filter(|seen| seen.by_bot).collect()
}

/// The message of the bot that begins so, once it stands.
async fn stands(scene: &Scene, person: &Person, beginning: &str) -> Seen {
    let begins = |seen: &Seen| seen.text.starts_with(beginning);
    scene.run_until_at_discord(beginning, |_| of_bot(person).into_iter().find(begins)).await
}

/// Runs until the bot has said exactly this and no Stop is left.
async fn ends(scene: &Scene, person: &Person, expected: &[&str]) {
    let look = |_: &_| {
        let said: Vec<Seen> = of_bot(person);
        let texts: Vec<&str> = said.iter().map(|seen| seen.text.as_str()).collect();
        (texts == expected && said.iter().all(|seen| seen.buttons.is_empty())).then_some(())
    };
    scene.run_until_at_discord(&format!("{expected:?}"), look).await;
}

fn good(scene: &Scene, what: &str) -> Vec<Call> {
    scene.discord.calls_where(|call| call.is(what) && call.ok())
}

/// Lets so many seconds pass, one after the other.
async fn leap(scene: &Scene, seconds: u32) {
    for _ in 0..seconds {
        scene.advance(ms(1_000));
        scene.discord.wait_within(ms(8), |_| None::<()>).await;
    }
}
