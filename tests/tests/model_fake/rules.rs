//! What each vendor refuses, in its words; and that nothing of it is refused where the fake is told to be lenient.

use pensive_tests::model::{Replay, Rules, Script, Strictness};
use serde_json::{Value, json};

use crate::bench::{Bench, refusal};

fn said(role: &str, content: Value) -> Value {
    json!({"role": role, "content": content})
}

fn look(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "look", "input": {}})
}

fn saw(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "it"})
}

#[tokio::test]
async fn anthropic_refuses_wrong_settings_of_thinking() {
    let bench = Bench::new().await;
    let budget = |tokens: u32| json!({"type": "enabled", "budget_tokens": tokens});
    let adaptive = json!({"type": "adaptive"});
    let tools = json!([{"name": "look", "input_schema": {"type": "object"}}]);
    for (fields, words) in [
        (json!({"max_tokens": null}), "400 max_tokens: Field required"),
        (json!({"thinking": budget(1023)}), "greater than or equal to 1024"),
        (
            json!({"thinking": budget(4096)}),
            "400 `max_tokens` must be greater than `thinking.budget_tokens`.",
        ),
        (json!({"thinking": {"type": "enabled"}}), "budget_tokens: Field required"),
        (json!({"thinking": adaptive}), "400 adaptive thinking is not supported on this model"),
        (
            json!({"thinking": budget(2048), "model": "claude-opus-4-8"}),
            "\"thinking.type.enabled\" is not supported",
        ),
        (
            json!({"thinking": {"type": "adaptive", "budget_tokens": 2048}, "model": "claude-opus-5"}),
            "Extra inputs are not permitted",
        ),
        (json!({"thinking": budget(2048), "temperature": 0.7}), "`temperature` may only be set to 1"),
        (json!({"thinking": budget(2048), "top_p": 0.5}), "`top_p` must be"),
        (
            json!({"temperature": 0.7, "model": "claude-opus-4-8"}),
            "400 `temperature` is deprecated for this model.",
        ),
        (
            json!({"thinking": budget(2048), "tools": tools, "tool_choice": {"type": "any"}}),
            "Thinking may not be enabled when tool_choice forces tool use.",
        ),
        (json!({"tool_choice": {"type": "auto"}}), "while providing tools"),
        (json!({"output_config": {"effort": "low"}}), "does not support the effort parameter"),
        (
            json!({"output_config": {"effort": "minimal"}, "model": "claude-opus-5"}),
            "'low', 'medium', 'high', 'xhigh' or 'max'",
        ),
        (
            json!({"output_config": {"effort": "xhigh"}, "model": "claude-opus-4-6"}),
            "Supported levels: high, low, max, medium.",
        ),
        (
            json!({"output_config": {"effort": "max"}, "thinking": {"type": "disabled"}, "model": "claude-opus-5"}),
            "not supported when thinking is disabled",
        ),
        (
            json!({"thinking": {"type": "disabled"}, "model": "claude-opus-5-5"}),
            "\"thinking.type.disabled\" is not supported",
        ),
    ] {
        let heard = refusal(bench.anthropic(fields.clone()).await).await;
        assert!(heard.contains(words), "{fields}: {heard}");
    }
    let body = json!({"model": "claude-opus-5", "max_tokens": 1, "messages": []});
    let heard = refusal(bench.post("/v1/messages", &[], &body).await).await;
    assert_eq!(heard, "400 anthropic-version: header is required");
    let newer = [("anthropic-version", "2026-10-21")];
    let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 1, "messages": [said("user", "hi".into())], "temperature": 1});
    let heard = refusal(bench.post("/v1/messages", &newer, &body).await).await;
    assert_eq!(heard, "400 temperature: Extra inputs are not permitted");
    let fine = json!({"thinking": budget(2048), "temperature": 1});
    assert_eq!(bench.anthropic(fine).await.unwrap().status(), 200);
}

#[tokio::test]
async fn anthropic_refuses_a_broken_history() {
    let bench = Bench::new().await;
    let hi = || said("user", "hi".into());
    let text = |text: &str| json!({"type": "text", "text": text});
    for (messages, words) in [
        (json!([]), "400 messages: at least one message is required"),
        (json!([said("system", "hi".into())]), "messages.0.role: Input should be 'user' or 'assistant'"),
        (json!([said("user", json!([text("")]))]), "400 messages: text content blocks must be non-empty"),
        (json!([said("user", json!([]))]), "messages.0: all messages must have non-empty content"),
        (
            json!([hi(), said("assistant", json!([look("a"), look("b")])), said("user", json!([saw("a")]))]),
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b.",
        ),
        (json!([hi(), said("assistant", json!([look("a")]))]), "immediately after: a."),
        (
            json!([said("user", json!([saw("a")]))]),
            "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a.",
        ),
        (
            json!([hi(), said("assistant", json!([look("a"), look("a")])), said("user", json!([saw("a")]))]),
            "messages.1.content.1: `tool_use` ids must be unique",
        ),
        (
            json!([hi(), said("assistant", json!([look("a")])), said("user", json!([saw("a"), saw("a")]))]),
            "each tool_use must have a single result",
        ),
        (
            json!([hi(), said("assistant", json!([{"type": "thinking", "thinking": "hm"}])), hi()]),
            "messages.1.content.0.thinking.signature: Field required",
        ),
        (
            json!([
                hi(),
                said("assistant", json!([{"type": "thinking", "thinking": "hm", "signature": "x"}])),
                hi()
            ]),
            "400 messages.1.content.0: Invalid `signature` in `thinking` block",
        ),
        (
            json!([hi(), said("assistant", json!([{"type": "redacted_thinking", "data": "x"}])), hi()]),
            "Invalid `data` in `redacted_thinking` block",
        ),
    ] {
        let heard = refusal(bench.anthropic(json!({"messages": messages.clone()})).await).await;
        assert!(heard.contains(words), "{messages}: {heard}");
    }
    let prefill = json!({"model": "claude-opus-5", "messages": [hi(), said("assistant", "I".into())]});
    assert!(refusal(bench.anthropic(prefill).await).await.contains("prefill"));
}

#[tokio::test]
async fn gemini_refuses_wrong_settings_and_a_broken_history() {
    let bench = Bench::new().await;
    let call = json!({"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}, "thoughtSignature": "skip_thought_signature_validator"}]});
    let bare = json!({"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]});
    let forged = json!({"role": "model", "parts": [{"text": "a", "thoughtSignature": "AAAA"}]});
    let hi = json!({"role": "user", "parts": [{"text": "hi"}]});
    let seen = json!({"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {}}}]});
    let config = |config: Value| json!({"generationConfig": {"thinkingConfig": config}});
    let told = |contents: Value| json!({"contents": contents});
    for (model, fields, words) in [
        (
            "gemini-3-pro",
            config(json!({"thinkingBudget": 1, "thinkingLevel": "LOW"})),
            "only one of thinking budget and thinking level",
        ),
        (
            "gemini-2.5-flash",
            config(json!({"thinkingLevel": "LOW"})),
            "400 Thinking level is not supported for this model.",
        ),
        ("gemini-2.5-pro", config(json!({"thinkingBudget": 0})), "400 Budget 0 is invalid."),
        ("gemini-2.5-flash-lite", config(json!({"thinkingBudget": 128})), "between 512 and 24576"),
        ("gemini-3-pro", told(json!([])), "contents is not specified"),
        ("gemini-3-pro", told(json!([{"role": "system", "parts": [{"text": "a"}]}])), "valid role"),
        (
            "gemini-3-pro",
            told(json!([{"role": "user", "parts": []}])),
            "contents[0].parts: contents.parts must not be empty",
        ),
        ("gemini-3-pro", told(json!([hi, bare, seen])), "function call `default_api:look` , position 2."),
        ("gemini-3-pro", told(json!([hi, forged, hi])), "400 Corrupted thought signature."),
        ("gemini-3-pro", told(json!([hi, seen])), "immediately after a function call turn"),
        ("gemini-3-pro", told(json!([hi, call, hi])), "number of function response parts"),
        ("gemini-3-pro", told(json!([call, seen])), "immediately after a user turn"),
    ] {
        let heard = refusal(bench.gemini(&format!("{model}:generateContent"), fields.clone()).await).await;
        assert!(heard.contains(words), "{fields}: {heard}");
    }
    for (model, fields) in [
        ("gemini-2.5-flash", config(json!({"thinkingBudget": 0}))),
        ("gemini-2.5-pro", config(json!({"thinkingBudget": -1}))),
        ("gemini-2.5-pro", told(json!([hi, bare, seen]))),
        ("gemini-3-pro", told(json!([hi, call, seen]))),
        ("gemini-3-pro", told(json!([hi, bare, seen, {"role": "model", "parts": [{"text": "a"}]}, hi]))),
    ] {
        let response = bench.gemini(&format!("{model}:generateContent"), fields.clone()).await.unwrap();
        assert_eq!(response.status(), 200, "{fields}");
    }
}

#[tokio::test]
async fn openai_refuses_tools_that_do_not_fit() {
    let bench = Bench::new().await;
    let calls = json!([{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}]);
    let asked = json!({"role": "assistant", "content": null, "tool_calls": calls});
    let answered = json!({"role": "tool", "tool_call_id": "a", "content": "it"});
    let hi = || said("user", "hi".into());
    for (fields, words) in [
        (json!({"tool_choice": "auto"}), "'tool_choice' is only allowed when 'tools' are specified."),
        (json!({"tools": []}), "Invalid 'tools': empty array."),
        (
            json!({"messages": [hi(), answered]}),
            "must be a response to a preceeding message with 'tool_calls'",
        ),
        (json!({"messages": [hi(), asked, hi()]}), "did not have response messages: a"),
        (json!({"messages": [hi(), asked]}), "did not have response messages: a"),
    ] {
        let heard = refusal(bench.chat(fields.clone()).await).await;
        assert!(heard.contains(words), "{fields}: {heard}");
    }
    let call = json!({"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"});
    let output = json!({"type": "function_call_output", "call_id": "a", "output": "it"});
    let thought = |id: &str| json!({"type": "reasoning", "id": id, "summary": []});
    let sealed =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAforged"});
    for (fields, words) in [
        (
            json!({"tool_choice": "required"}),
            "400 Tool choice 'required' must be specified with 'tools' parameter.",
        ),
        (json!({"input": [hi(), output]}), "400 No tool call found for function call output with call_id a."),
        (json!({"input": [hi(), call]}), "400 No tool output found for function call a."),
        (
            json!({"input": [hi(), sealed, call, output]}),
            "400 The encrypted content gAAA...rged could not be verified.",
        ),
        (
            json!({"input": [hi(), thought("rs_1")]}),
            "'rs_1' of type 'reasoning' was provided without its required following item.",
        ),
        (
            json!({"input": [hi(), thought("rs_1"), call, output], "store": false}),
            "404 Item with id 'rs_1' not found.",
        ),
        (
            json!({"input": [hi(), thought("rs_1"), thought("rs_1"), call, output]}),
            "400 Duplicate item found with id rs_1.",
        ),
        (
            json!({"input": [hi(), {"type": "reasoning", "id": "rs_1"}]}),
            "400 Missing required parameter: 'input[1].summary'.",
        ),
    ] {
        let heard = refusal(bench.responses(fields.clone()).await).await;
        assert!(heard.contains(words), "{fields}: {heard}");
    }
}

#[tokio::test]
async fn ollama_refuses_what_it_cannot_read() {
    let bench = Bench::new().await;
    let text = json!([{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "look", "arguments": "{}"}}]}]);
    for (fields, words) in [
        (json!({"think": "xhigh"}), "400 invalid think value: \"xhigh\""),
        (json!({"think": 1}), "think must be a boolean or string"),
        (
            json!({"messages": text}),
            "cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments",
        ),
        (
            json!({"messages": [said("user", json!([{"type": "text", "text": "a"}]))]}),
            "ChatRequest.messages.content of type string",
        ),
        (json!({"messages": [said("developer", "a".into())]}), "invalid role"),
    ] {
        let heard = refusal(bench.ollama(fields.clone()).await).await;
        assert!(heard.contains(words), "{fields}: {heard}");
    }
}

#[tokio::test]
async fn efforts_are_refused_with_and_without_alternatives() {
    let bench = Bench::new().await;
    bench.model.refuse_efforts(&["xhigh"], &["low", "medium", "high"]);
    bench.model.refuse_efforts(&["max", "off"], &[]);
    let chat = refusal(bench.chat(json!({"reasoning_effort": "xhigh"})).await).await;
    assert_eq!(
        chat,
        "400 Unsupported value: 'xhigh' is not supported with the 'gpt-5.2' model. Supported values are: 'low', 'medium', and 'high'."
    );
    let responses: Value =
        bench.responses(json!({"reasoning": {"effort": "max"}})).await.unwrap().json().await.unwrap();
    let expected = json!({
        "message": "Unsupported value: 'max' is not supported with the 'gpt-5.2' model.",
        "type": "invalid_request_error", "param": "reasoning.effort", "code": "unsupported_value",
    });
    assert_eq!(responses["error"], expected);
    let claude = json!({"model": "claude-opus-5", "output_config": {"effort": "xhigh"}});
    assert!(refusal(bench.anthropic(claude).await).await.contains("Supported levels: low, medium, high."));
    assert!(refusal(bench.ollama(json!({"think": false})).await).await.contains("mandatory"));
    bench.model.set_rules(Rules::default());
    bench.model.refuse_efforts(&["on"], &[]);
    let budget = json!({"thinking": {"type": "enabled", "budget_tokens": 2048}});
    assert!(refusal(bench.anthropic(budget).await).await.contains("extended thinking"));
    let level = json!({"generationConfig": {"thinkingConfig": {"thinkingLevel": "LOW"}}});
    let heard = refusal(bench.gemini("gemini-3-pro:generateContent", level).await).await;
    assert_eq!(heard, "400 Thinking level LOW is not supported for this model.");
    assert_eq!(bench.chat(json!({})).await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_refused_request_is_kept_and_costs_no_script() {
    let bench = Bench::new().await;
    bench.model.play(Script::new().text("a"));
    assert_eq!(bench.chat(json!({"tool_choice": "auto"})).await.unwrap().status(), 400);
    assert_eq!(bench.model.refusals().len(), 1);
    let whole: Value = bench.chat(json!({})).await.unwrap().json().await.unwrap();
    assert_eq!(whole["choices"][0]["message"]["content"], "a");
    bench.model.set_rules(Rules { strictness: Strictness::Lenient, ..Rules::default() });
    assert_eq!(bench.chat(json!({"tool_choice": "auto"})).await.unwrap().status(), 200);
    assert_eq!(bench.model.requests().len(), 3);
}

#[tokio::test]
async fn a_server_may_refuse_thoughts_that_come_back() {
    let bench = Bench::new().await;
    bench.model.set_rules(Rules { replay: Replay::Refused, ..Rules::default() });
    let turn = json!({"role": "assistant", "content": "a", "reasoning_content": "hm"});
    let history = json!({"messages": [said("user", "hi".into()), turn, said("user", "and?".into())]});
    assert!(refusal(bench.chat(history).await).await.contains("property 'reasoning_content' is unsupported"));
}
