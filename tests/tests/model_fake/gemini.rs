//! Gemini: chunks of parts, thoughts where asked for, seals on the part after them.

use pensive_tests::model::{Failure, Finish, Script, Usage};
use serde_json::{Value, json};

use crate::bench::{Bench, events};

const STREAM: &str = "gemini-3-pro-preview:streamGenerateContent?alt=sse";
const WHOLE: &str = "gemini-3-pro-preview:generateContent";

fn thoughts() -> Value {
    json!({"generationConfig": {"thinkingConfig": {"includeThoughts": true, "thinkingLevel": "HIGH"}}})
}

fn part(event: &Value) -> &Value {
    &event["candidates"][0]["content"]["parts"][0]
}

#[tokio::test]
async fn chunks_have_parts_and_the_last_one_tells_the_rest() {
    let bench = Bench::new().await;
    let usage = Usage { input: 9, cached: 2, output: 5, reasoning: 3 };
    bench
        .model
        .play(Script::new().reasoning("h").reasoning("m").sealed().text("hel").text("lo").usage(usage));
    let events = events(bench.gemini(STREAM, thoughts()).await.unwrap()).await;
    assert_eq!(events.len(), 5);
    assert_eq!(*part(&events[0]), json!({"text": "h", "thought": true}));
    assert_eq!(*part(&events[2]), json!({"text": "hel"}));
    assert!(part(&events[4])["thoughtSignature"].is_string());
    assert_eq!(events[3]["candidates"][0].get("finishReason"), None);
    assert_eq!(events[4]["candidates"][0]["finishReason"], "STOP");
    let counts = json!({
        "promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 14,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 9}], "thoughtsTokenCount": 3, "cachedContentTokenCount": 2,
    });
    assert_eq!(events[4]["usageMetadata"], counts);
}

#[tokio::test]
async fn a_whole_answer_joins_its_pieces() {
    let bench = Bench::new().await;
    bench.model.play(
        Script::new()
            .reasoning("h")
            .reasoning("m")
            .signature("U2VhbA==")
            .text("I ")
            .text("look.")
            .tool_call("look", &json!({"q": 1})),
    );
    let whole: Value = bench.gemini(WHOLE, thoughts()).await.unwrap().json().await.unwrap();
    let parts = &whole["candidates"][0]["content"]["parts"];
    assert_eq!(
        (&parts[0], &parts[1]),
        (&json!({"text": "hm", "thought": true}), &json!({"text": "I look."}))
    );
    assert_eq!(
        (&parts[2]["functionCall"]["args"], &parts[2]["thoughtSignature"]),
        (&json!({"q": 1}), &json!("U2VhbA=="))
    );
}

#[tokio::test]
async fn thoughts_are_hidden_unless_asked_for_and_old_models_seal_nothing() {
    let bench = Bench::new().await;
    bench.model.play(Script::new().reasoning("hm").text("a").tool_call("look", &json!({})));
    let old =
        events(bench.gemini("gemini-2.5-flash:streamGenerateContent?alt=sse", json!({})).await.unwrap())
            .await;
    assert_eq!(*part(&old[0]), json!({"text": "a"}));
    assert_eq!(part(&old[1]).get("thoughtSignature"), None);
    assert_eq!(old.last().unwrap()["usageMetadata"]["thoughtsTokenCount"], 1);
}

#[tokio::test]
async fn field_names_are_read_in_either_case() {
    let bench = Bench::new().await;
    bench.model.play(Script::new().reasoning("hm").text("a"));
    let snake = json!({"generation_config": {"thinking_config": {"include_thoughts": true, "thinking_level": "LOW"}}});
    let whole: Value = bench.gemini(WHOLE, snake).await.unwrap().json().await.unwrap();
    assert_eq!(whole["candidates"][0]["content"]["parts"][0]["text"], "hm");
    assert_eq!(bench.model.requests()[0].effort(), Some("LOW"));
}

#[tokio::test]
async fn it_goes_wrong_in_its_own_shape() {
    let bench = Bench::new().await;
    bench.model.play(Script::fail(Failure::json(429).retry_after("7")));
    let refused = bench.gemini(WHOLE, json!({})).await.unwrap();
    assert_eq!(refused.headers().get("retry-after"), None);
    let body: Value = refused.json().await.unwrap();
    assert_eq!(
        (&body["error"]["code"], &body["error"]["status"]),
        (&json!(429), &json!("RESOURCE_EXHAUSTED"))
    );
    assert_eq!(body["error"]["details"][0]["retryDelay"], "7s");
    for (finish, reason) in [(Finish::Length, "MAX_TOKENS"), (Finish::ContentFilter, "SAFETY")] {
        bench.model.play(Script::new().text("a").finish(finish));
        let whole: Value = bench.gemini(WHOLE, json!({})).await.unwrap().json().await.unwrap();
        assert_eq!(whole["candidates"][0]["finishReason"], reason);
    }
    bench.model.play(Script::new().text("a").unknown_event().error_event("boom"));
    let odd = events(bench.gemini(STREAM, json!({})).await.unwrap()).await;
    assert!(part(&odd[1]).get("weather").is_some());
    assert_eq!(odd[2]["error"]["status"], "UNAVAILABLE");
    let list = bench.get("/v1beta/models", ("x-goog-api-key", "k")).await;
    assert_eq!(list["models"][0]["name"], "models/gpt-5.6-sol");
}
