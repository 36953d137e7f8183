//! The Responses API on the wire: the full sequence of typed events, and the whole answer.

use serde_json::{Map, Value, json};

use super::{
    chat::{halves, tier},
    player::{Told, Writer},
    request::Request,
    script::{Finish, ReasoningShape, Script, Usage},
    seal::Sealer,
};

/// Writes one answer. Output items open with their first piece and close when a piece of another kind comes.
#[derive(Debug)]
pub(crate) struct ResponsesWriter {
    number: usize,
    created: u64,
    request: Value,
    shape: ReasoningShape,
    /// What the answer's text is called: an answer or a refusal.
    voice: Voice,
    sealer: Sealer,
    sequence: u64,
    output: Vec<Value>,
    open: Option<Item>,
}

#[derive(Debug)]
struct Item {
    kind: Kind,
    id: String,
    /// Parts that are finished.
    parts: Vec<Value>,
    /// Text of the part that is open.
    text: Option<String>,
    all: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Reasoning,
    Message,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Voice {
    Answer,
    Refusal,
}

/// What the events of one part are called, its index's name, and the field that holds its text.
struct Names {
    part: &'static str,
    text: &'static str,
    index: &'static str,
    field: &'static str,
}

impl ResponsesWriter {
    pub(crate) fn new(request: &Request, script: &Script, created: u64, sealer: Sealer) -> Self {
        let mut asked = request.body.clone();
        // What is said back is never the conversation.
        if let Some(fields) = asked.as_object_mut() {
            fields.shift_remove("input");
        }
        let voice = if script.finish == Finish::Refusal { Voice::Refusal } else { Voice::Answer };
        let (number, shape) = (request.number, script.shape);
        Self {
            number,
            created,
            request: asked,
            shape,
            voice,
            sealer,
            sequence: 0,
            output: Vec::new(),
            open: None,
        }
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

    /// Opens an item of this kind and a part in it, unless they are open.
    fn open(&mut self, kind: Kind) -> String {
        let mut events = self.open_item(kind);
        let Some(item) = self.open.as_mut().filter(|item| item.text.is_none()) else {
            return events;
        };
        item.text = Some(String::new());
        let part = self.part_event(kind, "");
        events += &self.item_event(&format!("response.{}.added", self.names(kind).part), part);
        events
    }

    fn open_item(&mut self, kind: Kind) -> String {
        if self.open.as_ref().is_some_and(|item| item.kind == kind) {
            return String::new();
        }
        let events = self.close("completed", None);
        let place = self.output.len();
        let prefix = if kind == Kind::Reasoning { "rs" } else { "msg" };
        let id = format!("{prefix}_fake{:08}{place:02}", self.number);
        let item = match kind {
            Kind::Reasoning => json!({"id": id, "type": "reasoning", "summary": []}),
            Kind::Message => {
                json!({"id": id, "type": "message", "status": "in_progress", "content": [], "role": "assistant"})
            }
        };
        self.open = Some(Item { kind, id, parts: Vec::new(), text: None, all: String::new() });
        events + &self.event("response.output_item.added", json!({"output_index": place, "item": item}))
    }

    fn names(&self, kind: Kind) -> Names {
        match (kind, self.shape, self.voice) {
            (Kind::Message, _, Voice::Answer) => {
                Names { part: "content_part", text: "output_text", index: "content_index", field: "text" }
            }
            (Kind::Message, _, Voice::Refusal) => {
                Names { part: "content_part", text: "refusal", index: "content_index", field: "refusal" }
            }
            (Kind::Reasoning, ReasoningShape::Plain, _) => {
                Names { part: "content_part", text: "reasoning_text", index: "content_index", field: "text" }
            }
            (Kind::Reasoning, _, _) => Names {
                part: "reasoning_summary_part",
                text: "reasoning_summary_text",
                index: "summary_index",
                field: "text",
            },
        }
    }

    /// The part of an item with this text.
    fn part(&self, kind: Kind, text: &str) -> Value {
        match (kind, self.shape, self.voice) {
            (Kind::Message, _, Voice::Answer) => {
                json!({"type": "output_text", "annotations": [], "logprobs": [], "text": text})
            }
            (Kind::Message, _, Voice::Refusal) => json!({"type": "refusal", "refusal": text}),
            (Kind::Reasoning, ReasoningShape::Plain, _) => json!({"type": "reasoning_text", "text": text}),
            (Kind::Reasoning, _, _) => json!({"type": "summary_text", "text": text}),
        }
    }

    /// The fields of an event about the open part.
    fn part_event(&self, kind: Kind, text: &str) -> Value {
        self.about_part(kind, "part", self.part(kind, text))
    }

    fn about_part(&self, kind: Kind, name: &str, value: Value) -> Value {
        let index = self.open.as_ref().map(|item| item.parts.len()).unwrap_or_default();
        let mut fields =
            Map::from_iter([(self.names(kind).index.to_owned(), index.into()), (name.to_owned(), value)]);
        if self.names(kind).text == "output_text" && name != "part" {
            fields.insert("logprobs".into(), json!([]));
        }
        fields.into()
    }

    fn piece(&mut self, kind: Kind, piece: &str) -> String {
        let mut events = self.open(kind);
        if let Some(item) = &mut self.open {
            item.text.get_or_insert_default().push_str(piece);
            item.all.push_str(piece);
        }
        let mut fields = self.about_part(kind, "delta", piece.into());
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("obfuscation".into(), "fake".into());
        }
        events += &self.item_event(&format!("response.{}.delta", self.names(kind).text), fields);
        events
    }

    fn close_part(&mut self) -> String {
        let Some(item) = &mut self.open else {
            return String::new();
        };
        let (kind, Some(text)) = (item.kind, item.text.take()) else {
            return String::new();
        };
        let names = self.names(kind);
        let done = self.about_part(kind, names.field, text.as_str().into());
        let mut events = self.item_event(&format!("response.{}.done", names.text), done);
        let part = self.part_event(kind, &text);
        events += &self.item_event(&format!("response.{}.done", names.part), part);
        let part = self.part(kind, &text);
        if let Some(item) = &mut self.open {
            item.parts.push(part);
        }
        events
    }

    fn close(&mut self, status: &str, seal: Option<&str>) -> String {
        let mut events = self.close_part();
        let Some(item) = self.open.take() else {
            return events;
        };
        let item = match item.kind {
            Kind::Message => {
                json!({"id": item.id, "type": "message", "status": status, "content": item.parts, "role": "assistant"})
            }
            Kind::Reasoning => self.reasoning_item(item, seal),
        };
        events += &self.item_done(item);
        events
    }

    fn reasoning_item(&mut self, item: Item, seal: Option<&str>) -> Value {
        let mut done = match self.shape {
            ReasoningShape::Plain => {
                json!({"id": item.id, "type": "reasoning", "summary": [], "content": item.parts})
            }
            ReasoningShape::Usual | ReasoningShape::Details | ReasoningShape::Both => {
                json!({"id": item.id, "type": "reasoning", "summary": item.parts})
            }
        };
        let wanted = self.request.get("include").and_then(Value::as_array);
        let sealed = wanted.is_some_and(|list| list.contains(&"reasoning.encrypted_content".into()));
        if let (true, Some(fields)) = (sealed, done.as_object_mut()) {
            fields.insert("encrypted_content".into(), self.sealer.seal(&item.all, seal).into());
        }
        done
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
        Finish::Stop | Finish::ToolUse | Finish::Refusal => None,
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
    fn begin(&mut self, _told: &Told) -> String {
        let response = self.response("in_progress", None);
        let mut events = self.event("response.created", json!({"response": response}));
        events += &self.event("response.in_progress", json!({"response": response}));
        events
    }

    fn reasoning(&mut self, piece: &str) -> String {
        self.piece(Kind::Reasoning, piece)
    }

    fn new_thought(&mut self) -> String {
        self.close_part()
    }

    fn signature(&mut self, given: Option<&str>) -> String {
        self.open_item(Kind::Reasoning) + &self.close("completed", given)
    }

    fn redacted(&mut self, data: &str) -> String {
        let before = self.close("completed", None);
        before + &self.signature(Some(data))
    }

    fn text(&mut self, piece: &str) -> String {
        self.piece(Kind::Message, piece)
    }

    fn tool_call(&mut self, id: &str, name: &str, arguments: &str) -> String {
        let mut events = self.close("completed", None);
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
        let mut events = self.close(status, None);
        let response = self.response(status, Some(told));
        events += &self.event(&format!("response.{status}"), json!({"response": response}));
        events
    }

    fn whole(&mut self, told: &Told) -> Value {
        let status = if reason(told.finish).is_some() { "incomplete" } else { "completed" };
        self.close(status, None);
        self.response(status, Some(told))
    }
}
