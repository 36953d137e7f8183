//! Ollama's own chat: a line a piece, calls whole, counts at the end.

use pensive_tests::model::{Failure, Finish, Script, Usage};
use serde_json::{Value, json};

use crate::bench::{Bench, lines};

#[tokio::test]
async fn lines_stream_without_being_asked_to() {
    let bench = Bench::new().await;
    let usage = Usage { input: 9, output: 5, ..Usage::default() };
    bench
        .model
        .play(Script::new().reasoning("hm").text("a").tool_call("look", &json!({"q": 1})).usage(usage));
    let response = bench.ollama(json!({"think": true})).await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/x-ndjson");
    let lines = lines(response).await;
    assert_eq!(lines[0]["message"], json!({"role": "assistant", "content": "", "thinking": "hm"}));
    assert_eq!((&lines[1]["message"]["content"], &lines[1]["done"]), (&json!("a"), &json!(false)));
    let function = &lines[2]["message"]["tool_calls"][0]["function"];
    assert_eq!((&function["name"], &function["arguments"]), (&json!("look"), &json!({"q": 1})));
    let last = &lines[3];
    assert_eq!((&last["done"], &last["done_reason"]), (&json!(true), &json!("stop")));
    assert_eq!((&last["prompt_eval_count"], &last["eval_count"]), (&json!(9), &json!(5)));
}

#[tokio::test]
async fn a_whole_answer_is_one_line() {
    let bench = Bench::new().await;
    bench.model.play(Script::new().reasoning("h").reasoning("m").text("a").text("b").finish(Finish::Length));
    let whole: Value = bench.ollama(json!({"stream": false})).await.unwrap().json().await.unwrap();
    assert_eq!(whole["message"], json!({"role": "assistant", "content": "ab", "thinking": "hm"}));
    assert_eq!(whole["done_reason"], "length");
}

#[tokio::test]
async fn it_goes_wrong_in_its_own_shape() {
    let bench = Bench::new().await;
    bench.model.play(Script::fail(Failure::words(404, "model 'gpt-oss' not found")));
    let refused = bench.ollama(json!({})).await.unwrap();
    assert_eq!(refused.status(), 404);
    assert_eq!(refused.json::<Value>().await.unwrap(), json!({"error": "model 'gpt-oss' not found"}));
    bench.model.play(Script::new().unknown_event().error_event("boom"));
    let odd = lines(bench.ollama(json!({})).await.unwrap()).await;
    assert_eq!((&odd[0]["forecast"], &odd[1]), (&json!("fog"), &json!({"error": "boom"})));
    bench.model.play(Script::new().text("a").end_early());
    let cut = lines(bench.ollama(json!({})).await.unwrap()).await;
    assert_eq!(cut.last().unwrap()["done"], false);
    let tags = bench.get("/api/tags", ("accept", "*/*")).await;
    assert_eq!(tags["models"][0]["name"], "gpt-5.6-sol");
}
