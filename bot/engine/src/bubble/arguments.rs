//! The arguments of a call as far as a bubble shows them. What a model wrote may be anything: what does not fit is not
//! there.

use serde_json::{Map, Value};

use super::{Lens, value};
use crate::mask::Masker;

/// How many entries of a list are shown.
const MOST_ENTRIES: usize = 3;

pub(super) struct Arguments<'a> {
    fields: Map<String, Value>,
    lens: Lens<'a>,
}

impl<'a> Arguments<'a> {
    pub(super) fn read(text: &str, lens: Lens<'a>) -> Self {
        let mut fields: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
        fields.values_mut().for_each(|value| mask(value, lens.masker));
        Self { fields, lens }
    }

    /// The first of these fields that says anything, whole.
    pub(super) fn whole(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.fields.get(*name)?.as_str().filter(|text| !text.trim().is_empty()))
    }

    /// The same as it is shown; numbers and lists too.
    pub(super) fn shown(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.show(self.fields.get(*name)?)).filter(|text| !text.is_empty())
    }

    /// The first of these fields that is a count.
    pub(super) fn count(&self, names: &[&str]) -> Option<u64> {
        names.iter().find_map(|name| {
            let value = self.fields.get(*name)?;
            value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
        })
    }

    fn show(&self, value: &Value) -> Option<String> {
        match value {
            Value::String(text) => Some(value::shown(text, self.lens.home)).filter(|text| !text.is_empty()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            Value::Array(entries) => {
                let shown: Vec<String> = entries.iter().filter_map(|entry| self.show(entry)).collect();
                Some(listed(&shown)).filter(|text| !text.is_empty())
            }
            Value::Null | Value::Object(_) => None,
        }
    }
}

/// The first entries of a list, and a sign where there are more.
pub(super) fn listed<T: AsRef<str>>(entries: &[T]) -> String {
    let first: Vec<&str> = entries.iter().take(MOST_ENTRIES).map(AsRef::as_ref).collect();
    let more = if entries.len() > MOST_ENTRIES { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}

/// Behind the escapes of JSON a secret would look otherwise.
fn mask(value: &mut Value, masker: &Masker) {
    match value {
        Value::String(text) => *text = masker.mask(text).into_owned(),
        Value::Array(entries) => entries.iter_mut().for_each(|entry| mask(entry, masker)),
        // Nothing of an object is shown.
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
    }
}
