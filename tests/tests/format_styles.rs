//! Styles of answers as Telegram gets them: well nested, valid at the first attempt, plain only where Telegram says so.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::model::Script;
use pensive_tests::scene::Scene;
use pensive_tests::talk::Talk;
use pensive_tests::telegram::{Call, Seen};
use serde_json::{Value, json};

async fn start(rich: &str) -> (Scene, Talk) {
    let scene = Scene::with(|config| config["channels"]["telegram"]["richMessages"] = json!(rich)).await;
    let talk = Talk::with(&scene, &scene.telegram.user("Ann"));
    (scene, talk)
}

/// Start and end of each style, in UTF-16 units.
fn spans(seen: &Seen) -> Vec<(String, i64, i64)> {
    let span = |entity: &Value| {
        let (at, length) = (entity["offset"].as_i64().unwrap(), entity["length"].as_i64().unwrap());
        (entity["type"].as_str().unwrap().to_owned(), at, at + length)
    };
    seen.entities.iter().map(span).collect()
}

#[tokio::test]
async fn fmt_12_styles_that_overlap_are_nested() {
    let (scene, mut talk) = start("off").await;
    for (markdown, text) in [
        ("**bold [link** text](https://example.org/)", "link"),
        ("[link **bold](https://example.org/) text**", "link"),
        ("**bold _both** italic_", "both"),
        ("*a **b* c**", "b"),
        ("~~gone **bold~~ too**", "bold"),
        ("> quoted **bold\n\nand** on", "quoted"),
        ("**[a](https://example.org/) _b ~~c~~_ `d`**", "c"),
    ] {
        scene.model.play(Script::new().text(markdown));
        talk.say("write");
        let seen = scene.hear(&mut talk).await;
        assert!(seen.text.contains(text), "{markdown:?}: {:?}", seen.text);
        let spans = spans(&seen);
        for (one, start, end) in &spans {
            for (other, from, to) in &spans {
                let crosses = start < from && from < end && end < to;
                assert!(!crosses, "{markdown:?}: {one} and {other} cross: {spans:?}");
            }
        }
    }
    let refused: Vec<Call> = scene.telegram.calls_where(|call| call.status == 400);
    assert!(refused.is_empty(), "{refused:?}");
    scene.finish().await;
}

#[tokio::test]
async fn fmt_13_an_ordinary_answer_is_sent_once_and_taken_at_the_first_attempt() {
    let ordinary = "## Steps\r\n\r\n1. Open `C:\\Users\\me\\notes_2.txt` - not *that* one!\r\n2. Run `dir /s *.md` (50% done)\r\n\r\n\
        Then see [the page](https://example.org/a_(b)?x=1&y=2#z) & mail <me@example.org>. 3 < 4 > 2, a_b_c, 2*3*4, #tag, {x}, ~5, \"=\" + 1.";
    for rich in ["off", "auto", "on"] {
        let (scene, mut talk) = start(rich).await;
        for markdown in [ordinary, "plain", "a * b _ c ` d", "**", "1. Fix (v1.2.3)! - faster"] {
            let before = scene
                .telegram
                .calls_where(|call| call.method.starts_with("send") && call.method.contains("Message"))
                .len();
            scene.model.play(Script::new().text(markdown));
            talk.say("write");
            scene.hear(&mut talk).await;
            let sent = scene
                .telegram
                .calls_where(|call| call.method.starts_with("send") && call.method.contains("Message"))
                .split_off(before);
            let finals: Vec<&Call> = sent.iter().filter(|call| !call.method.ends_with("Draft")).collect();
            assert_eq!(finals.len(), 1, "{rich}: {markdown:?}");
            assert!(sent.iter().all(Call::ok), "{rich}: {markdown:?}: {sent:?}");
        }
        scene.finish().await;
    }
}
