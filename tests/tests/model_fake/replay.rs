//! What the fake gave out comes back unchanged, or is refused: the round trip of each shape.

use pensive_tests::model::{ReasoningShape, Replay, Rules, Script};
use serde_json::{Value, json};

use crate::bench::{Bench, joined, refusal};

const WHOLE: &str = "gemini-3-pro-preview:generateContent";

fn call() -> Script {
    Script::new().reasoning("hm").tool_call("look", &json!({"q": 1}))
}

async fn body(response: reqwest::Result<reqwest::Response>) -> Value {
    let response = response.unwrap();
    assert_eq!(response.status(), 200);
    response.json().await.unwrap()
}

#[tokio::test]
async fn anthropic_knows_its_signatures() {
    let bench = Bench::new().await;
    bench.model.play(Script::new().reasoning("hm").redacted("dark").tool_call("look", &json!({"q": 1})));
    let answer = body(bench.anthropic(json!({})).await).await;
    let id = &answer["content"][2]["id"];
    let history = |content: &Value| {
        let result =
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "it"}]});
        json!({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": content}, result],
               "thinking": {"type": "enabled", "budget_tokens": 2048}})
    };
    body(bench.anthropic(history(&answer["content"])).await).await;
    let asked = bench.model.requests().pop().unwrap();
    assert_eq!(asked.seals().len(), 2);
    assert_eq!(asked.tool_results(), [(id.as_str().unwrap().to_owned(), "it".to_owned())]);
    assert_eq!((asked.prompt().as_str(), asked.budget()), ("hi", Some(2048)));
    for (place, value) in [("thinking", "hmm"), ("signature", "forged")] {
        let mut altered = answer["content"].clone();
        altered[0][place] = value.into();
        let heard = refusal(bench.anthropic(history(&altered)).await).await;
        assert_eq!(heard, "400 messages.1.content.0: Invalid `signature` in `thinking` block");
    }
    let stripped = json!([answer["content"][2]]);
    assert!(refusal(bench.anthropic(history(&stripped)).await).await.contains("Expected `thinking`"));
    let adaptive = json!({"model": "claude-opus-4-6", "thinking": {"type": "adaptive"}});
    body(bench.anthropic(joined(history(&stripped), adaptive.clone())).await).await;
    let partly = json!([answer["content"][0], answer["content"][2]]);
    let heard = refusal(bench.anthropic(joined(history(&partly), adaptive)).await).await;
    assert!(heard.contains("in the latest assistant message cannot be modified"), "{heard}");
    let other = Bench::new().await;
    assert!(
        refusal(other.anthropic(history(&answer["content"])).await).await.contains("Invalid `signature`")
    );
}

#[tokio::test]
async fn gemini_knows_its_signatures() {
    let bench = Bench::new().await;
    bench.model.play(call().tool_call("look", &json!({"q": 2})));
    let answer = body(bench.gemini(WHOLE, json!({})).await).await;
    let turn = &answer["candidates"][0]["content"];
    assert!(
        turn["parts"][0]["thoughtSignature"].is_string()
            && turn["parts"][1].get("thoughtSignature").is_none()
    );
    let history = |turn: &Value| {
        let answers = [0, 1].map(|at| json!({"functionResponse": {"name": "look", "id": turn["parts"][at]["functionCall"]["id"], "response": {}}}));
        json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}, turn, {"role": "user", "parts": answers}]})
    };
    body(bench.gemini(WHOLE, history(turn)).await).await;
    assert_eq!(bench.model.requests()[1].tool_results().len(), 2);
    let mut bare = turn.clone();
    bare["parts"][0].as_object_mut().unwrap().remove("thoughtSignature");
    assert!(refusal(bench.gemini(WHOLE, history(&bare)).await).await.contains("missing a thought_signature"));
}

#[tokio::test]
async fn responses_knows_its_encrypted_content() {
    let bench = Bench::new().await;
    bench.model.play(call());
    let fields = json!({"include": ["reasoning.encrypted_content"], "store": false});
    let answer = body(bench.responses(fields).await).await;
    let history = |thought: &Value| {
        let output = json!({"type": "function_call_output", "call_id": answer["output"][1]["call_id"], "output": "it"});
        json!({"store": false, "input": [{"role": "user", "content": "hi"}, thought, answer["output"][1], output]})
    };
    let thought = &answer["output"][0];
    body(bench.responses(history(thought)).await).await;
    assert_eq!(bench.model.requests()[1].seals(), [thought["encrypted_content"].as_str().unwrap()]);
    let mut altered = thought.clone();
    altered["encrypted_content"] = "gAAAAAforged".into();
    let refused: Value = bench.responses(history(&altered)).await.unwrap().json().await.unwrap();
    assert_eq!(refused["error"]["code"], "invalid_encrypted_content");
    altered.as_object_mut().unwrap().remove("encrypted_content");
    assert!(refusal(bench.responses(history(&altered)).await).await.contains("404 Item with id"));
}

fn chat_history(turn: &Value) -> Value {
    let result = json!({"role": "tool", "tool_call_id": turn["tool_calls"][0]["id"], "content": "it"});
    json!({"messages": [{"role": "user", "content": "hi"}, turn, result]})
}

#[tokio::test]
async fn deepseek_wants_the_thought_of_a_tool_turn_back() {
    let bench = Bench::new().await;
    bench.model.set_rules(Rules { replay: Replay::Required, ..Rules::default() });
    bench.model.play(call());
    let answer = body(bench.chat(json!({})).await).await;
    let turn = &answer["choices"][0]["message"];
    body(bench.chat(chat_history(turn)).await).await;
    let words = "400 The `reasoning_content` in the thinking mode must be passed back to the API.";
    for thought in [Value::Null, "".into(), "another".into()] {
        let mut altered = turn.clone();
        altered["reasoning_content"] = thought.clone();
        assert_eq!(refusal(bench.chat(chat_history(&altered)).await).await, words, "{thought}");
        let off = joined(chat_history(&altered), json!({"thinking": {"type": "disabled"}}));
        body(bench.chat(off).await).await;
    }
}

#[tokio::test]
async fn a_compatible_route_wants_the_seal_on_the_call_back() {
    let bench = Bench::new().await;
    bench.model.play(Script::new().reasoning("hm").signature("U2VhbA==").tool_call("look", &json!({})));
    let answer = body(bench.chat(json!({})).await).await;
    let turn = &answer["choices"][0]["message"];
    let seal = &turn["tool_calls"][0]["extra_content"]["google"]["thought_signature"];
    assert_eq!(*seal, "U2VhbA==");
    body(bench.chat(chat_history(turn)).await).await;
    let mut bare = turn.clone();
    bare["tool_calls"][0].as_object_mut().unwrap().remove("extra_content");
    assert!(refusal(bench.chat(chat_history(&bare)).await).await.contains("missing a thought_signature"));
}

#[tokio::test]
async fn a_gateway_wants_reasoning_details_back_as_they_were() {
    let bench = Bench::new().await;
    let script = Script::new().reasoning("hm").sealed().tool_call("look", &json!({}));
    bench.model.play(script.reasoning_as(ReasoningShape::Details));
    let answer = body(bench.chat(json!({})).await).await;
    let turn = &answer["choices"][0]["message"];
    body(bench.chat(chat_history(turn)).await).await;
    let mut altered = turn.clone();
    altered["reasoning_details"][0]["text"] = "another".into();
    assert!(refusal(bench.chat(chat_history(&altered)).await).await.contains("Invalid `signature`"));
}

#[tokio::test]
async fn a_model_that_binds_its_thoughts_wants_the_words_before_them_unchanged() {
    let bench = Bench::new().await;
    let asked = |fields: Value| joined(json!({"model": "claude-fable-5-1", "system": "be kind"}), fields);
    bench.model.play(Script::new().reasoning("hm").text("a"));
    let answer = body(bench.anthropic(asked(json!({}))).await).await;
    let history = |first: Value| {
        let turn = json!({"role": "assistant", "content": answer["content"]});
        json!({"messages": [{"role": "user", "content": first}, turn, {"role": "user", "content": "and?"}]})
    };
    body(bench.anthropic(asked(history("hello you".into()))).await).await;
    let marked = json!([{"type": "text", "text": "hello you", "cache_control": {"type": "ephemeral"}}]);
    body(bench.anthropic(asked(history(marked))).await).await;
    let words = "The block is bound to a different conversation.";
    assert!(refusal(bench.anthropic(asked(history("hello".into()))).await).await.contains(words));
    let other = joined(history("hello you".into()), json!({"system": "be quick"}));
    assert!(refusal(bench.anthropic(asked(other.clone())).await).await.contains(words));
    let drops = json!({"thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}});
    body(bench.anthropic(asked(joined(other, drops))).await).await;
}
