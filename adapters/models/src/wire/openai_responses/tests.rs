//! Bodies against the vendor's types, and answers in full, in part and broken.

use async_openai::types::responses::ResponseStreamEvent;
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
    let read: CreateResponse = serde_json::from_value(body.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), body);
    body
}

#[test]
fn a_body_says_no_more_than_it_must() {
    let expected = json!({
        "model": "m/1",
        "instructions": "Be brief.",
        "input": [
            {"type": "message", "role": "user", "content": "Hi"},
            {"type": "message", "role": "assistant", "content": "Hello"},
            {"type": "message", "role": "user", "content": "Bye"},
        ],
        "store": false,
        "stream": true,
    });
    assert_eq!(body(call(None, Lane::Usual, Cache::Silent)), expected);
}

#[test]
fn effort_comes_with_a_summary_unless_nothing_is_thought() {
    for effort in ["minimal", "low", "medium", "high", "xhigh", "max"] {
        let expected = json!({"effort": effort, "summary": "auto"});
        assert_eq!(body(call(Some(effort), Lane::Usual, Cache::Silent))["reasoning"], expected);
    }
    assert_eq!(body(call(Some("none"), Lane::Usual, Cache::Silent))["reasoning"], json!({"effort": "none"}));
}

#[test]
fn lane_and_cache_key() {
    let body = body(call(None, Lane::Priority, Cache::Keyed));
    assert_eq!(body["service_tier"], "priority");
    assert!(body["prompt_cache_key"].as_str().unwrap().len() <= 64);
    assert_eq!(body.get("include"), None);
}

#[test]
fn prov_04_no_sampling_value_is_ever_sent() {
    let body = body(call(Some("high"), Lane::Priority, Cache::Keyed));
    for field in ["temperature", "top_p", "max_output_tokens", "tool_choice", "tools"] {
        assert_eq!(body.get(field), None, "{field}");
    }
}

#[test]
fn the_wish_for_a_summary_can_be_taken_back() {
    let wished = serde_json::to_vec(&encode(call(Some("high"), Lane::Usual, Cache::Silent))).unwrap();
    let plain: Value = serde_json::from_slice(&without_summary(&wished).unwrap()).unwrap();
    assert_eq!(plain["reasoning"], json!({"effort": "high"}));
    assert_eq!(plain["model"], "m/1");
    let none = serde_json::to_vec(&encode(call(None, Lane::Usual, Cache::Silent))).unwrap();
    assert_eq!(without_summary(&none), None);
    let call = Call { summary: Summary::Unwanted, ..call(Some("high"), Lane::Usual, Cache::Silent) };
    assert_eq!(self::body(call)["reasoning"], json!({"effort": "high"}));
}

/// A stream as the vendor documents it, here and there shortened.
const WHOLE: &[&str] = &[
    r#"{"type":"response.created","sequence_number":0,"response":{"id":"r","status":"in_progress","output":[],"usage":null}}"#,
    r#"{"type":"response.in_progress","sequence_number":1,"response":{"id":"r","status":"in_progress","output":[]}}"#,
    r#"{"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id":"rs","type":"reasoning","summary":[]}}"#,
    r#"{"type":"response.reasoning_summary_part.added","sequence_number":3,"item_id":"rs","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}"#,
    r#"{"type":"response.reasoning_summary_text.delta","sequence_number":4,"item_id":"rs","output_index":0,"summary_index":0,"delta":"First "}"#,
    r#"{"type":"response.reasoning_summary_text.delta","sequence_number":5,"item_id":"rs","output_index":0,"summary_index":0,"delta":"thought"}"#,
    r#"{"type":"response.reasoning_summary_text.done","sequence_number":6,"item_id":"rs","output_index":0,"summary_index":0,"text":"First thought"}"#,
    r#"{"type":"response.reasoning_summary_text.delta","sequence_number":7,"item_id":"rs","output_index":0,"summary_index":1,"delta":"Second"}"#,
    r#"{"type":"response.output_item.done","sequence_number":8,"output_index":0,"item":{"id":"rs","type":"reasoning","summary":[{"type":"summary_text","text":"First thought"},{"type":"summary_text","text":"Second"}]}}"#,
    r#"{"type":"response.output_item.added","sequence_number":9,"output_index":1,"item":{"id":"m","type":"message","role":"assistant","status":"in_progress","content":[]}}"#,
    r#"{"type":"response.content_part.added","sequence_number":10,"item_id":"m","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}"#,
    r#"{"type":"response.output_text.delta","sequence_number":11,"item_id":"m","output_index":1,"content_index":0,"delta":"Hel","logprobs":[]}"#,
    r#"{"type":"response.output_text.delta","sequence_number":12,"item_id":"m","output_index":1,"content_index":0,"delta":"lo 😀","logprobs":[]}"#,
    r#"{"type":"response.output_text.done","sequence_number":13,"item_id":"m","output_index":1,"content_index":0,"text":"Hello 😀","logprobs":[]}"#,
    r#"{"type":"response.output_item.done","sequence_number":14,"output_index":1,"item":{"id":"m","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hello 😀","annotations":[]}]}}"#,
    r#"{"type":"response.completed","sequence_number":15,"response":{"id":"r","status":"completed","output":[],"incomplete_details":null,"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":12,"output_tokens_details":{"reasoning_tokens":3},"total_tokens":21}}}"#,
];

#[test]
fn a_whole_answer() {
    let usage = TokenUsage { input: 9, cached: 4, output: 12, reasoning: 3 };
    check::<Decoder>(
        WHOLE,
        &[
            reasoning("First "),
            reasoning("thought"),
            reasoning("\n\n"),
            reasoning("Second"),
            text("Hel"),
            text("lo 😀"),
            ModelEvent::Usage(usage),
            END,
        ],
    );
}

#[test]
fn the_deltas_are_what_the_vendors_types_say_they_are() {
    for event in WHOLE.iter().filter(|event| event.contains(".delta\"")) {
        assert!(serde_json::from_str::<ResponseStreamEvent>(event).is_ok(), "{event}");
    }
}

#[test]
fn rsn_17_text_may_come_in_an_item_or_only_at_the_end() {
    let item = r#"{"type":"message","content":[{"type":"output_text","text":"Hello"},{"type":"refusal","refusal":" No."}]}"#;
    let reason = r#"{"type":"reasoning","summary":[{"text":"a"},{"text":"b"}]}"#;
    let done = |index: u8, item: &str| {
        format!(r#"{{"type":"response.output_item.done","output_index":{index},"item":{item}}}"#)
    };
    check::<Decoder>(
        &[&done(0, reason), &done(1, item), r#"{"type":"response.completed","response":{"output":[]}}"#],
        &[reasoning("a"), reasoning("\n\n"), reasoning("b"), text("Hello"), text(" No."), END],
    );
    check::<Decoder>(
        &[&format!(r#"{{"type":"response.completed","response":{{"output":[{reason},{item}]}}}}"#)],
        &[reasoning("a"), reasoning("\n\n"), reasoning("b"), text("Hello"), text(" No."), END],
    );
    check::<Decoder>(
        &[
            r#"{"type":"response.output_text.done","output_index":0,"text":"Hello"}"#,
            &format!(r#"{{"type":"response.completed","response":{{"output":[{item}]}}}}"#),
        ],
        &[text("Hello"), END],
    );
}

#[test]
fn two_messages_are_two_paragraphs() {
    check::<Decoder>(
        &[
            r#"{"type":"response.output_text.delta","output_index":0,"delta":"One."}"#,
            r#"{"type":"response.output_text.delta","output_index":2,"delta":"Two."}"#,
            r#"{"type":"response.completed"}"#,
        ],
        &[text("One."), text("\n\n"), text("Two."), END],
    );
}

#[test]
fn servers_that_follow_the_shape_loosely() {
    check::<Decoder>(
        &[
            r#"{"type":"response.of.tomorrow","delta":{"x":1},"item":5}"#,
            r#"{"no_type":true}"#,
            r#"{"type":"keepalive"}"#,
            r#"{"type":"response.reasoning_text.delta","delta":"a","content_index":0}"#,
            r#"{"type":"response.output_text.delta","delta":null}"#,
            r#"{"type":"response.refusal.delta","delta":"No.","output_index":1.0}"#,
            r#"{"type":"response.completed","response":{"created_at":1.5,"usage":{"input_tokens":"many"},"output":{}}}"#,
            "[DONE]",
        ],
        &[reasoning("a"), text("No."), ModelEvent::Usage(TokenUsage::default()), END],
    );
}

#[test]
fn answers_that_were_stopped() {
    let check = |reason: &str, expected| {
        let event = format!(
            r#"{{"type":"response.incomplete","response":{{"incomplete_details":{{"reason":"{reason}"}}}}}}"#
        );
        check::<Decoder>(&[&event], &[ModelEvent::End(expected)]);
    };
    check("max_output_tokens", StopReason::Length);
    check("content_filter", StopReason::Filtered);
    check("boredom", StopReason::Other("boredom".into()));
}

#[test]
fn faults_in_the_middle() {
    check_fault::<Decoder>(&["{\"type\":"], "broken answer: Eof error at column 8");
    check_fault::<Decoder>(
        &[r#"{"type":"error","code":"server_error","message":"oops","param":null,"sequence_number":3}"#],
        "broke off with an error code=server_error type=error: oops",
    );
    let class = |event: &str| {
        let stream = format!("data: {event}\n\n");
        decode::<Decoder>(&stream, 11).unwrap_err().fault("p").class
    };
    let failed = |error: &str| {
        format!(r#"{{"type":"response.failed","response":{{"status":"failed","error":{error}}}}}"#)
    };
    assert_eq!(class(&failed(r#"{"code":"server_error","message":"x"}"#)), FaultClass::Again);
    assert_eq!(class(&failed(r#"{"code":"rate_limit_exceeded","message":"x"}"#)), FaultClass::Again);
    assert_eq!(class(&failed(r#"{"code":"insufficient_quota","message":"x"}"#)), FaultClass::OursToMend);
    assert_eq!(class(&failed(r#"{"code":"invalid_prompt","message":"x"}"#)), FaultClass::TellPerson);
    assert_eq!(class(&failed("null")), FaultClass::Again);
}

#[test]
fn a_server_that_does_not_stream() {
    let document = br#"{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hello"}]}]}"#;
    let mut out = Vec::new();
    Decoder::default().document(document, &mut out).unwrap();
    assert_eq!(out, [text("Hello"), END]);
    let fault = Decoder::default().document(br#"{"error":{"message":"no"}}"#, &mut out).unwrap_err();
    assert_eq!(fault.to_string(), "broke off with an error: no");
}
