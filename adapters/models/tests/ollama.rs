//! Ollama over loopback: where it is asked, what for each level, and what comes of its lines.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests may fail loudly"
)]

mod support;

use pensive_contract::fault::FaultClass;
use pensive_contract::model::{Lesson, ModelEvent, ModelRequest, Pace, StopReason};
use pensive_contract::speech::{PieceKind, Speech};
use pensive_directives::Level;
use pensive_models::{Api, Models, ProviderSettings};
use serde_json::{Value, json};

use support::{HandClock, Heard, Provider, Reply, events, hear, models, request};

const HELLO: &str = r#"{"message":{"role":"assistant","content":"Hello"},"done":false}"#;
const STOP: &str = r#"{"message":{"role":"assistant","content":" you"},"done":true,"done_reason":"stop"}"#;

fn lines(lines: &[&str]) -> Reply {
    Reply {
        chunks: lines.iter().map(|line| format!("{line}\n").into_bytes()).collect(),
        ..Reply::status(200, "").header("content-type", "application/x-ndjson")
    }
}

fn ollama(provider: &Provider) -> Models {
    at(&format!("{}/", provider.url))
}

fn at(base_url: &str) -> Models {
    let provider = ProviderSettings {
        name: "ollama".into(),
        api: Api::Ollama,
        base_url: base_url.into(),
        api_key: None,
        headers: Vec::new(),
        models: Vec::new(),
    };
    models(vec![provider], HandClock::new())
}

fn ask(model: &str, level: Level) -> ModelRequest {
    request(&format!("ollama/{model}"), level, Pace::Normal)
}

async fn chat(reply: Reply) -> Heard {
    let provider = Provider::start([reply]).await;
    hear(&ollama(&provider), ask("qwen3:8b", Level::Low)).await
}

#[tokio::test]
async fn a_call_and_its_answer() {
    let thought = r#"{"message":{"role":"assistant","content":"","thinking":"Hm."},"done":false}"#;
    let provider = Provider::start([lines(&[thought, HELLO, STOP, HELLO])]).await;
    let heard = hear(&ollama(&provider), ask("gpt-oss:20b", Level::High)).await;
    assert_eq!(heard, Heard::whole("Hello you", "Hm."));
    let asked = &provider.asked()[0];
    assert_eq!(asked.path, "/api/chat");
    assert_eq!(asked.headers.get("authorization"), None);
    assert_eq!(
        asked.body,
        json!({
            "model": "gpt-oss:20b",
            "messages": [{"role": "user", "content": "Hi"}],
            "stream": true,
            "think": "high",
        })
    );
}

#[tokio::test]
async fn the_address_may_be_that_of_another_api() {
    for (base, path) in [
        ("", "/api/chat"),
        ("/v1", "/api/chat"),
        ("/v1/", "/api/chat"),
        ("/api", "/api/chat"),
        ("/proxy/v1", "/proxy/api/chat"),
        ("/proxy/", "/proxy/api/chat"),
    ] {
        let provider = Provider::start([lines(&[STOP])]).await;
        hear(&at(&format!("{}{base}", provider.url)), ask("qwen3:8b", Level::Off)).await;
        assert_eq!(provider.asked()[0].path, path, "{base}");
    }
}

#[tokio::test]
async fn prov_12_every_level_says_how_to_think_and_off_says_no() {
    let tables = [
        ("gpt-oss:20b", [json!(false), json!("low"), json!("medium"), json!("high"), json!("high")]),
        ("glm-5.2:cloud", [json!(false), json!("low"), json!("medium"), json!("high"), json!("max")]),
    ];
    for (model, words) in tables {
        for (level, word) in
            [Level::Off, Level::Low, Level::Medium, Level::High, Level::Max].into_iter().zip(words)
        {
            let provider = Provider::start([lines(&[STOP])]).await;
            hear(&ollama(&provider), ask(model, level)).await;
            assert_eq!(provider.asked()[0].body["think"], word, "{model} {level}");
        }
    }
}

#[tokio::test]
async fn a_model_that_does_not_think_is_asked_again_without() {
    let refused = Reply::status(400, r#"{"error":"\"qwen3:8b\" does not support thinking"}"#);
    let provider = Provider::start([refused, lines(&[STOP]), lines(&[STOP])]).await;
    let models = ollama(&provider);
    let heard = events(&models, ask("qwen3:8b", Level::High)).await;
    assert!(
        matches!(&heard[0], ModelEvent::Learned(Lesson { refused: Level::High, instead: Level::Off, .. })),
        "{heard:?}"
    );
    hear(&models, ask("qwen3:8b", Level::Low)).await;
    let thought: Vec<Value> =
        provider.asked().into_iter().map(|mut asked| asked.body["think"].take()).collect();
    assert_eq!(thought, [json!("high"), json!(false), json!(false)]);
}

#[tokio::test]
async fn a_model_that_was_not_pulled() {
    let reply = Reply::status(404, r#"{"error":"model \"x\" not found, try pulling it first"}"#);
    let fault = chat(reply).await.fault.unwrap();
    assert_eq!(fault.class, FaultClass::TellPerson);
    assert_eq!(
        fault.person,
        "Ollama does not have this model yet. An admin can fetch it with `ollama pull`, or send /model to pick another one."
    );
}

#[tokio::test]
async fn rsn_09_reasoning_in_tags_before_a_call() {
    let call = r#"{"message":{"content":"","tool_calls":[{"id":"c","function":{"name":"look","arguments":{"at":"a"}}}]},"done":false}"#;
    let done = r#"{"message":{"content":""},"done":true,"done_reason":"stop"}"#;
    for said in ["<think>I should look.</think>", "<think>I should look.", "I should look.</think>\\n\\n"] {
        let said = format!(r#"{{"message":{{"content":"{said}"}},"done":false}}"#);
        let provider = Provider::start([lines(&[&said, call, done])]).await;
        let heard = events(&ollama(&provider), ask("qwen3:8b", Level::Low)).await;
        assert_eq!(heard.last(), Some(&ModelEvent::End(StopReason::Tools)));
        let mut speech = Speech::new(None);
        heard.iter().for_each(|event| speech.hear(event));
        assert_eq!(
            (speech.text(), speech.reasoning()),
            (String::new(), "I should look.".to_owned()),
            "{said}"
        );
        assert!(matches!(speech.pieces.last().unwrap().kind, PieceKind::Call(_)), "{said}");
    }
}

#[tokio::test]
async fn lines_are_heard_however_they_come() {
    let body = format!("{HELLO}\r\n{STOP}");
    for size in [1, 7, 1000] {
        for kind in ["application/x-ndjson", "application/json", "text/plain", "text/event-stream"] {
            let chunks = body.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
            let reply = Reply { chunks, ..Reply::status(200, "").header("content-type", kind) };
            assert_eq!(chat(reply).await, Heard::whole("Hello you", ""), "{size} {kind}");
        }
    }
    let document = "{\n \"message\": {\"content\": \"Hello you\"},\n \"done\": true\n}\n";
    assert_eq!(chat(Reply::status(200, document)).await, Heard::whole("Hello you", ""));
    assert_eq!(chat(Reply::events(&[HELLO, STOP])).await, Heard::whole("Hello you", ""));
}

#[tokio::test]
async fn a_body_without_done_is_cut() {
    for reply in [lines(&[HELLO]), lines(&[]), lines(&[HELLO, r#"{"message":{"content":"#])] {
        let fault = chat(reply).await.fault.unwrap();
        assert_eq!(fault.class, FaultClass::Again);
        assert_eq!(fault.person, "The model's answer was cut off on its way. Please try again in a moment.");
    }
}

#[tokio::test]
async fn what_was_said_before_an_error_stays() {
    for line in [r#"{"error":"an error was encountered while running the model"}"#, "{broken}", "<html>"] {
        let heard = chat(lines(&[HELLO, line])).await;
        assert_eq!((heard.text.as_str(), heard.fault.unwrap().class), ("Hello", FaultClass::Again), "{line}");
    }
}
