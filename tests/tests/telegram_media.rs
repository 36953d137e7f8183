//! What people send along with their words: pictures, documents, voice messages and albums.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::{Failure, MediaKind, Request, Script};
use pensive_tests::scene::{Scene, said};
use pensive_tests::talk::Talk;
use pensive_tests::telegram::Fault;
use serde_json::{Value, json};

const SETTLES: Duration = Duration::from_millis(600);
const JPEG: &[u8] = b"\xff\xd8\xff\xe0 no real picture";

/// The scene's model takes these beside text.
fn takes(config: &mut Value, kinds: &[&str]) {
    let input: Vec<&str> = std::iter::once("text").chain(kinds.iter().copied()).collect();
    config["models"]["providers"]["fake"]["models"][0]["input"] = json!(input);
}

async fn seeing() -> Scene {
    Scene::with(|config| takes(config, &["image"])).await
}

fn prompts(scene: &Scene) -> Vec<String> {
    scene.model.requests().iter().map(Request::prompt).collect()
}

fn pictures(request: &Request) -> Vec<Vec<u8>> {
    request
        .media()
        .into_iter()
        .filter(|media| media.kind == MediaKind::Image)
        .map(|media| media.bytes)
        .collect()
}

/// Waits until an album is held.
async fn held(scene: &Scene) {
    assert_eq!(scene.clock.wait_for_sleeper(SETTLES, SETTLES).await, SETTLES);
}

#[tokio::test]
async fn a_picture_reaches_the_model_before_its_caption_and_leaves_only_a_mark() {
    let scene = seeing().await;
    let ann = scene.telegram.user("Ann");
    let mut talk = Talk::with(&scene, &ann);
    ann.photo().caption("what is this?").send();
    assert_eq!(talk.hear().await, "You said: what is this?\n[photo]");
    let request = scene.model.requests().pop().unwrap();
    assert_eq!(pictures(&request), [JPEG]);
    assert_eq!(request.media()[0].mime, "image/jpeg");
    talk.ask("and now?").await;
    let request = scene.model.requests().pop().unwrap();
    assert_eq!(pictures(&request), Vec::<Vec<u8>>::new(), "it is kept nowhere");
    assert_eq!(request.texts("user"), ["what is this?\n[photo]", "and now?"]);
    scene.finish().await;
}

#[tokio::test]
async fn a_caption_with_directives_alone_sets_them_and_the_picture_goes_on() {
    let scene = seeing().await;
    let ann = scene.telegram.user("Ann");
    let mut talk = Talk::with(&scene, &ann);
    ann.photo().caption("/think high").send();
    assert_eq!(talk.hear().await, "Thinking level set to high.");
    assert_eq!(talk.hear().await, "You said: [photo]");
    let request = scene.model.requests().pop().unwrap();
    assert_eq!((request.effort(), pictures(&request).len()), (Some("high"), 1));
    assert!(talk.ask("/think").await.starts_with("Current thinking level: high (from session)."));
    scene.finish().await;
}

#[tokio::test]
async fn med_01_02_03_an_album_is_one_turn_with_all_captions_and_pictures() {
    let scene = seeing().await;
    scene.model.reply_with(|_| Some(Script::new().text("Seen.")));
    let ann = scene.telegram.user("Ann");
    ann.album(&["first /think high", "", "second", "/think high"]);
    held(&scene).await;
    scene.telegram.bot().wait_until_confirmed().await;
    held(&scene).await;
    assert_eq!(scene.model.count(), 0);
    scene.advance(SETTLES);
    scene.telegram.wait_for_text(ann.chat(), "Seen.").await;
    assert_eq!(prompts(&scene), ["first\n\nsecond\n[4 × photo]"]);
    let request = scene.model.requests().pop().unwrap();
    let bytes = pictures(&request);
    assert_eq!(bytes.len(), 4);
    for (place, bytes) in bytes.iter().enumerate() {
        assert!(bytes.ends_with(place.to_string().as_bytes()), "in their order");
    }
    assert_eq!(request.effort(), Some("high"));
    assert_eq!(said(&ann), ["Thinking level set to high.", "Seen."], "the directive counts once");
    scene.finish().await;
}

#[tokio::test]
async fn an_album_of_ten_waits_for_nothing_and_the_next_message_ends_the_wait_of_others() {
    let scene = seeing().await;
    scene.model.reply_with(|request| Some(Script::new().text(&format!("Seen {}.", pictures(request).len()))));
    let ann = scene.telegram.user("Ann");
    ann.album(&[""; 10]);
    scene.telegram.wait_for_text(ann.chat(), "Seen 10.").await;
    ann.album(&["two", ""]);
    ann.say("/whoami");
    scene.telegram.wait_for_text(ann.chat(), "You are").await;
    scene.telegram.wait_for_text(ann.chat(), "Seen 2.").await;
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn an_album_outlives_a_restart_and_meets_its_late_part() {
    let mut scene = seeing().await;
    scene.model.reply_with(|_| Some(Script::new().text("Seen.")));
    let ann = scene.telegram.user("Ann");
    ann.photo().caption("one").in_album("77").send();
    ann.photo().in_album("77").send();
    held(&scene).await;
    scene.telegram.bot().wait_until_confirmed().await;
    scene.leave().await;
    ann.photo().caption("three").in_album("77").send();
    scene.enter().await;
    scene.telegram.bot().wait_until_confirmed().await;
    held(&scene).await;
    scene.advance(SETTLES);
    scene.telegram.wait_for_text(ann.chat(), "Seen.").await;
    assert_eq!(prompts(&scene), ["one\n\nthree\n[3 × photo]"]);
    scene.finish().await;
}

#[tokio::test]
async fn med_09_a_caption_of_an_album_that_waits_is_changed_and_nothing_in_it_is_executed() {
    let scene = seeing().await;
    scene.model.reply_with(|_| Some(Script::new().text("Seen.")));
    let ann = scene.telegram.user("Ann");
    let album = ann.album(&["one", "two"]);
    held(&scene).await;
    scene.telegram.bot().wait_until_confirmed().await;
    ann.edit(album[0].message_id, "first /think high");
    scene.telegram.bot().wait_until_confirmed().await;
    held(&scene).await;
    scene.advance(SETTLES);
    scene.telegram.wait_for_text(ann.chat(), "Seen.").await;
    assert_eq!(prompts(&scene), ["first\n\ntwo\n[2 × photo]"]);
    assert_eq!(scene.model.requests().pop().unwrap().effort(), Some("medium"));
    // Behind a run it waits as one, and is changed in its parts.
    let gate = Gate::new();
    scene.model.play(Script::new().first_byte(&gate).text("Thought."));
    ann.say("/queue followup");
    scene.telegram.wait_for_text(ann.chat(), "Queue").await;
    ann.say("wait");
    gate.reached(1).await;
    let album = ann.album(&["three", "four"]);
    held(&scene).await;
    scene.telegram.bot().wait_until_confirmed().await;
    held(&scene).await;
    scene.advance(SETTLES);
    ann.say("/whoami");
    scene.telegram.wait_for_text(ann.chat(), "You are").await;
    ann.edit(album[0].message_id, "third");
    scene.telegram.bot().wait_until_confirmed().await;
    ann.say("/whoami");
    scene
        .telegram
        .wait_until(|_| {
            (said(&ann).iter().filter(|text| text.starts_with("You are")).count() == 2).then_some(())
        })
        .await;
    gate.open();
    scene.model.wait_for_request(|request| request.prompt() == "third\n\nfour\n[2 × photo]").await;
    scene.finish().await;
}

#[tokio::test]
async fn med_04_a_picture_in_a_group_has_the_gate_of_a_text_and_a_mention_calls_for_its_whole_album() {
    let scene = Scene::with(|config| {
        takes(config, &["image"]);
        config["channels"]["telegram"]["groupPolicy"] = json!("open");
        // An album counts once.
        config["limits"]["perSender"] = json!({ "perMinute": 1, "burst": 3 });
    })
    .await;
    scene.model.reply_with(|_| Some(Script::new().text("Seen.")));
    let ann = scene.telegram.user("Ann");
    let room = scene.telegram.group("Room", &[&ann]);
    let ann = ann.at(&room);
    ann.photo().caption("look").send();
    let album = ["", "@pensive_test_bot look", "", ""];
    scene.telegram.bot().hold_updates();
    ann.album(&album);
    scene.telegram.bot().release_updates();
    scene.telegram.bot().wait_until_confirmed().await;
    held(&scene).await;
    scene.advance(SETTLES);
    scene.telegram.wait_for_text(ann.chat(), "Seen.").await;
    assert_eq!(prompts(&scene), ["Ann: @pensive_test_bot look\n[4 × photo]"]);
    let ours = ann.sees().into_iter().find(|seen| seen.by_bot).unwrap();
    ann.photo().reply_to(ours.id).send();
    scene.model.wait_for_request(|request| request.prompt() == "Ann: [photo]").await;
    scene.finish().await;
}

#[tokio::test]
async fn med_06_a_voice_message_that_nobody_can_hear_is_told_and_goes_to_no_model() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let mut talk = Talk::with(&scene, &ann);
    ann.voice().send();
    assert_eq!(talk.hear().await, "I cannot listen to voice messages here. Please write it instead.");
    assert_eq!(scene.model.count(), 0);
    ann.voice().caption("listen").send();
    assert_eq!(talk.hear().await, "I cannot listen to voice messages here. Please write it instead.");
    let heard = talk.hear().await;
    let note = "[The person also sent a voice message, which cannot be shown here.]";
    assert_eq!(heard, format!("You said: listen\n[voice message]\n\n{note}"));
    assert_eq!(scene.telegram.calls("getFile"), [], "what is of no use is not fetched");
    scene.finish().await;
}

#[tokio::test]
async fn med_06_a_voice_message_is_written_down_where_somebody_can() {
    let scene =
        Scene::with(|config| config["messages"]["voice"] = json!({ "transcribe": "fake/whisper-1" })).await;
    scene.model.transcribe("What is the time?");
    let ann = scene.telegram.user("Ann");
    let mut talk = Talk::with(&scene, &ann);
    ann.voice().send();
    assert_eq!(talk.hear().await, "You said: [voice message]\nWhat is the time?");
    talk.ask("thanks").await;
    let request = scene.model.requests().pop().unwrap();
    assert_eq!(request.texts("user"), ["[voice message]\nWhat is the time?", "thanks"], "the words are kept");
    scene.finish().await;
}

#[tokio::test]
async fn a_text_document_is_quoted_and_what_is_no_text_is_told() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    let mut talk = Talk::with(&scene, &ann);
    scene.model.reply_with(|_| Some(Script::new().text("Read.")));
    ann.document("notes.md", "one\ntwo\n").caption("sum up").send();
    assert_eq!(talk.hear().await, "Read.");
    assert_eq!(prompts(&scene), ["sum up\n[document notes.md]\n\nnotes.md:\n```\none\ntwo\n```"]);
    ann.document("table.xlsx", "PK\u{3}\u{4}\0").send();
    let line = "⚠️ I cannot read the document table.xlsx. I can read pictures, PDF and plain text.";
    assert_eq!(talk.hear().await, line);
    assert_eq!(scene.model.count(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn a_model_without_eyes_gets_the_words_and_a_note() {
    let scene = Scene::with(|config| takes(config, &[])).await;
    let ann = scene.telegram.user("Ann");
    let mut talk = Talk::with(&scene, &ann);
    ann.photo().caption("what is this?").send();
    let line = "fake/gpt-5.2 cannot look at pictures. /model shows what else there is.";
    assert_eq!(talk.hear().await, line);
    let note = "[The person also sent a photo, which cannot be shown here.]";
    assert_eq!(talk.hear().await, format!("You said: what is this?\n[photo]\n\n{note}"));
    ann.photo().send();
    assert_eq!(talk.hear().await, line);
    assert_eq!(scene.model.count(), 1);
    assert_eq!(scene.telegram.calls("getFile"), []);
    scene.finish().await;
}

#[tokio::test]
async fn med_18_marks_of_earlier_turns_never_come_back_after_a_restart() {
    let mut scene = seeing().await;
    let ann = scene.telegram.user("Ann");
    let mut talk = Talk::with(&scene, &ann);
    ann.photo().caption("what is this?").send();
    talk.hear().await;
    scene.restart().await;
    scene.model.reply_with(|_| Some(Script::new().text("[photo]\nA cat, as I said.")));
    assert_eq!(talk.ask("sure?").await, "A cat, as I said.");
    scene.finish().await;
}

#[tokio::test]
async fn what_cannot_be_fetched_is_tried_again_and_then_told() {
    let scene = seeing().await;
    let ann = scene.telegram.user("Ann");
    let mut talk = Talk::with(&scene, &ann);
    scene.telegram.inject(Fault::on("getFile").refuse(502, "Bad Gateway"));
    ann.photo().caption("look").send();
    scene.sleep_out(Duration::from_secs(1), Duration::from_secs(1)).await;
    assert_eq!(talk.hear().await, "You said: look\n[photo]");
    ann.photo().claims(11 << 20).send();
    assert_eq!(talk.hear().await, "⚠️ The photo is larger than 10 MB, so I left it out.");
    scene.finish().await;
}

#[tokio::test]
async fn med_17_nothing_of_a_stranger_is_fetched() {
    let scene = Scene::with(|config| {
        takes(config, &["image"]);
        config["channels"]["telegram"]["dmPolicy"] = json!("allowlist");
        config["channels"]["telegram"]["allowFrom"] = json!(["1"]);
    })
    .await;
    let eve = scene.telegram.user("Eve");
    eve.album(&["", ""]);
    eve.document("x.txt", "x").send();
    scene.telegram.bot().wait_until_confirmed().await;
    assert_eq!(scene.telegram.calls("getFile"), []);
    assert_eq!(scene.telegram.downloads(), Vec::<String>::new());
    assert_eq!(scene.model.count(), 0);
    scene.finish().await;
}

#[tokio::test]
async fn a_fallback_without_eyes_gets_the_words_and_a_note() {
    let scene = Scene::with(|config| {
        takes(config, &["image"]);
        config["models"]["providers"]["fake"]["models"][1]["input"] = json!(["text"]);
        config["agents"]["defaults"]["model"]["fallbacks"] = json!(["fake/gpt-4.1"]);
    })
    .await;
    scene
        .model
        .reply_with(|request| (request.model() == "gpt-5.2").then(|| Script::fail(Failure::json(401))));
    let ann = scene.telegram.user("Ann");
    ann.photo().caption("look").send();
    scene.telegram.wait_for_text(ann.chat(), "You said: look").await;
    let requests = scene.model.requests();
    let carried: Vec<usize> = requests.iter().map(|request| request.media().len()).collect();
    assert_eq!(carried, [1, 0]);
    let note = "[The person also sent a picture, which cannot be shown here.]";
    assert_eq!(requests[1].prompt(), format!("look\n[photo]\n\n{note}"));
    scene.finish().await;
}

#[tokio::test]
async fn a_picture_that_is_sent_during_a_run_reaches_its_next_call() {
    let scene = Scene::with(|config| {
        takes(config, &["image"]);
        config["agents"]["defaults"]["tools"] = json!({ "allow": ["session_status"] });
    })
    .await;
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).tool_call("session_status", &json!({})));
    scene.model.play(Script::new().text("Done."));
    let ann = scene.telegram.user("Ann");
    ann.say("one");
    gate.reached(1).await;
    ann.photo().caption("two").send();
    ann.say("/whoami");
    scene.telegram.wait_for_text(ann.chat(), "You are").await;
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "Done.").await;
    let request = scene.model.requests().pop().unwrap();
    assert_eq!(request.texts("user"), ["one", "two\n[photo]"]);
    assert_eq!(pictures(&request), [JPEG]);
    ann.say("three");
    scene.telegram.wait_for_text(ann.chat(), "You said: three").await;
    let request = scene.model.requests().pop().unwrap();
    assert_eq!(request.texts("user"), ["one", "two\n[photo]", "three"]);
    assert_eq!(pictures(&request), Vec::<Vec<u8>>::new());
    scene.finish().await;
}
