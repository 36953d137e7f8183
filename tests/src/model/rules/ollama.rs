//! Ollama's checks: what its own types refuse to read, and the words that `think` may be.

use serde_json::Value;

use super::{invalid, refuse_if};
use crate::model::{
    conversation::{list, word},
    failure::Failure,
    request::Request,
};

pub(super) fn check(request: &Request) -> Result<(), Failure> {
    think(request.at_path("/think"))?;
    for message in list(&request.body, "messages") {
        let role = word(message, "role");
        refuse_if(!matches!(role, "system" | "user" | "assistant" | "tool"), || {
            invalid(format!("invalid role: \"{role}\""))
        })?;
        let content = message.get("content");
        refuse_if(content.is_some_and(|content| !content.is_string()), || {
            unreadable("array", "messages.content", "string")
        })?;
        let arguments = list(message, "tool_calls").filter_map(|call| call.pointer("/function/arguments"));
        for arguments in arguments {
            refuse_if(!arguments.is_object(), || {
                let place = "messages.tool_calls.function.arguments";
                unreadable("string", place, "api.ToolCallFunctionArguments")
            })?;
        }
    }
    Ok(())
}

fn think(think: &Value) -> Result<(), Failure> {
    match think {
        Value::Null | Value::Bool(_) => Ok(()),
        Value::String(word) => refuse_if(!matches!(word.as_str(), "high" | "medium" | "low" | "max"), || {
            invalid(format!(
                "invalid think value: \"{word}\" (must be \"high\", \"medium\", \"low\", \"max\", true, or false)"
            ))
        }),
        Value::Number(_) | Value::Array(_) | Value::Object(_) => Err(invalid(
            "think must be a boolean or string (\"high\", \"medium\", \"low\", \"max\", true, or false)",
        )),
    }
}

fn unreadable(found: &str, place: &str, wanted: &str) -> Failure {
    invalid(format!(
        "json: cannot unmarshal {found} into Go struct field ChatRequest.{place} of type {wanted}"
    ))
}
