//! Bodies and answers as the vendor documents them (<https://ai.google.dev/api/generate-content>), and as its models bend
//! them.

use pensive_contract::media::MediaKind;
use pensive_contract::model::{
    ModelEvent, ModelRef, ModelRequest, PromptTurn, StopReason, TokenUsage, ToolChoice, ToolSpec,
};
use pensive_contract::speech::{Piece, PieceKind, Seal, Speech, ToolCall, ToolOutcome, ToolResult};
use serde_json::{Value, json};

use super::{Decoder, encode};
use crate::wire::person::tests::{conversation, media};
use crate::wire::tests::{body as encoded, check, check_fault, knobs, request};
use crate::wire::{Decode, made_id};

const LEVEL: &str = "generationConfig.thinkingConfig.thinkingLevel";
const BUDGET: &str = "generationConfig.thinkingConfig.thinkingBudget";

fn body(request: &ModelRequest, choice: ToolChoice, fields: &[(&'static str, Value)]) -> Value {
    let knobs = crate::knobs::Knobs { choice, ..knobs(fields) };
    encoded(request, &knobs, |call| serde_json::to_value(encode(call)).unwrap())
}

fn contents(turns: Vec<PromptTurn>, fields: &[(&'static str, Value)]) -> Value {
    body(&ModelRequest { turns, ..request() }, ToolChoice::Auto, fields)["contents"].take()
}

fn user(text: &str) -> PromptTurn {
    PromptTurn::User(text.into())
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

fn result(id: &str, name: &str, text: &str) -> ToolResult {
    ToolResult { id: id.into(), name: name.into(), text: text.into(), outcome: ToolOutcome::Done }
}

fn own(pieces: Vec<Piece>) -> PromptTurn {
    PromptTurn::Assistant(Speech { model: Some(request().model), pieces })
}

fn text(text: &str) -> ModelEvent {
    ModelEvent::Text(text.to_owned())
}

fn thought(text: &str) -> ModelEvent {
    ModelEvent::Reasoning(text.to_owned())
}

fn sealed(seal: &str) -> ModelEvent {
    ModelEvent::Seal(Seal(seal.to_owned()))
}

const END: ModelEvent = ModelEvent::End(StopReason::Done);

#[test]
fn a_body_says_no_more_than_it_must() {
    let expected = json!({
        "contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"text": "Hello"}]},
            {"role": "user", "parts": [{"text": "Bye"}]},
        ],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
    });
    assert_eq!(body(&request(), ToolChoice::Auto, &[]), expected);
    let plain = ModelRequest { system: String::new(), ..request() };
    assert_eq!(body(&plain, ToolChoice::Auto, &[]).get("systemInstruction"), None);
}

#[test]
fn med_02_what_is_sent_stands_before_the_words_in_one_content() {
    let blob = |kind: &str| json!({"inlineData": {"mimeType": kind, "data": "YWJj"}});
    let parts = [blob("image/png"), blob("application/pdf"), blob("audio/ogg"), json!({"text": "Look"})];
    let expected = json!([
        {"role": "user", "parts": parts},
        {"role": "model", "parts": [{"text": "Nice"}]},
        {"role": "user", "parts": [blob("image/png")]},
    ]);
    assert_eq!(contents(conversation(), &[]), expected);
    let moving = PromptTurn::Media(vec![media(MediaKind::Image, "image/gif", None)]);
    let note = "[The person also sent a picture (image/gif, 1 KiB), which this model cannot be given.]";
    let told = contents(vec![moving, user("Look")], &[]);
    assert_eq!(told, json!([{"role": "user", "parts": [{"text": note}, {"text": "Look"}]}]));
}

#[test]
fn prov_15_what_was_decided_stands_in_the_body() {
    let fields = [(BUDGET, json!(2048)), ("generationConfig.maxOutputTokens", json!(4096))];
    assert_eq!(
        body(&request(), ToolChoice::Auto, &fields)["generationConfig"],
        json!({"thinkingConfig": {"thinkingBudget": 2048}, "maxOutputTokens": 4096})
    );
    assert_eq!(
        body(&request(), ToolChoice::Auto, &[(LEVEL, json!("HIGH"))])["generationConfig"],
        json!({"thinkingConfig": {"thinkingLevel": "HIGH"}})
    );
}

#[test]
fn tools_and_their_choice() {
    let schema = r#"{"type":"object","properties":{"city":{"type":"string"}},"additionalProperties":false}"#;
    let tool =
        ToolSpec { name: "weather".into(), description: "Tells the weather.".into(), schema: schema.into() };
    let request = ModelRequest { tools: vec![tool], ..request() };
    let declared = json!([{"functionDeclarations": [{
        "name": "weather",
        "description": "Tells the weather.",
        "parametersJsonSchema": serde_json::from_str::<Value>(schema).unwrap(),
    }]}]);
    let check = |choice, expected: Value| {
        let body = body(&request, choice, &[]);
        assert_eq!(body["tools"], declared);
        assert_eq!(body.get("toolConfig").cloned().unwrap_or_default(), expected);
    };
    check(ToolChoice::Auto, json!(null));
    check(ToolChoice::None, json!({"functionCallingConfig": {"mode": "NONE"}}));
    check(ToolChoice::Required, json!({"functionCallingConfig": {"mode": "ANY"}}));
    check(
        ToolChoice::Named("weather".into()),
        json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["weather"]}}),
    );
}

#[test]
fn prov_08_without_tools_there_is_no_choice() {
    let body = body(&request(), ToolChoice::Required, &[]);
    assert_eq!((body.get("tools"), body.get("toolConfig")), (None, None));
}

#[test]
fn results_of_parallel_calls_stand_together_and_apart_from_people() {
    let calls = [call("c1", "look", r#"{"at":"a"}"#), call("c2", "look", "")];
    let calls = own(calls.map(|call| PieceKind::Call(call).into()).to_vec());
    let failed = ToolResult { outcome: ToolOutcome::Failed, ..result("c2", "look", "No such file") };
    let results = [vec![result("c1", "look", "A")], vec![failed]].map(PromptTurn::Tools);
    let [one, two] = results;
    assert_eq!(
        contents(vec![user("Look"), user("twice"), calls, one, two, user("So?")], &[]),
        json!([
            {"role": "user", "parts": [{"text": "Look"}, {"text": "twice"}]},
            {"role": "model", "parts": [
                {"functionCall": {"id": "c1", "name": "look", "args": {"at": "a"}}},
                {"functionCall": {"id": "c2", "name": "look", "args": {}}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "c1", "name": "look", "response": {"result": "A"}}},
                {"functionResponse": {"id": "c2", "name": "look", "response": {"error": "No such file"}}},
            ]},
            {"role": "user", "parts": [{"text": "So?"}]},
        ])
    );
}

#[test]
fn an_id_goes_back_only_to_who_gave_it() {
    let made = made_id("r", 0, "look", "{}");
    let check = |turn: fn(Vec<Piece>) -> PromptTurn, id: &str, expected: Option<&str>| {
        let turns = vec![
            user("Look"),
            turn(vec![PieceKind::Call(call(id, "look", "{}")).into()]),
            PromptTurn::Tools(vec![result(id, "look", "A")]),
        ];
        let contents = contents(turns, &[]);
        let sent = |pointer| contents.pointer(pointer).and_then(Value::as_str);
        assert_eq!(sent("/1/parts/0/functionCall/id"), expected, "{id}");
        assert_eq!(sent("/2/parts/0/functionResponse/id"), expected, "{id}");
    };
    check(own, "abc", Some("abc"));
    check(own, &made, None);
    let foreign = |pieces| {
        let model = Some(ModelRef { provider: "q".into(), id: "m".into() });
        PromptTurn::Assistant(Speech { model, pieces })
    };
    check(foreign, "toolu_1", None);
}

#[test]
fn prov_09_a_signature_goes_back_on_the_part_that_it_came_with() {
    let data = [
        r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"I should ","thought":true}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"look.","thought":true,"thoughtSignature":"AA=="}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"Let "},{"text":"me.","thoughtSignature":"AQ=="}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"id":"c1","name":"look","args":{"at":1.0}},"thoughtSignature":"Ag=="}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"id":"c2","name":"look"}}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"Done"}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"Aw=="}]},"finishReason":"STOP"}]}"#,
    ];
    let expected = [
        thought("I should "),
        thought("look."),
        sealed("thought 5 AA=="),
        text("Let "),
        text("me."),
        sealed("text 3 AQ=="),
        ModelEvent::Call(call("c1", "look", r#"{"at":1.0}"#)),
        sealed("Ag=="),
        ModelEvent::Call(call("c2", "look", "{}")),
        text("Done"),
        sealed("text 0 Aw=="),
        ModelEvent::End(StopReason::Tools),
    ];
    check::<Decoder>(&data, &expected);
    let mut speech = Speech::new(Some(request().model));
    expected.iter().for_each(|event| speech.hear(event));
    let back = json!([
        {"text": "I should ", "thought": true},
        {"text": "look.", "thought": true, "thoughtSignature": "AA=="},
        {"text": "Let "},
        {"text": "me.", "thoughtSignature": "AQ=="},
        {"functionCall": {"id": "c1", "name": "look", "args": {"at": 1.0}}, "thoughtSignature": "Ag=="},
        {"functionCall": {"id": "c2", "name": "look", "args": {}}},
        {"text": "Done"},
        {"text": "", "thoughtSignature": "Aw=="},
    ]);
    let turns = vec![user("Look"), PromptTurn::Assistant(speech)];
    assert_eq!(contents(turns, &[(LEVEL, json!("HIGH"))])[1]["parts"], back);
}

#[test]
fn a_signature_alone_keeps_its_place() {
    let speech = own(vec![
        Piece { kind: PieceKind::Call(call("c", "look", "{}")), seal: Some(Seal("AA==".into())) },
        Piece { kind: PieceKind::Reasoning(String::new()), seal: Some(Seal("text 0 AQ==".into())) },
    ]);
    assert_eq!(
        contents(vec![user("Look"), speech], &[])[1]["parts"],
        json!([
            {"functionCall": {"id": "c", "name": "look", "args": {}}, "thoughtSignature": "AA=="},
            {"text": "", "thoughtSignature": "AQ=="},
        ])
    );
}

#[test]
fn thoughts_without_a_signature_stay_here() {
    let thoughts = || Piece::from(PieceKind::Reasoning("Hm.".into()));
    let turns = vec![
        user("Hi"),
        own(vec![thoughts()]),
        user("Well?"),
        own(vec![thoughts(), PieceKind::Text("Yes".into()).into()]),
    ];
    assert_eq!(
        contents(turns, &[]),
        json!([
            {"role": "user", "parts": [{"text": "Hi"}, {"text": "Well?"}]},
            {"role": "model", "parts": [{"text": "Yes"}]},
        ])
    );
}

#[test]
fn prov_09_a_call_of_another_model_gets_the_signature_that_skips_the_check_where_there_is_one() {
    let step = |one: &str, two: &str| {
        let calls = [call(one, "look", "{}"), call(two, "look", "{}")];
        let results = calls.iter().map(|call| result(&call.id, "look", "A")).collect();
        let pieces = calls.into_iter().map(|call| PieceKind::Call(call).into()).collect();
        [PromptTurn::Assistant(Speech { model: None, pieces }), PromptTurn::Tools(results)]
    };
    let turns = || [vec![user("Look")], step("a", "b").to_vec(), step("c", "d").to_vec()].concat();
    let signatures = |fields: &[(&'static str, Value)]| {
        let contents = contents(turns(), fields);
        let of = |pointer: &str| contents.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        ["/1/parts/0", "/1/parts/1", "/3/parts/0", "/3/parts/1"]
            .map(|at| of(&format!("{at}/thoughtSignature")))
    };
    let skip = || Some("skip_thought_signature_validator".to_owned());
    let none = [const { None }; 4];
    assert_eq!(signatures(&[(LEVEL, json!("LOW"))]), [skip(), None, skip(), None]);
    let adaptive = [("generationConfig.thinkingConfig.includeThoughts", json!(true))];
    assert_eq!(signatures(&adaptive), [skip(), None, skip(), None]);
    assert_eq!(signatures(&[(BUDGET, json!(2048)), adaptive[0].clone()]), none);
    assert_eq!(signatures(&[]), none);
}

#[test]
fn an_answer_as_gemini_writes_it() {
    let first = TokenUsage { input: 10, cached: 0, output: 7, reasoning: 7 };
    let last = TokenUsage { input: 14, cached: 8, output: 12, reasoning: 7 };
    check::<Decoder>(
        &[
            r#"{"candidates":[{"content":{"parts":[{"text":"**Plan**\n","thought":true}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":10,"totalTokenCount":17,"thoughtsTokenCount":7},"modelVersion":"gemini-3-flash","responseId":"r1"}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"Hel"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":10,"totalTokenCount":17,"thoughtsTokenCount":7}}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"lo 😀"}],"role":"model"},"finishReason":"STOP","index":0,"safetyRatings":[{"category":"x","probability":"NEGLIGIBLE"}]}],"usageMetadata":{"promptTokenCount":10,"toolUsePromptTokenCount":4,"cachedContentTokenCount":8,"candidatesTokenCount":5,"thoughtsTokenCount":7}}"#,
        ],
        &[
            thought("**Plan**\n"),
            ModelEvent::Usage(first),
            text("Hel"),
            text("lo 😀"),
            ModelEvent::Usage(last),
            END,
        ],
    );
}

#[test]
fn calls_without_ids_get_some() {
    let id = |index, arguments| made_id("r1", index, "look", arguments);
    check::<Decoder>(
        &[
            r#"{"responseId":"r1","candidates":[{"content":{"parts":[{"functionCall":{"name":"look","args":{"z":1,"a":"ä"}}},{"functionCall":{"name":"look","args":null}},{"functionCall":{"args":{}}}]},"finishReason":"STOP"}]}"#,
        ],
        &[
            ModelEvent::Call(call(&id(0, r#"{"z":1,"a":"ä"}"#), "look", r#"{"z":1,"a":"ä"}"#)),
            ModelEvent::Call(call(&id(1, "{}"), "look", "{}")),
            ModelEvent::End(StopReason::Tools),
        ],
    );
}

#[test]
fn a_stand_in_may_say_that_it_called() {
    check::<Decoder>(
        &[
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"id":"c","name":"look","args":{}}}]},"finishReason":"FUNCTION_CALL"}]}"#,
        ],
        &[ModelEvent::Call(call("c", "look", "{}")), ModelEvent::End(StopReason::Tools)],
    );
}

#[test]
fn half_characters_in_arguments_are_joined() {
    check::<Decoder>(
        &[
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"id":"c","name":"f","args":{"t":"\ud83d\ude00 \ud83d"}}}]}}]}"#,
        ],
        &[ModelEvent::Call(call("c", "f", "{\"t\":\"😀 \u{FFFD}\"}"))],
    );
}

#[test]
fn ends() {
    let check = |reason: &str, expected| {
        let chunk = format!(r#"{{"candidates":[{{"content":{{}},"finishReason":"{reason}"}}]}}"#);
        check::<Decoder>(&[&chunk], &[ModelEvent::End(expected)]);
    };
    check("STOP", StopReason::Done);
    check("MAX_TOKENS", StopReason::Length);
    for reason in
        ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY"]
    {
        check(reason, StopReason::Filtered);
    }
    for reason in ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER", "A_REASON_OF_TOMORROW"] {
        check(reason, StopReason::Other(reason.into()));
    }
}

#[test]
fn a_blocked_prompt_is_filtered() {
    let usage = TokenUsage { input: 3, ..TokenUsage::default() };
    check::<Decoder>(
        &[
            r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":3}}"#,
        ],
        &[ModelEvent::Usage(usage), ModelEvent::End(StopReason::Filtered)],
    );
    check::<Decoder>(
        &[r#"{"promptFeedback":{"safetyRatings":[]},"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#],
        &[text("a")],
    );
}

#[test]
fn prov_19_nothing_follows_the_end() {
    check::<Decoder>(
        &[
            r#"{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}"#,
            r#"{"error":{"code":500}}"#,
        ],
        &[text("a"), END],
    );
}

#[test]
fn what_is_unknown_or_ill_typed_counts_as_absent() {
    check::<Decoder>(
        &[
            "{}",
            "[DONE]",
            r#"{"candidates":null,"usageMetadata":null,"promptFeedback":null,"responseId":null,"error":null}"#,
            r#"{"candidates":[{"index":1,"content":{"parts":[{"text":"another candidate"}]},"finishReason":"STOP"}]}"#,
            r#"{"candidates":[{"content":null,"finishReason":"FINISH_REASON_UNSPECIFIED"}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":null,"thought":"yes","thoughtSignature":5},{"inlineData":{"data":""}},{"executableCode":{"code":"1"}},{"text":"a","thought":null,"functionCall":null}]}}],"usageMetadata":"none"}"#,
        ],
        &[text("a")],
    );
}

#[test]
fn faults_in_the_middle() {
    check_fault::<Decoder>(
        &[r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#],
        "answered 503 code=503 type=UNAVAILABLE: The model is overloaded.",
    );
    check_fault::<Decoder>(&["{\"candidates\":[{"], "broken answer: Eof error at column 16");
}

#[test]
fn chunks_without_events() {
    let mut out = Vec::new();
    let mut decoder = Decoder::default();
    for chunk in [
        r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}"#,
    ] {
        decoder.document(chunk.as_bytes(), &mut out).unwrap();
    }
    assert_eq!(out, [text("a"), text("b"), END]);
}
