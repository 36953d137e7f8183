//! What a person types on Telegram, and what comes of it: directives alone, mixed with text, and in between.

#![allow(clippy::unwrap_used, reason = "a scenario that meets nothing where something must be fails there")]

use pensive_tests::scene::Scene;

#[tokio::test]
async fn dir_04_inline_value_is_used_for_the_run() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    ann.say("/think high explain Raft");
    let request = scene.model.wait_for_request(|_| true).await;
    assert_eq!(request.effort(), Some("high"));
    assert_eq!(request.prompt(), "explain Raft");
    scene.telegram.wait_for_text(ann.chat(), "explain Raft").await;
    ann.say("/think");
    scene.telegram.wait_for_text(ann.chat(), "Current thinking level: medium (from").await;
    scene.finish().await;
}
