//! What a person sees when the model's provider is in trouble: another try, another model, or one plain sentence with a
//! button; never silence, and never the provider's words.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::time::Duration;

use pensive_contract::clock::Clock;
use pensive_tests::gate::Gate;
use pensive_tests::model::{Failure, Script};
use pensive_tests::scene::{Scene, said};
use pensive_tests::telegram::{Fault, Person};
use serde_json::json;

const RETRY: &str = "Try again";

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// The ends of the pauses between one call and the next.
const PAUSES: [[Duration; 2]; 5] = [
    [ms(400), ms(600)],
    [ms(800), ms(1_200)],
    [ms(1_600), ms(2_400)],
    [ms(3_200), ms(4_800)],
    [ms(6_400), ms(9_600)],
];

/// A scene in which nothing but the retries of a call sleeps for short: answers are not seen while they are made, and the
/// typing sign is held in its first call.
async fn scene() -> Scene {
    let scene = Scene::with(|config| config["channels"]["telegram"]["streaming"] = "off".into()).await;
    scene.telegram.inject(Fault::on("sendChatAction").held(&Gate::new()).always());
    scene
}

/// Sleeps through all pauses of a model that never answers.
async fn all_pauses(scene: &Scene) {
    for [shortest, longest] in PAUSES {
        scene.sleep_out(shortest, longest).await;
    }
}

/// Says something and waits for its echo.
async fn talk(scene: &Scene, person: &Person, text: &str) {
    person.say(text);
    scene.telegram.wait_for_text(person.chat(), &format!("You said: {text}")).await;
}

/// Presses the retry button and waits for the echo of `text` behind everything that was said before.
async fn retry(scene: &Scene, person: &Person, text: &str) {
    let before = said(person);
    assert_eq!(person.press(RETRY).unwrap().answered().await.get("text"), None);
    let expected: Vec<String> = before.into_iter().chain([format!("You said: {text}")]).collect();
    scene.telegram.wait_until(|_| (said(person) == expected).then_some(())).await;
}

#[tokio::test]
async fn a_no_that_no_attempt_helps_is_told_at_once() {
    let scene = scene().await;
    let ann = scene.telegram.user("Ann");
    let begun = scene.clock.now();
    for (failure, words) in [
        (
            Failure::json(400),
            "The model provider did not accept our request. An admin needs to look into the log.",
        ),
        (Failure::json(401), "The model provider refused our key. An admin needs to check it."),
        (Failure::json(403), "The model provider refused our key. An admin needs to check it."),
        (Failure::json(404), "The model provider does not know this model. Send /model to pick another one."),
        (Failure::html(404), "The model provider's address seems wrong. An admin needs to check it."),
        (
            Failure::with_error(
                429,
                "You exceeded your current quota.",
                "insufficient_quota",
                "insufficient_quota",
            ),
            "The credit with the model provider is used up. An admin needs to top it up.",
        ),
        (
            Failure::with_error(400, "Too many tokens.", "invalid_request_error", "context_length_exceeded"),
            "This conversation is too long for the model. Send /new to start a fresh one.",
        ),
    ] {
        let (case, count, before) = (format!("{failure:?}"), scene.model.count(), said(&ann).len());
        scene.model.play(Script::fail(failure));
        ann.say("hello");
        let told = scene.telegram.wait_until(|_| said(&ann).into_iter().nth(before)).await;
        assert_eq!(told, format!("⚠️ {words}"), "{case}");
        assert_eq!(scene.model.count(), count + 1, "{case}");
        retry(&scene, &ann, "hello").await;
    }
    assert_eq!(scene.clock.now(), begun);
    scene.finish().await;
}

#[tokio::test]
async fn passing_trouble_is_tried_again_without_a_word() {
    let scene = scene().await;
    let ann = scene.telegram.user("Ann");
    let [shortest, longest] = PAUSES[0];
    let mut expected = Vec::new();
    for (n, script) in [
        Script::fail(Failure::json(500)),
        Script::fail(Failure::json(503)),
        Script::fail(Failure::html(502)),
        Script::fail(Failure::plain(504, "upstream timed out")),
        Script::fail(Failure::json(429)),
        Script::fail(Failure::reset()),
        Script::new().text("half an ans").cut(),
        Script::new().text("half an ans").end_early(),
        Script::new().text("half an ans").broken_chunk(),
        Script::new().text("half an ans").error_event("The server had an error."),
        Script::new().reasoning("Hm.").end_early(),
    ]
    .into_iter()
    .enumerate()
    {
        scene.model.play(script);
        ann.say(&format!("question {n}"));
        scene.sleep_out(shortest, longest).await;
        scene.telegram.wait_for_text(ann.chat(), &format!("You said: question {n}")).await;
        expected.push(format!("You said: question {n}"));
        assert_eq!(said(&ann), expected);
    }
    scene.finish().await;
}

#[tokio::test]
async fn tries_end_within_half_a_minute_and_the_button_asks_again() {
    for (failure, words) in [
        (Failure::json(500), "The model provider has trouble right now. Please try again in a moment."),
        (Failure::json(429), "The model provider is limiting our requests. Please try again in a moment."),
    ] {
        let scene = scene().await;
        let ann = scene.telegram.user("Ann");
        scene.model.reply_to("hello", Script::fail(failure));
        let begun = scene.clock.now();
        ann.say("hello");
        all_pauses(&scene).await;
        scene.telegram.wait_for_text(ann.chat(), words).await;
        assert_eq!(said(&ann), [format!("⚠️ {words}")]);
        assert_eq!(scene.model.count(), 6);
        assert!(scene.clock.now().since(begun) < Duration::from_secs(30));
        scene.model.clear();
        retry(&scene, &ann, "hello").await;
        // The button has done what it was for.
        let stale = ann.press(RETRY).unwrap().answered().await;
        assert_eq!(stale.get("text"), Some(&json!("That is no longer here.")));
        scene.finish().await;
    }
}

#[tokio::test]
async fn a_time_that_the_provider_names_is_obeyed_and_a_long_one_is_told() {
    let scene = scene().await;
    let ann = scene.telegram.user("Ann");
    scene.model.play(Script::fail(Failure::json(429).retry_after("7")));
    ann.say("hello");
    assert_eq!(scene.sleep_out(ms(6_000), ms(9_000)).await, ms(7_000));
    scene.telegram.wait_for_text(ann.chat(), "You said: hello").await;

    scene.model.play(Script::fail(Failure::json(429).retry_after("3600")));
    ann.say("and now?");
    let words = "⚠️ The model provider is limiting our requests. Please try again in a moment.";
    scene.telegram.wait_for_text(ann.chat(), words).await;
    assert_eq!(scene.model.count(), 3);
    scene.finish().await;
}

#[tokio::test]
async fn prov_20_a_stalled_answer_ends_and_what_came_is_kept() {
    let scene = scene().await;
    let (ann, bob) = (scene.telegram.user("Ann"), scene.telegram.user("Bob"));
    scene.model.reply_to("hello", Script::new().text("It is as foll").stall());
    ann.say("hello");
    // Once somebody else was served, the words that came have been read.
    scene.model.wait_for_running(1).await;
    talk(&scene, &bob, "one").await;
    scene.advance(Duration::from_secs(25));
    let words = "⚠️ The model stopped in the middle of its answer. Please try again in a moment.";
    scene.telegram.wait_for_text(ann.chat(), words).await;
    assert_eq!(said(&ann), ["It is as foll", words]);
    // Who hangs is not given the same time again.
    assert_eq!((scene.model.count(), scene.model.abandoned()), (2, 1));
    scene.finish().await;
}

#[tokio::test]
async fn a_provider_that_never_begins_is_left_after_a_minute() {
    let scene = scene().await;
    let ann = scene.telegram.user("Ann");
    let never = Gate::new();
    scene.model.play(Script::new().first_byte(&never));
    ann.say("/think off hello");
    never.reached(1).await;
    scene.sleep_out(Duration::from_secs(60), Duration::from_secs(60)).await;
    scene
        .telegram
        .wait_for_text(
            ann.chat(),
            "⚠️ The model provider did not answer in time. Please try again in a moment.",
        )
        .await;
    scene.model.wait_for_abandoned(1).await;
    ann.press("Try again").unwrap();
    scene.telegram.wait_for_text(ann.chat(), "You said: hello").await;
    scene.finish().await;
}

#[tokio::test]
async fn an_empty_answer_is_told_with_a_button_that_asks_again() {
    let scene = scene().await;
    let ann = scene.telegram.user("Ann");
    for script in [Script::new(), Script::new().text(" \n "), Script::new().text("<think>Hm.</think>")] {
        scene.model.play(script);
        ann.say("hello");
        let seen = scene.telegram.wait_until(|_| ann.sees().pop().filter(|seen| seen.by_bot)).await;
        assert_eq!(
            (seen.text.as_str(), seen.buttons),
            ("The model returned no text.", vec![RETRY.to_owned()])
        );
        retry(&scene, &ann, "hello").await;
    }
    scene.finish().await;
}

#[tokio::test]
async fn a_failed_run_keeps_the_queue_going_and_its_own_message_out_of_the_history() {
    let scene = scene().await;
    let ann = scene.telegram.user("Ann");
    let gate = Gate::new();
    scene.model.play(Script::fail(Failure::json(400)).first_byte(&gate));
    ann.say("first");
    gate.reached(1).await;
    ann.say("second");
    gate.open();
    scene.telegram.wait_for_text(ann.chat(), "You said: second").await;
    assert_eq!(scene.model.requests().pop().unwrap().texts("user"), ["second"]);
    scene.finish().await;
}

#[tokio::test]
async fn a_fallback_answers_where_the_first_model_cannot() {
    let scene = Scene::with(|config| {
        config["agents"]["defaults"]["model"]["fallbacks"] = json!(["fake/gpt-4.1"]);
    })
    .await;
    let ann = scene.telegram.user("Ann");
    scene
        .model
        .reply_with(|request| (request.model() == "gpt-5.2").then(|| Script::fail(Failure::json(401))));
    ann.say("hello");
    scene.telegram.wait_for_text(ann.chat(), "You said: hello").await;
    let models: Vec<String> =
        scene.model.requests().iter().map(|request| request.model().to_owned()).collect();
    assert_eq!(models, ["gpt-5.2", "gpt-4.1"]);
    // The second does not reason: nothing of the level reaches it.
    assert_eq!(scene.model.requests()[1].effort(), None);
    ann.say("/model");
    scene.telegram.wait_for_text(ann.chat(), "fake/gpt-5.2").await;
    scene.finish().await;
}

#[tokio::test]
async fn a_stop_closes_the_stream_upstream_and_the_next_question_is_answered() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    scene.model.play(Script::new().stall());
    ann.say("hello");
    scene.model.wait_for_running(1).await;
    ann.say("/stop");
    scene.model.wait_for_abandoned(1).await;
    scene.telegram.wait_for_text(ann.chat(), "⚙️ Stopped.").await;
    ann.say("and now?");
    scene.telegram.wait_for_text(ann.chat(), "You said: and now?").await;
    assert_eq!(said(&ann), ["⚙️ Stopped.", "You said: and now?"]);
    scene.finish().await;
}

#[tokio::test]
async fn con_05_a_stop_on_an_idle_session_does_not_touch_the_next_run() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    ann.say("/stop");
    ann.say("hello");
    scene.telegram.wait_for_text(ann.chat(), "You said: hello").await;
    assert_eq!(said(&ann), ["⚙️ Nothing is running.", "You said: hello"]);
    assert_eq!(scene.model.abandoned(), 0);
    scene.finish().await;
}

#[tokio::test]
async fn a_stop_takes_the_waiting_messages_along_and_overtakes_everything() {
    let scene =
        Scene::with(|config| config["limits"]["perSender"] = json!({"perMinute": 6, "burst": 4})).await;
    let ann = scene.telegram.user("Ann");
    let gate = Gate::new();
    scene.model.play(Script::new().wait(&gate).text("never seen"));
    ann.say("one");
    gate.reached(1).await;
    for text in ["two", "three", "four"] {
        ann.say(text);
    }
    // Nothing is left of the rate, and a stop needs none.
    ann.say("stop");
    scene.telegram.wait_for_text(ann.chat(), "⚙️ Stopped.").await;
    scene.model.wait_for_abandoned(1).await;
    scene.advance(Duration::from_secs(25));
    ann.say("five");
    scene.telegram.wait_for_text(ann.chat(), "You said: five").await;
    assert_eq!(said(&ann), ["⚙️ Stopped.", "You said: five"]);
    assert_eq!(scene.model.count(), 2);
    scene.finish().await;
}

#[tokio::test]
async fn waiting_for_a_slot_is_not_held_against_a_run() {
    let scene = Scene::with(|config| config["agents"]["defaults"]["maxConcurrent"] = 1.into()).await;
    let never = Gate::new();
    scene.model.reply_to("slow", Script::new().first_byte(&never));
    // Who waits behind these two waits for as long as a whole run may take.
    for name in ["Ann", "Bob"] {
        let person = scene.telegram.user(name);
        person.say("/think high slow");
        person.say("/status");
        scene.telegram.wait_for_text(person.chat(), "working").await;
    }
    let cid = scene.telegram.user("Cid");
    cid.say("hello");
    scene.telegram.bot().wait_until_confirmed().await;
    for n in 1..=2 {
        never.reached(n).await;
        scene.pass(Duration::from_secs(301)).await;
        scene.model.wait_for_abandoned(n).await;
    }
    scene.telegram.wait_for_text(cid.chat(), "You said: hello").await;
    scene.finish().await;
}
