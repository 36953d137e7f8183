//! Bodies against the vendor's types, and answers as different servers write them.

use pensive_contract::fault::FaultClass;
use pensive_contract::model::{ModelEvent, StopReason, TokenUsage};
use serde_json::{Value, json};

use super::super::tests::{call, check, check_fault, decode};
use super::*;

fn text(text: &str) -> ModelEvent {
    ModelEvent::Text(text.to_owned())
}

fn reasoning(text: &str) -> ModelEvent {
    ModelEvent::Reasoning(text.to_owned())
}

const END: ModelEvent = ModelEvent::End(StopReason::Done);

fn body(call: Call<'_>) -> Value {
    let body = serde_json::to_value(encode(call)).unwrap();
    // The vendor's own type reads it back whole: every field is known and of the right kind.
    let read: CreateChatCompletionRequest = serde_json::from_value(body.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), body);
    body
}

#[test]
fn a_body_says_no_more_than_it_must() {
    let expected = json!({
        "model": "m/1",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
            {"role": "user", "content": "Bye"},
        ],
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    assert_eq!(body(call(None, Lane::Usual, Cache::Silent)), expected);
}

#[test]
fn effort_lane_and_cache_key_are_flat_fields() {
    for effort in ["none", "minimal", "low", "medium", "high", "xhigh", "max"] {
        assert_eq!(body(call(Some(effort), Lane::Usual, Cache::Silent))["reasoning_effort"], effort);
    }
    let body = body(call(None, Lane::Priority, Cache::Keyed));
    assert_eq!(body["service_tier"], "priority");
    assert!(body["prompt_cache_key"].as_str().unwrap().starts_with("pensive-"));
}

#[test]
fn a_server_that_tells_its_usage_anyway_is_not_asked_for_it() {
    let call = Call { usage: Usage::Unasked, ..call(None, Lane::Usual, Cache::Silent) };
    assert_eq!(body(call).get("stream_options"), None);
}

#[test]
fn a_server_may_have_a_word_of_its_own() {
    let body = serde_json::to_value(encode(call(Some("heavy"), Lane::Usual, Cache::Silent))).unwrap();
    assert_eq!(body["reasoning_effort"], "heavy");
}

#[test]
fn prov_04_no_sampling_value_is_ever_sent() {
    for effort in [None, Some("high")] {
        let body = body(call(effort, Lane::Priority, Cache::Keyed));
        for field in
            ["temperature", "top_p", "presence_penalty", "frequency_penalty", "max_tokens", "tool_choice"]
        {
            assert_eq!(body.get(field), None, "{field}");
        }
    }
}

#[test]
fn an_answer_as_openai_writes_it() {
    let usage = TokenUsage { input: 9, cached: 4, output: 12, reasoning: 3 };
    check::<Decoder>(
        &[
            r#"{"id":"c","created":1,"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}"#,
            r#"{"id":"c","choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}],"usage":null}"#,
            r#"{"id":"c","choices":[{"index":0,"delta":{"content":"lo 😀"},"finish_reason":null}]}"#,
            r#"{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
            r#"{"id":"c","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":12,"total_tokens":21,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":3}}}"#,
            "[DONE]",
        ],
        &[text("Hel"), text("lo 😀"), ModelEvent::Usage(usage), END],
    );
}

#[test]
fn prov_17_reasoning_goes_by_several_names() {
    let delta = |delta: &str| format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#);
    let check = |json: &str, expected: &[ModelEvent]| check::<Decoder>(&[&delta(json)], expected);
    check(r#"{"content":null,"reasoning_content":"a"}"#, &[reasoning("a")]);
    check(r#"{"content":"","reasoning":"a"}"#, &[reasoning("a")]);
    check(r#"{"reasoning":"a","reasoning_content":"a"}"#, &[reasoning("a")]);
    check(
        r#"{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a"}],"content":"b"}"#,
        &[reasoning("a"), text("b")],
    );
    check(
        r#"{"reasoning_details":[{"type":"reasoning.summary","summary":"a"},{"type":"reasoning.encrypted","data":"x"}]}"#,
        &[reasoning("a")],
    );
    check(
        r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]},{"type":"text","text":"b"}]}"#,
        &[reasoning("a"), text("b")],
    );
    check(r#"{"reasoning":{"effort":"high"},"content":"b"}"#, &[text("b")]);
}

#[test]
fn rsn_07_reasoning_is_never_the_answer() {
    let events = decode::<Decoder>(
        "data: {\"choices\":[{\"delta\":{\"content\":\"\",\"reasoning_content\":\"I should\"}}]}\n\ndata: [DONE]\n\n",
        9,
    );
    assert_eq!(events.unwrap(), [reasoning("I should"), END]);
}

#[test]
fn servers_that_follow_the_shape_loosely() {
    check::<Decoder>(
        &[
            r#"{"created":1.5e9,"choices":[{"delta":{"content":"a"},"logprobs":null,"index":0.0}]}"#,
            r#"{"object":"ping"}"#,
            r#"{"choices":null}"#,
            r#"{"choices":[]}"#,
            r#"{"choices":[{"index":1,"delta":{"content":"another choice"}}]}"#,
            r#"{"choices":[{"delta":{"refusal":"No."},"finish_reason":"length"}],"usage":{"prompt_tokens":3.0,"prompt_cache_hit_tokens":2}}"#,
            " [DONE] ",
        ],
        &[
            text("a"),
            text("No."),
            ModelEvent::Usage(TokenUsage { input: 3, cached: 2, output: 0, reasoning: 0 }),
            ModelEvent::End(StopReason::Length),
        ],
    );
}

#[test]
fn ends() {
    let check = |finish: &str, expected| {
        let chunk = format!(r#"{{"choices":[{{"finish_reason":{finish}}}]}}"#);
        check::<Decoder>(&[&chunk, "[DONE]"], &[ModelEvent::End(expected)]);
    };
    check("null", StopReason::Done);
    check("\"stop\"", StopReason::Done);
    check("\"length\"", StopReason::Length);
    check("\"content_filter\"", StopReason::Filtered);
    check("\"tool_calls\"", StopReason::Other("tool_calls".into()));
}

#[test]
fn faults_in_the_middle() {
    check_fault::<Decoder>(&["{\"choices\":[{"], "broken answer: Eof error at column 13");
    check_fault::<Decoder>(&["<html>"], "broken answer: Syntax error at column 1");
    check_fault::<Decoder>(
        &[r#"{"error":{"message":"overloaded","type":"server_error"}}"#],
        "broke off with an error type=server_error: overloaded",
    );
    check_fault::<Decoder>(
        &[r#"{"choices":[{"finish_reason":"error"}]}"#],
        "broke off with an error: the provider ended the answer with an error",
    );
    let fault = decode::<Decoder>("event: error\ndata: {\"message\":\"x\",\"code\":429}\n\n", 3).unwrap_err();
    assert_eq!(fault.fault("p").class, FaultClass::Again);
    assert_eq!(fault.to_string(), "answered 429 code=429: x");
}

#[test]
fn a_server_that_does_not_stream() {
    let document = br#"{"choices":[{"message":{"role":"assistant","content":"Hello","reasoning":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}"#;
    let mut out = Vec::new();
    Decoder::default().document(document, &mut out).unwrap();
    let usage = TokenUsage { input: 1, ..TokenUsage::default() };
    assert_eq!(out, [reasoning("a"), text("Hello"), ModelEvent::Usage(usage), END]);
    let refused =
        |document: &[u8]| Decoder::default().document(document, &mut Vec::new()).unwrap_err().to_string();
    assert_eq!(refused(b"{}"), "broken answer: a document without an answer");
    assert_eq!(refused(br#"{"error":"no"}"#), "broke off with an error: no");
}
