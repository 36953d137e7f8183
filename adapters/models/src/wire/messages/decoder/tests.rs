//! Answers as Anthropic and the servers that speak like it write them.

use pensive_contract::fault::FaultClass;
use pensive_contract::model::{PromptTurn, StopReason};
use pensive_contract::speech::{Seal, Speech};
use serde_json::json;

use super::*;
use crate::wire::messages::encode;
use crate::wire::tests::{body, check, check_fault, decode, knobs, request};

const END: ModelEvent = ModelEvent::End(StopReason::Done);
const STOP: &str = r#"{"type":"message_stop"}"#;

fn text(text: &str) -> ModelEvent {
    ModelEvent::Text(text.into())
}

fn reasoning(text: &str) -> ModelEvent {
    ModelEvent::Reasoning(text.into())
}

fn seal(seal: &str) -> ModelEvent {
    ModelEvent::Seal(Seal(seal.into()))
}

fn call(id: &str, name: &str, arguments: &str) -> ModelEvent {
    ModelEvent::Call(ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() })
}

fn used(input: u64, cached: u64, output: u64, reasoning: u64) -> ModelEvent {
    ModelEvent::Usage(TokenUsage { input, cached, output, reasoning })
}

fn start(index: u64, block: Value) -> String {
    json!({"type": "content_block_start", "index": index, "content_block": block}).to_string()
}

fn delta(index: u64, kind: &str, field: &str, words: &str) -> String {
    json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, field: words}}).to_string()
}

fn stop(index: u64) -> String {
    json!({"type": "content_block_stop", "index": index}).to_string()
}

fn over(reason: &str) -> String {
    json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}}).to_string()
}

fn gives(data: &[String], expected: &[ModelEvent]) {
    let data: Vec<&str> = data.iter().map(String::as_str).collect();
    check::<Decoder>(&data, expected);
}

/// A thought as it is signed.
fn thinking(index: u64, words: &str, signature: &str) -> Vec<String> {
    let mut data = vec![start(index, json!({"type": "thinking", "thinking": "", "signature": ""}))];
    data.extend((!words.is_empty()).then(|| delta(index, "thinking_delta", "thinking", words)));
    data.extend((!signature.is_empty()).then(|| delta(index, "signature_delta", "signature", signature)));
    data.push(stop(index));
    data
}

fn speaking(index: u64, words: &str) -> Vec<String> {
    vec![
        start(index, json!({"type": "text", "text": ""})),
        delta(index, "text_delta", "text", words),
        stop(index),
    ]
}

fn calling(index: u64, id: &str, arguments: &[&str]) -> Vec<String> {
    let mut data = vec![start(index, json!({"type": "tool_use", "id": id, "name": "look", "input": {}}))];
    data.extend(arguments.iter().map(|piece| delta(index, "input_json_delta", "partial_json", piece)));
    data.push(stop(index));
    data
}

#[test]
fn a_whole_answer() {
    let data = [
        vec![
            r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"usage":{"input_tokens":10,"cache_read_input_tokens":200,"cache_creation_input_tokens":30,"output_tokens":1}}}"#.to_owned(),
            r#"{"type": "ping"}"#.to_owned(),
        ],
        thinking(0, "Hm. ", "c2ln"),
        vec![start(1, json!({"type": "redacted_thinking", "data": "ZGF0YQ=="})), stop(1)],
        speaking(2, "Let me see."),
        calling(3, "toolu_1", &["", "{\"at\": \"", "x\"}"]),
        calling(4, "toolu_2", &[""]),
        vec![
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":89,"output_tokens_details":{"thinking_tokens":40}}}"#.to_owned(),
            STOP.to_owned(),
        ],
    ]
    .concat();
    gives(
        &data,
        &[
            used(240, 200, 1, 0),
            reasoning("Hm. "),
            seal("signature:c2ln"),
            seal("redacted:ZGF0YQ=="),
            text("Let me see."),
            call("toolu_1", "look", "{\"at\": \"x\"}"),
            call("toolu_2", "look", "{}"),
            used(240, 200, 89, 40),
            ModelEvent::End(StopReason::Tools),
        ],
    );
}

#[test]
fn rsn_01_thoughts_that_nobody_signs_are_thoughts_and_go_back_too() {
    let unsigned = |data: Vec<String>, expected: &[ModelEvent]| {
        gives(&[data, vec![over("end_turn"), STOP.to_owned()]].concat(), &[expected, &[END]].concat());
    };
    unsigned(
        [thinking(0, "Hm.", ""), speaking(1, "Yes")].concat(),
        &[reasoning("Hm."), seal("signature:"), text("Yes")],
    );
    unsigned(
        [thinking(0, "Hm.", ""), thinking(1, "So.", ""), speaking(2, "Yes")].concat(),
        &[reasoning("Hm."), seal("signature:"), reasoning("So."), seal("signature:"), text("Yes")],
    );
    // Nobody needs an empty one, and nothing follows one that was cut.
    unsigned([thinking(0, "", ""), speaking(1, "Yes")].concat(), &[text("Yes")]);
    unsigned([speaking(0, "Yes"), thinking(1, "Hm.", "")].concat(), &[text("Yes"), reasoning("Hm.")]);
    // Without block ends, or even beginnings.
    unsigned(
        vec![
            start(0, json!({"type": "thinking", "thinking": "Hm.", "signature": "x"})),
            start(1, json!({"type": "text", "text": "Yes"})),
            delta(7, "thinking_delta", "thinking", "So."),
            delta(8, "text_delta", "text", "No"),
        ],
        &[reasoning("Hm."), seal("signature:x"), text("Yes"), reasoning("So."), text("No")],
    );
}

#[test]
fn a_thought_that_nobody_may_see_keeps_its_place() {
    let data =
        [thinking(0, "", "b21pdA=="), speaking(1, "Yes"), vec![over("end_turn"), STOP.to_owned()]].concat();
    gives(&data, &[seal("signature:b21pdA=="), text("Yes"), END]);
}

#[test]
fn prov_01_what_is_heard_goes_back_byte_for_byte() {
    let blocks = json!([
        {"type": "thinking", "thinking": " Hm.\n\"ä\" ", "signature": "EqQB+/=="},
        {"type": "redacted_thinking", "data": "EmwK+/=="},
        {"type": "text", "text": "Let me see."},
        {"type": "redacted_thinking", "data": "b3"},
        {"type": "thinking", "thinking": "", "signature": "EuYB"},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"b": 1.50, "a": "\u{1F600}"}},
    ]);
    let document = json!({"type": "message", "content": blocks, "stop_reason": "tool_use"}).to_string();
    let mut events = Vec::new();
    Decoder::default().document(document.as_bytes(), &mut events).unwrap();
    let mut speech = Speech::new(Some(request().model));
    events.iter().for_each(|event| speech.hear(event));
    let mut next = request();
    next.turns = vec![PromptTurn::User("Hi".into()), PromptTurn::Assistant(speech)];
    let body = body(&next, &knobs(&[]), |call| serde_json::to_value(encode(call)).unwrap());
    assert_eq!(body["messages"][1]["content"].to_string(), blocks.to_string());
}

#[test]
fn calls_come_whole_and_in_order_however_they_are_written() {
    let looks =
        |index, id: &str| start(index, json!({"type": "tool_use", "id": id, "name": "look", "input": {}}));
    let piece = |index, json: &str| delta(index, "input_json_delta", "partial_json", json);
    gives(
        &[
            looks(1, "a"),
            looks(2, "b"),
            piece(2, "{\"n\":"),
            piece(1, "{}"),
            piece(2, "2}"),
            stop(2),
            stop(1),
            over("tool_use"),
            STOP.to_owned(),
        ],
        &[call("a", "look", "{}"), call("b", "look", "{\"n\":2}"), ModelEvent::End(StopReason::Tools)],
    );
    // At once, without a name of its own, without ends, and under the number of the one before.
    gives(
        &[
            start(1, json!({"type": "tool_use", "name": "look", "input": {"n": 1}})),
            start(1, json!({"type": "tool_use", "id": "b", "name": "look", "input": null})),
            over("end_turn"),
            STOP.to_owned(),
        ],
        &[call("call_1", "look", "{\"n\":1}"), call("b", "look", "{}"), ModelEvent::End(StopReason::Tools)],
    );
}

#[test]
fn a_call_that_nobody_can_read_is_given_but_not_one_that_was_cut() {
    let data = |reason: &str| {
        [calling(0, "a", &["{}"]), calling(1, "b", &["{\"n\":"]), vec![over(reason), STOP.to_owned()]]
            .concat()
    };
    gives(
        &data("tool_use"),
        &[call("a", "look", "{}"), call("b", "look", "{\"n\":"), ModelEvent::End(StopReason::Tools)],
    );
    gives(&data("max_tokens"), &[call("a", "look", "{}"), ModelEvent::End(StopReason::Length)]);
}

#[test]
fn what_is_not_known_is_passed_over() {
    gives(
        &[
            r#"{"type":"message_start","message":null}"#.to_owned(),
            r#"{"type":"something_new","index":"?"}"#.to_owned(),
            r#"{"no":"type"}"#.to_owned(),
            start(0, json!({"type": "server_tool_use", "id": "x", "name": "web_search", "input": {}})),
            delta(0, "input_json_delta", "partial_json", "{}"),
            delta(0, "text_delta", "text", "not ours"),
            stop(0),
            start(1, json!({"type": "text", "text": null, "citations": {}})),
            delta(1, "citations_delta", "citation", "x"),
            delta(1, "text_delta", "text", "Yes"),
            r#"{"type":"content_block_delta","index":1,"delta":null}"#.to_owned(),
            stop(1),
            r#"{"type":"message_delta","delta":{"stop_reason":5},"usage":{"output_tokens":"many","input_tokens":4.0}}"#
                .to_owned(),
            " [DONE] ".to_owned(),
            STOP.to_owned(),
        ],
        &[text("Yes"), used(4, 0, 0, 0), END],
    );
}

#[test]
fn prov_19_a_second_end_is_nothing() {
    let again =
        [vec![STOP.to_owned()], speaking(0, "more"), vec![over("max_tokens"), STOP.to_owned()]].concat();
    gives(&[speaking(0, "Yes"), again].concat(), &[text("Yes"), END]);
}

#[test]
fn tokens_that_are_told_late_or_twice() {
    gives(
        &[
            r#"{"type":"message_start","message":{"usage":{"input_tokens":0,"output_tokens":0}}}"#.to_owned(),
            r#"{"type":"message_delta","delta":{},"usage":{"input_tokens":9,"output_tokens":2}}"#.to_owned(),
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":0,"output_tokens":5,"cache_read_input_tokens":null}}"#.to_owned(),
            STOP.to_owned(),
        ],
        &[used(9, 0, 2, 0), used(9, 0, 5, 0), END],
    );
}

#[test]
fn ends() {
    let check =
        |reason: &str, expected| gives(&[over(reason), STOP.to_owned()], &[ModelEvent::End(expected)]);
    check("end_turn", StopReason::Done);
    check("stop_sequence", StopReason::Done);
    check("tool_use", StopReason::Tools);
    check("max_tokens", StopReason::Length);
    check("model_context_window_exceeded", StopReason::Length);
    check("refusal", StopReason::Filtered);
    check("pause_turn", StopReason::Other("pause_turn".into()));
    // An answer without its end is no answer.
    gives(&[speaking(0, "Yes"), vec![over("end_turn")]].concat(), &[text("Yes")]);
}

#[test]
fn halves_of_a_character_in_arguments_find_each_other() {
    let piece = |json: &str| {
        format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"input_json_delta","partial_json":"{json}"}}}}"#
        )
    };
    gives(
        &[
            start(0, json!({"type": "tool_use", "id": "a", "name": "look", "input": {}})),
            piece(r#"{\"at\":\"\ud83d"#),
            piece(r#"\ude00\"}"#),
            stop(0),
            STOP.to_owned(),
        ],
        &[call("a", "look", "{\"at\":\"😀\"}"), ModelEvent::End(StopReason::Tools)],
    );
}

#[test]
fn errors_in_the_middle() {
    let class = |data: &str| {
        let stream = format!("event: error\ndata: {data}\n\n");
        decode::<Decoder>(&stream, 3).unwrap_err().fault("p").class
    };
    let error = |kind: &str| json!({"type": "error", "error": {"type": kind, "message": "x"}}).to_string();
    assert_eq!(class(&error("overloaded_error")), FaultClass::Again);
    assert_eq!(class(&error("api_error")), FaultClass::Again);
    assert_eq!(class(&error("rate_limit_error")), FaultClass::Again);
    assert_eq!(class(&error("authentication_error")), FaultClass::OursToMend);
    assert_eq!(class(&error("invalid_request_error")), FaultClass::OursToMend);
    assert_eq!(class(r#"{"type":"strange"}"#), FaultClass::Again);
    check_fault::<Decoder>(&[&error("overloaded_error")], "answered 529 type=overloaded_error: x");
    check_fault::<Decoder>(&["{\"type\":"], "broken answer: Eof error at column 8");
}

#[test]
fn a_server_that_does_not_stream() {
    let mut out = Vec::new();
    let document = br#"{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"Hm."},5,{"type":"text","text":"Hello"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}"#;
    Decoder::default().document(document, &mut out).unwrap();
    assert_eq!(out, [reasoning("Hm."), seal("signature:"), text("Hello"), used(1, 0, 2, 0), END]);
    let refused =
        |document: &[u8]| Decoder::default().document(document, &mut Vec::new()).unwrap_err().to_string();
    assert_eq!(refused(b"{}"), "broke off with an error: {}");
    assert_eq!(
        refused(br#"{"type":"error","error":{"type":"api_error","message":"no"}}"#),
        "answered 500 type=api_error: no"
    );
}

proptest::proptest! {
    /// Whatever the order, there is one end and nothing behind it, no call twice, and no seal that its own shape cannot read.
    #[test]
    fn any_order_of_events_is_survived(order in proptest::collection::vec((0_usize..12, 0_u64..3), 0..40)) {
        let pool = |(kind, index): (usize, u64)| match kind {
            0 => start(index, json!({"type": "text", "text": ""})),
            1 => start(index, json!({"type": "thinking", "thinking": "", "signature": ""})),
            2 => start(index, json!({"type": "redacted_thinking", "data": "x"})),
            3 => start(index, json!({"type": "tool_use", "id": "a", "name": "look", "input": {}})),
            4 => start(index, json!({"type": "strange"})),
            5 => delta(index, "text_delta", "text", "a"),
            6 => delta(index, "thinking_delta", "thinking", "b"),
            7 => delta(index, "signature_delta", "signature", "c"),
            8 => delta(index, "input_json_delta", "partial_json", "{}"),
            9 => over("end_turn"),
            10 => STOP.to_owned(),
            _ => stop(index),
        };
        let started = order.iter().filter(|(kind, _)| *kind == 3).count();
        let stream: String = order.into_iter().map(|event| format!("data: {}\n\n", pool(event))).collect();
        let out = decode::<Decoder>(&stream, 1 << 20).unwrap();
        let end = out.iter().position(|event| matches!(event, ModelEvent::End(_)));
        proptest::prop_assert!(end.is_none_or(|at| at + 1 == out.len()));
        let calls = out.iter().filter(|event| matches!(event, ModelEvent::Call(_))).count();
        proptest::prop_assert!(calls <= started);
        for event in &out {
            if let ModelEvent::Seal(seal) = event {
                proptest::prop_assert!(Thought::of(seal).is_some());
            }
        }
    }
}
