//! How many tokens a call may write, and how many of them are for thought.

use pensive_contract::model::Manner;
use pensive_directives::Level;

use super::thinking::own_budget;
use super::{Case, Knobs, Thinks};
use crate::catalogue::{CapField, Word};
use crate::http::Shape;

/// What an answer may write where nobody capped it and the shape demands a cap.
const ANSWER: u64 = 32_000;

/// What must be left for the answer, and the least that a budget may be.
const LEAST: u64 = 1024;

/// What a level thinks, about, for models that are told no number: an answer's cap is the answer's alone.
fn usual(level: Level) -> u64 {
    match level {
        Level::Off => 0,
        Level::Minimal => 1024,
        Level::Low => 2048,
        Level::Medium => 8192,
        Level::High | Level::Xhigh | Level::Adaptive => 16_384,
        Level::Max | Level::Ultra => 32_768,
    }
}

/// Settles cap and budget, puts the cap in, and gives the word of the level with its budget settled.
pub(super) fn settle(case: &Case<'_>, manner: &Manner, knobs: &mut Knobs) -> Word {
    let word = case.ladder.word(knobs.level, case.model).clone();
    let budget = match word {
        Word::Tokens(tokens) => u64::try_from(tokens).ok(),
        Word::Silent | Word::Said(_) | Word::On | Word::Off => None,
    };
    if let (Shape::Ollama, Some(context)) = (case.shape, case.context) {
        // Its own default is small, and what does not fit is cut without a word.
        knobs.fields.put("options.num_ctx", context);
    }
    let asked = manner.params.max_tokens.or((case.shape == Shape::Messages).then_some(ANSWER));
    let Some(asked) = asked else { return word };
    let thought = own_budget(case.shape, manner).or(budget).unwrap_or_else(|| usual(knobs.level));
    let wanted = asked.saturating_add(thought);
    let cap = wanted.min(case.output.unwrap_or(u64::MAX));
    put(case, cap, knobs);
    if thought > 0 {
        knobs.why.push(format!("{asked} tokens for the answer and {thought} for thought, {cap} in all"));
    }
    match budget {
        Some(budget) if cap <= budget => shrunk(cap, knobs),
        Some(_) | None => word,
    }
}

/// The cap leaves no room for an answer beside the thought.
fn shrunk(cap: u64, knobs: &mut Knobs) -> Word {
    let left = cap.saturating_sub(LEAST);
    match i64::try_from(left) {
        Ok(tokens) if left >= LEAST => {
            knobs.why.push(format!("the budget is {left} so that an answer fits beside it"));
            Word::Tokens(tokens)
        }
        Ok(_) | Err(_) => {
            knobs.why.push(format!("{cap} tokens are too few to think in"));
            knobs.thinks = Thinks::No;
            Word::Silent
        }
    }
}

fn put(case: &Case<'_>, cap: u64, knobs: &mut Knobs) {
    let field = match case.shape {
        Shape::Responses => "max_output_tokens",
        Shape::Chat => match case.extras.cap {
            CapField::MaxTokens => "max_tokens",
            CapField::MaxCompletionTokens => "max_completion_tokens",
        },
        Shape::Messages => "max_tokens",
        Shape::Gemini => "generationConfig.maxOutputTokens",
        Shape::Ollama => "options.num_predict",
    };
    knobs.fields.put(field, cap);
}
