//! `/fast`: whether model calls ask for the provider's fast lane.

use super::Family;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// Which calls of a run are fast.
    pub enum Fast {
        /// All of them.
        On: "on", "true", "yes", "1", "enable", "enabled", "fast";
        /// None of them.
        Off: "off", "false", "no", "0", "disable", "disabled", "normal";
        /// Those that start while the run is young.
        Auto: "auto", "automatic";
    }
}

impl Fast {
    /// The value as it stands in a status line, where `auto` names its limit: `auto (60 sec)`.
    pub fn shown(self, cutoff_seconds: u32) -> String {
        match self {
            Self::Auto => format!("auto ({cutoff_seconds} sec)"),
            Self::On | Self::Off => self.name().into(),
        }
    }
}

impl Family for Fast {
    const NOUN: &'static str = "fast mode";
    const KINDS: &'static str = "modes";

    fn options() -> String {
        "on, off, auto, default, status".into()
    }

    fn set_text(self) -> String {
        match self {
            Self::On => "⚙️ Fast mode enabled.",
            Self::Off => "⚙️ Fast mode disabled.",
            Self::Auto => "⚙️ Fast mode set to auto.",
        }
        .into()
    }

    fn reset_text(inherited: Self) -> String {
        format!("⚙️ Fast mode reset to default ({inherited}).")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::tests::{check_family, check_words};

    #[test]
    fn spellings() {
        check_family::<Fast>();
        check_words(Fast::On, "true yes 1 enable enabled fast");
        check_words(Fast::Off, "false no 0 disable disabled normal");
        check_words(Fast::Auto, "automatic");
    }

    #[test]
    fn every_value_is_an_option() {
        for value in Fast::ALL {
            assert!(Fast::options().split(", ").any(|option| option == value.name()), "{value}");
        }
    }

    #[test]
    fn answers() {
        assert_eq!(Fast::Auto.set_text(), "⚙️ Fast mode set to auto.");
        assert_eq!(Fast::On.set_text(), "⚙️ Fast mode enabled.");
        assert_eq!(Fast::Off.set_text(), "⚙️ Fast mode disabled.");
        assert_eq!(Fast::reset_text(Fast::Off), "⚙️ Fast mode reset to default (off).");
        assert_eq!(Fast::Auto.shown(60), "auto (60 sec)");
        assert_eq!(Fast::On.shown(60), "on");
    }
}
