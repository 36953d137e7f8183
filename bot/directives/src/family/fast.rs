//! `/fast`: whether model calls ask for the provider's fast lane.

use super::Family;
use crate::Defaults;
use crate::vocabulary::{vocabulary, words};

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

impl Family for Fast {
    const NOUN: &'static str = "fast mode";
    const KINDS: &'static str = "modes";

    fn words() -> Vec<&'static str> {
        words::<Self>()
    }

    fn options() -> String {
        "on, off, auto, default, status".into()
    }

    /// `auto` names its limit.
    fn shown(self, defaults: &Defaults) -> String {
        match self {
            Self::Auto => format!("auto ({} sec)", defaults.fast_cutoff_seconds),
            Self::On | Self::Off => self.to_string(),
        }
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
        assert_eq!(Fast::Auto.shown(&Defaults::default()), "auto (60 sec)");
        assert_eq!(Fast::On.shown(&Defaults::default()), "on");
    }
}
