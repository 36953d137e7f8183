//! Reading that makes the best of what is there: for a field that is odd nothing else is lost.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use serde_json::value::RawValue;

/// An id, in quotes as Discord writes it or as a bare number.
pub(super) fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    as_id(<&RawValue>::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("no id"))
}

/// An id, where there is one.
pub(super) fn maybe_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(as_id(<&RawValue>::deserialize(deserializer)?))
}

/// Those of a list that are ids.
pub(super) fn ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u64>>, D::Error> {
    Ok(items(deserializer)?.map(|items| items.into_iter().filter_map(as_id).collect()))
}

/// A whole number, in quotes or not, where there is one.
pub(super) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?.get();
    Ok(raw.trim_matches('"').parse().ok())
}

/// A text, where there is one. Half a surrogate pair in it is replaced.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(as_text(<&RawValue>::deserialize(deserializer)?))
}

/// Those of a list that are texts.
pub(super) fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(items(deserializer)?.unwrap_or_default().into_iter().filter_map(as_text).collect())
}

/// A text, a number or a yes or no, as people would write it.
pub(super) fn scalar<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    let bare = !raw.get().starts_with(['{', '[', '"', 'n']);
    Ok(as_text(raw).or_else(|| bare.then(|| raw.get().to_owned())))
}

/// A value of the right shape, or the empty one.
pub(super) fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    let raw = <&RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).unwrap_or_default())
}

/// Those of a list that are of the right shape; nothing where there is no list.
pub(super) fn list<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let read = |item: &RawValue| serde_json::from_str(item.get()).ok();
    Ok(items(deserializer)?.map(|items| items.into_iter().filter_map(read).collect()))
}

/// Those of a list that are of the right shape.
pub(super) fn each<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    list(deserializer).map(Option::unwrap_or_default)
}

fn items<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<&'de RawValue>>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

fn as_id(raw: &RawValue) -> Option<u64> {
    raw.get().trim_matches('"').parse().ok()
}

fn as_text(raw: &RawValue) -> Option<String> {
    // As bytes, because only then does the reader take half a surrogate pair.
    serde_json::Deserializer::from_str(raw.get()).deserialize_bytes(Lossy).ok()
}

struct Lossy;

impl Visitor<'_> for Lossy {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<String, E> {
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
}
