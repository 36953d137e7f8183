//! Everything that a call says beside the conversation: decided here, from the model's row, the level, the pace and the
//! configuration, for every shape. The body takes its fields from here and so do `/status` and `pensive explain`, so that
//! what is shown is what is sent.

mod budget;
mod fields;
mod sampling;
mod thinking;
mod tier;

use pensive_contract::model::{Manner, ModelRef, ToolChoice};
use pensive_directives::Level;
use serde_json::Value;

use crate::catalogue::{Extras, Facts, Replay, Word};
use crate::http::Shape;
use crate::ladder::Ladder;
use crate::transport::Patience;

pub(crate) use fields::Fields;

/// What a call says beside the conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Knobs {
    /// The model's name for the provider.
    pub(crate) model: String,
    /// The fields of thinking, tier and speed, which `/status` shows.
    pub(crate) said: Fields,
    /// All fields, those included.
    pub(crate) fields: Fields,
    /// The level that goes out.
    pub(crate) level: Level,
    /// Which tools it may call.
    pub(crate) choice: ToolChoice,
    /// How reasoning goes back in Chat Completions.
    pub(crate) replay: Replay,
    /// Whether the model thinks before it speaks.
    pub(crate) thinks: Thinks,
    /// Who says how it thinks.
    pub(crate) words: Words,
    /// How long its silence is taken for thought.
    pub(crate) patience: Patience,
    /// Trials of the provider that the call takes part in.
    pub(crate) beta: Vec<String>,
    /// Why it is so, for people who ask.
    pub(crate) why: Vec<String>,
}

/// Whether a call asks for thought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thinks {
    Yes,
    No,
}

/// Who says how hard a model thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// We, by the level.
    Ours,
    /// The owner, with an object of the provider's own. It is not ours to weaken.
    Owners,
}

/// A model with everything that a decision looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) shape: Shape,
    pub(crate) model: &'a ModelRef,
    pub(crate) facts: &'a Facts,
    pub(crate) extras: &'a Extras,
    pub(crate) ladder: &'a Ladder,
    /// The most that one call writes, where known; the configuration's word goes before the row's.
    pub(crate) output: Option<u64>,
    /// The context window, where the configuration says how large it is.
    pub(crate) context: Option<u64>,
    /// Whether the provider is reached at its own host.
    pub(crate) host: Host,
    /// Whether a summary of the reasoning is asked for, where the shape has one.
    pub(crate) summary: Summary,
}

/// Where a provider is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Host {
    /// At the host that its vendor runs.
    Own,
    /// Through something else.
    Other,
}

/// Whether the provider is asked to sum its reasoning up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Summary {
    /// It is.
    Wanted,
    /// It has refused to, for this account.
    Unwanted,
}

/// Decides for one call.
pub(crate) fn decide(case: &Case<'_>, manner: &Manner, choice: ToolChoice) -> Knobs {
    let profile = case.ladder.profile(case.model);
    let asked = profile.clamp(manner.thinking);
    let mut why = Vec::new();
    if asked != manner.thinking {
        why.push(format!("{} is not on offer, so {asked} is sent", manner.thinking));
    }
    let (level, choice) = thinking::with_tools(case, &profile, asked, choice, &mut why);
    let mut knobs = Knobs {
        model: case.model.id.clone(),
        said: Fields::default(),
        fields: Fields::default(),
        level,
        choice,
        replay: case.facts.replay,
        thinks: if level == Level::Off { Thinks::No } else { Thinks::Yes },
        words: Words::Ours,
        patience: Patience::Usual,
        beta: case.facts.beta.clone(),
        why,
    };
    let budget = budget::settle(case, manner, &mut knobs);
    thinking::put(case, manner, budget, &mut knobs);
    tier::put(case, manner, &mut knobs);
    knobs.fields = std::mem::take(&mut knobs.fields).after(&knobs.said);
    sampling::put(case, manner, &mut knobs);
    if knobs.thinks == Thinks::No {
        knobs.replay = knobs.replay.at_rest();
    } else if level.rank() >= Level::High.rank() || level == Level::Adaptive {
        knobs.patience = Patience::Long;
    }
    knobs
}

impl Knobs {
    /// In a few words what goes out, for a model of that name: `reasoning.effort=high`, or `nothing`.
    pub(crate) fn summary(&self, name: &str) -> String {
        if self.model == name {
            return self.said.to_string();
        }
        let mut all = Fields::default();
        all.put("model", self.model.as_str());
        self.said.clone().after(&all).to_string()
    }
}

impl Replay {
    /// How it is while the model does not think.
    fn at_rest(self) -> Self {
        match self {
            Self::Drop | Self::ContentRequired => Self::Drop,
            Self::Content | Self::Details => self,
        }
    }
}

/// A field of the shape's own name.
fn text(value: &str) -> Value {
    Value::String(value.to_owned())
}

impl Word {
    /// The word as a field's value.
    fn value(&self) -> Option<Value> {
        match self {
            Self::Silent => None,
            Self::Said(word) => Some(text(word)),
            Self::Tokens(tokens) => Some(Value::from(*tokens)),
            Self::On => Some(Value::Bool(true)),
            Self::Off => Some(Value::Bool(false)),
        }
    }
}

#[cfg(test)]
mod tests;
