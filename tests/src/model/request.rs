//! What a client asked for, and what became of it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// Which of the two APIs was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// `POST …/chat/completions`.
    Chat,
    /// `POST …/responses`.
    Responses,
}

/// Where a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Being answered.
    Running,
    /// Answered to the end that its script has, be it a failure.
    Done,
    /// The client left before that end.
    Abandoned,
}

/// One request for an answer.
#[derive(Clone, Debug, Serialize)]
pub struct Request {
    /// Place in the order of arrival, from 1.
    pub number: usize,
    /// Microseconds since the fake was started.
    pub at: u64,
    /// The API.
    pub shape: Shape,
    /// The body as sent.
    pub body: Value,
    /// Headers by lower-case name; a key in them is as the client sent it.
    pub headers: BTreeMap<String, String>,
    /// What has become of it by now.
    pub fate: Fate,
}

impl Request {
    /// The model's name.
    pub fn model(&self) -> &str {
        self.body.get("model").and_then(Value::as_str).unwrap_or_default()
    }

    /// A streamed answer is wanted.
    pub fn streams(&self) -> bool {
        self.body.get("stream").and_then(Value::as_bool).unwrap_or_default()
    }

    /// `reasoning.effort` or `reasoning_effort`, as the API has it.
    pub fn effort(&self) -> Option<&str> {
        let nested = self.body.get("reasoning").and_then(|reasoning| reasoning.get("effort"));
        nested.or_else(|| self.body.get("reasoning_effort")).and_then(Value::as_str)
    }

    /// The conversation's entries with the given role, their text joined.
    pub fn texts(&self, role: &str) -> Vec<String> {
        let entries = match self.shape {
            Shape::Chat => self.body.get("messages"),
            Shape::Responses => self.body.get("input"),
        };
        match entries {
            Some(Value::String(text)) if role == "user" => vec![text.clone()],
            Some(Value::Array(entries)) => {
                let of_role = |entry: &&Value| entry.get("role").and_then(Value::as_str) == Some(role);
                entries.iter().filter(of_role).map(|entry| text_of(entry.get("content"))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The last thing that the person said.
    pub fn prompt(&self) -> String {
        self.texts("user").pop().unwrap_or_default()
    }

    /// Standing instructions, wherever the API has them.
    pub fn instructions(&self) -> String {
        let given = self.body.get("instructions").and_then(Value::as_str).map(str::to_owned);
        let mut all: Vec<String> = given.into_iter().collect();
        all.extend(self.texts("system"));
        all.extend(self.texts("developer"));
        all.join("\n")
    }
}

fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|part| part.get("text").and_then(Value::as_str))
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_prompt_is_found_in_every_shape() {
        let check = |shape, body: Value| {
            let fate = Fate::Running;
            let request =
                Request { number: 1, at: 0, shape, body: body.clone(), headers: BTreeMap::new(), fate };
            assert_eq!(
                (request.prompt().as_str(), request.instructions().as_str()),
                ("hi", "be kind"),
                "{body}"
            );
        };
        let system = json!({"role": "system", "content": "be kind"});
        check(Shape::Chat, json!({"messages": [system, {"role": "user", "content": "hi"}]}));
        let parts = json!([{"type": "text", "text": "hi"}, {"type": "image_url", "image_url": {}}]);
        check(
            Shape::Chat,
            json!({"messages": [{"role": "user", "content": "a"}, system, {"role": "user", "content": parts}]}),
        );
        check(Shape::Responses, json!({"instructions": "be kind", "input": "hi"}));
        let parts = json!([{"type": "input_text", "text": "hi"}]);
        check(
            Shape::Responses,
            json!({"instructions": "be kind", "input": [{"role": "user", "content": parts}]}),
        );
    }
}
