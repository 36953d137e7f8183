//! What an answer looks like when it has reached Telegram as plain messages: styles, splits, direction, and nothing that
//! nobody should read.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::model::{Script, Usage};
use pensive_tests::scene::Scene;
use pensive_tests::talk::Talk;
use pensive_tests::telegram::{Fault, MESSAGE_LIMIT, Seen, utf16_len};
use serde_json::{Value, json};

/// What a person sees when the model writes `markdown`: as many messages as it takes.
async fn shown(scene: &Scene, talk: &mut Talk, markdown: &str) -> Vec<Seen> {
    scene.model.play(Script::new().text_in(7, markdown));
    talk.say("write");
    let mut parts = vec![talk.next().await];
    scene.model.play(Script::new().text("The end of it."));
    talk.say("end");
    loop {
        let part = talk.next().await;
        if part.text.ends_with("The end of it.") {
            return parts;
        }
        parts.push(part);
    }
}

async fn start() -> (Scene, Talk) {
    let plain = |config: &mut Value| config["channels"]["telegram"]["richMessages"] = json!("off");
    let scene = Scene::with(plain).await;
    let ann = scene.telegram.user("Ann");
    let talk = Talk::with(&scene, &ann);
    (scene, talk)
}

fn text(parts: &[Seen]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect()
}

/// What an entity of a message covers.
fn covered(seen: &Seen, kind: &str) -> Vec<String> {
    let units: Vec<u16> = seen.text.encode_utf16().collect();
    let of_kind = seen.entities.iter().filter(|entity| entity["type"] == kind);
    let place = |entity: &Value, field: &str| usize::try_from(entity[field].as_u64().unwrap()).unwrap();
    of_kind
        .map(|entity| {
            let start = place(entity, "offset");
            String::from_utf16(&units[start..start + place(entity, "length")]).unwrap()
        })
        .collect()
}

#[tokio::test]
async fn markdown_becomes_text_and_entities() {
    let (scene, mut talk) = start().await;
    let parts = shown(&scene, &mut talk, "# 😀 Plan\n\n**bold *both*** and `code`, see [docs](https://x.org/a).\n\n- one\n- two\n\n```rust\nfn x() {}\n```\n> quoted").await;
    assert_eq!(parts.len(), 1);
    assert_eq!(
        parts[0].text,
        "😀 Plan\n\nbold both and code, see docs.\n\n• one\n• two\n\nfn x() {}\n\nquoted"
    );
    assert_eq!(
        parts[0].entities,
        [
            json!({"type": "bold", "offset": 0, "length": 7}),
            json!({"type": "bold", "offset": 9, "length": 9}),
            json!({"type": "italic", "offset": 14, "length": 4}),
            json!({"type": "code", "offset": 23, "length": 4}),
            json!({"type": "text_link", "url": "https://x.org/a", "offset": 33, "length": 4}),
            json!({"type": "pre", "language": "rust", "offset": 53, "length": 9}),
            json!({"type": "blockquote", "offset": 64, "length": 6}),
        ]
    );
    let sent = scene.telegram.calls("sendMessage");
    assert!(sent.iter().all(|call| call.params.get("parse_mode").is_none()), "Telegram has nothing to parse");
    scene.finish().await;
}

#[tokio::test]
async fn fmt_02_fmt_04_fmt_05_signs_that_are_no_markup_arrive_and_the_first_attempt_is_valid() {
    let (scene, mut talk) = start().await;
    for (markdown, expected) in [
        ("the characters _ * ` and [ ]", "the characters _ * ` and [ ]"),
        ("use `--model`, not `--runtime`", "use --model, not --runtime"),
        ("costs $5_000 - or so", "costs $5_000 - or so"),
        ("1\\. Fix (v1.2.3)! - faster", "1. Fix (v1.2.3)! - faster"),
        ("a < b && c > d <b>no tag</b> &amp;", "a < b && c > d <b>no tag</b> &"),
        ("**open", "**open"),
        ("snake_case_name and __init__.py", "snake_case_name and init.py"),
    ] {
        let parts = shown(&scene, &mut talk, markdown).await;
        assert_eq!(text(&parts), expected);
    }
    assert!(scene.telegram.calls("sendMessage").iter().all(|call| call.status == 200), "fmt_13");
    scene.finish().await;
}

/// The texts of these messages as they were sent: Telegram takes the blanks off their ends.
fn sent(scene: &Scene, parts: &[Seen]) -> String {
    let calls = scene.telegram.calls("sendMessage");
    let of =
        |part: &Seen| calls.iter().find(|call| call.answer["message_id"] == part.id).unwrap().text("text");
    parts.iter().map(of).collect()
}

#[tokio::test]
async fn fmt_01_a_style_that_a_split_goes_through_is_closed_and_opened_again() {
    let (scene, mut talk) = start().await;
    let (before, bold, after) = ("word ".repeat(790), "strong ".repeat(60), "word ".repeat(1_000));
    let parts = shown(&scene, &mut talk, &format!("{before}**{}** {after}", bold.trim_end())).await;
    assert_eq!(sent(&scene, &parts), format!("{before}{bold}{}", after.trim_end()), "fmt_09");
    assert!(parts.iter().all(|part| utf16_len(&part.text) <= MESSAGE_LIMIT));
    let bolds: Vec<String> = parts.iter().flat_map(|part| covered(part, "bold")).collect();
    assert_eq!(bolds.len(), 2, "the span lies in two messages");
    assert_eq!(bolds.join(" ").split_whitespace().count(), 60);
    scene.finish().await;
}

#[tokio::test]
async fn fmt_10_a_code_block_is_closed_and_opened_again_with_its_language() {
    let (scene, mut talk) = start().await;
    let code: String = (0..400).map(|n| format!("let value_{n} = {n};\n")).collect();
    let parts = shown(&scene, &mut talk, &format!("Look:\n\n```rust\n{code}```\n\nThat is all.")).await;
    assert!(parts.iter().all(|part| utf16_len(&part.text) <= MESSAGE_LIMIT));
    let blocks: Vec<String> = parts.iter().flat_map(|part| covered(part, "pre")).collect();
    assert!(blocks.len() >= 2, "the block lies in several messages");
    assert!(blocks.iter().all(|block| block.ends_with(';')), "no line is cut");
    assert_eq!(blocks.join("\n") + "\n", code);
    let marks = parts.iter().flat_map(|part| &part.entities);
    assert!(marks.clone().all(|mark| mark["type"] == "pre" && mark["language"] == "rust"), "{marks:?}");
    assert_eq!(sent(&scene, &parts), format!("Look:\n\n{code}\nThat is all."));
    scene.finish().await;
}

#[tokio::test]
async fn fmt_11_emoji_are_measured_as_telegram_does_and_never_cut() {
    let (scene, mut talk) = start().await;
    for emoji in ["😀", "👨‍👩‍👧‍👦", "🇮🇹", "❤️", "👍🏽"] {
        let whole = emoji.repeat(5_000 / emoji.chars().count());
        let parts = shown(&scene, &mut talk, &whole).await;
        assert!(parts.len() >= 2, "{emoji}");
        assert_eq!(text(&parts), whole, "{emoji}");
        for part in &parts {
            assert!(utf16_len(&part.text) <= MESSAGE_LIMIT);
            assert_eq!(part.text.len() % emoji.len(), 0, "{emoji} is never cut");
        }
    }
    scene.finish().await;
}

#[tokio::test]
async fn fmt_09_a_split_loses_no_blank_and_no_line() {
    let (scene, mut talk) = start().await;
    let paragraphs: Vec<String> = (0..60)
        .map(|n| format!("Paragraph {n} & more <stuff>. It goes on; and on! {}", "x".repeat(n * 4 + 1)))
        .collect();
    let whole = paragraphs.join("\n\n");
    let parts = shown(&scene, &mut talk, &whole).await;
    assert!(parts.len() >= 2);
    assert_eq!(sent(&scene, &parts), whole);
    assert!(parts.iter().all(|part| part.text.starts_with("Paragraph")), "cut between paragraphs");
    scene.finish().await;
}

#[tokio::test]
async fn fmt_08_markup_that_shows_nothing_is_shown_as_it_was_written() {
    let (scene, mut talk) = start().await;
    for (markdown, expected) in
        [("```", "```"), ("**", "**"), ("[[reply_to_current]]", "[[reply_to_current]]"), ("&nbsp;", "&nbsp;")]
    {
        let parts = shown(&scene, &mut talk, markdown).await;
        assert_eq!(text(&parts), expected, "{markdown}");
    }
    let parts = shown(&scene, &mut talk, "Visible.\n\n```\n```").await;
    assert_eq!(text(&parts), "Visible.");
    let parts = shown(&scene, &mut talk, " \u{200b}\n").await;
    assert_eq!(text(&parts), "The model returned no text.");
    assert_eq!(parts[0].buttons, ["Try again"]);
    scene.finish().await;
}

#[tokio::test]
async fn fmt_07_what_telegram_refuses_is_sent_again_as_plain_text() {
    let (scene, mut talk) = start().await;
    scene.telegram.inject(
        Fault::on("sendMessage").refuse(400, "Bad Request: can't parse entities: nothing that helps"),
    );
    let parts = shown(&scene, &mut talk, "**bold** and `code`").await;
    assert_eq!(text(&parts), "bold and code", "no tags, no signs of markup");
    assert_eq!(parts[0].entities, Vec::<Value>::new());
    scene.finish().await;
}

#[tokio::test]
async fn uni_02_uni_03_text_from_the_right_keeps_its_order() {
    let (scene, mut talk) = start().await;
    for (markdown, expected) in [
        ("האם זה נכון?", "האם זה נכון?\u{200f}"),
        ("- ראשון\n- שני!", "• ראשון\n• שני!\u{200f}"),
        ("פתח את /etc/hosts עכשיו", "פתח את \u{2066}/etc/hosts\u{2069} עכשיו"),
        ("He said שלום? and left", "He said \u{2067}שלום?\u{2069} and left"),
        ("plain text?", "plain text?"),
    ] {
        assert_eq!(text(&shown(&scene, &mut talk, markdown).await), expected, "{markdown}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn dir_18_control_tags_are_gone_and_dir_19_inside_code_they_stay() {
    let (scene, mut talk) = start().await;
    for (markdown, expected) in [
        ("[[reply_to_current] hello", "hello"),
        ("[[reply_to_current]] hello", "hello"),
        ("[[reply_to: 12]]\n[[audio_as_voice]]hello", "hello"),
        ("run `[[audio_as_voice]]` please", "run [[audio_as_voice]] please"),
        ("```\n[[audio_as_voice]]\n```", "[[audio_as_voice]]"),
        ("    [[audio_as_voice]]\n\nindented", "[[audio_as_voice]]\n\nindented"),
        ("say [[reply_to_current]] there", "say [[reply_to_current]] there"),
    ] {
        assert_eq!(text(&shown(&scene, &mut talk, markdown).await), expected, "{markdown}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn a_message_is_filled_to_the_last_unit_and_no_further() {
    let (scene, mut talk) = start().await;
    let parts = shown(&scene, &mut talk, &"x".repeat(10_000)).await;
    let lengths: Vec<usize> = parts.iter().map(|part| utf16_len(&part.text)).collect();
    assert_eq!(lengths, [MESSAGE_LIMIT, MESSAGE_LIMIT, 10_000 - 2 * MESSAGE_LIMIT]);
    assert!(scene.telegram.calls("sendMessage").iter().all(|call| call.status == 200));
    scene.finish().await;
}

#[tokio::test]
async fn of_two_people_neither_quotes_the_other_but_a_button_says_what_it_is_about() {
    let (scene, mut talk) = start().await;
    for text in ["hello", "/think high", "/status"] {
        talk.say(text);
        assert_eq!(talk.next().await.reply_to, None, "{text}");
    }
    scene.model.play(Script::new());
    let asked = talk.person().say("say nothing");
    let notice = talk.next().await;
    assert_eq!(
        (notice.text.as_str(), notice.reply_to),
        ("The model returned no text.", Some(asked.message_id))
    );
    scene.finish().await;
}

/// An answer that looks like a command or a directive is text.
#[tokio::test]
async fn what_the_model_writes_is_never_obeyed() {
    let (scene, mut talk) = start().await;
    assert_eq!(text(&shown(&scene, &mut talk, "/think high").await), "/think high");
    assert!(talk.ask("/think").await.starts_with("Current thinking level: medium (from built-in)."));
    scene.finish().await;
}

#[tokio::test]
async fn fmt_03_our_own_words_around_an_answer_change_nothing_in_it() {
    let scene = Scene::with(|config| config["messages"] = json!({ "responsePrefix": "🤖 " })).await;
    let mut talk = Talk::with(&scene, &scene.telegram.user("Ann"));
    assert_eq!(text(&shown(&scene, &mut talk, "**Yes.**").await), "🤖 Yes.");
    assert_eq!(text(&shown(&scene, &mut talk, "[[reply_to_current]] Yes.").await), "🤖 Yes.");
    let parts = shown(&scene, &mut talk, "# Head\n\ntext").await;
    assert_eq!(
        (text(&parts).as_str(), covered(&parts[0], "bold")),
        ("🤖 Head\n\ntext", vec!["Head".to_owned()])
    );
    assert_eq!(talk.ask("/usage tokens").await, "⚙️ Usage line set to tokens.");
    let usage = Usage { input: 1, cached: 0, output: 2, reasoning: 0 };
    scene.model.play(Script::new().text("```sh\nls").usage(usage));
    talk.say("how?");
    let answer = talk.next().await;
    assert_eq!(answer.text, "🤖 \nls\n\nin 1 · out 2 · reasoning 0 · cached 0");
    assert_eq!(covered(&answer, "pre"), ["ls"], "the line below is no part of the code");
    scene.finish().await;
}

#[tokio::test]
async fn more_styles_than_a_message_holds_go_into_the_next() {
    let (scene, mut talk) = start().await;
    let markdown = (0..250).map(|n| format!("**b{n}** `c{n}`")).collect::<Vec<_>>().join(" ");
    let parts = shown(&scene, &mut talk, &markdown).await;
    assert_eq!(sent(&scene, &parts), markdown.replace(['*', '`'], ""));
    for kind in ["bold", "code"] {
        let all: Vec<String> = parts.iter().flat_map(|part| covered(part, kind)).collect();
        let expected: Vec<String> = (0..250).map(|n| format!("{}{n}", &kind[..1])).collect();
        assert_eq!(all, expected);
    }
    scene.finish().await;
}

#[tokio::test]
async fn a_table_is_aligned_in_fixed_width() {
    let (scene, mut talk) = start().await;
    let parts = shown(&scene, &mut talk, "| Name | N |\n|:--|--:|\n| **日本** | 1 |\n| a | 22 |").await;
    assert_eq!(text(&parts), "Name |  N\n-----+---\n日本 |  1\na    | 22");
    assert_eq!(covered(&parts[0], "pre").len(), 1);
    scene.finish().await;
}
