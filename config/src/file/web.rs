//! `web`: what agents may read of the web.

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{SecretText, Text};
use crate::format::Url;

/// What agents that are allowed `web_fetch` or `web_search` may read.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Web {
    /// Whether pages of this machine and its networks may be read too.
    #[schemars(extend("default" = false))]
    pub(crate) allow_private: Option<bool>,
    /// Who searches. Without it there is no `web_search`.
    pub(crate) search: Option<Search>,
}

/// Who searches the web.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Search {
    /// Which engine it is.
    pub(crate) engine: EngineName,
    /// Its address. A SearxNG server needs it; Brave has one of its own.
    pub(crate) url: Option<Text<Url>>,
    /// Brave's key. Default: the environment variable `BRAVE_API_KEY`.
    pub(crate) api_key: Option<SecretText>,
}

/// The engines that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EngineName {
    /// A SearxNG server, with `json` among its `search.formats`.
    Searxng,
    /// Brave's search API.
    Brave,
}
