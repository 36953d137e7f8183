//! The list in which OpenRouter tells a model's reasoning and wants it back unchanged. It streams in pieces; those of one
//! entry have its kind and its number, as OpenRouter documents under "Reasoning Tokens", November 2026.

use pensive_contract::speech::Seal;
use serde_json::{Map, Value};

use crate::kept::{EACH, weight};
use crate::repair;

/// One entry, or a piece of one.
type Detail = Map<String, Value>;

/// The list so far.
#[derive(Debug, Default)]
pub(super) struct Details(Vec<Detail>);

impl Details {
    /// Takes the entries of one event; returns what there is to be kept of them.
    pub(super) fn take(&mut self, pieces: Vec<Detail>) -> usize {
        let known = self.0.len();
        let size: usize = pieces.iter().map(weight).sum();
        for piece in pieces {
            let number = piece.get("index").filter(|index| !index.is_null());
            let entry = match number {
                Some(_) => self.0.iter_mut().take(known).rfind(|entry| goes_on(entry, &piece)),
                None => self.0.iter_mut().take(known).last().filter(|entry| goes_on(entry, &piece)),
            };
            match entry {
                Some(entry) => join(entry, piece),
                None => self.0.push(piece),
            }
        }
        size + EACH * (self.0.len() - known)
    }

    /// The list as it goes back; nothing where there is none.
    pub(super) fn seal(&mut self) -> Option<Seal> {
        let entries = std::mem::take(&mut self.0);
        let list = || serde_json::to_string(&entries).ok();
        (!entries.is_empty()).then(list).flatten().map(|list| Seal(repair::healed(list)))
    }
}

/// What people may read of an entry.
pub(super) fn words(detail: &Detail) -> &str {
    let text = |key| detail.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    text("text").or_else(|| text("summary")).unwrap_or_default()
}

/// Whether a piece goes on with an entry. Encrypted ones come whole.
fn goes_on(entry: &Detail, piece: &Detail) -> bool {
    let same = |key| said(entry, key) == said(piece, key);
    let agrees = |key| same(key) || said(entry, key).is_none() || said(piece, key).is_none();
    let is_encrypted = entry.get("type").and_then(Value::as_str) == Some("reasoning.encrypted");
    same("index") && same("type") && agrees("id") && (!is_encrypted || entry == piece)
}

fn said<'a>(detail: &'a Detail, key: &str) -> Option<&'a Value> {
    detail.get(key).filter(|value| !value.is_null())
}

fn join(entry: &mut Detail, piece: Detail) {
    for (key, value) in piece {
        let is_prose = matches!(key.as_str(), "text" | "summary");
        match (entry.get_mut(&key), value) {
            (Some(Value::String(before)), Value::String(more)) if is_prose => before.push_str(&more),
            (Some(_), Value::Null) => {}
            (_, value) => {
                entry.insert(key, value);
            }
        }
    }
}
