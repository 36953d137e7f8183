//! `agents`: who answers, and with what.

use pensive_directives::{Fast, Level, Reasoning, Verbose};
use schemars::JsonSchema;
use serde::Deserialize;

use super::heartbeat::Heartbeat;
use super::params::ModelParams;
use super::values::{Entries, Id, SecretText, Switch, Text};
use crate::agents::ToolDetail;
use crate::defaults;
use crate::format::{Model, Url};

/// The agents and what holds for all of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Agents {
    /// What holds for every agent that does not say otherwise.
    #[serde(default)]
    pub(crate) defaults: AgentDefaults,
    /// The agents by id. Without any there is one, `main`.
    #[serde(default)]
    pub(crate) entries: Entries<AgentEntry>,
    /// The agents as a list, for those who prefer one; the same as `entries`.
    #[serde(default)]
    pub(crate) list: Vec<ListedAgent>,
}

impl Agents {
    /// The keys of each agent, in either of the two ways of writing them.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &AgentKeys> {
        let entries = self.entries.0.iter().map(|(_, entry)| &entry.keys);
        entries.chain(self.list.iter().map(|entry| &entry.keys))
    }
}

/// What holds for every agent that does not say otherwise.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct AgentDefaults {
    #[serde(flatten)]
    pub(crate) keys: AgentKeys,
    /// How many runs may go on at the same time, over all sessions.
    #[schemars(range(min = 1, max = 10_000), extend("default" = defaults::MAX_CONCURRENT))]
    pub(crate) max_concurrent: Option<u16>,
}

/// One agent.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct AgentEntry {
    /// Whether it serves what no binding matches. At most one agent; without any the first does.
    #[schemars(extend("default" = false))]
    pub(crate) default: Option<bool>,
    #[serde(flatten)]
    pub(crate) keys: AgentKeys,
}

/// One agent of a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct ListedAgent {
    /// Its id.
    pub(crate) id: Id,
    /// Whether it serves what no binding matches. At most one agent; without any the first does.
    #[schemars(extend("default" = false))]
    pub(crate) default: Option<bool>,
    #[serde(flatten)]
    pub(crate) keys: AgentKeys,
}

/// The keys that an agent and the defaults have in common.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentKeys {
    /// The model: `provider/model`, or an object that also names the models that stand in when it fails. Without it the
    /// first provider whose key is in the environment is used, else the offline rehearsal.
    pub(crate) model: Option<ModelUse>,
    /// The system prompt.
    pub(crate) prompt: Option<String>,
    /// The folder that it works in; `~` is the home folder, a relative path starts at this file.
    #[schemars(length(min = 1), extend("default" = defaults::WORKSPACE))]
    pub(crate) workspace: Option<String>,
    /// How hard the model thinks where nobody says otherwise.
    pub(crate) thinking_default: Option<Text<Level>>,
    /// Whether model calls ask for the provider's fast lane.
    #[schemars(extend("default" = "off"))]
    pub(crate) fast_mode_default: Option<Switch<Fast>>,
    /// How much of the work with tools is shown.
    #[schemars(extend("default" = "off"))]
    pub(crate) verbose_default: Option<Switch<Verbose>>,
    /// Whether the model's reasoning is shown.
    #[schemars(extend("default" = "off"))]
    pub(crate) reasoning_default: Option<Switch<Reasoning>>,
    /// How a tool bubble tells what a command does: in words, or with the command behind them.
    #[schemars(extend("default" = "explain"))]
    pub(crate) tool_progress_detail: Option<ToolDetail>,
    /// What it may do. Nothing is allowed by default.
    pub(crate) tools: Option<Tools>,
    /// Tool servers of the Model Context Protocol.
    pub(crate) mcp: Option<Mcp>,
    /// Aliases and parameters of models, by `provider/model`.
    #[serde(default)]
    pub(crate) models: Entries<ModelSettings>,
    /// When it speaks up without being asked. As soon as one agent has its own block, only those agents do.
    pub(crate) heartbeat: Option<Heartbeat>,
}

/// Which model is used.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ModelUse {
    /// The model.
    One(Text<Model>),
    /// The model and those that stand in for it.
    Chain(ModelChain),
}

/// A model and those that stand in for it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct ModelChain {
    /// The model that is used.
    pub(crate) primary: Option<Text<Model>>,
    /// The models that stand in when it fails, in order.
    pub(crate) fallbacks: Option<Vec<Text<Model>>>,
}

/// What an agent may do.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Tools {
    /// The tools that it has.
    pub(crate) allow: Option<Vec<String>>,
    /// The tools that it does not have, whatever is allowed.
    pub(crate) deny: Option<Vec<String>>,
    /// How it runs commands.
    #[serde(default)]
    pub(crate) exec: Exec,
}

/// How commands are run.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct Exec {
    /// Whether commands run outside the sandbox.
    #[schemars(extend("default" = false))]
    pub(crate) unconfined: Option<bool>,
    /// How long one command may take.
    #[schemars(range(min = 1, max = 86_400), extend("default" = defaults::EXEC_SECONDS))]
    pub(crate) timeout_seconds: Option<u32>,
}

/// Tool servers.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Mcp {
    /// The servers by name.
    #[serde(default)]
    pub(crate) servers: Entries<McpServer>,
}

/// A tool server: a program to start, or the address of one that is running.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct McpServer {
    /// The program.
    #[schemars(length(min = 1))]
    pub(crate) command: Option<String>,
    /// Its arguments.
    pub(crate) args: Option<Vec<String>>,
    /// Variables that it gets besides ours.
    #[serde(default)]
    pub(crate) env: Entries<SecretText>,
    /// The address.
    pub(crate) url: Option<Text<Url>>,
    /// Headers that every request carries.
    #[serde(default)]
    pub(crate) headers: Entries<SecretText>,
}

/// Alias and parameters of one model.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct ModelSettings {
    /// A short name for `/model`.
    #[schemars(length(min = 1))]
    pub(crate) alias: Option<String>,
    /// What every call of this model carries.
    #[serde(default)]
    pub(crate) params: ModelParams,
}
