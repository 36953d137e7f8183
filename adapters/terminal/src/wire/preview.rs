//! An answer in the making on the wire: only what is new since the last one that the client was sent.

use serde::{Deserialize, Serialize};

/// How an answer in the making stands. It vanishes by itself: what stays comes as messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// Which run; another one begins with nothing.
    pub stream: i64,
    /// Which request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
    /// What the model thinks, where that is shown live; absent where nothing is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Stretch>,
    /// What it says, as Markdown that may break off anywhere; absent where nothing is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Stretch>,
}

/// How a text goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stretch {
    /// This stands in the place of what was sent of it before.
    Whole(String),
    /// This comes behind what was sent of it before.
    More(String),
}

impl Stretch {
    /// What makes `new` of `old`; nothing where they are the same.
    #[must_use]
    pub(crate) fn between(old: &str, new: &str) -> Option<Self> {
        match new.strip_prefix(old) {
            Some("") => None,
            Some(more) if !old.is_empty() => Some(Self::More(more.to_owned())),
            Some(_) | None => Some(Self::Whole(new.to_owned())),
        }
    }

    /// The text that was, gone on.
    pub(crate) fn apply(&self, old: &mut String) {
        match self {
            Self::Whole(text) => text.clone_into(old),
            Self::More(more) => old.push_str(more),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_is_new_is_sent() {
        let check = |old: &str, new: &str, expected: Option<Stretch>| {
            assert_eq!(Stretch::between(old, new), expected, "{old:?} {new:?}");
        };
        check("", "", None);
        check("", "Bec", Some(Stretch::Whole("Bec".into())));
        check("Bec", "Bec", None);
        check("Bec", "Because", Some(Stretch::More("ause".into())));
        check("Bec", "Yes", Some(Stretch::Whole("Yes".into())));
        check("Bec", "", Some(Stretch::Whole(String::new())));
    }

    #[test]
    fn a_preview_reads_as_documented() {
        let line =
            r#"{"is":"preview","stream":7,"answers":"a1","thinking":{"whole":"hm"},"text":{"more":" yes"}}"#;
        let event: crate::wire::Event = serde_json::from_str(line).unwrap();
        let preview = Preview {
            stream: 7,
            answers: Some("a1".into()),
            thinking: Some(Stretch::Whole("hm".into())),
            text: Some(Stretch::More(" yes".into())),
        };
        assert_eq!(event, crate::wire::Event::Preview(preview));
        assert_eq!(event.line(), format!("{line}\n"));
    }

    proptest! {
        #[test]
        fn applied_in_order_the_stretches_give_the_text(steps in proptest::collection::vec("[ab]{0,6}", 0..12)) {
            let (mut sent, mut seen) = (String::new(), String::new());
            for step in steps {
                if let Some(stretch) = Stretch::between(&sent, &step) {
                    stretch.apply(&mut seen);
                }
                sent = step;
                prop_assert_eq!(&seen, &sent);
            }
        }
    }
}
