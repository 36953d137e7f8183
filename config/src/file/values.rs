//! Values of the file that are more than a string: each has one place that reads it and a `format` in the schema, by which
//! `format` finds the same reader when it checks a file.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use crate::nearest::nearest;

/// A kind of text with a meaning.
pub(crate) trait Reading: Sized {
    /// What it is called in the schema and in messages.
    const FORMAT: &'static str;
    /// Values that editors propose.
    fn examples() -> Vec<&'static str> {
        Vec::new()
    }
    /// What is allowed, to be put behind `must be`.
    fn allowed() -> String {
        format!("one of {}", Self::examples().join(", "))
    }
    /// The right text that a wrong one was meant to be.
    fn near(text: &str) -> Option<String> {
        nearest(text, Self::examples()).map(str::to_owned)
    }
    /// What the text means; nothing where it means nothing.
    fn read(text: &str) -> Option<Self>;
}

/// A text that is read as `T`.
#[derive(Debug, Clone)]
pub(crate) struct Text<T>(pub(crate) T);

impl<'de, T: Reading> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::read(&text)
            .map(Self)
            .ok_or_else(|| de::Error::custom(format_args!("{text:?} is no {}", T::FORMAT)))
    }
}

impl<T: Reading> JsonSchema for Text<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::FORMAT.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let examples = T::examples();
        if examples.is_empty() {
            json_schema!({ "type": "string", "format": T::FORMAT })
        } else {
            json_schema!({ "type": "string", "format": T::FORMAT, "examples": examples })
        }
    }
}

/// A word like `on` or `off`, for which people also write `true` or `false`.
#[derive(Debug, Clone)]
pub(crate) struct Switch<T>(pub(crate) T);

impl<'de, T: Reading> Deserialize<'de> for Switch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Scalar::deserialize(deserializer)?.into_text();
        T::read(&word)
            .map(Self)
            .ok_or_else(|| de::Error::custom(format_args!("{word:?} is no {}", T::FORMAT)))
    }
}

impl<T: Reading> JsonSchema for Switch<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::FORMAT.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "boolean"], "format": T::FORMAT, "examples": T::examples() })
    }
}

/// An id of a platform. People write `1111` where `"1111"` is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Id(pub(crate) String);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Scalar::deserialize(deserializer)?.into_text()))
    }
}

impl JsonSchema for Id {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "integer"], "minLength": 1 })
    }
}

/// A span of time: `"30m"`, or a number in minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) std::time::Duration);

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Scalar::deserialize(deserializer)?.into_text();
        Self::read(&text).ok_or_else(|| de::Error::custom(format_args!("{text:?} is no {}", Self::FORMAT)))
    }
}

impl JsonSchema for Span {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Self::FORMAT.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "integer"], "format": Self::FORMAT, "minimum": 0, "maximum": 525_600 })
    }
}

/// What stands where a short word or number may stand.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Bool(bool),
    Whole(i64),
    Large(u64),
}

impl Scalar {
    fn into_text(self) -> String {
        match self {
            Scalar::Text(text) => text,
            Scalar::Bool(value) => value.to_string(),
            Scalar::Whole(value) => value.to_string(),
            Scalar::Large(value) => value.to_string(),
        }
    }
}

/// A token, key or password: the text itself, or where it is read from when it is needed.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum SecretText {
    /// The secret itself. Better kept out of the file.
    Here(#[schemars(length(min = 1))] String),
    /// Where it is read from.
    Elsewhere(SecretPlace),
}

impl SecretText {
    /// The secret in an environment variable.
    pub(crate) fn variable(name: &str) -> Self {
        Self::Elsewhere(SecretPlace { env: Some(name.to_owned()), file: None, command: None })
    }
}

/// Where a secret is read from: one of the three.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, extend("minProperties" = 1, "maxProperties" = 1))]
pub(crate) struct SecretPlace {
    /// An environment variable.
    #[schemars(length(min = 1))]
    pub(crate) env: Option<String>,
    /// A file that holds nothing else.
    #[schemars(length(min = 1))]
    pub(crate) file: Option<PathBuf>,
    /// A command that prints it: a line for the shell, or a program with its arguments.
    pub(crate) command: Option<CommandText>,
}

/// A command.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum CommandText {
    /// A line for the shell.
    Line(#[schemars(length(min = 1))] String),
    /// A program with its arguments.
    Words(#[schemars(length(min = 1))] Vec<String>),
}

/// Any JSON, for what is sent as it stands.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Json(pub(crate) serde_json::Value);

impl JsonSchema for Json {
    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let inner = generator.subschema_for::<Self>();
        json_schema!({
            "description": "Anything.",
            "type": ["object", "array", "string", "number", "boolean", "null"],
            "additionalProperties": inner,
            "items": inner,
        })
    }
}

/// Named entries in the order of the file.
#[derive(Debug, Clone)]
pub(crate) struct Entries<V>(pub(crate) Vec<(String, V)>);

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}

struct EntriesVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for EntriesVisitor<V> {
    type Value = Entries<V>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}

impl<V: JsonSchema> JsonSchema for Entries<V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        V::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<V>() })
    }
}
