//! How a level is put into the fields of a shape.

use pensive_contract::model::{Manner, ToolChoice};
use pensive_directives::{Level, Profile};
use serde_json::Value;

use super::{Case, Fields, Knobs, Summary, Thinks, Words};
use crate::catalogue::{Format, Word};
use crate::http::Shape;

/// A model that may not be forced to call a tool while it thinks either is not forced, or, where one tool is named, does
/// not think this once.
pub(super) fn with_tools(
    case: &Case<'_>,
    profile: &Profile,
    level: Level,
    choice: ToolChoice,
    why: &mut Vec<String>,
) -> (Level, ToolChoice) {
    if case.facts.forced_tools || level == Level::Off {
        return (level, choice);
    }
    match choice {
        ToolChoice::Auto | ToolChoice::None => (level, choice),
        ToolChoice::Named(_) if profile.offers(Level::Off) => {
            why.push("a tool is named, which this model takes only while it does not think".to_owned());
            (Level::Off, choice)
        }
        ToolChoice::Required | ToolChoice::Named(_) => {
            why.push("while it thinks, this model chooses its tools itself".to_owned());
            (level, ToolChoice::Auto)
        }
    }
}

/// Puts the level in. `word` is the level's, its budget settled.
pub(super) fn put(case: &Case<'_>, manner: &Manner, word: Word, knobs: &mut Knobs) {
    knobs.words = raw(case.shape, manner, &mut knobs.said);
    if knobs.words == Words::Owners {
        knobs.why.push("the configuration says it in the provider's own words".to_owned());
        knobs.thinks = Thinks::Yes;
        return;
    }
    match case.shape {
        Shape::Responses => responses(case, &word, knobs),
        Shape::Chat => chat(case.ladder.format, &word, knobs),
        Shape::Messages => messages(case, &word, knobs),
        Shape::Gemini => gemini(&word, knobs),
        Shape::Ollama => knobs.said.extend("think", word.value()),
    }
}

/// Puts the configuration's own objects in, each where its shape has it.
fn raw(shape: Shape, manner: &Manner, said: &mut Fields) -> Words {
    let (thinking, reasoning) = (read(&manner.params.thinking), read(&manner.params.reasoning));
    match shape {
        Shape::Chat => {
            said.extend("thinking", thinking);
            said.extend("reasoning", reasoning);
        }
        Shape::Responses => said.extend("reasoning", reasoning),
        Shape::Messages => said.extend("thinking", thinking),
        Shape::Gemini => said.extend("generationConfig.thinkingConfig", thinking),
        // It takes words and no objects.
        Shape::Ollama => {}
    }
    if said.is_empty() { Words::Ours } else { Words::Owners }
}

/// The budget of the configuration's own object, in the shape whose cap must be above it.
pub(super) fn own_budget(shape: Shape, manner: &Manner) -> Option<u64> {
    let thinking = read(&manner.params.thinking).filter(|_| shape == Shape::Messages)?;
    thinking.get("budget_tokens")?.as_u64()
}

fn read(json: &Option<String>) -> Option<Value> {
    serde_json::from_str(json.as_deref()?).ok()
}

fn responses(case: &Case<'_>, word: &Word, knobs: &mut Knobs) {
    if let Word::Said(effort) = word {
        knobs.said.put("reasoning.effort", effort.as_str());
        if knobs.thinks == Thinks::Yes && case.summary == Summary::Wanted {
            knobs.fields.put("reasoning.summary", "auto");
        }
    }
}

fn chat(format: Format, word: &Word, knobs: &mut Knobs) {
    let said = &mut knobs.said;
    let switch = |on| if on { "enabled" } else { "disabled" };
    match (format, word) {
        (_, Word::Silent) => {}
        (Format::Effort | Format::Budget, Word::Said(effort)) => {
            said.put("reasoning_effort", effort.as_str())
        }
        (Format::Openrouter, Word::Said(effort)) => said.put("reasoning.effort", effort.as_str()),
        (Format::Openrouter, Word::Tokens(tokens)) => said.put("reasoning.max_tokens", *tokens),
        (Format::Openrouter, Word::On | Word::Off) => said.put("reasoning.enabled", *word == Word::On),
        (Format::Deepseek, Word::Said(effort)) => {
            said.put("thinking.type", "enabled");
            said.put("reasoning_effort", effort.as_str());
        }
        (Format::Qwen, Word::Tokens(tokens)) => {
            said.put("enable_thinking", true);
            said.put("thinking_budget", *tokens);
        }
        (Format::Qwen, Word::On | Word::Off | Word::Said(_)) => {
            said.put("enable_thinking", *word != Word::Off)
        }
        (Format::Effort | Format::Budget | Format::Deepseek | Format::Zai, Word::Tokens(tokens)) => {
            said.put("thinking.type", "enabled");
            said.put("thinking.budget_tokens", *tokens);
        }
        (Format::Effort | Format::Budget | Format::Deepseek | Format::Zai, Word::On | Word::Off) => {
            said.put("thinking.type", switch(*word == Word::On));
        }
        (Format::Zai, Word::Said(_)) => said.put("thinking.type", switch(true)),
    }
}

fn messages(case: &Case<'_>, word: &Word, knobs: &mut Knobs) {
    match word {
        Word::Silent => return,
        Word::Said(effort) => {
            knobs.said.put("thinking.type", "adaptive");
            knobs.said.put("output_config.effort", effort.as_str());
        }
        Word::On => knobs.said.put("thinking.type", "adaptive"),
        Word::Off => {
            knobs.said.put("thinking.type", "disabled");
            return;
        }
        Word::Tokens(tokens) => {
            knobs.said.put("thinking.type", "enabled");
            knobs.said.put("thinking.budget_tokens", *tokens);
        }
    }
    if let Some(display) = &case.facts.display {
        knobs.fields.put("thinking.display", display.as_str());
    }
}

fn gemini(word: &Word, knobs: &mut Knobs) {
    const BUDGET: &str = "generationConfig.thinkingConfig.thinkingBudget";
    match word {
        Word::Silent => return,
        Word::Said(level) => knobs.said.put("generationConfig.thinkingConfig.thinkingLevel", level.as_str()),
        Word::Tokens(tokens) => knobs.said.put(BUDGET, *tokens),
        Word::Off => knobs.said.put(BUDGET, 0),
        Word::On => {}
    }
    if knobs.thinks == Thinks::Yes {
        knobs.fields.put("generationConfig.thinkingConfig.includeThoughts", true);
    }
}
