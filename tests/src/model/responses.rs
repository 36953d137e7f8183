//! The Responses API on the wire: the full sequence of typed events, and the whole answer.

use serde_json::{Map, Value, json};

use super::{
    chat::{halves, tier},
    player::{Told, Writer},
    script::{Finish, ReasoningShape, Usage},
};

/// Writes one answer. Output items open with their first piece and close when a piece of another kind comes.
#[derive(Debug)]
pub(crate) struct ResponsesWriter {
    number: usize,
    created: u64,
    request: Value,
    shape: ReasoningShape,
    sequence: u64,
    output: Vec<Value>,
    open: Option<Item>,
}

#[derive(Debug)]
struct Item {
    kind: Kind,
    id: String,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Reasoning,
    Message,
}

impl ResponsesWriter {
    pub(crate) fn new(number: usize, created: u64, request: &Value, shape: ReasoningShape) -> Self {
        let mut request = request.clone();
        // What is said back is never the conversation.
        if let Some(fields) = request.as_object_mut() {
            fields.shift_remove("input");
        }
        Self { number, created, request, shape, sequence: 0, output: Vec::new(), open: None }
    }

    fn event(&mut self, kind: &str, fields: Value) -> String {
        let mut event = Map::from_iter([
            ("type".to_owned(), kind.into()),
            ("sequence_number".to_owned(), self.sequence.into()),
        ]);
        self.sequence += 1;
        if let Value::Object(fields) = fields {
            event.extend(fields);
        }
        format!("event: {kind}\ndata: {}\n\n", Value::Object(event))
    }

    /// An event about the open item, which names it and its place.
    fn item_event(&mut self, kind: &str, mut fields: Value) -> String {
        let id = self.open.as_ref().map(|item| item.id.clone());
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("item_id".into(), id.into());
            fields.insert("output_index".into(), self.output.len().into());
        }
        self.event(kind, fields)
    }

    fn response(&self, status: &str, told: Option<&Told>) -> Value {
        let asked = |name: &str| self.request.get(name).cloned();
        let incomplete =
            told.map(|told| told.finish).and_then(reason).map(|reason| json!({"reason": reason}));
        json!({
            "id": format!("resp_fake{:08}", self.number), "object": "response", "created_at": self.created, "status": status,
            "background": false, "error": null, "incomplete_details": incomplete, "instructions": asked("instructions"),
            "max_output_tokens": asked("max_output_tokens"), "model": asked("model"), "output": self.output,
            "parallel_tool_calls": asked("parallel_tool_calls").unwrap_or_else(|| true.into()),
            "previous_response_id": asked("previous_response_id"),
            "reasoning": asked("reasoning").unwrap_or_else(|| json!({"effort": null, "summary": null})),
            "service_tier": tier(&self.request), "store": asked("store").unwrap_or_else(|| true.into()),
            "temperature": asked("temperature").unwrap_or_else(|| 1.0.into()),
            "text": asked("text").unwrap_or_else(|| json!({"format": {"type": "text"}, "verbosity": "medium"})),
            "tool_choice": asked("tool_choice").unwrap_or_else(|| "auto".into()),
            "tools": asked("tools").unwrap_or_else(|| json!([])), "top_p": asked("top_p").unwrap_or_else(|| 1.0.into()),
            "truncation": "disabled", "usage": told.map(|told| usage(told.usage)), "user": null,
            "metadata": asked("metadata").unwrap_or_else(|| json!({})),
        })
    }

    fn open(&mut self, kind: Kind) -> String {
        if self.open.as_ref().is_some_and(|item| item.kind == kind) {
            return String::new();
        }
        let mut events = self.close("completed");
        let place = self.output.len();
        let prefix = if kind == Kind::Reasoning { "rs" } else { "msg" };
        let id = format!("{prefix}_fake{:08}{place:02}", self.number);
        self.open = Some(Item { kind, id: id.clone(), text: String::new() });
        let item = match kind {
            Kind::Reasoning => json!({"id": id, "type": "reasoning", "summary": []}),
            Kind::Message => {
                json!({"id": id, "type": "message", "status": "in_progress", "content": [], "role": "assistant"})
            }
        };
        events += &self.event("response.output_item.added", json!({"output_index": place, "item": item}));
        let (name, part) = self.part(kind, "");
        events += &self.item_event(&format!("response.{name}.added"), part);
        events
    }

    /// The event name and body of the part that holds an item's text.
    fn part(&self, kind: Kind, text: &str) -> (&'static str, Value) {
        match (kind, self.shape) {
            (Kind::Message, _) => {
                let part = json!({"type": "output_text", "annotations": [], "logprobs": [], "text": text});
                ("content_part", json!({"content_index": 0, "part": part}))
            }
            (Kind::Reasoning, ReasoningShape::Plain) => (
                "content_part",
                json!({"content_index": 0, "part": {"type": "reasoning_text", "text": text}}),
            ),
            (Kind::Reasoning, _) => (
                "reasoning_summary_part",
                json!({"summary_index": 0, "part": {"type": "summary_text", "text": text}}),
            ),
        }
    }

    /// The event name of text in an item, and the index that goes with it.
    fn text_event(&self, kind: Kind) -> (&'static str, &'static str) {
        match (kind, self.shape) {
            (Kind::Message, _) => ("output_text", "content_index"),
            (Kind::Reasoning, ReasoningShape::Plain) => ("reasoning_text", "content_index"),
            (Kind::Reasoning, _) => ("reasoning_summary_text", "summary_index"),
        }
    }

    fn piece(&mut self, kind: Kind, piece: &str) -> String {
        let mut events = self.open(kind);
        if let Some(item) = &mut self.open {
            item.text.push_str(piece);
        }
        let (name, index) = self.text_event(kind);
        let mut fields = json!({"delta": piece, "obfuscation": "fake"});
        if let Some(fields) = fields.as_object_mut() {
            fields.insert(index.to_owned(), 0.into());
            if kind == Kind::Message {
                fields.insert("logprobs".into(), json!([]));
            }
        }
        events += &self.item_event(&format!("response.{name}.delta"), fields);
        events
    }

    fn close(&mut self, status: &str) -> String {
        let Some((kind, text)) = self.open.as_ref().map(|item| (item.kind, item.text.clone())) else {
            return String::new();
        };
        let (name, index) = self.text_event(kind);
        let mut done = json!({"text": text});
        if let Some(fields) = done.as_object_mut() {
            fields.insert(index.to_owned(), 0.into());
            if kind == Kind::Message {
                fields.insert("logprobs".into(), json!([]));
            }
        }
        let mut events = self.item_event(&format!("response.{name}.done"), done);
        let (name, part) = self.part(kind, &text);
        events += &self.item_event(&format!("response.{name}.done"), part.clone());
        let item = self.item(kind, part.get("part").cloned().unwrap_or_default(), status);
        self.open = None;
        events += &self.item_done(item);
        events
    }

    /// The finished item.
    fn item(&self, kind: Kind, part: Value, status: &str) -> Value {
        let id = self.open.as_ref().map(|item| item.id.clone()).unwrap_or_default();
        match (kind, self.shape) {
            (Kind::Message, _) => {
                json!({"id": id, "type": "message", "status": status, "content": [part], "role": "assistant"})
            }
            (Kind::Reasoning, ReasoningShape::Plain) => {
                json!({"id": id, "type": "reasoning", "summary": [], "content": [part]})
            }
            (Kind::Reasoning, _) => {
                let wanted = self.request.get("include").and_then(Value::as_array);
                let sealed = wanted.is_some_and(|list| list.contains(&"reasoning.encrypted_content".into()));
                let mut item = json!({"id": id, "type": "reasoning", "summary": [part]});
                if let (true, Some(fields)) = (sealed, item.as_object_mut()) {
                    fields.insert("encrypted_content".into(), format!("sealed-{id}").into());
                }
                item
            }
        }
    }

    fn item_done(&mut self, item: Value) -> String {
        let place = self.output.len();
        self.output.push(item.clone());
        self.event("response.output_item.done", json!({"output_index": place, "item": item}))
    }
}

/// `incomplete_details.reason`, for an answer that is incomplete.
fn reason(finish: Finish) -> Option<&'static str> {
    match finish {
        Finish::Stop => None,
        Finish::Length => Some("max_output_tokens"),
        Finish::ContentFilter => Some("content_filter"),
    }
}

fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input, "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.output, "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output,
    })
}

impl Writer for ResponsesWriter {
    fn begin(&mut self) -> String {
        let response = self.response("in_progress", None);
        let mut events = self.event("response.created", json!({"response": response}));
        events += &self.event("response.in_progress", json!({"response": response}));
        events
    }

    fn reasoning(&mut self, piece: &str) -> String {
        self.piece(Kind::Reasoning, piece)
    }

    fn text(&mut self, piece: &str) -> String {
        self.piece(Kind::Message, piece)
    }

    fn tool_call(&mut self, id: &str, name: &str, arguments: &str) -> String {
        let mut events = self.close("completed");
        let place = self.output.len();
        let item_id = format!("fc_fake{:08}{place:02}", self.number);
        let item = |status: &str, arguments: &str| json!({"id": item_id, "type": "function_call", "status": status, "arguments": arguments, "call_id": id, "name": name});
        let added = json!({"output_index": place, "item": item("in_progress", "")});
        events += &self.event("response.output_item.added", added);
        let (first, second) = halves(arguments);
        for piece in [first, second] {
            let delta =
                json!({"item_id": item_id, "output_index": place, "delta": piece, "obfuscation": "fake"});
            events += &self.event("response.function_call_arguments.delta", delta);
        }
        let done = json!({"item_id": item_id, "output_index": place, "name": name, "arguments": arguments});
        events += &self.event("response.function_call_arguments.done", done);
        events += &self.item_done(item("completed", arguments));
        events
    }

    fn unknown(&mut self) -> String {
        self.event("response.weather.delta", json!({"forecast": "fog"}))
    }

    fn error(&mut self, message: &str) -> String {
        self.event("error", json!({"code": "server_error", "message": message, "param": null}))
    }

    fn end(&mut self, told: &Told) -> String {
        let status = if reason(told.finish).is_some() { "incomplete" } else { "completed" };
        let mut events = self.close(status);
        let response = self.response(status, Some(told));
        events += &self.event(&format!("response.{status}"), json!({"response": response}));
        events
    }

    fn whole(&mut self, told: &Told) -> Value {
        let status = if reason(told.finish).is_some() { "incomplete" } else { "completed" };
        self.close(status);
        self.response(status, Some(told))
    }
}
