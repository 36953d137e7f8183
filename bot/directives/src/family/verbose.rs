//! `/verbose`: how much of the work is shown while a run goes on.

use super::Family;
use crate::Defaults;
use crate::vocabulary::{vocabulary, words};

vocabulary! {
    /// What is shown beside the answer.
    pub enum Verbose {
        /// That a tool runs.
        On: "on", "minimal", "true", "yes", "1";
        /// That a tool runs, and what it said.
        Full: "full", "all", "everything";
        /// The answer alone.
        Off: "off", "false", "no", "0", "disable", "disabled";
    }
}

impl Family for Verbose {
    const NOUN: &'static str = "verbose level";
    const KINDS: &'static str = "levels";

    fn words() -> Vec<&'static str> {
        words::<Self>()
    }

    fn shown(self, _: &Defaults) -> String {
        self.to_string()
    }

    fn set_text(self) -> String {
        match self {
            Self::On => "⚙️ Verbose logging enabled.",
            Self::Full => "⚙️ Verbose logging set to full.",
            Self::Off => "⚙️ Verbose logging disabled.",
        }
        .into()
    }

    fn reset_text(inherited: Self) -> String {
        format!("⚙️ Verbose logging reset to default ({inherited}).")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::tests::{check_family, check_words};

    #[test]
    fn spellings() {
        check_family::<Verbose>();
        check_words(Verbose::On, "minimal true yes 1");
        check_words(Verbose::Full, "all everything");
        check_words(Verbose::Off, "false no 0 disable disabled");
    }

    #[test]
    fn answers() {
        assert_eq!(Verbose::options(), "default, on, full, off");
        assert_eq!(Verbose::On.set_text(), "⚙️ Verbose logging enabled.");
        assert_eq!(Verbose::Full.set_text(), "⚙️ Verbose logging set to full.");
        assert_eq!(Verbose::Off.set_text(), "⚙️ Verbose logging disabled.");
        assert_eq!(Verbose::reset_text(Verbose::Off), "⚙️ Verbose logging reset to default (off).");
    }
}
