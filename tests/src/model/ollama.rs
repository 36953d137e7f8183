//! Ollama's own chat on the wire: one object a line, tool calls whole, the counts in the last one.

use serde_json::{Map, Value, json};

use super::{
    player::{Told, Writer},
    request::Request,
    script::Finish,
};

/// Writes one answer.
#[derive(Debug)]
pub(crate) struct OllamaWriter {
    model: String,
    calls: Vec<Value>,
}

impl OllamaWriter {
    pub(crate) fn new(request: &Request) -> Self {
        Self { model: request.model().to_owned(), calls: Vec::new() }
    }

    /// A line with these fields of the message beside the role, and these of its own.
    fn line(&self, message: Value, rest: Value) -> Value {
        let mut said =
            Map::from_iter([("role".to_owned(), "assistant".into()), ("content".to_owned(), "".into())]);
        if let Value::Object(fields) = message {
            said.extend(fields);
        }
        let mut line = json!({"model": self.model, "created_at": "2026-01-01T00:00:00.000000001Z", "message": said,
                              "done": false});
        if let (Some(line), Value::Object(fields)) = (line.as_object_mut(), rest) {
            line.extend(fields);
        }
        line
    }

    fn said(&self, message: Value) -> String {
        format!("{}\n", self.line(message, Value::Null))
    }

    fn last(&self, message: Value, told: &Told) -> Value {
        let reason = if told.finish == Finish::Length { "length" } else { "stop" };
        self.line(
            message,
            json!({
                "done": true, "done_reason": reason, "total_duration": 3_000_000, "load_duration": 1_000_000,
                "prompt_eval_count": told.usage.input, "prompt_eval_duration": 1_000_000,
                "eval_count": told.usage.output, "eval_duration": 1_000_000,
            }),
        )
    }
}

impl Writer for OllamaWriter {
    fn begin(&mut self, _told: &Told) -> String {
        String::new()
    }

    fn reasoning(&mut self, piece: &str) -> String {
        self.said(json!({"thinking": piece}))
    }

    fn new_thought(&mut self) -> String {
        String::new()
    }

    fn signature(&mut self, _given: Option<&str>) -> String {
        String::new()
    }

    fn redacted(&mut self, _data: &str) -> String {
        String::new()
    }

    fn text(&mut self, piece: &str) -> String {
        self.said(json!({"content": piece}))
    }

    fn tool_call(&mut self, id: &str, name: &str, arguments: &str) -> String {
        // What is no JSON stays the text that it is, and so no object.
        let arguments = serde_json::from_str(arguments).unwrap_or_else(|_| Value::from(arguments));
        let function = json!({"index": self.calls.len(), "name": name, "arguments": arguments});
        let call = json!({"id": id, "function": function});
        self.calls.push(call.clone());
        self.said(json!({"tool_calls": [call]}))
    }

    fn unknown(&mut self) -> String {
        format!("{}\n", self.line(json!({"weather": "fog"}), json!({"forecast": "fog"})))
    }

    fn error(&mut self, message: &str) -> String {
        format!("{}\n", json!({"error": message}))
    }

    fn end(&mut self, told: &Told) -> String {
        format!("{}\n", self.last(Value::Null, told))
    }

    fn whole(&mut self, told: &Told) -> Value {
        let mut message = json!({"content": told.text});
        if let Some(fields) = message.as_object_mut() {
            if !told.reasoning.is_empty() {
                fields.insert("thinking".into(), told.reasoning.as_str().into());
            }
            if !self.calls.is_empty() {
                fields.insert("tool_calls".into(), self.calls.clone().into());
            }
        }
        self.last(message, told)
    }
}
