//! What Discord refuses in a form, whatever the state of the world, and what it would pass over and nobody should send.

mod commands;
mod components;
mod embeds;
mod message;

pub(crate) use commands::{command, commands};
pub(crate) use message::{Place, message};

use serde_json::{Map, Value};

use super::refusal::Refusal;

/// What is found in one form.
#[derive(Debug, Default)]
pub(crate) struct Form {
    errors: Vec<(String, &'static str, String)>,
    /// What Discord passes over.
    pub(crate) remarks: Vec<String>,
}

impl Form {
    fn wrong(&mut self, path: &str, code: &'static str, words: impl Into<String>) {
        self.errors.push((path.to_owned(), code, words.into()));
    }

    /// The refusal, where there is one.
    pub(crate) fn verdict(&self) -> Result<(), Refusal> {
        if self.errors.is_empty() {
            return Ok(());
        }
        let errors: Vec<_> =
            self.errors.iter().map(|(path, code, words)| (path.clone(), *code, words.clone())).collect();
        Err(Refusal::form(&errors))
    }

    /// A text of at most so many characters.
    fn text(&mut self, value: Option<&Value>, path: &str, longest: usize) {
        match value {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if text.chars().count() > longest => {
                self.wrong(path, "BASE_TYPE_MAX_LENGTH", format!("Must be {longest} or fewer in length."));
            }
            Some(Value::String(_)) => {}
            Some(_) => self.wrong(path, "STRING_TYPE_CONVERT", "Could not interpret value as string."),
        }
    }

    /// A text that has to be there.
    fn required(&mut self, value: Option<&Value>, path: &str, longest: usize) {
        match value {
            Some(Value::String(text)) if !text.is_empty() => self.text(value, path, longest),
            _ => self.wrong(path, "BASE_TYPE_REQUIRED", "This field is required"),
        }
    }

    /// Nothing but these keys.
    fn only(&mut self, object: &Map<String, Value>, path: &str, keys: &[&str]) {
        for key in object.keys().filter(|key| !keys.contains(&key.as_str())) {
            self.remarks.push(format!("unknown field {path}{key}"));
        }
    }
}
