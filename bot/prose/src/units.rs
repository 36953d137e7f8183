//! Lengths in UTF-16 units: the measure of most platforms, and never less than what those say that count code points.

/// How many units `text` has.
#[must_use]
pub fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}
