//! Answers in the making where several people read: one message that is changed, in its topic, within the pace of the chat, and
//! finished in place.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::{ReasoningShape, Script};
use pensive_tests::scene::{Scene, said};
use pensive_tests::telegram::{Call, Fault, FloodLimits, Person};
use pensive_tests::tools::ToolsFake;
use serde_json::{Value, json};

const FIRST: &str = "The first line of it is a long one. ";
const SECOND: &str = "And then one more of them. ";
const END: &str = "That is all.";
const STOP: &str = "⏹ Stop";

fn open_groups(config: &mut Value) {
    let telegram = &mut config["channels"]["telegram"];
    telegram["groupPolicy"] = json!("open");
    telegram["groups"] = json!({ "*": { "requireMention": false } });
}

/// Ann in a group where everything is heard.
async fn group() -> (Scene, Person) {
    let scene = Scene::paced(open_groups).await;
    let ann = scene.telegram.user("Ann");
    let room = scene.telegram.supergroup("Kitchen", &[&ann]);
    let ann = ann.at(&room);
    (scene, ann)
}

fn edits(scene: &Scene) -> Vec<Call> {
    scene.telegram.calls("editMessageText")
}

#[tokio::test]
async fn a_group_sees_one_message_that_grows_and_becomes_the_answer() {
    let (scene, ann) = group().await;
    let film = ann.film();
    let gates = [Gate::new(), Gate::new()];
    scene.model.play(
        Script::new().text(FIRST).wait(&gates[0]).text(SECOND).wait(&gates[1]).text("**That** is all."),
    );
    let asked = ann.say("tell me");
    scene.run_until_seen(&film, "The first line").await;
    let growing = ann.sees().pop().unwrap();
    assert_eq!(
        (growing.buttons.as_slice(), growing.reply_to),
        ([STOP.to_owned()].as_slice(), Some(asked.message_id))
    );
    gates[0].open();
    scene.run_until_seen(&film, "one more of them").await;
    gates[1].open();
    let answer = scene.run_until("the answer", |telegram| {
        telegram
            .messages(ann.chat())
            .into_iter()
            .find(|seen| seen.text.contains(END) && seen.buttons.is_empty())
    });
    let answer = answer.await;
    assert_eq!((answer.id, answer.text.as_str()), (growing.id, format!("{FIRST}{SECOND}{END}").as_str()));
    assert_eq!(answer.entities[0]["type"], "bold", "the final form is that of any answer");
    assert_eq!(said(&ann).len(), 1);
    assert_eq!(film.most_copies("The first line"), 1);
    assert_eq!(
        scene.telegram.calls_where(|call| call.method.ends_with("Draft")).len(),
        0,
        "drafts are for two"
    );
    scene.finish().await;
}

#[tokio::test]
async fn str_09_str_14_in_a_topic_everything_of_an_answer_stands_in_that_topic_and_once() {
    let scene = Scene::paced(open_groups).await;
    let ann = scene.telegram.user("Ann");
    let forum = scene.telegram.forum("Forum", &[&ann]);
    let ann = ann.at(&forum);
    let topic = forum.topic("Red", &ann);
    let film = ann.film();
    let gates = [Gate::new(), Gate::new()];
    scene.model.play(Script::new().text(FIRST).wait(&gates[0]).text(SECOND).wait(&gates[1]).text(END));
    ann.topic(topic).say("tell me");
    scene.run_until_seen(&film, "The first line").await;
    gates[0].open();
    scene.run_until_seen(&film, "one more of them").await;
    gates[1].open();
    let whole = format!("{FIRST}{SECOND}{END}");
    scene.run_until("the answer", |_| said(&ann).contains(&whole).then_some(())).await;
    let seen: Vec<_> = ann.sees().into_iter().filter(|seen| seen.by_bot).collect();
    assert_eq!(
        seen.iter().map(|seen| (seen.thread, seen.text.as_str())).collect::<Vec<_>>(),
        [(Some(topic), whole.as_str())]
    );
    assert_eq!(scene.telegram.calls("deleteMessage").len(), 0, "nothing had to be taken away");
    for call in
        scene.telegram.calls_where(|call| call.method.starts_with("send") && call.chat() == Some(ann.chat()))
    {
        assert_eq!(call.int("message_thread_id"), Some(topic), "{} {}", call.method, call.params);
    }
    scene.finish().await;
}

#[tokio::test]
async fn str_21_two_topics_of_a_forum_each_have_their_own_growing_message() {
    let scene = Scene::paced(open_groups).await;
    let ann = scene.telegram.user("Ann");
    let forum = scene.telegram.forum("Forum", &[&ann]);
    let ann = ann.at(&forum);
    let topics = [forum.topic("Red", &ann), forum.topic("Blue", &ann)];
    let film = ann.film();
    let gate = Gate::new();
    for colour in ["Red", "Blue"] {
        let script =
            Script::new().text(&format!("{colour} is what this one is all about. ")).wait(&gate).text(END);
        scene.model.reply_to(&colour.to_lowercase(), script);
    }
    ann.topic(topics[0]).say("red");
    ann.topic(topics[1]).say("blue");
    scene.run_until_seen(&film, "Red is").await;
    scene.run_until_seen(&film, "Blue is").await;
    gate.open();
    scene
        .run_until("both", |_| {
            let texts = said(&ann);
            (texts.len() == 2 && texts.iter().all(|text| text.ends_with(END))).then_some(())
        })
        .await;
    for (colour, topic) in [("Red", topics[0]), ("Blue", topics[1])] {
        let seen: Vec<_> =
            ann.sees().into_iter().filter(|seen| seen.by_bot && seen.text.contains(colour)).collect();
        assert_eq!(seen.iter().map(|seen| seen.thread).collect::<Vec<_>>(), [Some(topic)]);
    }
    scene.finish().await;
}

#[tokio::test]
async fn str_15_a_model_that_thinks_makes_no_message_more() {
    for shape in [None, Some(ReasoningShape::Usual), Some(ReasoningShape::Plain)] {
        let (scene, ann) = group().await;
        let film = ann.film();
        let gates = [Gate::new(), Gate::new()];
        let script = Script::new().reasoning_as(shape.unwrap_or_default());
        let script = match shape {
            None => script,
            Some(_) => script.reasoning("Let me think about it for a while. ").reasoning("So it is. "),
        };
        scene.model.play(script.wait(&gates[0]).text(FIRST).wait(&gates[1]).text(END));
        ann.say("tell me");
        gates[0].reached(1).await;
        scene.run_for(Duration::from_secs(2)).await;
        gates[0].open();
        scene.run_until_seen(&film, "The first line").await;
        gates[1].open();
        scene.run_until("the answer", |_| said(&ann).contains(&format!("{FIRST}{END}")).then_some(())).await;
        let sent = scene.telegram.calls_where(|call| {
            call.chat() == Some(ann.chat())
                && ["sendMessage", "sendRichMessage"].contains(&call.method.as_str())
        });
        assert_eq!((sent.len(), said(&ann).len()), (1, 1), "{shape:?}");
        assert_eq!(film.most_copies("think about it"), 0, "{shape:?}: display is off by default");
        scene.finish().await;
    }
}

#[tokio::test]
async fn str_10_a_long_answer_grows_to_the_limit_and_rolls_over() {
    let scene = Scene::paced(|config| {
        open_groups(config);
        config["channels"]["telegram"]["richMessages"] = json!("off");
    })
    .await;
    let ann = scene.telegram.user("Ann");
    let ann = ann.at(&scene.telegram.supergroup("Kitchen", &[&ann]));
    let film = ann.film();
    let gates: Vec<Gate> = (0..4).map(|_| Gate::new()).collect();
    let part = |n: usize| (0..400).map(|k| format!("w{n}x{k} ")).collect::<String>();
    let script = (0..4).fold(Script::new(), |script, n| script.text(&part(n)).wait(&gates[n]));
    scene.model.play(script.text(END));
    ann.say("tell me all");
    scene.run_until_seen(&film, "w0x100").await;
    for gate in &gates {
        gate.reached(1).await;
        scene.run_for(Duration::from_secs(4)).await;
        gate.open();
    }
    scene.run_until("the end", |_| said(&ann).iter().any(|text| text.ends_with(END)).then_some(())).await;
    let whole = said(&ann).join(" ");
    let words: Vec<&str> = whole.split_whitespace().filter(|word| word.starts_with('w')).collect();
    let wanted: Vec<String> = (0..4).flat_map(|n| (0..400).map(move |k| format!("w{n}x{k}"))).collect();
    assert_eq!(words, wanted);
    assert!(said(&ann).len() > 2);
    let refused = scene.telegram.calls_where(|call| call.chat() == Some(ann.chat()) && call.status == 400);
    assert!(refused.is_empty(), "{refused:?}");
    assert!(ann.sees().iter().all(|seen| !seen.buttons.contains(&STOP.to_owned())));
    scene.finish().await;
}

#[tokio::test]
async fn str_23_an_edit_whose_answer_is_lost_doubles_nothing() {
    let (scene, ann) = group().await;
    let film = ann.film();
    let gate = Gate::new();
    scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
    ann.say("tell me");
    scene.run_until_seen(&film, "The first line").await;
    scene.telegram.inject(Fault::on("editMessageText").reset().after_commit());
    gate.open();
    let whole = format!("{FIRST}{END}");
    scene.run_until("the answer", |_| said(&ann).contains(&whole).then_some(())).await;
    scene.run_for(Duration::from_secs(20)).await;
    assert_eq!(film.most_copies("The first line"), 1, "{:?}", said(&ann));
    assert_eq!(said(&ann).iter().filter(|text| text.contains("The first line")).count(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn str_24_an_answer_whose_place_is_gone_comes_as_a_new_message() {
    let (scene, ann) = group().await;
    let film = ann.film();
    let gate = Gate::new();
    scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
    ann.say("tell me");
    scene.run_until_seen(&film, "The first line").await;
    // Somebody takes away what grows.
    let growing = ann.sees().pop().unwrap();
    ann.delete(growing.id);
    gate.open();
    let whole = format!("{FIRST}{END}");
    scene.run_until("the answer", |_| said(&ann).contains(&whole).then_some(())).await;
    assert_eq!(said(&ann), [whole]);
    scene.finish().await;
}

#[tokio::test]
async fn str_24_a_preview_without_a_known_id_is_no_answer() {
    let (scene, ann) = group().await;
    // The message lands, and nobody learns its number.
    scene.telegram.inject(Fault::on("sendMessage").in_chat(ann.chat()).reset().after_commit());
    let gate = Gate::new();
    scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
    ann.say("tell me");
    let film = ann.film();
    scene.run_until_seen(&film, "The first line").await;
    scene.run_for(Duration::from_secs(4)).await;
    gate.open();
    let whole = format!("{FIRST}{END}");
    scene.run_until("the answer", |_| said(&ann).contains(&whole).then_some(())).await;
    assert_eq!(said(&ann).iter().filter(|text| text.ends_with(END)).count(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn str_26_str_05_edits_keep_the_pace_of_a_group() {
    let (scene, ann) = group().await;
    scene.telegram.limit(FloodLimits::default());
    let gates: Vec<Gate> = (0..120).map(|_| Gate::new()).collect();
    let script = gates
        .iter()
        .enumerate()
        .fold(Script::new(), |script, (n, gate)| script.text(&format!("Line number {n}. ")).wait(gate));
    scene.model.play(script.text(END));
    ann.say("tell me");
    for gate in &gates {
        gate.reached(1).await;
        scene.run_for(Duration::from_millis(500)).await;
        gate.open();
    }
    scene.run_until("the end", |_| said(&ann).pop().filter(|text| text.ends_with(END))).await;
    let calls = scene.telegram.calls_where(|call| call.chat() == Some(ann.chat()));
    assert!(calls.iter().all(Call::ok), "{:?}", calls.iter().find(|call| !call.ok()));
    let made = edits(&scene).len();
    assert!((8..=25).contains(&made), "{made} edits in a minute");
    assert_eq!(said(&ann).len(), 1);
    scene.finish().await;
}

#[tokio::test]
async fn a_group_where_edits_are_refused_sees_the_typing_sign_and_then_the_answer() {
    let (scene, ann) = group().await;
    scene.telegram.turn_off(&["editMessageText"]);
    let film = ann.film();
    let gates = [Gate::new(), Gate::new()];
    scene.model.play(Script::new().text(FIRST).wait(&gates[0]).text(SECOND).wait(&gates[1]).text(END));
    ann.say("tell me");
    scene.run_until_seen(&film, "The first line").await;
    gates[0].open();
    scene.run_for(Duration::from_secs(8)).await;
    gates[1].open();
    let whole = format!("{FIRST}{SECOND}{END}");
    scene.run_until("the answer", |_| said(&ann).contains(&whole).then_some(())).await;
    scene.run_for(Duration::from_secs(3)).await;
    assert_eq!(said(&ann), [whole], "no beginning of it is left standing");
    scene.finish().await;
}

#[tokio::test]
async fn what_stands_before_a_tool_is_finished_and_not_written_over() {
    let tools = ToolsFake::new().tool("read", |_| async { Ok("one".to_owned()) });
    let scene = Scene::with_tools(&tools, open_groups).await;
    let ann = scene.telegram.user("Ann");
    let ann = ann.at(&scene.telegram.supergroup("Kitchen", &[&ann]));
    ann.say("/verbose on");
    scene.telegram.wait_for_text(ann.chat(), "Verbose logging enabled.").await;
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
    scene.run_until("the answer", |_| said(&ann).contains(&"It says one.".to_owned()).then_some(())).await;
    let expected = [
        "⚙️ Verbose logging enabled.",
        "I am going to look into it now.",
        "📖 Read: from a.txt",
        "It says one.",
    ];
    assert_eq!(said(&ann), expected);
    assert!(ann.sees().iter().all(|seen| seen.buttons.is_empty()), "no Stop is left");
    assert_eq!(film.most_copies("look into it"), 1);
    scene.finish().await;
}
