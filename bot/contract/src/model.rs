//! The model's side: what is asked, the events that come back, and the port that every provider stands behind.

use std::fmt;

use async_trait::async_trait;
use futures::stream::BoxStream;
use pensive_directives::{Level, ModelEntry, Profile};

use crate::fault::Fault;

/// A model of a provider, written `provider/model`. The model's own name may hold further slashes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelRef {
    /// Who serves it, as the configuration names it.
    pub provider: String,
    /// What the provider calls it.
    pub id: String,
}

impl ModelRef {
    /// Reads `provider/model`; nothing when a side is missing.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (provider, id) = text.split_once('/')?;
        let named = !provider.is_empty() && !id.is_empty();
        named.then(|| Self { provider: provider.to_owned(), id: id.to_owned() })
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.id)
    }
}

/// Who says a turn of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A person, or what stands for one.
    User,
    /// The model.
    Assistant,
}

/// One turn of the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptTurn {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub text: String,
}

/// Whether one call asks for the provider's fast lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As usual.
    Normal,
    /// The fast lane.
    Fast,
}

/// One model call.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// Which model.
    pub model: ModelRef,
    /// The system prompt; empty for none.
    pub system: String,
    /// History and the new message, oldest first, never empty.
    pub turns: Vec<PromptTurn>,
    /// How hard it thinks: a level of the model's profile.
    pub thinking: Level,
    /// Fast lane or not.
    pub pace: Pace,
    /// The conversation, so that providers can route to a warm cache.
    pub session: String,
}

/// Tokens of one call, as the provider counts them. Nothing where it does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenUsage {
    /// Read, cached ones included.
    pub input: u64,
    /// Of these, from the provider's cache.
    pub cached: u64,
    /// Written, reasoning included.
    pub output: u64,
    /// Of these, reasoning.
    pub reasoning: u64,
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// It was done.
    Done,
    /// It ran into the limit of its output.
    Length,
    /// The provider cut it for its content.
    Filtered,
    /// A reason of the provider's own.
    Other(String),
}

/// How earlier pieces of a stream turn out to have been of the other kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recast {
    /// All text so far was reasoning: move it there. The answer follows.
    TextWasReasoning,
    /// The reasoning so far was the answer: forget it there. It follows as text.
    ReasoningWasText,
}

/// What a model's stream is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelEvent {
    /// A piece of reasoning.
    Reasoning(String),
    /// A piece of the answer, free of think tags.
    Text(String),
    /// What was given so far was of the other kind, which only a late think tag could show.
    Recast(Recast),
    /// What the call used; the last one counts.
    Usage(TokenUsage),
    /// The end; nothing follows. A stream that stops without it was cut.
    End(StopReason),
}

/// The stream of one call. Dropping it cancels the call upstream.
pub type ModelStream = BoxStream<'static, Result<ModelEvent, Fault>>;

/// What one call may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The context window in tokens.
    pub context: u64,
    /// The most it writes in one call, where known.
    pub output: Option<u64>,
}

/// Every model that the daemon can reach.
#[async_trait]
pub trait Model: Send + Sync {
    /// Starts one call. No retries inside. First byte and idle time are limited inside; a stall is a fault of class
    /// [`FaultClass::Again`](crate::fault::FaultClass::Again).
    ///
    /// # Errors
    /// The provider refused, or was not reached. The log's words are status and body, keys masked.
    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, Fault>;

    /// Which levels a model offers, their labels, and its default.
    fn profile(&self, model: &ModelRef) -> Profile;

    /// What a level puts on the wire, for `/status`: `reasoning.effort=high`, or `nothing`.
    fn explain(&self, model: &ModelRef, level: Level, pace: Pace) -> String;

    /// The models that people can pick, in a fixed order.
    fn entries(&self) -> &[ModelEntry];

    /// What a model can hold; limits belong to provider and model together.
    fn limits(&self, model: &ModelRef) -> Limits;
}
