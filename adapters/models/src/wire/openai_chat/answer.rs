//! What servers send, as far as it matters here. Whatever is missing or of another kind counts as empty.

use pensive_contract::model::TokenUsage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::wire::lenient::{Count, Loose, Text};

#[derive(Deserialize)]
pub(super) struct Chunk {
    #[serde(default)]
    pub(super) id: Text,
    #[serde(default)]
    pub(super) choices: Loose<Vec<Choice>>,
    #[serde(default)]
    usage: Loose<Option<Counts>>,
    /// Where Groq puts its counts.
    #[serde(default)]
    x_groq: Loose<Groq>,
    #[serde(default)]
    pub(super) error: Option<IgnoredAny>,
}

impl Chunk {
    /// The counts, wherever they stand.
    pub(super) fn usage(&mut self) -> Option<TokenUsage> {
        let usage = std::mem::take(&mut self.usage).known();
        let elsewhere = || std::mem::take(&mut self.x_groq).known().usage.known();
        usage.or_else(elsewhere).map(TokenUsage::from)
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Groq {
    usage: Loose<Option<Counts>>,
}

#[derive(Deserialize)]
pub(super) struct Choice {
    #[serde(default)]
    pub(super) index: Count,
    #[serde(default, alias = "message")]
    pub(super) delta: Loose<Delta>,
    #[serde(default)]
    pub(super) finish_reason: Text,
    /// Why a provider behind the server broke off.
    #[serde(default)]
    pub(super) error: Option<Value>,
}

/// A piece of an answer. Servers call its reasoning by several names, some by two at once.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Delta {
    pub(super) content: Loose<Content>,
    pub(super) refusal: Text,
    pub(super) reasoning_content: Text,
    pub(super) reasoning: Text,
    pub(super) reasoning_details: Loose<Vec<Map<String, Value>>>,
    pub(super) tool_calls: Loose<Vec<CallPiece>>,
    /// How calls were written before there could be several.
    pub(super) function_call: Loose<Option<FunctionPiece>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Content {
    Text(String),
    Parts(Vec<Part>),
}

impl Default for Content {
    fn default() -> Self {
        Self::Parts(Vec::new())
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Part {
    pub(super) text: Text,
    pub(super) thinking: Loose<Vec<Thought>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Thought {
    pub(super) text: Text,
}

/// A piece of a call. Most servers count their calls, some leave that out.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct CallPiece {
    pub(super) index: Loose<Option<u64>>,
    pub(super) id: Text,
    pub(super) function: Loose<FunctionPiece>,
    pub(super) extra_content: Loose<Option<Map<String, Value>>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct FunctionPiece {
    pub(super) name: Text,
    pub(super) arguments: Loose<Option<Arguments>>,
}

/// Arguments are JSON in a text; some servers write the JSON itself.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Arguments {
    Text(String),
    Object(Map<String, Value>),
}

impl Arguments {
    pub(super) fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Object(object) => Value::Object(object).to_string(),
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Counts {
    prompt_tokens: Count,
    completion_tokens: Count,
    total_tokens: Count,
    prompt_tokens_details: Loose<InputDetails>,
    completion_tokens_details: Loose<OutputDetails>,
    /// What DeepSeek, and what Moonshot, calls its cached tokens.
    prompt_cache_hit_tokens: Count,
    cached_tokens: Count,
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

impl From<Counts> for TokenUsage {
    fn from(usage: Counts) -> Self {
        let input = usage.prompt_tokens.0;
        let cached = usage.prompt_tokens_details.known().cached_tokens;
        // xAI and Gemini leave reasoning out of what was completed, but not out of the total.
        let written = usage.total_tokens.0.saturating_sub(input);
        Self {
            input,
            cached: cached.0.max(usage.prompt_cache_hit_tokens.0).max(usage.cached_tokens.0),
            output: usage.completion_tokens.0.max(written),
            reasoning: usage.completion_tokens_details.known().reasoning_tokens.0,
        }
    }
}
