//! What holds for every message: nothing panics, and what is not a directive is not touched.

use std::ops::Range;

use pensive_directives::{
    Defaults, Layers, ModelEntry, Overrides, Owner, Profile, Shape, Standing, Typed, judge, parse, resolve,
};
use proptest::prelude::*;

const PIECES: &[&str] = &[
    "/think",
    "/t",
    "/fast",
    "/v",
    "/model",
    "/queue",
    "/status",
    "/new",
    "/stop",
    "/usage",
    "/trace",
    "/elev",
    "/effort",
    "high",
    "extra",
    "x",
    "auto",
    "collect",
    "cap:9",
    "debounce:2s",
    "default",
    "status",
    "list",
    "prov/model",
    "7",
    "big",
    ":",
    "：",
    "@Bot",
    "@Other",
    "--chat",
    "—chat",
    " ",
    "\u{a0}",
    "\n",
    "\r\n",
    "\t",
    "    ",
    "`",
    "```",
    "~~~",
    "> ",
    "\\",
    ".",
    "!",
    "a",
    "é",
    "👩‍👩‍👧",
    "\u{200f}",
    "\0",
    "\u{fffd}",
    "/",
    "//",
    "-",
    "1. ",
    "stop",
];

fn any_text() -> impl Strategy<Value = String> {
    let pieces = proptest::collection::vec(proptest::sample::select(PIECES), 0..40).prop_map(|p| p.concat());
    prop_oneof![4 => pieces, 1 => any::<String>()]
}

/// Ranges as a broken platform might send them.
fn any_ranges() -> impl Strategy<Value = Vec<Range<usize>>> {
    let place = || prop_oneof![9 => 0..120_usize, 1 => Just(usize::MAX)];
    let range = (place(), place()).prop_map(|(start, end)| start..end);
    prop_oneof![3 => Just(Vec::new()), 1 => proptest::collection::vec(range, 0..4)]
}

fn is_subsequence(part: &str, whole: &str) -> bool {
    let mut whole = whole.chars();
    part.chars().all(|c| whole.any(|other| other == c))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_message_is_read_judged_and_resolved(
        text in any_text(), code in any_ranges(), mentions in any_ranges(), owner in any::<bool>(),
    ) {
        let models = [ModelEntry { reference: "prov/model".into(), alias: Some("mo".into()) }];
        let typed = Typed {
            text: &text, code: &code, mentions: &mentions, bot_name: Some("Bot"), models: &models,
        };
        let parsed = parse(&typed);
        let stored = Overrides::default();
        let defaults = Defaults::default();
        let profile = Profile::base_five("prov/model");
        let verdict = judge(&parsed, &Standing {
            owner: if owner { Owner::Yes } else { Owner::No },
            sender: &stored, chat: &stored, defaults: &defaults, effort: None, profile: &profile, models: &models,
            with_model: &|model: &str| (Profile::base_five(model), defaults.clone()),
        });
        let layers = Layers {
            once: &verdict.once, sender: &stored, chat: &stored, defaults: &defaults, effort: None, profile: &profile,
        };
        prop_assert!(profile.offers(resolve(&layers).think.level));
        match parsed.shape {
            Shape::Plain => {
                prop_assert_eq!(&parsed.text, &text);
                prop_assert!(parsed.asks.is_empty() && parsed.commands.is_empty());
                prop_assert_eq!(verdict.reply, None);
            }
            Shape::DirectiveOnly => prop_assert_eq!(parsed.text, ""),
            Shape::Mixed => {
                prop_assert!(parsed.text.len() < text.len());
                prop_assert!(is_subsequence(&parsed.text, &text));
                prop_assert!(!parsed.text.trim().is_empty());
            }
        }
    }

    /// Taking a directive out leaves every other byte: the message without it, give or take the one blank or line break.
    #[test]
    fn a_directive_is_all_that_goes(before in "([a-c.,é👍]( |\r?\n)?){0,12}", after in "([a-c.,é👍]( |\r?\n)?){0,12}") {
        let text = format!("{before}x /think high y{after}");
        prop_assert_eq!(parse(&Typed { text: &text, ..Typed::default() }).text, format!("{before}x y{after}"));
        let text = format!("{before}x\n/think high\ny{after}");
        prop_assert_eq!(parse(&Typed { text: &text, ..Typed::default() }).text, format!("{before}x\ny{after}"));
    }

    /// Text without a slash is nobody's business but for the words that stop a run.
    #[test]
    fn no_slash_no_directive(text in "[^/]{0,60}") {
        let parsed = parse(&Typed { text: &text, ..Typed::default() });
        prop_assert!(parsed.asks.is_empty());
        if parsed.shape == Shape::Plain {
            prop_assert_eq!(parsed.text, text);
        }
    }

    /// Nothing that stands in a fence or a quoted line is read.
    #[test]
    fn code_is_never_read(inside in any_text().prop_map(|text| text.replace(['`', '~', '\n', '\r'], ""))) {
        for text in [
            format!("a\n```\n{inside} /think high\n```"),
            format!("a\n~~~\n{inside} /think high"),
            format!("> {inside} /think high"),
            format!("a `b {inside} /think high`"),
            format!("a\n\n    {inside} /think high"),
        ] {
            let parsed = parse(&Typed { text: &text, ..Typed::default() });
            prop_assert_eq!(parsed.shape, Shape::Plain, "{:?}", text);
        }
    }
}
