//! What OpenRouter tells of the provider behind it: the error as that one wrote it. The fields are those that its clients
//! read; the vendor's page is <https://openrouter.ai/docs/api-reference/errors>.

use serde_json::Value;

/// The words of the provider behind, where an error passes them on.
pub(super) fn words(error: &Value) -> Option<String> {
    let words = match error.pointer("/metadata/raw")? {
        Value::String(words) => words.clone(),
        raw @ Value::Object(_) => raw.to_string(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
    };
    Some(words).filter(|words| !words.trim().is_empty())
}

/// Whether what was asked is against somebody's rules.
pub(super) fn is_flagged(error: &Value) -> bool {
    error.pointer("/metadata/flagged_input").or_else(|| error.pointer("/metadata/reasons")).is_some()
}
