//! Bodies whole, as Anthropic's own types have them.

use pensive_contract::model::{ModelRequest, ToolSpec};
use pensive_contract::speech::Seal;

use super::*;
use crate::knobs::Knobs;
use crate::wire::Usage;
use crate::wire::person::tests::{UNHEARD, conversation, pdf, picture};
use crate::wire::tests::{knobs, request};

fn sent(request: &ModelRequest, knobs: &Knobs, cache: Cache) -> Value {
    let call = Call { request, knobs, cache, usage: Usage::Asked };
    serde_json::to_value(encode(call)).unwrap()
}

/// The messages that these turns make, under these fields.
fn said_in(turns: Vec<PromptTurn>, fields: &[(&'static str, Value)]) -> (Value, Value) {
    let request = ModelRequest { turns, ..request() };
    let mut body = sent(&request, &knobs(fields), Cache::Silent);
    (body["messages"].take(), body["thinking"].take())
}

fn check(turns: Vec<PromptTurn>, expected: Value) {
    assert_eq!(said_in(turns, &[]).0, expected);
}

fn user(text: &str) -> PromptTurn {
    PromptTurn::User(text.into())
}

fn said(pieces: &[Piece]) -> PromptTurn {
    PromptTurn::Assistant(Speech { model: Some(request().model), pieces: pieces.to_vec() })
}

fn piece(kind: PieceKind, seal: Option<&str>) -> Piece {
    Piece { kind, seal: seal.map(|seal| Seal(seal.into())) }
}

fn thought(words: &str, seal: Option<&str>) -> Piece {
    piece(PieceKind::Reasoning(words.into()), seal)
}

fn words(text: &str) -> Piece {
    piece(PieceKind::Text(text.into()), None)
}

fn calls(id: &str, arguments: &str) -> Piece {
    let call = ToolCall { id: id.into(), name: "look".into(), arguments: arguments.into() };
    piece(PieceKind::Call(call), None)
}

fn came(id: &str, text: &str, outcome: ToolOutcome) -> ToolResult {
    ToolResult { id: id.into(), name: "look".into(), text: text.into(), outcome }
}

fn done(id: &str) -> PromptTurn {
    PromptTurn::Tools(vec![came(id, "1", ToolOutcome::Done)])
}

fn offering(schemas: &[&str], choice: ToolChoice) -> Value {
    let spec = |schema: &&str| ToolSpec {
        name: "look".into(),
        description: String::new(),
        schema: (*schema).into(),
    };
    let request = ModelRequest { tools: schemas.iter().map(spec).collect(), ..request() };
    sent(&request, &Knobs { choice, ..knobs(&[]) }, Cache::Silent)
}

#[test]
fn a_body_says_no_more_than_it_must() {
    let fields = [("max_tokens", json!(32000)), ("thinking.type", json!("adaptive"))];
    let expected = json!({
        "model": "m/1",
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "Hello"}]},
            {"role": "user", "content": [{"type": "text", "text": "Bye"}]},
        ],
        "stream": true,
        "max_tokens": 32000,
        "thinking": {"type": "adaptive"},
    });
    assert_eq!(sent(&request(), &knobs(&fields), Cache::Silent), expected);
    let quiet = ModelRequest { system: " ".into(), ..request() };
    assert_eq!(sent(&quiet, &knobs(&[]), Cache::Keyed).get("system"), None);
}

#[test]
fn the_cache_is_marked_behind_what_the_next_call_begins_with() {
    let turns = vec![
        user("Hi"),
        said(&[calls("a", "{}"), calls("b", "{}")]),
        PromptTurn::Tools(vec![came("a", "1", ToolOutcome::Done), came("b", "2", ToolOutcome::Done)]),
        said(&[words("Yes")]),
        user("Bye"),
    ];
    let body = sent(&ModelRequest { turns, ..request() }, &knobs(&[]), Cache::Keyed);
    let mark = json!({"type": "ephemeral"});
    let marked = |pointer: &str| body.pointer(pointer).unwrap().get("cache_control").cloned();
    assert_eq!(marked("/system/0"), Some(mark.clone()));
    assert_eq!(marked("/messages/0/content/0"), None);
    assert_eq!(marked("/messages/2/content/0"), None);
    assert_eq!(marked("/messages/2/content/1"), Some(mark.clone()));
    assert_eq!(marked("/messages/4/content/0"), Some(mark));
    assert_eq!(body.to_string().matches("cache_control").count(), 3);
}

#[test]
fn prov_01_thoughts_go_back_as_they_came() {
    check(
        vec![
            user("Hi"),
            said(&[
                thought("Hm.\n", Some("signature:c2ln")),
                thought("", Some("redacted:ZGF0YQ==")),
                thought("", Some("signature:b21pdA==")),
                words("Let me see."),
                thought("A server that does not sign.", Some("signature:")),
                calls("a", r#"{"z":1.0,"a":[]}"#),
            ]),
            done("a"),
        ],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Hm.\n", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "ZGF0YQ=="},
                {"type": "thinking", "thinking": "", "signature": "b21pdA=="},
                {"type": "text", "text": "Let me see."},
                {"type": "thinking", "thinking": "A server that does not sign.", "signature": ""},
                {"type": "tool_use", "id": "a", "name": "look", "input": {"z": 1.0, "a": []}},
            ]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "1"}]},
        ]),
    );
}

#[test]
fn thoughts_that_cannot_go_back_do_not() {
    let hidden = piece(PieceKind::Text("Yes.".into()), Some("redacted:eA=="));
    let strange = piece(PieceKind::Text("No.".into()), Some(r#"{"id":"rs_1"}"#));
    check(
        vec![user("Hi"), said(&[thought("Cut.", None), thought("Hm.", Some("rs_1")), strange, hidden])],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "No."},
                {"type": "text", "text": "Yes."},
                {"type": "redacted_thinking", "data": "eA=="},
            ]},
        ]),
    );
}

#[test]
fn prov_10_results_and_what_the_person_says_then_are_one_message() {
    check(
        vec![
            user("Hi"),
            said(&[calls("a", ""), calls("b", "{}"), calls("c", "{}"), calls("d", "{}")]),
            PromptTurn::Tools(vec![
                came("a", "1", ToolOutcome::Done),
                came("b", "no", ToolOutcome::Failed),
                came("c", "", ToolOutcome::Done),
                came("d", " ", ToolOutcome::Failed),
            ]),
            user("Well?"),
        ],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "a", "name": "look", "input": {}},
                {"type": "tool_use", "id": "b", "name": "look", "input": {}},
                {"type": "tool_use", "id": "c", "name": "look", "input": {}},
                {"type": "tool_use", "id": "d", "name": "look", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "1"},
                {"type": "tool_result", "tool_use_id": "b", "content": "no", "is_error": true},
                {"type": "tool_result", "tool_use_id": "c"},
                {"type": "tool_result", "tool_use_id": "d", "content": "The tool failed.", "is_error": true},
                {"type": "text", "text": "Well?"},
            ]},
        ]),
    );
}

#[test]
fn tools_and_their_choice() {
    let check = |choice, expected: Value| {
        let body = offering(&[r#"{"type":"object","properties":{"at":{}}}"#], choice);
        assert_eq!(
            body["tools"],
            json!([{"name": "look", "input_schema": {"type": "object", "properties": {"at": {}}}}])
        );
        assert_eq!(body["tool_choice"], expected);
    };
    check(ToolChoice::Auto, Value::Null);
    check(ToolChoice::None, json!({"type": "none"}));
    check(ToolChoice::Required, json!({"type": "any"}));
    check(ToolChoice::Named("look".into()), json!({"type": "tool", "name": "look"}));
}

#[test]
fn prov_08_without_tools_there_is_no_choice() {
    let body = offering(&[], ToolChoice::Required);
    assert_eq!((body.get("tools"), body.get("tool_choice")), (None, None));
    // But a conversation in which tools were called is refused unless it names some.
    let turns = vec![user("Hi"), said(&[calls("a", "{}"), calls("b", "{}")]), done("a")];
    let body = sent(&ModelRequest { turns, ..request() }, &knobs(&[]), Cache::Silent);
    assert_eq!(body["tools"], json!([{"name": "look", "input_schema": {"type": "object"}}]));
    assert_eq!(body["tool_choice"], json!({"type": "none"}));
}

#[test]
fn a_budget_is_for_turns_that_begin_with_a_thought() {
    let budget = [("thinking.type", json!("enabled")), ("thinking.budget_tokens", json!(2048))];
    let adaptive = [("thinking.type", json!("adaptive"))];
    let off = json!({"type": "disabled"});
    let check = |turns: &[PromptTurn], stays: bool| {
        let on = if stays { json!({"type": "enabled", "budget_tokens": 2048}) } else { off.clone() };
        assert_eq!(said_in(turns.to_vec(), &budget).1, on, "{turns:?}");
        assert_eq!(said_in(turns.to_vec(), &adaptive).1, json!({"type": "adaptive"}));
    };
    let begun = said(&[thought("Hm.", Some("signature:x")), calls("a", "{}")]);
    let plain = said(&[calls("a", "{}")]);
    check(&[user("Hi")], true);
    check(&[user("Hi"), plain.clone(), done("a"), said(&[words("So.")]), user("Bye")], true);
    check(&[user("Hi"), begun.clone(), done("a")], true);
    check(&[user("Hi"), begun.clone(), done("a"), plain.clone(), done("a")], true);
    check(&[user("Hi"), begun, done("a"), plain.clone(), done("a"), user("Hurry")], true);
    check(&[user("Hi"), plain.clone(), done("a")], false);
    check(&[user("Hi"), plain, done("a"), user("Hurry")], false);
    check(&[user("Hi"), said(&[thought("Cut.", None), calls("a", "{}")]), done("a")], false);
}

#[test]
fn med_02_what_is_sent_stands_before_the_words_in_one_message() {
    let source = |kind: &str| json!({"type": "base64", "media_type": kind, "data": "YWJj"});
    let image = json!({"type": "image", "source": source("image/png")});
    let document = json!({"type": "document", "source": source("application/pdf"), "title": "plan.pdf"});
    let text = |text: &str| json!({"type": "text", "text": text});
    let expected = json!([
        {"role": "user", "content": [image, document, text(UNHEARD), text("Look")]},
        {"role": "assistant", "content": [text("Nice")]},
        {"role": "user", "content": [image]},
    ]);
    check(conversation(), expected);

    // What comes while tools run stands behind their results, which have to come first.
    let turns = vec![
        user("Hi"),
        said(&[calls("a", "{}")]),
        done("a"),
        PromptTurn::Media(vec![picture()]),
        user("This"),
    ];
    let messages = said_in(turns, &[]).0;
    let result = json!({"type": "tool_result", "tool_use_id": "a", "content": "1"});
    assert_eq!(messages[2]["content"], json!([result, image, text("This")]));
}

#[test]
fn a_picture_without_words_is_marked_for_the_cache() {
    let turns = vec![PromptTurn::Media(vec![picture()])];
    let body = sent(&ModelRequest { turns, ..request() }, &knobs(&[]), Cache::Keyed);
    assert_eq!(body["messages"][0]["content"][0]["cache_control"], json!({"type": "ephemeral"}));
}

#[test]
fn a_picture_is_measured_in_base64() {
    let of = |bytes: usize| Media { bytes: vec![0; bytes].into(), ..picture() };
    assert!(takes(&of(3_932_160)), "5,242,880 bytes in base64");
    assert!(!takes(&of(3_932_161)));
    assert!(takes(&Media { bytes: vec![0; 8 << 20].into(), ..pdf() }));
    assert!(!takes(&Media { mime: "image/tiff".into(), ..picture() }));
}
