//! Any text with any entity ranges: `cargo fuzz run parse` in `bot/directives`.
#![no_main]

use std::ops::Range;

use libfuzzer_sys::fuzz_target;
use pensive_directives::{Shape, Typed, parse};

fuzz_target!(|input: (&str, Vec<Range<usize>>, Vec<Range<usize>>)| {
    let (text, code, mentions) = input;
    let parsed = parse(&Typed { text, code: &code, mentions: &mentions, bot_name: Some("Bot"), ..Typed::default() });
    if parsed.shape == Shape::Plain {
        assert_eq!(parsed.text, text);
    }
});
