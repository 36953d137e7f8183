//! Checks of Chat Completions: tools and their answers, and what becomes of thoughts that come back.

use serde_json::Value;

use super::{Replay, filled, invalid, refuse_if};
use crate::model::{
    conversation::{list, word},
    failure::Failure,
    request::Request,
    seal::Vault,
};

/// The fields that hold thoughts of an assistant's turn.
const THOUGHTS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];

pub(super) fn check(request: &Request, vault: &Vault) -> Result<(), Failure> {
    let body = &request.body;
    let tools = body.get("tools").filter(|tools| !tools.is_null());
    refuse_if(tools.is_some() && !filled(body, "tools"), || {
        invalid("Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.")
            .code("empty_array")
            .param("tools")
    })?;
    let choice = body.get("tool_choice").is_some_and(|choice| !choice.is_null());
    refuse_if(choice && tools.is_none(), || {
        invalid("Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
            .param("tool_choice")
    })?;
    let messages: Vec<&Value> = list(body, "messages").collect();
    pairs(&messages)?;
    for message in messages {
        seals(request.model(), message, vault)?;
    }
    Ok(())
}

fn calls(message: &Value) -> Vec<&str> {
    list(message, "tool_calls").map(|call| word(call, "id")).collect()
}

/// Every call is answered by the messages after it, and nothing else is.
fn pairs(messages: &[&Value]) -> Result<(), Failure> {
    let mut open: Vec<&str> = Vec::new();
    let mut opener = 0;
    for (place, message) in messages.iter().enumerate() {
        if word(message, "role") == "tool" {
            let id = word(message, "tool_call_id");
            let found = open.iter().position(|open| *open == id);
            let Some(found) = found else {
                let words = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
                return Err(invalid(words).param(&format!("messages.[{place}].role")));
            };
            open.remove(found);
            continue;
        }
        unanswered(&open, opener)?;
        (open, opener) = (calls(message), place);
    }
    unanswered(&open, opener)
}

fn unanswered(open: &[&str], opener: usize) -> Result<(), Failure> {
    refuse_if(!open.is_empty(), || {
        let words = format!(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following \
             tool_call_ids did not have response messages: {}",
            open.join(", ")
        );
        invalid(words).param(&format!("messages.[{opener}].role"))
    })
}

/// What a gateway passes on: signed thoughts as Anthropic checks them, sealed calls as Gemini does.
fn seals(model: &str, message: &Value, vault: &Vault) -> Result<(), Failure> {
    for entry in list(message, "reasoning_details") {
        let signature = entry.get("signature").and_then(Value::as_str);
        let altered = signature.is_some_and(|signature| !vault.fits(signature, word(entry, "text")));
        refuse_if(altered, || invalid("Invalid `signature` in `thinking` block"))?;
        let data = entry.get("data").and_then(Value::as_str);
        let altered = data.is_some_and(|data| !vault.knows(data));
        refuse_if(altered, || invalid("Invalid `data` in `redacted_thinking` block"))?;
    }
    for call in list(message, "tool_calls") {
        let given = vault.call(model, word(call, "id")).and_then(|given| given.signature.as_deref());
        let back = call.pointer("/extra_content/google/thought_signature").and_then(Value::as_str);
        refuse_if(given.is_some() && back.is_none(), || {
            invalid("Function call is missing a thought_signature in functionCall parts.")
        })?;
        refuse_if(back.is_some() && back != given, || invalid("Corrupted thought signature."))?;
    }
    Ok(())
}

/// What kind of server this is to thoughts that come back.
pub(super) fn check_replay(request: &Request, replay: Replay, vault: &Vault) -> Result<(), Failure> {
    for (place, message) in list(&request.body, "messages").enumerate() {
        match replay {
            Replay::Free => {}
            Replay::Required => required(request, message, vault)?,
            Replay::Refused => {
                let Some(name) = THOUGHTS.iter().find(|name| message.get(**name).is_some()) else {
                    continue;
                };
                return Err(invalid(format!(
                    "'messages.{place}' : for 'role:assistant' the following must be satisfied[('messages.{place}' : property '{name}' \
                     is unsupported)]"
                )));
            }
        }
    }
    Ok(())
}

fn required(request: &Request, message: &Value, vault: &Vault) -> Result<(), Failure> {
    let calls = calls(message);
    // Where thinking is off there is nothing to hand back.
    if calls.is_empty() || request.thinks() == Some(false) {
        return Ok(());
    }
    let given =
        calls.iter().find_map(|id| vault.call(request.model(), id)).map(|given| given.thought.as_str());
    let back = message.get("reasoning_content").and_then(Value::as_str);
    refuse_if(back.is_none() || given.is_some_and(|given| Some(given) != back), || {
        invalid("The `reasoning_content` in the thinking mode must be passed back to the API.")
            .code("invalid_request_error")
    })
}
