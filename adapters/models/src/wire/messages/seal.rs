//! What Anthropic's shape wants back with a thought: the signature under what may be read, or all of what may not.

use pensive_contract::speech::Seal;

const SIGNED: &str = "signature:";
const REDACTED: &str = "redacted:";

/// What a seal says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thought<'a> {
    /// The thought beside it, under this signature; an empty one where the server signs nothing.
    Signed(&'a str),
    /// A thought that only its maker can read.
    Redacted(&'a str),
}

impl<'a> Thought<'a> {
    /// Reads a seal; nothing where another shape wrote it.
    pub(super) fn of(seal: &'a Seal) -> Option<Self> {
        let signed = seal.0.strip_prefix(SIGNED).map(Self::Signed);
        signed.or_else(|| seal.0.strip_prefix(REDACTED).map(Self::Redacted))
    }

    /// The seal that says it.
    pub(super) fn seal(self) -> Seal {
        match self {
            Self::Signed(signature) => Seal(format!("{SIGNED}{signature}")),
            Self::Redacted(data) => Seal(format!("{REDACTED}{data}")),
        }
    }
}
