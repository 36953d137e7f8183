//! `params` of a model: what every call of it carries.

use pensive_directives::{Fast, Level};
use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{Entries, Json, Switch, Text};
use crate::defaults;

/// Parameters of one model.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct ModelParams {
    /// How hard it thinks: a level, or a `thinking` object in the provider's own words, which is sent as it stands.
    pub(crate) thinking: Option<Thinking>,
    /// A `reasoning` object in the provider's own words, sent as it stands.
    pub(crate) reasoning: Option<Entries<Json>>,
    /// Whether its calls ask for the provider's fast lane.
    pub(crate) fast_mode: Option<Switch<Fast>>,
    /// How young a run must be, in seconds, for fast mode `auto` to be fast.
    #[schemars(range(max = 86_400), extend("default" = defaults::FAST_SECONDS))]
    pub(crate) fast_auto_on_seconds: Option<u32>,
    /// The provider's service tier, sent as it stands. It wins over fast mode.
    #[schemars(length(min = 1))]
    pub(crate) service_tier: Option<String>,
    /// The same as `serviceTier`, in the spelling of the wire.
    #[serde(rename = "service_tier")]
    #[schemars(length(min = 1))]
    pub(crate) wire_service_tier: Option<String>,
    /// The most that one answer may write, thinking aside, in tokens.
    #[schemars(range(min = 16))]
    pub(crate) max_tokens: Option<u64>,
    /// The sampling temperature. Left out of calls that think, where the provider wants that; so are the three below.
    #[schemars(range(min = 0, max = 2))]
    pub(crate) temperature: Option<f64>,
    /// Nucleus sampling: only the likeliest words that make up this share are drawn from.
    #[schemars(range(min = 0, max = 1))]
    pub(crate) top_p: Option<f64>,
    /// How much a word is shunned that has come up before.
    #[schemars(range(min = -2, max = 2))]
    pub(crate) presence_penalty: Option<f64>,
    /// How much a word is shunned, by how often it has come up before.
    #[schemars(range(min = -2, max = 2))]
    pub(crate) frequency_penalty: Option<f64>,
    /// How tools are chosen in the first call of a run; afterwards the model is free.
    #[schemars(extend("default" = "auto"))]
    pub(crate) tool_choice: Option<ToolChoice>,
}

/// How hard a model thinks.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Thinking {
    /// A level.
    Level(Text<Level>),
    /// The provider's own words.
    Wire(Entries<Json>),
}

/// How tools are chosen.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ToolChoice {
    /// Among all of them.
    Any(ToolRule),
    /// One of them.
    Named(NamedTool),
}

/// How the model chooses among its tools.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ToolRule {
    /// As it likes.
    Auto,
    /// It calls none.
    None,
    /// It calls at least one.
    Required,
}

/// The tool that a model must call.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct NamedTool {
    /// What the tool is called.
    #[schemars(length(min = 1))]
    pub(crate) name: String,
}
