//! How much of a message is looked at, counted and not timed: twice the message, twice the looks.

use proptest::prelude::*;

use crate::words::counting::seen_by;
use crate::{ModelEntry, Typed, parse};

/// Pieces of which a hostile message may be made.
const PIECES: &[&str] = &[
    "/t high ",
    "/t ",
    "/t\n",
    "/",
    " /",
    "/t:",
    "/model a/b ",
    "/model 1 ",
    "/status ",
    "/new ",
    "/queue collect ",
    "cap:1 ",
    "`",
    "` ",
    "`` ",
    "\\`",
    "```\n",
    "~~~\n",
    "> ",
    "\n",
    "\n\n",
    "    ",
    "\t",
    " ",
    "!",
    "a",
    "- ",
    "1. ",
    "--chat ",
    "—",
    "/t extra ",
    "/fast@PensiveBot on ",
    "@",
    "\u{200f}",
    "é",
];

fn looks(text: &str) -> usize {
    let models = [ModelEntry { reference: "a/b".into(), alias: None }];
    let mention = text.find("@PensiveBot").map(|at| at..at + 11);
    seen_by(|| {
        parse(&Typed {
            text,
            models: &models,
            bot_name: Some("PensiveBot"),
            mentions: mention.as_slice(),
            ..Typed::default()
        });
    })
}

/// Every byte is looked at a few times by each stage, and at most so often.
const LOOKS_A_BYTE: usize = 16;

fn check(text: &str) {
    let seen = looks(text);
    assert!(seen <= LOOKS_A_BYTE * text.len() + 64, "{seen} looks at {} bytes", text.len());
}

#[test]
fn repeated_pieces_cost_what_they_are_long() {
    for piece in PIECES {
        for front in ["", "/t high ", "a ", "/t", "`", "```\n"] {
            let text = |times: usize| format!("{front}{}a / / /x", piece.repeat(times));
            check(&text(2_000));
            let (once, twice) = (looks(&text(1_000)), looks(&text(2_000)));
            assert!(twice <= 2 * once + 1024, "{front:?} {piece:?}: {once} looks, then {twice}");
        }
    }
}

#[test]
fn backtick_runs_of_every_length() {
    let text: String = (1..500).map(|length| "`".repeat(length) + " /t high ").collect();
    check(&text);
}

#[test]
fn a_wide_gap_before_many_slashes() {
    check(&format!("/t high {}a{}", " ".repeat(50_000), " /".repeat(50_000)));
    check(&format!("/t{}{}", " ".repeat(50_000), "/t".repeat(50_000)));
}

proptest! {
    #[test]
    fn any_mixture_is_linear(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..400)) {
        let text = pieces.concat();
        let seen = looks(&text);
        prop_assert!(seen <= LOOKS_A_BYTE * text.len() + 64, "{} looks at {} bytes", seen, text.len());
        let doubled = looks(&text.repeat(2));
        prop_assert!(doubled <= LOOKS_A_BYTE * 2 * text.len() + 64);
    }
}
