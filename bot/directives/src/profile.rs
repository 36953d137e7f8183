//! What one model can do with a thinking level: which levels it has, what its vendor calls them, and what becomes of a
//! level that it lacks. Where the data comes from is for others to know.

use crate::family::think;
use crate::vocabulary::{find, nearest};
use crate::{Level, LevelWord, Source};

/// A level that a model has, with the vendor's own word for it where that differs (`on` for a binary switch).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelChoice {
    /// What is stored and put on the wire.
    pub level: Level,
    /// What people see and may type instead of the level's name.
    pub label: Option<String>,
}

/// The thinking levels of one model. Validation, menus, pickers and resolution all ask this; nobody keeps another list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The model as people write it, `provider/model`.
    pub model: String,
    /// The levels on offer, weakest first.
    pub levels: Vec<LevelChoice>,
    /// The level that holds where nobody configured one.
    pub default: Level,
    /// Who says so: [`Source::Provider`] where the model's row declares it, else [`Source::BuiltIn`].
    pub default_source: Source,
    /// Levels that the vendor itself takes for another one, each with that one.
    pub stand_ins: Vec<(Level, Level)>,
}

impl Profile {
    /// A profile whose default is the provider's own.
    pub fn new(model: impl Into<String>, levels: Vec<LevelChoice>, default: Level) -> Self {
        Self { model: model.into(), levels, default, default_source: Source::Provider, stand_ins: Vec::new() }
    }

    /// A reasoning model of which nothing else is known: off, minimal, low, medium, high.
    pub fn base_five(model: impl Into<String>) -> Self {
        let levels = [Level::Off, Level::Minimal, Level::Low, Level::Medium, Level::High];
        Self::built_in(model.into(), &levels, Level::Medium)
    }

    /// A model that does not reason.
    pub fn off_only(model: impl Into<String>) -> Self {
        Self::built_in(model.into(), &[Level::Off], Level::Off)
    }

    fn built_in(model: String, levels: &[Level], default: Level) -> Self {
        let levels = levels.iter().map(|&level| LevelChoice { level, label: None }).collect();
        Self { default_source: Source::BuiltIn, ..Self::new(model, levels, default) }
    }

    /// Whether the model has exactly this level.
    pub fn offers(&self, level: Level) -> bool {
        self.levels.iter().any(|choice| choice.level == level)
    }

    /// The level that a typed word selects, or nothing when it is not on offer. A switch labelled `on` answers to `on`
    /// whatever level stands behind it; elsewhere that is another word for low.
    pub fn select(&self, typed: LevelWord) -> Option<Level> {
        let is_switch = |choice: &&LevelChoice| choice.label.as_deref() == Some("on");
        let level = match typed {
            LevelWord::Named(level) => level,
            LevelWord::On => self.levels.iter().find(is_switch).map_or(Level::Low, |choice| choice.level),
        };
        self.offers(level).then_some(level)
    }

    /// The level that a typed word stands for.
    ///
    /// # Errors
    /// There is no such level, or this model lacks it; the words say which there are.
    pub fn read(&self, word: &str) -> Result<Level, String> {
        match find::<LevelWord>(word) {
            Some(typed) => self.select(typed).ok_or_else(|| think::unsupported_text(self, typed)),
            None => Err(think::unknown_text(self, word, nearest(word))),
        }
    }

    /// What a stored or inherited level becomes on this model: itself where offered, else what the vendor takes it for,
    /// where it says so, else the strongest level not above it, else the weakest that thinks at all, else off. `adaptive` leaves the choice to the provider, so it becomes
    /// the provider's default where that one thinks.
    pub fn clamp(&self, level: Level) -> Level {
        if self.offers(level) {
            return level;
        }
        let stand_in = self.stand_ins.iter().find(|(asked, _)| *asked == level).map(|(_, instead)| *instead);
        if let Some(instead) = stand_in.filter(|instead| self.offers(*instead)) {
            return instead;
        }
        if level == Level::Adaptive && self.default != Level::Off && self.offers(self.default) {
            return self.default;
        }
        let thinking = || self.levels.iter().map(|choice| choice.level).filter(|level| *level != Level::Off);
        // Of two equal ranks the definite level is meant, not the provider's choice.
        let strength = |level: &Level| (level.rank(), *level != Level::Adaptive);
        thinking()
            .filter(|offered| offered.rank() <= level.rank())
            .max_by_key(strength)
            .or_else(|| thinking().min_by_key(|offered| offered.rank()))
            .unwrap_or(Level::Off)
    }

    /// What people call the level on this model.
    pub fn label(&self, level: Level) -> &str {
        let choice = self.levels.iter().find(|choice| choice.level == level);
        choice.and_then(|choice| choice.label.as_deref()).unwrap_or(level.name())
    }

    /// The levels by the words that people see: `off, minimal, low, medium, high`.
    pub fn values(&self) -> String {
        self.levels.iter().map(|choice| self.label(choice.level)).collect::<Vec<_>>().join(", ")
    }

    /// The same with the word that clears in front: `default, off, minimal, low, medium, high`.
    pub fn choices(&self) -> String {
        format!("default, {}", self.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Level::{Adaptive, High, Low, Max, Medium, Minimal, Off, Ultra, Xhigh};
    use proptest::prelude::*;

    fn profile(levels: &[Level], default: Level) -> Profile {
        let levels = levels.iter().map(|&level| LevelChoice { level, label: None }).collect();
        Profile::new("prov/model", levels, default)
    }

    fn on(level: Level) -> LevelChoice {
        LevelChoice { level, label: Some("on".into()) }
    }

    fn switch(level: Level) -> Profile {
        Profile::new("prov/switch", vec![LevelChoice { level: Off, label: None }, on(level)], Off)
    }

    /// A model that cannot but think.
    fn always_on() -> Profile {
        Profile::new("prov/always", vec![on(Low)], Low)
    }

    #[test]
    fn a_word_is_read_as_a_level_of_the_model_or_told_to_be_none() {
        let base = Profile::base_five("prov/model");
        let check = |word: &str, expected: Result<Level, &str>| match (base.read(word), expected) {
            (Ok(level), Ok(expected)) => assert_eq!(level, expected, "{word}"),
            (Err(words), Err(expected)) => assert!(words.starts_with(expected), "{words}"),
            (read, expected) => panic!("{word}: {read:?} and not {expected:?}"),
        };
        check("High", Ok(High));
        check("think-harder", Ok(Medium));
        check("on", Ok(Low));
        check(
            "max",
            Err("Thinking level \"max\" is not supported for prov/model. Use one of: off, minimal,"),
        );
        check("hgih", Err("Unrecognized thinking level \"hgih\"."));
    }

    #[test]
    fn a_level_in_the_set_stays() {
        for &level in Level::ALL {
            assert_eq!(profile(Level::ALL, Medium).clamp(level), level);
        }
    }

    #[test]
    fn a_level_that_is_missing_moves() {
        let base = Profile::base_five("prov/model");
        let check =
            |profile: &Profile, asked, expected| assert_eq!(profile.clamp(asked), expected, "{asked}");
        check(&base, Xhigh, High);
        check(&base, Max, High);
        check(&base, Ultra, High);
        check(&base, Adaptive, Medium);
        check(&profile(&[Off, Minimal, Low, Medium, High], Off), Adaptive, Medium);
        check(&profile(&[Low, Medium, High], High), Adaptive, High);
        check(&profile(&[Low, Medium, High], High), Off, Low);
        check(&profile(&[Low, Medium, High], High), Minimal, Low);
        check(&profile(&[Max], Max), Off, Max);
        check(&profile(&[Off, Max], Max), Low, Max);
        check(&profile(&[Off, Low, High, Max], Off), Medium, Low);
        check(&profile(&[Off, Low, High, Max], Off), Xhigh, High);
        check(&profile(&[Off, Adaptive], Adaptive), High, Adaptive);
        check(&profile(&[Adaptive, Medium], Off), High, Medium);
        check(&profile(&[Medium, Adaptive], Off), High, Medium);
        check(&Profile::off_only("prov/model"), High, Off);
        check(&profile(&[], Off), High, Off);
    }

    #[test]
    fn a_switch_is_shown_and_typed_by_its_label() {
        assert_eq!(switch(Low).choices(), "default, off, on");
        assert_eq!(switch(High).choices(), "default, off, on");
        assert_eq!(switch(High).label(High), "on");
        assert_eq!(always_on().choices(), "default, on");
        let base = Profile::base_five("prov/model");
        let check = |profile: &Profile, typed, expected| {
            assert_eq!(profile.select(typed), expected, "{typed} on {}", profile.values());
        };
        for (profile, level) in [(switch(Low), Low), (switch(High), High), (always_on(), Low), (base, Low)] {
            check(&profile, LevelWord::On, Some(level));
            check(&profile, LevelWord::Named(level), Some(level));
        }
        check(&switch(Low), LevelWord::Named(High), None);
        check(&switch(Low), LevelWord::Named(Off), Some(Off));
        check(&switch(High), LevelWord::Named(Low), None);
        check(&switch(High), LevelWord::Named(Medium), None);
        check(&always_on(), LevelWord::Named(Off), None);
        check(&profile(&[Off, High], Off), LevelWord::On, None);
        check(&profile(&[Max], Max), LevelWord::On, None);
    }

    #[test]
    fn a_switch_clamps_to_what_stands_behind_it() {
        for &level in Level::ALL {
            let expected = |on| if level == Off { Off } else { on };
            assert_eq!(switch(Low).clamp(level), expected(Low), "{level}");
            assert_eq!(switch(High).clamp(level), expected(High), "{level}");
            assert_eq!(always_on().clamp(level), Low, "{level}");
        }
    }

    #[test]
    fn a_vendors_own_reading_of_a_level_goes_before_ours() {
        let own =
            Profile { stand_ins: vec![(Medium, High), (Xhigh, Max)], ..profile(&[Low, High, Max], Max) };
        let check =
            |profile: &Profile, asked, expected| assert_eq!(profile.clamp(asked), expected, "{asked}");
        check(&own, Minimal, Low);
        check(&own, Medium, High);
        check(&own, Xhigh, Max);
        check(&own, Adaptive, Max);
        check(&Profile { stand_ins: vec![(Medium, High)], ..profile(&[Low, Max], Max) }, Medium, Low);
    }

    #[test]
    fn words_for_menus() {
        assert_eq!(Profile::base_five("prov/model").choices(), "default, off, minimal, low, medium, high");
        assert_eq!(Profile::off_only("prov/model").values(), "off");
    }

    fn any_level() -> impl Strategy<Value = Level> {
        proptest::sample::select(Level::ALL)
    }

    proptest! {
        /// Never above what was asked when anything at or below it exists; never a level that is not on offer.
        #[test]
        fn a_clamp_never_asks_for_more(
            levels in proptest::collection::vec(any_level(), 1..9), asked in any_level(), default in any_level(),
        ) {
            let profile = profile(&levels, default);
            let got = profile.clamp(asked);
            prop_assert!(profile.offers(got));
            let below = levels.iter().any(|level| *level != Off && level.rank() <= asked.rank());
            if below && asked != Adaptive {
                prop_assert!(got.rank() <= asked.rank());
            }
        }
    }
}
