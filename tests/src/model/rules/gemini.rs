//! Gemini's checks: one way to say how much to think, within the model's limits, and calls that come back with their seal and are answered.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::{invalid, refuse_if};
use crate::model::{
    conversation::{list, word},
    failure::Failure,
    request::Request,
    seal::Vault,
};

/// Seals that the documentation offers for calls which Gemini did not make.
const EXCUSES: [&str; 2] = ["context_engineering_is_the_way_to_go", "skip_thought_signature_validator"];

/// Budgets of the models that take one, by the documentation of thinking; 0 and -1 apart.
const BUDGETS: [(&str, RangeInclusive<i64>); 3] = [
    ("gemini-2.5-flash-lite", 512..=24_576),
    ("gemini-2.5-flash", 1..=24_576),
    ("gemini-2.5-pro", 128..=32_768),
];

pub(super) fn check(request: &Request, vault: &Vault) -> Result<(), Failure> {
    thinking(request)?;
    let contents: Vec<&Value> = list(&request.body, "contents").collect();
    refuse_if(contents.is_empty(), || {
        invalid("* GenerateContentRequest.contents: contents is not specified\n")
    })?;
    for (place, content) in contents.iter().enumerate() {
        let role = word(content, "role");
        refuse_if(!matches!(role, "user" | "model" | ""), || {
            invalid("Please use a valid role: user, model.")
        })?;
        refuse_if(list(content, "parts").next().is_none(), || {
            invalid(format!(
                "* GenerateContentRequest.contents[{place}].parts: contents.parts must not be empty.\n"
            ))
        })?;
        order(&contents, place)?;
    }
    seals(&contents, vault)?;
    if request.model().starts_with("gemini-3") { current_turn(&contents) } else { Ok(()) }
}

fn thinking(request: &Request) -> Result<(), Failure> {
    let config = request.at_path("/generationConfig/thinkingConfig");
    let (budget, level) = (config.get("thinkingBudget"), config.get("thinkingLevel"));
    refuse_if(budget.is_some() && level.is_some(), || {
        invalid("You can only set only one of thinking budget and thinking level.")
    })?;
    let model = request.model();
    refuse_if(level.is_some() && model.starts_with("gemini-2"), || {
        invalid("Thinking level is not supported for this model.")
    })?;
    let (Some(budget), Some((name, range))) =
        (request.budget(), BUDGETS.iter().find(|(name, _)| model.starts_with(name)))
    else {
        return Ok(());
    };
    refuse_if(budget == 0 && *name == "gemini-2.5-pro", || {
        invalid("Budget 0 is invalid. This model only works in thinking mode.")
    })?;
    refuse_if(!matches!(budget, -1 | 0) && !range.contains(&budget), || {
        invalid(format!(
            "The thinking budget {budget} is invalid. Please choose a value between {} and {}.",
            range.start(),
            range.end()
        ))
    })
}

fn count(content: Option<&&Value>, kind: &str) -> usize {
    let parts = content.into_iter().flat_map(|content| list(content, "parts"));
    parts.filter(|part| part.get(kind).is_some()).count()
}

/// Calls come after the user or a result, results right after their calls and as many.
fn order(contents: &[&Value], place: usize) -> Result<(), Failure> {
    let (this, next) = (contents.get(place), contents.get(place + 1));
    let before = place.checked_sub(1).and_then(|before| contents.get(before));
    let (calls, results) = (count(this, "functionCall"), count(this, "functionResponse"));
    let asked = count(before, "functionCall");
    refuse_if(results > 0 && asked == 0, || {
        invalid("Please ensure that function response turn comes immediately after a function call turn.")
    })?;
    let unanswered = calls > 0 && next.is_some() && count(next, "functionResponse") != calls;
    refuse_if(unanswered || (results > 0 && results != asked), || {
        invalid(
            "Please ensure that the number of function response parts is equal to the number of function call parts of the function \
             call turn.",
        )
    })?;
    let user = before.is_some_and(|before| word(before, "role") != "model");
    refuse_if(calls > 0 && !user, || {
        invalid(
            "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        )
    })
}

/// Every seal that comes back is one that was given out.
fn seals(contents: &[&Value], vault: &Vault) -> Result<(), Failure> {
    let parts = contents.iter().flat_map(|content| list(content, "parts"));
    let mut seals = parts.filter_map(|part| part.get("thoughtSignature").and_then(Value::as_str));
    let altered = seals.any(|seal| !vault.knows(seal) && !EXCUSES.contains(&seal));
    refuse_if(altered, || invalid("Corrupted thought signature."))
}

/// Since the user last spoke, the first call of each step has its seal.
fn current_turn(contents: &[&Value]) -> Result<(), Failure> {
    let spoke =
        |content: &&Value| word(content, "role") != "model" && count(Some(content), "functionResponse") == 0;
    let since = contents.iter().rposition(spoke).unwrap_or_default();
    for (place, content) in contents.iter().enumerate().skip(since) {
        let first = list(content, "parts").find(|part| part.get("functionCall").is_some());
        let bare = first.filter(|part| word(part, "thoughtSignature").is_empty());
        let Some(call) = bare.and_then(|part| part.get("functionCall")) else {
            continue;
        };
        return Err(invalid(format!(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and \
             missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{}` , \
             position {}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
            word(call, "name"),
            place + 1
        )));
    }
    Ok(())
}
