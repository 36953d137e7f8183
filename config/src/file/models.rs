//! `models`: providers that are not known by name, and what is special about those that are.

use pensive_directives::Level;
use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{Entries, SecretText, Text};
use crate::format::BaseUrl;
use crate::providers::{Api, Input, ThinkingFormat};

/// Who serves models.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Models {
    /// Providers by the name that `provider/model` begins with. Those known by name need no entry.
    #[serde(default)]
    pub(crate) providers: Entries<Provider>,
}

/// One provider.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Provider {
    /// Its address, with what all calls carry as their query. One known by name has it already.
    pub(crate) base_url: Option<Text<BaseUrl>>,
    /// How it is spoken to. One known by name has it already; for others `openai-completions`.
    pub(crate) api: Option<Api>,
    /// Its key. One known by name looks for it in the environment.
    pub(crate) api_key: Option<SecretText>,
    /// Headers that every request carries besides.
    #[serde(default)]
    pub(crate) headers: Entries<SecretText>,
    /// Its models, where the built-in catalogue does not know them or is to be overruled.
    #[serde(default)]
    pub(crate) models: Vec<ModelRow>,
}

/// One model.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct ModelRow {
    /// What the provider calls it.
    #[schemars(length(min = 1))]
    pub(crate) id: String,
    /// What people are shown.
    pub(crate) name: Option<String>,
    /// Whether it reasons.
    pub(crate) reasoning: Option<bool>,
    /// The context window in tokens.
    #[schemars(range(min = 1))]
    pub(crate) context_window: Option<u64>,
    /// The most it writes in one call, in tokens.
    #[schemars(range(min = 1))]
    pub(crate) max_tokens: Option<u64>,
    /// What it takes; `text` it always does. One that the built-in catalogue knows needs no list.
    pub(crate) input: Option<Vec<Input>>,
    /// The word that stands for a level on the wire; `null` removes the level.
    #[serde(default)]
    pub(crate) thinking_level_map: Entries<Option<String>>,
    /// Where it differs from what its kind of provider does.
    #[serde(default)]
    pub(crate) compat: Compat,
}

/// Where a model differs from what its kind of provider does.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Compat {
    /// The levels that it takes as efforts. One that is listed can be picked everywhere at once.
    pub(crate) supported_reasoning_efforts: Option<Vec<Text<Level>>>,
    /// Whether it takes an effort at all.
    pub(crate) supports_reasoning_effort: Option<bool>,
    /// How thinking is put on the wire.
    pub(crate) thinking_format: Option<ThinkingFormat>,
}
