//! Answers that never say a word and never end: what is kept of them has a bound in every shape.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    unreachable_pub,
    missing_docs,
    reason = "tests may fail loudly, and start their server as they like"
)]

mod support;

use pensive_contract::fault::FaultClass;
use pensive_directives::Level;
use pensive_models::Api;
use serde_json::{Value, json};

use pensive_contract::model::Pace;
use support::{HandClock, Provider, Reply, Then, hear, request};

/// An event of Anthropic's, of this kind and about the block of this number.
fn block(kind: &str, index: u64, field: &str, value: &Value) -> Value {
    json!({ "type": kind, "index": index, field: value })
}

/// Makes an event: the how manieth it is, and what fills it.
type Make = fn(u64, &str) -> Value;

/// What can go on for ever.
fn endless() -> Vec<(Api, &'static str, Make)> {
    vec![
        (Api::OpenaiResponses, "encrypted items", |nth, pad| {
            let item = json!({ "type": "reasoning", "id": nth.to_string(), "summary": [], "encrypted_content": pad });
            json!({ "type": "response.output_item.done", "output_index": nth, "item": item })
        }),
        (
            Api::OpenaiResponses,
            "arguments",
            |_, pad| json!({ "type": "response.function_call_arguments.delta", "output_index": 0, "delta": pad }),
        ),
        (Api::OpenaiResponses, "calls begun", |nth, pad| {
            let item = json!({ "type": "function_call", "call_id": nth.to_string(), "name": "look", "arguments": pad });
            json!({ "type": "response.output_item.added", "output_index": nth, "item": item })
        }),
        (Api::OpenaiCompletions, "encrypted details", |nth, pad| {
            let detail = json!({ "type": "reasoning.encrypted", "index": nth, "data": pad });
            json!({ "choices": [{ "delta": { "reasoning_details": [detail] } }] })
        }),
        (Api::OpenaiCompletions, "deep details", |nth, pad| {
            let detail = json!({ "type": "reasoning.encrypted", "index": nth, "more": [{ "data": pad }] });
            json!({ "choices": [{ "delta": { "reasoning_details": [detail] } }] })
        }),
        (Api::OpenaiCompletions, "arguments", |_, pad| {
            let call = json!({ "index": 0, "id": "c", "function": { "arguments": pad } });
            json!({ "choices": [{ "delta": { "tool_calls": [call] } }] })
        }),
        (Api::OpenaiCompletions, "calls", |nth, pad| {
            let call = json!({ "index": nth, "function": { "name": "look", "arguments": pad } });
            json!({ "choices": [{ "delta": { "tool_calls": [call] } }] })
        }),
        (Api::AnthropicMessages, "redacted thoughts", |nth, pad| {
            let content = json!({ "type": "redacted_thinking", "data": pad });
            block("content_block_start", nth, "content_block", &content)
        }),
        (Api::AnthropicMessages, "a signature", |nth, pad| match nth {
            0 => block(
                "content_block_start",
                0,
                "content_block",
                &json!({ "type": "thinking", "thinking": "" }),
            ),
            _ => block(
                "content_block_delta",
                0,
                "delta",
                &json!({ "type": "signature_delta", "signature": pad }),
            ),
        }),
        (Api::AnthropicMessages, "arguments", |nth, pad| match nth {
            0 => block(
                "content_block_start",
                0,
                "content_block",
                &json!({ "type": "tool_use", "name": "look" }),
            ),
            _ => block(
                "content_block_delta",
                0,
                "delta",
                &json!({ "type": "input_json_delta", "partial_json": pad }),
            ),
        }),
        (Api::AnthropicMessages, "calls begun", |nth, pad| {
            let call = json!({ "type": "tool_use", "name": "look", "input": { "a": pad } });
            block("content_block_start", nth, "content_block", &call)
        }),
        (
            Api::GoogleGenerativeAi,
            "signatures",
            |_, pad| json!({ "candidates": [{ "content": { "parts": [{ "text": "", "thoughtSignature": pad }] } }] }),
        ),
        (Api::GoogleGenerativeAi, "calls", |_, pad| {
            let call = json!({ "name": "look", "args": { "a": pad } });
            json!({ "candidates": [{ "content": { "parts": [{ "functionCall": call }] } }] })
        }),
        (Api::Ollama, "calls", |_, pad| {
            let call = json!({ "function": { "name": "look", "arguments": { "a": pad } } });
            json!({ "message": { "role": "assistant", "tool_calls": [call] } })
        }),
    ]
}

/// Hears an answer of so many events with so many bytes each, after which nothing more comes.
async fn check(api: Api, what: &str, event: Make, events: u64, bytes: usize) {
    let pad = "x".repeat(bytes);
    let of = |nth| match api {
        Api::Ollama => format!("{}\n", event(nth, &pad)),
        _ => format!("data: {}\n\n", event(nth, &pad)),
    };
    let mut reply = Reply::events(&[]).then(Then::Silence);
    reply.chunks = (0..events).map(|nth| of(nth).into_bytes()).collect();
    let models = Provider::start([reply]).await.models("some", api, HandClock::new());
    let heard = hear(&models, request("some/m", Level::Off, Pace::Normal)).await;
    let fault = heard.fault.unwrap();
    assert_eq!(fault.class, FaultClass::Again, "{api:?} {what}");
    assert_eq!(fault.log, "some: broken answer: seals and calls without end", "{api:?} {what}");
    assert_eq!(heard.text, "", "{api:?} {what}");
}

#[tokio::test]
async fn seals_and_calls_without_end_are_refused_and_not_kept() {
    // Long ones are slow to send, so each shape has one; the many small ones below are of every kind.
    let mut heard = Vec::new();
    for (api, what, event) in endless() {
        if !heard.contains(&api) {
            check(api, what, event, 34, 1 << 19).await;
            heard.push(api);
        }
    }
}

#[tokio::test]
async fn many_small_ones_are_many_too() {
    for (api, what, event) in endless() {
        // Pieces of one call weigh what they say; all else is one more to be made and sent back.
        if !matches!(what, "arguments" | "a signature") {
            check(api, what, event, 2_100, 1).await;
        }
    }
}
