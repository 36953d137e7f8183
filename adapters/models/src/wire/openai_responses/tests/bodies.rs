//! Bodies, whole and against the vendor's types.

use async_openai::types::responses::CreateResponse;
use pensive_contract::model::{ModelEvent, ModelRequest, PromptTurn, ToolChoice, ToolSpec};
use pensive_contract::speech::{PieceKind, Seal, Speech, ToolCall, ToolOutcome, ToolResult};
use serde_json::{Value, json};

use super::super::encode;
use crate::knobs::{Knobs, Thinks};
use crate::wire::person::tests::{UNHEARD, conversation};
use crate::wire::tests::{knobs, request};
use crate::wire::{Cache, Call, Usage};

/// The body of a call. The vendor's own type reads it back whole: every field is known and of the right kind.
fn body(request: &ModelRequest, knobs: &Knobs, cache: Cache) -> Value {
    let body = serde_json::to_value(encode(Call { request, knobs, cache, usage: Usage::Asked })).unwrap();
    let read: CreateResponse = serde_json::from_value(body.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), body);
    body
}

fn spec(name: &str, schema: &str) -> ToolSpec {
    ToolSpec { name: name.into(), description: "Looks.".into(), schema: schema.into() }
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
    assert_eq!(body(&request(), &knobs(&[]), Cache::Silent), expected);
}

#[test]
fn decided_fields_stand_beside_the_conversation() {
    let knobs = Knobs {
        thinks: Thinks::Yes,
        ..knobs(&[
            ("reasoning.effort", json!("high")),
            ("reasoning.summary", json!("auto")),
            ("service_tier", json!("priority")),
            ("max_output_tokens", json!(4096)),
        ])
    };
    let body = body(&request(), &knobs, Cache::Keyed);
    assert_eq!(body["reasoning"], json!({"effort": "high", "summary": "auto"}));
    assert_eq!(body["service_tier"], "priority");
    assert_eq!(body["max_output_tokens"], 4096);
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
    assert!(body["prompt_cache_key"].as_str().unwrap().len() <= 64);
}

#[test]
fn sealed_reasoning_is_asked_for_only_where_there_is_any() {
    assert_eq!(body(&request(), &knobs(&[]), Cache::Keyed).get("include"), None);
    let thinks = Knobs { thinks: Thinks::Yes, ..knobs(&[]) };
    assert_eq!(body(&request(), &thinks, Cache::Silent).get("include"), None);
}

#[test]
fn prov_04_no_sampling_value_is_sent_unasked() {
    let body = body(&request(), &knobs(&[("reasoning.effort", json!("high"))]), Cache::Keyed);
    for field in ["temperature", "top_p", "max_output_tokens"] {
        assert_eq!(body.get(field), None, "{field}");
    }
}

#[test]
fn tools_are_functions_that_are_not_strict() {
    let mut request = request();
    request.tools = vec![
        spec("look", r#"{"type":"object","properties":{"at":{"type":"string"}}}"#),
        spec("odd", "no JSON"),
    ];
    let tool = |name: &str, parameters: Value| json!({"type": "function", "name": name, "description": "Looks.", "parameters": parameters, "strict": false});
    let expected = json!([
        tool("look", json!({"type": "object", "properties": {"at": {"type": "string"}}})),
        tool("odd", json!({"type": "object", "properties": {}})),
    ]);
    let check = |choice: ToolChoice, said: Option<Value>| {
        let body = body(&request, &Knobs { choice, ..knobs(&[]) }, Cache::Silent);
        assert_eq!(body["tools"], expected);
        assert_eq!(body.get("tool_choice"), said.as_ref());
    };
    check(ToolChoice::Auto, None);
    check(ToolChoice::None, Some(json!("none")));
    check(ToolChoice::Required, Some(json!("required")));
    check(ToolChoice::Named("look".into()), Some(json!({"type": "function", "name": "look"})));
}

#[test]
fn prov_08_no_tools_no_choice() {
    for choice in [ToolChoice::Auto, ToolChoice::None, ToolChoice::Required, ToolChoice::Named("x".into())] {
        let body = body(&request(), &Knobs { choice, ..knobs(&[]) }, Cache::Silent);
        assert_eq!((body.get("tools"), body.get("tool_choice")), (None, None));
    }
}

const REASONING: &str = r#"{"id":"rs_1","summary":["First","Second"],"encrypted_content":"c2VjcmV0+/=="}"#;

fn call(id: &str, name: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: r#"{"at": "sky"}"#.into() }
}

#[test]
fn prov_01_a_tool_loop_goes_back_as_it_came() {
    let mut speech = Speech::new(None);
    for event in [
        ModelEvent::Reasoning("First\n\nSecond".into()),
        ModelEvent::Seal(Seal(REASONING.into())),
        ModelEvent::Text("Let me look.".into()),
        ModelEvent::Seal(Seal(r#"{"phase":"commentary"}"#.into())),
        ModelEvent::Call(call("call_1", "look")),
        // Nobody may see this one, and so it stands behind the call.
        ModelEvent::Seal(Seal(r#"{"id":"rs_2","summary":[],"encrypted_content":"x"}"#.into())),
        ModelEvent::Call(call("call_2", "hear")),
    ] {
        speech.hear(&event);
    }
    let result = |id: &str, name: &str, outcome| ToolResult {
        id: id.into(),
        name: name.into(),
        text: "blue".into(),
        outcome,
    };
    let results =
        vec![result("call_1", "look", ToolOutcome::Done), result("call_2", "hear", ToolOutcome::Failed)];
    let mut request = request();
    request.turns =
        vec![PromptTurn::User("Look!".into()), PromptTurn::Assistant(speech), PromptTurn::Tools(results)];
    let call = |id: &str, name: &str| json!({"type": "function_call", "arguments": r#"{"at": "sky"}"#, "call_id": id, "name": name});
    let output = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "blue"});
    let expected = json!([
        {"type": "message", "role": "user", "content": "Look!"},
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "First"}, {"type": "summary_text", "text": "Second"}],
            "encrypted_content": "c2VjcmV0+/==",
        },
        {"type": "message", "role": "assistant", "content": "Let me look.", "phase": "commentary"},
        call("call_1", "look"),
        {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "x"},
        call("call_2", "hear"),
        output("call_1"),
        output("call_2"),
    ]);
    assert_eq!(body(&request, &knobs(&[]), Cache::Keyed)["input"], expected);
}

#[test]
fn reasoning_without_its_seal_and_foreign_seals_stay_away() {
    let mut speech = Speech::new(None);
    speech.pieces = vec![PieceKind::Reasoning("Hm.".into()).into(), PieceKind::Text("Hello".into()).into()];
    speech.pieces[1].seal = Some(Seal("[1]".into()));
    let mut request = request();
    request.turns = vec![PromptTurn::Assistant(speech)];
    let expected = json!([{"type": "message", "role": "assistant", "content": "Hello"}]);
    assert_eq!(body(&request, &knobs(&[]), Cache::Silent)["input"], expected);
}

#[test]
fn med_02_what_is_sent_stands_before_the_words_in_one_message() {
    let request = ModelRequest { turns: conversation(), ..request() };
    let image = json!({"type": "input_image", "image_url": "data:image/png;base64,YWJj", "detail": "auto"});
    let file = json!({"type": "input_file", "filename": "plan.pdf", "file_data": "data:application/pdf;base64,YWJj"});
    let text = |text: &str| json!({"type": "input_text", "text": text});
    let expected = json!([
        {"type": "message", "role": "user", "content": [image, file, text(UNHEARD), text("Look")]},
        {"type": "message", "role": "assistant", "content": "Nice"},
        {"type": "message", "role": "user", "content": [image]},
    ]);
    assert_eq!(body(&request, &knobs(&[]), Cache::Silent)["input"], expected);
}
