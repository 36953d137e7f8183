//! From layers to the settings of one run: the first layer that has a value wins, and the layer is remembered.

use crate::family::effort;
use crate::settings::Setting;
use crate::{
    Defaults, Effort, Elevated, Fast, Level, Once, OnceOverrides, Overrides, Profile, Queue, Reasoning,
    Source, Trace, Usage, Verbose,
};

/// A value and the layer that it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolved<T> {
    /// What holds.
    pub value: T,
    /// Who said so.
    pub source: Source,
}

/// The thinking level of a run: what was asked for, and what this model makes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThinkResolved {
    /// The level of the winning layer.
    pub asked: Level,
    /// The same, clamped to what the model offers. This is what runs and what people are shown.
    pub level: Level,
    /// Who said so.
    pub source: Source,
    /// The tier that stands behind it, where an effort decides and no level was asked for.
    pub effort: Option<Effort>,
}

impl ThinkResolved {
    /// The line for a person whose tier this model lacks. Somebody who gets it knows: tell it once for each model and
    /// tier.
    pub fn clamped(&self, profile: &Profile) -> Option<String> {
        let tier = self.effort.filter(|_| self.level != self.asked)?;
        Some(effort::clamped_text(profile, tier))
    }
}

/// Everything that holds for one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How hard the model thinks.
    pub think: ThinkResolved,
    /// The provider's fast lane.
    pub fast: Resolved<Fast>,
    /// How much of the work is shown.
    pub verbose: Resolved<Verbose>,
    /// Plugins' trace lines.
    pub trace: Resolved<Trace>,
    /// Whether the model's reasoning is shown.
    pub reasoning: Resolved<Reasoning>,
    /// Whether tools may leave the sandbox.
    pub elevated: Resolved<Elevated>,
    /// What happens to a message that arrives during a run.
    pub queue: Resolved<Queue>,
    /// The usage line under answers.
    pub usage: Resolved<Usage>,
    /// The model, as `provider/model`.
    pub model: Resolved<String>,
}

/// The layers, highest first, and the profile of the model that will run.
#[derive(Debug, Clone, Copy)]
pub struct Layers<'a> {
    /// What the message itself says.
    pub once: &'a OnceOverrides,
    /// What its sender has stored.
    pub sender: &'a Overrides,
    /// What an owner has stored for the whole chat.
    pub chat: &'a Overrides,
    /// What is configured.
    pub defaults: &'a Defaults,
    /// What an owner has set for the whole daemon: it counts where nothing is configured.
    pub effort: Option<Effort>,
    /// What the model offers; its default is the last word on thinking.
    pub profile: &'a Profile,
}

/// Settles every family. Status lines, notices and runs all come here, so that they cannot disagree.
pub fn resolve(layers: &Layers<'_>) -> Settings {
    Settings {
        think: think(layers),
        fast: first(layers).unwrap_or_else(|| built_in(Fast::Off)),
        verbose: first(layers).unwrap_or_else(|| built_in(Verbose::Off)),
        trace: first(layers).unwrap_or_else(|| built_in(Trace::Off)),
        reasoning: first(layers).unwrap_or_else(|| built_in(Reasoning::Off)),
        elevated: first(layers).unwrap_or_else(|| built_in(Elevated::Off)),
        queue: first(layers).unwrap_or_else(|| built_in(Queue::default())),
        usage: usage(layers),
        model: model(layers),
    }
}

/// The first layer that has a value for the family.
fn first<T: Setting>(layers: &Layers<'_>) -> Option<Resolved<T>> {
    let own = match T::once(layers.once) {
        Some(Once::Set(value)) => return Some(Resolved { value, source: Source::Message }),
        Some(Once::Inherit) => None,
        None => T::stored(layers.sender),
    };
    let stored =
        own.or_else(|| T::stored(layers.chat)).map(|value| Resolved { value, source: Source::Session });
    let configured = || T::configured(layers.defaults).first();
    stored.or_else(|| configured().map(|&(source, value)| Resolved { value, source }))
}

/// A tier that was typed in the message stands right behind a level that was, a kept one behind all that is configured.
fn think(layers: &Layers<'_>) -> ThinkResolved {
    let profile = layers.profile;
    let default = Resolved { value: profile.default, source: profile.default_source };
    let level = first(layers).map(|level| (level, None));
    let tier = effort(layers)
        .map(|Resolved { value, source }| (Resolved { value: value.level(), source }, Some(value)));
    let is_typed = |(level, _): &(Resolved<Level>, Option<Effort>)| level.source == Source::Message;
    let typed = level.filter(is_typed).or(tier.filter(is_typed));
    let (Resolved { value: asked, source }, effort) = typed.or(level).or(tier).unwrap_or((default, None));
    ThinkResolved { asked, level: profile.clamp(asked), source, effort }
}

fn effort(layers: &Layers<'_>) -> Option<Resolved<Effort>> {
    match layers.once.effort {
        Some(Once::Set(value)) => Some(Resolved { value, source: Source::Message }),
        Some(Once::Inherit) => None,
        None => layers.effort.map(|value| Resolved { value, source: Source::Effort }),
    }
}

fn usage(layers: &Layers<'_>) -> Resolved<Usage> {
    let stored = layers.sender.usage.or(layers.chat.usage);
    stored.map_or(built_in(Usage::Off), |value| Resolved { value, source: Source::Session })
}

fn model(layers: &Layers<'_>) -> Resolved<String> {
    let stored = layers.sender.model.as_ref().or(layers.chat.model.as_ref());
    match stored {
        Some(model) => Resolved { value: model.clone(), source: Source::Session },
        None => Resolved { value: layers.defaults.model.clone(), source: layers.defaults.model_source },
    }
}

fn built_in<T>(value: T) -> Resolved<T> {
    Resolved { value, source: Source::BuiltIn }
}
