//! The keys that a file sets, for whoever has to tell what becomes of them.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use crate::document::Document;
use crate::fault::Position;
use crate::trail::{Step, Trail};

/// A key that the file sets to something, or a single value in one of its lists.
#[derive(Clone, PartialEq, Eq)]
pub struct SetKey {
    /// Where its name stands; in a list, where the value does.
    pub position: Position,
    trail: Trail,
    /// The value, where it is a single one. May be a secret, so it is compared and never shown.
    value: Option<String>,
}

impl SetKey {
    /// Whether it is meant by `pattern`, such as `channels.telegram.accounts.*.streaming`: `*` is any name or index.
    #[must_use]
    pub fn is(&self, pattern: &str) -> bool {
        let mut wanted = pattern.split('.');
        let steps = self.trail.steps().iter().all(|step| match (wanted.next(), step) {
            (Some("*"), _) => true,
            (Some(name), Step::Key(key)) => name == key,
            (Some(_) | None, _) => false,
        });
        steps && wanted.next().is_none()
    }

    /// Whether its value is this one: a text without its quotes, a number, or a word.
    #[must_use]
    pub fn holds(&self, value: &str) -> bool {
        self.value.as_deref() == Some(value)
    }
}

/// Shows as in messages about faults: `agents.entries.main.tools`.
impl std::fmt::Display for SetKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.trail.fmt(f)
    }
}

impl std::fmt::Debug for SetKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}:{}", self.trail, self.position.line, self.position.column)
    }
}

/// All keys of a file, in its order. `null` is the same as leaving a key out.
pub(crate) fn set_keys(document: &Document<'_>) -> Vec<SetKey> {
    let mut keys = Vec::new();
    if let Some(root) = &document.root {
        collect(document, root, &Trail::default(), &mut keys);
    }
    keys
}

fn collect(document: &Document<'_>, value: &Value<'_>, trail: &Trail, keys: &mut Vec<SetKey>) {
    match value {
        Value::Object(object) => {
            for property in &object.properties {
                let trail = trail.key(property.name.as_str());
                if let Some(value) = single(&property.value) {
                    let position = document.name_position(property);
                    keys.push(SetKey { position, value, trail: trail.clone() });
                }
                collect(document, &property.value, &trail, keys);
            }
        }
        Value::Array(list) => {
            for (index, element) in list.elements.iter().enumerate() {
                let trail = trail.index(index);
                if let Some(Some(value)) = single(element) {
                    let position = document.position(element.start());
                    keys.push(SetKey { position, value: Some(value), trail: trail.clone() });
                }
                collect(document, element, &trail, keys);
            }
        }
        Value::StringLit(_) | Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => {}
    }
}

/// The single value, if it is one; nothing at all for `null`.
fn single(value: &Value<'_>) -> Option<Option<String>> {
    match value {
        Value::StringLit(text) => Some(Some(text.value.to_string())),
        Value::NumberLit(number) => Some(Some(number.value.to_owned())),
        Value::BooleanLit(word) => Some(Some(word.value.to_string())),
        Value::Object(_) | Value::Array(_) => Some(None),
        Value::NullKeyword(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn keys_are_told_with_their_places_and_values() {
        let text = "{ a: { 'x.y': \"z\", n: null },\n  b: [{ c: true }, { c: 5 }, 'd'] }";
        let keys = set_keys(&Document::parse(Path::new("p"), text).unwrap());
        let shown: Vec<_> = keys
            .iter()
            .map(|key| (key.to_string(), key.position.line, key.position.column, key.value.as_deref()))
            .collect();
        let expected = [
            ("a", 1, 3, None),
            ("a[\"x.y\"]", 1, 8, Some("z")),
            ("b", 2, 3, None),
            ("b[0].c", 2, 9, Some("true")),
            ("b[1].c", 2, 22, Some("5")),
            ("b[2]", 2, 30, Some("d")),
        ];
        assert_eq!(shown, expected.map(|(key, line, column, value)| (key.to_owned(), line, column, value)));
        let meant = |pattern: &str| keys.iter().filter(|key| key.is(pattern)).count();
        for (pattern, count) in
            [("b.*.c", 2), ("a.*", 1), ("a", 1), ("b.c", 0), ("b.*", 1), ("*", 2), ("b.*.c.*", 0)]
        {
            assert_eq!(meant(pattern), count, "{pattern}");
        }
    }
}
