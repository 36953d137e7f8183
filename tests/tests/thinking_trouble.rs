//! What becomes of a run when thinking itself is the trouble: levels that a provider refuses, thought that eats the whole
//! output, answers that are cut, streams that break; and what a person is told of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::{Failure, Finish, Script, Usage};
use pensive_tests::scene::{Scene, said};
use pensive_tests::talk::Talk;
use pensive_tests::telegram::Fault;
use serde_json::json;

const APIS: [&str; 2] = ["openai-responses", "openai-completions"];
const CUT: &str = "⚠️ This answer was cut off here: it reached the model's output limit.";
const OUT: &str = "⚠️ The model reached its output limit before it wrote a word.";

async fn over(api: &str) -> Scene {
    Scene::with(|config| config["models"]["providers"]["fake"]["api"] = json!(api)).await
}

fn efforts(scene: &Scene) -> Vec<String> {
    let requests = scene.model.requests();
    requests.iter().map(|request| request.effort().unwrap_or("-").to_owned()).collect()
}

/// Thinks until the limit of the output, and writes nothing.
fn thought_only() -> Script {
    Script::new().reasoning("Hm.").finish(Finish::Length).usage(Usage {
        input: 10,
        output: 90,
        ..Usage::default()
    })
}

#[tokio::test]
async fn a_refused_level_is_told_once_before_the_answer_and_the_stored_one_stays() {
    for api in APIS {
        let scene = over(api).await;
        scene.model.refuse_efforts(&["high"], &["none", "low", "medium"]);
        let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
        let mut bob = Talk::with(&scene, &scene.telegram.user("Bob"));
        ann.check(&[
            ("/usage full", "⚙️ Usage line set to full."),
            ("/think high", "Thinking level set to high."),
            (
                "hello",
                "⚙️ fake/gpt-5.2 refused thinking level \"high\"; medium is used until the next restart.",
            ),
        ])
        .await;
        let answer = ann.hear().await;
        assert!(
            answer.starts_with("You said: hello\n") && answer.contains(" · medium · "),
            "{api}: {answer}"
        );
        let answer = ann.ask("again").await;
        assert!(
            answer.starts_with("You said: again\n") && answer.contains(" · medium · "),
            "{api}: {answer}"
        );
        assert_eq!(efforts(&scene), ["high", "medium", "medium"], "{api}");
        let status = ann.ask("/status").await;
        assert!(status.contains("(from session) · high not supported here"), "{api}: {status}");
        let refused = "Thinking level \"high\" is not supported for fake/gpt-5.2. Use one of: off, ";
        let told = bob.ask("/think high").await;
        assert!(told.starts_with(refused) && !told.ends_with("high."), "{api}: {told}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn what_was_learned_is_told_though_the_repeated_call_failed() {
    let scene = over("openai-responses").await;
    scene.model.refuse_efforts(&["xhigh"], &["high"]);
    scene
        .model
        .reply_with(|request| (request.effort() == Some("high")).then(|| Script::fail(Failure::json(401))));
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    assert_eq!(ann.ask("/think xhigh").await, "Thinking level set to xhigh.");
    let told = ann.ask("hello").await;
    assert_eq!(told, "⚠️ The model provider refused our key. An admin needs to check it.");
    scene.model.clear();
    ann.person().press("Try again").unwrap();
    assert_eq!(
        ann.hear().await,
        "⚙️ fake/gpt-5.2 refused thinking level \"xhigh\"; high is used until the next restart."
    );
    assert_eq!(ann.hear().await, "You said: hello");
    scene.finish().await;
}

#[tokio::test]
async fn prov_14_who_thought_until_nothing_was_left_is_asked_to_think_less() {
    for api in APIS {
        let scene = over(api).await;
        let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
        ann.check(&[
            ("/usage full", "⚙️ Usage line set to full."),
            ("/think high", "Thinking level set to high."),
        ])
        .await;
        scene.model.play(thought_only());
        scene.model.play(Script::new().text("Four.").usage(Usage {
            input: 10,
            output: 5,
            ..Usage::default()
        }));
        assert_eq!(
            ann.ask("2+2?").await,
            "⚙️ At thinking level \"high\" fake/gpt-5.2 reached its output limit before it wrote a word; \
             this message runs with medium.",
            "{api}"
        );
        let answer = ann.hear().await;
        assert!(
            answer.starts_with("Four.\n\nin 20 · out 95 · ") && answer.contains(" · medium · "),
            "{answer}"
        );
        assert_eq!(
            ann.ask("/think").await.lines().next().unwrap(),
            "Current thinking level: high (from session)."
        );
        assert!(ann.ask("again").await.starts_with("You said: again"));
        assert_eq!(efforts(&scene), ["high", "medium", "high"], "{api}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn prov_14_where_thinking_less_does_not_help_the_remedy_is_named() {
    for api in APIS {
        let scene = over(api).await;
        let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
        scene.model.play(thought_only());
        scene.model.play(thought_only());
        assert!(ann.ask("/think high 2+2?").await.starts_with("Thinking level set to high."));
        assert!(ann.hear().await.starts_with("⚙️ At thinking level \"high\""));
        let seen = ann.next().await;
        let remedy =
            "Send /think with a lower level, or have an admin raise params.maxTokens for this model.";
        assert_eq!((seen.text, seen.buttons), (format!("{OUT} {remedy}"), vec!["Try again".to_owned()]));
        assert_eq!(efforts(&scene), ["high", "medium"], "{api}");

        scene.model.play(thought_only());
        assert_eq!(ann.ask("/model fake/gpt-4.1").await, "Model set to fake/gpt-4.1 for this session.");
        let remedy = "Ask for less at once, or have an admin raise params.maxTokens for this model.";
        assert_eq!(ann.ask("2+2?").await, format!("{OUT} {remedy}"), "{api}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_says_so_in_its_last_line() {
    for api in APIS {
        let scene = over(api).await;
        let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
        scene.model.play(Script::new().text("One, two,").finish(Finish::Length));
        assert_eq!(ann.ask("count").await, format!("One, two,\n\n{CUT}"), "{api}");
        assert_eq!(ann.ask("/usage tokens").await, "⚙️ Usage line set to tokens.");
        scene.model.play(Script::new().text("One, two,").finish(Finish::Length).usage(Usage::default()));
        let footer = "in 0 · out 0 · reasoning 0 · cached 0";
        assert_eq!(ann.ask("count").await, format!("One, two,\n\n{CUT}\n\n{footer}"), "{api}");
        scene
            .model
            .play(Script::new().text("One, two,").finish(Finish::ContentFilter).usage(Usage::default()));
        let cut = "⚠️ The model provider's content filter cut this answer off here.";
        assert_eq!(ann.ask("count").await, format!("One, two,\n\n{cut}\n\n{footer}"), "{api}");
        // Our lines are none of the model's words.
        assert!(ann.ask("again").await.starts_with("You said: again"));
        assert_eq!(scene.model.requests().pop().unwrap().texts("assistant"), ["One, two,"; 3], "{api}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn a_filter_that_leaves_nothing_is_told() {
    for api in APIS {
        let scene = over(api).await;
        let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
        scene.model.play(Script::new().finish(Finish::ContentFilter));
        let seen = ann.ask("hello").await;
        let words = "⚠️ The model provider's content filter held the answer back. Please put your question differently.";
        assert_eq!(seen, words, "{api}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn prov_19_what_is_wrong_with_a_stream_is_for_the_log() {
    for (api, wrong) in [
        (APIS[0], "event: response.output_text.delta\ndata: {\"delta\": before x\n\n"),
        (
            APIS[0],
            "event: error\ndata: {\"type\":\"error\",\"message\":\"Unexpected event order: got x before y\"}\n\n",
        ),
        (APIS[1], "data: {\"error\":{\"message\":\"Unexpected event order: got x before y\"}}\n\n"),
        (APIS[1], "data: {\"choices\":[{\"delta\":{\"content\":\n\n"),
    ] {
        let scene = over(api).await;
        scene.telegram.inject(Fault::on("sendChatAction").held(&Gate::new()).always());
        let ann = scene.telegram.user("Ann");
        let broken = || {
            Script::new().text("So far.").step(pensive_tests::model::Step::Raw(wrong.to_owned())).end_early()
        };
        scene.model.reply_to("hello", broken());
        ann.say("hello");
        for _ in 0..5 {
            scene.sleep_out(Duration::from_millis(400), Duration::from_millis(9_600)).await;
        }
        scene.telegram.wait_for_text(ann.chat(), "⚠️ ").await;
        let told = said(&ann);
        assert_eq!(told[0], "So far.", "{api} {wrong}");
        for raw in ["order", "event", "{", "choices", "response."] {
            assert!(!told[1].contains(raw), "{api} {wrong}: {told:?}");
        }
        scene.finish().await;
    }
}

#[tokio::test]
async fn a_run_that_takes_too_long_keeps_what_was_said() {
    let scene = over("openai-responses").await;
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    let mut talk = Talk::with(&scene, &bob);
    let gates: Vec<Gate> = (0..27).map(|_| Gate::new()).collect();
    let script = gates.iter().fold(Script::new().text("0"), |script, gate| script.wait(gate).text("."));
    scene.model.reply_to("hello", script.stall());
    ann.say("hello");
    for gate in &gates {
        gate.reached(1).await;
        // Once somebody else was served, the words that came have been read.
        assert_eq!(talk.ask("x").await, "You said: x");
        scene.pass(Duration::from_secs(23)).await;
        gate.open();
    }
    let words = "⚠️ That took too long, so I gave up. Please try again or ask for less at once.";
    scene.telegram.wait_for_text(ann.chat(), words).await;
    let told = said(&ann);
    assert_eq!((told.len(), told[1].as_str()), (2, words));
    assert!(told[0].starts_with("0.........."), "{told:?}");
    scene.finish().await;
}

/// Whatever order they come in, thought and words make one turn, and what is kept was delivered.
#[tokio::test]
async fn rsn_13_a_turn_of_thought_and_words_is_delivered_and_kept() {
    for api in APIS {
        let scene = over(api).await;
        let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
        scene.model.play(Script::new().reasoning("Hm.").text_in(1, "Four."));
        assert_eq!(ann.ask("2+2?").await, "Four.");
        assert!(ann.ask("/status").await.contains("Last run: answered"), "{api}");
        assert_eq!(ann.ask("again").await, "You said: again");
        assert_eq!(scene.model.requests().pop().unwrap().texts("assistant"), ["Four."], "{api}");
        scene.finish().await;
    }
}

/// How hard a model thinks and whether that is shown are two settings.
#[tokio::test]
async fn rsn_15_a_default_level_shows_nothing_by_itself() {
    let scene = Scene::with(|config| {
        let models = json!({ "fake/gpt-5.2": { "params": { "thinking": "low" } } });
        config["agents"]["defaults"]["models"] = models;
    })
    .await;
    let mut ann = Talk::with(&scene, &scene.telegram.user("Ann"));
    scene.model.play(Script::new().reasoning("Hm.").text("Four."));
    assert_eq!(ann.ask("2+2?").await, "Four.");
    assert_eq!(efforts(&scene), ["low"]);
    assert!(ann.ask("/reasoning").await.starts_with("Current reasoning visibility: off (from built-in)."));
    scene.finish().await;
}
