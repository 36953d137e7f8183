//! What may be shown where.

use pensive_contract::inbound::ChatKind;
use pensive_directives::{
    Defaults, Level, LevelChoice, OnceOverrides, Overrides, Profile, Reasoning, Resolved, Settings, Source,
    Verbose,
};

use super::EDITS;
use crate::present::{NoPreviews, Occasion, Scene, View};
use crate::settings::Streaming;

pub(super) fn scene(kind: ChatKind) -> Scene {
    Scene {
        occasion: Occasion::Asked,
        kind,
        verbose_here: None,
        reasoning_here: false,
        streaming: Streaming::Partial,
    }
}

pub(super) fn settings(verbose: Verbose, source: Source) -> Settings {
    let levels = [Level::Off, Level::High].map(|level| LevelChoice { level, label: None });
    let profile = Profile::new("prov/model", levels.to_vec(), Level::High);
    let (once, none) = (OnceOverrides::default(), Overrides::default());
    let defaults = Defaults { reasoning: vec![(Source::Global, Reasoning::On)], ..Defaults::default() };
    let layers = pensive_directives::Layers {
        once: &once,
        sender: &none,
        chat: &none,
        defaults: &defaults,
        effort: None,
        profile: &profile,
    };
    Settings { verbose: Resolved { value: verbose, source }, ..pensive_directives::resolve(&layers) }
}

#[test]
fn tool_05_a_group_is_opened_by_a_choice_in_it_and_not_by_a_default() {
    let check = |kind, source, here, expected| {
        let scene = Scene { verbose_here: here, ..scene(kind) };
        let view = View::new(&settings(Verbose::On, source), &scene, None);
        assert_eq!(view.verbose, expected, "{kind:?} {source:?} {here:?}");
    };
    for kind in [ChatKind::Group, ChatKind::Channel] {
        check(kind, Source::Agent, None, Verbose::Off);
        check(kind, Source::Global, None, Verbose::Off);
        check(kind, Source::Session, None, Verbose::On);
        check(kind, Source::Message, None, Verbose::On);
        check(kind, Source::Agent, Some(Verbose::On), Verbose::On);
    }
    check(ChatKind::Direct, Source::Global, None, Verbose::On);
}

#[test]
fn reasoning_is_shown_to_several_people_only_where_their_chat_says_so() {
    let check = |kind, reasoning_here, think, expected| {
        let mut settings = settings(Verbose::Off, Source::BuiltIn);
        settings.think.level = think;
        let view = View::new(&settings, &Scene { reasoning_here, ..scene(kind) }, None);
        assert_eq!(view.reasoning, expected, "{kind:?} {reasoning_here} {think}");
    };
    check(ChatKind::Direct, false, Level::High, Reasoning::On);
    check(ChatKind::Direct, true, Level::Off, Reasoning::Off);
    check(ChatKind::Group, false, Level::High, Reasoning::Off);
    check(ChatKind::Group, true, Level::High, Reasoning::On);
}

#[test]
fn str_17_there_is_a_reason_to_be_told_where_nothing_is_previewed() {
    let check = |occasion, streaming, tempo, expected| {
        let scene = Scene { occasion, streaming, ..scene(ChatKind::Direct) };
        assert_eq!(View::new(&settings(Verbose::Off, Source::BuiltIn), &scene, tempo).previews, expected);
    };
    check(Occasion::Asked, Streaming::Partial, Some(EDITS), Ok(EDITS));
    check(Occasion::Asked, Streaming::Off, Some(EDITS), Err(NoPreviews::SwitchedOff));
    check(Occasion::Asked, Streaming::Block, None, Err(NoPreviews::Unable));
    check(Occasion::Background, Streaming::Partial, Some(EDITS), Err(NoPreviews::Background));
}
