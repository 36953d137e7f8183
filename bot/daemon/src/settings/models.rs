//! The models' settings from the configuration, with the keys read.

use pensive_config::{self as config, Config, Provider, SecretSource};
use pensive_contract::media::MediaKind;
use pensive_contract::secret::Secret;
use pensive_directives::{Level, ModelEntry};
use pensive_models::{Api, ModelRow, ModelsSettings, ProviderSettings, ThinkingFormat, TimeLimits};

/// The settings, and a word on each key that could not be read: that provider is called without it and will say so. Blocks
/// on the keys' places.
pub(crate) fn models(config: &Config) -> (ModelsSettings, Vec<String>) {
    let mut trouble = Vec::new();
    let mut read =
        |source: &SecretSource| source.read().map_err(|fault| trouble.push(fault.to_string())).ok();
    let settings = settings(config, &mut read);
    (settings, trouble)
}

/// The settings for whoever only asks what is known of models: no key is read.
pub(crate) fn keyless(config: &Config) -> ModelsSettings {
    settings(config, &mut |_| None)
}

/// Reads a secret, where it is there and wanted.
type Reader<'a> = &'a mut dyn FnMut(&SecretSource) -> Option<Secret>;

fn settings(config: &Config, read: Reader<'_>) -> ModelsSettings {
    let providers = config.providers.iter().map(|row| provider(row, read)).collect();
    let pickable = config
        .models
        .iter()
        .map(|choice| ModelEntry { reference: choice.model.to_string(), alias: choice.alias.clone() });
    ModelsSettings { providers, pickable: pickable.collect(), limits: TimeLimits::default() }
}

fn provider(provider: &Provider, read: Reader<'_>) -> ProviderSettings {
    ProviderSettings {
        name: provider.name.clone(),
        api: api(provider.api),
        base_url: provider.base_url.clone().unwrap_or_default(),
        api_key: provider.api_key.as_ref().and_then(&mut *read),
        headers: provider
            .headers
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), read(value)?)))
            .collect(),
        models: provider.models.iter().map(row).collect(),
    }
}

fn api(api: config::Api) -> Api {
    match api {
        config::Api::OpenaiResponses => Api::OpenaiResponses,
        config::Api::OpenaiCompletions => Api::OpenaiCompletions,
        config::Api::AnthropicMessages => Api::AnthropicMessages,
        config::Api::GoogleGenerativeAi => Api::GoogleGenerativeAi,
        config::Api::Ollama => Api::Ollama,
        config::Api::ClaudeCli => Api::ClaudeCli,
        config::Api::Codex => Api::Codex,
        config::Api::Rehearsal => Api::Rehearsal,
    }
}

fn row(row: &config::ModelRow) -> ModelRow {
    ModelRow {
        id: row.id.clone(),
        reasoning: row.reasoning,
        context_window: row.context_window,
        max_tokens: row.max_tokens,
        input: row.input.as_ref().map(|kinds| kinds.iter().copied().filter_map(media).collect()),
        supported_efforts: row
            .supported_efforts
            .as_ref()
            .map(|levels| levels.iter().copied().map(effort).collect()),
        supports_effort: row.supports_effort,
        thinking_level_map: row.thinking_level_map.clone(),
        thinking_format: row.thinking_format.map(thinking_format),
    }
}

/// What is said of text goes without saying, and videos are given to nobody.
fn media(input: config::Input) -> Option<MediaKind> {
    match input {
        config::Input::Image => Some(MediaKind::Image),
        config::Input::Audio => Some(MediaKind::Audio),
        config::Input::Document => Some(MediaKind::Document),
        config::Input::Text | config::Input::Video => None,
    }
}

fn thinking_format(format: config::ThinkingFormat) -> ThinkingFormat {
    match format {
        config::ThinkingFormat::Openai => ThinkingFormat::Openai,
        config::ThinkingFormat::Openrouter => ThinkingFormat::Openrouter,
        config::ThinkingFormat::Deepseek => ThinkingFormat::Deepseek,
        config::ThinkingFormat::Zai => ThinkingFormat::Zai,
        config::ThinkingFormat::Qwen => ThinkingFormat::Qwen,
    }
}

/// The wire's word for a level: an effort that does not think is called `none` there.
fn effort(level: Level) -> String {
    match level {
        Level::Off => "none".to_owned(),
        other => other.name().to_owned(),
    }
}
