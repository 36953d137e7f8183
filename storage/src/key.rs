//! Keys: lists of texts and numbers as bytes that never collide, sort as they should and read back.
//!
//! A text ends with `0xFF`, which no UTF-8 text holds; a number is eight bytes, the biggest first.

use pensive_contract::ids::{Account, SessionId, SessionKey, Ticket, UpdateId};

use crate::tree::{Piece, Tree};

/// Ends a text.
const END: u8 = 0xFF;

/// A key under construction and when done.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Key(Vec<u8>);

impl Key {
    /// With `text` behind it.
    pub(crate) fn text(mut self, text: &str) -> Self {
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(END);
        self
    }

    /// With `number` behind it.
    pub(crate) fn number(mut self, number: u64) -> Self {
        self.0.extend_from_slice(&number.to_be_bytes());
        self
    }

    /// With bytes behind it; nothing can follow.
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// A key as it was found in a tree.
    pub(crate) fn found(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }

    /// The bytes on disk.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Where a session's record is.
pub(crate) fn session(key: &SessionKey) -> Key {
    Key::default().text(key.as_str())
}

/// Where all turns of a session begin.
pub(crate) fn turns(session: &SessionId) -> Key {
    Key::default().text(session.as_str())
}

/// Where an inbox or outbox entry is.
pub(crate) fn ticket(ticket: Ticket) -> Key {
    Key::default().number(ticket.0)
}

/// Where it stands how far a part of an outbox entry has come; all parts of an entry begin with its ticket.
pub(crate) fn part(ticket: Ticket, index: usize) -> Key {
    self::ticket(ticket).number(index as u64)
}

/// The ticket and the index in such a key.
pub(crate) fn part_of(key: &[u8]) -> Option<(Ticket, usize)> {
    let (ticket, index) = key.split_first_chunk::<8>()?;
    Some((Ticket(u64::from_be_bytes(*ticket)), usize::try_from(last_number(index)?).ok()?))
}

/// Where it stands that an event was taken.
pub(crate) fn seen(account: &Account, update: &UpdateId) -> Key {
    cursor(account).text(update.as_str())
}

/// Where an account's place in its stream is.
pub(crate) fn cursor(account: &Account) -> Key {
    Key::default().text(account.channel.as_str()).text(account.id.as_str())
}

/// One piece of a key that was read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// A text.
    Text(String),
    /// A number.
    Number(u64),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// The pieces of a key of `tree`; nothing when the bytes are no such key.
pub(crate) fn parts(tree: Tree, key: &[u8]) -> Option<Vec<Part>> {
    let mut rest = key;
    let mut parts = Vec::new();
    for piece in tree.key() {
        match piece {
            Piece::Text => {
                let end = rest.iter().position(|byte| *byte == END)?;
                let (text, tail) = rest.split_at_checked(end)?;
                parts.push(Part::Text(std::str::from_utf8(text).ok()?.to_owned()));
                rest = tail.get(1..)?;
            }
            Piece::Number => {
                let (number, tail) = rest.split_first_chunk::<8>()?;
                parts.push(Part::Number(u64::from_be_bytes(*number)));
                rest = tail;
            }
            Piece::Bytes => parts.push(Part::Bytes(std::mem::take(&mut rest).to_vec())),
        }
    }
    rest.is_empty().then_some(parts)
}

/// The number at the end of a key that ends with one.
pub(crate) fn last_number(key: &[u8]) -> Option<u64> {
    key.last_chunk::<8>().map(|bytes| u64::from_be_bytes(*bytes))
}

/// The key as a log line may show it.
pub(crate) fn shown(tree: Tree, key: &[u8]) -> String {
    let Some(parts) = parts(tree, key) else { return format!("{} bytes", key.len()) };
    let parts: Vec<String> = parts
        .into_iter()
        .map(|part| match part {
            Part::Text(text) => text,
            Part::Number(number) => number.to_string(),
            Part::Bytes(bytes) => format!("{} bytes", bytes.len()),
        })
        .collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ses_10_ses_11_any_ids_give_keys_that_read_back(a in ".*", b in ".*", c in ".*", n in any::<u64>()) {
            let account = Account { channel: a.as_str().into(), id: b.as_str().into() };
            let key = seen(&account, &c.as_str().into());
            let expected = vec![Part::Text(a.clone()), Part::Text(b), Part::Text(c)];
            prop_assert_eq!(parts(Tree::Seen, key.as_bytes()), Some(expected));

            let turn = turns(&a.as_str().into()).number(n);
            prop_assert_eq!(parts(Tree::Transcript, turn.as_bytes()), Some(vec![Part::Text(a), Part::Number(n)]));
            prop_assert_eq!(last_number(turn.as_bytes()), Some(n));
        }

        #[test]
        fn different_lists_give_different_keys(a in proptest::collection::vec(".{0,3}", 3), b in proptest::collection::vec(".{0,3}", 3)) {
            let key = |texts: &[String]| texts.iter().fold(Key::default(), |key, text| key.text(text));
            prop_assert_eq!(key(&a) == key(&b), a == b);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            for tree in Tree::ALL {
                prop_assert!(parts(tree, &bytes).is_none_or(|parts| parts.len() == tree.key().len()));
                prop_assert!(!bytes.is_empty() || !shown(tree, &bytes).is_empty());
            }
        }
    }

    #[test]
    fn numbers_sort_by_size() {
        assert!(ticket(Ticket(255)) < ticket(Ticket(256)));
        assert!(turns(&"s".into()).number(9) < turns(&"s".into()).number(10));
    }
}
