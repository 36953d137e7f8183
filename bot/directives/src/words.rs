//! Reading a text from left to right: blanks, words, and what may stand right after one. Every look at the text goes
//! through here, so that tests can count how much is looked at.

/// Stops that may follow a value or the last directive.
const STOPS: [char; 5] = ['.', ',', ';', '!', '?'];

/// What stands from a byte on; empty where that is past the end or inside a character.
pub(crate) fn from(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// What stands between two bytes, with the same mercy.
pub(crate) fn between(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

/// The text behind its leading blanks, line breaks among them.
pub(crate) fn after_blanks(text: &str) -> &str {
    seen(text, text.trim_start())
}

/// The same, but not past the end of the line.
pub(crate) fn after_blanks_of_line(text: &str) -> &str {
    seen(text, text.trim_start_matches(is_blank_of_line))
}

/// The text behind one leading colon, narrow or wide.
pub(crate) fn after_colon(text: &str) -> Option<&str> {
    text.strip_prefix([':', '：'])
}

/// A piece at the front of a text, and what stands behind it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'a> {
    pub(crate) word: &'a str,
    pub(crate) rest: &'a str,
}

/// Everything up to the next blank.
pub(crate) fn whole_word(text: &str) -> Piece<'_> {
    let rest = seen(text, text.trim_start_matches(|c: char| !c.is_whitespace()));
    split(text, rest)
}

/// The word without the stops at its end, which then stand in front of the rest.
pub(crate) fn word(text: &str) -> Piece<'_> {
    let whole = whole_word(text).word;
    count(whole.len());
    let bare = whole.trim_end_matches(STOPS);
    split(text, from(text, bare.len()))
}

/// A name of letters, digits and underscores, as commands and bots have it.
pub(crate) fn name(text: &str) -> Piece<'_> {
    let rest = seen(text, text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'));
    split(text, rest)
}

/// Whether a word is over here: at the end or at a blank.
pub(crate) fn is_over(rest: &str) -> bool {
    rest.chars().next().is_none_or(char::is_whitespace)
}

pub(crate) fn is_stop(c: char) -> bool {
    STOPS.contains(&c)
}

/// A blank that is no line break.
pub(crate) fn is_blank_of_line(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn split<'a>(text: &'a str, rest: &'a str) -> Piece<'a> {
    Piece { word: between(text, 0, text.len() - rest.len()), rest }
}

fn seen<'a>(text: &str, rest: &'a str) -> &'a str {
    count(text.len() - rest.len());
    rest
}

/// Notes how many bytes were looked at.
#[cfg(not(test))]
pub(crate) fn count(_bytes: usize) {}

#[cfg(test)]
pub(crate) use counting::count;

#[cfg(test)]
pub(crate) mod counting {
    use std::cell::Cell;

    thread_local!(static SEEN: Cell<usize> = const { Cell::new(0) });

    pub(crate) fn count(bytes: usize) {
        SEEN.with(|seen| seen.set(seen.get() + bytes));
    }

    /// How many bytes `work` looks at.
    pub(crate) fn seen_by(work: impl FnOnce()) -> usize {
        let before = SEEN.with(Cell::get);
        work();
        SEEN.with(Cell::get) - before
    }
}
