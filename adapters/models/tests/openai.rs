//! Tool loops over loopback in OpenAI's two shapes: what a model said goes back as it came, and not where it is refused.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::let_underscore_must_use,
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "tests may fail loudly, and start their server as they like; not every file uses all of the support"
)]

mod support;

use futures::StreamExt;
use pensive_contract::model::{
    Model, ModelEvent, ModelRef, ModelRequest, Pace, PromptTurn, StopReason, ToolChoice, ToolSpec,
};
use pensive_contract::speech::{Speech, ToolCall, ToolOutcome, ToolResult};
use pensive_directives::Level;
use pensive_models::{Api, Models};
use serde_json::{Value, json};

use support::{HandClock, Provider, Reply, request};

/// A request with one tool.
fn asking(model: &str, level: Level) -> ModelRequest {
    let tools = vec![ToolSpec {
        name: "look".into(),
        description: "Looks.".into(),
        schema: r#"{"type":"object","properties":{"at":{"type":"string"}}}"#.into(),
    }];
    ModelRequest { tools, ..request(model, level, Pace::Normal) }
}

/// Makes a call and takes in what the model says, as the engine does.
async fn heard(models: &Models, request: &ModelRequest) -> (Speech, StopReason) {
    let mut speech = Speech::new(Some(request.model.clone()));
    let mut stream = models.stream(request.clone()).await.unwrap();
    while let Some(event) = stream.next().await {
        let event = event.unwrap();
        speech.hear(&event);
        if let ModelEvent::End(reason) = event {
            return (speech, reason);
        }
    }
    panic!("a stream has an end");
}

/// The request after the model's calls were worked.
fn answered(mut request: ModelRequest, speech: Speech) -> ModelRequest {
    let result = |call: &ToolCall| ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        text: "blue".into(),
        outcome: ToolOutcome::Done,
    };
    let results = speech.calls().map(result).collect();
    request.turns.extend([PromptTurn::Assistant(speech), PromptTurn::Tools(results)]);
    request
}

/// What the second call of a tool loop sends, when the first one is answered like this.
async fn second_body(
    provider: &str,
    api: Api,
    model: &str,
    level: Level,
    first: &[String],
    done: &str,
) -> Value {
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let server = Provider::start([Reply::events(&first), Reply::events(&[done])]).await;
    let models = server.models(provider, api, HandClock::new());
    let request = asking(model, level);
    let (speech, reason) = heard(&models, &request).await;
    assert_eq!(reason, StopReason::Tools);
    heard(&models, &answered(request, speech)).await;
    server.asked().remove(1).body
}

const COMPLETED: &str = r#"{"type":"response.completed","response":{"output":[{"type":"message","content":[{"text":"Blue."}]}]}}"#;

/// A first answer in Responses: reasoning, a word on the way, a call.
fn response() -> Vec<String> {
    let items = [
        json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "gAAA+/="}),
        json!({"type": "message", "phase": "commentary", "content": [{"type": "output_text", "text": "I look."}]}),
        json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": "{\"at\": \"sky\"}"}),
    ];
    let done = |(index, item): (usize, &Value)| json!({"type": "response.output_item.done", "output_index": index, "item": item});
    let events = items.iter().enumerate().map(done);
    let last = json!({"type": "response.completed", "response": {"output": []}});
    events.chain([last]).map(|event| event.to_string()).collect()
}

#[tokio::test]
async fn prov_01_sealed_reasoning_goes_back_before_the_call_that_followed_it() {
    let body = second_body(
        "openai",
        Api::OpenaiResponses,
        "openai/gpt-5.6-sol",
        Level::High,
        &response(),
        COMPLETED,
    )
    .await;
    let expected = json!([
        {"type": "message", "role": "user", "content": "Hi"},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "gAAA+/="},
        {"type": "message", "role": "assistant", "content": "I look.", "phase": "commentary"},
        {"type": "function_call", "arguments": "{\"at\": \"sky\"}", "call_id": "call_1", "name": "look"},
        {"type": "function_call_output", "call_id": "call_1", "output": "blue"},
    ]);
    assert_eq!(body["input"], expected);
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
}

#[tokio::test]
async fn prov_01_reasoning_that_is_not_known_again_is_left_out_once() {
    let no = r#"{"error":{"message":"The encrypted content gAAA... could not be verified.","type":"invalid_request_error","code":"invalid_encrypted_content"}}"#;
    let first = response();
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let replies = [Reply::events(&first), Reply::status(400, no), Reply::events(&[COMPLETED])];
    let server = Provider::start(replies).await;
    let models = server.models("openai", Api::OpenaiResponses, HandClock::new());
    let request = asking("openai/gpt-5.6-sol", Level::High);
    let (speech, _) = heard(&models, &request).await;
    let (answer, _) = heard(&models, &answered(request, speech)).await;
    assert_eq!(answer.text(), "Blue.");
    let bodies: Vec<Value> = server.asked().into_iter().map(|asked| asked.body).collect();
    let kinds = |body: &Value| {
        let items = body["input"].as_array().unwrap().iter();
        items.map(|item| item["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(kinds(&bodies[1]), "message reasoning message function_call function_call_output");
    assert_eq!(kinds(&bodies[2]), "message message function_call function_call_output");
}

#[tokio::test]
async fn what_cannot_be_left_out_is_not_asked_twice() {
    for message in [
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
    ] {
        let no = json!({ "error": { "message": message, "type": "invalid_request_error" } }).to_string();
        let server = Provider::start([Reply::status(400, &no), Reply::status(400, &no)]).await;
        let models = server.models("deepseek", Api::OpenaiCompletions, HandClock::new());
        let request = asking("deepseek/deepseek-v4-pro", Level::High);
        let fault = models.stream(request).await.err().unwrap();
        assert_eq!(server.asked().len(), 1, "{message}");
        assert!(
            fault.person.starts_with("The model provider did not accept our request."),
            "{}",
            fault.person
        );
    }
}

#[tokio::test]
async fn nothing_sealed_goes_to_another_model() {
    let first = response();
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let server = Provider::start([Reply::events(&first), Reply::events(&[COMPLETED])]).await;
    let models = server.models("openai", Api::OpenaiResponses, HandClock::new());
    let request = asking("openai/gpt-5.6-sol", Level::High);
    let (speech, _) = heard(&models, &request).await;
    let mut next = answered(request, speech);
    next.model = ModelRef::parse("openai/gpt-5.6-luna").unwrap();
    heard(&models, &next).await;
    let body = server.asked().remove(1).body;
    assert!(!body["input"].to_string().contains("gAAA"), "{body}");
}

fn deltas(deltas: &[Value]) -> Vec<String> {
    let chunk = |delta: &Value| json!({"choices": [{"index": 0, "delta": delta}]}).to_string();
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}).to_string();
    deltas.iter().map(chunk).chain([end, "[DONE]".to_owned()]).collect()
}

fn call() -> Value {
    json!({"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]})
}

/// The assistant's turn of the second body in Chat Completions.
async fn turn(provider: &str, model: &str, level: Level, first: &[Value]) -> Value {
    let body = second_body(provider, Api::OpenaiCompletions, model, level, &deltas(first), "[DONE]").await;
    assert_eq!(body["messages"][2], json!({"role": "tool", "content": "blue", "tool_call_id": "call_1"}));
    body["messages"][1].clone()
}

#[tokio::test]
async fn prov_02_deepseek_gets_its_reasoning_back() {
    let thought = json!({"reasoning_content": " Hm.\n"});
    let said = turn("deepseek", "deepseek/deepseek-v4-pro", Level::High, &[thought.clone(), call()]).await;
    assert_eq!(said["reasoning_content"], " Hm.\n");
    assert_eq!(said["content"], Value::Null);
    let said = turn("deepseek", "deepseek/deepseek-v4-pro", Level::High, &[call()]).await;
    assert_eq!(said["reasoning_content"], "");
    let said = turn("deepseek", "deepseek/deepseek-v4-pro", Level::Off, &[thought, call()]).await;
    assert_eq!(said.get("reasoning_content"), None);
}

#[tokio::test]
async fn prov_02_a_proxy_that_misses_the_reasoning_gets_it_and_is_not_asked_again_without() {
    let first = deltas(&[json!({"reasoning_content": "Hm."}), call()]);
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let no = r#"{"error":{"message":"The reasoning_content in the thinking mode must be passed back to the API."}}"#;
    let done = || Reply::events(&["[DONE]"]);
    let server = Provider::start([Reply::events(&first), Reply::status(400, no), done(), done()]).await;
    let models = server.models("proxy", Api::OpenaiCompletions, HandClock::new());
    let request = asking("proxy/thinker", Level::High);
    let (speech, _) = heard(&models, &request).await;
    let next = answered(request, speech);
    heard(&models, &next).await;
    heard(&models, &next).await;
    let bodies = server.asked().into_iter().skip(1).map(|asked| asked.body);
    let sent: Vec<Value> = bodies.map(|body| body["messages"][1]["reasoning_content"].clone()).collect();
    assert_eq!(sent, [Value::Null, json!("Hm."), json!("Hm.")]);
}

#[tokio::test]
async fn prov_16_groq_gets_none_back() {
    let thought = json!({"reasoning": "Hm."});
    let said = turn("groq", "groq/openai/gpt-oss-120b", Level::High, &[thought, call()]).await;
    let fields: Vec<&String> = said.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["role", "content", "tool_calls"]);
}

#[tokio::test]
async fn prov_16_each_vendor_gets_of_its_reasoning_what_it_takes() {
    let detail = json!({"type": "reasoning.text", "text": "Hm.", "index": 0});
    let thought = json!({"reasoning_content": "Hm.", "reasoning_details": [detail]});
    for (provider, model, expected) in [
        ("deepseek", "deepseek-v4-flash", Some("reasoning_content")),
        ("zai", "glm-4.7", Some("reasoning_content")),
        ("zai", "glm-5.3", Some("reasoning_content")),
        ("moonshot", "kimi-k2.6", Some("reasoning_content")),
        ("moonshot", "kimi-k3", Some("reasoning_content")),
        ("openrouter", "z-ai/glm-5.3", Some("reasoning_details")),
        ("openrouter", "deepseek/deepseek-v4-pro", Some("reasoning_details")),
        ("qwen", "qwen3-max", None),
        ("xai", "grok-4.3", None),
        ("mistral", "mistral-small-latest", None),
        ("openai", "gpt-5.2", None),
        ("a-server-at-home", "qwen3", None),
    ] {
        let (name, first) = (format!("{provider}/{model}"), deltas(&[thought.clone(), call()]));
        let body = second_body(provider, Api::OpenaiCompletions, &name, Level::Max, &first, "[DONE]").await;
        let said = &body["messages"][1];
        let fields = ["reasoning", "reasoning_content", "reasoning_details"];
        let sent: Vec<&str> = fields.into_iter().filter(|field| said.get(field).is_some()).collect();
        assert_eq!(sent, Vec::from_iter(expected), "{name}: {said}");
    }
}

#[tokio::test]
async fn openrouter_gets_its_list_back() {
    let detail = |text: &str| json!({"type": "reasoning.text", "text": text, "format": "anthropic-claude-v1", "index": 0});
    let signature = json!({"type": "reasoning.text", "signature": "s+/=", "index": 0});
    let said = turn(
        "openrouter",
        "openrouter/anthropic/claude-sonnet-4.5",
        Level::High,
        &[
            json!({"reasoning": "Hm", "reasoning_details": [detail("Hm")]}),
            json!({"reasoning": ".", "reasoning_details": [detail(".")]}),
            json!({"reasoning_details": [signature]}),
            json!({"content": "I look."}),
            call(),
        ],
    )
    .await;
    let mut whole = detail("Hm.");
    whole["signature"] = "s+/=".into();
    assert_eq!(said["reasoning_details"], json!([whole]));
    assert_eq!((&said["content"], said.get("reasoning_content")), (&json!("I look."), None));
}

#[tokio::test]
async fn prov_09_gemini_gets_its_signature_back_through_a_compatible_route() {
    let mut sealed = call();
    let extra = json!({"google": {"thought_signature": "c2ln"}});
    sealed["tool_calls"][0]["extra_content"] = extra.clone();
    let said = turn("local", "local/gemini-3-pro", Level::High, &[sealed]).await;
    assert_eq!(said["tool_calls"][0]["extra_content"], extra);
}

#[tokio::test]
async fn rsn_09_a_thought_in_tags_before_a_call_is_no_text() {
    let first = deltas(&[json!({"content": "<think>plan</think>"}), call()]);
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let server = Provider::start([Reply::events(&first)]).await;
    let models = server.models("local", Api::OpenaiCompletions, HandClock::new());
    let (speech, reason) = heard(&models, &asking("local/m", Level::Off)).await;
    assert_eq!((speech.text(), speech.reasoning()), (String::new(), "plan".to_owned()));
    assert_eq!((speech.calls().count(), reason), (1, StopReason::Tools));
}

#[tokio::test]
async fn the_choice_of_tools_reaches_the_wire() {
    for (api, provider, model, done, named) in [
        (
            Api::OpenaiCompletions,
            "local",
            "local/m",
            "[DONE]",
            json!({"type": "function", "function": {"name": "look"}}),
        ),
        (
            Api::OpenaiResponses,
            "openai",
            "openai/gpt-5",
            COMPLETED,
            json!({"type": "function", "name": "look"}),
        ),
    ] {
        let server = Provider::start([Reply::events(&[done]), Reply::events(&[done])]).await;
        let models = server.models(provider, api, HandClock::new());
        let mut request = asking(model, Level::Off);
        request.choice = ToolChoice::Named("look".into());
        heard(&models, &request).await;
        request.tools.clear();
        heard(&models, &request).await;
        let bodies: Vec<Value> = server.asked().into_iter().map(|asked| asked.body).collect();
        assert_eq!(bodies[0]["tool_choice"], named);
        assert_eq!((bodies[1].get("tools"), bodies[1].get("tool_choice")), (None, None), "PROV-08");
    }
}
