//! Tool calls and lists of reasoning, as different servers cut them into pieces.

use pensive_contract::model::{ModelEvent, StopReason};
use pensive_contract::speech::{Seal, ToolCall};
use serde_json::{Value, json};

use super::super::Decoder;
use crate::wire::{Decode, made_id};

fn call(id: &str, name: &str, arguments: &str) -> ModelEvent {
    ModelEvent::Call(ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() })
}

/// A call that got no id from its server.
fn unnamed(place: usize, name: &str, arguments: &str) -> ModelEvent {
    call(&made_id("", place, name, arguments), name, arguments)
}

/// Checks what a stream of deltas comes to, whatever the reason that the server gives for its end.
fn check(deltas: &[Value], expected: &[ModelEvent]) {
    let chunk = |delta: &Value| json!({"choices": [{"index": 0, "delta": delta}]}).to_string();
    let mut data: Vec<String> = deltas.iter().map(chunk).collect();
    for finish in ["tool_calls", "stop", "function_call"] {
        data.push(json!({"choices": [{"delta": {}, "finish_reason": finish}]}).to_string());
        let data: Vec<&str> = data.iter().map(String::as_str).chain(["[DONE]"]).collect();
        let end = [ModelEvent::End(StopReason::Tools)];
        crate::wire::tests::check::<Decoder>(&data, &[expected, &end].concat());
    }
}

fn piece(index: u8, id: &str, name: &str, arguments: &str) -> Value {
    json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}]})
}

fn more(index: u8, arguments: &str) -> Value {
    json!({"tool_calls": [{"index": index, "function": {"arguments": arguments}}]})
}

#[test]
fn parallel_calls_as_openai_streams_them() {
    check(
        &[
            piece(0, "a", "look", ""),
            more(0, "{\"at\":"),
            piece(1, "b", "hear", ""),
            more(0, " 1}"),
            more(1, "{}"),
        ],
        &[call("a", "look", r#"{"at": 1}"#), call("b", "hear", "{}")],
    );
}

#[test]
fn calls_come_in_the_order_of_their_numbers() {
    check(
        &[piece(1, "b", "hear", "{}"), piece(0, "a", "look", "")],
        &[call("a", "look", "{}"), call("b", "hear", "{}")],
    );
}

#[test]
fn servers_that_repeat_id_and_name() {
    check(
        &[piece(0, "a", "look", "{\"at\":"), piece(0, "a", "look", " 1}"), piece(0, "", "", "")],
        &[call("a", "look", r#"{"at": 1}"#)],
    );
    // The whole call once more at the end.
    check(&[piece(0, "a", "look", "{}"), piece(0, "a", "look", "{}")], &[call("a", "look", "{}")]);
}

#[test]
fn servers_that_send_whole_calls_at_once() {
    let whole = |id: Value, name: &str, arguments: Value| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    check(
        &[
            json!({"tool_calls": [whole(json!("a"), "look", json!("{}")), whole(json!("b"), "look", json!("{}"))]}),
        ],
        &[call("a", "look", "{}"), call("b", "look", "{}")],
    );
    // Without ids, and arguments as an object.
    check(
        &[
            json!({"tool_calls": [whole(Value::Null, "look", json!({"b": 1, "a": 2}))]}),
            json!({"tool_calls": [whole(json!(""), "look", json!({"at": 2})), whole(Value::Null, "hear", Value::Null)]}),
        ],
        &[unnamed(0, "look", r#"{"b":1,"a":2}"#), unnamed(1, "look", r#"{"at":2}"#)],
    );
}

#[test]
fn servers_that_count_every_call_as_the_first() {
    check(
        &[piece(0, "a", "look", "{}"), piece(0, "b", "look", "{}")],
        &[call("a", "look", "{}"), call("b", "look", "{}")],
    );
    check(
        &[piece(0, "", "look", "{\"a\":1}"), piece(0, "", "hear", "{\"a\":1}")],
        &[unnamed(0, "look", r#"{"a":1}"#), unnamed(1, "hear", r#"{"a":1}"#)],
    );
}

#[test]
fn servers_that_do_not_count() {
    check(
        &[
            json!({"tool_calls": [{"id": "a", "function": {"name": "look", "arguments": ""}}]}),
            json!({"tool_calls": [{"function": {"arguments": "{\"at\":"}}]}),
            json!({"tool_calls": [{"index": null, "function": {"arguments": " 1}"}}]}),
            json!({"tool_calls": [{"id": "b", "function": {"name": "hear"}}]}),
            json!({"tool_calls": [{"id": "b", "function": {"arguments": "{}"}}]}),
        ],
        &[call("a", "look", r#"{"at": 1}"#), call("b", "hear", "{}")],
    );
}

#[test]
fn a_call_as_it_was_written_before_there_could_be_several() {
    check(
        &[
            json!({"function_call": {"name": "look", "arguments": ""}}),
            json!({"function_call": {"arguments": "{\"at\""}}),
            json!({"function_call": {"arguments": ":1}"}}),
        ],
        &[unnamed(0, "look", r#"{"at":1}"#)],
    );
}

#[test]
fn oddities_cost_nothing_else() {
    check(
        &[
            json!({"content": null, "tool_calls": null, "function_call": null}),
            json!({"tool_calls": [{"index": "one", "id": 7, "function": null}]}),
            piece(1, "a", "look", "{}"),
            json!({"tool_calls": {"not": "a list"}}),
        ],
        &[call("a", "look", "{}")],
    );
}

#[test]
fn a_cut_answer_calls_only_what_is_whole() {
    let data = [
        json!({"choices": [{"delta": piece(0, "a", "look", "{}")}]}).to_string(),
        json!({"choices": [{"delta": piece(1, "b", "hear", "{\"at")}]}).to_string(),
        json!({"choices": [{"delta": {}, "finish_reason": "length"}]}).to_string(),
    ];
    let data: Vec<&str> = data.iter().map(String::as_str).chain(["[DONE]"]).collect();
    let expected = [call("a", "look", "{}"), ModelEvent::End(StopReason::Length)];
    crate::wire::tests::check::<Decoder>(&data, &expected);
}

#[test]
fn calls_in_a_document() {
    let document = json!({"choices": [{
        "message": {"content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
        "finish_reason": "tool_calls",
    }]});
    let mut out = Vec::new();
    Decoder::default().document(document.to_string().as_bytes(), &mut out).unwrap();
    assert_eq!(out, [call("a", "look", "{}"), ModelEvent::End(StopReason::Tools)]);
}

#[test]
fn prov_09_gemini_seals_its_calls_through_a_compatible_route() {
    let extra = json!({"google": {"thought_signature": "c2ln"}});
    let sealed = json!({"tool_calls": [{
        "index": 0, "id": "a", "extra_content": extra, "function": {"name": "look", "arguments": "{}"},
    }]});
    check(
        &[sealed, piece(1, "b", "hear", "{}")],
        &[call("a", "look", "{}"), ModelEvent::Seal(Seal(extra.to_string())), call("b", "hear", "{}")],
    );
}

fn details(entries: Value) -> Value {
    json!({"reasoning_details": entries})
}

/// Checks what a list that streams in these pieces is sealed as.
fn check_details(pieces: &[Value], words: &str, sealed: Value) {
    let mut deltas: Vec<Value> = pieces.iter().cloned().map(details).collect();
    deltas.push(piece(0, "a", "look", "{}"));
    let chunk = |delta: &Value| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}));
    let stream: String = deltas.iter().map(chunk).chain(["data: [DONE]\n\n".to_owned()]).collect();
    let mut heard = String::new();
    let mut rest = Vec::new();
    for event in crate::wire::tests::decode::<Decoder>(&stream, 11).unwrap() {
        match event {
            ModelEvent::Reasoning(more) => heard.push_str(&more),
            other => rest.push(other),
        }
    }
    assert_eq!(heard, words);
    let seal = ModelEvent::Seal(Seal(sealed.to_string()));
    assert_eq!(rest, [seal, call("a", "look", "{}"), ModelEvent::End(StopReason::Tools)]);
}

#[test]
fn a_streamed_list_of_reasoning_is_put_together() {
    let text = |text: &str, index: u8| json!({"type": "reasoning.text", "text": text, "format": "anthropic-claude-v1", "index": index});
    check_details(
        &[
            json!([text("Hm", 0)]),
            json!([text(", so.", 0)]),
            json!([{"type": "reasoning.text", "signature": "s+/=", "index": 0, "text": null}]),
            json!([text("And", 1)]),
            json!([{"type": "reasoning.encrypted", "data": "AAAA", "id": "a", "index": 2}]),
            json!([{"type": "reasoning.encrypted", "data": "AAAA", "id": "a", "index": 2}]),
            json!([{"type": "reasoning.encrypted", "data": "BBBB", "id": "b", "index": 2}]),
        ],
        "Hm, so.And",
        json!([
            {"type": "reasoning.text", "text": "Hm, so.", "format": "anthropic-claude-v1", "index": 0, "signature": "s+/="},
            text("And", 1),
            {"type": "reasoning.encrypted", "data": "AAAA", "id": "a", "index": 2},
            {"type": "reasoning.encrypted", "data": "BBBB", "id": "b", "index": 2},
        ]),
    );
    // Without numbers only neighbours belong together, and entries of one event never do.
    check_details(
        &[
            json!([{"type": "reasoning.summary", "summary": "One", "id": "x"}]),
            json!([{"type": "reasoning.summary", "summary": " and two."}]),
            json!([{"type": "reasoning.summary", "summary": "Three", "id": "y"}, {"type": "reasoning.summary", "summary": "Four", "id": "y"}]),
        ],
        "One and two.ThreeFour",
        json!([
            {"type": "reasoning.summary", "summary": "One and two.", "id": "x"},
            {"type": "reasoning.summary", "summary": "Three", "id": "y"},
            {"type": "reasoning.summary", "summary": "Four", "id": "y"},
        ]),
    );
}

#[test]
fn halves_of_a_character_are_joined_in_what_goes_back() {
    let stream = concat!(
        r#"data: {"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":"\ud83d","index":0}]}}]}"#,
        "\n\n",
        r#"data: {"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":"\ude00","index":0}]}}]}"#,
        "\n\n",
        r#"data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"n","arguments":"{\"a\":\"\ud83d"}}]}}]}"#,
        "\n\n",
        r#"data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"\ude00\"}"}}]}}]}"#,
        "\n\ndata: [DONE]\n\n",
    );
    let events = crate::wire::tests::decode::<Decoder>(stream, 1000).unwrap();
    let seal = Seal(json!([{"type": "reasoning.text", "text": "😀", "index": 0}]).to_string());
    assert_eq!(events[2..4], [ModelEvent::Seal(seal), call("a", "n", r#"{"a":"😀"}"#)]);
}
