//! Providers of models: the ones known by name, and what a configuration makes of them.

use pensive_contract::model::ModelRef;
use pensive_directives::Level;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::secret::SecretSource;

/// A provider that the daemon can call.
#[derive(Debug, Clone)]
pub struct Provider {
    /// What it is called in `provider/model`.
    pub name: String,
    /// How it is spoken to.
    pub api: Api,
    /// Its address without a slash at the end; nothing for what runs here.
    pub base_url: Option<String>,
    /// Its key; nothing where it needs none.
    pub api_key: Option<SecretSource>,
    /// Headers that every request carries besides.
    pub headers: Vec<(String, SecretSource)>,
    /// What the configuration says about its models.
    pub models: Vec<ModelRow>,
}

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Api {
    /// OpenAI's Responses.
    OpenaiResponses,
    /// OpenAI's Chat Completions, also by servers compatible with it.
    OpenaiCompletions,
    /// Anthropic's Messages.
    AnthropicMessages,
    /// Google's Gemini.
    GoogleGenerativeAi,
    /// Ollama's own.
    Ollama,
    /// The `claude` program.
    ClaudeCli,
    /// The `codex` program.
    Codex,
    /// The offline rehearsal.
    Rehearsal,
}

impl Api {
    /// Whether it has a call that makes words of recordings.
    pub(crate) fn writes_down(self) -> bool {
        match self {
            Api::OpenaiResponses | Api::OpenaiCompletions => true,
            Api::AnthropicMessages
            | Api::GoogleGenerativeAi
            | Api::Ollama
            | Api::ClaudeCli
            | Api::Codex
            | Api::Rehearsal => false,
        }
    }

    /// Whether it needs an address to call.
    pub(crate) fn needs_address(self) -> bool {
        match self {
            Api::OpenaiResponses
            | Api::OpenaiCompletions
            | Api::AnthropicMessages
            | Api::GoogleGenerativeAi
            | Api::Ollama => true,
            Api::ClaudeCli | Api::Codex | Api::Rehearsal => false,
        }
    }
}

/// What the configuration says about one model; nothing where the catalogue has its say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRow {
    /// What the provider calls it.
    pub id: String,
    /// What people are shown.
    pub name: Option<String>,
    /// Whether it reasons.
    pub reasoning: Option<bool>,
    /// The context window in tokens.
    pub context_window: Option<u64>,
    /// The most it writes in one call, in tokens.
    pub max_tokens: Option<u64>,
    /// What it takes.
    pub input: Option<Vec<Input>>,
    /// The word that stands for a level on the wire; a level without a word is removed.
    pub thinking_level_map: Vec<(Level, Option<String>)>,
    /// The levels that it takes as efforts.
    pub supported_efforts: Option<Vec<Level>>,
    /// Whether it takes an effort at all.
    pub supports_effort: Option<bool>,
    /// How thinking is put on the wire.
    pub thinking_format: Option<ThinkingFormat>,
}

/// What a model may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// Words.
    Text,
    /// Pictures.
    Image,
    /// Voice messages and other sound.
    Audio,
    /// Moving pictures.
    Video,
    /// PDF files.
    Document,
}

/// How thinking is put on the wire of Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
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

/// How the model of agents that name none was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefaultModel {
    /// The configuration names it.
    Configured,
    /// A key was found in this environment variable.
    Key(&'static str),
    /// Nothing was found: the offline rehearsal.
    Rehearsal,
    /// A provider was found running after the configuration was read.
    Adopted,
}

/// A provider known by name.
pub(crate) struct KnownProvider {
    pub(crate) name: &'static str,
    pub(crate) api: Api,
    pub(crate) base_url: Option<&'static str>,
    /// Where its key is looked for.
    pub(crate) variable: Option<&'static str>,
    /// The model to begin with when nothing is configured: the vendor's general one.
    pub(crate) model: &'static str,
    range: Range,
}

/// What a provider serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    /// Models of its own: a list of them can be whole.
    Own,
    /// What others made, too: nobody can list it.
    Anybodys,
}

const fn vendor(
    name: &'static str,
    api: Api,
    base_url: &'static str,
    variable: &'static str,
    model: &'static str,
) -> KnownProvider {
    KnownProvider { name, api, base_url: Some(base_url), variable: Some(variable), model, range: Range::Own }
}

const fn broker(
    name: &'static str,
    api: Api,
    base_url: &'static str,
    variable: &'static str,
    model: &'static str,
) -> KnownProvider {
    KnownProvider { range: Range::Anybodys, ..vendor(name, api, base_url, variable, model) }
}

const fn here(
    name: &'static str,
    api: Api,
    base_url: Option<&'static str>,
    model: &'static str,
) -> KnownProvider {
    KnownProvider { name, api, base_url, variable: None, model, range: Range::Anybodys }
}

/// A provider whose address has its region in it, so that the file must give it.
const fn regional(name: &'static str, api: Api, variable: &'static str) -> KnownProvider {
    KnownProvider { name, api, base_url: None, variable: Some(variable), model: "", range: Range::Anybodys }
}

/// The known providers, in the order in which their keys are looked for. Addresses and variables are those of the vendors'
/// own first examples, as of November 2026. DashScope also gives each workspace a host of its own; the one here
/// asks for no workspace and is Singapore's, and a key of another region needs its `baseUrl`. A key of Kimi Code
/// (`kimi`) and one of Moonshot's platform (`moonshot`) do not stand in for each other.
#[rustfmt::skip]
pub(crate) const KNOWN: &[KnownProvider] = &[
    vendor("openai", Api::OpenaiResponses, "https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-5.6-sol"),
    vendor("anthropic", Api::AnthropicMessages, "https://api.anthropic.com", "ANTHROPIC_API_KEY", "claude-sonnet-5"),
    vendor("google", Api::GoogleGenerativeAi, "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY", "gemini-3.5-flash"),
    broker("openrouter", Api::OpenaiCompletions, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "openrouter/auto"),
    vendor("deepseek", Api::OpenaiCompletions, "https://api.deepseek.com", "DEEPSEEK_API_KEY", "deepseek-v4-pro"),
    broker("groq", Api::OpenaiCompletions, "https://api.groq.com/openai/v1", "GROQ_API_KEY", "openai/gpt-oss-120b"),
    vendor("mistral", Api::OpenaiCompletions, "https://api.mistral.ai/v1", "MISTRAL_API_KEY", "mistral-medium-latest"),
    vendor("xai", Api::OpenaiCompletions, "https://api.x.ai/v1", "XAI_API_KEY", "grok-4.3"),
    vendor("moonshot", Api::OpenaiCompletions, "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", "kimi-k3"),
    vendor("zai", Api::OpenaiCompletions, "https://api.z.ai/api/paas/v4", "ZAI_API_KEY", "glm-5.2"),
    vendor("qwen", Api::OpenaiCompletions, "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY", "qwen-plus"),
    vendor("minimax", Api::AnthropicMessages, "https://api.minimax.io/anthropic", "MINIMAX_API_KEY", "MiniMax-M3"),
    vendor("kimi", Api::AnthropicMessages, "https://api.kimi.com/coding", "KIMI_API_KEY", "kimi-for-coding"),
    regional("amazon-bedrock", Api::AnthropicMessages, "AWS_BEARER_TOKEN_BEDROCK"),
    here("ollama", Api::Ollama, Some("http://127.0.0.1:11434"), ""),
    here("claude-cli", Api::ClaudeCli, None, "sonnet"),
    here("codex", Api::Codex, None, "gpt-5.6-sol"),
    here("rehearsal", Api::Rehearsal, None, "echo"),
];

/// The known provider of that name.
pub(crate) fn by_name(name: &str) -> Option<&'static KnownProvider> {
    KNOWN.iter().find(|known| known.name == name)
}

/// What people call a provider who know it by its models or its platform.
const ALSO_CALLED: &[(&str, &str)] = &[
    ("bedrock", "amazon-bedrock"),
    ("chatgpt", "openai"),
    ("claude", "anthropic"),
    ("dashscope", "qwen"),
    ("gemini", "google"),
    ("glm", "zai"),
    ("gpt", "openai"),
    ("grok", "xai"),
];

/// The known provider that somebody means by another name.
#[must_use]
pub fn provider_also_called(name: &str) -> Option<&'static str> {
    ALSO_CALLED.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, known)| *known)
}

/// Whether a provider, reached there, serves models of its own alone. Under another address a proxy may serve anything.
pub(crate) fn is_vendor(provider: &str, base_url: Option<&str>) -> bool {
    by_name(provider).is_some_and(|known| known.range == Range::Own && known.base_url == base_url)
}

impl KnownProvider {
    /// Its model to begin with.
    pub(crate) fn first_model(&self) -> ModelRef {
        ModelRef { provider: self.name.to_owned(), id: self.model.to_owned() }
    }
}
