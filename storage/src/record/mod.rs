//! The shapes of records on disk, and the way between them and the contract's types.
//!
//! Records outlive programs. A field that this program does not know, and a word that it does not know in a field that it
//! does, stay in a session's record when the record is written again: see [`carry`].

mod carry;
pub(crate) mod inbox;
pub(crate) mod meta;
pub(crate) mod outbox;
pub(crate) mod overrides;
pub(crate) mod place;
pub(crate) mod session;
pub(crate) mod turn;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::frame::{self, Damage, Frame, VERSION};
use crate::key::Key;
use crate::tree::Tree;

/// Reads a record of a JSON tree.
pub(crate) fn read<T: DeserializeOwned>(tree: Tree, key: &[u8], bytes: &[u8]) -> Result<T, Damage> {
    parse(frame::unseal(tree, key, bytes)?)
}

/// Reads the payload of a frame.
fn parse<T: DeserializeOwned>(frame: Frame<'_>) -> Result<T, Damage> {
    let shape = if frame.version > VERSION { Damage::Newer } else { Damage::Shape };
    serde_json::from_slice(frame.payload).map_err(|_| shape)
}

/// Whether a record can be read as what its tree holds.
pub(crate) fn check(tree: Tree, key: &[u8], bytes: &[u8]) -> Result<(), Damage> {
    match tree {
        Tree::Meta => read::<u64>(tree, key, bytes).map(drop),
        Tree::Sessions => session::check(key, bytes),
        Tree::Transcript => read::<turn::TurnRecord>(tree, key, bytes).map(drop),
        Tree::Inbox => read::<inbox::InboxRecord>(tree, key, bytes).map(drop),
        Tree::Seen => read::<meta::When>(tree, key, bytes).map(drop),
        Tree::SeenOrder => read::<meta::SeenRecord>(tree, key, bytes).map(drop),
        Tree::Cursors => read::<meta::CursorRecord>(tree, key, bytes).map(drop),
        Tree::Outbox => read::<outbox::OutboxRecord>(tree, key, bytes).map(drop),
        Tree::OutboxParts => read::<outbox::StateRecord>(tree, key, bytes).map(drop),
        Tree::Notes => frame::unseal(tree, key, bytes).map(drop),
        Tree::Quarantine => Ok(()),
    }
}

/// The bytes of a new record.
pub(crate) fn write<T: Serialize>(tree: Tree, key: &Key, record: &T) -> Vec<u8> {
    frame::seal(tree, key.as_bytes(), Frame { version: VERSION, payload: &json(record) })
}

/// Reads a record, changes its JSON and gives the bytes to keep; what this program does not know stays as it is.
pub(crate) fn edit(
    tree: Tree,
    key: &Key,
    bytes: &[u8],
    change: impl FnOnce(&mut Value),
) -> Result<Vec<u8>, Damage> {
    let frame = frame::unseal(tree, key.as_bytes(), bytes)?;
    let mut value: Value = parse(frame)?;
    change(&mut value);
    Ok(frame::seal(tree, key.as_bytes(), Frame { payload: &json(&value), ..frame }))
}

/// The JSON of a record. Our records have text keys and no floats, so this cannot fail; an empty payload is what a
/// reader would call damage.
fn json<T: Serialize>(record: &T) -> Vec<u8> {
    serde_json::to_vec(record).unwrap_or_default()
}

/// Reads a field that another version may have given another type: then it counts as absent.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(field: D) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(field)?).ok())
}
