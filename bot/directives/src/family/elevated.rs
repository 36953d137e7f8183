//! `/elevated`: whether dangerous tools run outside the sandbox, and who is asked. For owners only.

use super::Family;
use crate::Defaults;
use crate::vocabulary::{vocabulary, words};

vocabulary! {
    /// How far tools may go.
    pub enum Elevated {
        /// Not out of the sandbox.
        Off: "off", "false", "no", "0";
        /// Out of it, where the tool's policy asks first.
        On: "on";
        /// Out of it, each call approved by a person.
        Ask: "ask", "prompt", "approval", "approve";
        /// Out of it, without asking.
        Full: "full", "auto", "auto-approve";
    }
}

impl Family for Elevated {
    const NOUN: &'static str = "elevated mode";
    const KINDS: &'static str = "modes";

    fn words() -> Vec<&'static str> {
        words::<Self>()
    }

    fn shown(self, _: &Defaults) -> String {
        self.to_string()
    }

    fn set_text(self) -> String {
        match self {
            Self::Off => "⚙️ Elevated mode disabled.",
            Self::On | Self::Ask => "⚙️ Elevated mode set to ask (approvals may still apply).",
            Self::Full => "⚙️ Elevated mode set to full (auto-approve).",
        }
        .into()
    }

    fn reset_text(inherited: Self) -> String {
        format!("⚙️ Elevated mode reset to default ({inherited}).")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::tests::{check_family, check_words};

    #[test]
    fn spellings() {
        check_family::<Elevated>();
        check_words(Elevated::Off, "false no 0");
        check_words(Elevated::On, "");
        check_words(Elevated::Ask, "prompt approval approve");
        check_words(Elevated::Full, "auto auto-approve");
    }

    #[test]
    fn answers() {
        assert_eq!(Elevated::options(), "default, off, on, ask, full");
        assert_eq!(Elevated::Off.set_text(), "⚙️ Elevated mode disabled.");
        for asks in [Elevated::On, Elevated::Ask] {
            assert_eq!(asks.set_text(), "⚙️ Elevated mode set to ask (approvals may still apply).");
        }
        assert_eq!(Elevated::Full.set_text(), "⚙️ Elevated mode set to full (auto-approve).");
        assert_eq!(Elevated::reset_text(Elevated::Off), "⚙️ Elevated mode reset to default (off).");
    }
}
