//! Answers in the making in chats of two: drafts that grow, one copy of everything at any moment, gone when the answer stands.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::collections::BTreeSet;
use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::{Scene, said};
use pensive_tests::talk::Talk;
use pensive_tests::telegram::{Call, FloodLimits};
use pensive_tests::tools::ToolsFake;
use serde_json::json;

const FIRST: &str = "The first line of it is a long one. ";
const SECOND: &str = "And then one more of them. ";
const END: &str = "That is all.";

/// Calls that show or send anything in this chat, the typing sign aside.
fn shown(scene: &Scene, chat: i64) -> Vec<Call> {
    let is_shown = |call: &Call| {
        call.chat() == Some(chat)
            && [
                "sendMessage",
                "sendRichMessage",
                "editMessageText",
                "sendMessageDraft",
                "sendRichMessageDraft",
            ]
            .contains(&call.method.as_str())
    };
    scene.telegram.calls_where(is_shown)
}

fn drafts(scene: &Scene) -> Vec<Call> {
    scene.telegram.calls_where(|call| call.method.ends_with("Draft"))
}

#[tokio::test]
async fn str_12_str_07_str_09_words_are_seen_as_they_come_and_once_at_any_moment() {
    let scene = Scene::paced(|_| {}).await;
    let ann = scene.telegram.user("Ann");
    let film = ann.film();
    let gates = [Gate::new(), Gate::new()];
    scene.model.play(Script::new().text(FIRST).wait(&gates[0]).text(SECOND).wait(&gates[1]).text(END));
    ann.say("tell me");
    scene.run_until_seen(&film, "The first line").await;
    assert_eq!((said(&ann).len(), scene.model.running()), (0, 1), "the provider still sends");
    gates[0].open();
    scene.run_until_seen(&film, "one more of them").await;
    let draft = ann.draft().unwrap();
    assert!(draft.can_stop && draft.text.starts_with("The first line"), "{draft:?}");
    gates[1].open();
    scene.telegram.wait_for_text(ann.chat(), END).await;
    assert_eq!(said(&ann), [format!("{FIRST}{SECOND}{END}")]);
    assert_eq!(film.most_copies("The first line"), 1, "{:?}", film.drafts());
    assert_eq!(ann.screen().drafts, [], "the draft is gone");
    let ids: BTreeSet<String> = drafts(&scene).iter().map(|call| call.text("draft_id")).collect();
    assert_eq!(ids.len(), 1, "one answer is one draft");
    assert!(drafts(&scene).iter().all(|call| call.method == "sendRichMessageDraft"));
    // Each stream has a number of its own.
    let gate = Gate::new();
    scene.model.play(Script::new().text("Another answer begins like this. ").wait(&gate).text(END));
    ann.say("and now?");
    scene.run_until_seen(&film, "Another answer").await;
    assert!(!ids.contains(&drafts(&scene).pop().unwrap().text("draft_id")));
    gate.open();
    scene.telegram.wait_until(|_| (said(&ann).len() == 2).then_some(())).await;
    scene.finish().await;
}

#[tokio::test]
async fn str_18_str_19_a_misleading_beginning_is_not_shown_and_ordinary_words_are() {
    let scene = Scene::paced(|_| {}).await;
    let ann = scene.telegram.user("Ann");
    let film = ann.film();
    for (first, rest) in [
        ("no", " problem at all, this is easy "),
        ("NO", ", that is wrong, and here is why "),
        ("No_", "name is what it is called here "),
    ] {
        let gates = [Gate::new(), Gate::new()];
        scene.model.play(Script::new().text(first).wait(&gates[0]).text(rest).wait(&gates[1]).text(END));
        ann.say("well?");
        gates[0].reached(1).await;
        scene.run_for(Duration::from_millis(200)).await;
        gates[0].open();
        gates[1].reached(1).await;
        let whole = format!("{first}{rest}");
        scene.run_until_seen(&film, whole.trim()).await;
        gates[1].open();
        scene.telegram.wait_for_text(ann.chat(), &format!("{whole}{END}")).await;
        let seen = film.drafts();
        assert!(!seen.iter().any(|text| text.trim() == first), "{seen:?}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn a_short_beginning_is_shown_when_nothing_follows_for_a_while() {
    let scene = Scene::paced(|_| {}).await;
    let ann = scene.telegram.user("Ann");
    let film = ann.film();
    let gate = Gate::new();
    scene.model.play(Script::new().text("Hm. ").wait(&gate).text(END));
    ann.say("well?");
    scene.run_until_seen(&film, "Hm.").await;
    assert_eq!(said(&ann), Vec::<String>::new());
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), END).await;
    scene.finish().await;
}

#[tokio::test]
async fn a_short_answer_comes_without_a_draft_of_its_words() {
    let scene = Scene::paced(|_| {}).await;
    let ann = scene.telegram.user("Ann");
    let film = ann.film();
    scene.model.play(Script::new().text("Yes."));
    ann.say("well?");
    scene.telegram.wait_for_text(ann.chat(), "Yes.").await;
    assert_eq!(film.most_copies("Yes."), 1);
    assert!(film.drafts().iter().all(String::is_empty), "{:?}", film.drafts());
    scene.finish().await;
}

#[tokio::test]
async fn str_13_words_before_a_call_stay_visible_and_are_never_there_twice() {
    let tools = ToolsFake::new().tool("read", |_| async { Ok("one".to_owned()) });
    let scene = Scene::with_tools(&tools, |_| {}).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    ann.ask("/verbose on").await;
    let film = ann.person().film();
    let gates = [Gate::new(), Gate::new()];
    let look = "I am going to look into that file now.";
    let call = json!({ "path": "a.txt" });
    scene.model.play(Script::new().text(look).text("  \n").wait(&gates[0]).tool_call("read", &call));
    // The model says the same again, but for the blanks.
    scene.model.play(Script::new().text("It says one, and that is all there is. ").wait(&gates[1]).text(END));
    ann.say("what is in it?");
    scene.run_until_seen(&film, "look into that").await;
    gates[0].open();
    assert_eq!(ann.hear().await, look);
    assert_eq!(ann.hear().await, "📖 Read: from a.txt");
    scene.run_until_seen(&film, "It says one").await;
    gates[1].open();
    assert_eq!(ann.hear().await, format!("It says one, and that is all there is. {END}"));
    assert_eq!((film.most_copies("look into that"), film.most_copies("It says one")), (1, 1));
    // From the first picture that has it to the last one it can be read.
    let frames = film.frames();
    let gone = frames.iter().skip_while(|frame| frame.screen.copies("look into that") == 0);
    let gone: Vec<_> = gone.filter(|frame| frame.screen.copies("look into that") == 0).collect();
    assert!(gone.is_empty(), "words that were seen vanish: {gone:?}");
    scene.finish().await;
}

#[tokio::test]
async fn tool_02_without_bubbles_a_draft_of_narration_is_no_answer() {
    let tools = ToolsFake::new().tool("read", |_| async { Ok("one".to_owned()) });
    let scene = Scene::with_tools(&tools, |_| {}).await;
    let ann = scene.telegram.user("Ann");
    let film = ann.film();
    let gate = Gate::new();
    let call = json!({ "path": "a.txt" });
    scene
        .model
        .play(Script::new().text("I am going to look into it now. ").wait(&gate).tool_call("read", &call));
    scene.model.play(Script::new().text("It says one."));
    ann.say("what is in it?");
    scene.run_until_seen(&film, "look into it").await;
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "It says one.").await;
    assert_eq!(said(&ann), ["It says one."]);
    assert_eq!(ann.screen().drafts, []);
    scene.finish().await;
}

#[tokio::test]
async fn str_09_med_11_a_draft_stands_in_the_topic_of_its_question() {
    let scene = Scene::prepared(|_| {}).await;
    scene.telegram.bot().enable_topics();
    let mut scene = scene;
    scene.enter().await;
    let ann = scene.telegram.user("Ann");
    let topic = ann.open_topic();
    let here = ann.topic(topic);
    let film = ann.film();
    let gate = Gate::new();
    scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
    here.say("tell me");
    scene.run_until_seen(&film, "The first line").await;
    assert_eq!(here.draft().map(|draft| draft.thread), Some(Some(topic)));
    scene.run_for(Duration::from_secs(6)).await;
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), END).await;
    for call in scene.telegram.calls_where(|call| call.chat() == Some(ann.chat())) {
        assert_eq!(call.int("message_thread_id"), Some(topic), "{} {}", call.method, call.params);
    }
    assert_eq!(ann.screen().drafts, []);
    scene.finish().await;
}

#[tokio::test]
async fn str_21_two_answers_in_one_chat_never_mix() {
    let mut scene = Scene::prepared(|_| {}).await;
    scene.telegram.bot().enable_topics();
    scene.enter().await;
    let ann = scene.telegram.user("Ann");
    let topics = [ann.topic(ann.open_topic()), ann.topic(ann.open_topic())];
    let film = ann.film();
    let gates: Vec<Gate> = (0..4).map(|_| Gate::new()).collect();
    let script = |colour: &str, at: usize| {
        let piece = format!("{colour} is what this one is all about. ");
        Script::new().text(&piece).wait(&gates[at]).text(&piece).wait(&gates[at + 1]).text(END)
    };
    scene.model.reply_to("red", script("Red", 0));
    scene.model.reply_to("blue", script("Blue", 2));
    topics[0].say("red");
    topics[1].say("blue");
    scene.run_until_seen(&film, "Red is").await;
    scene.run_until_seen(&film, "Blue is").await;
    gates[0].open();
    gates[2].open();
    scene.run_until_seen(&film, "all about. Red").await;
    scene.run_until_seen(&film, "all about. Blue").await;
    gates[1].open();
    gates[3].open();
    scene.telegram.wait_until(|_| (said(&ann).len() == 2).then_some(())).await;
    for frame in film.frames() {
        for text in frame.screen.texts() {
            assert!(!(text.contains("Red") && text.contains("Blue")), "{text}");
        }
        let threads: Vec<_> = frame.screen.drafts.iter().map(|draft| (draft.thread, draft.id)).collect();
        assert_eq!(threads.iter().collect::<BTreeSet<_>>().len(), threads.len());
    }
    let pairs = |call: &Call| (call.int("message_thread_id"), call.text("draft_id"));
    let streams: BTreeSet<_> = drafts(&scene).iter().map(pairs).collect();
    assert_eq!(streams.len(), 2, "{streams:?}");
    scene.finish().await;
}

#[tokio::test]
async fn str_10_an_answer_beyond_every_limit_is_shown_and_arrives_whole() {
    // Plain messages hold 4,096 units, rich ones more; neither is ever refused for its length.
    for rich in ["off", "auto"] {
        let scene = Scene::paced(|config| config["channels"]["telegram"]["richMessages"] = json!(rich)).await;
        let ann = scene.telegram.user("Ann");
        let film = ann.film();
        let gates: Vec<Gate> = (0..3).map(|_| Gate::new()).collect();
        let part = |n: usize| (0..300).map(|k| format!("w{n}x{k} ")).collect::<String>();
        let script = (0..3).fold(Script::new(), |script, n| script.text(&part(n)).wait(&gates[n]));
        let longest = (0..5_000).map(|k| format!("z{k} ")).collect::<String>();
        scene.model.play(script.text(&longest).text(END));
        ann.say("tell me all");
        for (n, gate) in gates.iter().enumerate() {
            scene.run_until_seen(&film, &format!("w{n}x200")).await;
            gate.open();
        }
        scene
            .run_until("the end", |telegram| {
                telegram.messages(ann.chat()).iter().any(|seen| seen.text.contains(END)).then_some(())
            })
            .await;
        let whole = said(&ann).join(" ");
        let wanted: Vec<String> = (0..3)
            .flat_map(|n| (0..300).map(move |k| format!("w{n}x{k}")))
            .chain((0..5_000).map(|k| format!("z{k}")))
            .collect();
        let seen: Vec<&str> = whole.split_whitespace().filter(|word| word.starts_with(['w', 'z'])).collect();
        assert_eq!(seen, wanted, "richMessages {rich}");
        let refused: Vec<_> =
            shown(&scene, ann.chat()).into_iter().filter(|call| call.status == 400).collect();
        assert!(refused.is_empty(), "{:?}", refused.iter().map(|call| &call.answer).collect::<Vec<_>>());
        scene.finish().await;
    }
}

#[tokio::test]
async fn str_22_a_table_looks_the_same_while_it_is_made_and_in_the_end() {
    let scene = Scene::paced(|_| {}).await;
    let ann = scene.telegram.user("Ann");
    let film = ann.film();
    let gate = Gate::new();
    let table = "Here is the table:\n\n| Name | Count |\n|:--|--:|\n| tea | 12 |\n| milk | 3 |\n";
    scene.model.play(Script::new().text(table).wait(&gate).text("\nFirst line.\nSecond line.\n"));
    ann.say("make a table");
    scene.run_until_seen(&film, "milk").await;
    let draft = ann.draft().unwrap();
    gate.open();
    let answer = scene.telegram.wait_for_text(ann.chat(), "Second line.").await;
    assert!(answer.text.starts_with(draft.text.trim_end()), "{:?} became {:?}", draft.text, answer.text);
    assert!(answer.text.contains("First line.\nSecond line."), "line breaks stay: {:?}", answer.text);
    assert_eq!(scene.telegram.calls("sendRichMessage").len(), 1);
    assert_eq!(scene.telegram.calls("sendMessage").len(), 0, "it degrades to nothing");
    assert_eq!(film.most_copies("milk"), 1);
    scene.finish().await;
}

#[tokio::test]
async fn fmt_05_whatever_breaks_off_is_taken_at_the_first_attempt() {
    let scene = Scene::paced(|_| {}).await;
    let ann = scene.telegram.user("Ann");
    let markdown = "1. Fix (v1.2.3)! - faster\n2. Use `--model`, *not* `--runtime`\n\n**bold _both_** [link](https://example.org/a_b) \
        ~~gone~~ ||hidden||\n\n```rust\nlet a = \"*\";\n```\n\n> quoted\n\n- [x] done\n- [ ] open\n\n| a | b |\n|--|--|\n| 1 | `x|y` |\n\nand <b>so</b> on.";
    for method in ["sendRichMessageDraft", "sendMessageDraft"] {
        let gates: Vec<Gate> = markdown.char_indices().step_by(9).map(|_| Gate::new()).collect();
        let letters: Vec<char> = markdown.chars().collect();
        let script = letters.chunks(9).zip(&gates).fold(Script::new(), |script, (piece, gate)| {
            script.text(&piece.iter().collect::<String>()).wait(gate)
        });
        scene.model.play(script.text(END));
        let before = said(&ann).len();
        ann.say("write");
        for gate in &gates {
            gate.reached(1).await;
            scene.run_for(Duration::from_millis(500)).await;
            gate.open();
        }
        scene.telegram.wait_until(|_| (said(&ann).len() > before).then_some(())).await;
        let calls = shown(&scene, ann.chat());
        let refused: Vec<_> = calls.iter().filter(|call| call.status == 400).collect();
        assert!(refused.is_empty(), "{refused:?}");
        let made = calls.iter().filter(|call| call.method == method).count();
        assert!(made > gates.len() / 2, "{made} of {} were shown by {method}", gates.len());
        scene.telegram.turn_off(&["sendRichMessageDraft"]);
    }
    scene.finish().await;
}

#[tokio::test]
async fn a_draft_is_renewed_while_the_model_is_silent_and_after_a_message_of_ours() {
    let scene = Scene::paced(|_| {}).await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    assert_eq!(ann.ask("/reasoning stream").await, "⚙️ Reasoning stream enabled.");
    let person = ann.person().clone();
    let gate = Gate::new();
    scene.model.play(Script::new().reasoning("I have to weigh it for a while. ").wait(&gate).text(END));
    ann.say("tell me");
    let thinks = || {
        person.draft().filter(|draft| draft.thinking.as_ref().is_some_and(|text| text.contains("weigh it")))
    };
    scene.run_until("the thought", |_| thinks()).await;
    for second in 0..45 {
        scene.run_for(Duration::from_secs(1)).await;
        assert!(thinks().is_some(), "it has faded after {second} s: {:?}", said(&person));
    }
    let made = drafts(&scene).len();
    assert!(made <= 3 + 45 / 10, "it is renewed, not repeated: {made}");
    ann.ask("/think low").await;
    scene.run_until("the draft again", |_| thinks()).await;
    gate.open();
    assert_eq!(ann.hear().await, END);
    scene.finish().await;
}

#[tokio::test]
async fn str_26_str_05_a_long_answer_keeps_the_pace_of_its_chat() {
    let scene = Scene::paced(|_| {}).await;
    scene.telegram.limit(FloodLimits::default());
    let ann = scene.telegram.user("Ann");
    let gates: Vec<Gate> = (0..40).map(|_| Gate::new()).collect();
    let script = gates.iter().enumerate().fold(Script::new(), |script, (n, gate)| {
        script.text(&format!("This is line number {n} of them all. ")).wait(gate)
    });
    scene.model.play(script.text(END));
    ann.say("tell me");
    for gate in &gates {
        gate.reached(1).await;
        scene.run_for(Duration::from_millis(500)).await;
        gate.open();
    }
    scene.run_until("the end", |_| said(&ann).pop().filter(|text| text.ends_with(END))).await;
    let calls = shown(&scene, ann.chat());
    assert!(calls.iter().all(Call::ok), "{:?}", calls.iter().find(|call| !call.ok()));
    assert!(drafts(&scene).len() > 20, "only {} drafts", drafts(&scene).len());
    assert_eq!(said(&ann).len(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn str_11_a_status_line_never_hangs_on_the_words_before_it() {
    let gate = Gate::new();
    let held = gate.clone();
    let tools = ToolsFake::new().tool("read", move |_| {
        let held = held.clone();
        async move {
            held.pass().await;
            Ok("one".to_owned())
        }
    });
    let scene = Scene::with_tools(&tools, |config| {
        config["channels"]["telegram"]["streaming"] = json!("progress");
    })
    .await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    let film = ann.person().film();
    let call = |path: &str| json!({ "path": path });
    scene.model.play(
        Script::new().text("Let me look").tool_call("read", &call("a.txt")).tool_call("read", &call("b.txt")),
    );
    scene.model.play(Script::new().text("It says one."));
    ann.say("what is in it?");
    gate.reached(2).await;
    scene
        .run_until("a status", |_| {
            film.drafts().iter().find(|text| text.matches("📖 Read").count() == 2).cloned()
        })
        .await;
    for text in film.drafts() {
        assert!(text.lines().all(|line| line.is_empty() || line.starts_with("📖")), "{text:?}");
        assert!(!text.contains("Let me look"), "{text:?}");
    }
    gate.open();
    assert_eq!(ann.hear().await, "It says one.");
    assert_eq!(ann.person().screen().drafts, []);
    scene.finish().await;
}
