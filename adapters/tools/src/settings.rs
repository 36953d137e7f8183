//! What the daemon hands to the tools: checked values, an entry for each agent.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use pensive_contract::ids::AgentId;
use pensive_contract::secret::Secret;
use url::Url;

/// Everything that the tools are told at the start.
#[derive(Debug, Clone, Default)]
pub struct ToolSettings {
    /// Each agent's own.
    pub agents: BTreeMap<AgentId, AgentTools>,
    /// What is read of the web.
    pub web: WebSettings,
    /// Variables that the programs of tool servers find beside their own: `PATH`, `HOME`, `LANG` and their like; no secret.
    pub environment: Vec<(String, String)>,
}

/// What is read of the web.
#[derive(Debug, Clone, Default)]
pub struct WebSettings {
    /// How far a page may be fetched from.
    pub reach: Reach,
    /// Who searches; nothing leaves the search tool out.
    pub search: Option<SearchEngine>,
}

/// How far a page may be fetched from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// Public addresses only.
    #[default]
    Public,
    /// This machine and its networks too: `web.allowPrivate: true` of the configuration.
    Anywhere,
}

/// Who searches the web.
#[derive(Debug, Clone)]
pub enum SearchEngine {
    /// A SearxNG server whose `search.formats` has `json`.
    Searxng {
        /// Its address, without `/search`.
        url: Url,
    },
    /// Brave's search API.
    Brave {
        /// Its address; nothing for Brave's own.
        url: Option<Url>,
        /// The subscription token.
        key: Secret,
    },
}

/// What holds for one agent.
#[derive(Debug, Clone)]
pub struct AgentTools {
    /// The folder it works in. Files, memory and commands stay inside; it is made when it is first needed.
    pub workspace: PathBuf,
    /// Commands.
    pub exec: ExecSettings,
    /// Its tool servers, by name.
    pub servers: BTreeMap<String, McpServer>,
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
        /// Variables of its own; a secret may be among them.
        env: Vec<(String, Secret)>,
    },
    /// A server that is running already.
    Url {
        /// Its address.
        url: Url,
        /// Headers that every request carries.
        headers: Vec<(String, Secret)>,
    },
}

impl AgentTools {
    /// An agent with a workspace and nothing else configured.
    #[must_use]
    pub fn new(workspace: PathBuf) -> Self {
        Self { workspace, exec: ExecSettings::default(), servers: BTreeMap::new() }
    }
}

/// How commands run.
#[derive(Debug, Clone)]
pub struct ExecSettings {
    /// What happens where the kernel has no sandbox to offer.
    pub without_sandbox: WithoutSandbox,
    /// How long a command may take that asks for no time of its own.
    pub limit: Duration,
    /// `PATH` of commands.
    pub path: String,
    /// `TZ` of commands; nothing for the machine's.
    pub zone: Option<String>,
}

impl Default for ExecSettings {
    fn default() -> Self {
        Self {
            without_sandbox: WithoutSandbox::Refuse,
            limit: Duration::from_secs(120),
            path: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".to_owned(),
            zone: None,
        }
    }
}

/// What happens to a command that should be confined where the kernel cannot do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithoutSandbox {
    /// It does not run.
    Refuse,
    /// It runs with all that the daemon itself may do: `exec.unconfined: true` of the configuration.
    Run,
}
