//! Gemini over loopback: what is sent for each level and turn, and what comes of each kind of answer.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests may fail loudly"
)]

mod support;

use std::time::Duration;

use pensive_contract::fault::FaultClass;
use pensive_contract::model::{
    Lesson, ModelEvent, ModelRef, ModelRequest, Pace, PromptTurn, StopReason, ToolSpec,
};
use pensive_contract::speech::{Speech, ToolOutcome, ToolResult};
use pensive_directives::Level;
use pensive_models::{Api, Models};
use serde_json::{Value, json};

use support::{HandClock, Heard, Provider, Reply, events, hear, request};

const THINKING: &str = "/generationConfig/thinkingConfig";
const HELLO: &str = r#"{"candidates":[{"content":{"parts":[{"text":"Hello"}]}}]}"#;
const STOP: &str = r#"{"candidates":[{"content":{"parts":[{"text":" you"}]},"finishReason":"STOP"}]}"#;

fn google(provider: &Provider) -> Models {
    provider.models("google", Api::GoogleGenerativeAi, HandClock::new())
}

fn ask(model: &str, level: Level) -> ModelRequest {
    request(&format!("google/{model}"), level, Pace::Normal)
}

async fn chat(reply: Reply) -> Heard {
    let provider = Provider::start([reply]).await;
    hear(&google(&provider), ask("gemini-2.5-flash", Level::Low)).await
}

#[tokio::test]
async fn a_call_and_its_answer() {
    let thought = r#"{"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true}]}}]}"#;
    let provider = Provider::start([Reply::events(&[thought, HELLO, STOP, HELLO])]).await;
    let heard = hear(&google(&provider), ask("models/gemini-2.5-flash", Level::Off)).await;
    assert_eq!(heard, Heard::whole("Hello you", "Hm."));
    let asked = &provider.asked()[0];
    assert_eq!(asked.path, "/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
    assert_eq!(asked.headers["x-goog-api-key"], "s3cret-key");
    assert_eq!(asked.headers.get("authorization"), None);
    assert_eq!(asked.body["contents"], json!([{"role": "user", "parts": [{"text": "Hi"}]}]));
}

#[tokio::test]
async fn prov_15_every_level_says_a_number_to_2_5_and_a_word_to_3_and_never_both() {
    let tables = [
        (
            "gemini-2.5-pro",
            [
                json!(null),
                json!(128),
                json!(2048),
                json!(8192),
                json!(32768),
                json!(32768),
                json!(32768),
                json!(-1),
            ],
        ),
        (
            "gemini-2.5-flash",
            [
                json!(0),
                json!(128),
                json!(2048),
                json!(8192),
                json!(24576),
                json!(24576),
                json!(24576),
                json!(-1),
            ],
        ),
        (
            "gemini-2.5-flash-lite",
            [
                json!(0),
                json!(512),
                json!(2048),
                json!(8192),
                json!(24576),
                json!(24576),
                json!(24576),
                json!(-1),
            ],
        ),
        ("gemini-3-pro-preview", ["LOW", "LOW", "LOW", "HIGH", "HIGH", "HIGH", "HIGH", ""].map(Value::from)),
        (
            "gemini-3-flash-preview",
            ["MINIMAL", "MINIMAL", "LOW", "MEDIUM", "HIGH", "HIGH", "HIGH", ""].map(Value::from),
        ),
    ];
    let levels = [
        Level::Off,
        Level::Minimal,
        Level::Low,
        Level::Medium,
        Level::High,
        Level::Xhigh,
        Level::Max,
        Level::Adaptive,
    ];
    for (model, words) in tables {
        for (level, word) in levels.into_iter().zip(words) {
            let provider = Provider::start([Reply::events(&[STOP])]).await;
            hear(&google(&provider), ask(model, level)).await;
            let mut expected = json!({});
            match &word {
                Value::String(word) if !word.is_empty() => expected["thinkingLevel"] = json!(word),
                Value::Number(budget) => expected["thinkingBudget"] = json!(budget),
                _ => {}
            }
            if level != Level::Off {
                expected["includeThoughts"] = json!(true);
            }
            let sent = provider.asked()[0].body.pointer(THINKING).cloned();
            assert_eq!(sent.unwrap_or_else(|| json!({})), expected, "{model} {level}");
        }
    }
}

/// A request with a tool on offer.
fn with_tool(turns: Vec<PromptTurn>) -> ModelRequest {
    let schema = r#"{"type":"object"}"#.into();
    let tool = ToolSpec { name: "look".into(), description: "Looks.".into(), schema };
    ModelRequest { tools: vec![tool], turns, ..ask("gemini-3-flash-preview", Level::Low) }
}

const CALLS: &str = r#"{"responseId":"r1","candidates":[{"content":{"parts":[{"text":"Let me look."},{"functionCall":{"name":"look","args":{"at":"a"}},"thoughtSignature":"QUE="},{"functionCall":{"name":"look","args":{"at":"b"}}}]},"finishReason":"STOP"}]}"#;

/// The turns after the model's calls were heard and done.
async fn after_calls(models: &Models) -> Vec<PromptTurn> {
    let user = PromptTurn::User("Look".into());
    let heard = events(models, with_tool(vec![user.clone()])).await;
    assert_eq!(heard.last(), Some(&ModelEvent::End(StopReason::Tools)));
    let mut speech = Speech::new(ModelRef::parse("google/gemini-3-flash-preview"));
    heard.iter().for_each(|event| speech.hear(event));
    let done = |call: &pensive_contract::speech::ToolCall| ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        text: "seen".into(),
        outcome: ToolOutcome::Done,
    };
    let results = speech.calls().map(done).collect();
    vec![user, PromptTurn::Assistant(speech), PromptTurn::Tools(results)]
}

/// What the second request of a loop of calls says, when the first of them is signed like this.
fn loop_contents(signature: &str) -> Value {
    let called = |at: &str| json!({"functionCall": {"name": "look", "args": {"at": at}}});
    let mut signed = called("a");
    signed["thoughtSignature"] = json!(signature);
    let seen = json!({"functionResponse": {"name": "look", "response": {"result": "seen"}}});
    json!([
        {"role": "user", "parts": [{"text": "Look"}]},
        {"role": "model", "parts": [{"text": "Let me look."}, signed, called("b")]},
        {"role": "user", "parts": [seen, seen]},
    ])
}

#[tokio::test]
async fn prov_09_signatures_survive_a_loop_of_calls() {
    let provider = Provider::start([Reply::events(&[CALLS]), Reply::events(&[STOP])]).await;
    let models = google(&provider);
    let turns = after_calls(&models).await;
    assert_eq!(hear(&models, with_tool(turns)).await, Heard::whole(" you", ""));
    assert_eq!(provider.asked()[1].body["contents"], loop_contents("QUE="));
}

#[tokio::test]
async fn prov_09_signatures_that_are_not_known_again_are_left_out_once() {
    let refused =
        r#"{"error":{"code":400,"message":"Thought signature is not valid.","status":"INVALID_ARGUMENT"}}"#;
    let replies = [Reply::events(&[CALLS]), Reply::status(400, refused), Reply::events(&[STOP])];
    let provider = Provider::start(replies).await;
    let models = google(&provider);
    let turns = after_calls(&models).await;
    assert_eq!(hear(&models, with_tool(turns)).await, Heard::whole(" you", ""));
    let asked = provider.asked();
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[2].body["contents"], loop_contents("skip_thought_signature_validator"));
}

#[tokio::test]
async fn a_refused_level_is_repeated_weaker_and_told() {
    let refused = r#"[{"error":{"code":400,"message":"Thinking level HIGH is not supported for this model.","status":"INVALID_ARGUMENT"}}]"#;
    let provider = Provider::start([Reply::status(400, refused), Reply::events(&[STOP])]).await;
    let heard = events(&google(&provider), ask("gemini-3-flash-preview", Level::High)).await;
    assert!(matches!(&heard[0], ModelEvent::Learned(Lesson { refused: Level::High, .. })), "{heard:?}");
    assert_ne!(provider.asked()[1].body.pointer(THINKING).unwrap()["thinkingLevel"], "HIGH");
}

#[tokio::test]
async fn an_array_is_heard_where_events_are_not_to_be_had() {
    for body in [format!("[{HELLO}\n,\r\n{STOP}\n]"), format!("\u{FEFF}\n[{HELLO},{STOP}")] {
        let mut reply = Reply::status(200, "").header("content-type", "application/json");
        reply.chunks = body.as_bytes().chunks(5).map(<[u8]>::to_vec).collect();
        assert_eq!(chat(reply).await, Heard::whole("Hello you", ""), "{body}");
    }
}

#[tokio::test]
async fn an_answer_without_its_end_is_cut() {
    let document = format!("[{HELLO}");
    for reply in [Reply::events(&[HELLO]), Reply::status(200, &document), Reply::status(200, " \n")] {
        let heard = chat(reply).await;
        let fault = heard.fault.unwrap();
        assert_eq!(fault.class, FaultClass::Again);
        assert_eq!(fault.person, "The model's answer was cut off on its way. Please try again in a moment.");
    }
}

#[tokio::test]
async fn refusals_before_and_in_an_answer() {
    let error = |code: u16, status: &str, details: &str| {
        format!(r#"{{"error":{{"code":{code},"message":"No.","status":"{status}","details":[{details}]}}}}"#)
    };
    let limited = error(429, "RESOURCE_EXHAUSTED", r#"{"retryDelay":"7s"}"#);
    let fault = chat(Reply::status(429, &limited)).await.fault.unwrap();
    assert_eq!(fault.class, FaultClass::AgainAfter(Duration::from_secs(7)));
    let heard = chat(Reply::events(&[HELLO, &error(503, "UNAVAILABLE", "")])).await;
    assert_eq!((heard.text.as_str(), heard.fault.unwrap().class), ("Hello", FaultClass::Again));
}

#[tokio::test]
async fn what_is_filtered_says_so() {
    let blocked = r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#;
    let provider = Provider::start([Reply::events(&[blocked])]).await;
    let heard = events(&google(&provider), ask("gemini-2.5-flash", Level::Low)).await;
    assert_eq!(heard, [ModelEvent::End(StopReason::Filtered)]);
}
