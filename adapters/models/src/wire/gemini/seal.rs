//! Thought signatures. One belongs to the part that it came on, while a piece of a speech may be made of several parts;
//! so the seal also tells how much of the end of its piece that part was.

use pensive_contract::speech::Seal;

/// A signature and its part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signed<'a> {
    pub(super) kind: Kind,
    /// How many bytes of text the part had.
    pub(super) length: usize,
    pub(super) signature: &'a str,
}

/// What the part was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Thought,
}

impl<'a> Signed<'a> {
    /// As it is kept: `text 5 Q2lBQ…`.
    pub(super) fn seal(self) -> Seal {
        let kind = match self.kind {
            Kind::Text => "text",
            Kind::Thought => "thought",
        };
        Seal(format!("{kind} {} {}", self.length, self.signature))
    }

    /// Reads what [`seal`](Self::seal) made; nothing where it was another's.
    pub(super) fn read(seal: &'a Seal) -> Option<Self> {
        let (kind, rest) = seal.0.split_once(' ')?;
        let (length, signature) = rest.split_once(' ')?;
        let kind = match kind {
            "text" => Kind::Text,
            "thought" => Kind::Thought,
            _ => return None,
        };
        Some(Self { kind, length: length.parse().ok()?, signature })
    }

    /// The words of a piece: what stood before the signed part, and that part. A piece that was changed on the way, so
    /// that they cannot be told apart, is all one.
    pub(super) fn parts<'t>(&self, words: &'t str) -> (&'t str, &'t str) {
        let at = words.len().checked_sub(self.length);
        at.and_then(|at| words.split_at_checked(at)).unwrap_or(("", words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_reads_back() {
        for kind in [Kind::Text, Kind::Thought] {
            let signed = Signed { kind, length: 12, signature: "A b+/=" };
            assert_eq!(Signed::read(&signed.seal()), Some(signed));
        }
        for other in ["", "text", "text 5", "text x y", "call 5 A"] {
            assert_eq!(Signed::read(&Seal(other.into())), None, "{other}");
        }
    }

    #[test]
    fn the_signed_part_is_the_end_of_its_piece() {
        let check = |length, words, expected| {
            let signed = Signed { kind: Kind::Text, length, signature: "s" };
            assert_eq!(signed.parts(words), expected, "{length} {words}");
        };
        check(0, "abc", ("abc", ""));
        check(1, "abc", ("ab", "c"));
        check(3, "abc", ("", "abc"));
        check(4, "abc", ("", "abc"));
        check(1, "aä", ("", "aä"));
        check(0, "", ("", ""));
    }
}
