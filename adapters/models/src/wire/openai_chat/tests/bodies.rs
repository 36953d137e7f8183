//! Bodies, whole and against the vendor's types.

use async_openai::types::chat::CreateChatCompletionRequest;
use pensive_contract::media::MediaKind;
use pensive_contract::model::{ModelEvent, ModelRequest, PromptTurn, ToolChoice, ToolSpec};
use pensive_contract::speech::{Seal, Speech, ToolCall, ToolOutcome, ToolResult};
use serde_json::{Value, json};

use super::super::encode;
use crate::catalogue::Replay;
use crate::knobs::Knobs;
use crate::wire::person::tests::{conversation, media};
use crate::wire::tests::{body, knobs, request};
use crate::wire::{Cache, Call, Usage};

/// The body of a call. The vendor's own type reads it back whole: every field is known and of the right kind.
fn plain(request: &ModelRequest, knobs: &Knobs) -> Value {
    let body = body(request, knobs, encode);
    let read: CreateChatCompletionRequest = serde_json::from_value(body.clone()).unwrap();
    let mut known = serde_json::to_value(read).unwrap();
    for message in known["messages"].as_array_mut().unwrap() {
        // The vendor's type leaves null out.
        if message["role"] == "assistant" && message.get("content").is_none() {
            message["content"] = Value::Null;
        }
    }
    assert_eq!(known, body);
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
    assert_eq!(plain(&request(), &knobs(&[])), expected);
}

#[test]
fn decided_fields_stand_beside_the_conversation() {
    let knobs = knobs(&[("reasoning_effort", json!("heavy")), ("thinking.type", json!("enabled"))]);
    let body = body(&request(), &knobs, encode);
    assert_eq!(body["reasoning_effort"], "heavy");
    assert_eq!(body["thinking"], json!({"type": "enabled"}));
}

#[test]
fn cache_key_and_counts() {
    let (request, knobs) = (request(), knobs(&[]));
    let call = Call { request: &request, knobs: &knobs, cache: Cache::Keyed, usage: Usage::Unasked };
    let body = serde_json::to_value(encode(call)).unwrap();
    assert!(body["prompt_cache_key"].as_str().unwrap().starts_with("pensive-"));
    assert_eq!(body.get("stream_options"), None);
}

#[test]
fn prov_04_no_sampling_value_is_sent_unasked() {
    let body = plain(&request(), &knobs(&[("reasoning_effort", json!("high"))]));
    for field in ["temperature", "top_p", "presence_penalty", "frequency_penalty", "max_tokens"] {
        assert_eq!(body.get(field), None, "{field}");
    }
}

#[test]
fn tools_and_which_of_them_may_be_called() {
    let mut request = request();
    let schema = r#"{"type":"object","properties":{"at":{"type":"string"}}}"#;
    request.tools =
        vec![ToolSpec { name: "look".into(), description: "Looks.".into(), schema: schema.into() }];
    let check = |choice: ToolChoice, said: Option<Value>| {
        let body = plain(&request, &Knobs { choice, ..knobs(&[]) });
        let function = json!({
            "name": "look",
            "description": "Looks.",
            "parameters": {"type": "object", "properties": {"at": {"type": "string"}}},
        });
        assert_eq!(body["tools"], json!([{"type": "function", "function": function}]));
        assert_eq!(body.get("tool_choice"), said.as_ref());
    };
    check(ToolChoice::Auto, None);
    check(ToolChoice::None, Some(json!("none")));
    check(ToolChoice::Required, Some(json!("required")));
    check(ToolChoice::Named("look".into()), Some(json!({"type": "function", "function": {"name": "look"}})));
}

#[test]
fn prov_08_no_tools_no_choice() {
    for choice in [ToolChoice::Auto, ToolChoice::None, ToolChoice::Required, ToolChoice::Named("x".into())] {
        let body = plain(&request(), &Knobs { choice, ..knobs(&[]) });
        assert_eq!((body.get("tools"), body.get("tool_choice")), (None, None));
    }
}

fn called(id: &str) -> ModelEvent {
    ModelEvent::Call(ToolCall { id: id.into(), name: "look".into(), arguments: r#"{"at": "sky"}"#.into() })
}

/// A tool loop in which the model said that.
fn tool_loop(events: &[ModelEvent]) -> ModelRequest {
    let mut speech = Speech::new(None);
    events.iter().for_each(|event| speech.hear(event));
    let result = |call: &ToolCall| ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        text: "blue".into(),
        outcome: ToolOutcome::Done,
    };
    let results = PromptTurn::Tools(speech.calls().map(result).collect());
    ModelRequest { system: String::new(), turns: vec![PromptTurn::Assistant(speech), results], ..request() }
}

fn calls(ids: &[&str]) -> Value {
    let function = json!({"name": "look", "arguments": r#"{"at": "sky"}"#});
    ids.iter().map(|id| json!({"type": "function", "id": id, "function": function})).collect()
}

#[test]
fn calls_and_their_results() {
    let result = |id: &str| json!({"role": "tool", "content": "blue", "tool_call_id": id});
    let request = tool_loop(&[called("a"), called("b")]);
    let expected = json!([
        {"role": "assistant", "content": null, "tool_calls": calls(&["a", "b"])},
        result("a"),
        result("b"),
    ]);
    assert_eq!(plain(&request, &knobs(&[]))["messages"], expected);
    let request = tool_loop(&[ModelEvent::Text("I look.".into()), called("a")]);
    let expected =
        json!([{"role": "assistant", "content": "I look.", "tool_calls": calls(&["a"])}, result("a")]);
    assert_eq!(plain(&request, &knobs(&[]))["messages"], expected);
}

#[test]
fn a_run_that_ended_without_an_answer_does_not_end_the_conversation() {
    let mut request = tool_loop(&[called("a")]);
    request.turns.push(PromptTurn::User("And?".into()));
    let messages = plain(&request, &knobs(&[]))["messages"].clone();
    let roles: Vec<&str> =
        messages.as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["assistant", "tool", "assistant", "user"]);
    assert_eq!(messages[2], json!({"role": "assistant", "content": "(no answer)"}));
}

/// The assistant's turn of a tool loop.
fn assistant(events: &[ModelEvent], replay: Replay) -> Value {
    body(&tool_loop(events), &Knobs { replay, ..knobs(&[]) }, encode)["messages"][0].clone()
}

fn reasoning(words: &str) -> ModelEvent {
    ModelEvent::Reasoning(words.into())
}

#[test]
fn prov_02_reasoning_goes_back_byte_for_byte_to_models_that_want_it() {
    let said = [reasoning(" Hm.\n"), ModelEvent::Text("I look.".into()), reasoning("So. "), called("a")];
    for replay in [Replay::Content, Replay::ContentRequired] {
        let expected = json!({
            "role": "assistant",
            "content": "I look.",
            "reasoning_content": " Hm.\nSo. ",
            "tool_calls": calls(&["a"]),
        });
        assert_eq!(assistant(&said, replay), expected);
    }
}

#[test]
fn prov_02_a_turn_that_called_without_a_thought_says_so_where_it_must() {
    let check = |said: &[ModelEvent], replay, expected: Option<&str>| {
        let turn = assistant(said, replay);
        assert_eq!(turn.get("reasoning_content"), expected.map(Value::from).as_ref());
    };
    check(&[called("a")], Replay::ContentRequired, Some(""));
    check(&[called("a")], Replay::Content, None);
    check(&[ModelEvent::Text("Hello".into())], Replay::ContentRequired, None);
}

#[test]
fn prov_16_most_servers_get_no_reasoning_back() {
    let said =
        [reasoning("Hm."), ModelEvent::Seal(Seal(r#"[{"type":"reasoning.text"}]"#.into())), called("a")];
    let expected = json!({"role": "assistant", "content": null, "tool_calls": calls(&["a"])});
    assert_eq!(assistant(&said, Replay::Drop), expected);
}

#[test]
fn prov_01_a_list_of_details_goes_back_as_it_came() {
    let details =
        r#"[{"type":"reasoning.text","text":"Hm.","signature":"s+/=","index":0,"z":1.50,"a":null}]"#;
    let said = [reasoning("Hm."), ModelEvent::Seal(Seal(details.into())), called("a")];
    let turn = assistant(&said, Replay::Details);
    assert_eq!(turn["reasoning_details"].to_string().replace("1.5,", "1.50,"), details);
    assert_eq!(turn.get("reasoning_content"), None);
    // A list without words stands behind whatever was said before it.
    let said = [ModelEvent::Text("Hello".into()), ModelEvent::Seal(Seal(details.into())), called("a")];
    assert_eq!(assistant(&said, Replay::Details)["reasoning_details"][0]["signature"], "s+/=");
}

#[test]
fn prov_09_what_gemini_sealed_goes_back_with_its_call() {
    let extra = r#"{"google":{"thought_signature":"c2ln"}}"#;
    let said = [called("a"), ModelEvent::Seal(Seal(extra.into())), called("b")];
    for replay in [Replay::Drop, Replay::Content] {
        let turn = assistant(&said, replay);
        assert_eq!(turn["tool_calls"][0]["extra_content"].to_string(), extra);
        assert_eq!(turn["tool_calls"][1].get("extra_content"), None);
    }
}

#[test]
fn med_02_what_is_sent_stands_before_the_words_in_one_message() {
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,YWJj"}});
    let file = json!({"filename": "plan.pdf", "file_data": "data:application/pdf;base64,YWJj"});
    let file = json!({"type": "file", "file": file});
    let sound =
        |format: &str| json!({"type": "input_audio", "input_audio": {"data": "YWJj", "format": format}});
    let text = json!({"type": "text", "text": "Look"});
    let sent = ModelRequest { system: String::new(), turns: conversation(), ..request() };
    let expected = json!([
        {"role": "user", "content": [image, file, sound("ogg"), text]},
        {"role": "assistant", "content": "Nice"},
        {"role": "user", "content": [image]},
    ]);
    assert_eq!(body(&sent, &knobs(&[]), encode)["messages"], expected);

    let speech = PromptTurn::Media(vec![media(MediaKind::Audio, "audio/mpeg", None)]);
    let sent = ModelRequest { turns: vec![speech, PromptTurn::User("Hm?".into())], ..sent };
    let expected = json!([{"role": "user", "content": [sound("mp3"), {"type": "text", "text": "Hm?"}]}]);
    assert_eq!(plain(&sent, &knobs(&[]))["messages"], expected);
}

#[test]
fn what_has_no_place_is_told_in_a_plain_text() {
    let film = PromptTurn::Media(vec![media(MediaKind::Image, "image/tiff", None)]);
    let sent = ModelRequest {
        system: String::new(),
        turns: vec![film, PromptTurn::User("Look".into())],
        ..request()
    };
    let words =
        "[The person also sent a picture (image/tiff, 1 KiB), which this model cannot be given.]\n\nLook";
    assert_eq!(plain(&sent, &knobs(&[]))["messages"], json!([{"role": "user", "content": words}]));
}
