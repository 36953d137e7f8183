//! Anthropic's Messages API on the wire: blocks that open, grow and close, each thought with its signature.

use serde_json::{Map, Value, json};

use super::{
    chat::halves,
    player::{Told, Writer},
    request::Request,
    rules::{claude::Family, thoughts},
    script::{Finish, Script, Usage},
    seal::Sealer,
};

/// Writes one answer. A block opens with its first piece and closes when a piece of another kind comes.
#[derive(Debug)]
pub(crate) struct AnthropicWriter {
    id: String,
    model: String,
    sealer: Sealer,
    display: Display,
    seals: Seals,
    content: Vec<Value>,
    open: Option<Block>,
}

/// Whether thoughts are shown, or only their signature is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Display {
    Summarized,
    Omitted,
}

/// Whether thoughts are signed by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seals {
    Always,
    OnOrder,
}

#[derive(Debug)]
struct Block {
    kind: Kind,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Thinking,
    Text,
}

impl AnthropicWriter {
    pub(crate) fn new(request: &Request, script: &Script, mut sealer: Sealer) -> Self {
        sealer.bind(thoughts::prefix(&request.body, usize::MAX));
        let display = match request.at_path("/thinking/display").as_str() {
            Some("summarized") => Display::Summarized,
            Some(_) => Display::Omitted,
            // By the documentation of `thinking.display`: models from Opus 4.7 on show nothing unless asked.
            None if Family::of(request.model()).thinks_unseen() => Display::Omitted,
            None => Display::Summarized,
        };
        Self {
            id: format!("msg_fake{:08}", request.number),
            model: request.model().to_owned(),
            sealer,
            display,
            seals: if script.unsigned { Seals::OnOrder } else { Seals::Always },
            content: Vec::new(),
            open: None,
        }
    }

    fn event(kind: &str, fields: Value) -> String {
        let mut event = Map::from_iter([("type".to_owned(), kind.into())]);
        if let Value::Object(fields) = fields {
            event.extend(fields);
        }
        format!("event: {kind}\ndata: {}\n\n", Value::Object(event))
    }

    fn start(&self, block: &Value) -> String {
        Self::event("content_block_start", json!({"index": self.content.len(), "content_block": block}))
    }

    fn delta(&self, delta: &Value) -> String {
        Self::event("content_block_delta", json!({"index": self.content.len(), "delta": delta}))
    }

    /// Ends the block of this index and keeps it.
    fn stop(&mut self, block: Value) -> String {
        let event = Self::event("content_block_stop", json!({"index": self.content.len()}));
        self.content.push(block);
        event
    }

    fn open(&mut self, kind: Kind) -> String {
        if self.open.as_ref().is_some_and(|block| block.kind == kind) {
            return String::new();
        }
        let events = self.close(None);
        self.open = Some(Block { kind, text: String::new() });
        let block = match kind {
            Kind::Thinking => json!({"type": "thinking", "thinking": "", "signature": ""}),
            Kind::Text => json!({"type": "text", "text": ""}),
        };
        events + &self.start(&block)
    }

    fn close(&mut self, given: Option<&str>) -> String {
        let Some(Block { kind, text }) = self.open.take() else {
            return String::new();
        };
        match kind {
            Kind::Text => self.stop(json!({"type": "text", "text": text})),
            Kind::Thinking => {
                let sign = given.is_some() || self.seals == Seals::Always;
                let signature = if sign { self.sealer.seal(&text, given) } else { String::new() };
                let signed = if sign {
                    self.delta(&json!({"type": "signature_delta", "signature": signature}))
                } else {
                    String::new()
                };
                signed + &self.stop(json!({"type": "thinking", "thinking": text, "signature": signature}))
            }
        }
    }

    fn message(&self, content: &[Value], stop: Option<&str>, usage: &Value) -> Value {
        json!({
            "id": self.id, "type": "message", "role": "assistant", "model": self.model, "content": content,
            "stop_reason": stop, "stop_sequence": null, "stop_details": details(stop), "usage": usage,
        })
    }
}

fn usage(usage: Usage, output: u64) -> Value {
    json!({
        "input_tokens": usage.input.saturating_sub(usage.cached), "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached, "output_tokens": output, "service_tier": "standard",
        "output_tokens_details": {"thinking_tokens": usage.reasoning.min(output)},
    })
}

fn stop_reason(told: &Told) -> &'static str {
    match told.finish {
        Finish::Stop if told.calls.is_empty() => "end_turn",
        Finish::Stop | Finish::ToolUse => "tool_use",
        Finish::Length => "max_tokens",
        Finish::ContentFilter | Finish::Refusal => "refusal",
    }
}

fn details(stop: Option<&str>) -> Value {
    match stop {
        Some("refusal") => json!({"type": "refusal", "category": "general_harms", "explanation": null}),
        _ => Value::Null,
    }
}

impl Writer for AnthropicWriter {
    fn begin(&mut self, told: &Told) -> String {
        let message = self.message(&[], None, &usage(told.usage, 1));
        Self::event("message_start", json!({"message": message})) + &Self::event("ping", Value::Null)
    }

    fn reasoning(&mut self, piece: &str) -> String {
        let opened = self.open(Kind::Thinking);
        if self.display == Display::Omitted {
            return opened;
        }
        if let Some(block) = &mut self.open {
            block.text.push_str(piece);
        }
        opened + &self.delta(&json!({"type": "thinking_delta", "thinking": piece}))
    }

    fn new_thought(&mut self) -> String {
        self.close(None)
    }

    fn signature(&mut self, given: Option<&str>) -> String {
        // A seal without a thought is one on a thought that is not shown.
        let opened = self.open(Kind::Thinking);
        let text = self.open.as_ref().map(|block| block.text.clone()).unwrap_or_default();
        let signature = self.sealer.seal(&text, given);
        opened + &self.close(Some(&signature))
    }

    fn redacted(&mut self, data: &str) -> String {
        let events = self.close(None);
        self.sealer.seal("", Some(data));
        let block = json!({"type": "redacted_thinking", "data": data});
        events + &self.start(&block) + &self.stop(block)
    }

    fn text(&mut self, piece: &str) -> String {
        let opened = self.open(Kind::Text);
        if let Some(block) = &mut self.open {
            block.text.push_str(piece);
        }
        opened + &self.delta(&json!({"type": "text_delta", "text": piece}))
    }

    fn tool_call(&mut self, id: &str, name: &str, arguments: &str) -> String {
        let mut events = self.close(None);
        let seals = self.content.iter().filter_map(thoughts::seal).map(str::to_owned).collect();
        self.sealer.came_after(id, seals);
        let block = |input: Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
        events += &self.start(&block(json!({})));
        let (first, second) = halves(arguments);
        for piece in ["", first, second] {
            events += &self.delta(&json!({"type": "input_json_delta", "partial_json": piece}));
        }
        let input = serde_json::from_str(arguments).unwrap_or_else(|_| arguments.into());
        events + &self.stop(block(input))
    }

    fn unknown(&mut self) -> String {
        Self::event("weather", json!({"forecast": "fog"}))
    }

    fn error(&mut self, message: &str) -> String {
        Self::event("error", json!({"error": {"type": "overloaded_error", "message": message}}))
    }

    fn end(&mut self, told: &Told) -> String {
        let events = self.close(None);
        let stop = stop_reason(told);
        let delta = json!({"stop_reason": stop, "stop_sequence": null, "stop_details": details(Some(stop))});
        let usage = usage(told.usage, told.usage.output);
        events
            + &Self::event("message_delta", json!({"delta": delta, "usage": usage}))
            + &Self::event("message_stop", Value::Null)
    }

    fn whole(&mut self, told: &Told) -> Value {
        self.close(None);
        self.message(&self.content, Some(stop_reason(told)), &usage(told.usage, told.usage.output))
    }
}
