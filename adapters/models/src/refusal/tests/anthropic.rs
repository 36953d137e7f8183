//! Anthropic's refusals, in the words that were seen of them.

use pensive_contract::fault::FaultClass::{self, Again, OursToMend, TellPerson};
use serde_json::json;

use crate::refusal::Refusal;

fn refusal(status: Option<u16>, kind: &str, message: &str) -> Refusal {
    let body = json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"});
    Refusal::read(status, body.to_string().as_bytes())
}

fn check(status: u16, kind: &str, message: &str, class: FaultClass, words: &str) {
    // What breaks a stream off tells no status, and means the same.
    for status in [Some(status), None] {
        let refusal = refusal(status, kind, message);
        assert_eq!(refusal.class(), class, "{status:?} {kind} {message}");
        assert!(refusal.person().contains(words), "{} / {words}", refusal.person());
    }
}

const BAD: &str = "invalid_request_error";

#[test]
fn kinds() {
    check(401, "authentication_error", "invalid x-api-key", OursToMend, "key");
    check(402, "billing_error", "There is an issue with your billing.", OursToMend, "credit");
    check(403, "permission_error", "Your API key does not have permission.", OursToMend, "key");
    check(404, "not_found_error", "model: claude-nine", TellPerson, "/model");
    check(404, "not_found_error", "Not Found", OursToMend, "address");
    check(413, "request_too_large", "Request exceeds the maximum size", TellPerson, "/new");
    check(429, "rate_limit_error", "This request would exceed your rate limit.", Again, "limiting");
    check(500, "api_error", "Internal server error", Again, "trouble");
    check(504, "timeout_error", "Request timed out.", Again, "trouble");
    check(529, "overloaded_error", "Overloaded", Again, "trouble");
    check(400, BAD, "messages: at least one message is required", OursToMend, "log");
}

#[test]
fn what_a_bad_request_may_be() {
    let check = |message, class, words| check(400, BAD, message, class, words);
    check("Your credit balance is too low to access the Anthropic API.", OursToMend, "credit");
    check("You have reached your specified API usage limits.", OursToMend, "credit");
    check("prompt is too long: 208310 tokens > 200000 maximum", TellPerson, "/new");
    let both = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000";
    check(both, TellPerson, "/new");
    check("Output blocked by content filtering policy", TellPerson, "content rules");
}

#[test]
fn prov_18_a_level_that_is_refused_is_no_overflow() {
    for message in [
        r#""thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior."#,
        r#""thinking.type.disabled" is not supported for this model."#,
        "Thinking is required for this model and cannot be disabled.",
        "This model does not support the effort parameter.",
        "output_config.effort: Input should be 'low', 'medium', 'high' or 'max'",
        "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ] {
        check(400, BAD, message, TellPerson, "thinking level");
        let refusal = refusal(Some(400), BAD, message);
        assert!(refusal.blames_level() && !refusal.blames_seals(), "{message}");
    }
}

#[test]
fn prov_01_a_thought_that_is_not_known_again() {
    for message in [
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "messages.5.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
        "messages.3.content.0.thinking.signature: Field required",
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.",
        "messages.1.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
    ] {
        for status in [400, 429] {
            assert!(refusal(Some(status), BAD, message).blames_seals(), "{status} {message}");
        }
    }
    assert!(!refusal(Some(400), BAD, "max_tokens: Field required").blames_seals());
}
