//! What the model thought: told apart from the answer whatever shape it comes in, and shown only to those who want it and may.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::model::{Finish, ReasoningShape, Script};
use pensive_tests::scene::Scene;
use pensive_tests::talk::Talk;
use pensive_tests::telegram::Fault;
use serde_json::{Value, json};

const APIS: [&str; 2] = ["openai-responses", "openai-completions"];

async fn over(api: &str) -> Scene {
    Scene::with(|config| config["models"]["providers"]["fake"]["api"] = json!(api)).await
}

/// One row: what the model writes, and what is read of it as thought and as answer. The text comes in pieces of every size.
async fn check(scene: &Scene, talk: &mut Talk, written: &str, thought: &str, answer: &str) {
    for size in [1, 3, 1_000] {
        scene.model.play(Script::new().text_in(size, written));
        talk.say("write");
        let mut seen = talk.hear().await;
        if !thought.is_empty() {
            assert_eq!(seen, format!("Thinking\n{thought}"), "{written:?} in pieces of {size}");
            seen = talk.hear().await;
        }
        assert_eq!(seen, answer, "{written:?} in pieces of {size}");
    }
}

#[tokio::test]
async fn rsn_02_rsn_06_rsn_08_tags_in_the_text_are_thought_and_not_answer() {
    for api in APIS {
        let scene = over(api).await;
        let mut talk = Talk::with(&scene, &scene.telegram.user("Ann"));
        assert_eq!(talk.ask("/reasoning on").await, "⚙️ Reasoning visibility enabled.");
        for (written, thought, answer) in [
            ("<think>plan</think>Yes.", "plan", "Yes."),
            ("<thinking>\nplan\n</thinking>\n\nYes.", "plan", "Yes."),
            ("<mm:think>plan</mm:think>Yes.", "plan", "Yes."),
            ("<thinking>plan</thinking> Yes.", "plan", "Yes."),
            ("< Think id=\"1\" >plan</ think >Yes.", "plan", "Yes."),
            ("plan... </think> Yes.", "plan...", "Yes."),
            ("<think>a<think>b</think>c</think>Yes.", "abc", "Yes."),
            ("<final>Yes.</final>", "", "Yes."),
            ("Yes. <think>and now", "and now", "Yes."),
            ("Yes.</think>", "", "Yes."),
            ("<think>the whole of it", "", "the whole of it"),
            ("<thinking/>Yes.", "", "Yes."),
        ] {
            check(&scene, &mut talk, written, thought, answer).await;
        }
        scene.finish().await;
    }
}

#[tokio::test]
async fn rsn_04_rsn_05_text_about_the_tag_is_text() {
    for api in APIS {
        let scene = over(api).await;
        let mut talk = Talk::with(&scene, &scene.telegram.user("Ann"));
        for (written, answer) in [
            (
                "The `<think>` tag opens it, `</think>` closes it.",
                "The <think> tag opens it, </think> closes it.",
            ),
            ("```\n<think>x</think>\n```", "<think>x</think>"),
            ("a < b, <b>, <thin, <thinker> and 1 <3", "a < b, <b>, <thin, <thinker> and 1 <3"),
            ("First line.\nSecond.\nIt looks like <think", "First line.\nSecond.\nIt looks like <think"),
        ] {
            check(&scene, &mut talk, written, "", answer).await;
        }
        scene.finish().await;
    }
}

#[tokio::test]
async fn rsn_11_thoughts_come_as_one_folded_message_before_the_answer() {
    for api in APIS {
        let scene = over(api).await;
        let mut talk = Talk::with(&scene, &scene.telegram.user("Ann"));
        assert_eq!(talk.ask("/think high").await, "Thinking level set to high.");
        for shape in [ReasoningShape::Usual, ReasoningShape::Plain, ReasoningShape::Details] {
            let script = || {
                Script::new().reasoning_as(shape).reasoning("First, ").reasoning("**count**.").text("Four.")
            };
            scene.model.play(script());
            assert_eq!(talk.ask("2+2?").await, "Four.", "rsn_15: nobody asked to see it");
            assert_eq!(talk.ask("/reasoning on").await, "⚙️ Reasoning visibility enabled.");
            scene.model.play(script());
            talk.say("2+2?");
            let thought = talk.next().await;
            assert_eq!(thought.text, "Thinking\nFirst, count.");
            assert_eq!(
                thought.entities,
                [
                    json!({"type": "bold", "offset": 0, "length": 8}),
                    json!({"type": "expandable_blockquote", "offset": 9, "length": 13}),
                    json!({"type": "bold", "offset": 16, "length": 5}),
                ]
            );
            assert_eq!(talk.hear().await, "Four.", "rsn_12: and one answer");
            assert_eq!(talk.ask("/reasoning off").await, "⚙️ Reasoning visibility disabled.");
        }
        scene.finish().await;
    }
}

#[tokio::test]
async fn rsn_07_thoughts_are_never_the_answer() {
    for api in APIS {
        let scene = over(api).await;
        let mut talk = Talk::with(&scene, &scene.telegram.user("Ann"));
        assert_eq!(talk.ask("/reasoning on").await, "⚙️ Reasoning visibility enabled.");
        for script in [
            Script::new().reasoning("I should…"),
            Script::new().reasoning("I should…").text(""),
            Script::new().null_first().reasoning("I should…"),
        ] {
            scene.model.play(script);
            talk.say("hello");
            let seen = talk.next().await;
            assert_eq!(
                (seen.text.as_str(), seen.buttons),
                ("The model returned no text.", vec!["Try again".to_owned()])
            );
        }
        scene.finish().await;
    }
}

#[tokio::test]
async fn thoughts_are_not_shown_where_they_may_not_be() {
    let scene = Scene::prepared(|config| {
        let telegram = &mut config["channels"]["telegram"];
        telegram["groupPolicy"] = json!("open");
    })
    .await;
    let ann = scene.telegram.user("Ann");
    let (shut, open) =
        (scene.telegram.supergroup("Shut", &[&ann]), scene.telegram.supergroup("Open", &[&ann]));
    let mut scene = scene;
    let rules = json!({ "*": { "requireMention": false }, open.id().to_string(): { "requireMention": false, "reasoningInGroups": true } });
    scene.reconfigure(|config| config["channels"]["telegram"]["groups"] = rules);
    scene.enter().await;
    let script = || Script::new().reasoning("Hm.").text("Four.");

    let mut talk = Talk::with(&scene, &ann.at(&shut));
    assert_eq!(talk.ask("/reasoning on").await, "⚙️ Reasoning visibility enabled.");
    scene.model.play(script());
    assert_eq!(talk.ask("2+2?").await, "Four.");

    let mut talk = Talk::with(&scene, &ann.at(&open));
    assert_eq!(talk.ask("/reasoning on").await, "⚙️ Reasoning visibility enabled.");
    scene.model.play(script());
    assert_eq!(talk.ask("2+2?").await, "Thinking\nHm.");
    assert_eq!(talk.hear().await, "Four.");

    let mut talk = Talk::with(&scene, &ann);
    assert_eq!(
        talk.ask("/reasoning on /think off").await,
        "Thinking disabled.\n⚙️ Reasoning visibility enabled."
    );
    scene.model.play(script());
    assert_eq!(talk.ask("2+2?").await, "Four.", "what thinks without being asked to is not shown");
    scene.model.play(script());
    assert_eq!(talk.ask("/think low 2+2?").await, "Thinking level set to low.");
    assert_eq!(talk.hear().await, "Thinking\nHm.");
    assert_eq!(talk.hear().await, "Four.");
    scene.model.play(script());
    assert_eq!(
        talk.ask("/think low /reasoning off 2+2?").await,
        "Thinking level set to low.\n⚙️ Reasoning visibility disabled."
    );
    assert_eq!(talk.hear().await, "Four.");
    scene.finish().await;
}

/// Answers, what is said between calls, what is left of a run that failed, what a button brings again, and our own lines.
#[tokio::test]
async fn rsn_14_rsn_16_while_reasoning_is_off_no_thought_leaves_on_any_way() {
    for api in
        ["openai-responses", "openai-completions", "anthropic-messages", "google-generative-ai", "ollama"]
    {
        let scene = Scene::with(|config| {
            config["models"]["providers"]["fake"]["api"] = json!(api);
            config["agents"]["defaults"]["tools"] = json!({ "allow": ["*"] });
        })
        .await;
        let mut talk = Talk::with(&scene, &scene.telegram.user("Ann"));
        let thinks = || Script::new().reasoning("Basalt.");
        assert_eq!(talk.ask("/usage full /think high").await.lines().count(), 2);
        scene.model.play(thinks().text("<think>Basalt</think>One."));
        assert!(talk.ask("plain").await.starts_with("One."), "{api}");
        scene
            .model
            .play(thinks().text("<think>Basalt</think>Looking.").tool_call("session_status", &json!({})));
        scene.model.play(thinks().text("Basalt</think>Two."));
        assert!(talk.ask("with a tool").await.starts_with("Two."), "{api}");
        scene.model.play(thinks().finish(Finish::Length));
        scene.model.play(thinks().finish(Finish::Length));
        assert!(talk.ask("at length").await.starts_with("⚙️ At thinking level"), "{api}");
        assert!(talk.hear().await.starts_with("⚠️ The model reached its output limit"), "{api}");
        scene.model.play(thinks());
        assert_eq!(talk.ask("silent").await, "The model returned no text.", "{api}");
        scene.model.play(thinks().text("Three."));
        talk.person().press("Try again").unwrap();
        assert!(talk.hear().await.starts_with("Three."), "{api}");
        let chat = talk.person().chat();
        scene.telegram.inject(Fault::on("sendMessage").reset().in_chat(chat));
        scene.model.play(thinks().text("Four."));
        assert!(talk.ask("in doubt").await.starts_with("⚙️ I could not confirm"), "{api}");
        talk.person().press("Show it again").unwrap();
        assert!(talk.hear().await.starts_with("Four."), "{api}");
        assert!(talk.ask("/status").await.contains("Thinking: high"), "{api}");
        let leaks = scene.telegram.calls_where(|call| call.params.to_string().contains("Basalt"));
        assert!(leaks.is_empty(), "{api}: {leaks:?}");
        assert!(talk.ask("/reasoning on").await.starts_with("⚙️"), "{api}");
        scene.model.play(thinks().text("Five."));
        assert_eq!(talk.ask("shown").await, "Thinking\nBasalt.", "{api}");
        assert!(talk.hear().await.starts_with("Five."), "{api}");
        scene.finish().await;
    }
}

/// A switch during the run counts when the answer is there.
#[tokio::test]
async fn whether_thoughts_are_shown_is_read_when_they_would_be() {
    let scene = Scene::start().await;
    let mut talk = Talk::with(&scene, &scene.telegram.user("Ann"));
    let gate = pensive_tests::gate::Gate::new();
    scene.model.play(Script::new().reasoning("Hm.").wait(&gate).text("Four."));
    talk.say("2+2?");
    scene.model.wait_for_running(1).await;
    assert_eq!(talk.ask("/reasoning on").await, "⚙️ Reasoning visibility enabled.");
    gate.open();
    assert_eq!(talk.hear().await, "Thinking\nHm.");
    assert_eq!(talk.hear().await, "Four.");
    scene.finish().await;
}

/// Thoughts never come back to the model as something that it said.
#[tokio::test]
async fn thoughts_are_no_part_of_the_history() {
    for api in APIS {
        let scene = over(api).await;
        let mut talk = Talk::with(&scene, &scene.telegram.user("Ann"));
        assert_eq!(talk.ask("/reasoning on").await, "⚙️ Reasoning visibility enabled.");
        scene.model.play(Script::new().text("<think>Basalt</think>One."));
        talk.say("first");
        assert_eq!(talk.hear().await, "Thinking\nBasalt");
        assert_eq!(talk.hear().await, "One.");
        talk.ask("second").await;
        let request = scene.model.requests().pop().unwrap();
        assert_eq!(request.texts("assistant"), ["One."]);
        assert!(!Value::to_string(&request.body).contains("Basalt"));
        scene.finish().await;
    }
}

#[tokio::test]
async fn long_thoughts_are_split_and_every_part_is_folded() {
    let scene = Scene::start().await;
    let mut talk = Talk::with(&scene, &scene.telegram.user("Ann"));
    assert_eq!(talk.ask("/reasoning on").await, "⚙️ Reasoning visibility enabled.");
    let thought = (0..1_500).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    scene.model.play(Script::new().reasoning(&thought).text("Done."));
    talk.say("count");
    let (first, second) = (talk.next().await, talk.next().await);
    assert_eq!(format!("{} {}", first.text, second.text), format!("Thinking\n{thought}"));
    let folds = |entities: &[Value]| {
        entities.iter().filter(|entity| entity["type"] == "expandable_blockquote").count()
    };
    assert_eq!((folds(&first.entities), folds(&second.entities)), (1, 1));
    assert_eq!(talk.hear().await, "Done.");
    scene.finish().await;
}

#[tokio::test]
async fn thoughts_without_end_hold_up_no_answer() {
    let scene = over("openai-completions").await;
    let mut talk = Talk::with(&scene, &scene.telegram.user("Ann"));
    talk.ask("/reasoning on").await;
    let endless = "I turn it over once more. ".repeat(20_000);
    scene.model.play(Script::new().text(&format!("<think>{endless}</think>Yes.")));
    talk.say("write");
    let mut parts = Vec::new();
    let answer = loop {
        let said = talk.hear().await;
        if said == "Yes." {
            break said;
        }
        parts.push(said);
    };
    assert_eq!(answer, "Yes.");
    assert!(parts.len() <= 10, "{} messages of thoughts", parts.len());
    assert!(parts.iter().any(|part| part.contains("bytes are left out here")));
    scene.finish().await;
}
