//! A person at a terminal: what they see while the bot works, what they can do meanwhile, and what a model cannot do to them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::pty::Pty;
use pensive_tests::scene::{MODEL_KEY, Scene};
use serde_json::json;

async fn scene() -> Scene {
    Scene::prepared(|config| config["agents"]["defaults"]["tools"] = json!({ "allow": ["*"] })).await
}

/// A chat at its first prompt.
async fn chat(scene: &Scene) -> Pty {
    let mut ann = Pty::start(scene.command(&["chat"]));
    ann.see("Ctrl-D leaves.").await;
    ann
}

/// Every word of the answer is written once, but for the row that goes on.
fn written(all: &str, words: &str) -> usize {
    all.matches(words).count() - all.matches(&format!("\x1b[1A\r{words}")).count()
}

#[tokio::test]
async fn an_answer_is_read_while_it_is_made_and_the_reasoning_is_gone_when_it_stands() {
    let scene = scene().await;
    let _daemon = scene.daemon().await;
    let mut ann = chat(&scene).await;
    ann.say("/reasoning stream");
    ann.see("⚙️ Reasoning").await;
    ann.say("/think high");
    ann.see("set to high.").await;
    let (thought, half) = (Gate::new(), Gate::new());
    scene.model.play(
        Script::new()
            .reasoning("The person asks about the sky and I know it well.")
            .wait(&thought)
            .text("The sky of this planet is ")
            .wait(&half)
            .text("blue, as far as anybody knows."),
    );
    ann.say("why?");
    ann.see("\x1b[2m│ The person asks about the sky").await;
    thought.open();
    let turned = ann.see("The sky of this planet is").await;
    assert!(turned.contains("A\r\x1b[J"), "{turned:?}");
    half.open();
    ann.see("blue, as far as anybody knows.").await;
    ann.say("/whoami");
    ann.see("You are").await;
    assert_eq!(written(&ann.all(), "The sky of this planet is"), 1);
    ann.press("\x04");
    assert!(ann.end().await.success());
    scene.finish().await;
}

#[tokio::test]
async fn ctrl_c_stops_the_run_and_leaves_where_nothing_runs() {
    let scene = scene().await;
    let _daemon = scene.daemon().await;
    let mut ann = chat(&scene).await;
    let gate = Gate::new();
    scene.model.play(Script::new().text("half of an answer that nobody ").wait(&gate));
    ann.say("hello");
    ann.see("half of an answer that nobody").await;
    ann.press("\x03");
    ann.see("Stopping. Ctrl-C again leaves.").await;
    ann.see("⏹").await;
    ann.see("⚙️ Stopped.").await;
    ann.see("> ").await;
    scene.model.wait_for_abandoned(1).await;
    assert_eq!(written(&ann.all(), "half of an answer that nobody"), 1);
    ann.press("\x03");
    assert!(ann.end().await.success());
    scene.finish().await;
}

#[tokio::test]
async fn a_second_ctrl_c_leaves_without_waiting() {
    let scene = scene().await;
    let mut ann = chat(&scene).await;
    let gate = Gate::new();
    scene.model.play(Script::new().first_byte(&gate));
    ann.say("hello");
    gate.reached(1).await;
    ann.press("\x03");
    ann.see("Stopping.").await;
    // Before that it would be a signal, and this terminal is in charge of no process.
    ann.see("> ").await;
    ann.press("\x03");
    assert!(ann.end().await.success());
    scene.finish().await;
}

#[tokio::test]
async fn bubbles_thoughts_and_questions_are_shown_and_a_number_answers() {
    let scene = scene().await;
    let _daemon = scene.daemon().await;
    let mut ann = chat(&scene).await;
    for (line, answer) in [
        ("/verbose full", "⚙️ Verbose"),
        ("/reasoning on", "⚙️ Reasoning"),
        ("/think high", "set to high."),
        ("/elevated ask", "⚙️ Elevated"),
    ] {
        ann.say(line);
        ann.see(answer).await;
    }
    scene.model.play(
        Script::new()
            .reasoning("I have to run it.")
            .text("Let me run it.")
            .tool_call("exec", &json!({ "command": "touch made && echo done at last" })),
    );
    ann.say("run it");
    ann.see("\x1b[2m│ I have to run it.").await;
    ann.see("Let me run it.").await;
    ann.see("🛠️ Exec").await;
    ann.see("May I do this?").await;
    ann.see("touch made").await;
    ann.see("/1  ").await;
    ann.say("/1");
    ann.see("done at last\r\n```").await;
    ann.see("You said: run it").await;
    assert_eq!(written(&ann.all(), "Let me run it."), 1);
    scene.finish().await;
}

#[tokio::test]
async fn a_script_answers_a_question_with_its_next_line_and_reads_only_the_answer() {
    let scene = scene().await;
    for pipe in ["/elevated ask\n/verbose on\n", ""] {
        scene.model.play(Script::new().tool_call("exec", &json!({ "command": "touch made && echo hi" })));
        let ran = scene.pipe(&["chat"], &format!("{pipe}run it\n/1\n")).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.out.ends_with("You said: run it\n") && !ran.out.contains("Exec"), "{ran:?}");
        for part in ["🛠️ Exec", "May I do this?", "  /1  "] {
            assert!(ran.err.contains(part), "{ran:?}");
        }
        let result = scene.model.requests().pop().unwrap().tool_results().pop().unwrap().1;
        assert!(result.contains("hi"), "{result}");
    }
    scene.finish().await;
}

#[tokio::test]
async fn a_model_cannot_command_the_terminal_or_tell_a_secret() {
    let scene = scene().await;
    let _daemon = scene.daemon().await;
    let mut ann = chat(&scene).await;
    let gate = Gate::new();
    scene.model.play(
        Script::new()
            .text(&format!("The key is {MODEL_KEY} and \x1b]0;mine\x07 this \x1b[2J title, "))
            .wait(&gate)
            .text("and that is all."),
    );
    ann.say("hello");
    ann.see("␛]0;mine␇").await;
    gate.open();
    ann.see("that is all.").await;
    let all = ann.all();
    assert!(all.contains("•••") && !all.contains(MODEL_KEY) && !all.contains("\x1b]0;"), "{all:?}");
    assert!(!all.contains("\x1b[2J"), "{all:?}");
    scene.finish().await;
}

#[tokio::test]
async fn a_script_can_follow_an_answer_in_the_making() {
    let scene = scene().await;
    let _daemon = scene.daemon().await;
    let long = "a word ".repeat(20);
    scene
        .model
        .play(Script::new().text(&long).delay(std::time::Duration::from_millis(700)).text("and the end."));
    let ran = scene.pipe(&["chat", "--json"], "hello\n").await;
    let events: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let preview = events.iter().find(|event| event["is"] == "preview").unwrap();
    assert!(preview["text"]["whole"].as_str().unwrap().starts_with("a word a word"), "{preview}");
    let last = events.iter().rfind(|event| event["is"] == "message").unwrap();
    assert_eq!((&last["kind"], &last["text"]), (&json!("text"), &json!(format!("{long}and the end."))));
    scene.finish().await;
}
