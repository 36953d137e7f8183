//! Anthropic's Messages: events, blocks and what the last of them tells.

use pensive_tests::model::{Failure, Finish, Script, Usage};
use serde_json::{Value, json};

use crate::bench::{Bench, events, kinds};

#[tokio::test]
async fn every_event_comes_in_order() {
    let bench = Bench::new().await;
    let usage = Usage { input: 9, cached: 2, output: 5, reasoning: 3 };
    bench.model.play(
        Script::new()
            .reasoning("h")
            .reasoning("m")
            .signature("seal")
            .redacted("dark")
            .text("I look.")
            .tool_call("look", &json!({"q": "é"}))
            .usage(usage),
    );
    let response = bench.anthropic(json!({"stream": true})).await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream; charset=utf-8");
    let events = events(response).await;
    let expected = [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(kinds(&events), expected);
    assert_eq!(events[0]["message"]["usage"]["input_tokens"], 7);
    assert_eq!(events[3]["delta"], json!({"type": "thinking_delta", "thinking": "h"}));
    assert_eq!(events[5]["delta"], json!({"type": "signature_delta", "signature": "seal"}));
    assert_eq!(events[7]["content_block"], json!({"type": "redacted_thinking", "data": "dark"}));
    let indices: Vec<_> = events.iter().filter_map(|event| event["index"].as_u64()).collect();
    assert_eq!(indices, [0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3]);
    let json: String = (13..16).map(|at| events[at]["delta"]["partial_json"].as_str().unwrap()).collect();
    assert_eq!(json, r#"{"q":"é"}"#);
    assert_eq!(events[17]["delta"]["stop_reason"], "tool_use");
    assert_eq!(events[17]["usage"]["output_tokens_details"]["thinking_tokens"], 3);
}

#[tokio::test]
async fn a_whole_answer_has_the_same_blocks() {
    let bench = Bench::new().await;
    bench
        .model
        .play(Script::new().reasoning("a").new_thought().reasoning("b").text("c").finish(Finish::Length));
    let whole: Value = bench.anthropic(json!({})).await.unwrap().json().await.unwrap();
    let content = whole["content"].as_array().unwrap();
    let blocks: Vec<_> = content.iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(blocks, ["thinking", "thinking", "text"]);
    assert_ne!(content[0]["signature"], content[1]["signature"]);
    assert_eq!((&whole["stop_reason"], &whole["role"]), (&json!("max_tokens"), &json!("assistant")));
    bench.model.play(Script::new().reasoning("a").text("c").unsigned());
    let whole: Value = bench.anthropic(json!({})).await.unwrap().json().await.unwrap();
    assert_eq!(whole["content"][0]["signature"], "");
}

#[tokio::test]
async fn thoughts_without_their_text_still_have_a_signature() {
    let bench = Bench::new().await;
    for (fields, seen) in [
        (json!({"model": "claude-opus-4-8", "thinking": {"type": "adaptive"}}), ""),
        (
            json!({"model": "claude-opus-4-8", "thinking": {"type": "adaptive", "display": "summarized"}}),
            "hm",
        ),
        (json!({"model": "claude-opus-4-6", "thinking": {"type": "adaptive"}}), "hm"),
    ] {
        bench.model.play(Script::new().reasoning("hm").text("a"));
        let whole: Value = bench.anthropic(fields.clone()).await.unwrap().json().await.unwrap();
        assert_eq!(whole["content"][0]["thinking"], seen, "{fields}");
        assert!(!whole["content"][0]["signature"].as_str().unwrap().is_empty());
    }
}

#[tokio::test]
async fn it_goes_wrong_in_its_own_shape() {
    let bench = Bench::new().await;
    for (status, kind) in
        [(401, "authentication_error"), (429, "rate_limit_error"), (529, "overloaded_error")]
    {
        bench.model.play(Script::fail(Failure::json(status).retry_after("7")));
        let refused = bench.anthropic(json!({})).await.unwrap();
        assert_eq!(
            (refused.status().as_u16(), refused.headers()["retry-after"].to_str().unwrap()),
            (status, "7")
        );
        let body: Value = refused.json().await.unwrap();
        assert_eq!((&body["type"], &body["error"]["type"]), (&json!("error"), &json!(kind)));
    }
    bench.model.play(Script::new().unknown_event().text("a").error_event("boom"));
    let odd = events(bench.anthropic(json!({"stream": true})).await.unwrap()).await;
    assert_eq!(kinds(&odd)[2..], ["weather", "content_block_start", "content_block_delta", "error"]);
    bench.model.play(Script::new().text("a").end_early());
    let cut = bench.anthropic(json!({"stream": true})).await.unwrap().text().await.unwrap();
    assert!(!cut.contains("message_stop"));
    let list = bench.get("/v1/models", ("anthropic-version", "2023-06-01")).await;
    assert_eq!(list["data"][0]["type"], "model");
}
