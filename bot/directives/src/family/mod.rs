//! The families of settings, one file each: the values, how they are spelled and what is answered. Here is what their
//! answers have in common.

pub(crate) mod effort;
pub(crate) mod elevated;
pub(crate) mod fast;
pub(crate) mod model;
pub(crate) mod queue;
pub(crate) mod reasoning;
pub(crate) mod think;
pub(crate) mod trace;
pub(crate) mod usage;
pub(crate) mod verbose;

use crate::settings::Setting;
use crate::{Defaults, Source};

/// A family whose answers follow the common shape. Thinking and effort have a model's profile to ask and the model has
/// no fixed values; these three write their own.
pub(crate) trait Family: Setting + std::fmt::Display {
    /// What people call the setting: `verbose level`.
    const NOUN: &'static str;
    /// What they call its values: `levels`.
    const KINDS: &'static str;

    /// The words of its values, in the order in which people are shown them.
    fn words() -> Vec<&'static str>;

    /// The words that may be typed, `default` among them.
    fn options() -> String {
        format!("default, {}", Self::words().join(", "))
    }

    /// The value as it stands in a status line.
    fn shown(self, defaults: &Defaults) -> String;

    /// The answer to a change.
    fn set_text(self) -> String;

    /// The answer to giving an override up: what holds from now on.
    fn reset_text(inherited: Self) -> String;
}

/// `Current verbose level: off (from built-in).`
pub(crate) fn current(noun: &str, value: impl std::fmt::Display, source: Source) -> String {
    format!("Current {noun}: {value} (from {source}).")
}

/// `Options: default, on, full, off.`
pub(crate) fn options(values: &str) -> String {
    format!("Options: {values}.")
}

/// `Unrecognized verbose level "loud". Valid levels: default, on, full, off.`
pub(crate) fn unrecognized(noun: &str, word: &str, kinds: &str, values: &str) -> String {
    format!("Unrecognized {noun} \"{word}\". Valid {kinds}: {values}.")
}

/// Asks, at the end of another answer, whether this word was meant.
pub(crate) fn did_you_mean(near: Option<impl std::fmt::Display>) -> String {
    near.map_or_else(String::new, |near| format!(" Did you mean \"{near}\"?"))
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::vocabulary::{Vocabulary, find};

    /// Checks a row of the alias table: every word, in either case, is that value.
    pub(crate) fn check_words<T: Vocabulary + std::fmt::Debug>(value: T, words: &str) {
        for word in words.split_whitespace().chain([value.word()]) {
            assert_eq!(find::<T>(word), Some(value), "{word}");
            assert_eq!(find::<T>(&word.to_uppercase()), Some(value), "{word}");
        }
    }

    /// Checks that no spelling belongs to two values and that each is its own name.
    pub(crate) fn check_family<T: Vocabulary + std::fmt::Debug>() {
        for (spelling, value) in T::spellings() {
            assert_eq!(find::<T>(spelling), Some(value), "{spelling}");
        }
        for word in ["", "-", "x", "default", "ofF!", &"o".repeat(1000)] {
            assert_eq!(find::<T>(word), None, "{word}");
        }
    }
}
