//! The file as it is written: one type for each block, one documented field for each key. The JSON Schema, the checks with
//! their places and the explanations are all made from these types; defaults are put in by `build`.

pub(crate) mod agents;
pub(crate) mod bindings;
pub(crate) mod channels;
pub(crate) mod heartbeat;
pub(crate) mod models;
pub(crate) mod params;
pub(crate) mod rest;
pub(crate) mod values;
pub(crate) mod web;

use schemars::JsonSchema;
use serde::Deserialize;

/// The whole configuration.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub(crate) struct File {
    /// Where editors find the schema of this file. Not read by the daemon.
    #[serde(rename = "$schema")]
    #[allow(dead_code, reason = "for editors; it must be a known key")]
    pub(crate) schema: Option<String>,
    /// The agents and what holds for all of them.
    #[serde(default)]
    pub(crate) agents: agents::Agents,
    /// Which agent serves which conversation; the most specific match wins.
    #[serde(default)]
    pub(crate) bindings: Vec<bindings::Binding>,
    /// Where people are: Telegram, Discord, the web page.
    #[serde(default)]
    pub(crate) channels: channels::Channels,
    /// Who serves models.
    #[serde(default)]
    pub(crate) models: models::Models,
    /// What agents may read of the web.
    #[serde(default)]
    pub(crate) web: web::Web,
    /// How conversations are kept.
    #[serde(default)]
    pub(crate) session: rest::Session,
    /// Who may use directives and commands.
    #[serde(default)]
    pub(crate) commands: rest::Commands,
    /// How messages are taken in and answered.
    #[serde(default)]
    pub(crate) messages: rest::Messages,
    /// What one person may ask for.
    #[serde(default)]
    pub(crate) limits: rest::Limits,
    /// Where state is kept.
    #[serde(default)]
    pub(crate) storage: rest::Storage,
}
