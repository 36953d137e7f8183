//! Gemini on the wire: every chunk is a small answer with parts, thoughts are parts among them, and the seal is on the part after them.

use serde_json::{Map, Value, json};

use super::{
    failure::google_status,
    player::{Told, Writer},
    request::Request,
    script::{Finish, Script, Usage},
    seal::Sealer,
};

/// Writes one answer.
#[derive(Debug)]
pub(crate) struct GeminiWriter {
    id: String,
    model: String,
    sealer: Sealer,
    thoughts: Thoughts,
    signs: Signs,
    /// What was thought since the last seal.
    thought: String,
    /// A seal that waits for the part which it goes on.
    seal: Option<String>,
    parts: Vec<Value>,
    input: u64,
    broken: bool,
}

/// Whether thoughts are shown: only where `includeThoughts` says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thoughts {
    Shown,
    Hidden,
}

/// When parts are sealed without an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signs {
    /// The first function call, and the last text after a thought.
    Usually,
    Never,
}

impl GeminiWriter {
    pub(crate) fn new(request: &Request, script: &Script, sealer: Sealer) -> Self {
        let shown = request.at_path("/generationConfig/thinkingConfig/includeThoughts").as_bool();
        let signs = request.model().starts_with("gemini-3") && !script.unsigned;
        Self {
            id: format!("fake{:08}", request.number),
            model: request.model().to_owned(),
            sealer,
            thoughts: if shown == Some(true) { Thoughts::Shown } else { Thoughts::Hidden },
            signs: if signs { Signs::Usually } else { Signs::Never },
            thought: String::new(),
            seal: None,
            parts: Vec::new(),
            input: 0,
            broken: false,
        }
    }

    fn answer(&self, parts: &[Value], finish: Option<&str>, usage: &Value) -> Value {
        let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
        if let (Some(finish), Some(fields)) = (finish, candidate.as_object_mut()) {
            fields.insert("finishReason".into(), finish.into());
        }
        json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": self.model, "responseId": self.id})
    }

    /// A chunk with one part; the counts of the answer so far are in every chunk.
    fn chunk(&self, part: Value) -> String {
        let usage = json!({"promptTokenCount": self.input, "totalTokenCount": self.input});
        format!("data: {}\n\n", self.answer(&[part], None, &usage))
    }

    /// Keeps a part for the whole answer, where pieces of one kind are one part.
    fn keep(&mut self, part: &Value) {
        let text = |part: &Value| part.get("text").and_then(Value::as_str).map(str::to_owned);
        let (more, thought) = (text(part), part.get("thought").cloned());
        if let (Some(more), Some(last)) = (more, self.parts.last_mut())
            && let (Some(said), true) = (text(last), last.get("thought").cloned() == thought)
            && let Some(fields) = last.as_object_mut()
        {
            fields.insert("text".into(), (said + &more).into());
            return;
        }
        self.parts.push(part.clone());
    }

    fn say(&mut self, part: Value) -> String {
        self.keep(&part);
        self.chunk(part)
    }

    fn new_seal(&mut self, given: Option<&str>) -> String {
        let thought = std::mem::take(&mut self.thought);
        self.sealer.seal(&thought, given)
    }

    fn called(&self) -> bool {
        self.parts.iter().any(|part| part.get("functionCall").is_some())
    }

    /// The seal that is still to be given at the end.
    fn last_seal(&mut self) -> Option<String> {
        if self.signs == Signs::Usually && self.seal.is_none() && !self.thought.is_empty() {
            let seal = self.new_seal(None);
            self.seal = Some(seal);
        }
        self.seal.take()
    }

    fn finish(&self, told: &Told) -> &'static str {
        match told.finish {
            Finish::Stop | Finish::ToolUse if self.broken => "MALFORMED_FUNCTION_CALL",
            Finish::Stop | Finish::ToolUse => "STOP",
            Finish::Length => "MAX_TOKENS",
            Finish::ContentFilter => "SAFETY",
            Finish::Refusal => "PROHIBITED_CONTENT",
        }
    }
}

fn usage(usage: Usage) -> Value {
    let mut counts = json!({
        "promptTokenCount": usage.input, "candidatesTokenCount": usage.output.saturating_sub(usage.reasoning),
        "totalTokenCount": usage.input + usage.output,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": usage.input}],
    });
    if let Some(fields) = counts.as_object_mut() {
        // Counts of nothing are left out.
        for (name, count) in
            [("thoughtsTokenCount", usage.reasoning), ("cachedContentTokenCount", usage.cached)]
        {
            if count > 0 {
                fields.insert(name.into(), count.into());
            }
        }
    }
    counts
}

impl Writer for GeminiWriter {
    fn begin(&mut self, told: &Told) -> String {
        self.input = told.usage.input;
        String::new()
    }

    fn reasoning(&mut self, piece: &str) -> String {
        self.thought.push_str(piece);
        match self.thoughts {
            Thoughts::Shown => self.say(json!({"text": piece, "thought": true})),
            Thoughts::Hidden => String::new(),
        }
    }

    fn new_thought(&mut self) -> String {
        String::new()
    }

    fn signature(&mut self, given: Option<&str>) -> String {
        let seal = self.new_seal(given);
        self.seal = Some(seal);
        String::new()
    }

    fn redacted(&mut self, _data: &str) -> String {
        String::new()
    }

    fn text(&mut self, piece: &str) -> String {
        self.say(json!({"text": piece}))
    }

    fn tool_call(&mut self, id: &str, name: &str, arguments: &str) -> String {
        let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) else {
            self.broken = true;
            return String::new();
        };
        if self.signs == Signs::Usually && self.seal.is_none() && !self.called() {
            let seal = self.new_seal(None);
            self.seal = Some(seal);
        }
        let call = json!({"name": name, "args": arguments, "id": id});
        let mut part = Map::from_iter([("functionCall".to_owned(), call)]);
        if let Some(seal) = self.seal.take() {
            self.sealer.signed(id, &seal);
            part.insert("thoughtSignature".into(), seal.into());
        }
        self.say(part.into())
    }

    fn unknown(&mut self) -> String {
        self.chunk(json!({"weather": {"forecast": "fog"}}))
    }

    fn error(&mut self, message: &str) -> String {
        let error = json!({"error": {"code": 503, "message": message, "status": google_status(503)}});
        format!("data: {error}\n\n")
    }

    fn end(&mut self, told: &Told) -> String {
        let mut part = Map::from_iter([("text".to_owned(), "".into())]);
        if let Some(seal) = self.last_seal() {
            part.insert("thoughtSignature".into(), seal.into());
        }
        format!("data: {}\n\n", self.answer(&[part.into()], Some(self.finish(told)), &usage(told.usage)))
    }

    fn whole(&mut self, told: &Told) -> Value {
        let seal = self.last_seal();
        let last = self.parts.iter_mut().rfind(|part| part.get("thought").is_none());
        if let (Some(seal), Some(part)) = (seal, last.and_then(Value::as_object_mut)) {
            part.insert("thoughtSignature".into(), seal.into());
        }
        self.answer(&self.parts, Some(self.finish(told)), &usage(told.usage))
    }
}
