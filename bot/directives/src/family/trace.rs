//! `/trace`: whether plugins' trace lines are shown. For owners only: a trace may carry what others wrote.

use super::Family;
use crate::Defaults;
use crate::vocabulary::{vocabulary, words};

vocabulary! {
    /// Which trace lines are shown.
    pub enum Trace {
        /// Those that were written for people.
        On: "on", "true", "yes", "1", "enable", "enabled";
        /// None.
        Off: "off", "false", "no", "0", "disable", "disabled";
        /// All, as they come.
        Raw: "raw", "unfiltered";
    }
}

impl Family for Trace {
    const NOUN: &'static str = "plugin trace";
    const KINDS: &'static str = "levels";

    fn words() -> Vec<&'static str> {
        words::<Self>()
    }

    fn shown(self, _: &Defaults) -> String {
        self.to_string()
    }

    fn set_text(self) -> String {
        match self {
            Self::On => "⚙️ Plugin trace enabled.",
            Self::Off => "⚙️ Plugin trace disabled.",
            Self::Raw => "⚙️ Plugin trace set to raw. Trace output may contain sensitive text.",
        }
        .into()
    }

    fn reset_text(inherited: Self) -> String {
        format!("⚙️ Plugin trace reset to default ({inherited}).")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::tests::{check_family, check_words};

    #[test]
    fn spellings() {
        check_family::<Trace>();
        check_words(Trace::On, "true yes 1 enable enabled");
        check_words(Trace::Off, "false no 0 disable disabled");
        check_words(Trace::Raw, "unfiltered");
    }

    #[test]
    fn answers() {
        assert_eq!(Trace::options(), "default, on, off, raw");
        assert_eq!(Trace::On.set_text(), "⚙️ Plugin trace enabled.");
        assert_eq!(Trace::Off.set_text(), "⚙️ Plugin trace disabled.");
        assert_eq!(
            Trace::Raw.set_text(),
            "⚙️ Plugin trace set to raw. Trace output may contain sensitive text."
        );
        assert_eq!(Trace::reset_text(Trace::Off), "⚙️ Plugin trace reset to default (off).");
    }
}
