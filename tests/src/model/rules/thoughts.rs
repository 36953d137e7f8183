//! Anthropic's checks of thoughts that come back: each as it was given out, those of the last turn complete, and, with models that bind them,
//! in the conversation that they were thought in.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value, json};

use super::{
    anthropic::{DOCS, ids},
    invalid, refuse_if,
};
use crate::model::{
    conversation::{list, word},
    failure::Failure,
    request::Request,
    seal::Vault,
};

/// A thought by itself.
pub(super) fn known(place: &str, block: &Value, vault: &Vault) -> Result<(), Failure> {
    if word(block, "type") == "redacted_thinking" {
        return refuse_if(!vault.knows(word(block, "data")), || {
            invalid(format!("{place}: Invalid `data` in `redacted_thinking` block"))
        });
    }
    for name in ["signature", "thinking"] {
        refuse_if(block.get(name).and_then(Value::as_str).is_none(), || {
            invalid(format!("{place}.thinking.{name}: Field required"))
        })?;
    }
    refuse_if(!vault.fits(word(block, "signature"), word(block, "thinking")), || {
        invalid(format!("{place}: Invalid `signature` in `thinking` block"))
    })
}

/// The seal of a block that is a thought.
pub(crate) fn seal(block: &Value) -> Option<&str> {
    match word(block, "type") {
        "thinking" => Some(word(block, "signature")),
        "redacted_thinking" => Some(word(block, "data")),
        _ => None,
    }
}

/// The turn that tools have just answered: with a budget it begins with its thought, and whatever thoughts it has are all that it came with.
pub(super) fn last_turn(request: &Request, messages: &[&Value], vault: &Vault) -> Result<(), Failure> {
    let answers = !ids(messages.last(), "tool_result", "tool_use_id").is_empty();
    let Some(place) = messages.len().checked_sub(2).filter(|_| answers) else {
        return Ok(());
    };
    let Some(turn) = messages.get(place) else {
        return Ok(());
    };
    let found = turn.pointer("/content/0").map_or("text", |block| word(block, "type"));
    let budget = request.at_path("/thinking/type") == "enabled";
    refuse_if(budget && !matches!(found, "thinking" | "redacted_thinking"), || {
        invalid(format!(
            "messages.{place}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, \
             a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` \
             blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. {DOCS}"
        ))
    })?;
    let calls = ids(Some(turn), "tool_use", "id");
    let Some(given) = calls.last().and_then(|id| vault.call_of_any(id)) else {
        return Ok(());
    };
    let back: Vec<&str> = list(turn, "content").filter_map(seal).collect();
    refuse_if(!back.is_empty() && back != given.seals, || {
        invalid(format!(
            "messages.{place}.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These \
             blocks must remain as they were in the original response."
        ))
    })
}

/// With Claude Fable 5.1 a thought comes back behind the same words that it was thought after.
pub(super) fn bound(request: &Request, messages: &[&Value], vault: &Vault) -> Result<(), Failure> {
    let drops = request.at_path("/thinking/block_binding/prefix_mismatch_behavior") == "drop_block";
    if drops || !binds(request.model()) {
        return Ok(());
    }
    for (place, message) in messages.iter().enumerate() {
        let before = prefix(&request.body, place);
        for (at, block) in list(message, "content").enumerate() {
            let elsewhere = seal(block).is_some_and(|seal| vault.bound_to(seal) != Some(before));
            refuse_if(elsewhere, || {
                invalid(format!(
                    "messages.{place}.content.{at}: Invalid `signature` in `thinking` block. The block is bound to a different conversation. \
                     Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."
                ))
            })?;
        }
    }
    Ok(())
}

fn binds(model: &str) -> bool {
    model.replace('.', "-").contains("claude-fable-5-1")
}

/// What comes before the message of this place: system prompt, tools and messages, in whichever of their spellings, without marks for the
/// cache.
pub(crate) fn prefix(body: &Value, place: usize) -> u64 {
    let messages: Vec<Value> = list(body, "messages").take(place).map(plain).collect();
    let part = |name: &str| body.get(name).map(plain);
    let before = json!([part("system").map(blocks), part("tools"), messages]);
    let mut hasher = DefaultHasher::new();
    before.to_string().hash(&mut hasher);
    hasher.finish()
}

fn plain(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(plain).collect(),
        Value::Object(fields) => {
            let mut kept = Map::new();
            for (name, value) in fields.iter().filter(|(name, _)| *name != "cache_control") {
                let value = if name == "content" { blocks(plain(value)) } else { plain(value) };
                kept.insert(name.clone(), value);
            }
            kept.into()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Text as the one block that it is.
fn blocks(content: Value) -> Value {
    match content {
        Value::String(text) => json!([{"type": "text", "text": text}]),
        other => other,
    }
}
