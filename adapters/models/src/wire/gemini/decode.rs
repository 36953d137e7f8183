//! Gemini's answer, chunk by chunk.

use pensive_contract::model::{ModelEvent, StopReason, TokenUsage};
use pensive_contract::speech::{Seal, ToolCall};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::seal::{Kind, Signed};
use crate::refusal::Refusal;
use crate::sse::{self, Event};
use crate::trouble::Trouble;
use crate::wire::lenient::{Count, Loose, Text};
use crate::wire::{Decode, arguments, made_id, read};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    #[serde(default)]
    candidates: Loose<Vec<Candidate>>,
    #[serde(default)]
    prompt_feedback: Loose<Feedback>,
    #[serde(default)]
    usage_metadata: Loose<Option<Counts>>,
    #[serde(default)]
    response_id: Text,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Candidate {
    index: Count,
    content: Loose<Content>,
    finish_reason: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Content {
    parts: Loose<Vec<Part>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Part {
    text: Text,
    thought: Loose<bool>,
    thought_signature: Text,
    function_call: Loose<Option<FunctionCall>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct FunctionCall {
    id: Text,
    name: Text,
    args: Loose<Map<String, Value>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Feedback {
    block_reason: Text,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Counts {
    prompt_token_count: Count,
    tool_use_prompt_token_count: Count,
    cached_content_token_count: Count,
    candidates_token_count: Count,
    thoughts_token_count: Count,
}

impl From<Counts> for TokenUsage {
    fn from(counts: Counts) -> Self {
        let thoughts = counts.thoughts_token_count.0;
        Self {
            input: counts.prompt_token_count.0.saturating_add(counts.tool_use_prompt_token_count.0),
            cached: counts.cached_content_token_count.0,
            output: counts.candidates_token_count.0.saturating_add(thoughts),
            reasoning: thoughts,
        }
    }
}

/// Reads the answer to one call.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    calls: usize,
    usage: TokenUsage,
    over: bool,
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<ModelEvent>) -> Result<(), Trouble> {
        // Not the vendor's, but proxies put it at the end.
        if self.over || event.data.trim_ascii() == b"[DONE]" {
            return Ok(());
        }
        let chunk: Chunk = read(event.data)?;
        if chunk.error.is_some() || event.kind == sse::Kind::Error {
            return Err(Refusal::read(None, event.data).into());
        }
        self.chunk(chunk, out);
        Ok(())
    }

    fn document(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), Trouble> {
        self.event(Event { kind: sse::Kind::Any, data: body }, out)
    }
}

impl Decoder {
    fn chunk(&mut self, chunk: Chunk, out: &mut Vec<ModelEvent>) {
        let answer = chunk.response_id.0.unwrap_or_default();
        let mut stop = chunk.prompt_feedback.known().block_reason.some().map(|_| StopReason::Filtered);
        for candidate in chunk.candidates.known().into_iter().filter(|candidate| candidate.index.0 == 0) {
            for part in candidate.content.known().parts.known() {
                self.part(part, &answer, out);
            }
            stop = candidate.finish_reason.some().and_then(|reason| self.stop(&reason)).or(stop);
        }
        let usage = chunk.usage_metadata.known().map(TokenUsage::from);
        if let Some(usage) = usage.filter(|usage| *usage != self.usage) {
            self.usage = usage;
            out.push(ModelEvent::Usage(usage));
        }
        self.over = stop.is_some();
        out.extend(stop.map(ModelEvent::End));
    }

    fn part(&mut self, part: Part, answer: &str, out: &mut Vec<ModelEvent>) {
        let signature = part.thought_signature.some();
        if let Some(call) = part.function_call.known() {
            if let Some(call) = self.call(call, answer) {
                out.push(ModelEvent::Call(call));
                out.extend(signature.map(|signature| ModelEvent::Seal(Seal(signature))));
            }
            return;
        }
        let kind = if part.thought.known() { Kind::Thought } else { Kind::Text };
        let text = part.text.some().unwrap_or_default();
        let length = text.len();
        let words = match kind {
            Kind::Thought => ModelEvent::Reasoning(text),
            Kind::Text => ModelEvent::Text(text),
        };
        out.extend((length > 0).then_some(words));
        let sealed = signature.map(|signature| Signed { kind, length, signature: &signature }.seal());
        out.extend(sealed.map(ModelEvent::Seal));
    }

    /// A call without a name is none.
    fn call(&mut self, call: FunctionCall, answer: &str) -> Option<ToolCall> {
        let name = call.name.some()?;
        let arguments = arguments(Value::Object(call.args.known()).to_string());
        let id = call.id.some().unwrap_or_else(|| made_id(answer, self.calls, &name, &arguments));
        self.calls += 1;
        Some(ToolCall { id, name, arguments })
    }

    fn stop(&self, reason: &str) -> Option<StopReason> {
        Some(match reason {
            "FINISH_REASON_UNSPECIFIED" => return None,
            // The second is not the vendor's, but stand-ins for it say so.
            "STOP" | "FUNCTION_CALL" if self.calls > 0 => StopReason::Tools,
            "STOP" => StopReason::Done,
            "MAX_TOKENS" => StopReason::Length,
            "SAFETY"
            | "RECITATION"
            | "LANGUAGE"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "MODEL_ARMOR"
            | "ESCALATION"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION" => StopReason::Filtered,
            other => StopReason::Other(other.chars().take(40).collect()),
        })
    }
}
