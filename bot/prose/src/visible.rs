//! What a reader would see at all: platforms refuse messages that show nothing.

/// Whether any character of `text` leaves a trace on the screen.
#[must_use]
pub fn is_visible(text: &str) -> bool {
    text.chars().any(|c| !is_blank(c))
}

/// White space, control and format characters, fillers, and selectors without anything to select.
fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shows_and_what_does_not() {
        for seen in ["a", " .", "😀", "\u{fffd}", "\u{200b}x"] {
            assert!(is_visible(seen), "{seen:?}");
        }
        for blank in
            ["", " \n\t", "\u{200b}\u{feff}", "\u{2800}", "\u{3164}", "\0", "\u{200f}\u{2067}\u{2069}"]
        {
            assert!(!is_visible(blank), "{blank:?}");
        }
    }
}
