//! Refusals of the servers that speak OpenAI's shapes.

use super::*;

#[test]
fn levels() {
    for body in [
        r#"{"error":{"message":"Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model. Supported values are: 'low', 'medium', and 'high'.","param":"reasoning_effort","code":"unsupported_value"}}"#,
        r#"{"error":{"message":"Function tools with reasoning_effort are not supported for this model in /v1/chat/completions.","type":"invalid_request_error"}}"#,
        r#"{"error":{"message":"reasoning_effort must be one of `none` or `default`","type":"invalid_request_error"}}"#,
        r#"{"code":"Client specified an invalid argument","error":"Model grok-4-latest does not support parameter reasoningEffort."}"#,
        r#"{"object":"error","message":[{"loc":["body","reasoning_effort"],"msg":"Input should be 'none' or 'high'"}],"type":"invalid_request"}"#,
        r#"{"detail":[{"type":"extra_forbidden","loc":["body","reasoning_effort"],"msg":"Extra inputs are not permitted"}]}"#,
        r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"provider_name":"X","raw":"{\"error\":{\"message\":\"Reasoning is mandatory for this endpoint\"}}"}}}"#,
        r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":{"message":"thinking cannot be disabled"}}}}"#,
    ] {
        check(Some(400), body, TellPerson, "thinking level");
        assert!(!Refusal::read(Some(400), body.as_bytes()).blames_seals(), "{body}");
    }
}

#[test]
fn a_parameter_that_a_reasoning_model_lacks_is_no_level() {
    let body = r#"{"code":"invalid-argument","error":"Model grok-4-fast-reasoning does not support parameter presencePenalty."}"#;
    check(Some(400), body, OursToMend, "log");
    let shown = Refusal::read(Some(400), body.as_bytes()).to_string();
    assert_eq!(
        shown,
        "answered 400 code=invalid-argument: Model grok-4-fast-reasoning does not support parameter presencePenalty."
    );
}

#[test]
fn prov_16_reasoning_that_is_not_taken_back() {
    for body in [
        r#"{"error":{"message":"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]","type":"invalid_request_error"}}"#,
        r#"{"error":{"message":"'messages.2' : property 'reasoning' is unsupported, did you mean 'role'?"}}"#,
        r#"{"detail":[{"type":"extra_forbidden","loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"}]}"#,
    ] {
        let refusal = Refusal::read(Some(400), body.as_bytes());
        assert!(refusal.blames_seals() && !refusal.blames_level(), "{body}");
    }
}

#[test]
fn prov_02_reasoning_that_is_missed() {
    for message in [
        "Missing `reasoning_content` field in the assistant message at message index 2.",
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
    ] {
        let refusal =
            Refusal::read(Some(400), format!(r#"{{"error":{{"message":"{message}"}}}}"#).as_bytes());
        assert!(
            refusal.misses_reasoning() && !refusal.blames_level() && !refusal.blames_seals(),
            "{message}"
        );
    }
}

#[test]
fn whatever_else() {
    let message = |message: &str| format!(r#"{{"error":{{"message":"{message}"}}}}"#);
    let garbled = r#"{"error":{"message":"Failed to call a function. See 'failed_generation' for more details.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<secret>"}}"#;
    check(Some(400), garbled, Again, "could not be read");
    assert!(!Refusal::read(Some(400), garbled.as_bytes()).to_string().contains("<secret>"));
    check(Some(400), &message("Please reduce the length of the messages or completion."), TellPerson, "/new");
    check(Some(400), &message("This model's maximum prompt length is 131072."), TellPerson, "/new");
    check(Some(400), &message("Prompt exceeds max length"), TellPerson, "/new");
    check(Some(400), &message("Your request exceeded model token limit: 262144"), TellPerson, "/new");
    check(Some(400), r#"{"code":"x","error":"Incorrect API key provided: xa***."}"#, OursToMend, "key");
    check(
        Some(403),
        r#"{"code":"x","error":"Your team has used all available credits."}"#,
        OursToMend,
        "credit",
    );
    check(
        Some(429),
        r#"{"error":{"type":"exceeded_current_quota_error","message":"x"}}"#,
        OursToMend,
        "credit",
    );
    check(Some(429), r#"{"error":{"type":"engine_overloaded_error","message":"x"}}"#, Again, "limiting");
    check(Some(429), r#"{"error":{"code":"1302","message":"Rate limit reached"}}"#, Again, "limiting");
    check(Some(429), r#"{"error":{"code":"1113","message":"Insufficient balance"}}"#, OursToMend, "credit");
    check(
        Some(400),
        r#"{"error":{"code":"data_inspection_failed","message":"x"}}"#,
        TellPerson,
        "content rules",
    );
    check(Some(404), &message("No endpoints found for x/y."), TellPerson, "/model");
    check(Some(404), &message("No endpoints found that support tool use."), OursToMend, "log");
    let flagged = r#"{"error":{"code":403,"message":"Input was flagged","metadata":{"reasons":["x"],"flagged_input":"<secret>"}}}"#;
    check(Some(403), flagged, TellPerson, "content rules");
    assert_eq!(
        Refusal::read(Some(403), flagged.as_bytes()).to_string(),
        "answered 403 code=403: Input was flagged"
    );
    let behind = r#"{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"upstream fell over"}}}"#;
    assert_eq!(Refusal::read(None, behind.as_bytes()).to_string(), "answered 502: upstream fell over");
    check(None, r#"{"error":{"code":502,"message":"x","metadata":{"raw":""}}}"#, Again, "trouble");
}
