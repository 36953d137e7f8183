//! Chat Completions on the wire: chunks of a stream and the whole answer.

use serde_json::{Map, Value, json};

use super::{
    player::{Told, Writer},
    script::{Finish, ReasoningShape, Usage},
};

/// Writes one answer.
#[derive(Debug)]
pub(crate) struct ChatWriter {
    id: String,
    created: u64,
    model: String,
    tier: Value,
    include_usage: bool,
    shape: ReasoningShape,
    null_first: bool,
    calls: usize,
}

impl ChatWriter {
    pub(crate) fn new(
        number: usize,
        created: u64,
        body: &Value,
        shape: ReasoningShape,
        null_first: bool,
    ) -> Self {
        let options = body.get("stream_options");
        Self {
            id: format!("chatcmpl-fake{number:08}"),
            created,
            model: body.get("model").and_then(Value::as_str).unwrap_or("fake").to_owned(),
            tier: tier(body),
            include_usage: options
                .and_then(|o| o.get("include_usage"))
                .and_then(Value::as_bool)
                .unwrap_or_default(),
            shape,
            null_first,
            calls: 0,
        }
    }

    fn chunk(&self, choices: &Value, usage: &Value) -> String {
        let mut chunk = json!({
            "id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model,
            "service_tier": self.tier, "system_fingerprint": "fp_fake", "choices": choices,
        });
        if let (true, Some(fields)) = (self.include_usage, chunk.as_object_mut()) {
            fields.insert("usage".into(), usage.clone());
        }
        format!("data: {chunk}\n\n")
    }

    fn delta(&self, delta: &Value, finish: Option<&str>) -> String {
        let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish});
        self.chunk(&json!([choice]), &Value::Null)
    }
}

/// The tier that was asked for, as the API says back.
pub(crate) fn tier(body: &Value) -> Value {
    match body.get("service_tier").and_then(Value::as_str) {
        None | Some("auto") => "default".into(),
        Some(tier) => tier.into(),
    }
}

/// A thought under the name that this kind of server has for it.
fn thought(shape: ReasoningShape, piece: &str) -> (&'static str, Value) {
    match shape {
        ReasoningShape::Usual => ("reasoning_content", piece.into()),
        ReasoningShape::Plain => ("reasoning", piece.into()),
        ReasoningShape::Details => (
            "reasoning_details",
            json!([{"type": "reasoning.text", "text": piece, "format": "unknown", "index": 0}]),
        ),
    }
}

fn word(finish: Finish, tools: bool) -> &'static str {
    match finish {
        Finish::Stop if tools => "tool_calls",
        Finish::Stop => "stop",
        Finish::Length => "length",
        Finish::ContentFilter => "content_filter",
    }
}

fn usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input, "completion_tokens": usage.output, "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning, "audio_tokens": 0,
                                      "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
    })
}

impl Writer for ChatWriter {
    fn begin(&mut self) -> String {
        let content = if self.null_first { Value::Null } else { "".into() };
        self.delta(&json!({"role": "assistant", "content": content, "refusal": null}), None)
    }

    fn reasoning(&mut self, piece: &str) -> String {
        let (name, value) = thought(self.shape, piece);
        self.delta(&Value::Object(Map::from_iter([(name.to_owned(), value)])), None)
    }

    fn text(&mut self, piece: &str) -> String {
        self.delta(&json!({"content": piece}), None)
    }

    fn tool_call(&mut self, id: &str, name: &str, arguments: &str) -> String {
        let index = self.calls;
        self.calls += 1;
        let call = |function: Value| json!({"tool_calls": [{"index": index, "function": function}]});
        let head = json!({"tool_calls": [{"index": index, "id": id, "type": "function",
                                          "function": {"name": name, "arguments": ""}}]});
        let (first, second) = halves(arguments);
        [head, call(json!({"arguments": first})), call(json!({"arguments": second}))]
            .iter()
            .map(|delta| self.delta(delta, None))
            .collect()
    }

    fn unknown(&mut self) -> String {
        let mut odd = json!({"object": "chat.completion.weather", "forecast": "fog"});
        if let Some(fields) = odd.as_object_mut() {
            fields.insert("choices".into(), json!([]));
        }
        format!(": a comment\n\nevent: weather\ndata: {odd}\n\n")
    }

    fn error(&mut self, message: &str) -> String {
        let error = json!({"error": {"message": message, "type": "server_error", "param": null, "code": "server_error"}});
        format!("data: {error}\n\n")
    }

    fn end(&mut self, told: &Told) -> String {
        let mut end = self.delta(&json!({}), Some(word(told.finish, !told.calls.is_empty())));
        if self.include_usage {
            end.push_str(&self.chunk(&json!([]), &usage(told.usage)));
        }
        end.push_str("data: [DONE]\n\n");
        end
    }

    fn whole(&mut self, told: &Told) -> Value {
        let content = if told.text.is_empty() && !told.calls.is_empty() {
            Value::Null
        } else {
            told.text.clone().into()
        };
        let mut message =
            json!({"role": "assistant", "content": content, "refusal": null, "annotations": []});
        let calls: Vec<Value> = told
            .calls
            .iter()
            .map(|(id, name, arguments)| {
                json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
            })
            .collect();
        if let Some(fields) = message.as_object_mut() {
            if !told.reasoning.is_empty() {
                let (name, value) = thought(self.shape, &told.reasoning);
                fields.insert(name.to_owned(), value);
            }
            if !calls.is_empty() {
                fields.insert("tool_calls".into(), calls.into());
            }
        }
        let finish = word(told.finish, !told.calls.is_empty());
        json!({
            "id": self.id, "object": "chat.completion", "created": self.created, "model": self.model,
            "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish}],
            "usage": usage(told.usage), "service_tier": self.tier, "system_fingerprint": "fp_fake",
        })
    }
}

/// Cuts text at a character near its middle.
pub(crate) fn halves(text: &str) -> (&str, &str) {
    let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.split_at_checked(middle).unwrap_or((text, ""))
}
