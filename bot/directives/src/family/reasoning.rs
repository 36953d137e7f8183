//! `/reasoning`: whether people see what the model thought. How hard it thinks is `/think`'s business.

use super::Family;
use crate::Defaults;
use crate::vocabulary::{vocabulary, words};

vocabulary! {
    /// When the model's reasoning is shown.
    pub enum Reasoning {
        /// With the answer.
        On: "on", "true", "yes", "1", "show", "visible", "enable", "enabled";
        /// Never.
        Off: "off", "false", "no", "0", "hide", "hidden", "disable", "disabled";
        /// While it comes, and then no more.
        Stream: "stream", "streaming", "draft", "live";
    }
}

impl Family for Reasoning {
    const NOUN: &'static str = "reasoning visibility";
    const KINDS: &'static str = "levels";

    fn words() -> Vec<&'static str> {
        words::<Self>()
    }

    fn shown(self, _: &Defaults) -> String {
        self.to_string()
    }

    fn set_text(self) -> String {
        match self {
            Self::On => "⚙️ Reasoning visibility enabled.",
            Self::Off => "⚙️ Reasoning visibility disabled.",
            Self::Stream => "⚙️ Reasoning stream enabled.",
        }
        .into()
    }

    fn reset_text(inherited: Self) -> String {
        format!("⚙️ Reasoning visibility reset to default ({inherited}).")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::tests::{check_family, check_words};

    #[test]
    fn spellings() {
        check_family::<Reasoning>();
        check_words(Reasoning::On, "true yes 1 show visible enable enabled");
        check_words(Reasoning::Off, "false no 0 hide hidden disable disabled");
        check_words(Reasoning::Stream, "streaming draft live");
    }

    #[test]
    fn answers() {
        assert_eq!(Reasoning::options(), "default, on, off, stream");
        assert_eq!(Reasoning::On.set_text(), "⚙️ Reasoning visibility enabled.");
        assert_eq!(Reasoning::Off.set_text(), "⚙️ Reasoning visibility disabled.");
        assert_eq!(Reasoning::Stream.set_text(), "⚙️ Reasoning stream enabled.");
        assert_eq!(Reasoning::reset_text(Reasoning::Off), "⚙️ Reasoning visibility reset to default (off).");
    }
}
