//! What holds for the levels of every model there may be: the menu, the validator and the resolver say the same.

use pensive_directives::{
    Defaults, Effort, Layers, Level, LevelChoice, Once, OnceOverrides, Overrides, Owner, Profile, RunsModel,
    Source, Standing, Typed, Verdict, judge, parse, resolve,
};
use proptest::prelude::*;

fn any_level() -> impl Strategy<Value = Level> {
    proptest::sample::select(Level::ALL)
}

/// Any set of levels; one that thinks only one way may call it `on`.
fn any_profile() -> impl Strategy<Value = Profile> {
    let levels = proptest::sample::subsequence(Level::ALL, 1..=Level::ALL.len());
    (levels, any::<proptest::sample::Index>(), any::<bool>()).prop_map(|(levels, default, is_switch)| {
        let default = *default.get(&levels);
        let thinking = levels.iter().filter(|level| **level != Level::Off).count();
        let choice = |level: Level| {
            let is_on = is_switch && thinking == 1 && level != Level::Off;
            LevelChoice { level, label: is_on.then(|| "on".to_owned()) }
        };
        Profile::new("prov/model", levels.iter().copied().map(choice).collect(), default)
    })
}

fn any_defaults() -> impl Strategy<Value = Defaults> {
    let source = proptest::sample::select(&[Source::Agent, Source::Model, Source::Global][..]);
    proptest::collection::vec((source, any_level()), 0..3).prop_map(|think| Defaults {
        think,
        model: "prov/model".into(),
        ..Defaults::default()
    })
}

/// Everything that has a say in thinking.
#[derive(Debug, Clone)]
struct Case {
    stored: Overrides,
    defaults: Defaults,
    effort: Option<Effort>,
    profile: Profile,
}

fn any_case() -> impl Strategy<Value = Case> {
    let stored =
        proptest::option::of(any_level()).prop_map(|think| Overrides { think, ..Overrides::default() });
    let effort = proptest::option::of(proptest::sample::select(Effort::ALL));
    (stored, any_defaults(), effort, any_profile()).prop_map(|(stored, defaults, effort, profile)| Case {
        stored,
        defaults,
        effort,
        profile,
    })
}

impl Case {
    fn say(&self, text: &str) -> Verdict {
        judge(
            &parse(&Typed { text, ..Typed::default() }),
            &Standing {
                owner: Owner::Yes,
                sender: &self.stored,
                chat: &Overrides::default(),
                defaults: &self.defaults,
                effort: self.effort,
                profile: &self.profile,
                models: &[],
                with_model: &|model: &str| (Profile::base_five(model), self.defaults.clone()),
            },
        )
    }

    fn think(&self, once: &OnceOverrides) -> pensive_directives::ThinkResolved {
        resolve(&Layers {
            once,
            sender: &self.stored,
            chat: &Overrides::default(),
            defaults: &self.defaults,
            effort: self.effort,
            profile: &self.profile,
        })
        .think
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Off that was stored is off wherever the model can be silent, whatever else is configured, and never the default.
    #[test]
    fn dir_06_off_outranks_every_default(case in any_case()) {
        let off = Overrides { think: Some(Level::Off), ..Overrides::default() };
        let case = Case { stored: off, ..case };
        let think = case.think(&OnceOverrides::default());
        prop_assert_eq!((think.asked, think.source), (Level::Off, Source::Session));
        let weakest = case.profile.levels.iter().map(|choice| choice.level).min_by_key(|level| level.rank());
        prop_assert_eq!(Some(think.level.rank()), weakest.map(Level::rank));
        let once = OnceOverrides { think: Some(Once::Inherit), ..OnceOverrides::default() };
        prop_assert_ne!(case.think(&once).source, Source::Session);
    }

    /// What `/think` tells is what the resolver gives to `/status` and to the run.
    #[test]
    fn dir_07_the_notice_tells_what_runs(case in any_case()) {
        let think = case.think(&OnceOverrides::default());
        let told = case.say("/think").reply.unwrap_or_default();
        let label = case.profile.label(think.level);
        let expected = format!("Current thinking level: {label} (from {}).\nOptions: {}.", think.source, case.profile.choices());
        prop_assert_eq!(told, expected);
        let effort = case.say("/effort").reply.unwrap_or_default();
        let line = format!("\nThinking level here: {label} (from {}).\n", think.source);
        prop_assert!(effort.contains(&line), "{}", effort);
    }

    /// Every word of the menu is taken, means what stands there, and is what the message runs with; every level that is
    /// not in it is refused with the menu's own words.
    #[test]
    fn dir_09_the_menu_is_what_is_taken(case in any_case()) {
        let values = case.profile.values();
        for (choice, word) in case.profile.levels.iter().zip(values.split(", ")) {
            let verdict = case.say(&format!("/think {word} explain"));
            prop_assert_eq!(&verdict.once.think, &Some(Once::Set(choice.level)), "{}", word);
            prop_assert_eq!(case.think(&verdict.once).level, choice.level);
        }
        for level in Level::ALL.iter().filter(|level| !case.profile.offers(**level)) {
            let verdict = case.say(&format!("/think {level} explain"));
            prop_assert_eq!((&verdict.once.think, verdict.run), (&None, RunsModel::No));
            let refusal = format!("Thinking level \"{level}\" is not supported for prov/model. Use one of: {values}.");
            prop_assert_eq!(verdict.reply, Some(refusal));
        }
    }

    /// A tier is always taken, is worth no more than it says where the model has anything at or below it, and is told
    /// about exactly where it moved.
    #[test]
    fn a_tier_is_clamped_and_never_refused(case in any_case(), tier in proptest::sample::select(Effort::ALL)) {
        let verdict = case.say(&format!("/effort {tier} explain"));
        prop_assert_eq!(verdict.run, RunsModel::Yes);
        let think = case.think(&verdict.once);
        prop_assert_eq!((think.asked, think.source, think.effort), (tier.level(), Source::Message, Some(tier)));
        prop_assert!(case.profile.offers(think.level));
        prop_assert_eq!(think.clamped(&case.profile).is_some(), think.level != tier.level());
        let has_less = case.profile.levels.iter().any(|choice| choice.level != Level::Off && choice.level.rank() <= tier.level().rank());
        prop_assert!(!has_less || think.level.rank() <= tier.level().rank());
    }

    /// A kept tier decides exactly where nobody stored or configured a level.
    #[test]
    fn a_kept_tier_stands_below_what_is_configured(case in any_case()) {
        let think = case.think(&OnceOverrides::default());
        let is_open = case.stored.think.is_none() && case.defaults.think.is_empty();
        prop_assert_eq!(think.source == Source::Effort, is_open && case.effort.is_some());
        prop_assert_eq!(think.effort, case.effort.filter(|_| is_open));
    }
}
