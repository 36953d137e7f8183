//! Anthropic's checks: the settings of thinking, and a history in which every block is what was given out and every call is answered.

use std::collections::HashSet;

use serde_json::Value;

use super::{claude::Family, filled, invalid, refuse_if, thoughts};
use crate::model::{
    conversation::{list, word},
    failure::Failure,
    request::Request,
    seal::Vault,
};

/// Where the errors about thinking send the reader.
pub(super) const DOCS: &str =
    "Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking";

/// Versions of the API; the newer one knows no sampling values.
const VERSIONS: [&str; 2] = ["2023-06-01", NEWER];
const NEWER: &str = "2026-10-21";

/// Efforts that the API knows, whatever the model.
const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];

pub(super) fn check(request: &Request, vault: &Vault) -> Result<(), Failure> {
    let version = request.header("anthropic-version");
    refuse_if(version.is_empty(), || invalid("anthropic-version: header is required"))?;
    refuse_if(!VERSIONS.contains(&version), || {
        invalid(format!("anthropic-version: \"{version}\" is not a valid version"))
    })?;
    let thinks = thinking(request)?;
    effort(request)?;
    sampling(request, version, thinks)?;
    let forced = matches!(request.at_path("/tool_choice/type").as_str(), Some("any" | "tool"));
    refuse_if(forced && thinks == Thinks::Yes, || {
        invalid("Thinking may not be enabled when tool_choice forces tool use.")
    })?;
    let choice = !request.at_path("/tool_choice").is_null();
    refuse_if(choice && !filled(&request.body, "tools"), || {
        invalid("tool_choice: Tool choice may only be specified while providing tools.")
    })?;
    texts(&request.body)?;
    let messages: Vec<&Value> = list(&request.body, "messages").collect();
    refuse_if(messages.is_empty(), || invalid("messages: at least one message is required"))?;
    for (place, message) in messages.iter().enumerate() {
        one(place, message, vault)?;
    }
    pairs(&messages)?;
    let prefill = messages.last().is_some_and(|last| word(last, "role") == "assistant");
    refuse_if(prefill && !Family::of(request.model()).takes_prefill(), || {
        invalid(
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        )
    })?;
    thoughts::last_turn(request, &messages, vault)?;
    thoughts::bound(request, &messages, vault)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Thinks {
    Yes,
    No,
}

/// The `thinking` field; says whether the model will think.
fn thinking(request: &Request) -> Result<Thinks, Failure> {
    let family = Family::of(request.model());
    let budget = request.at_path("/thinking/budget_tokens");
    match request.at_path("/thinking/type").as_str() {
        Some("enabled") => {
            refuse_if(!family.takes_budgets(), || {
                invalid(
                    "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \
                     \"output_config.effort\" to control thinking behavior.",
                )
            })?;
            let name = "thinking.enabled.budget_tokens";
            let budget = budget.as_i64().ok_or_else(|| invalid(format!("{name}: Field required")))?;
            refuse_if(budget < 1024, || {
                invalid(format!("{name}: Input should be greater than or equal to 1024"))
            })?;
            let limit = request.at_path("/max_tokens").as_i64().unwrap_or_default();
            refuse_if(budget >= limit, || {
                let words = "`max_tokens` must be greater than `thinking.budget_tokens`.";
                invalid(format!("{words} {DOCS}#max-tokens-and-context-window-size"))
            })?;
            Ok(Thinks::Yes)
        }
        Some("adaptive") => {
            refuse_if(!family.takes_adaptive(), || {
                invalid("adaptive thinking is not supported on this model")
            })?;
            let extra = !budget.is_null();
            refuse_if(extra, || invalid("thinking.adaptive.budget_tokens: Extra inputs are not permitted"))?;
            Ok(Thinks::Yes)
        }
        Some("disabled") => off(family).map(|()| Thinks::No),
        Some("between_tools") if matches!(family, Family::BetweenTools | Family::Foreign) => Ok(Thinks::Yes),
        Some("between_tools") => {
            Err(invalid("\"thinking.type.between_tools\" is not supported for this model."))
        }
        None if request.at_path("/thinking").is_null() => {
            Ok(if family.thinks_unasked() { Thinks::Yes } else { Thinks::No })
        }
        Some(_) | None => Err(invalid(
            "thinking: Input tag found using 'type' does not match any of the expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'",
        )),
    }
}

/// Whether thinking may be turned off.
fn off(family: Family) -> Result<(), Failure> {
    let words = "\"thinking.type.disabled\" is not supported for this model.";
    match family {
        Family::AlwaysThinks => Err(invalid(format!(
            "{words} Thinking defaults to adaptive mode when not specified; use \"thinking.type.enabled\" with \"budget_tokens\" for \
             extended thinking."
        ))),
        Family::BetweenTools => Err(invalid(format!("{words} Use \"thinking.type.between_tools\" instead."))),
        Family::Budgets | Family::Both | Family::Adaptive | Family::ThinksByItself | Family::Foreign => {
            Ok(())
        }
    }
}

fn effort(request: &Request) -> Result<(), Failure> {
    let effort = request.at_path("/output_config/effort");
    let Some(effort) = effort.as_str() else {
        return Ok(());
    };
    refuse_if(!EFFORTS.contains(&effort), || {
        invalid("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
    })?;
    let family = Family::of(request.model());
    // Of those that take budgets only Opus 4.5 has efforts.
    let none = family == Family::Budgets && !request.model().replace('.', "-").contains("opus-4-5");
    refuse_if(none, || invalid("This model does not support the effort parameter."))?;
    refuse_if(family == Family::Both && effort == "xhigh", || {
        invalid("This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.")
    })?;
    let off = request.at_path("/thinking/type") == "disabled";
    let bound = family == Family::ThinksByItself && !request.model().contains("sonnet");
    refuse_if(off && bound && matches!(effort, "xhigh" | "max"), || {
        invalid(format!(
            "output_config.effort '{effort}' is not supported when thinking is disabled on this model."
        ))
    })
}

/// What the version, the model and thinking leave of the sampling values.
fn sampling(request: &Request, version: &str, thinks: Thinks) -> Result<(), Failure> {
    let given = |name: &str| request.body.get(name).filter(|value| !value.is_null());
    let temperature = given("temperature").and_then(Value::as_f64);
    let unseen = Family::of(request.model()).thinks_unseen();
    for name in ["temperature", "top_p", "top_k"] {
        refuse_if(version == NEWER && given(name).is_some(), || {
            invalid(format!("{name}: Extra inputs are not permitted"))
        })?;
        refuse_if(unseen && given(name).is_some(), || {
            invalid(format!("`{name}` is deprecated for this model."))
        })?;
    }
    if thinks == Thinks::No {
        return Ok(());
    }
    refuse_if(temperature.is_some_and(|temperature| (temperature - 1.0).abs() > f64::EPSILON), || {
        let words = "`temperature` may only be set to 1 when thinking is enabled.";
        invalid(format!("{words} {DOCS}#important-considerations-when-using-extended-thinking"))
    })?;
    let top_p = given("top_p").and_then(Value::as_f64);
    refuse_if(top_p.is_some_and(|top_p| top_p < 0.95), || {
        invalid("`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.")
    })?;
    refuse_if(given("top_k").is_some(), || invalid("`top_k` must be unset when thinking is enabled."))
}

/// No text block is empty, in the system prompt, in messages and in tool results.
fn texts(body: &Value) -> Result<(), Failure> {
    let empty = |block: &Value| word(block, "type") == "text" && word(block, "text").is_empty();
    refuse_if(list(body, "system").any(empty), || invalid("system: text content blocks must be non-empty"))?;
    let blocks = || list(body, "messages").flat_map(|message| list(message, "content"));
    let inner = || blocks().flat_map(|block| list(block, "content"));
    refuse_if(blocks().any(empty) || inner().any(empty), || {
        invalid("messages: text content blocks must be non-empty")
    })
}

/// One message by itself: its role, its content, and its seals.
fn one(place: usize, message: &Value, vault: &Vault) -> Result<(), Failure> {
    let role = word(message, "role");
    refuse_if(!matches!(role, "user" | "assistant"), || {
        invalid(format!("messages.{place}.role: Input should be 'user' or 'assistant'"))
    })?;
    let content = message.get("content");
    let empty = content.is_none_or(|content| content == "" || content.as_array().is_some_and(Vec::is_empty));
    refuse_if(empty, || {
        invalid(format!(
            "messages.{place}: all messages must have non-empty content except for the optional final assistant message"
        ))
    })?;
    for (at, block) in list(message, "content").enumerate() {
        let place = format!("messages.{place}.content.{at}");
        match word(block, "type") {
            "thinking" | "redacted_thinking" => thoughts::known(&place, block, vault)?,
            "tool_use" => refuse_if(!block.get("input").is_some_and(Value::is_object), || {
                invalid(format!("{place}.tool_use.input: Input should be an object"))
            })?,
            _ => {}
        }
    }
    Ok(())
}

/// What the blocks of one kind in a message have under a name.
pub(super) fn ids<'a>(message: Option<&'a &Value>, kind: &str, id: &str) -> Vec<&'a str> {
    let blocks = message.into_iter().flat_map(|message| list(message, "content"));
    blocks.filter(|block| word(block, "type") == kind).map(|block| word(block, id)).collect()
}

/// Every call is answered once in the next message, and nothing else is.
fn pairs(messages: &[&Value]) -> Result<(), Failure> {
    let mut known = HashSet::new();
    for (place, message) in messages.iter().enumerate() {
        for (at, block) in list(message, "content").enumerate() {
            let again = word(block, "type") == "tool_use" && !known.insert(word(block, "id").to_owned());
            refuse_if(again, || {
                invalid(format!("messages.{place}.content.{at}: `tool_use` ids must be unique"))
            })?;
        }
        let before = place.checked_sub(1).and_then(|before| messages.get(before));
        let (asked, mut answered) = (ids(before, "tool_use", "id"), HashSet::new());
        for (at, block) in list(message, "content").enumerate() {
            if word(block, "type") != "tool_result" {
                continue;
            }
            let id = word(block, "tool_use_id");
            let place = format!("messages.{place}.content.{at}");
            refuse_if(!asked.contains(&id), || {
                invalid(format!(
                    "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a \
                     corresponding `tool_use` block in the previous message."
                ))
            })?;
            refuse_if(!answered.insert(id), || {
                invalid(format!(
                    "{place}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
                ))
            })?;
        }
        let open = ids(Some(message), "tool_use", "id");
        let closed = ids(messages.get(place + 1), "tool_result", "tool_use_id");
        let open: Vec<&str> = open.into_iter().filter(|id| !closed.contains(id)).collect();
        refuse_if(!open.is_empty(), || {
            invalid(format!(
                "messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block \
                 must have a corresponding `tool_result` block in the next message.",
                open.join(", ")
            ))
        })?;
    }
    Ok(())
}
