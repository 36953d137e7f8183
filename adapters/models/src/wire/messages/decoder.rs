//! Reads an answer in Anthropic's shape: a message of blocks, each begun, continued and ended by events, or whole in one
//! document.

use std::collections::BTreeMap;

use pensive_contract::model::{ModelEvent, StopReason, TokenUsage};
use pensive_contract::speech::ToolCall;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::seal::Thought;
use crate::kept::{EACH, Kept, weight};
use crate::refusal::Refusal;
use crate::sse::{Event, Kind};
use crate::trouble::Trouble;
use crate::wire::lenient::{Count, Loose, Text};
use crate::wire::{Decode, arguments, read};

/// Any event, and any document: what a kind lacks is empty.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Frame {
    r#type: Text,
    index: Count,
    /// In the first event.
    message: Loose<Head>,
    content_block: Loose<Block>,
    delta: Loose<Delta>,
    usage: Loose<Counts>,
    /// In a document.
    content: Loose<Vec<Loose<Block>>>,
    stop_reason: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Head {
    usage: Loose<Counts>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Block {
    r#type: Text,
    text: Text,
    thinking: Text,
    signature: Text,
    data: Text,
    id: Text,
    name: Text,
    input: Loose<Map<String, Value>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Delta {
    r#type: Text,
    text: Text,
    thinking: Text,
    signature: Text,
    partial_json: Text,
    stop_reason: Text,
}

/// Tokens. A message tells them at its start, and again, in all, at its end; some servers know the input only then.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
struct Counts {
    input_tokens: Count,
    cache_read_input_tokens: Count,
    cache_creation_input_tokens: Count,
    output_tokens: Count,
    output_tokens_details: Loose<Details>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default)]
struct Details {
    thinking_tokens: Count,
}

/// Reads the answer to one call.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// The block that is being said.
    open: Option<Open>,
    /// The calls whose arguments may still come, by their blocks.
    calls: BTreeMap<u64, Call>,
    /// Whether any call was given.
    has_called: bool,
    tokens: Tokens,
    stop: Option<String>,
    is_over: bool,
    kept: Kept,
}

/// A block of words.
#[derive(Debug)]
struct Open {
    index: u64,
    kind: Words,
}

#[derive(Debug)]
enum Words {
    Text,
    Thought {
        signature: String,
        /// Whether anything can be read of it.
        is_heard: bool,
    },
    Redacted(String),
    /// What this version does not know.
    Unknown,
}

#[derive(Debug)]
struct Call {
    id: String,
    name: String,
    /// The arguments where they came at once.
    input: Map<String, Value>,
    /// The arguments as they come.
    written: String,
    is_whole: bool,
}

/// What was counted, each kind apart.
#[derive(Debug, Default)]
struct Tokens {
    fresh: u64,
    read: u64,
    kept: u64,
    output: u64,
    reasoning: u64,
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<ModelEvent>) -> Result<(), Trouble> {
        // Some proxies end a message twice, or with the mark of another shape.
        if self.is_over || event.data.trim_ascii() == b"[DONE]" {
            return Ok(());
        }
        let frame: Frame = read(event.data)?;
        match frame.r#type.0.as_deref().unwrap_or_default() {
            "error" => return Err(Refusal::read(None, event.data).into()),
            _ if event.kind == Kind::Error => return Err(Refusal::read(None, event.data).into()),
            "message_start" => self.count(frame.message.known().usage.known(), out),
            "content_block_start" => self.start(frame.index.0, frame.content_block.known(), out),
            "content_block_delta" => self.go_on(frame.index.0, frame.delta.known(), out),
            "content_block_stop" => self.finish(frame.index.0, out),
            "message_delta" => {
                self.stop = frame.delta.known().stop_reason.some().or(self.stop.take());
                self.count(frame.usage.known(), out);
            }
            "message_stop" => self.end(out),
            _ => {}
        }
        self.kept.within_bounds()
    }

    fn document(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), Trouble> {
        let frame: Frame = read(body)?;
        let blocks = frame.content.known();
        self.stop = frame.stop_reason.some();
        if frame.r#type.0.as_deref() == Some("error") || (blocks.is_empty() && self.stop.is_none()) {
            return Err(Refusal::read(None, body).into());
        }
        for (index, block) in (0..).zip(blocks) {
            self.start(index, block.known(), out);
            self.finish(index, out);
        }
        self.count(frame.usage.known(), out);
        self.end(out);
        Ok(())
    }
}

impl Decoder {
    fn start(&mut self, index: u64, block: Block, out: &mut Vec<ModelEvent>) {
        self.close(out);
        let mut say = |words: Option<String>, event: fn(String) -> ModelEvent| {
            let is_heard = words.is_some();
            out.extend(words.map(event));
            is_heard
        };
        let kind = match block.r#type.0.as_deref() {
            Some("text") => {
                say(block.text.some(), ModelEvent::Text);
                Words::Text
            }
            Some("thinking") => {
                let is_heard = say(block.thinking.some(), ModelEvent::Reasoning);
                Words::Thought { signature: block.signature.some().unwrap_or_default(), is_heard }
            }
            Some("redacted_thinking") => Words::Redacted(block.data.some().unwrap_or_default()),
            Some("tool_use") => {
                let call = Call::of(index, block);
                self.kept.add(EACH + call.id.len() + call.name.len() + weight(&call.input));
                if let Some(before) = self.calls.insert(index, call) {
                    self.give(before, out);
                }
                return;
            }
            Some(_) | None => Words::Unknown,
        };
        self.open = Some(Open { index, kind });
    }

    fn go_on(&mut self, index: u64, delta: Delta, out: &mut Vec<ModelEvent>) {
        let kind = self.open.as_mut().filter(|open| open.index == index).map(|open| &mut open.kind);
        match (delta.r#type.0.as_deref(), kind) {
            (_, Some(Words::Unknown)) => {}
            (Some("text_delta"), _) => out.extend(delta.text.some().map(ModelEvent::Text)),
            (Some("thinking_delta"), kind) => {
                let words = delta.thinking.some();
                if let Some(Words::Thought { is_heard, .. }) = kind {
                    *is_heard |= words.is_some();
                }
                out.extend(words.map(ModelEvent::Reasoning));
            }
            (Some("signature_delta"), Some(Words::Thought { signature, .. })) => {
                let more = delta.signature.0.unwrap_or_default();
                self.kept.add(more.len());
                signature.push_str(&more);
            }
            (Some("input_json_delta"), _) => {
                if let Some(call) = self.calls.get_mut(&index) {
                    let more = delta.partial_json.0.unwrap_or_default();
                    self.kept.add(more.len());
                    call.written.push_str(&more);
                }
            }
            (Some(_) | None, _) => {}
        }
    }

    /// The end of a block. A call waits for those before it, and one that nobody can read for the reason of the end.
    fn finish(&mut self, index: u64, out: &mut Vec<ModelEvent>) {
        // A thought that nobody signed stays open until something follows, see `close`.
        if self.open.as_ref().is_some_and(|open| open.index == index && !open.is_unsigned()) {
            self.close(out);
        }
        if let Some(call) = self.calls.get_mut(&index) {
            call.is_whole = call.is_sound();
        }
        while let Some(call) = self.calls.first_entry().filter(|call| call.get().is_whole) {
            let call = call.remove();
            self.give(call, out);
        }
    }

    /// Seals the block of words that was open. Servers that do not sign their thoughts, such as Kimi's, want them back all
    /// the same. From one that does sign, a thought without signature was cut by the limit; nothing follows it.
    fn close(&mut self, out: &mut Vec<ModelEvent>) {
        let seal = match self.open.take().map(|open| open.kind) {
            Some(Words::Thought { signature, is_heard }) if is_heard || !signature.is_empty() => {
                Some(Thought::Signed(&signature).seal())
            }
            Some(Words::Redacted(data)) if !data.is_empty() => Some(Thought::Redacted(&data).seal()),
            Some(Words::Thought { .. } | Words::Redacted(_) | Words::Text | Words::Unknown) | None => None,
        };
        out.extend(seal.map(ModelEvent::Seal));
    }

    fn give(&mut self, call: Call, out: &mut Vec<ModelEvent>) {
        self.has_called = true;
        out.push(ModelEvent::Call(call.whole()));
    }

    fn count(&mut self, counts: Counts, out: &mut Vec<ModelEvent>) {
        let tokens = &mut self.tokens;
        for (known, told) in [
            (&mut tokens.fresh, counts.input_tokens),
            (&mut tokens.read, counts.cache_read_input_tokens),
            (&mut tokens.kept, counts.cache_creation_input_tokens),
            (&mut tokens.output, counts.output_tokens),
            (&mut tokens.reasoning, counts.output_tokens_details.known().thinking_tokens),
        ] {
            *known = told.0.max(*known);
        }
        let usage = TokenUsage {
            input: tokens.fresh.saturating_add(tokens.read).saturating_add(tokens.kept),
            cached: tokens.read,
            output: tokens.output,
            reasoning: tokens.reasoning,
        };
        if usage != TokenUsage::default() {
            out.push(ModelEvent::Usage(usage));
        }
    }

    fn end(&mut self, out: &mut Vec<ModelEvent>) {
        if self.open.as_ref().is_some_and(|open| !open.is_unsigned()) {
            self.close(out);
        }
        let stop = self.stop.take();
        let is_cut = matches!(stop.as_deref(), Some("max_tokens" | "model_context_window_exceeded"));
        // What is left at a limit was cut by it.
        for call in std::mem::take(&mut self.calls).into_values().filter(|_| !is_cut) {
            self.give(call, out);
        }
        self.is_over = true;
        out.push(ModelEvent::End(match stop.as_deref() {
            Some("tool_use") => StopReason::Tools,
            Some("end_turn" | "stop_sequence") | None if self.has_called => StopReason::Tools,
            Some("end_turn" | "stop_sequence") | None => StopReason::Done,
            Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
            Some("refusal") => StopReason::Filtered,
            Some(other) => StopReason::Other(other.chars().take(40).collect()),
        }));
    }
}

impl Open {
    fn is_unsigned(&self) -> bool {
        matches!(&self.kind, Words::Thought { signature, .. } if signature.is_empty())
    }
}

impl Call {
    fn of(index: u64, block: Block) -> Self {
        Self {
            id: block.id.some().unwrap_or_else(|| format!("call_{index}")),
            name: block.name.some().unwrap_or_default(),
            input: block.input.known(),
            written: String::new(),
            is_whole: false,
        }
    }

    /// Whether the arguments can be read.
    fn is_sound(&self) -> bool {
        self.written.trim().is_empty() || serde_json::from_str::<IgnoredAny>(&self.written).is_ok()
    }

    fn whole(self) -> ToolCall {
        let nothing = self.written.trim().is_empty() && !self.input.is_empty();
        let written = if nothing { Value::Object(self.input).to_string() } else { self.written };
        ToolCall { id: self.id, name: self.name, arguments: arguments(written) }
    }
}

#[cfg(test)]
mod tests;
