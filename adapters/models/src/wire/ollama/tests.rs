//! Bodies and lines as the vendor documents them, and as its servers bend them.

use pensive_contract::model::{
    ModelEvent, ModelRef, ModelRequest, PromptTurn, StopReason, TokenUsage, ToolChoice, ToolSpec,
};
use pensive_contract::speech::{PieceKind, Speech, ToolCall, ToolOutcome, ToolResult};
use serde_json::{Value, json};

use super::{Decoder, encode};
use crate::trouble::Trouble;
use crate::values::Values;
use crate::wire::person::tests::{UNHEARD, conversation, picture};
use crate::wire::tests::{body as encoded, knobs, request};
use crate::wire::{Decode, made_id};

fn body(request: &ModelRequest, choice: ToolChoice, fields: &[(&'static str, Value)]) -> Value {
    let knobs = crate::knobs::Knobs { choice, ..knobs(fields) };
    encoded(request, &knobs, |call| serde_json::to_value(encode(call)).unwrap())
}

fn decode(body: &str, size: usize) -> Result<Vec<ModelEvent>, Trouble> {
    let (mut decoder, mut values, mut out) = (Decoder::default(), Values::default(), Vec::new());
    for chunk in body.as_bytes().chunks(size) {
        values.push(chunk)?;
        while let Some(value) = values.next()? {
            decoder.document(value, &mut out)?;
        }
    }
    Ok(out)
}

fn check(lines: &[&str], expected: &[ModelEvent]) {
    let body = lines.join("\n");
    for size in [1, 2, 3, 7, 64, 1 << 20] {
        assert_eq!(decode(&body, size).unwrap(), expected, "{size}: {body}");
    }
}

fn text(text: &str) -> ModelEvent {
    ModelEvent::Text(text.to_owned())
}

fn thought(text: &str) -> ModelEvent {
    ModelEvent::Reasoning(text.to_owned())
}

fn used(input: u64, output: u64) -> ModelEvent {
    ModelEvent::Usage(TokenUsage { input, output, ..TokenUsage::default() })
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

fn tool(name: &str) -> ToolSpec {
    let schema = r#"{"type":"object","properties":{"city":{"type":"string"}}}"#.into();
    ToolSpec { name: name.into(), description: "Tells.".into(), schema }
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
    });
    assert_eq!(body(&request(), ToolChoice::Auto, &[]), expected);
}

#[test]
fn med_02_pictures_stand_in_the_message_of_their_words() {
    let sent = ModelRequest { system: String::new(), turns: conversation(), ..request() };
    let note =
        "[The person also sent a document (application/pdf, 1 KiB), which this model cannot be given.]";
    let expected = json!([
        {"role": "user", "content": format!("{note}\n\n{UNHEARD}\n\nLook"), "images": ["YWJj"]},
        {"role": "assistant", "content": "Nice"},
        {"role": "user", "content": "", "images": ["YWJj"]},
    ]);
    assert_eq!(body(&sent, ToolChoice::Auto, &[])["messages"], expected);
}

#[test]
fn a_picture_without_words_begins_a_loop_as_well() {
    let speech = |words: &str, pieces: Vec<PieceKind>| {
        let pieces = std::iter::once(PieceKind::Reasoning(words.into())).chain(pieces);
        PromptTurn::Assistant(Speech {
            model: Some(request().model),
            pieces: pieces.map(Into::into).collect(),
        })
    };
    let call = || PieceKind::Call(call("a", "weather", "{}"));
    let turns = vec![
        PromptTurn::User("Hi".into()),
        speech("Old.", vec![PieceKind::Text("Hello".into())]),
        PromptTurn::Media(vec![picture()]),
        speech("New.", vec![call()]),
    ];
    let sent = body(&ModelRequest { turns, ..request() }, ToolChoice::Auto, &[]);
    assert_eq!(sent["messages"][2].get("thinking"), None, "thoughts of earlier turns only take room");
    assert_eq!(sent["messages"][4]["thinking"], "New.");
}

#[test]
fn prov_12_what_was_decided_stands_in_the_body() {
    let fields =
        [("think", json!(false)), ("options.temperature", json!(0.5)), ("options.num_predict", json!(9))];
    let body = body(&request(), ToolChoice::Auto, &fields);
    assert_eq!(body["think"], json!(false));
    assert_eq!(body["options"], json!({"temperature": 0.5, "num_predict": 9}));
}

#[test]
fn a_choice_of_tools_is_what_is_on_offer() {
    let request = ModelRequest { tools: vec![tool("weather"), tool("news")], ..request() };
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let shown = |name| {
        let function = json!({"name": name, "description": "Tells.", "parameters": schema});
        json!({"type": "function", "function": function})
    };
    let both = json!([shown("weather"), shown("news")]);
    assert_eq!(body(&request, ToolChoice::Auto, &[])["tools"], both);
    assert_eq!(body(&request, ToolChoice::Required, &[])["tools"], both);
    assert_eq!(body(&request, ToolChoice::Named("news".into()), &[])["tools"], json!([shown("news")]));
    assert_eq!(body(&request, ToolChoice::None, &[]).get("tools"), None);
}

#[test]
fn thoughts_go_back_within_a_loop_of_calls() {
    let spoken = |model: &ModelRef, thought: &str| {
        let pieces = [
            PieceKind::Reasoning(thought.into()),
            PieceKind::Text("Let me look.".into()),
            PieceKind::Call(call("c1", "look", r#"{"at":"a"}"#)),
        ];
        let pieces = pieces.map(Into::into).to_vec();
        PromptTurn::Assistant(Speech { model: Some(model.clone()), pieces })
    };
    let result = |text: &str| {
        let (id, name, text) = ("c1".into(), "look".into(), text.into());
        PromptTurn::Tools(vec![ToolResult { id, name, text, outcome: ToolOutcome::Done }])
    };
    let own = request().model;
    let other = ModelRef { provider: "q".into(), id: "m".into() };
    let turns = vec![
        PromptTurn::User("Look".into()),
        spoken(&own, "Old."),
        result("A"),
        PromptTurn::User("Again".into()),
        spoken(&other, "Foreign."),
        result("B"),
        spoken(&own, "New."),
        result("C"),
    ];
    let called = json!([{"function": {"name": "look", "arguments": {"at": "a"}}}]);
    let request = ModelRequest { turns, system: String::new(), ..request() };
    assert_eq!(
        body(&request, ToolChoice::Auto, &[])["messages"],
        json!([
            {"role": "user", "content": "Look"},
            {"role": "assistant", "content": "Let me look.", "tool_calls": called},
            {"role": "tool", "content": "A", "tool_name": "look"},
            {"role": "user", "content": "Again"},
            {"role": "assistant", "content": "Let me look.", "tool_calls": called},
            {"role": "tool", "content": "B", "tool_name": "look"},
            {"role": "assistant", "content": "Let me look.", "thinking": "New.", "tool_calls": called},
            {"role": "tool", "content": "C", "tool_name": "look"},
        ])
    );
}

#[test]
fn an_answer_as_ollama_writes_it() {
    check(
        &[
            r#"{"model":"qwen3","created_at":"2026-11-30T08:00:00Z","message":{"role":"assistant","content":"","thinking":"Hm"},"done":false}"#,
            r#"{"model":"qwen3","created_at":"2026-11-30T08:00:01Z","message":{"role":"assistant","content":"","thinking":"."},"done":false}"#,
            r#"{"model":"qwen3","created_at":"2026-11-30T08:00:02Z","message":{"role":"assistant","content":"Hel","images":null},"done":false}"#,
            r#"{"model":"qwen3","created_at":"2026-11-30T08:00:03Z","message":{"role":"assistant","content":"lo 😀"},"done":false}"#,
            r#"{"model":"qwen3","created_at":"2026-11-30T08:00:04Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":5,"prompt_eval_count":26,"eval_count":282}"#,
            r#"{"message":{"content":"after the end"},"done":true}"#,
        ],
        &[
            thought("Hm"),
            thought("."),
            text("Hel"),
            text("lo 😀"),
            used(26, 282),
            ModelEvent::End(StopReason::Done),
        ],
    );
}

#[test]
fn prov_17_reasoning_goes_by_two_names() {
    check(&[r#"{"message":{"content":"","reasoning_content":"Hm."},"done":false}"#], &[thought("Hm.")]);
    check(&[r#"{"message":{"thinking":"Hm.","reasoning_content":"Hm."}}"#], &[thought("Hm.")]);
}

#[test]
fn calls_come_whole_and_before_the_end() {
    let moment = "2026-11-30T08:00:00Z";
    let made = made_id(moment, 1, "news", "{}");
    check(
        &[
            r#"{"created_at":"2026-11-30T08:00:00Z","message":{"content":"Let me look.","tool_calls":[{"id":"call_1","function":{"index":0,"name":"look","arguments":{"z":1,"a":[true]}}},{"function":{"name":"news","arguments":null}},{"function":{"arguments":{}}},{}]},"done":false}"#,
            r#"{"message":{"content":"","tool_calls":[{"id":"call_2","function":{"name":"look","arguments":"{\"as\":\"text\"}"}}]},"done":true,"done_reason":"stop"}"#,
        ],
        &[
            text("Let me look."),
            ModelEvent::Call(call("call_1", "look", r#"{"z":1,"a":[true]}"#)),
            ModelEvent::Call(call(&made, "news", "{}")),
            ModelEvent::Call(call("call_2", "look", r#"{"as":"text"}"#)),
            used(0, 0),
            ModelEvent::End(StopReason::Tools),
        ],
    );
}

#[test]
fn ends() {
    let check = |reason: &str, expected| {
        let line = format!(r#"{{"done":true,"done_reason":{reason}}}"#);
        check(&[&line], &[used(0, 0), ModelEvent::End(expected)]);
    };
    check("\"stop\"", StopReason::Done);
    check("null", StopReason::Done);
    check("\"length\"", StopReason::Length);
    check("\"load\"", StopReason::Other("load".into()));
}

#[test]
fn a_server_that_does_not_stream() {
    check(
        &[
            "{\n  \"message\": {\"role\": \"assistant\", \"thinking\": \"a\", \"content\": \"b\"},\n  \"done\": true,\n  \"eval_count\": 2\n}",
        ],
        &[thought("a"), text("b"), used(0, 2), ModelEvent::End(StopReason::Done)],
    );
}

#[test]
fn what_is_unknown_or_ill_typed_counts_as_absent() {
    check(
        &[
            "{}",
            r#"{"message":null,"done":null,"done_reason":5,"error":null}"#,
            r#"{"message":{"content":7,"thinking":[],"tool_calls":{}},"done":"no","new":{}}"#,
            r#"{"message":{"content":"a","tool_calls":[{"function":"look"}]}}"#,
        ],
        &[text("a")],
    );
}

#[test]
fn faults_in_the_middle() {
    let fault = |body| decode(body, 5).unwrap_err().to_string();
    assert_eq!(
        fault("{\"message\":{\"content\":\"a\"}}\n{\"error\":\"an error was encountered\"}\n"),
        "broke off with an error: an error was encountered"
    );
    assert_eq!(fault("{\"message\":}\n"), "broken answer: Syntax error at column 12");
}
