//! The few bytes around a record on disk: its version and a checksum over everything that makes it that record.
//!
//! `[version: u8] [crc32 of version, tree, key and payload: u32, little end first] [payload]`

use crate::tree::Tree;

/// The version that this program writes.
pub(crate) const VERSION: u8 = 1;

const HEAD: usize = 5;

/// Why a record could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Damage {
    /// Bytes are missing.
    #[error("too short")]
    Short,
    /// The bytes are not those that were written, or not written here.
    #[error("checksum does not match")]
    Checksum,
    /// The payload has not the shape of its tree's records.
    #[error("not of the expected shape")]
    Shape,
    /// A later version of this program wrote it in a shape that this one cannot read. Nothing is wrong with it.
    #[error("written by a newer version")]
    Newer,
}

/// A record's payload and the version that it was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    pub(crate) version: u8,
    pub(crate) payload: &'a [u8],
}

/// The bytes to keep for a payload.
pub(crate) fn seal(tree: Tree, key: &[u8], frame: Frame<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + frame.payload.len());
    bytes.push(frame.version);
    bytes.extend_from_slice(&checksum(tree, key, frame).to_le_bytes());
    bytes.extend_from_slice(frame.payload);
    bytes
}

/// The payload inside kept bytes, when it is whole.
pub(crate) fn unseal<'a>(tree: Tree, key: &[u8], bytes: &'a [u8]) -> Result<Frame<'a>, Damage> {
    let (&version, rest) = bytes.split_first().ok_or(Damage::Short)?;
    let (sum, payload) = rest.split_first_chunk::<4>().ok_or(Damage::Short)?;
    let frame = Frame { version, payload };
    if u32::from_le_bytes(*sum) == checksum(tree, key, frame) { Ok(frame) } else { Err(Damage::Checksum) }
}

fn checksum(tree: Tree, key: &[u8], frame: Frame<'_>) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&[frame.version, tree.number()]);
    sum.update(&(key.len() as u64).to_le_bytes());
    sum.update(key);
    sum.update(frame.payload);
    sum.finalize()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_sealed_opens(version: u8, key: Vec<u8>, payload: Vec<u8>) {
            let frame = Frame { version, payload: &payload };
            let bytes = seal(Tree::Sessions, &key, frame);
            prop_assert_eq!(unseal(Tree::Sessions, &key, &bytes), Ok(frame));
            prop_assert_eq!(unseal(Tree::Inbox, &key, &bytes), Err(Damage::Checksum));
        }

        #[test]
        fn rst_09_a_changed_or_cut_record_is_noticed(payload in proptest::collection::vec(any::<u8>(), 1..64), at: prop::sample::Index, bit in 0u8..8) {
            let mut bytes = seal(Tree::Sessions, b"k", Frame { version: VERSION, payload: &payload });
            let cut = at.index(bytes.len());
            prop_assert!(unseal(Tree::Sessions, b"k", &bytes[..cut]).is_err());
            bytes[cut] ^= 1 << bit;
            prop_assert_eq!(unseal(Tree::Sessions, b"k", &bytes), Err(Damage::Checksum));
        }
    }
}
