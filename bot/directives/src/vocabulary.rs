//! How a family's words are spelled: one list per family gives the type, its canonical names and every spelling that
//! people may use instead.

/// Words that give up an override, in every family.
const CLEAR: &[&str] = &["default", "inherit", "inherited", "clear", "reset", "unpin"];

/// Longer words are nobody's spelling, so they are not even compared.
const LONGEST: usize = 32;

/// The words of one family. A spelling with a `-` may also be typed with `_`, with a blank or with nothing there.
pub(crate) trait Vocabulary: Copy + Eq + 'static {
    /// Each spelling with what it means; a value's canonical name comes before its aliases.
    fn spellings() -> impl Iterator<Item = (&'static str, Self)>;

    /// The values in the order in which people are shown them.
    fn values() -> impl Iterator<Item = Self>;

    /// The canonical word.
    fn word(self) -> &'static str;
}

/// Defines a family's enum together with its words: canonical name first, then what is also accepted.
macro_rules! vocabulary {
    (
        $(#[$about:meta])*
        pub enum $family:ident {
            $($(#[$meaning:meta])* $value:ident: $name:literal $(, $alias:literal)*;)+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $family {
            $($(#[$meaning])* $value,)+
        }

        impl $family {
            /// Every value, in the order in which people are shown them.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The canonical word: what is stored and shown.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            /// What a typed or configured word stands for, aliases included. Case does not matter, and `-`, `_` and
            /// blanks inside the word may be swapped or left out.
            pub fn normalise(word: &str) -> Option<Self> {
                $crate::vocabulary::find(word)
            }
        }

        impl $crate::vocabulary::Vocabulary for $family {
            fn spellings() -> impl Iterator<Item = (&'static str, Self)> {
                [$(($name, Self::$value), $(($alias, Self::$value),)*)+].into_iter()
            }

            fn values() -> impl Iterator<Item = Self> {
                Self::ALL.iter().copied()
            }

            fn word(self) -> &'static str {
                self.name()
            }
        }

        impl std::fmt::Display for $family {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use vocabulary;

/// The value that `word` spells.
pub(crate) fn find<T: Vocabulary>(word: &str) -> Option<T> {
    T::spellings().find(|(spelling, _)| same(word, spelling)).map(|(_, value)| value)
}

/// The value spelled in two words, such as `extra high`. Only spellings that are listed with a separator may be torn:
/// `ultra think of a name` is the level ultra and a prompt, not `ultrathink`.
pub(crate) fn find_pair<T: Vocabulary>(first: &str, second: &str) -> Option<T> {
    T::spellings()
        .find(|(spelling, _)| {
            spelling.split_once('-').is_some_and(|(a, b)| same(first, a) && same(second, b))
        })
        .map(|(_, value)| value)
}

/// Whether the word asks for the inherited value.
pub(crate) fn clears(word: &str) -> bool {
    CLEAR.iter().any(|clear| same(word, clear))
}

/// Whether a typed word is that spelling, separators and case aside.
pub(crate) fn same(typed: &str, spelling: &str) -> bool {
    let begins = typed.starts_with(|c: char| c.is_ascii_alphanumeric());
    begins && typed.len() <= LONGEST && letters(typed).eq(letters(spelling))
}

fn letters(word: &str) -> impl Iterator<Item = char> {
    word.chars().filter(|c| !is_separator(*c)).map(|c| c.to_ascii_lowercase())
}

fn is_separator(c: char) -> bool {
    c == '_' || c.is_whitespace() || is_dash(c)
}

/// The hyphen and what keyboards make of it.
pub(crate) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}')
}

/// The value that a mistyped word most likely meant: an edit distance of at most two from a canonical name of three
/// letters or more, and less than the word is long.
pub(crate) fn nearest<T: Vocabulary>(word: &str) -> Option<T> {
    if word.len() > LONGEST {
        return None;
    }
    let typed: Vec<char> = word.chars().map(|c| c.to_ascii_lowercase()).collect();
    T::values()
        .filter(|value| value.word().len() >= 3)
        .map(|value| (distance(&typed, value.word()), value))
        .filter(|(edits, _)| *edits <= 2 && *edits < typed.len())
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, value)| value)
}

/// Levenshtein's distance, one row at a time.
pub(crate) fn distance(typed: &[char], name: &str) -> usize {
    let mut row: Vec<usize> = (0..=typed.len()).collect();
    for (above, letter) in name.chars().enumerate() {
        let mut corner = above;
        let mut left = above + 1;
        for (cell, &other) in row.iter_mut().skip(1).zip(typed) {
            let swapped = corner + usize::from(other != letter);
            corner = *cell;
            left = swapped.min(corner + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = above + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// The canonical names.
pub(crate) fn words<T: Vocabulary>() -> Vec<&'static str> {
    T::values().map(Vocabulary::word).collect()
}

/// The same as they stand in a sentence: `on, full, off`.
pub(crate) fn listed<T: Vocabulary>() -> String {
    words::<T>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fast, Level};

    #[test]
    fn clear_words_work_in_every_family() {
        for word in ["default", "inherit", "inherited", "clear", "reset", "unpin", "DEFAULT", "In-Herit"] {
            assert!(clears(word), "{word}");
        }
        for word in ["", "-", "-clear", "defaults", "none", "off"] {
            assert!(!clears(word), "{word}");
        }
    }

    #[test]
    fn only_listed_spellings_may_be_torn() {
        assert_eq!(find_pair::<Level>("extra", "HIGH"), Some(Level::Xhigh));
        assert_eq!(find_pair::<Level>("x", "high"), Some(Level::Xhigh));
        assert_eq!(find_pair::<Level>("think", "hard"), Some(Level::Low));
        assert_eq!(find_pair::<Level>("ultra", "think"), None);
        assert_eq!(find_pair::<Level>("high", "est"), None);
    }

    #[test]
    fn a_typo_finds_its_value() {
        let check = |word: &str, expected| assert_eq!(nearest::<Level>(word), expected, "{word}");
        check("hgih", Some(Level::High));
        check("big", Some(Level::High));
        check("mediun", Some(Level::Medium));
        check("ULTAR", Some(Level::Ultra));
        check("of", Some(Level::Off));
        check("about", None);
        check("to", None);
        check("x", None);
        check("", None);
        check(&"high".repeat(100), None);
        assert_eq!(nearest::<Fast>("auot"), Some(Fast::Auto));
    }

    #[test]
    fn distances() {
        let check = |a: &str, b: &str, expected| {
            assert_eq!(distance(&a.chars().collect::<Vec<_>>(), b), expected, "{a} {b}");
        };
        check("", "off", 3);
        check("off", "off", 0);
        check("kitten", "sitting", 3);
        check("hgih", "high", 2);
        check("ö", "o", 1);
    }
}
