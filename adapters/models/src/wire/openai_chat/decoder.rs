//! Reads the answer to one call.

use pensive_contract::model::{ModelEvent, StopReason};

use super::answer::{Choice, Chunk, Content, Delta};
use super::calls::Calls;
use super::details::{self, Details};
use crate::kept::Kept;
use crate::refusal::Refusal;
use crate::sse::{Event, Kind};
use crate::trouble::Trouble;
use crate::wire::{Decode, read};

/// What one answer has come to.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// What the server calls this answer.
    id: String,
    finish: Option<String>,
    calls: Calls,
    details: Details,
    kept: Kept,
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<ModelEvent>) -> Result<(), Trouble> {
        if event.data.trim_ascii() == b"[DONE]" {
            self.end(out);
            return Ok(());
        }
        let mut chunk: Chunk = read(event.data)?;
        if chunk.error.is_some() || event.kind == Kind::Error {
            return Err(Refusal::read(None, event.data).into());
        }
        let usage = chunk.usage();
        if let Some(id) = chunk.id.some() {
            self.id = id;
        }
        for choice in chunk.choices.known().into_iter().filter(|choice| choice.index.0 == 0) {
            self.choice(choice, out)?;
        }
        out.extend(usage.map(ModelEvent::Usage));
        self.kept.within_bounds()
    }

    fn document(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), Trouble> {
        self.event(Event { kind: Kind::Any, data: body }, out)?;
        if self.finish.is_none() && out.is_empty() {
            return Err(Trouble::Broken("a document without an answer".to_owned()));
        }
        self.end(out);
        Ok(())
    }
}

impl Decoder {
    fn choice(&mut self, choice: Choice, out: &mut Vec<ModelEvent>) -> Result<(), Trouble> {
        self.delta(choice.delta.known(), out);
        if let Some(error) = choice.error.filter(|error| !error.is_null()) {
            return Err(Refusal::read(None, error.to_string().as_bytes()).into());
        }
        self.finish = choice.finish_reason.some().or(self.finish.take());
        match self.finish.as_deref() {
            Some(fault @ ("error" | "network_error" | "insufficient_system_resource")) => {
                let words = format!("the provider ended the answer with {fault}");
                Err(Refusal::read(None, words.as_bytes()).into())
            }
            Some(_) | None => Ok(()),
        }
    }

    fn delta(&mut self, delta: Delta, out: &mut Vec<ModelEvent>) {
        let details = delta.reasoning_details.known();
        let reasoning = delta.reasoning_content.some().or_else(|| delta.reasoning.some());
        let reasoning = reasoning.unwrap_or_else(|| details.iter().map(details::words).collect());
        out.extend((!reasoning.is_empty()).then_some(ModelEvent::Reasoning(reasoning)));
        self.kept.add(self.details.take(details));
        match delta.content.known() {
            Content::Text(text) => out.extend((!text.is_empty()).then_some(ModelEvent::Text(text))),
            Content::Parts(parts) => {
                for part in parts {
                    let thoughts = part.thinking.known().into_iter().filter_map(|thought| thought.text.0);
                    let thought: String = thoughts.collect();
                    out.extend((!thought.is_empty()).then_some(ModelEvent::Reasoning(thought)));
                    out.extend(part.text.some().map(ModelEvent::Text));
                }
            }
        }
        // What a model says when it declines is its answer.
        out.extend(delta.refusal.some().map(ModelEvent::Text));
        delta.tool_calls.known().into_iter().for_each(|piece| self.kept.add(self.calls.take(piece)));
        let only = delta.function_call.known();
        only.into_iter().for_each(|function| self.kept.add(self.calls.take_only(function)));
    }

    /// Only now is it known that calls and reasoning are whole.
    fn end(&mut self, out: &mut Vec<ModelEvent>) {
        out.extend(self.details.seal().map(ModelEvent::Seal));
        let reason = stop(self.finish.take().as_deref());
        let has_called = self.calls.give(&self.id, &reason, out);
        out.push(ModelEvent::End(match reason {
            // Some servers say no more than that they are done.
            StopReason::Done | StopReason::Tools if has_called => StopReason::Tools,
            StopReason::Tools => StopReason::Done,
            other => other,
        }));
    }
}

/// A reason by the names that servers have for it.
fn stop(finish: Option<&str>) -> StopReason {
    match finish {
        Some("stop" | "eos" | "end_turn" | "stop_sequence") | None => StopReason::Done,
        Some("tool_calls" | "function_call" | "tool_use") => StopReason::Tools,
        Some("length" | "max_tokens" | "model_length" | "model_context_window_exceeded") => {
            StopReason::Length
        }
        Some("content_filter" | "sensitive" | "safety") => StopReason::Filtered,
        Some(other) => StopReason::Other(other.chars().take(40).collect()),
    }
}
