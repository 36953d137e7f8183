//! Reads the answer to one call. Some servers send no deltas but whole texts, whole items or only the final response, so
//! it keeps in mind what has been heard.

use std::collections::{BTreeMap, BTreeSet};

use async_openai::types::responses::MessagePhase;
use pensive_contract::model::{ModelEvent, StopReason};
use pensive_contract::speech::ToolCall;

use super::answer::{Final, Head, Item, ItemEvent, Piece, Response};
use super::sealed::Sealed;
use crate::kept::{EACH, Kept};
use crate::refusal::Refusal;
use crate::repair;
use crate::sse::{Event, Kind};
use crate::trouble::Trouble;
use crate::wire::{Decode, arguments, made_id, read};

/// A part of an answer: which item of the output, and which part of that item.
type Place = (u64, u64);

/// What one answer has come to.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    spoken: BTreeSet<Place>,
    reasoned: BTreeSet<Place>,
    /// The message, and the part of the reasoning, that the last words belong to; nothing once they are sealed.
    speaking: Option<u64>,
    reasoning: Option<Place>,
    /// Calls that are not whole yet, by their items.
    drafts: BTreeMap<u64, Draft>,
    /// The ids of those that were given.
    called: BTreeSet<String>,
    kept: Kept,
}

/// A call as far as it is known.
#[derive(Debug, Default)]
struct Draft {
    id: Option<String>,
    name: Option<String>,
    arguments: String,
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<ModelEvent>) -> Result<(), Trouble> {
        if event.data.trim_ascii() == b"[DONE]" {
            return Ok(());
        }
        let head: Head = read(event.data)?;
        match head.r#type.0.as_deref().unwrap_or_default() {
            "response.output_text.delta" | "response.refusal.delta" => {
                let piece: Piece = read(event.data)?;
                self.say(piece.place(), piece.delta.some(), out);
            }
            "response.output_text.done" | "response.refusal.done" => {
                let piece: Piece = read(event.data)?;
                if !self.spoken.contains(&piece.place()) {
                    self.say(piece.place(), piece.text.some().or(piece.refusal.some()), out);
                }
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let piece: Piece = read(event.data)?;
                let place = (piece.output_index.0, piece.summary_index.0.max(piece.content_index.0));
                self.reason(place, piece.delta.some(), out);
            }
            "response.function_call_arguments.delta" => {
                let piece: Piece = read(event.data)?;
                let more = piece.delta.some().unwrap_or_default();
                self.draft(piece.output_index.0, more.len()).arguments.push_str(&more);
            }
            "response.function_call_arguments.done" => {
                let piece: Piece = read(event.data)?;
                let (name, arguments) = (piece.name.some(), piece.arguments.some());
                let size = length(name.as_ref()) + length(arguments.as_ref());
                self.draft(piece.output_index.0, size).learn(None, name, arguments);
            }
            "response.output_item.added" => {
                let event: ItemEvent = read(event.data)?;
                self.begin(event.output_index.0, event.item.known());
            }
            "response.output_item.done" => {
                let event: ItemEvent = read(event.data)?;
                self.item(event.output_index.0, event.item.known(), out);
            }
            "response.completed" | "response.incomplete" => {
                let last: Final = read(event.data)?;
                let response = last.response.known();
                if response.has_failed() {
                    return Err(refusal(event.data).into());
                }
                self.end(response, out);
            }
            "response.failed" => return Err(refusal(event.data).into()),
            "error" => return Err(Refusal::read(None, event.data).into()),
            _ if event.kind == Kind::Error => return Err(Refusal::read(None, event.data).into()),
            _ => {}
        }
        self.kept.within_bounds()
    }

    fn document(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), Trouble> {
        let response: Response = read(body)?;
        match response.status.0.as_deref() {
            Some("completed" | "incomplete") => {
                self.end(response, out);
                Ok(())
            }
            Some(_) | None => Err(Refusal::read(None, body).into()),
        }
    }
}

impl Decoder {
    fn say(&mut self, place: Place, text: Option<String>, out: &mut Vec<ModelEvent>) {
        let Some(text) = text else { return };
        if self.speaking.replace(place.0).is_some_and(|item| item != place.0) {
            out.push(ModelEvent::Text("\n\n".to_owned()));
        }
        self.spoken.insert(place);
        out.push(ModelEvent::Text(text));
    }

    fn reason(&mut self, place: Place, text: Option<String>, out: &mut Vec<ModelEvent>) {
        let Some(text) = text else { return };
        if self.reasoning.replace(place).is_some_and(|before| before != place) {
            out.push(ModelEvent::Reasoning("\n\n".to_owned()));
        }
        self.reasoned.insert(place);
        out.push(ModelEvent::Reasoning(text));
    }

    /// An item of which more will come.
    fn begin(&mut self, index: u64, item: Item) {
        if item.r#type.0.as_deref() == Some("function_call") {
            self.drafts.remove(&index);
            let (id, name, arguments) =
                (item.call_id.some().or(item.id.some()), item.name.some(), item.arguments.some());
            let size = [&id, &name, &arguments].map(|text| length(text.as_ref())).iter().sum();
            self.draft(index, size).learn(id, name, arguments);
        }
    }

    /// The call of an item, which so many bytes more are known of.
    fn draft(&mut self, index: u64, more: usize) -> &mut Draft {
        self.kept.add(more);
        self.drafts.entry(index).or_insert_with(|| {
            self.kept.add(EACH);
            Draft::default()
        })
    }

    /// A whole item, heard before or not.
    fn item(&mut self, index: u64, item: Item, out: &mut Vec<ModelEvent>) {
        match item.r#type.0.as_deref() {
            Some("message") => self.message(index, item, out),
            Some("reasoning") => self.reasoning(index, item, out),
            Some("function_call") => {
                let mut draft = self.drafts.remove(&index).unwrap_or_default();
                // A call that was broken off is none.
                if item.status.0.as_deref() != Some("incomplete") {
                    let id = item.call_id.some().or(item.id.some());
                    draft.learn(id, item.name.some(), item.arguments.some());
                    self.call(draft, out);
                }
            }
            Some(_) | None => {}
        }
    }

    fn message(&mut self, index: u64, item: Item, out: &mut Vec<ModelEvent>) {
        if !heard(&self.spoken, index) {
            for (part, content) in (0..).zip(item.content.known()) {
                self.say((index, part), content.words(), out);
            }
        }
        let phase = match item.phase.0.as_deref() {
            Some("commentary") => MessagePhase::Commentary,
            Some("final_answer") => MessagePhase::FinalAnswer,
            Some(_) | None => return,
        };
        if self.speaking == Some(index) {
            self.speaking = None;
            out.extend(Sealed::Message { phase }.seal().map(ModelEvent::Seal));
        }
    }

    fn reasoning(&mut self, index: u64, item: Item, out: &mut Vec<ModelEvent>) {
        let summary = item.summary.known();
        if !heard(&self.reasoned, index) {
            let content = item.content.known();
            let parts = if summary.is_empty() { &content } else { &summary };
            for (part, content) in (0..).zip(parts) {
                self.reason((index, part), content.words(), out);
            }
        }
        // Without these the provider could not take it back.
        if let (Some(id), Some(encrypted_content)) = (item.id.some(), item.encrypted_content.some()) {
            let summary = summary.into_iter().map(|part| part.text.0.unwrap_or_default()).collect();
            self.reasoning = None;
            let sealed = Sealed::Reasoning { id, summary, encrypted_content };
            out.extend(sealed.seal().map(ModelEvent::Seal));
        }
    }

    fn call(&mut self, draft: Draft, out: &mut Vec<ModelEvent>) {
        let Draft { id, name: Some(name), arguments: words } = draft else { return };
        let words = arguments(words);
        let id = id.unwrap_or_else(|| made_id("", self.called.len(), &name, &words));
        if self.called.insert(id.clone()) {
            // What the model says after a call begins anew.
            (self.speaking, self.reasoning) = (None, None);
            out.push(ModelEvent::Call(ToolCall { id, name, arguments: words }));
        }
    }

    fn end(&mut self, mut response: Response, out: &mut Vec<ModelEvent>) {
        let reason = response.reason();
        if reason.is_none() {
            for draft in std::mem::take(&mut self.drafts).into_values() {
                self.call(draft, out);
            }
        }
        // The final list may count its items otherwise than the stream did, so it only fills silence.
        let is_mute = self.spoken.is_empty();
        let is_silent = is_mute && self.reasoned.is_empty() && self.called.is_empty();
        for (index, item) in (0..).zip(std::mem::take(&mut response.output).known()) {
            let is_news = match item.r#type.0.as_deref() {
                Some("message") => is_mute,
                Some("function_call") => true,
                Some(_) | None => is_silent,
            };
            if is_news {
                self.item(index, item, out);
            }
        }
        out.extend(response.usage.known().map(|usage| ModelEvent::Usage(usage.into())));
        out.push(ModelEvent::End(match reason.as_deref() {
            None if self.called.is_empty() => StopReason::Done,
            None => StopReason::Tools,
            Some("max_output_tokens" | "max_tokens") => StopReason::Length,
            Some("content_filter") => StopReason::Filtered,
            Some(other) => StopReason::Other(other.chars().take(40).collect()),
        }));
    }
}

impl Draft {
    /// Takes in what is said of the call; whole arguments go before those that came in pieces.
    fn learn(&mut self, id: Option<String>, name: Option<String>, arguments: Option<String>) {
        self.id = id.or(self.id.take());
        self.name = name.or(self.name.take());
        if let Some(arguments) = arguments {
            self.arguments = arguments;
        }
    }
}

impl Piece {
    fn place(&self) -> Place {
        (self.output_index.0, self.content_index.0)
    }
}

fn length(text: Option<&String>) -> usize {
    text.map_or(0, String::len)
}

/// Whether any part of an item was heard.
fn heard(places: &BTreeSet<Place>, index: u64) -> bool {
    places.range((index, 0)..=(index, u64::MAX)).next().is_some()
}

/// The error inside a failed response.
fn refusal(event: &[u8]) -> Refusal {
    let value = repair::value(event).unwrap_or_default();
    match value.pointer("/response/error").filter(|error| error.is_object()) {
        Some(error) => Refusal::read(None, error.to_string().as_bytes()),
        None => Refusal::read(None, b"the response failed without a reason"),
    }
}
