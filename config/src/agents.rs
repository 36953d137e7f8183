//! Agents: what each is made of, which conversations it serves, and when it speaks up by itself.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use pensive_contract::ids::{AgentId, ChannelName};
use pensive_contract::model::{ModelRef, Params};
use pensive_directives::{Fast, Level, Reasoning, Source, Verbose};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::secret::SecretSource;

/// One agent, with what holds for all agents already put in.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Its name.
    pub id: AgentId,
    /// The model it uses.
    pub model: ModelRef,
    /// Who says that it uses this one.
    pub model_source: Source,
    /// The models that stand in when that one fails, in order.
    pub fallbacks: Vec<ModelRef>,
    /// The system prompt; empty for none.
    pub prompt: String,
    /// Where it works.
    pub workspace: PathBuf,
    /// Its own starting values of directives; those of all agents are [`crate::Config::defaults`].
    pub defaults: DirectiveDefaults,
    /// Its own parameters of models, by `provider/model`; those of all agents are in [`crate::Config::models`].
    pub params: BTreeMap<String, ModelParams>,
    /// How a tool bubble tells what a command does.
    pub tool_detail: ToolDetail,
    /// What it may do.
    pub tools: Tools,
    /// The tool servers it uses, by name.
    pub mcp: BTreeMap<String, McpServer>,
    /// When it speaks up by itself; nothing for never.
    pub heartbeat: Option<Heartbeat>,
}

/// Configured starting values of directives; nothing where nothing is configured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DirectiveDefaults {
    /// How hard the model thinks.
    pub think: Option<Level>,
    /// Fast lane.
    pub fast: Option<Fast>,
    /// Tool bubbles.
    pub verbose: Option<Verbose>,
    /// Reasoning shown.
    pub reasoning: Option<Reasoning>,
}

/// A model that people can pick.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelChoice {
    /// Which model.
    pub model: ModelRef,
    /// A short name for it.
    pub alias: Option<String>,
    /// Parameters that hold for every agent.
    pub params: ModelParams,
}

impl ModelChoice {
    pub(crate) fn plain(model: ModelRef) -> Self {
        Self { model, alias: None, params: ModelParams::default() }
    }
}

/// Parameters of one model; nothing where nothing is configured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelParams {
    /// How hard it thinks.
    pub think: Option<Level>,
    /// Fast lane.
    pub fast: Option<Fast>,
    /// How old a run may be, in seconds, for `auto` to call fast.
    pub fast_cutoff_seconds: Option<u32>,
    /// What goes into its calls.
    pub call: Params,
}

/// Sends matching conversations to an agent. Absent fields match everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The agent.
    pub agent: AgentId,
    /// Only this channel.
    pub channel: Option<ChannelName>,
    /// Only this account of it.
    pub account: Option<String>,
    /// Only this guild.
    pub guild: Option<String>,
    /// Only this peer: a sender in direct messages, a chat otherwise.
    pub peer: Option<Peer>,
    /// Only this topic or thread.
    pub topic: Option<String>,
}

/// The far side of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// What it is; nothing for anything with that id.
    pub kind: Option<PeerKind>,
    /// Its id on the platform.
    pub id: String,
}

/// What kind of conversation a peer stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PeerKind {
    /// A person's direct messages.
    Direct,
    /// A group.
    Group,
    /// A channel, of a guild or for broadcasts.
    Channel,
}

/// How a tool bubble tells what a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolDetail {
    /// In words.
    Explain,
    /// In words, with the command behind them.
    Raw,
}

/// What an agent may do. Nothing is allowed unless it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    /// The tools it has.
    pub allow: Vec<String>,
    /// The tools it does not have, whatever is allowed.
    pub deny: Vec<String>,
    /// Whether its commands run outside the sandbox.
    pub unconfined: bool,
    /// How long one command may take.
    pub exec_limit: Duration,
}

/// A tool server.
#[derive(Debug, Clone)]
pub enum McpServer {
    /// A program that is started and spoken to over its standard streams.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables that it gets besides ours.
        env: Vec<(String, SecretSource)>,
    },
    /// A server that is running already.
    Url {
        /// Its address.
        url: String,
        /// Headers that every request carries.
        headers: Vec<(String, SecretSource)>,
    },
}

/// When an agent speaks up by itself, and to whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heartbeat {
    /// Between two beats; never zero.
    pub every: Duration,
    /// What the model is told.
    pub prompt: String,
    /// Where the answer goes.
    pub target: HeartbeatTarget,
    /// The session that it runs in; nothing for the agent's main one.
    pub session: Option<String>,
    /// Whether it runs beside that session, without its history.
    pub isolated: bool,
    /// Beats only within these hours.
    pub active_hours: Option<ActiveHours>,
    /// The model for these runs; nothing for the agent's.
    pub model: Option<ModelRef>,
    /// How long a run may take.
    pub limit: Duration,
    /// What may stand beside an acknowledgement without being sent, in characters.
    pub ack_max_chars: usize,
    /// Whether the reasoning is sent before the answer.
    pub include_reasoning: bool,
}

/// Where a heartbeat's answer goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeartbeatTarget {
    /// Nowhere.
    Nobody,
    /// To the session's last outward chat.
    Last,
    /// To a chat: `<chat>` or `<chat>:topic:<id>`.
    Chat {
        /// The channel.
        channel: ChannelName,
        /// The chat.
        to: String,
    },
}

/// Hours of the day, in a time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveHours {
    /// The first minute of the day that counts.
    pub start_minute: u16,
    /// The first minute that does not count any more; 1440 is midnight at the end of the day.
    pub end_minute: u16,
    /// The IANA name; nothing for the machine's own zone.
    pub timezone: Option<String>,
}
