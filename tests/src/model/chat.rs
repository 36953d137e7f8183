//! Chat Completions on the wire: chunks of a stream and the whole answer.

use serde_json::{Map, Value, json};

use super::{
    player::{Told, Writer},
    request::Request,
    script::{Finish, ReasoningShape, Script, Usage},
    seal::Sealer,
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
    /// The field that the answer's text goes into.
    voice: &'static str,
    sealer: Sealer,
    /// A seal that waits for the tool call which it goes on.
    seal: Option<String>,
    calls: Vec<Value>,
    details: Details,
}

/// `reasoning_details` so far: finished entries and the thought that is being written.
#[derive(Debug, Default)]
struct Details {
    entries: Vec<Value>,
    open: String,
}

impl ChatWriter {
    pub(crate) fn new(request: &Request, script: &Script, created: u64, sealer: Sealer) -> Self {
        Self {
            id: format!("chatcmpl-fake{:08}", request.number),
            created,
            model: request.model().to_owned(),
            tier: tier(&request.body),
            include_usage: request.at_path("/stream_options/include_usage").as_bool().unwrap_or_default(),
            shape: script.shape,
            null_first: script.null_first,
            voice: if script.finish == Finish::Refusal { "refusal" } else { "content" },
            sealer,
            seal: None,
            calls: Vec::new(),
            details: Details::default(),
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

/// A thought under the names that this kind of server has for it.
fn thought(shape: ReasoningShape, piece: &str, details: Value) -> Value {
    match shape {
        ReasoningShape::Usual => json!({"reasoning_content": piece}),
        ReasoningShape::Plain => json!({"reasoning": piece}),
        ReasoningShape::Details => json!({"reasoning_details": details}),
        ReasoningShape::Both => json!({"reasoning": piece, "reasoning_details": details}),
    }
}

impl Details {
    /// An entry of the list, of this place.
    fn entry(&self, kind: &str, field: &str, value: &str) -> Value {
        let mut entry = json!({"type": kind, "format": "anthropic-claude-v1", "index": self.entries.len()});
        if let Some(fields) = entry.as_object_mut() {
            fields.insert(field.to_owned(), value.into());
        }
        entry
    }

    fn close(&mut self, signature: Option<&str>) {
        if self.open.is_empty() && signature.is_none() {
            return;
        }
        let text = std::mem::take(&mut self.open);
        let mut entry = self.entry("reasoning.text", "text", &text);
        if let (Some(signature), Some(fields)) = (signature, entry.as_object_mut()) {
            fields.insert("signature".into(), signature.into());
        }
        self.entries.push(entry);
    }
}

fn word(finish: Finish, tools: bool) -> &'static str {
    match finish {
        Finish::Stop if tools => "tool_calls",
        Finish::ToolUse => "tool_calls",
        Finish::Stop | Finish::Refusal => "stop",
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
    fn begin(&mut self, _told: &Told) -> String {
        let content = if self.null_first { Value::Null } else { "".into() };
        self.delta(&json!({"role": "assistant", "content": content, "refusal": null}), None)
    }

    fn reasoning(&mut self, piece: &str) -> String {
        let entry = self.details.entry("reasoning.text", "text", piece);
        self.details.open.push_str(piece);
        self.delta(&thought(self.shape, piece, json!([entry])), None)
    }

    fn new_thought(&mut self) -> String {
        self.details.close(None);
        String::new()
    }

    fn signature(&mut self, given: Option<&str>) -> String {
        let seal = self.sealer.seal(&self.details.open, given);
        if !self.shape.has_details() {
            self.seal = Some(seal);
            return String::new();
        }
        let entry = self.details.entry("reasoning.text", "signature", &seal);
        self.details.close(Some(&seal));
        self.delta(&json!({"reasoning_details": [entry]}), None)
    }

    fn redacted(&mut self, data: &str) -> String {
        if !self.shape.has_details() {
            return String::new();
        }
        self.details.close(None);
        self.sealer.seal("", Some(data));
        let entry = self.details.entry("reasoning.encrypted", "data", data);
        self.details.entries.push(entry.clone());
        self.delta(&json!({"reasoning_details": [entry]}), None)
    }

    fn text(&mut self, piece: &str) -> String {
        self.delta(&Value::Object(Map::from_iter([(self.voice.to_owned(), piece.into())])), None)
    }

    fn tool_call(&mut self, id: &str, name: &str, arguments: &str) -> String {
        let index = self.calls.len();
        let mut call =
            json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
        let mut head = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
        if let Some(seal) = self.seal.take() {
            self.sealer.signed(id, &seal);
            for place in [&mut call, &mut head] {
                if let Some(fields) = place.as_object_mut() {
                    fields.insert("extra_content".into(), json!({"google": {"thought_signature": seal}}));
                }
            }
        }
        self.calls.push(call);
        let (first, second) = halves(arguments);
        let more = |piece: &str| json!({"index": index, "function": {"arguments": piece}});
        [head, more(first), more(second)]
            .iter()
            .map(|call| self.delta(&json!({"tool_calls": [call]}), None))
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
        self.details.close(None);
        let content = if told.text.is_empty() && !told.calls.is_empty() {
            Value::Null
        } else {
            told.text.clone().into()
        };
        let mut message = json!({"role": "assistant", "content": null, "refusal": null, "annotations": []});
        if let Some(fields) = message.as_object_mut() {
            fields.insert(self.voice.to_owned(), content);
            if !told.reasoning.is_empty() || !self.details.entries.is_empty() {
                let details = self.details.entries.clone().into();
                if let Value::Object(thought) = thought(self.shape, &told.reasoning, details) {
                    fields.extend(thought);
                }
            }
            if !self.calls.is_empty() {
                fields.insert("tool_calls".into(), self.calls.clone().into());
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
