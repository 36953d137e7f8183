//! What this room is told: which providers there are, how to reach them and what the configuration knows of their models.

use std::time::Duration;

use pensive_contract::media::MediaKind;
use pensive_contract::secret::Secret;
use pensive_directives::{Level, ModelEntry};

/// Everything about models, already checked.
#[derive(Debug, Clone, Default)]
pub struct ModelsSettings {
    /// The providers, each name once.
    pub providers: Vec<ProviderSettings>,
    /// The models that people can pick, in the order of the list.
    pub pickable: Vec<ModelEntry>,
    /// How long the outside may keep us waiting.
    pub limits: TimeLimits,
}

/// One provider.
#[derive(Debug, Clone)]
pub struct ProviderSettings {
    /// The part of `provider/model` before the slash.
    pub name: String,
    /// The shape it speaks.
    pub api: Api,
    /// Where it is, up to the path that all its calls share: `https://api.openai.com/v1`.
    pub base_url: String,
    /// The key, sent as a bearer token; nothing for servers that ask for none.
    pub api_key: Option<Secret>,
    /// Further headers of every call. They win over our own.
    pub headers: Vec<(String, Secret)>,
    /// What the configuration says of single models.
    pub models: Vec<ModelRow>,
}

/// The shapes that providers speak, by their names in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// OpenAI's Responses.
    OpenaiResponses,
    /// OpenAI's Chat Completions, which most other servers speak too.
    OpenaiCompletions,
    /// Anthropic's Messages.
    AnthropicMessages,
    /// Google's Generative AI.
    GoogleGenerativeAi,
    /// Ollama's own.
    Ollama,
    /// Anthropic's command-line agent.
    ClaudeCli,
    /// OpenAI's command-line agent.
    Codex,
    /// The offline stand-in.
    Rehearsal,
}

impl Api {
    /// Every shape.
    pub const ALL: [Self; 8] = [
        Self::OpenaiResponses,
        Self::OpenaiCompletions,
        Self::AnthropicMessages,
        Self::GoogleGenerativeAi,
        Self::Ollama,
        Self::ClaudeCli,
        Self::Codex,
        Self::Rehearsal,
    ];

    /// Its name in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenaiResponses => "openai-responses",
            Self::OpenaiCompletions => "openai-completions",
            Self::AnthropicMessages => "anthropic-messages",
            Self::GoogleGenerativeAi => "google-generative-ai",
            Self::Ollama => "ollama",
            Self::ClaudeCli => "claude-cli",
            Self::Codex => "codex",
            Self::Rehearsal => "rehearsal",
        }
    }
}

/// What the configuration says of one model; it goes before everything that the catalogue knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelRow {
    /// What the provider calls the model.
    pub id: String,
    /// Whether it reasons. `false` leaves only the level off.
    pub reasoning: Option<bool>,
    /// Its context window in tokens.
    pub context_window: Option<u64>,
    /// The most that it writes in one call, in tokens.
    pub max_tokens: Option<u64>,
    /// What it takes beside text.
    pub input: Option<Vec<MediaKind>>,
    /// The effort words that it takes: `none minimal low medium high xhigh max`.
    pub supported_efforts: Option<Vec<String>>,
    /// `false` when the server refuses effort words altogether.
    pub supports_effort: Option<bool>,
    /// Levels with a word of the provider's own, and levels without one, which are not on offer.
    pub thinking_level_map: Vec<(Level, Option<String>)>,
    /// How the words of levels travel, where not in the shape's own field.
    pub thinking_format: Option<ThinkingFormat>,
}

/// How the words of levels travel in Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThinkingFormat {
    /// `reasoning_effort`.
    Openai,
    /// `reasoning: {effort}`.
    Openrouter,
    /// `thinking: {type}` and `reasoning_effort`.
    Deepseek,
    /// `thinking: {type}`.
    Zai,
    /// `enable_thinking`.
    Qwen,
}

/// How long the outside may keep us waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimits {
    /// Until a connection stands.
    pub connect: Duration,
    /// From the call to the first byte of its answer.
    pub first_byte: Duration,
    /// Between two pieces of an answer, once the model speaks; before that, the time for the first byte holds.
    pub idle: Duration,
    /// Instead of the time for the first byte, for a model that was asked to think hard, until it speaks: many providers send nothing
    /// while it thinks.
    pub thinking: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(60),
            idle: Duration::from_secs(25),
            thinking: Duration::from_secs(300),
        }
    }
}
