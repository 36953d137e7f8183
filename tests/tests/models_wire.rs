//! What goes to a provider and what comes back, in both of OpenAI's shapes, as seen from the chat.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use pensive_tests::model::{Finish, ReasoningShape, Script, Shape, Usage};
use pensive_tests::scene::{MODEL_KEY, Scene, said};
use serde_json::{Value, json};

/// A daemon whose provider speaks this shape.
async fn speaking(api: &str) -> Scene {
    let api = api.to_owned();
    Scene::with(move |config| config["models"]["providers"]["fake"]["api"] = api.into()).await
}

const SHAPES: [(&str, Shape); 2] =
    [("openai-responses", Shape::Responses), ("openai-completions", Shape::Chat)];

#[tokio::test]
async fn both_shapes_carry_level_history_key_and_headers() {
    for (api, shape) in SHAPES {
        let mut scene = Scene::prepared(|config| {
            let provider = &mut config["models"]["providers"]["fake"];
            provider["api"] = api.into();
            provider["headers"] = json!({"X-Team": "pensive"});
        })
        .await;
        let base = format!("{}/some/where/v1/", scene.model.url());
        scene.reconfigure(|config| config["models"]["providers"]["fake"]["baseUrl"] = base.into());
        scene.enter().await;
        let ann = scene.telegram.user("Ann");
        ann.say("/think high one");
        scene.telegram.wait_for_text(ann.chat(), "You said: one").await;
        ann.say("two");
        scene.telegram.wait_for_text(ann.chat(), "You said: two").await;
        let requests = scene.model.requests();
        assert_eq!(requests.len(), 2, "{api}");
        for (request, effort) in requests.iter().zip(["high", "medium"]) {
            assert_eq!((request.shape, request.model(), request.streams()), (shape, "gpt-5.2", true));
            assert_eq!(request.effort(), Some(effort), "{api}");
            assert_eq!(request.headers.get("authorization"), Some(&format!("Bearer {MODEL_KEY}")), "{api}");
            assert_eq!(request.headers.get("x-team").map(String::as_str), Some("pensive"), "{api}");
        }
        assert_eq!(requests[1].texts("user"), ["one", "two"], "{api}");
        assert_eq!(requests[1].texts("assistant"), ["You said: one"], "{api}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn prov_17_reasoning_is_found_under_each_of_its_names() {
    for (api, _) in SHAPES {
        let scene = speaking(api).await;
        let ann = scene.telegram.user("Ann");
        ann.say("/reasoning on");
        scene.telegram.wait_for_text(ann.chat(), "Reasoning visibility enabled").await;
        for (n, shape) in
            [ReasoningShape::Usual, ReasoningShape::Plain, ReasoningShape::Details].into_iter().enumerate()
        {
            let (thought, answer) = (format!("Thought {n}."), format!("Answer {n}."));
            scene
                .model
                .play(Script::new().reasoning(&thought).text(&answer).reasoning_as(shape).null_first());
            ann.say("hello");
            scene.telegram.wait_for_text(ann.chat(), &answer).await;
            let said = said(&ann);
            assert_eq!(said[said.len() - 2..], [format!("Thinking\n{thought}"), answer], "{api} {shape:?}");
        }
        scene.finish().await;
    }
}

#[tokio::test]
async fn rsn_07_reasoning_without_an_answer_is_not_taken_for_one() {
    for (api, _) in SHAPES {
        let scene = speaking(api).await;
        let ann = scene.telegram.user("Ann");
        for shape in [ReasoningShape::Usual, ReasoningShape::Plain, ReasoningShape::Details] {
            scene.model.play(Script::new().reasoning("I should be careful.").reasoning_as(shape));
        }
        for count in 1..=3 {
            ann.say("hello");
            scene.telegram.wait_until(|_| (said(&ann).len() == count).then_some(())).await;
        }
        assert_eq!(said(&ann), ["The model returned no text."; 3], "{api}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn events_that_nobody_knows_are_passed_over_and_odd_ends_are_ends() {
    for (api, _) in SHAPES {
        let scene = speaking(api).await;
        let ann = scene.telegram.user("Ann");
        for (script, answer) in [
            (Script::new().unknown_event().text("One ").unknown_event().text("piece."), "One piece."),
            (Script::new().text("Cut by its length").finish(Finish::Length), "Cut by its length"),
            (Script::new().text("Cut by a filter").finish(Finish::ContentFilter), "Cut by a filter"),
            (Script::new().text_in(1, "Lëtter by letter 👍"), "Lëtter by letter 👍"),
        ] {
            scene.model.play(script);
            ann.say("hello");
            scene.telegram.wait_for_text(ann.chat(), answer).await;
            let said = said(&ann).pop().unwrap();
            assert_eq!(said.lines().next(), Some(answer), "{api}");
        }
        assert_eq!(scene.model.count(), 4, "{api}");
        scene.finish().await;
    }
}

#[tokio::test]
async fn tokens_of_both_shapes_are_counted_and_shown() {
    for (api, _) in SHAPES {
        let scene = speaking(api).await;
        let ann = scene.telegram.user("Ann");
        ann.say("/usage tokens");
        scene.telegram.wait_until(|_| said(&ann).pop()).await;
        let usage = Usage { input: 1_200, cached: 1_000, output: 340, reasoning: 300 };
        scene.model.play(Script::new().text("Counted.").usage(usage));
        ann.say("hello");
        let seen = scene.telegram.wait_for_text(ann.chat(), "Counted.").await;
        for figure in ["1200", "340", "300", "1000"] {
            assert!(seen.text.replace(',', "").contains(figure), "{api}: {figure} is not in {:?}", seen.text);
        }
        ann.say("/status");
        scene.telegram.wait_for_text(ann.chat(), "Tokens: 1200 in, 340 out · context 1540 of 128000").await;
        scene.finish().await;
    }
}

#[tokio::test]
async fn one_message_is_one_request_and_nothing_of_ours_is_in_it() {
    let scene = Scene::start().await;
    let ann = scene.telegram.user("Ann");
    ann.say("hello");
    scene.telegram.wait_for_text(ann.chat(), "You said: hello").await;
    assert_eq!(scene.model.count(), 1);
    let body: Value = scene.model.requests().pop().unwrap().body;
    for name in ["tools", "tool_choice", "temperature", "service_tier"] {
        assert!(body.get(name).is_none(), "{name} in {body}");
    }
    scene.finish().await;
}
