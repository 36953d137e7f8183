//! Answers as different servers write them.

use pensive_contract::fault::FaultClass;
use pensive_contract::model::{ModelEvent, StopReason, TokenUsage};

use super::super::Decoder;
use crate::wire::Decode;
use crate::wire::tests::{check, check_fault, decode};

fn text(text: &str) -> ModelEvent {
    ModelEvent::Text(text.to_owned())
}

fn reasoning(text: &str) -> ModelEvent {
    ModelEvent::Reasoning(text.to_owned())
}

const END: ModelEvent = ModelEvent::End(StopReason::Done);

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
    check("\"max_tokens\"", StopReason::Length);
    check("\"sensitive\"", StopReason::Filtered);
    check("\"boredom\"", StopReason::Other("boredom".into()));
    // There is no call to wait for.
    check("\"tool_calls\"", StopReason::Done);
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
        "broke off with an error: the provider ended the answer with error",
    );
    check_fault::<Decoder>(
        &[
            r#"{"choices":[{"delta":{"content":""},"finish_reason":"error","error":{"code":502,"message":"upstream"}}]}"#,
        ],
        "answered 502 code=502: upstream",
    );
    check_fault::<Decoder>(
        &[r#"{"choices":[{"finish_reason":"insufficient_system_resource"}]}"#],
        "broke off with an error: the provider ended the answer with insufficient_system_resource",
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

#[test]
fn tokens_as_different_servers_count_them() {
    let check = |counts: &str, expected: TokenUsage| {
        check::<Decoder>(&[&format!(r#"{{"choices":[],{counts}}}"#)], &[ModelEvent::Usage(expected)]);
    };
    let usage = TokenUsage { input: 9, cached: 4, output: 12, reasoning: 0 };
    // Groq, DeepSeek, Moonshot.
    check(
        r#""x_groq":{"usage":{"prompt_tokens":9,"completion_tokens":12,"prompt_tokens_details":{"cached_tokens":4}}}"#,
        usage,
    );
    check(
        r#""usage":{"prompt_tokens":9,"prompt_cache_hit_tokens":4,"prompt_cache_miss_tokens":5,"completion_tokens":12}"#,
        usage,
    );
    check(r#""usage":{"prompt_tokens":9,"cached_tokens":4,"completion_tokens":12,"total_tokens":21}"#, usage);
    // xAI and Gemini do not count reasoning as completed, only in the total.
    check(
        r#""usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":21,"completion_tokens_details":{"reasoning_tokens":10}}"#,
        TokenUsage { input: 9, cached: 0, output: 12, reasoning: 10 },
    );
    check(
        r#""usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":21}"#,
        TokenUsage { input: 9, cached: 0, output: 12, reasoning: 0 },
    );
}
