//! The line to Discord's gateway: it breaks, dies, is refused and is moved, and people notice none of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

mod broken;
mod events;
mod refused;

use std::time::Duration;

use pensive_contract::intake::AccountState;
use pensive_tests::discord::{Fault, Guild, Line, Person, Resumable, Said};
use pensive_tests::scene::{Scene, discord_keys};
use serde_json::{Value, json};

const DISCORD: &str = "discord/default";
const LOOKUP: &str = "GET /gateway/bot";
/// `heartbeat_interval`, as Discord has it.
const EVERY: Duration = Duration::from_millis(41_250);
const INSTANT: Duration = Duration::from_millis(1);

/// What is done to a line.
type Blow = fn(&Line);

const BEAT: u64 = 1;
const IDENTIFY: u64 = 2;
const RESUME: u64 = 6;

/// Says something and waits for its echo: whatever was to come before has come then.
async fn talk(person: &Person, text: &str) {
    person.say(text);
    echo(person, text).await;
}

/// Waits for the echo of what Ann said, alone or among others, who are told who said what.
async fn echo(person: &Person, text: &str) {
    person.wait_for(text).await;
}

/// Exactly these have been echoed, in this order and each once.
#[track_caller]
fn assert_echoed(person: &Person, texts: &[&str]) {
    let said = person.said();
    let bare = |text: &String| text.trim_start_matches("You said: ").trim_start_matches("Ann: ").to_owned();
    assert_eq!(said.iter().map(bare).collect::<Vec<_>>(), texts, "{said:?}");
}

/// What the daemon said on its lines under this opcode.
fn told(scene: &Scene, op: u64) -> Vec<Said> {
    let commands = scene.discord.commands();
    commands.into_iter().filter(|said| said.closed.is_none() && said.op == op).collect()
}

/// Waits until `count` sessions were started or taken up, and lets the pauses before it pass.
async fn entered(scene: &Scene, op: u64, count: usize) {
    scene.run_until_at_discord("a session", |_| (told(scene, op).len() >= count).then_some(())).await;
    scene.discord.line().wait_until_open().await;
}

/// Waits for a state without letting time pass.
async fn stands(scene: &Scene, account: &str, wanted: fn(&AccountState) -> bool) -> AccountState {
    for _ in 0..2_000 {
        let state = scene.state(account);
        if wanted(&state) {
            return state;
        }
        scene.discord.wait_within(Duration::from_millis(5), |_| None::<()>).await;
    }
    panic!("{account} is {:?}", scene.state(account))
}

fn listens(state: &AccountState) -> bool {
    matches!(state, AccountState::Listening { .. })
}

fn deaf(state: &AccountState) -> bool {
    matches!(state, AccountState::Deaf { .. })
}

fn waits(state: &AccountState) -> bool {
    matches!(state, AccountState::Retrying { .. })
}

fn parked(state: &AccountState) -> bool {
    matches!(state, AccountState::Parked { .. })
}

/// The words of a state that has some.
fn why(state: &AccountState) -> &str {
    match state {
        AccountState::Parked { why } | AccountState::Retrying { why } | AccountState::Deaf { why } => why,
        other => panic!("{other:?}"),
    }
}

/// A bot on Discord and one on Telegram.
async fn both() -> Scene {
    let mut scene = Scene::prepared(|_| {}).await;
    scene.discord.unlimited();
    let keys = discord_keys(&scene.discord.url(), scene.discord.token());
    scene.reconfigure(|config| {
        config["channels"]["discord"] = keys;
        config["channels"]["discord"]["streaming"] = json!("off");
        config["channels"]["telegram"]["streaming"] = json!("off");
    });
    scene
}

/// Lets time pass up to the first heartbeat; it is sent when the clock stands still.
async fn first_beat(scene: &Scene) {
    for _ in 0..45 {
        if scene.discord.wait_within(Duration::from_millis(8), |_| told(scene, BEAT).pop()).await.is_some() {
            return;
        }
        scene.advance(Duration::from_secs(1));
    }
    panic!("no heartbeat in 45 s")
}

/// A person alone with the bot and in two places of a guild where everything that is said is heard.
struct Places {
    guild: Guild,
    ann: Person,
    kitchen: Person,
    thread: Person,
}

async fn with_guild() -> (Scene, Places) {
    let mut scene = Scene::prepared_for_discord(|_| {}).await;
    scene.discord.unlimited();
    let ann = scene.discord.person("Ann");
    let guild = scene.discord.guild("Home", &[&ann]);
    let room = guild.channel("kitchen");
    let thread = room.thread("cooking");
    scene.reconfigure(|config| {
        let discord = &mut config["channels"]["discord"];
        discord["streaming"] = json!("off");
        discord["groupPolicy"] = json!("open");
        discord["guilds"] = json!({ guild.id().to_string(): { "requireMention": false } });
    });
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    let (kitchen, thread) = (ann.in_room(&room), ann.in_room(&thread));
    (scene, Places { guild, ann, kitchen, thread })
}
