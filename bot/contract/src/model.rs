//! The model's side: what is asked, the events that come back, and the port that every provider stands behind.

use std::fmt;

use async_trait::async_trait;
use futures::stream::BoxStream;
use pensive_directives::{Level, ModelEntry, Profile};

use crate::fault::Fault;
use crate::media::{Media, MediaKind};
use crate::speech::{Seal, Speech, ToolCall, ToolResult};

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

/// One turn of the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptTurn {
    /// A person, or what stands for one, says this.
    User(String),
    /// The same person sends this along with the words of the next turn. Never kept in a transcript.
    Media(Vec<Media>),
    /// The model says this.
    Assistant(Speech),
    /// What the calls of the turn before came to.
    Tools(Vec<ToolResult>),
}

/// Whether one call asks for the provider's fast lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As usual.
    Normal,
    /// The fast lane.
    Fast,
}

/// What the configuration wants of every call to a model. What a model refuses while it thinks is left out on the way.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Params {
    /// The most that one answer may write, thinking aside, in tokens.
    pub max_tokens: Option<u64>,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// How much a word is shunned that has come up before.
    pub presence_penalty: Option<f64>,
    /// The same, by how often it has come up.
    pub frequency_penalty: Option<f64>,
    /// The provider's service tier, sent as it stands; wins over the fast lane.
    pub service_tier: Option<String>,
    /// How tools are chosen in the first call of a run; afterwards the model is free.
    pub tool_choice: Option<ToolChoice>,
    /// A `thinking` object in the provider's own words, as JSON. Wins over the level.
    pub thinking: Option<String>,
    /// The same for `reasoning`.
    pub reasoning: Option<String>,
}

impl Params {
    /// These, and `base` where these say nothing.
    #[must_use]
    pub fn over(self, base: &Self) -> Self {
        let base = base.clone();
        Self {
            max_tokens: self.max_tokens.or(base.max_tokens),
            temperature: self.temperature.or(base.temperature),
            top_p: self.top_p.or(base.top_p),
            presence_penalty: self.presence_penalty.or(base.presence_penalty),
            frequency_penalty: self.frequency_penalty.or(base.frequency_penalty),
            service_tier: self.service_tier.or(base.service_tier),
            tool_choice: self.tool_choice.or(base.tool_choice),
            thinking: self.thinking.or(base.thinking),
            reasoning: self.reasoning.or(base.reasoning),
        }
    }
}

/// Which tools a model may call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// None.
    None,
    /// At least one.
    Required,
    /// This one.
    Named(String),
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSpec {
    /// What it is called: letters, digits, `_` and `-`, 64 at most.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub schema: String,
}

/// How a model is asked: everything beside what is said.
#[derive(Debug, Clone, PartialEq)]
pub struct Manner {
    /// How hard it thinks. A level that the model lacks is clamped.
    pub thinking: Level,
    /// Fast lane or not.
    pub pace: Pace,
    /// What the configuration wants.
    pub params: Params,
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
    /// The tools on offer; none for none.
    pub tools: Vec<ToolSpec>,
    /// Which of them it may call.
    pub choice: ToolChoice,
    /// How it is asked.
    pub manner: Manner,
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

impl TokenUsage {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            output: self.output.saturating_add(other.output),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// It was done.
    Done,
    /// It waits for what its calls come to.
    Tools,
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

/// What a provider taught us about a model: it refused a level that was thought to be on offer. From now on, until the
/// daemon ends, the profile lacks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lesson {
    /// Which model.
    pub model: ModelRef,
    /// The level that it refused.
    pub refused: Level,
    /// The level that the call was repeated with.
    pub instead: Level,
}

/// What a model's stream is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelEvent {
    /// The call was repeated with another level; comes first, and once for a model and level.
    Learned(Lesson),
    /// A piece of reasoning.
    Reasoning(String),
    /// A piece of the answer, free of think tags.
    Text(String),
    /// A whole tool call.
    Call(ToolCall),
    /// Ends the piece before it, which must go back to the provider under this seal. Directly behind another kind of
    /// piece, or first, it stands for reasoning that nobody may see.
    Seal(Seal),
    /// What was given so far was of the other kind, which only a late think tag could show.
    Recast(Recast),
    /// What the call used; the last one counts.
    Usage(TokenUsage),
    /// The end; nothing follows. A stream that stops without it was cut.
    End(StopReason),
}

/// The stream of one call. Dropping it cancels the call upstream.
pub type ModelStream = BoxStream<'static, Result<ModelEvent, Fault>>;

/// What a model costs, in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Tokens that it reads.
    pub input: f64,
    /// Of these, those from the cache.
    pub cached: f64,
    /// Tokens that it writes.
    pub output: f64,
}

/// What one call may hold, and costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The context window in tokens.
    pub context: u64,
    /// The most it writes in one call, where known.
    pub output: Option<u64>,
    /// What it costs, where known.
    pub price: Option<Price>,
    /// What it takes beside text.
    pub takes: &'static [MediaKind],
}

/// Every model that the daemon can reach.
#[async_trait]
pub trait Model: Send + Sync {
    /// Starts one call. No retries inside, save that a call is repeated without what its refusal blames, once for each
    /// kind of thing: with a weaker level ([`ModelEvent::Learned`]), without seals, without a summary of the reasoning,
    /// or with reasoning that was missed. First byte and idle time are limited inside; a stall is a fault of class
    /// [`FaultClass::Again`](crate::fault::FaultClass::Again).
    ///
    /// # Errors
    /// The provider refused, or was not reached. The log's words are status and body, keys masked.
    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, Fault>;

    /// Which levels a model offers, their labels, and its default.
    fn profile(&self, model: &ModelRef) -> Profile;

    /// What a level puts on the wire, for `/status`: `reasoning.effort=high`, or `nothing`.
    fn explain(&self, model: &ModelRef, manner: &Manner) -> String;

    /// The models that people can pick, in a fixed order.
    fn entries(&self) -> &[ModelEntry];

    /// What a model can hold; limits belong to provider and model together.
    fn limits(&self, model: &ModelRef) -> Limits;
}
