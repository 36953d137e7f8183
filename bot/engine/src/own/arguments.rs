//! The arguments of our own tools. What a model wrote may be anything: what is of another kind than it should be is told to
//! the model, never guessed at.

use pensive_contract::tool::ToolFault;
use serde_json::{Map, Value};

/// The fields of one call.
pub(super) struct Arguments(Map<String, Value>);

impl Arguments {
    /// # Errors
    /// These are none.
    pub(super) fn read(text: &str) -> Result<Self, ToolFault> {
        serde_json::from_str(text).map(Self).map_err(|_| refused("The arguments are not a JSON object."))
    }

    /// A text that must say something.
    ///
    /// # Errors
    /// It does not.
    pub(super) fn needed(&self, name: &str) -> Result<&str, ToolFault> {
        self.text(name)?.ok_or_else(|| refused(format!("\"{name}\" must be a text that is not empty.")))
    }

    /// A text that may be left out; one without a word is.
    ///
    /// # Errors
    /// It is something else.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, ToolFault> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.trim().is_empty())),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                Err(refused(format!("\"{name}\" must be a text.")))
            }
        }
    }
}

/// What the model hears of a call that could not be made as it was asked for. Nothing of it is secret.
pub(super) fn refused(words: impl Into<String>) -> ToolFault {
    let model = words.into();
    ToolFault { log: "a call of our own tool was refused".to_owned(), model }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_says_something_or_is_told_to_be_wrong() {
        let check = |text: &str, expected: Result<Option<&str>, &str>| {
            let arguments = Arguments::read(text);
            let read = arguments.as_ref().map_err(Clone::clone).and_then(|arguments| arguments.text("a"));
            assert_eq!(read.map_err(|fault| fault.model), expected.map_err(str::to_owned), "{text}");
        };
        check(r#"{"a":"b"}"#, Ok(Some("b")));
        check(r#"{"a":" "}"#, Ok(None));
        check(r#"{"a":null}"#, Ok(None));
        check("{}", Ok(None));
        check(r#"{"a":1}"#, Err("\"a\" must be a text."));
        check("[]", Err("The arguments are not a JSON object."));
        let needed = Arguments::read("{}").unwrap().needed("a").map_err(|fault| fault.model).unwrap_err();
        assert_eq!(needed, "\"a\" must be a text that is not empty.");
    }
}
