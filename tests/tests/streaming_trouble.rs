//! Answers in the making when things go wrong: floods, broken models, stops, restarts. The answer arrives once, and nothing half-made
//! is left standing.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_tests::gate::Gate;
use pensive_tests::model::Script;
use pensive_tests::scene::{Scene, said};
use pensive_tests::telegram::{Call, Fault, FloodLimits, Person};
use pensive_tests::tools::ToolsFake;
use serde_json::{Value, json};

const FIRST: &str = "The first line of it is a long one. ";
const END: &str = "That is all.";
const STOP: &str = "⏹ Stop";

fn open_groups(config: &mut Value) {
    let telegram = &mut config["channels"]["telegram"];
    telegram["groupPolicy"] = json!("open");
    telegram["groups"] = json!({ "*": { "requireMention": false } });
}

/// Ann in a chat of two, and in a group.
async fn both() -> [(Scene, Person); 2] {
    let (direct, shared) = (Scene::paced(|_| {}).await, Scene::paced(open_groups).await);
    let ann = direct.telegram.user("Ann");
    let bob = shared.telegram.user("Bob");
    let bob = bob.at(&shared.telegram.supergroup("Kitchen", &[&bob]));
    [(direct, ann), (shared, bob)]
}

fn in_chat(scene: &Scene, person: &Person) -> Vec<Call> {
    let chat = person.chat();
    scene.telegram.calls_where(|call| call.chat() == Some(chat))
}

/// No preview is left: no draft, no message with a Stop button.
fn assert_settled(person: &Person) {
    let screen = person.screen();
    assert_eq!(screen.drafts, []);
    let standing = screen.messages.iter().find(|seen| seen.buttons.iter().any(|button| button == STOP));
    assert_eq!(standing, None);
}

#[tokio::test]
async fn str_01_str_04_a_flood_stops_previews_to_the_second_and_the_answer_ends_in_place() {
    for (scene, person) in both().await {
        let film = person.film();
        let gates: Vec<Gate> = (0..6).map(|_| Gate::new()).collect();
        let script = gates.iter().enumerate().fold(Script::new().text(FIRST), |script, (n, gate)| {
            script.wait(gate).text(&format!("This is piece {n} of it. "))
        });
        scene.model.play(script.text(END));
        person.say("tell me");
        scene.run_until_seen(&film, "The first line").await;
        scene.telegram.bot().silence(person.chat(), Duration::from_secs(33));
        gates[0].open();
        let refused = |call: &Call| call.status == 429;
        scene
            .run_until("the flood", |_| in_chat(&scene, &person).iter().find(|call| refused(call)).cloned())
            .await;
        // The model goes on meanwhile.
        for gate in &gates[1..5] {
            scene.run_for(Duration::from_secs(7)).await;
            gate.open();
        }
        scene.run_for(Duration::from_secs(2)).await;
        let told = in_chat(&scene, &person);
        assert!(told.iter().rev().take(1).all(refused), "the chat is left alone: {told:?}");
        scene.run_until_seen(&film, "This is piece 4").await;
        let next = in_chat(&scene, &person).into_iter().skip_while(|call| !refused(call)).nth(1).unwrap();
        assert!(next.params.to_string().contains("This is piece 4"), "what came meanwhile is one preview");
        gates[5].open();
        let answer = scene
            .run_until("the answer", |_| said(&person).into_iter().find(|text| text.ends_with(END)))
            .await;
        assert!(answer.starts_with(FIRST) && said(&person).len() == 1, "{:?}", said(&person));
        assert_eq!(film.most_copies("The first line"), 1);
        assert_settled(&person);
        scene.finish().await;
    }
}

#[tokio::test]
async fn str_02_the_answer_waits_out_a_flood_and_arrives_once() {
    for (scene, person) in both().await {
        scene.telegram.limit(FloodLimits::default());
        let film = person.film();
        let gate = Gate::new();
        scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
        person.say("tell me");
        scene.run_until_seen(&film, "The first line").await;
        scene.run_for(Duration::from_secs(1)).await;
        scene.telegram.bot().silence(person.chat(), Duration::from_secs(126));
        gate.open();
        scene
            .run_until("the flood", |_| {
                in_chat(&scene, &person).iter().any(|call| call.status == 429).then_some(())
            })
            .await;
        scene.run_for(Duration::from_secs(100)).await;
        let whole = format!("{FIRST}{END}");
        assert!(!said(&person).contains(&whole));
        scene.run_until("the answer", |_| said(&person).contains(&whole).then_some(())).await;
        scene.run_for(Duration::from_secs(5)).await;
        assert_eq!(said(&person), [whole]);
        assert_settled(&person);
        scene.finish().await;
    }
}

#[tokio::test]
async fn str_02_a_minute_of_previews_leaves_the_answer_its_call() {
    for (scene, person) in both().await {
        scene.telegram.limit(FloodLimits::default());
        let gates: Vec<Gate> = (0..120).map(|_| Gate::new()).collect();
        let script = gates
            .iter()
            .enumerate()
            .fold(Script::new(), |script, (n, gate)| script.text(&format!("Line number {n}. ")).wait(gate));
        scene.model.play(script.text(END));
        person.say("tell me");
        for gate in &gates {
            gate.reached(1).await;
            scene.run_for(Duration::from_millis(500)).await;
            gate.open();
        }
        let ended = scene.telegram.calls_where(|_| true).len();
        scene.run_for(Duration::from_secs(2)).await;
        assert!(
            said(&person).iter().any(|text| text.ends_with(END)),
            "the answer did not come at once; since then: {:?}",
            scene.telegram.calls_where(|_| true).split_off(ended)
        );
        assert!(in_chat(&scene, &person).iter().all(|call| call.status != 429));
        scene.finish().await;
    }
}

#[tokio::test]
async fn str_20_a_run_that_fails_leaves_no_preview() {
    for (scene, person) in both().await {
        let film = person.film();
        let gate = Gate::new();
        scene.model.play(Script::new().text(FIRST).wait(&gate).error_event("server overloaded"));
        // Every later try of this message fails before a word.
        for _ in 0..20 {
            scene.model.play(Script::new().error_event("server overloaded"));
        }
        person.say("tell me");
        scene.run_until_seen(&film, "The first line").await;
        gate.open();
        scene
            .run_until("the failure", |_| said(&person).iter().any(|text| text.contains("⚠️")).then_some(()))
            .await;
        scene.run_for(Duration::from_secs(5)).await;
        assert_settled(&person);
        let texts = said(&person);
        assert!(texts.iter().filter(|text| text.contains("The first line")).count() <= 1, "{texts:?}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn the_words_of_a_broken_try_do_not_stay_in_front_of_the_next() {
    for (scene, person) in both().await {
        let film = person.film();
        let gates = [Gate::new(), Gate::new()];
        scene.model.play(Script::new().text("A beginning that comes to nothing. ").wait(&gates[0]).cut());
        scene.model.play(Script::new().text(FIRST).wait(&gates[1]).text(END));
        person.say("tell me");
        scene.run_until_seen(&film, "A beginning").await;
        gates[0].open();
        scene.run_until_seen(&film, "The first line").await;
        gates[1].open();
        let whole = format!("{FIRST}{END}");
        scene.run_until("the answer", |_| said(&person).contains(&whole).then_some(())).await;
        assert_eq!(said(&person), [whole]);
        for frame in film.frames() {
            let mixed = frame
                .screen
                .texts()
                .iter()
                .any(|text| text.contains("A beginning") && text.contains("The first"));
            assert!(!mixed, "{:?}", frame.screen.texts());
        }
        scene.finish().await;
    }
}

#[tokio::test]
async fn stop_below_a_draft_ends_the_run_and_keeps_its_words() {
    let scene = Scene::paced(|_| {}).await;
    let ann = scene.telegram.user("Ann");
    let film = ann.film();
    let gate = Gate::new();
    scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
    ann.say("tell me");
    scene.run_until_seen(&film, "The first line").await;
    assert!(ann.stop_draft());
    scene.model.wait_for_abandoned(1).await;
    let kept =
        scene.run_until("the words", |_| said(&ann).iter().find(|text| text.ends_with('⏹')).cloned()).await;
    assert!(kept.starts_with(FIRST.trim_end()), "{kept}");
    scene.run_for(Duration::from_secs(2)).await;
    assert_eq!(said(&ann).iter().filter(|text| text.contains("The first line")).count(), 1);
    assert_settled(&ann);
    ann.say("hello");
    scene
        .run_until("the next answer", |_| said(&ann).contains(&"You said: hello".to_owned()).then_some(()))
        .await;
    scene.finish().await;
}

#[tokio::test]
async fn stop_below_a_message_that_grows_ends_the_run_and_keeps_its_words() {
    let [_, (scene, bob)] = both().await;
    let film = bob.film();
    let gate = Gate::new();
    scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
    bob.say("tell me");
    scene.run_until_seen(&film, "The first line").await;
    bob.press(STOP).unwrap();
    scene.model.wait_for_abandoned(1).await;
    let kept =
        scene.run_until("the words", |_| said(&bob).iter().find(|text| text.ends_with('⏹')).cloned()).await;
    assert!(kept.starts_with(FIRST.trim_end()), "{kept}");
    scene.run_for(Duration::from_secs(2)).await;
    assert_eq!(film.most_copies("The first line"), 1, "{:?}", said(&bob));
    assert_settled(&bob);
    scene.finish().await;
}

#[tokio::test]
async fn stop_does_not_wait_for_a_preview_that_hangs_and_what_was_due_behind_it_still_comes() {
    let tools = ToolsFake::new().tool("read", |_| std::future::pending());
    let scene = Scene::with_tools(&tools, open_groups).await;
    let ann = scene.telegram.user("Ann");
    let ann = ann.at(&scene.telegram.supergroup("Kitchen", &[&ann]));
    ann.say("/verbose on");
    scene.telegram.wait_for_text(ann.chat(), "Verbose logging enabled.").await;
    let film = ann.film();
    let gates = [Gate::new(), Gate::new()];
    let script = Script::new().text(FIRST).wait(&gates[0]).text(END).wait(&gates[1]);
    scene.model.play(script.tool_call("read", &json!({ "path": "a.txt" })));
    ann.say("tell me");
    scene.run_until_seen(&film, "The first line").await;
    let hangs = Gate::new();
    scene.telegram.inject(Fault::on("editMessageText").held(&hangs));
    gates[0].open();
    scene.run_until("the edit", |_| (hangs.arrivals() > 0).then_some(())).await;
    gates[1].open();
    scene.run_until("the call", |_| (!tools.made().is_empty()).then_some(())).await;
    ann.say("/stop");
    let is_told = |text: &String| text.contains("⚙️ Stopped.");
    scene.run_until("the stop", |_| said(&ann).iter().any(is_told).then_some(())).await;
    let whole = format!("{FIRST}{END}");
    let expected = ["⚙️ Verbose logging enabled.", &whole, "📖 Read: from a.txt", "⚙️ Stopped."];
    assert_eq!(said(&ann), expected);
    hangs.open();
    assert_settled(&ann);
    scene.finish().await;
}

#[tokio::test]
async fn str_25_an_answer_cut_off_by_a_restart_is_told_and_no_half_of_it_stands() {
    for (mut scene, person) in both().await {
        let film = person.film();
        let gate = Gate::new();
        scene.model.play(Script::new().text(FIRST).wait(&gate).text(END));
        person.say("tell me");
        scene.run_until_seen(&film, "The first line").await;
        scene.cut_off().await;
        scene.enter().await;
        scene
            .run_until("word of it", |_| {
                said(&person)
                    .iter()
                    .any(|text| text.contains("I was restarted while answering"))
                    .then_some(())
            })
            .await;
        scene.run_for(Duration::from_secs(35)).await;
        assert_settled(&person);
        assert!(!said(&person).iter().any(|text| text.trim() == FIRST.trim()), "{:?}", said(&person));
        person.press("").unwrap();
        scene
            .run_until("the answer", |_| {
                said(&person).iter().any(|text| text.contains("You said:")).then_some(())
            })
            .await;
        scene.finish().await;
    }
}

#[tokio::test]
async fn str_25_what_a_cut_off_run_had_finished_saying_stays() {
    let tools = ToolsFake::new().tool("read", |_| async { Ok("one".to_owned()) });
    let mut scene = Scene::with_tools(&tools, open_groups).await;
    let ann = scene.telegram.user("Ann");
    let ann = ann.at(&scene.telegram.supergroup("Kitchen", &[&ann]));
    ann.say("/verbose on");
    scene.telegram.wait_for_text(ann.chat(), "Verbose logging enabled.").await;
    let film = ann.film();
    let gates = [Gate::new(), Gate::new()];
    scene
        .model
        .play(Script::new().text(FIRST).wait(&gates[0]).tool_call("read", &json!({ "path": "a.txt" })));
    scene.model.play(Script::new().wait(&gates[1]).text(END));
    ann.say("tell me");
    scene.run_until_seen(&film, "The first line").await;
    gates[0].open();
    let finished = |text: &String| text.trim() == FIRST.trim();
    scene.telegram.wait_for_text(ann.chat(), "📖 Read: from a.txt").await;
    gates[1].reached(1).await;
    assert!(said(&ann).iter().any(finished), "{:?}", said(&ann));
    scene.cut_off().await;
    scene.enter().await;
    let is_told = |text: &String| text.contains("I was restarted while answering");
    scene.run_until("word of it", |_| said(&ann).iter().any(is_told).then_some(())).await;
    scene.run_for(Duration::from_secs(5)).await;
    assert!(said(&ann).iter().any(finished), "it was no preview any more: {:?}", said(&ann));
    assert_settled(&ann);
    scene.finish().await;
}

#[tokio::test]
async fn str_25_errors_of_previews_do_not_cost_the_answer() {
    for (scene, person) in both().await {
        for method in ["sendRichMessageDraft", "sendMessageDraft", "editMessageText"] {
            use pensive_tests::telegram::Fault;
            scene.telegram.inject(Fault::on(method).in_chat(person.chat()).times(3));
            scene.telegram.inject(Fault::on(method).in_chat(person.chat()).html(502).times(2));
            scene.telegram.inject(Fault::on(method).in_chat(person.chat()).reset().times(2));
        }
        let gates: Vec<Gate> = (0..6).map(|_| Gate::new()).collect();
        let script = gates.iter().enumerate().fold(Script::new(), |script, (n, gate)| {
            script.text(&format!("This is line number {n} of them all. ")).wait(gate)
        });
        scene.model.play(script.text(END));
        person.say("tell me");
        for gate in &gates {
            gate.reached(1).await;
            scene.run_for(Duration::from_secs(2)).await;
            gate.open();
        }
        scene
            .run_until("the answer", |_| said(&person).iter().any(|text| text.ends_with(END)).then_some(()))
            .await;
        scene.run_for(Duration::from_secs(10)).await;
        let texts = said(&person);
        assert_eq!(texts.iter().filter(|text| text.ends_with(END)).count(), 1, "{texts:?}");
        assert_settled(&person);
        scene.finish().await;
    }
}

#[tokio::test]
async fn where_previews_are_off_or_impossible_there_is_one_message_and_live_reasoning_is_told_of_once() {
    let off: fn(&mut Value) = |config| config["channels"]["telegram"]["streaming"] = json!("off");
    for (change, missing) in [
        (off, &[][..]),
        (|_: &mut Value| {}, &["sendRichMessageDraft", "sendMessageDraft", "editMessageText"][..]),
    ] {
        let scene = Scene::paced(change).await;
        scene.telegram.turn_off(missing);
        let ann = scene.telegram.user("Ann");
        ann.say("/reasoning stream");
        scene.telegram.wait_for_text(ann.chat(), "Reasoning stream enabled.").await;
        for n in 0..2 {
            let gate = Gate::new();
            scene.model.play(
                Script::new()
                    .reasoning("Let me think about it for a while. ")
                    .text(FIRST)
                    .wait(&gate)
                    .text(END),
            );
            ann.say("tell me");
            gate.reached(1).await;
            scene.run_for(Duration::from_secs(3)).await;
            gate.open();
            let done = |text: &&String| **text == format!("{FIRST}{END}");
            scene
                .run_until("the answer", |_| (said(&ann).iter().filter(done).count() > n).then_some(()))
                .await;
        }
        let texts = said(&ann);
        assert!(!texts.iter().any(|text| text.contains("Let me think")), "{texts:?}");
        let others =
            texts.iter().filter(|text| !text.ends_with(END) && !text.contains("Reasoning stream enabled"));
        assert!(others.clone().count() <= 1, "{texts:?}");
        if missing.is_empty() {
            assert_eq!(others.count(), 1, "that nothing is shown live is said once: {texts:?}");
            assert_eq!(scene.telegram.calls_where(|call| call.method.ends_with("Draft")).len(), 0);
        }
        assert_settled(&ann);
        scene.finish().await;
    }
}
