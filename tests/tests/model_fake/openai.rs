//! OpenAI's two shapes, streamed and whole, and everything that goes wrong.

use pensive_tests::{
    gate::Gate,
    model::{Failure, Fate, Finish, ReasoningShape, Script, Usage},
};
use serde_json::{Value, json};

use crate::bench::{Bench, events, kinds};

#[tokio::test]
async fn without_a_script_the_prompt_is_echoed() {
    let bench = Bench::new().await;
    let whole: Value = bench.chat(json!({})).await.unwrap().json().await.unwrap();
    assert_eq!(whole["choices"][0]["message"]["content"], "You said: hello you");
    let whole: Value =
        bench.responses(json!({"reasoning": {"effort": "high"}})).await.unwrap().json().await.unwrap();
    assert_eq!(whole["output"][1]["content"][0]["text"], "You said: hello you");
    assert_eq!(whole["output"][0]["summary"][0]["text"], "Thinking with effort high.");
    let requests = bench.model.requests();
    assert_eq!((requests[1].effort(), requests[1].prompt().as_str()), (Some("high"), "hello you"));
}

#[tokio::test]
async fn chat_streams_role_thoughts_text_finish_usage_and_done() {
    let bench = Bench::new().await;
    let usage = Usage { input: 9, cached: 2, output: 5, reasoning: 3 };
    bench.model.play(Script::new().reasoning("hm").text("he").text("llo").usage(usage));
    let asked = json!({"stream": true, "stream_options": {"include_usage": true}});
    let events = events(bench.chat(asked).await.unwrap()).await;
    let deltas: Vec<&Value> = events.iter().map(|event| &event["choices"][0]["delta"]).collect();
    assert_eq!(*deltas[0], json!({"role": "assistant", "content": "", "refusal": null}));
    assert_eq!((&deltas[1]["reasoning_content"], &deltas[2]["content"]), (&json!("hm"), &json!("he")));
    assert_eq!(events[4]["choices"][0]["finish_reason"], "stop");
    assert_eq!(events[5]["usage"]["completion_tokens_details"]["reasoning_tokens"], 3);
    assert_eq!(events[6], "[DONE]");
}

#[tokio::test]
async fn responses_streams_every_event_in_order() {
    let bench = Bench::new().await;
    bench
        .model
        .play(Script::new().reasoning("a").reasoning("b").text("c").tool_call("look", &json!({"q": "é"})));
    let events = events(bench.responses(json!({"stream": true})).await.unwrap()).await;
    let expected = [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.done",
        "response.reasoning_summary_part.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
    ];
    assert_eq!(kinds(&events), expected);
    let numbers: Vec<_> = events.iter().map(|event| event["sequence_number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..21).collect::<Vec<_>>());
    let response = &events[20]["response"];
    assert_eq!(response["output"][0]["summary"][0]["text"], "ab");
    assert_eq!(response["output"][2]["arguments"], r#"{"q":"é"}"#);
    assert_eq!(response["usage"]["output_tokens_details"]["reasoning_tokens"], 1);
}

#[tokio::test]
async fn ends_short_of_the_end_are_told_in_each_shape() {
    let bench = Bench::new().await;
    bench.model.play(Script::new().text("a").finish(Finish::Length));
    let chat = events(bench.chat(json!({"stream": true})).await.unwrap()).await;
    assert_eq!(chat[2]["choices"][0]["finish_reason"], "length");
    bench.model.play(Script::new().text("a").finish(Finish::Length));
    let responses = events(bench.responses(json!({"stream": true})).await.unwrap()).await;
    let last = responses.last().unwrap();
    assert_eq!(last["type"], "response.incomplete");
    assert_eq!(last["response"]["incomplete_details"]["reason"], "max_output_tokens");
}

#[tokio::test]
async fn thoughts_come_under_every_name() {
    let bench = Bench::new().await;
    for (shape, name) in [
        (ReasoningShape::Usual, "reasoning_content"),
        (ReasoningShape::Plain, "reasoning"),
        (ReasoningShape::Details, "reasoning_details"),
    ] {
        bench.model.play(Script::new().reasoning("hm").text("a").reasoning_as(shape).null_first());
        let events = events(bench.chat(json!({"stream": true})).await.unwrap()).await;
        assert_eq!(events[0]["choices"][0]["delta"]["content"], Value::Null);
        assert!(events[1]["choices"][0]["delta"].get(name).is_some(), "{name}");
    }
}

#[tokio::test]
async fn failures_have_status_body_and_wait() {
    let bench = Bench::new().await;
    bench.model.play(Script::fail(Failure::json(429).retry_after("7")));
    let refused = bench.chat(json!({})).await.unwrap();
    assert_eq!((refused.status().as_u16(), refused.headers()["retry-after"].to_str().unwrap()), (429, "7"));
    assert_eq!(refused.json::<Value>().await.unwrap()["error"]["code"], "rate_limit_exceeded");
    bench.model.play(Script::fail(Failure::html(502)));
    assert!(bench.chat(json!({})).await.unwrap().text().await.unwrap().starts_with("<html>"));
    bench.model.play(Script::fail(Failure::reset()));
    assert!(bench.chat(json!({})).await.is_err());
    let missing = bench.ask("chat/completions", json!({"model": "m"})).await.unwrap();
    assert_eq!(
        missing.json::<Value>().await.unwrap()["error"]["message"],
        "Missing required parameter: 'messages'."
    );
    assert_eq!(bench.ask("embeddings", json!({})).await.unwrap().status(), 404);
}

#[tokio::test]
async fn streams_break_in_every_way() {
    let bench = Bench::new().await;
    let asked = || json!({"stream": true});
    bench.model.play(Script::new().text("a").cut());
    assert!(bench.chat(asked()).await.unwrap().text().await.is_err());
    bench.model.play(Script::new().text("a").end_early());
    let cut = bench.responses(asked()).await.unwrap().text().await.unwrap();
    assert!(cut.contains("output_text.delta") && !cut.contains("response.completed"));
    bench.model.play(Script::new().broken_chunk().text("a"));
    let broken = bench.chat(asked()).await.unwrap().text().await.unwrap();
    assert!(broken.contains("\"bro\n\n") && broken.ends_with("[DONE]\n\n"));
    bench.model.play(Script::new().unknown_event().error_event("boom"));
    let odd = events(bench.responses(asked()).await.unwrap()).await;
    assert_eq!(kinds(&odd)[2..], ["response.weather.delta", "error"]);
}

#[tokio::test]
async fn pauses_end_when_the_test_says_so_and_leavers_are_seen() {
    let bench = Bench::new().await;
    let gate = Gate::new();
    bench.model.reply_to("hello", Script::new().text("a").wait(&gate).text("b"));
    let mut kept = bench.chat(json!({"stream": true})).await.unwrap();
    let mut left = bench.chat(json!({"stream": true})).await.unwrap();
    assert!(kept.chunk().await.unwrap().is_some() && left.chunk().await.unwrap().is_some());
    gate.reached(2).await;
    assert_eq!((bench.model.running(), bench.model.peak()), (2, 2));
    drop(left);
    bench.model.wait_for_abandoned(1).await;
    gate.open();
    assert!(kept.text().await.unwrap().contains("[DONE]"));
    bench.model.wait_for_running(0).await;
    let fates: Vec<_> = bench.model.requests().iter().map(|request| request.fate).collect();
    assert_eq!(fates, [Fate::Done, Fate::Abandoned]);
}

#[tokio::test]
async fn a_slow_first_byte_keeps_even_the_header_back() {
    let bench = Bench::new().await;
    let gate = Gate::new();
    bench.model.play(Script::new().text("a").first_byte(&gate));
    let release = async {
        gate.reached(1).await;
        gate.open();
    };
    let (response, ()) = tokio::join!(bench.chat(json!({})), release);
    assert_eq!(response.unwrap().status(), 200);
}

#[tokio::test]
async fn a_thousand_streams_run_at_once() {
    let bench = Bench::new().await;
    let gate = Gate::new();
    bench.model.reply_to("hello", Script::new().text("a").wait(&gate).text("b"));
    let streams = futures::future::join_all((0..1000).map(|_| bench.chat(json!({"stream": true})))).await;
    bench.model.wait_for_running(1000).await;
    gate.open();
    for response in streams {
        assert!(response.unwrap().text().await.unwrap().ends_with("[DONE]\n\n"));
    }
    assert_eq!(bench.model.peak(), 1000);
}

#[tokio::test]
async fn models_are_listed() {
    let bench = Bench::new().await;
    let list = bench.get("/v1/models", ("accept", "*/*")).await;
    assert!(list["data"].as_array().unwrap().iter().any(|model| model["id"] == "gpt-5.6-sol"));
}

#[tokio::test]
async fn reasoning_items_are_sealed_where_asked_and_summaries_have_parts() {
    let bench = Bench::new().await;
    bench.model.play(
        Script::new()
            .reasoning("a")
            .new_thought()
            .reasoning("b")
            .signature("seal")
            .redacted("dark")
            .text("c"),
    );
    let include = json!({"include": ["reasoning.encrypted_content"]});
    let whole: Value = bench.responses(include).await.unwrap().json().await.unwrap();
    let summary = |text: &str| json!({"type": "summary_text", "text": text});
    assert_eq!(whole["output"][0]["summary"], json!([summary("a"), summary("b")]));
    assert_eq!(whole["output"][0]["encrypted_content"], "seal");
    assert_eq!(
        (&whole["output"][1]["summary"], &whole["output"][1]["encrypted_content"]),
        (&json!([]), &json!("dark"))
    );
    assert_eq!(whole["output"][2]["content"][0]["text"], "c");
    bench.model.play(Script::new().reasoning("a").text("c"));
    let bare: Value = bench.responses(json!({})).await.unwrap().json().await.unwrap();
    assert_eq!(bare["output"][0].get("encrypted_content"), None);
}

#[tokio::test]
async fn refusals_have_a_field_of_their_own() {
    let bench = Bench::new().await;
    let script = || Script::new().text("I will ").text("not.").finish(Finish::Refusal);
    bench.model.play(script());
    let chat: Value = bench.chat(json!({})).await.unwrap().json().await.unwrap();
    let message = &chat["choices"][0]["message"];
    assert_eq!((&message["content"], &message["refusal"]), (&Value::Null, &json!("I will not.")));
    bench.model.play(script());
    let events = events(bench.responses(json!({"stream": true})).await.unwrap()).await;
    assert_eq!(kinds(&events).iter().filter(|kind| **kind == "response.refusal.delta").count(), 2);
    let part = &events.last().unwrap()["response"]["output"][0]["content"][0];
    assert_eq!(*part, json!({"type": "refusal", "refusal": "I will not."}));
}

#[tokio::test]
async fn a_gateway_gives_thoughts_twice_and_seals_beside_them() {
    let bench = Bench::new().await;
    let script = || {
        Script::new()
            .reasoning("h")
            .reasoning("m")
            .signature("s")
            .redacted("dark")
            .text("a")
            .reasoning_as(ReasoningShape::Both)
    };
    bench.model.play(script());
    let events = events(bench.chat(json!({"stream": true})).await.unwrap()).await;
    let delta = |at: usize| &events[at]["choices"][0]["delta"];
    assert_eq!(
        (&delta(1)["reasoning"], &delta(1)["reasoning_details"][0]["text"]),
        (&json!("h"), &json!("h"))
    );
    assert_eq!(delta(3)["reasoning_details"][0]["signature"], "s");
    assert_eq!(delta(4)["reasoning_details"][0]["type"], "reasoning.encrypted");
    bench.model.play(script());
    let whole: Value = bench.chat(json!({})).await.unwrap().json().await.unwrap();
    let message = &whole["choices"][0]["message"];
    assert_eq!(message["reasoning"], "hm");
    let format = "anthropic-claude-v1";
    let expected = json!([
        {"type": "reasoning.text", "format": format, "index": 0, "text": "hm", "signature": "s"},
        {"type": "reasoning.encrypted", "format": format, "index": 1, "data": "dark"},
    ]);
    assert_eq!(message["reasoning_details"], expected);
}
