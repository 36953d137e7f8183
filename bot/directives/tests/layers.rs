//! Which layer has the last word, what is built in, and what layers are called.

use pensive_directives::{
    Defaults, Elevated, Fast, Layers, Level, Once, OnceOverrides, Overrides, Profile, Queue, QueueMode,
    Reasoning, Settings, Source, Trace, Usage, Verbose, resolve,
};

fn settings(once: OnceOverrides, sender: Overrides, chat: Overrides, defaults: Defaults) -> Settings {
    let profile = Profile::base_five("prov/model");
    let (once, sender, chat, defaults) = (&once, &sender, &chat, &defaults);
    resolve(&Layers { once, sender, chat, defaults, effort: None, profile: &profile })
}

#[test]
fn the_first_layer_that_has_a_value_wins() {
    let level = |level| Overrides { think: Some(level), ..Overrides::default() };
    let configured = Defaults {
        think: vec![(Source::Model, Level::Low), (Source::Global, Level::Off)],
        ..Defaults::default()
    };
    let check = |once, sender, chat, defaults: &Defaults, expected, source| {
        let once = OnceOverrides { think: once, ..OnceOverrides::default() };
        let think = settings(once, sender, chat, defaults.clone()).think;
        assert_eq!((think.level, think.source), (expected, source));
    };
    let nothing = Overrides::default;
    let set = Some(Once::Set(Level::Off));
    check(set, level(Level::High), nothing(), &configured, Level::Off, Source::Message);
    check(None, level(Level::High), level(Level::Low), &configured, Level::High, Source::Session);
    check(None, nothing(), level(Level::Minimal), &configured, Level::Minimal, Source::Session);
    let inherit = Some(Once::Inherit);
    check(inherit, level(Level::High), level(Level::Minimal), &configured, Level::Minimal, Source::Session);
    check(inherit, level(Level::High), nothing(), &configured, Level::Low, Source::Model);
    check(None, nothing(), nothing(), &configured, Level::Low, Source::Model);
    check(None, nothing(), nothing(), &Defaults::default(), Level::Medium, Source::BuiltIn);
}

#[test]
fn a_stored_level_that_the_model_lacks_is_clamped_and_remembered() {
    let sender = Overrides { think: Some(Level::Max), ..Overrides::default() };
    let think = settings(OnceOverrides::default(), sender, Overrides::default(), Defaults::default()).think;
    assert_eq!((think.asked, think.level), (Level::Max, Level::High));
}

#[test]
fn built_in_values() {
    let settings = settings(
        OnceOverrides::default(),
        Overrides::default(),
        Overrides::default(),
        Defaults { model: "prov/model".into(), ..Defaults::default() },
    );
    assert_eq!(settings.fast.value, Fast::Off);
    assert_eq!(settings.verbose.value, Verbose::Off);
    assert_eq!(settings.trace.value, Trace::Off);
    assert_eq!(settings.reasoning.value, Reasoning::Off);
    assert_eq!(settings.elevated.value, Elevated::Off);
    assert_eq!(settings.queue.value, Queue::plain(QueueMode::Steer));
    assert_eq!(settings.usage.value, Usage::Off);
    assert_eq!((settings.model.value.as_str(), settings.model.source), ("prov/model", Source::Global));
    assert_eq!(settings.fast.source, Source::BuiltIn);
}

#[test]
fn words_for_layers() {
    let words = [
        (Source::Message, "this message"),
        (Source::Session, "session"),
        (Source::Agent, "agent default"),
        (Source::Model, "model default"),
        (Source::Global, "global default"),
        (Source::Effort, "effort"),
        (Source::Provider, "provider default"),
        (Source::BuiltIn, "built-in"),
    ];
    for (source, expected) in words {
        assert_eq!(source.words(), expected);
    }
}
