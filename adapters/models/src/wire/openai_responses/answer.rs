//! What the provider sends, as far as it matters here. Whatever is missing or of another kind counts as empty.

use pensive_contract::model::TokenUsage;
use serde::Deserialize;

use crate::wire::lenient::{Count, Loose, Text};

#[derive(Deserialize)]
pub(super) struct Head {
    #[serde(default)]
    pub(super) r#type: Text,
}

/// What the deltas, and the events that repeat them whole, have in common.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Piece {
    pub(super) output_index: Count,
    pub(super) content_index: Count,
    pub(super) summary_index: Count,
    pub(super) delta: Text,
    pub(super) text: Text,
    pub(super) refusal: Text,
    pub(super) name: Text,
    pub(super) arguments: Text,
}

#[derive(Deserialize)]
pub(super) struct ItemEvent {
    #[serde(default)]
    pub(super) output_index: Count,
    #[serde(default)]
    pub(super) item: Loose<Item>,
}

/// An item of the output: a message, reasoning or a call.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Item {
    pub(super) r#type: Text,
    pub(super) id: Text,
    pub(super) status: Text,
    pub(super) content: Loose<Vec<Part>>,
    pub(super) phase: Text,
    pub(super) summary: Loose<Vec<Part>>,
    pub(super) encrypted_content: Text,
    pub(super) call_id: Text,
    pub(super) name: Text,
    pub(super) arguments: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Part {
    pub(super) text: Text,
    refusal: Text,
}

impl Part {
    /// What it says; what a model says when it declines is its answer too.
    pub(super) fn words(&self) -> Option<String> {
        let words = [&self.text, &self.refusal].into_iter().filter_map(|text| text.0.as_ref());
        words.into_iter().find(|text| !text.is_empty()).cloned()
    }
}

#[derive(Deserialize)]
pub(super) struct Final {
    #[serde(default)]
    pub(super) response: Loose<Response>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Response {
    pub(super) status: Text,
    pub(super) output: Loose<Vec<Item>>,
    pub(super) usage: Loose<Option<Usage>>,
    incomplete_details: Loose<Option<Incomplete>>,
}

impl Response {
    /// Why it is incomplete. Stand-ins that only say so mean the limit.
    pub(super) fn reason(&mut self) -> Option<String> {
        let named =
            std::mem::take(&mut self.incomplete_details).known().and_then(|details| details.reason.some());
        named.or_else(|| self.is("incomplete").then(|| "max_output_tokens".to_owned()))
    }

    /// Whether it failed: some stand-ins end every stream with the same event, and tell how it went in here alone.
    pub(super) fn has_failed(&self) -> bool {
        self.is("failed")
    }

    fn is(&self, status: &str) -> bool {
        self.status.0.as_deref() == Some(status)
    }
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Usage {
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
