//! Files that a run sends: in which form they arrive, what may not leave, and what becomes of one that is gone by then.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use pensive_tests::model::Script;
use pensive_tests::scene::{MODEL_KEY, Scene};
use pensive_tests::talk::Talk;
use pensive_tests::telegram::{Call, Fault};
use serde_json::{Value, json};

const MESSAGE: &str = "message";
const SENT: &str = "Sent to this chat. Do not say it again in your answer.";
const FAILED: &str =
    "⚠️ My last answer could not be delivered here in full. The log of this bot tells an admin why.";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and no more of a picture";

/// A daemon whose agent may send messages and has no other tool, and Ann.
async fn scene() -> (Scene, Talk) {
    let scene = Scene::with(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": [MESSAGE] });
        config["channels"]["telegram"]["groupPolicy"] = json!("open");
        config["channels"]["telegram"]["groups"] = json!({ "*": { "requireMention": false } });
    })
    .await;
    let ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    (scene, ann)
}

fn put(scene: &Scene, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let file = scene.home().join("workspace").join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, bytes).unwrap();
    file
}

fn sends(arguments: &Value) -> Script {
    Script::new().tool_call(MESSAGE, arguments)
}

fn result(scene: &Scene) -> String {
    scene.model.requests().pop().unwrap().tool_results().pop().unwrap().1
}

/// Has a file sent and gives the call that carried it.
async fn sent(scene: &Scene, ann: &mut Talk, arguments: &Value, method: &str) -> Call {
    scene.model.play(sends(arguments));
    let before = scene.telegram.calls(method).len();
    ann.say("go on");
    ann.next().await;
    assert_eq!(ann.hear().await, "You said: go on");
    assert_eq!(result(scene), SENT);
    let mut calls = scene.telegram.calls(method);
    assert_eq!(calls.len(), before + 1, "{method}");
    calls.pop().unwrap()
}

#[tokio::test]
async fn files_arrive_as_what_they_are_with_their_words_below() {
    let (scene, mut ann) = scene().await;
    let opus = [b"OggS".as_slice(), &[0; 24], b"OpusHead and speech"].concat();
    let files: [(&str, &[u8], &str, &str); 6] = [
        ("plots/a.png", PNG, "sendPhoto", "photo"),
        ("hello.ogg", &opus, "sendVoice", "voice"),
        ("song.mp3", b"ID3\x04 song", "sendAudio", "audio"),
        ("film.mp4", b"\x00\x00\x00\x20ftypisom film", "sendVideo", "video"),
        ("dance.gif", b"GIF89a dance", "sendAnimation", "animation"),
        ("ü; \"日本\".csv", b"a,b\n1,2\n", "sendDocument", "document"),
    ];
    for (path, bytes, method, field) in files {
        put(&scene, path, bytes);
        scene.advance(Duration::from_secs(10));
        let arguments = json!({ "file": path, "text": "*Look* at it." });
        let call = sent(&scene, &mut ann, &arguments, method).await;
        let name = path.rsplit('/').next().unwrap().replace([';', '"'], "_");
        assert_eq!(call.files, [(field.to_owned(), name)]);
        assert_eq!(call.text("caption"), "Look at it.");
        assert_eq!(call.text("caption_entities"), r#"[{"type":"italic","offset":0,"length":4}]"#);
        let seen = scene.telegram.messages(ann.person().chat());
        let seen = seen.iter().rev().find(|seen| seen.raw.get(field).is_some()).unwrap();
        let object = seen.raw[field].as_array().and_then(|sizes| sizes.last()).unwrap_or(&seen.raw[field]);
        assert_eq!(object["file_size"], bytes.len(), "{path}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn rsn_19_a_file_says_it_and_needs_no_words() {
    let (scene, mut ann) = scene().await;
    put(&scene, "a.png", PNG);
    scene.model.play(sends(&json!({ "file": "a.png" })));
    scene.model.play(Script::new());
    ann.say("draw");
    let seen = ann.next().await;
    assert!(seen.raw.get("photo").is_some() && seen.text.is_empty(), "{}", seen.raw);
    assert_eq!(ann.ask("two").await, "You said: two");
    scene.model.play(sends(&json!({ "file": "a.png", "text": "Here it is." })));
    scene.model.play(Script::new().text("Here it is."));
    assert_eq!(ann.ask("again").await, "Here it is.");
    assert_eq!(ann.ask("three").await, "You said: three");
    scene.model.play(sends(&json!({})));
    assert_eq!(ann.ask("four").await, "You said: four");
    assert_eq!(ann.hear().await, "⚠️ ✉️ Message failed");
    assert_eq!(result(&scene), "Give \"text\", or \"file\", or both.");
    scene.finish().await;
}

#[tokio::test]
async fn med_07_words_that_do_not_fit_below_a_file_come_behind_it() {
    let (scene, mut ann) = scene().await;
    put(&scene, "hello.ogg", [b"OggS".as_slice(), &[0; 24], b"OpusHead"].concat());
    let words = "word ".repeat(400);
    scene.model.play(sends(&json!({ "file": "hello.ogg", "text": words })));
    ann.say("say it");
    let seen = ann.next().await;
    assert!(seen.raw.get("voice").is_some() && seen.text.is_empty(), "{}", seen.raw);
    assert_eq!(ann.hear().await, words.trim_end());
    assert_eq!(ann.hear().await, "You said: say it");
    scene.finish().await;
}

#[tokio::test]
async fn tool_07_only_what_lies_in_the_workspace_and_may_be_seen_here_leaves() {
    let (scene, mut ann) = scene().await;
    let room = scene.telegram.supergroup("Kitchen", &[ann.person()]);
    let kitchen = ann.person().at(&room);
    let mut kitchen = Talk::with(&scene, &kitchen);
    let workspace =
        put(&scene, "memory/ann.md", "Ann likes tea.").parent().unwrap().parent().unwrap().to_owned();
    put(&scene, "empty", "");
    fs::File::create(workspace.join("big")).unwrap().set_len(50_000_001).unwrap();
    symlink(scene.home().join("pensive.json5"), workspace.join("link")).unwrap();
    let outside = "Only paths inside the workspace can be used, written relative to it, as in `notes/a.md`.";
    let refusals = [
        (false, "../pensive.json5", "A path must not contain `..`: write it from the workspace downwards."),
        (false, "/etc/passwd", outside),
        (false, "link", "`link` leads out of the workspace. Only what lies inside can be used."),
        (false, "none.png", "`none.png` cannot be opened: it does not exist"),
        (false, "memory", "`memory` is a folder."),
        (false, "empty", "`empty` is empty: there is nothing to send."),
        (false, "big", "`big` has 50000001 bytes; 50000000 are the most."),
        (
            true,
            "memory/ann.md",
            "`memory/ann.md` is private memory, which is closed in a group. Of `memory/` only `memory/shared/` can be used here.",
        ),
    ];
    for (in_group, path, expected) in refusals {
        let talk = if in_group { &mut kitchen } else { &mut ann };
        scene.advance(Duration::from_secs(10));
        scene.model.play(sends(&json!({ "file": path, "text": "Look." })));
        assert!(talk.ask("go on").await.ends_with("go on"), "{path}");
        assert_eq!(talk.hear().await, format!("⚠️ ✉️ Message: {path} failed"));
        assert_eq!(result(&scene), expected);
    }
    let call = sent(&scene, &mut ann, &json!({ "file": "memory/ann.md" }), "sendDocument").await;
    assert_eq!(call.files, [("document".to_owned(), "ann.md".to_owned())]);
    scene.finish().await;
}

#[tokio::test]
async fn secrets_in_a_text_file_stay_behind() {
    let (scene, mut ann) = scene().await;
    let text = format!("key = {MODEL_KEY}\n");
    put(&scene, "notes.txt", &text);
    sent(&scene, &mut ann, &json!({ "file": "notes.txt" }), "sendDocument").await;
    let seen = scene.telegram.messages(ann.person().chat());
    let document = seen.iter().find_map(|seen| seen.raw.get("document")).unwrap();
    assert_eq!(document["file_size"], "key = •••\n".len());
    scene.finish().await;
}

#[tokio::test]
async fn a_picture_that_telegram_does_not_show_as_one_goes_as_it_is() {
    let (scene, mut ann) = scene().await;
    put(&scene, "wide.png", PNG);
    for why in ["PHOTO_INVALID_DIMENSIONS", "not enough rights to send photos to the chat"] {
        scene.advance(Duration::from_secs(10));
        scene.telegram.inject(Fault::on("sendPhoto").refuse(400, &format!("Bad Request: {why}")));
        let call =
            sent(&scene, &mut ann, &json!({ "file": "wide.png", "text": "Wide." }), "sendDocument").await;
        assert_eq!(call.text("caption"), "Wide.");
    }
    assert_eq!(scene.telegram.calls("sendPhoto").len(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn a_file_that_is_gone_by_then_is_told_and_holds_up_nothing() {
    let (scene, mut ann) = scene().await;
    let file = put(&scene, "a.csv", "1,2\n");
    scene.telegram.inject(Fault::on("sendDocument").retry_after(5));
    scene.model.play(sends(&json!({ "file": "a.csv", "text": "word ".repeat(400) })));
    ann.say("go on");
    scene.telegram.wait_for(|call| call.method == "sendDocument").await;
    fs::remove_file(file).unwrap();
    scene.sleep_out(Duration::from_secs(4), Duration::from_secs(5)).await;
    assert!(ann.hear().await.starts_with("word word"));
    assert_eq!(ann.hear().await, FAILED);
    assert_eq!(ann.hear().await, "You said: go on");
    assert_eq!(scene.telegram.calls("sendDocument").len(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn a_file_that_was_promised_goes_out_after_a_restart() {
    let (mut scene, ann) = scene().await;
    put(&scene, "a.csv", "1,2\n");
    scene.telegram.inject(Fault::on("sendDocument").retry_after(30));
    scene.model.play(sends(&json!({ "file": "a.csv", "text": "Numbers." })));
    ann.say("go on");
    scene.telegram.wait_for(|call| call.method == "sendDocument").await;
    scene.cut_off().await;
    scene.enter().await;
    let call = scene.telegram.wait_for(|call| call.method == "sendDocument" && call.ok()).await;
    assert_eq!(call.text("caption"), "Numbers.");
    assert_eq!(call.files, [("document".to_owned(), "a.csv".to_owned())]);
    scene.finish().await;
}
