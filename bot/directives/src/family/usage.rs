//! `/usage`: the line under an answer that tells what it took. A preference of the session; no message has it alone.

use super::{current, options, unrecognized};
use crate::Resolved;
use crate::vocabulary::{listed, vocabulary};

vocabulary! {
    /// What the line tells.
    pub enum Usage {
        /// There is no line.
        Off: "off", "none", "false", "no", "0", "disable", "disabled";
        /// The tokens of the turn.
        Tokens: "tokens", "token", "on", "true", "yes", "1", "enable", "enabled";
        /// Tokens, context and cost.
        Full: "full", "all", "everything";
    }
}

const NOUN: &str = "usage line";

/// The answer to a change.
pub(crate) fn set_text(usage: Usage) -> String {
    match usage {
        Usage::Off => "⚙️ Usage line disabled.".into(),
        Usage::Tokens | Usage::Full => format!("⚙️ Usage line set to {usage}."),
    }
}

/// The answer to giving the override up.
pub(crate) fn reset_text(inherited: Usage) -> String {
    format!("⚙️ Usage line reset to default ({inherited}).")
}

/// What holds and what there is.
pub(crate) fn show_text(usage: Resolved<Usage>) -> String {
    format!("{}\n{}", current(NOUN, usage.value, usage.source), options(&values()))
}

/// The answer to a word that is no value.
pub(crate) fn unknown_text(word: &str) -> String {
    unrecognized(NOUN, word, "values", &values())
}

fn values() -> String {
    format!("default, {}", listed::<Usage>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;
    use crate::family::tests::check_family;

    #[test]
    fn spellings() {
        check_family::<Usage>();
    }

    #[test]
    fn answers() {
        assert_eq!(set_text(Usage::Tokens), "⚙️ Usage line set to tokens.");
        assert_eq!(set_text(Usage::Off), "⚙️ Usage line disabled.");
        assert_eq!(reset_text(Usage::Off), "⚙️ Usage line reset to default (off).");
        assert_eq!(
            show_text(Resolved { value: Usage::Off, source: Source::BuiltIn }),
            "Current usage line: off (from built-in).\nOptions: default, off, tokens, full."
        );
        assert_eq!(
            unknown_text("lots"),
            "Unrecognized usage line \"lots\". Valid values: default, off, tokens, full."
        );
    }
}
