//! Checks of the Responses API: reasoning items that come back as they were given, and calls that are answered.

use std::collections::HashSet;

use serde_json::Value;

use super::{filled, invalid, refuse_if};
use crate::model::{
    conversation::{list, word},
    failure::Failure,
    request::Request,
    seal::Vault,
};

pub(super) fn check(request: &Request, vault: &Vault) -> Result<(), Failure> {
    let body = &request.body;
    let choice = body.get("tool_choice").filter(|choice| !choice.is_null());
    let forced = choice.is_some_and(|choice| !matches!(choice.as_str(), Some("auto" | "none")));
    refuse_if(forced && !filled(body, "tools"), || {
        let choice = choice.and_then(Value::as_str).unwrap_or("function");
        invalid(format!("Tool choice '{choice}' must be specified with 'tools' parameter."))
            .param("tool_choice")
    })?;
    let items: Vec<&Value> = list(body, "input").collect();
    for (place, item) in items.iter().enumerate() {
        if word(item, "type") == "reasoning" {
            thought(request, place, item, vault)?;
            following(item, items.get(place + 1).copied())?;
        }
    }
    unique(&items)?;
    pairs(&items)
}

fn thought(request: &Request, place: usize, item: &Value, vault: &Vault) -> Result<(), Failure> {
    refuse_if(!item.get("summary").is_some_and(Value::is_array), || {
        let param = format!("input[{place}].summary");
        invalid(format!("Missing required parameter: '{param}'."))
            .code("missing_required_parameter")
            .param(&param)
    })?;
    let Some(sealed) = item.get("encrypted_content").and_then(Value::as_str) else {
        let id = word(item, "id");
        let lost = request.at_path("/store") == false && !id.is_empty();
        return refuse_if(lost, || {
            Failure::words(
                404,
                format!(
                    "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` set to \
                     true, or remove this item from your input."
                ),
            )
            .param("input")
        });
    };
    refuse_if(!vault.knows(sealed), || {
        let letters: Vec<char> = sealed.chars().collect();
        let start: String = letters.iter().take(4).collect();
        let end: String = letters.iter().skip(letters.len().saturating_sub(4)).collect();
        invalid(format!(
            "The encrypted content {start}...{end} could not be verified. Reason: Encrypted content could not be decrypted or parsed."
        ))
        .code("invalid_encrypted_content")
    })
}

/// A thought is followed by what it led to.
fn following(item: &Value, next: Option<&Value>) -> Result<(), Failure> {
    let led = next.is_some_and(|next| {
        word(next, "role") == "assistant" || matches!(word(next, "type"), "function_call" | "reasoning")
    });
    let id = word(item, "id");
    refuse_if(!led && !id.is_empty(), || {
        invalid(format!("Item '{id}' of type 'reasoning' was provided without its required following item."))
            .param("input")
    })
}

fn unique(items: &[&Value]) -> Result<(), Failure> {
    let mut known = HashSet::new();
    let ids = items.iter().map(|item| word(item, "id")).filter(|id| !id.is_empty());
    for id in ids {
        refuse_if(!known.insert(id), || {
            invalid(format!(
                "Duplicate item found with id {id}. Remove duplicate items from your input and try again."
            ))
            .param("input")
        })?;
    }
    Ok(())
}

/// Every call is answered, and nothing else is.
fn pairs(items: &[&Value]) -> Result<(), Failure> {
    let mut open: Vec<&str> = Vec::new();
    for item in items {
        let id = word(item, "call_id");
        match word(item, "type") {
            "function_call" => open.push(id),
            "function_call_output" => {
                let Some(found) = open.iter().position(|open| *open == id) else {
                    let words = format!("No tool call found for function call output with call_id {id}.");
                    return Err(invalid(words).param("input"));
                };
                open.remove(found);
            }
            _ => {}
        }
    }
    match open.first() {
        Some(id) => Err(invalid(format!("No tool output found for function call {id}.")).param("input")),
        None => Ok(()),
    }
}
