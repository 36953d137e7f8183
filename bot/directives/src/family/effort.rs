//! `/effort`: one knob for every model. Its tier is kept for the whole daemon and becomes the thinking level of the same
//! name where nobody configured or asked for another; a model that lacks it gives what it has below.

use super::{did_you_mean, options, unrecognized};
use crate::vocabulary::{listed, vocabulary};
use crate::{Level, Profile, ThinkResolved};

vocabulary! {
    /// How much a model should give. There is no `off`: not to think is a thinking level.
    pub enum Effort {
        /// Quick answers.
        Low: "low";
        /// What most questions need.
        Medium: "medium", "med", "mid";
        /// For what is hard.
        High: "high", "highest";
        /// For what is harder still.
        Xhigh: "xhigh", "x-high", "extra-high";
        /// The most that the model has.
        Max: "max", "maximum";
    }
}

impl Effort {
    /// The thinking level of the same name.
    pub fn level(self) -> Level {
        match self {
            Self::Low => Level::Low,
            Self::Medium => Level::Medium,
            Self::High => Level::High,
            Self::Xhigh => Level::Xhigh,
            Self::Max => Level::Max,
        }
    }
}

/// The answer to a tier that was accepted.
pub(crate) fn set_text(tier: Effort) -> String {
    format!("⚙️ Effort set to {tier}.")
}

/// Behind that answer, where another layer has the last word on thinking.
pub(crate) fn overruled_text(profile: &Profile, think: ThinkResolved) -> String {
    format!(" Thinking level stays {} (from {}).", profile.label(think.level), think.source)
}

/// The answer to giving the tier up: what that leaves.
pub(crate) fn reset_text(profile: &Profile, think: ThinkResolved) -> String {
    format!("⚙️ Effort reset to default (thinking level {}).", profile.label(think.level))
}

/// What is kept, and what comes of it here.
pub(crate) fn status_text(profile: &Profile, kept: Option<Effort>, think: ThinkResolved) -> String {
    let kept = match kept {
        Some(tier) => format!("{tier} (set for every chat)"),
        None => "default (none is set)".into(),
    };
    let level = profile.label(think.level);
    format!("Current effort: {kept}.\nThinking level here: {level} (from {}).", think.source)
}

/// The same with every tier, the kept one marked, and what this model makes of each that it lacks.
pub(crate) fn show_text(
    profile: &Profile,
    kept: Option<Effort>,
    think: ThinkResolved,
    near: Option<Effort>,
) -> String {
    let tiers = Effort::ALL.iter().map(|&tier| choice(profile, tier) + mark(kept == Some(tier)));
    let default = "default".to_owned() + mark(kept.is_none());
    let choices: Vec<_> = std::iter::once(default).chain(tiers).collect();
    let status = status_text(profile, kept, think);
    format!("{status}\n{}{}", options(&choices.join(", ")), did_you_mean(near))
}

/// `max → high on this model`
pub(crate) fn choice(profile: &Profile, tier: Effort) -> String {
    let level = profile.clamp(tier.level());
    if level == tier.level() {
        return tier.to_string();
    }
    format!("{tier} → {} on this model", profile.label(level))
}

fn mark(is_current: bool) -> &'static str {
    if is_current { " (current)" } else { "" }
}

/// The answer to a word that is no tier. Who wants no thinking at all is told where that is said.
pub(crate) fn unknown_text(word: &str, near: Option<Effort>) -> String {
    let hint = match Level::normalise(word) {
        Some(Level::Off) => " To turn thinking off, use /think off.".into(),
        _ => did_you_mean(near),
    };
    unrecognized("effort", word, "tiers", &format!("default, {}", listed::<Effort>())) + &hint
}

/// Tells that a tier means another level on this model.
pub(crate) fn clamped_text(profile: &Profile, tier: Effort) -> String {
    let (label, model) = (profile.label(profile.clamp(tier.level())), &profile.model);
    format!("Thinking level set to {label} (effort {tier} not supported for {model}).")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::tests::{check_family, check_words};
    use crate::{LevelChoice, Source};

    fn think(level: Level, source: Source) -> ThinkResolved {
        ThinkResolved { asked: level, level, source, effort: None }
    }

    #[test]
    fn spellings() {
        check_family::<Effort>();
        check_words(Effort::Medium, "med mid");
        check_words(Effort::High, "highest");
        check_words(Effort::Xhigh, "x-high x_high extrahigh extra-high extra_high");
        check_words(Effort::Max, "maximum");
        for word in ["off", "none", "on", "minimal", "adaptive", "auto", "ultra"] {
            assert_eq!(Effort::normalise(word), None, "{word}");
        }
    }

    #[test]
    fn a_tier_is_the_level_of_its_name() {
        for tier in Effort::ALL {
            assert_eq!(tier.name(), tier.level().name());
        }
        let ranks: Vec<_> = Effort::ALL.iter().map(|tier| tier.level().rank()).collect();
        assert!(ranks.is_sorted(), "{ranks:?}");
    }

    #[test]
    fn answers() {
        let base = Profile::base_five("prov/model");
        assert_eq!(set_text(Effort::High), "⚙️ Effort set to high.");
        assert_eq!(
            overruled_text(&base, think(Level::Low, Source::Session)),
            " Thinking level stays low (from session)."
        );
        assert_eq!(
            reset_text(&base, think(Level::Medium, Source::BuiltIn)),
            "⚙️ Effort reset to default (thinking level medium)."
        );
        assert_eq!(
            clamped_text(&base, Effort::Max),
            "Thinking level set to high (effort max not supported for prov/model)."
        );
        assert_eq!(
            clamped_text(&Profile::off_only("prov/plain"), Effort::Low),
            "Thinking level set to off (effort low not supported for prov/plain)."
        );
    }

    #[test]
    fn what_is_shown_marks_the_tier_and_says_where_the_model_clamps() {
        let base = Profile::base_five("prov/model");
        assert_eq!(
            show_text(&base, Some(Effort::Max), think(Level::High, Source::Effort), None),
            "Current effort: max (set for every chat).\n\
             Thinking level here: high (from effort).\n\
             Options: default, low, medium, high, xhigh → high on this model, max → high on this model (current)."
        );
        assert_eq!(
            show_text(&base, None, think(Level::Low, Source::Agent), Some(Effort::High)),
            "Current effort: default (none is set).\n\
             Thinking level here: low (from agent default).\n\
             Options: default (current), low, medium, high, xhigh → high on this model, \
             max → high on this model. Did you mean \"high\"?"
        );
        let on = LevelChoice { level: Level::Low, label: Some("on".into()) };
        let switch =
            Profile::new("prov/switch", vec![LevelChoice { level: Level::Off, label: None }, on], Level::Off);
        let shown = show_text(&switch, None, think(Level::Off, Source::Provider), None);
        assert!(shown.contains("low, medium → on on this model"), "{shown}");
    }

    #[test]
    fn a_word_that_is_no_tier() {
        let valid = "Valid tiers: default, low, medium, high, xhigh, max.";
        assert_eq!(unknown_text("zebra", None), format!("Unrecognized effort \"zebra\". {valid}"));
        assert_eq!(
            unknown_text("hgih", Some(Effort::High)),
            format!("Unrecognized effort \"hgih\". {valid} Did you mean \"high\"?")
        );
        for word in ["off", "NONE", "disabled"] {
            assert_eq!(
                unknown_text(word, None),
                format!("Unrecognized effort \"{word}\". {valid} To turn thinking off, use /think off.")
            );
        }
    }
}
