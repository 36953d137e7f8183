//! The JSON Schema of the file, made from the types in `file`, and the questions that the checks and explanations ask it.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::file::File;

/// The JSON Schema of the configuration file, as it is committed for editors.
#[must_use]
pub fn schema() -> String {
    // A value that prints is what a schema is; the alternative to this default does not occur.
    serde_json::to_string_pretty(&value()).unwrap_or_default() + "\n"
}

/// The schema as it is committed. Reading it costs a start less time and memory than making it anew; a test holds the two
/// together.
pub(crate) fn committed() -> Value {
    serde_json::from_str(include_str!("../schema.json")).unwrap_or_else(|_| value())
}

/// The schema, made from the types.
fn value() -> Value {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<File>();
    let mut value = schema.to_value();
    if let Some(object) = value.as_object_mut() {
        object.insert("title".to_owned(), "Pensive configuration".into());
    }
    value
}

/// A place in the schema: what one value of the file may be. Its alternatives differ in their kind of JSON value.
#[derive(Clone)]
pub(crate) struct Shape<'s> {
    root: &'s Value,
    alternatives: Vec<&'s Value>,
    description: Option<&'s str>,
    default: Option<&'s Value>,
}

/// What may stand under the keys of an object.
pub(crate) enum Keys<'s> {
    /// Any key.
    Named(Shape<'s>),
    /// Only the listed ones.
    Listed(Vec<&'s str>),
}

impl<'s> Shape<'s> {
    /// The whole file.
    pub(crate) fn root(root: &'s Value) -> Self {
        Self::new(root, root)
    }

    fn new(root: &'s Value, schema: &'s Value) -> Self {
        let mut shape =
            Self { root, alternatives: Vec::new(), description: None, default: schema.get("default") };
        shape.add(schema);
        shape
    }

    fn add(&mut self, schema: &'s Value) {
        if self.description.is_none() {
            self.description = schema.get("description").and_then(Value::as_str);
        }
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            if let Some(target) = name.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) {
                self.add(target);
            }
        } else if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
            for choice in choices {
                self.add(choice);
            }
        } else {
            self.alternatives.push(schema);
        }
    }

    /// What it is for.
    pub(crate) fn description(&self) -> Option<&'s str> {
        self.description
    }

    /// What holds where it is not given.
    pub(crate) fn default(&self) -> Option<&'s Value> {
        self.default
    }

    /// The alternative for values of a kind (`object`, `array`, `string`, `integer`, `number`, `boolean`, `null`).
    pub(crate) fn alternative(&self, kind: &str) -> Option<&'s Value> {
        self.alternatives.iter().copied().find(|schema| kinds(schema).contains(&kind))
    }

    /// The kinds of value that may stand here, `null` aside.
    pub(crate) fn kinds(&self) -> Vec<&'s str> {
        let all = self.alternatives.iter().flat_map(|schema| kinds(schema));
        all.filter(|kind| *kind != "null").collect()
    }

    /// The fixed words that may stand here, each with what it means; none where any text may.
    pub(crate) fn words(&self) -> Vec<(&'s str, Option<&'s str>)> {
        self.alternative("string").map(words).unwrap_or_default()
    }

    /// The name of the format that texts here have.
    pub(crate) fn format(&self) -> Option<&'s str> {
        self.alternatives.iter().find_map(|schema| schema.get("format")?.as_str())
    }

    /// What may stand under `name` here, where this is an object.
    pub(crate) fn key(&self, name: &str) -> Option<Shape<'s>> {
        let object = self.alternative("object")?;
        let listed = object.get("properties").and_then(|properties| properties.get(name));
        let schema = listed.or_else(|| object.get("additionalProperties").filter(|rest| rest.is_object()))?;
        Some(Self::new(self.root, schema))
    }

    /// The keys that an object here may have.
    pub(crate) fn keys(&self) -> Option<Keys<'s>> {
        let object = self.alternative("object")?;
        if let Some(rest) = object.get("additionalProperties").filter(|rest| rest.is_object()) {
            return Some(Keys::Named(Self::new(self.root, rest)));
        }
        let names = object.get("properties").and_then(Value::as_object).map(Map::keys);
        Some(Keys::Listed(names.into_iter().flatten().map(String::as_str).collect()))
    }

    /// The keys that an object here must have.
    pub(crate) fn required(&self) -> Vec<&'s str> {
        let names = self.alternative("object").and_then(|object| object.get("required")?.as_array());
        names.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// What the elements of a list here may be.
    pub(crate) fn element(&self) -> Option<Shape<'s>> {
        Some(Self::new(self.root, self.alternative("array")?.get("items")?))
    }
}

fn kinds(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        // A choice of documented words.
        _ if schema.get("oneOf").is_some() => vec!["string"],
        _ => Vec::new(),
    }
}

fn words(schema: &Value) -> Vec<(&str, Option<&str>)> {
    let choices = schema.get("oneOf").and_then(Value::as_array);
    let documented = choices.into_iter().flatten().filter_map(|choice| {
        let meaning = choice.get("description").and_then(Value::as_str);
        Some((choice.get("const")?.as_str()?, meaning))
    });
    let plain = schema.get("enum").and_then(Value::as_array);
    let plain = plain.into_iter().flatten().filter_map(|word| Some((word.as_str()?, None)));
    documented.chain(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_schema_is_the_one_of_the_types() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.json");
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(committed == schema(), "out of date: run `pensive config schema > config/schema.json`");
    }
}
