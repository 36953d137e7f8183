//! What names a tool call. Providers take back what they have minted themselves; what another one minted, or what came
//! twice, gets a name that follows from the old one, so that the same history always looks the same.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::catalogue::Extras;
use crate::http::Shape;

/// The form that a provider demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Whatever is short: OpenAI's Chat Completions refuse more than 40 characters. Others that speak it read their own
    /// names, `functions.search:0`.
    Short,
    /// Letters, digits, `_` and `-`, as Anthropic demands; 64 at most, as Responses do.
    Word,
    /// Nine letters and digits: Mistral.
    Nine,
}

impl Form {
    /// The form that a shape, or this one provider, demands.
    pub(crate) fn of(shape: Shape, extras: &Extras) -> Self {
        match shape {
            _ if extras.nine_letter_ids => Self::Nine,
            Shape::Responses | Shape::Messages => Self::Word,
            Shape::Chat | Shape::Gemini | Shape::Ollama => Self::Short,
        }
    }

    pub(super) fn takes(self, id: &str) -> bool {
        match self {
            Self::Short => (1..=40).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic()),
            Self::Word => is_word(id, 64),
            Self::Nine => id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric()),
        }
    }

    /// Another name for a call, one of many.
    fn other(self, id: &str, nth: u32) -> String {
        let mut hasher = DefaultHasher::new();
        (id, nth).hash(&mut hasher);
        let hash = hasher.finish();
        match self {
            Self::Short | Self::Word => format!("call_{hash:016x}"),
            Self::Nine => (0..9).map(|at| digit(hash.checked_shr(5 * at).unwrap_or(0))).collect(),
        }
    }
}

/// The last five bits as a letter or digit.
fn digit(bits: u64) -> char {
    u32::try_from(bits % 32).ok().and_then(|bits| char::from_digit(bits, 36)).unwrap_or('0')
}

/// Names that are given, each once.
pub(super) struct Ids {
    form: Form,
    given: BTreeSet<String>,
}

impl Ids {
    pub(super) fn new(form: Form) -> Self {
        Self { form, given: BTreeSet::new() }
    }

    /// The name for the next call, its own one where that will do.
    pub(super) fn settle(&mut self, id: &str) -> String {
        if self.form.takes(id) && self.given.insert(id.to_owned()) {
            return id.to_owned();
        }
        let mut nth = 0;
        loop {
            let other = self.form.other(id, nth);
            if self.given.insert(other.clone()) {
                return other;
            }
            nth += 1;
        }
    }
}

/// Whether a name is made of letters, digits, `_` and `-`.
pub(super) fn is_word(name: &str, longest: usize) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    (1..=longest).contains(&name.len()) && name.bytes().all(fits)
}

/// The name with what else it is made of replaced. Models make up tools, and their names go back like all others.
pub(super) fn word(name: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let word: String = name.chars().take(64).map(fit).collect();
    if word.is_empty() { "unnamed".to_owned() } else { word }
}
