//! Fields of a body by their paths, `thinking.type`, as people are shown them and as the body takes them.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Fields in the order in which they were decided.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    /// Sets a field; a later word for the same one wins.
    pub(crate) fn put(&mut self, path: &'static str, value: impl Into<Value>) {
        self.0.retain(|(other, _)| *other != path);
        self.0.push((path, value.into()));
    }

    /// The same, where there is a value at all.
    pub(crate) fn extend(&mut self, path: &'static str, value: Option<Value>) {
        if let Some(value) = value {
            self.put(path, value);
        }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a field, or one inside it, is set.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.0.iter().any(|(other, _)| {
            other.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// `first`, then these.
    pub(crate) fn after(self, first: &Self) -> Self {
        let mut all = first.clone();
        self.0.into_iter().for_each(|(path, value)| all.put(path, value));
        all
    }

    /// Each with its value, as text.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().flat_map(|(path, value)| flat(path, value))
    }

    /// The fields as they stand in a body.
    pub(crate) fn body(&self) -> Map<String, Value> {
        let mut body = Map::new();
        for (path, value) in &self.0 {
            insert(&mut body, path, value.clone());
        }
        body
    }
}

fn insert(into: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            into.insert(path.to_owned(), value);
        }
        Some((head, rest)) => {
            let inner = into.entry(head).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}

fn flat(path: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Object(fields) => {
            fields.iter().flat_map(|(name, value)| flat(&format!("{path}.{name}"), value)).collect()
        }
        Value::String(text) => vec![(path.to_owned(), text.clone())],
        other => vec![(path.to_owned(), other.to_string())],
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.body().serialize(serializer)
    }
}

/// `thinking.type=adaptive, output_config.effort=high`, or `nothing`.
impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self.shown().map(|(path, value)| format!("{path}={value}")).collect();
        if shown.is_empty() { f.write_str("nothing") } else { f.write_str(&shown.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_become_objects_and_are_shown_as_paths() {
        let mut fields = Fields::default();
        fields.put("a.b", "x");
        fields.put("c", true);
        fields.put("a.d", json!({ "e": 1 }));
        fields.put("c", false);
        assert_eq!(Value::Object(fields.body()), json!({ "a": { "b": "x", "d": { "e": 1 } }, "c": false }));
        assert_eq!(fields.to_string(), "a.b=x, a.d.e=1, c=false");
        assert!(fields.has("a") && fields.has("a.d") && !fields.has("a.") && !fields.has("b"));
        assert_eq!(Fields::default().to_string(), "nothing");
    }
}
