//! Answers in full, in part and broken.

use async_openai::types::responses::ResponseStreamEvent;
use pensive_contract::fault::FaultClass;
use pensive_contract::model::{ModelEvent, StopReason, TokenUsage};
use pensive_contract::speech::{Seal, ToolCall};

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
fn the_status_inside_goes_before_the_name_of_the_last_event() {
    let last =
        |status: &str| format!(r#"{{"type":"response.completed","response":{{"status":"{status}"}}}}"#);
    check::<Decoder>(&[&last("completed")], &[ModelEvent::End(StopReason::Done)]);
    check::<Decoder>(&[&last("incomplete")], &[ModelEvent::End(StopReason::Length)]);
    let told = "broke off with an error: the response failed without a reason";
    check_fault::<Decoder>(&[&last("failed")], told);
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

fn call(id: &str, name: &str, arguments: &str) -> ModelEvent {
    ModelEvent::Call(ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() })
}

fn seal(text: &str) -> ModelEvent {
    ModelEvent::Seal(Seal(text.to_owned()))
}

const TOOLS: ModelEvent = ModelEvent::End(StopReason::Tools);

#[test]
fn parallel_calls_behind_sealed_reasoning() {
    check::<Decoder>(
        &[
            r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"half"}}"#,
            r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"Hm."}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"whole"}}"#,
            r#"{"type":"response.output_item.added","output_index":1,"item":{"id":"fc_1","type":"function_call","status":"in_progress","arguments":"","call_id":"call_1","name":"look"}}"#,
            r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"delta":"{\"a\""}"#,
            r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"delta":": 1}"}"#,
            r#"{"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":1,"name":"look","arguments":"{\"a\": 1}"}"#,
            r#"{"type":"response.output_item.done","output_index":1,"item":{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"a\": 1}","call_id":"call_1","name":"look"}}"#,
            r#"{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_2","type":"function_call","status":"in_progress","arguments":"","call_id":"call_2","name":"hear"}}"#,
            r#"{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_2","type":"function_call","status":"completed","arguments":"","call_id":"call_2","name":"hear"}}"#,
            r#"{"type":"response.completed","response":{"status":"completed","output":[{"id":"fc_1","type":"function_call","arguments":"{\"a\": 1}","call_id":"call_1","name":"look"}]}}"#,
        ],
        &[
            reasoning("Hm."),
            seal(r#"{"id":"rs_1","summary":["Hm."],"encrypted_content":"whole"}"#),
            call("call_1", "look", r#"{"a": 1}"#),
            call("call_2", "hear", "{}"),
            TOOLS,
        ],
    );
}

#[test]
fn calls_of_servers_that_leave_events_out() {
    // Deltas and no items at their ends.
    check::<Decoder>(
        &[
            r#"{"type":"response.output_item.added","output_index":3,"item":{"type":"function_call","id":"fc_9","name":"look"}}"#,
            r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"c","name":"hear","arguments":null}}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":3,"delta":"{}"}"#,
            r#"{"type":"response.completed","response":{}}"#,
        ],
        &[call("c", "hear", "{}"), call("fc_9", "look", "{}"), TOOLS],
    );
    // Only the final response.
    check::<Decoder>(
        &[
            r#"{"type":"response.completed","response":{"output":[{"type":"reasoning","id":"r","encrypted_content":"e"},{"type":"function_call","call_id":"c","name":"look","arguments":"{}"}]}}"#,
        ],
        &[seal(r#"{"id":"r","summary":[],"encrypted_content":"e"}"#), call("c", "look", "{}"), TOOLS],
    );
    // A call without a name is none.
    check::<Decoder>(
        &[
            r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{}"}"#,
            r#"{"type":"response.completed","response":{}}"#,
        ],
        &[END],
    );
}

#[test]
fn a_call_that_was_broken_off_is_none() {
    check::<Decoder>(
        &[
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"look"}}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"a"}"#,
            r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"function_call","call_id":"c","name":"look","arguments":"{\"a","status":"incomplete"}]}}"#,
        ],
        &[ModelEvent::End(StopReason::Length)],
    );
}

#[test]
fn the_phase_of_a_message_is_kept_and_parts_what_was_said() {
    check::<Decoder>(
        &[
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message","phase":"commentary","content":[]}}"#,
            r#"{"type":"response.output_text.delta","output_index":0,"delta":"I look."}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","phase":"commentary","content":[{"type":"output_text","text":"I look."}]}}"#,
            r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"message","phase":"final_answer","content":[{"type":"output_text","text":"Blue."}]}}"#,
            r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"message","phase":"final_answer","content":[]}}"#,
            r#"{"type":"response.output_item.done","output_index":3,"item":{"type":"message","phase":null,"content":[{"type":"output_text","text":"More."}]}}"#,
            r#"{"type":"response.completed","response":{}}"#,
        ],
        &[
            text("I look."),
            seal(r#"{"phase":"commentary"}"#),
            text("Blue."),
            seal(r#"{"phase":"final_answer"}"#),
            text("More."),
            END,
        ],
    );
}

#[test]
fn halves_of_a_character_in_arguments_are_joined() {
    check::<Decoder>(
        &[
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"say"}}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"a\":\"\ud83d"}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"\ude00\"}"}"#,
            r#"{"type":"response.completed","response":{}}"#,
        ],
        &[call("c", "say", r#"{"a":"😀"}"#), TOOLS],
    );
}
