//! Reasoning that is shown while the model thinks: only to those who asked for it and may see it, and gone when the answer stands.

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
use pensive_tests::telegram::{Call, Film, Person};
use pensive_tests::tools::ToolsFake;
use serde_json::json;

const THOUGHT: &str = "First I have to weigh it in my mind. ";
const FIRST: &str = "The first line of it is a long one. ";
const END: &str = "That is all.";

/// Everything that was ever shown of thoughts.
fn thoughts(film: &Film) -> Vec<String> {
    let frames = film.frames();
    frames.iter().flat_map(|frame| &frame.screen.drafts).filter_map(|draft| draft.thinking.clone()).collect()
}

fn drafts(scene: &Scene) -> Vec<Call> {
    scene.telegram.calls_where(|call| call.method.ends_with("Draft"))
}

async fn wants(scene: &Scene, person: &Person, level: &str) -> Talk {
    let mut talk = Talk::with(scene, person);
    talk.say(&format!("/reasoning {level}"));
    let answer = scene.hear(&mut talk).await.text;
    assert!(answer.starts_with("⚙️ Reasoning"), "{answer}");
    talk
}

fn read_tool() -> ToolsFake {
    ToolsFake::new().tool("read", |_| async { Ok("one".to_owned()) })
}

#[tokio::test]
async fn thoughts_are_seen_live_in_one_draft_and_gone_with_the_answer() {
    for method in ["sendRichMessageDraft", "sendMessageDraft"] {
        let scene = Scene::paced(|_| {}).await;
        if method == "sendMessageDraft" {
            scene.telegram.turn_off(&["sendRichMessageDraft"]);
        }
        let ann = scene.telegram.user("Ann");
        let mut talk = wants(&scene, &ann, "stream").await;
        let film = ann.film();
        let gates: Vec<Gate> = (0..4).map(|_| Gate::new()).collect();
        scene.model.play(
            Script::new()
                .reasoning(THOUGHT)
                .wait(&gates[0])
                .reasoning("Now I know more about it. ")
                .wait(&gates[1])
                .text(FIRST)
                .wait(&gates[2])
                .text(END),
        );
        talk.say("tell me");
        let seen = |part: &str| {
            let frames = film.frames();
            let shows = |draft: &pensive_tests::telegram::Draft| {
                draft.text.contains(part) || draft.thinking.as_ref().is_some_and(|text| text.contains(part))
            };
            frames.iter().any(|frame| frame.screen.drafts.iter().any(shows))
        };
        scene.run_until("the thought", |_| seen("weigh it").then_some(())).await;
        assert_eq!(scene.model.running(), 1, "it is seen while the model thinks");
        gates[0].open();
        scene.run_until("more of it", |_| seen("know more").then_some(())).await;
        gates[1].open();
        scene.run_until("words", |_| seen("The first line").then_some(())).await;
        gates[2].open();
        assert_eq!(talk.hear().await, format!("{FIRST}{END}"), "tool_06: one message and no thought in it");
        let ids: BTreeSet<String> = drafts(&scene).iter().map(|call| call.text("draft_id")).collect();
        assert_eq!(ids.len(), 1, "tool_06: one calm block that grows");
        assert_eq!(ann.screen().drafts, []);
        assert!(!said(&ann).iter().any(|text| text.contains("weigh it")));
        scene.finish().await;
    }
}

#[tokio::test]
async fn rsn_14_rsn_15_whoever_did_not_ask_sees_no_thought_in_a_draft() {
    let scene = Scene::with_tools(&read_tool(), |_| {}).await;
    let ann = scene.telegram.user("Ann");
    for level in [None, Some("off"), Some("on")] {
        if let Some(level) = level {
            wants(&scene, &ann, level).await;
        }
        let mut talk = Talk::with(&scene, &ann);
        let film = ann.film();
        let gates = [Gate::new(), Gate::new()];
        let call = json!({ "path": "a.txt" });
        scene.model.play(Script::new().reasoning(THOUGHT).wait(&gates[0]).tool_call("read", &call));
        scene
            .model
            .play(Script::new().reasoning("Another thought of mine. ").text(FIRST).wait(&gates[1]).text(END));
        talk.say("tell me");
        gates[0].reached(1).await;
        scene.run_until("a sign that it thinks", |_| ann.draft()).await;
        gates[0].open();
        scene.run_until_seen(&film, "The first line").await;
        gates[1].open();
        if level == Some("on") {
            assert_eq!(scene.hear(&mut talk).await.text, format!("Thinking\n{}", THOUGHT.trim()));
            assert_eq!(scene.hear(&mut talk).await.text, "Thinking\nAnother thought of mine.");
        }
        assert_eq!(scene.hear(&mut talk).await.text, format!("{FIRST}{END}"));
        let shown: Vec<String> = thoughts(&film)
            .into_iter()
            .filter(|text| text.contains("thought") || text.contains("weigh"))
            .collect();
        assert_eq!(shown, Vec::<String>::new(), "{level:?}");
        for call in drafts(&scene) {
            let params = call.params.to_string();
            assert!(
                !params.contains("weigh it") && !params.contains("Another thought"),
                "{level:?}: {params}"
            );
        }
    }
    scene.finish().await;
}

#[tokio::test]
async fn rsn_08_rsn_20_tags_in_pieces_never_show_in_a_draft() {
    for (written, answer) in [
        (
            "<think>a plan that nobody sees</think>The answer of it is long enough to be seen.",
            "The answer of it is long enough to be seen.",
        ),
        (
            "<thinking/>The answer of it is long enough to be seen.",
            "The answer of it is long enough to be seen.",
        ),
        (
            "< Think id=\"1\" >a plan that nobody sees</ think >The answer of it is long enough.",
            "The answer of it is long enough.",
        ),
        (
            "<mm:think>a plan that nobody sees</mm:think>The answer of it is long enough.",
            "The answer of it is long enough.",
        ),
    ] {
        let scene = Scene::paced(|_| {}).await;
        let ann = scene.telegram.user("Ann");
        let film = ann.film();
        let letters: Vec<char> = written.chars().collect();
        let gates: Vec<Gate> = letters.chunks(4).map(|_| Gate::new()).collect();
        let script = letters.chunks(4).zip(&gates).fold(Script::new(), |script, (piece, gate)| {
            script.text(&piece.iter().collect::<String>()).wait(gate)
        });
        scene.model.play(script);
        ann.say("tell me");
        for gate in &gates {
            gate.reached(1).await;
            scene.run_for(Duration::from_millis(400)).await;
            gate.open();
        }
        scene.telegram.wait_for_text(ann.chat(), answer).await;
        assert_eq!(said(&ann), [answer]);
        let seen = film.drafts();
        assert!(seen.iter().any(|text| answer.starts_with(text.as_str()) && text.len() > 12), "{seen:?}");
        for text in seen {
            assert!(answer.starts_with(text.trim_end()), "{text:?} of {written:?}");
        }
        assert!(!thoughts(&film).iter().any(|text| text.contains("plan")), "{written}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn rsn_06_words_that_turn_out_to_be_thoughts_are_taken_back() {
    for shared in [false, true] {
        let scene = Scene::paced(|config| {
            let telegram = &mut config["channels"]["telegram"];
            telegram["groupPolicy"] = json!("open");
            telegram["groups"] = json!({ "*": { "requireMention": false } });
        })
        .await;
        let ann = scene.telegram.user("Ann");
        let ann = if shared { ann.at(&scene.telegram.supergroup("Kitchen", &[&ann])) } else { ann };
        let film = ann.film();
        let gates = [Gate::new(), Gate::new()];
        scene.model.play(
            Script::new()
                .text("A plan without a tag before it. ")
                .wait(&gates[0])
                .text("</think> The answer of it ")
                .wait(&gates[1])
                .text("is this."),
        );
        ann.say("tell me");
        scene.run_until_seen(&film, "A plan without").await;
        gates[0].open();
        gates[1].reached(1).await;
        scene.run_until("it is gone", |_| (ann.screen().copies("A plan without") == 0).then_some(())).await;
        gates[1].open();
        let answer = "The answer of it is this.".to_owned();
        scene.run_until("the answer", |_| said(&ann).contains(&answer).then_some(())).await;
        assert_eq!(said(&ann), [answer]);
        scene.finish().await;
    }
}

#[tokio::test]
async fn rsn_09_a_thought_in_tags_before_a_call_is_no_narration() {
    let scene = Scene::with_tools(&read_tool(), |_| {}).await;
    let ann = scene.telegram.user("Ann");
    let mut talk = Talk::with(&scene, &ann);
    talk.ask("/verbose on").await;
    let film = ann.film();
    let gate = Gate::new();
    let call = json!({ "path": "a.txt" });
    scene.model.play(
        Script::new()
            .text_in(3, "<think>a plan that nobody sees</think>I am going to look into it now. ")
            .wait(&gate)
            .tool_call("read", &call),
    );
    scene.model.play(Script::new().text_in(2, "<think>and one plan more</think>It says one."));
    talk.say("tell me");
    scene.run_until_seen(&film, "look into it").await;
    gate.open();
    assert_eq!(talk.hear().await, "I am going to look into it now.");
    assert_eq!(talk.hear().await, "📖 Read: from a.txt");
    assert_eq!(talk.hear().await, "It says one.");
    for frame in film.frames() {
        assert!(!frame.screen.texts().iter().any(|text| text.contains("plan")), "{:?}", frame.screen.texts());
    }
    scene.finish().await;
}

#[tokio::test]
async fn str_16_tool_06_thoughts_that_are_to_stay_come_one_message_a_block_and_stay() {
    let scene = Scene::with_tools(&read_tool(), |_| {}).await;
    let ann = scene.telegram.user("Ann");
    let mut talk = wants(&scene, &ann, "on").await;
    for n in 1..=3 {
        let call = json!({ "path": format!("{n}.txt") });
        let script = (0..20).fold(Script::new(), |script, k| script.reasoning(&format!("Step {n}.{k}. ")));
        scene.model.play(script.tool_call("read", &call));
    }
    scene.model.play(Script::new().reasoning("Now I know.").text("So."));
    talk.say("tell me");
    for n in 1..=3 {
        let thought = scene.hear(&mut talk).await.text;
        assert!(
            thought.starts_with(&format!("Thinking\nStep {n}.0. "))
                && thought.ends_with(&format!("Step {n}.19.")),
            "{thought}"
        );
    }
    assert_eq!(scene.hear(&mut talk).await.text, "Thinking\nNow I know.");
    assert_eq!(scene.hear(&mut talk).await.text, "So.");
    let ids: Vec<i64> = ann.sees().iter().map(|seen| seen.id).collect();
    scene.run_for(Duration::from_secs(40)).await;
    assert_eq!(
        ann.sees().iter().map(|seen| seen.id).collect::<Vec<_>>(),
        ids,
        "nothing goes and nothing comes again"
    );
    assert_eq!(scene.telegram.calls("deleteMessage").len(), 0);
    scene.finish().await;
}

#[tokio::test]
async fn in_a_group_thoughts_are_seen_only_where_the_chat_allows_it() {
    for allowed in [false, true] {
        let scene = Scene::paced(|config| {
            let telegram = &mut config["channels"]["telegram"];
            telegram["groupPolicy"] = json!("open");
            telegram["groups"] = json!({ "*": { "requireMention": false, "reasoningInGroups": allowed } });
        })
        .await;
        let ann = scene.telegram.user("Ann");
        let ann = ann.at(&scene.telegram.supergroup("Kitchen", &[&ann]));
        let film = ann.film();
        ann.say("/reasoning stream");
        scene.telegram.wait_for_text(ann.chat(), "Reasoning stream enabled.").await;
        let gates = [Gate::new(), Gate::new()];
        scene
            .model
            .play(Script::new().reasoning(THOUGHT).wait(&gates[0]).text(FIRST).wait(&gates[1]).text(END));
        ann.say("tell me");
        gates[0].reached(1).await;
        if allowed {
            scene.run_until_seen(&film, "weigh it").await;
        } else {
            scene.run_for(Duration::from_secs(4)).await;
        }
        gates[0].open();
        scene.run_until_seen(&film, "The first line").await;
        gates[1].open();
        let whole = format!("{FIRST}{END}");
        scene.run_until("the answer", |_| said(&ann).contains(&whole).then_some(())).await;
        assert_eq!(film.most_copies("weigh it"), usize::from(allowed));
        assert_eq!(ann.screen().copies("weigh it"), 0, "the live thought is gone");
        assert_eq!(said(&ann).iter().filter(|text| text.contains("The first line")).count(), 1);
        assert_eq!(said(&ann).len(), 2, "{:?}", said(&ann));
        scene.finish().await;
    }
}

#[tokio::test]
async fn display_is_read_live_and_thoughts_stop_being_shown_when_they_are_no_longer_wanted() {
    let scene = Scene::paced(|_| {}).await;
    let ann = scene.telegram.user("Ann");
    let mut talk = wants(&scene, &ann, "stream").await;
    let film = ann.film();
    let gates = [Gate::new(), Gate::new(), Gate::new()];
    scene.model.play(
        Script::new()
            .reasoning(THOUGHT)
            .wait(&gates[0])
            .reasoning("A later secret thought. ")
            .wait(&gates[1])
            .text(FIRST)
            .wait(&gates[2])
            .text(END),
    );
    talk.say("tell me");
    scene
        .run_until("the thought", |_| {
            thoughts(&film).iter().any(|text| text.contains("weigh it")).then_some(())
        })
        .await;
    assert_eq!(talk.ask("/reasoning off").await, "⚙️ Reasoning visibility disabled.");
    gates[0].open();
    gates[1].reached(1).await;
    scene.run_for(Duration::from_secs(2)).await;
    gates[1].open();
    scene.run_until_seen(&film, "The first line").await;
    gates[2].open();
    assert_eq!(talk.hear().await, format!("{FIRST}{END}"));
    assert!(!thoughts(&film).iter().any(|text| text.contains("later secret")), "{:?}", thoughts(&film));
    scene.finish().await;
}

#[tokio::test]
async fn thinking_that_is_off_shows_nothing_whatever_is_asked_for() {
    let scene = Scene::paced(|_| {}).await;
    let ann = scene.telegram.user("Ann");
    let mut talk = wants(&scene, &ann, "on").await;
    assert_eq!(talk.ask("/think off").await, "Thinking disabled.");
    scene.model.play(Script::new().reasoning(THOUGHT).text("Yes."));
    assert_eq!(talk.ask("tell me").await, "Yes.");
    scene.finish().await;
}
