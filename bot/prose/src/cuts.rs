//! Places at which a text may be cut in two.

use unicode_segmentation::GraphemeCursor;

/// The nearest start of a character at or before `at`.
#[must_use]
pub fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Whether no flag, emoji or accented letter is torn at `at`.
#[must_use]
pub fn is_boundary(text: &str, at: usize) -> bool {
    GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(true)
}

/// The places behind the white space behind a sentence.
pub fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    let ends = text.char_indices().zip(text.chars().skip(1));
    ends.filter_map(|((at, c), next)| match c {
        c if ends_sentence(c) && next.is_whitespace() => Some(at + c.len_utf8() + next.len_utf8()),
        '。' | '！' | '？' => Some(at + c.len_utf8()),
        _ => None,
    })
}

/// Whether a sentence ends with it, where white space follows.
#[must_use]
pub fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '؟' | '۔')
}
