//! `/think`: how hard the model thinks. The ladder of levels is the same for every model; which rungs a model has is its
//! profile's to say.

use super::{current, did_you_mean, options, unrecognized};
use crate::vocabulary::{Vocabulary, vocabulary};
use crate::{Profile, ThinkResolved};

vocabulary! {
    /// A rung of the ladder.
    pub enum Level {
        /// No thinking: a choice like any other, not the absence of one.
        Off: "off", "none", "disable", "disabled";
        /// "Think."
        Minimal: "minimal", "min", "think";
        /// "Think hard."
        Low: "low", "on", "enable", "enabled", "think-hard";
        /// "Think harder."
        Medium: "medium", "med", "mid", "harder", "think-harder";
        /// "Ultrathink."
        High: "high", "highest", "ultrathink", "think-hardest";
        /// "Ultrathink", and then some.
        Xhigh: "xhigh", "x-high", "extra-high";
        /// The provider decides per request.
        Adaptive: "adaptive", "auto";
        /// The most that the provider has.
        Max: "max", "maximum";
        /// The most, and the run plans, verifies and hands work to sub-agents.
        Ultra: "ultra";
    }
}

impl Level {
    /// How much thinking it is, for comparing. `Adaptive` stands beside `Medium`.
    pub fn rank(self) -> u8 {
        match self {
            Self::Off => 0,
            Self::Minimal => 10,
            Self::Low => 20,
            Self::Medium | Self::Adaptive => 30,
            Self::High => 40,
            Self::Xhigh => 60,
            Self::Max => 70,
            Self::Ultra => 80,
        }
    }
}

/// A level as it was typed. `on` is low on the ladder, and whatever stands behind the switch on a model that has no more
/// than one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LevelWord {
    /// A rung by its name.
    Named(Level),
    /// `on`, or a word like it.
    On,
}

impl Vocabulary for LevelWord {
    fn spellings() -> impl Iterator<Item = (&'static str, Self)> {
        Level::spellings().map(|(spelling, level)| match spelling {
            "on" | "enable" | "enabled" => (spelling, Self::On),
            _ => (spelling, Self::Named(level)),
        })
    }

    fn values() -> impl Iterator<Item = Self> {
        Level::values().map(Self::Named)
    }

    fn word(self) -> &'static str {
        match self {
            Self::Named(level) => level.name(),
            Self::On => "on",
        }
    }
}

impl std::fmt::Display for LevelWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

const NOUN: &str = "thinking level";

/// The answer to a level that was accepted.
pub(crate) fn set_text(profile: &Profile, level: Level) -> String {
    match level {
        Level::Off => "Thinking disabled.".into(),
        level => format!("Thinking level set to {}.", profile.label(level)),
    }
}

/// The answer to giving the override up.
pub(crate) fn reset_text(profile: &Profile, inherited: Level) -> String {
    format!("Thinking level reset to default ({}).", profile.label(inherited))
}

/// What holds, in one line.
pub(crate) fn status_text(profile: &Profile, think: ThinkResolved) -> String {
    current(NOUN, profile.label(think.level), think.source)
}

/// What holds and what there is.
pub(crate) fn show_text(profile: &Profile, think: ThinkResolved, near: Option<LevelWord>) -> String {
    format!("{}\n{}{}", status_text(profile, think), options(&profile.choices()), hint(profile, near))
}

/// The answer to a word that is no level.
pub(crate) fn unknown_text(profile: &Profile, word: &str, near: Option<LevelWord>) -> String {
    unrecognized(NOUN, word, "levels", &profile.choices()) + &hint(profile, near)
}

/// The answer to a level that this model lacks.
pub(crate) fn unsupported_text(profile: &Profile, typed: LevelWord) -> String {
    let (model, values) = (&profile.model, profile.values());
    format!("Thinking level \"{typed}\" is not supported for {model}. Use one of: {values}.")
}

/// Tells what a stored level means on the model that was picked, where it meant another one before.
pub(crate) fn moved_text(profile: &Profile, stored: Level) -> String {
    if profile.offers(stored) {
        return set_text(profile, stored);
    }
    let (label, model) = (profile.label(profile.clamp(stored)), &profile.model);
    format!("Thinking level set to {label} ({stored} not supported for {model}).")
}

/// Only what the model has is worth a hint.
fn hint(profile: &Profile, near: Option<LevelWord>) -> String {
    did_you_mean(near.and_then(|typed| profile.select(typed)).map(|level| profile.label(level)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;
    use crate::family::tests::{check_family, check_words};
    use crate::vocabulary::find;

    #[test]
    fn spellings() {
        check_family::<Level>();
        check_words(Level::Off, "none disable disabled");
        check_words(Level::Minimal, "min think");
        check_words(Level::Low, "on enable enabled thinkhard think-hard");
        check_words(Level::Medium, "med mid harder thinkharder think-harder");
        check_words(Level::High, "highest ultrathink thinkhardest");
        check_words(Level::Xhigh, "x-high x_high extrahigh extra-high extra_high");
        check_words(Level::Adaptive, "auto");
        check_words(Level::Max, "maximum");
        check_words(Level::Ultra, "");
        for two_words in ["x high", "extra high", "X\u{a0}High", "extra\u{2011}high"] {
            assert_eq!(Level::normalise(two_words), Some(Level::Xhigh), "{two_words}");
        }
    }

    #[test]
    fn on_is_typed_as_a_word_of_its_own() {
        check_family::<LevelWord>();
        for word in ["on", "ENABLE", "enabled"] {
            assert_eq!(find::<LevelWord>(word), Some(LevelWord::On), "{word}");
            assert_eq!(Level::normalise(word), Some(Level::Low), "{word}");
        }
        for &level in Level::ALL {
            assert_eq!(find::<LevelWord>(level.name()), Some(LevelWord::Named(level)));
        }
    }

    #[test]
    fn the_ladder() {
        let ranks: Vec<_> = Level::ALL.iter().map(|level| (level.name(), level.rank())).collect();
        let expected = [
            ("off", 0),
            ("minimal", 10),
            ("low", 20),
            ("medium", 30),
            ("high", 40),
            ("xhigh", 60),
            ("adaptive", 30),
            ("max", 70),
            ("ultra", 80),
        ];
        assert_eq!(ranks, expected);
    }

    #[test]
    fn answers() {
        let base = Profile::base_five("prov/model");
        assert_eq!(set_text(&base, Level::High), "Thinking level set to high.");
        assert_eq!(set_text(&base, Level::Off), "Thinking disabled.");
        assert_eq!(reset_text(&base, Level::Medium), "Thinking level reset to default (medium).");
        let think =
            ThinkResolved { asked: Level::Medium, level: Level::Medium, source: Source::Agent, effort: None };
        assert_eq!(
            show_text(&base, think, None),
            "Current thinking level: medium (from agent default).\n\
             Options: default, off, minimal, low, medium, high."
        );
        assert_eq!(
            unknown_text(&base, "big", Some(LevelWord::Named(Level::High))),
            "Unrecognized thinking level \"big\". Valid levels: default, off, minimal, low, medium, high. \
             Did you mean \"high\"?"
        );
        assert_eq!(
            unsupported_text(&base, LevelWord::Named(Level::Xhigh)),
            "Thinking level \"xhigh\" is not supported for prov/model. Use one of: off, minimal, low, medium, high."
        );
        assert_eq!(
            moved_text(&base, Level::Xhigh),
            "Thinking level set to high (xhigh not supported for prov/model)."
        );
        assert_eq!(moved_text(&base, Level::Low), "Thinking level set to low.");
        assert_eq!(moved_text(&base, Level::Off), "Thinking disabled.");
    }

    #[test]
    fn a_hint_names_only_what_the_model_has() {
        let off = Profile::off_only("prov/model");
        assert_eq!(
            unknown_text(&off, "hgih", Some(LevelWord::Named(Level::High))),
            "Unrecognized thinking level \"hgih\". Valid levels: default, off."
        );
    }
}
