//! The shortest whole conversations on Discord.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a scenario that cannot go on fails"
)]

use pensive_tests::scene::Scene;
use serde_json::json;

#[tokio::test]
async fn a_direct_message_is_answered_and_a_setting_is_kept() {
    let scene = Scene::on_discord(|_| {}).await;
    let alice = scene.discord.person("Alice");
    alice.say("hello");
    alice.wait_for("hello").await;
    alice.say("/think high");
    alice.wait_for("Thinking level set to high.").await;
    scene.finish().await;
}

#[tokio::test]
async fn a_slash_command_is_answered_to_its_person_alone() {
    let scene = Scene::on_discord(|_| {}).await;
    let alice = scene.discord.person("Alice");
    scene.discord.wait_until(|_| alice.is_offered("think").then_some(())).await;
    alice.command("think", &[("level", "high")]);
    let answer = alice.wait_for("Thinking level set to high.").await;
    assert!(answer.ephemeral);
    let choices = alice.complete("think", "level", "").await;
    assert!(choices.iter().any(|choice| choice.value == "low"), "{choices:?}");
    scene.finish().await;
}

#[tokio::test]
async fn a_guild_hears_a_mention_and_a_thread_has_its_own_session() {
    let scene = Scene::prepared_for_discord(|_| {}).await;
    let mut scene = scene;
    let alice = scene.discord.person("Alice");
    let guild = scene.discord.guild("Home", &[&alice]);
    let general = guild.channel("general");
    let thread = general.thread("aside");
    scene.discord.unlimited();
    let (id, person) = (guild.id().to_string(), alice.id().to_string());
    scene.reconfigure(|config| {
        config["channels"]["discord"]["guilds"] = json!({ id: { "allowFrom": [person] } });
        config["channels"]["discord"]["streaming"] = "off".into();
    });
    scene.enter().await;
    scene.discord.line().wait_until_open().await;
    alice.in_room(&general).mention_and_say("/think high what is up");
    alice.in_room(&general).wait_for("what is up").await;
    alice.in_room(&thread).mention_and_say("and here");
    alice.in_room(&thread).wait_for("and here").await;
    scene.finish().await;
}
