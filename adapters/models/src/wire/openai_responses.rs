//! OpenAI's Responses.

use std::collections::BTreeSet;

use async_openai::types::responses::{
    CreateResponse, EasyInputContent, EasyInputMessage, InputItem, InputParam, MessageType, Role as InputRole,
};
use pensive_contract::model::{ModelEvent, PromptTurn, StopReason, TokenUsage};
use serde::{Deserialize, Serialize};

use super::lenient::{Count, Loose, Text};
use super::{Cache, Call, Decode, cache_key, read};
use crate::knobs::Fields;
use crate::refusal::Refusal;
use crate::repair;
use crate::sse::{Event, Kind};
use crate::trouble::Trouble;

/// The body of a call.
#[derive(Serialize)]
pub(crate) struct Body {
    #[serde(flatten)]
    request: CreateResponse,
    #[serde(flatten)]
    fields: Fields,
}

/// The conversation, and the fields that were decided. Nothing is stored at the provider.
pub(crate) fn encode(call: Call<'_>) -> Body {
    let request = call.request;
    let cache_key = (call.cache == Cache::Keyed).then(|| cache_key(&request.session));
    Body {
        fields: call.knobs.fields.clone(),
        request: CreateResponse {
            model: Some(call.knobs.model.clone()),
            instructions: (!request.system.is_empty()).then(|| request.system.clone()),
            input: InputParam::Items(request.turns.iter().filter_map(item).collect()),
            store: Some(false),
            stream: Some(true),
            prompt_cache_key: cache_key,
            ..CreateResponse::default()
        },
    }
}

fn item(turn: &PromptTurn) -> Option<InputItem> {
    let (role, text) = match turn {
        PromptTurn::User(text) => (InputRole::User, text.clone()),
        PromptTurn::Assistant(speech) => (InputRole::Assistant, speech.text()),
        PromptTurn::Tools(_) => return None,
    };
    Some(InputItem::EasyMessage(EasyInputMessage {
        r#type: MessageType::Message,
        role,
        content: EasyInputContent::Text(text),
        phase: None,
    }))
}

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    r#type: Text,
}

/// What the deltas, and the events that repeat them whole, have in common.
#[derive(Deserialize)]
struct Piece {
    #[serde(default)]
    output_index: Count,
    #[serde(default)]
    content_index: Count,
    #[serde(default)]
    summary_index: Count,
    #[serde(default)]
    delta: Text,
    #[serde(default)]
    text: Text,
    #[serde(default)]
    refusal: Text,
}

#[derive(Deserialize)]
struct ItemEvent {
    #[serde(default)]
    output_index: Count,
    #[serde(default)]
    item: Loose<Item>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Item {
    r#type: Text,
    content: Loose<Vec<Part>>,
    summary: Loose<Vec<Part>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Part {
    text: Text,
    refusal: Text,
}

#[derive(Deserialize)]
struct Final {
    #[serde(default)]
    response: Loose<Response>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Response {
    status: Text,
    output: Loose<Vec<Item>>,
    usage: Loose<Option<Usage>>,
    incomplete_details: Loose<Option<Incomplete>>,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Usage {
    input_tokens: Count,
    output_tokens: Count,
    input_tokens_details: Loose<InputDetails>,
    output_tokens_details: Loose<OutputDetails>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct InputDetails {
    cached_tokens: Count,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct OutputDetails {
    reasoning_tokens: Count,
}

impl From<Usage> for TokenUsage {
    fn from(usage: Usage) -> Self {
        Self {
            input: usage.input_tokens.0,
            cached: usage.input_tokens_details.known().cached_tokens.0,
            output: usage.output_tokens.0,
            reasoning: usage.output_tokens_details.known().reasoning_tokens.0,
        }
    }
}

/// A part of an answer: which item of the output, and which part of that item.
type Place = (u64, u64);

/// Reads the answer to one call. Some servers send no deltas but whole texts, whole items or only the final response, so
/// it keeps in mind what has been heard.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    spoken: BTreeSet<Place>,
    reasoned: BTreeSet<Place>,
    speaking: Option<u64>,
    reasoning: Option<Place>,
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
            "response.output_item.done" => {
                let event: ItemEvent = read(event.data)?;
                self.item(event.output_index.0, event.item.known(), out);
            }
            "response.completed" | "response.incomplete" => {
                let last: Final = read(event.data)?;
                self.end(last.response.known(), out);
            }
            "response.failed" => return Err(refusal(event.data).into()),
            "error" => return Err(Refusal::read(None, event.data).into()),
            _ if event.kind == Kind::Error => return Err(Refusal::read(None, event.data).into()),
            _ => {}
        }
        Ok(())
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

    /// A whole item, heard before or not.
    fn item(&mut self, index: u64, item: Item, out: &mut Vec<ModelEvent>) {
        let heard = |places: &BTreeSet<Place>| places.range((index, 0)..=(index, u64::MAX)).next().is_some();
        match item.r#type.0.as_deref() {
            Some("message") if !heard(&self.spoken) => {
                for (part, content) in (0..).zip(item.content.known()) {
                    self.say((index, part), content.words(), out);
                }
            }
            Some("reasoning") if !heard(&self.reasoned) => {
                let summary = item.summary.known();
                let parts = if summary.is_empty() { item.content.known() } else { summary };
                for (part, content) in (0..).zip(parts) {
                    self.reason((index, part), content.words(), out);
                }
            }
            Some(_) | None => {}
        }
    }

    fn end(&mut self, response: Response, out: &mut Vec<ModelEvent>) {
        // The final list may count its items otherwise than the stream did, so it only fills complete silence.
        if self.spoken.is_empty() {
            let silent = self.reasoned.is_empty();
            for (index, item) in (0..).zip(response.output.known()) {
                if silent || item.r#type.0.as_deref() == Some("message") {
                    self.item(index, item, out);
                }
            }
        }
        out.extend(response.usage.known().map(|usage| ModelEvent::Usage(usage.into())));
        let reason = response.incomplete_details.known().and_then(|details| details.reason.some());
        out.push(ModelEvent::End(match reason.as_deref() {
            None => StopReason::Done,
            Some("max_output_tokens") => StopReason::Length,
            Some("content_filter") => StopReason::Filtered,
            Some(other) => StopReason::Other(other.chars().take(40).collect()),
        }));
    }
}

impl Piece {
    fn place(&self) -> Place {
        (self.output_index.0, self.content_index.0)
    }
}

impl Part {
    fn words(self) -> Option<String> {
        self.text.some().or_else(|| self.refusal.some())
    }
}

/// The error inside a failed response.
fn refusal(event: &[u8]) -> Refusal {
    let value = repair::value(event).unwrap_or_default();
    match value.pointer("/response/error").filter(|error| error.is_object()) {
        Some(error) => Refusal::read(None, error.to_string().as_bytes()),
        None => Refusal::read(None, b"the response failed without a reason"),
    }
}

#[cfg(test)]
mod tests;
