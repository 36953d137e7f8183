//! The models' settings from the configuration, with the keys read.

use pensive_config::{self as config, Config};
use pensive_contract::secret::Secret;
use pensive_directives::{Level, ModelEntry};
use pensive_models::{Api, ModelRow, ModelsSettings, ProviderSettings, TimeLimits};

/// The settings, and a word on each key that could not be read: that provider is called without it and will say so. Blocks
/// on the keys' places.
pub(crate) fn models(config: &Config) -> (ModelsSettings, Vec<String>) {
    let mut trouble = Vec::new();
    let providers = config.providers.iter().map(|row| provider(row, &mut trouble)).collect();
    let pickable = config
        .models
        .iter()
        .map(|choice| ModelEntry { reference: choice.model.to_string(), alias: choice.alias.clone() });
    let settings = ModelsSettings { providers, pickable: pickable.collect(), limits: TimeLimits::default() };
    (settings, trouble)
}

fn provider(provider: &config::Provider, trouble: &mut Vec<String>) -> ProviderSettings {
    let mut read = |source: &config::SecretSource| -> Option<Secret> {
        source.read().map_err(|fault| trouble.push(fault.to_string())).ok()
    };
    ProviderSettings {
        name: provider.name.clone(),
        api: api(provider.api),
        base_url: provider.base_url.clone().unwrap_or_default(),
        api_key: provider.api_key.as_ref().and_then(&mut read),
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
        supported_efforts: row
            .supported_efforts
            .as_ref()
            .map(|levels| levels.iter().copied().map(effort).collect()),
        supports_effort: row.supports_effort,
        thinking_level_map: row.thinking_level_map.clone(),
    }
}

/// The wire's word for a level: an effort that does not think is called `none` there.
fn effort(level: Level) -> String {
    match level {
        Level::Off => "none".to_owned(),
        other => other.name().to_owned(),
    }
}
