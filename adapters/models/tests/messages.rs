//! Anthropic's shape over loopback: what a thought costs to keep, what is sent again without what was refused, and what
//! people notice of a stream that goes wrong.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests may fail loudly"
)]

mod support;

use futures::StreamExt;
use pensive_contract::fault::FaultClass;
use pensive_contract::model::{
    Model, ModelEvent, ModelRequest, Pace, PromptTurn, StopReason, ToolChoice, ToolSpec,
};
use pensive_contract::speech::{Piece, PieceKind, Seal, Speech, ToolOutcome, ToolResult};
use pensive_directives::Level;
use pensive_models::{Api, Models, ProviderSettings};
use serde_json::{Value, json};

use support::{Asked, HandClock, Heard, Provider, Reply, hear, models, request};

const BUDGET: &str = "anthropic/claude-sonnet-4-5";

const START: &str = r#"{"type":"message_start","message":{"usage":{"input_tokens":3,"output_tokens":1}}}"#;
const DONE: &str =
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}"#;
const TOOLS: &str = r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#;
const STOP: &str = r#"{"type":"message_stop"}"#;

fn said(words: &str) -> String {
    json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": words}})
        .to_string()
}

fn begun(index: u64, block: Value) -> String {
    json!({"type": "content_block_start", "index": index, "content_block": block}).to_string()
}

fn ended(index: u64) -> String {
    json!({"type": "content_block_stop", "index": index}).to_string()
}

fn events(data: &[String]) -> Reply {
    Reply::events(&data.iter().map(String::as_str).collect::<Vec<_>>())
}

fn answer(words: &str) -> Reply {
    Reply::events(&[START, r#"{"type":"ping"}"#, &said(words), DONE, STOP, STOP, &said("late")])
}

fn calling(thought: Value) -> Reply {
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "sky"}});
    events(&[begun(0, thought), ended(0), begun(1, call), ended(1), TOOLS.to_owned(), STOP.to_owned()])
}

fn refused(message: &str) -> Reply {
    let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}});
    Reply::status(400, &error.to_string()).header("content-type", "application/json")
}

/// A request with one tool.
fn asking(model: &str, level: Level) -> ModelRequest {
    let look =
        ToolSpec { name: "look".into(), description: "Looks.".into(), schema: r#"{"type":"object"}"#.into() };
    ModelRequest { tools: vec![look], choice: ToolChoice::Auto, ..request(model, level, Pace::Normal) }
}

/// Makes a call and takes in what the model says, as the engine does.
async fn heard(models: &Models, request: &ModelRequest) -> (Speech, Vec<ModelEvent>) {
    let stream = models.stream(request.clone()).await.unwrap();
    let events: Vec<ModelEvent> = stream.map(Result::unwrap).collect().await;
    let mut speech = Speech::new(Some(request.model.clone()));
    events.iter().for_each(|event| speech.hear(event));
    (speech, events)
}

/// What the calls of a tool loop send, and what the second one gives, where the answers are these.
async fn looped(
    provider: &str,
    model: &str,
    replies: impl IntoIterator<Item = Reply>,
) -> (Vec<Asked>, Vec<ModelEvent>) {
    let server = Provider::start(replies).await;
    let models = server.models(provider, Api::AnthropicMessages, HandClock::new());
    let mut request = asking(model, Level::Low);
    let (speech, _) = heard(&models, &request).await;
    let call = speech.calls().next().unwrap();
    let (id, name) = (call.id.clone(), call.name.clone());
    let result = ToolResult { id, name, text: "blue".into(), outcome: ToolOutcome::Done };
    request.turns.extend([PromptTurn::Assistant(speech), PromptTurn::Tools(vec![result])]);
    let (_, events) = heard(&models, &request).await;
    (server.asked(), events)
}

async fn one(provider: &str, model: &str, level: Level, reply: Reply) -> (Asked, Heard) {
    let server = Provider::start([reply]).await;
    let models = server.models(provider, Api::AnthropicMessages, HandClock::new());
    let heard = hear(&models, request(model, level, Pace::Normal)).await;
    (server.asked().remove(0), heard)
}

#[tokio::test]
async fn a_call_and_its_answer() {
    let (asked, heard) = one("anthropic", BUDGET, Level::Low, answer("Hello")).await;
    assert_eq!(heard, Heard::whole("Hello", ""));
    assert_eq!(asked.path, "/v1/messages");
    assert_eq!(asked.headers["x-api-key"], "s3cret-key");
    assert_eq!(asked.headers["anthropic-version"], "2023-06-01");
    assert_eq!(asked.headers.get("authorization"), None);
    assert_eq!(
        asked.body,
        json!({
            "model": "claude-sonnet-4-5",
            "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
            "stream": true,
            "max_tokens": 34048,
            "thinking": {"type": "enabled", "budget_tokens": 2048},
        })
    );
}

#[tokio::test]
async fn the_address_is_the_vendors_with_its_version_or_without() {
    for (base, path) in [
        ("", "/v1/messages"),
        ("/", "/v1/messages"),
        ("/v1", "/v1/messages"),
        ("/v1/", "/v1/messages"),
        ("/anthropic", "/anthropic/v1/messages"),
        ("/coding/v1/?beta=true", "/coding/v1/messages?beta=true"),
    ] {
        let server = Provider::start([answer("Hello")]).await;
        let settings = ProviderSettings {
            name: "claude".into(),
            api: Api::AnthropicMessages,
            base_url: format!("{}{base}", server.url),
            api_key: None,
            headers: Vec::new(),
            models: Vec::new(),
        };
        let models = models(vec![settings], HandClock::new());
        hear(&models, request("claude/m", Level::Off, Pace::Normal)).await;
        assert_eq!(server.asked()[0].path, path, "{base}");
    }
}

#[tokio::test]
async fn prov_01_a_thought_goes_back_byte_for_byte_inside_a_tool_loop() {
    let thought = json!({"type": "thinking", "thinking": " Hm.\n", "signature": "EqQB+/=="});
    let (asked, events) = looped("anthropic", BUDGET, [calling(thought.clone()), answer("Blue.")]).await;
    assert_eq!(
        asked[1].body["messages"],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            {"role": "assistant", "content": [
                thought,
                {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "sky"}},
            ]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "blue"}]},
        ])
    );
    assert_eq!(asked[1].body["thinking"]["type"], "enabled");
    assert_eq!(events.last(), Some(&ModelEvent::End(StopReason::Done)));
}

#[tokio::test]
async fn prov_01_a_signature_that_is_refused_costs_one_call_and_not_the_session() {
    let thought = json!({"type": "thinking", "thinking": "Hm.", "signature": "stale"});
    let stale = refused("messages.1.content.0: Invalid `signature` in `thinking` block");
    let (asked, events) = looped("anthropic", BUDGET, [calling(thought), stale, answer("Blue.")]).await;
    let [_, first, second] = asked.as_slice() else { panic!("{} calls", asked.len()) };
    assert_eq!(first.body["messages"][1]["content"][0]["type"], "thinking");
    assert_eq!(second.body["messages"][1]["content"][0]["type"], "tool_use");
    // A turn that does not begin with a thought may not go on with a budget for one.
    assert_eq!(second.body["thinking"], json!({"type": "disabled"}));
    let learned = events.iter().any(|event| matches!(event, ModelEvent::Learned(_)));
    assert!(!learned && events.contains(&ModelEvent::Text("Blue.".into())));
}

#[tokio::test]
async fn prov_01_what_was_refused_once_is_not_sent_again() {
    let stale = refused("messages.1.content.0: Invalid `signature` in `thinking` block");
    let server = Provider::start([stale, answer("So."), answer("So.")]).await;
    let models = server.models("anthropic", Api::AnthropicMessages, HandClock::new());
    let mut request = request("anthropic/claude-opus-5-5", Level::High, Pace::Normal);
    let mut speech = Speech::text_only(Some(request.model.clone()), "Hello");
    let kind = PieceKind::Reasoning("Hm.".into());
    speech.pieces.insert(0, Piece { kind, seal: Some(Seal("signature:stale".into())) });
    request.turns.extend([PromptTurn::Assistant(speech), PromptTurn::User("And?".into())]);
    for _ in 0..2 {
        assert_eq!(hear(&models, request.clone()).await, Heard::whole("So.", ""));
    }
    let first = |asked: &Asked| asked.body["messages"][1]["content"][0]["type"].clone();
    let sent: Vec<Value> = server.asked().iter().map(first).collect();
    assert_eq!(sent, ["thinking", "text", "text"]);
}

#[tokio::test]
async fn rsn_01_servers_that_do_not_sign_get_their_thoughts_back_and_show_none() {
    let thought = json!({"type": "thinking", "thinking": "Hm.", "signature": ""});
    let (asked, _) =
        looped("kimi", "kimi/kimi-for-coding", [calling(thought.clone()), answer("Blue.")]).await;
    assert_eq!(asked[1].body["messages"][1]["content"][0], thought);
    assert_eq!(asked[1].body["thinking"], json!({"type": "enabled", "budget_tokens": 2048}));

    let leaky = answer("<think>The person says hi.</think>\n\nHello");
    let (asked, heard) = one("minimax", "minimax/MiniMax-M2.7", Level::Off, leaky).await;
    assert_eq!(heard, Heard::whole("Hello", "The person says hi."));
    assert_eq!(asked.body["thinking"], json!({"type": "disabled"}));
}

#[tokio::test]
async fn prov_18_a_level_that_is_refused_is_repeated_with_another_and_told() {
    let no = refused("\"thinking.type.disabled\" is not supported for this model.");
    let server = Provider::start([no, answer("Hello")]).await;
    let models = server.models("anthropic", Api::AnthropicMessages, HandClock::new());
    let (speech, events) =
        heard(&models, &request("anthropic/claude-opus-5", Level::Off, Pace::Normal)).await;
    assert_eq!(speech.text(), "Hello");
    assert!(matches!(&events[0], ModelEvent::Learned(lesson) if lesson.refused == Level::Off));
    let sent: Vec<Value> =
        server.asked().into_iter().map(|asked| asked.body["thinking"]["type"].clone()).collect();
    assert_eq!(sent, ["disabled", "adaptive"]);
}

#[tokio::test]
async fn prov_19_a_stream_that_goes_wrong_is_told_in_plain_words() {
    let fault = async |data: &[&str]| {
        let (_, heard) = one("anthropic", BUDGET, Level::Off, Reply::events(data)).await;
        assert_eq!(heard.text, "Hel");
        heard.fault.unwrap()
    };
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let busy = fault(&[START, &said("Hel"), overloaded]).await;
    assert_eq!(busy.class, FaultClass::Again);
    assert_eq!(busy.person, "The model provider has trouble right now. Please try again in a moment.");
    assert_eq!(busy.log, "anthropic: answered 529 type=overloaded_error: Overloaded");
    let cut = fault(&[START, &said("Hel"), DONE]).await;
    assert_eq!(cut.class, FaultClass::Again);
    assert_eq!(cut.person, "The model's answer was cut off on its way. Please try again in a moment.");
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_heard_too() {
    let document = r#"{"type":"message","content":[{"type":"thinking","thinking":"Hm.","signature":"x"},{"type":"text","text":"Hello"}],"stop_reason":"end_turn"}"#;
    let reply = Reply::status(200, document).header("content-type", "application/json");
    let (_, heard) = one("anthropic", BUDGET, Level::Low, reply).await;
    assert_eq!(heard, Heard::whole("Hello", "Hm."));
}
