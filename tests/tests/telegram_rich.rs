//! Answers that go out as rich messages: one message where plain ones would be several or could not show it, and the plain
//! ones wherever the rich one is refused.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::model::Script;
use pensive_tests::scene::Scene;
use pensive_tests::talk::Talk;
use pensive_tests::telegram::Fault;

const TABLE: &str = "Here:\n\n| Name | N |\n|:--|--:|\n| x | 1 |\n\nThat is all.";

async fn start() -> (Scene, Talk) {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let talk = Talk::with(&scene, &ann);
    (scene, talk)
}

/// What a person sees of one answer, however many messages it takes.
async fn shown(scene: &Scene, talk: &mut Talk, markdown: &str) -> Vec<String> {
    scene.model.play(Script::new().text(markdown));
    talk.say("write");
    let mut parts = vec![talk.hear().await];
    scene.model.play(Script::new().text("The end of it."));
    talk.say("end");
    loop {
        let part = talk.hear().await;
        if part.ends_with("The end of it.") {
            return parts;
        }
        parts.push(part);
    }
}

#[tokio::test]
async fn a_table_and_a_long_answer_are_one_rich_message_each() {
    let (scene, mut talk) = start().await;
    assert_eq!(shown(&scene, &mut talk, TABLE).await.len(), 1);
    let long = "A line of it.\n\n".repeat(450);
    let seen = shown(&scene, &mut talk, &long).await;
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].matches("A line of it.").count(), 450);
    let calls = scene.telegram.calls("sendRichMessage");
    assert_eq!(calls.len(), 2);
    assert_eq!(shown(&scene, &mut talk, "**short**").await, ["short"]);
    scene.finish().await;
}

#[tokio::test]
async fn where_rich_messages_are_refused_the_plain_parts_come_once_and_in_order() {
    let (scene, mut talk) = start().await;
    let long = "word ".repeat(2_000);
    scene.telegram.inject(Fault::on("sendRichMessage").refuse(400, "Bad Request: RICH_MESSAGE_INVALID"));
    let seen = shown(&scene, &mut talk, &long).await;
    assert_eq!(seen.len(), 3);
    assert_eq!(seen.concat().matches("word").count(), 2_000);
    scene.telegram.turn_off(&["sendRichMessage"]);
    let seen = shown(&scene, &mut talk, TABLE).await;
    assert_eq!(seen.len(), 1);
    assert!(seen[0].contains("Name"), "{seen:?}");
    scene.finish().await;
}
