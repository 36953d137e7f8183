//! What a model may do beside speaking: the port that every tool stands behind.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::ids::{AgentId, SessionKey};
use crate::inbound::ChatKind;
use crate::model::ToolSpec;

/// For whom a tool works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Errand {
    /// The agent whose workspace and memory it is.
    pub agent: AgentId,
    /// The conversation.
    pub session: SessionKey,
    /// What kind of chat it is: what is private to a person never enters a shared one.
    pub kind: ChatKind,
    /// How far it may go.
    pub grant: Grant,
}

/// How far a tool that could do harm may go in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// Inside the sandbox.
    Confined,
    /// Anywhere: somebody who may has allowed it.
    Free,
}

/// Whether one call could do harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Danger {
    /// It reads, or stays within the workspace.
    Harmless,
    /// It could change what is not the agent's own.
    Dangerous,
}

/// Why a call came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFault {
    /// For the model: what went wrong and what it could do instead. No path outside the workspace, no secret.
    pub model: String,
    /// For the log.
    pub log: String,
}

/// How long a call may take where its tool knows no better.
pub const USUAL_LIMIT: Duration = Duration::from_secs(60);

/// One tool.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What the model is told of it.
    fn spec(&self) -> &ToolSpec;

    /// Whether this very call could do harm, so that somebody may have to allow it. Broken arguments are harmless: the call
    /// will fail.
    fn danger(&self, arguments: &str) -> Danger;

    /// How long this very call may take before its future is dropped.
    fn limit(&self, _arguments: &str) -> Duration {
        USUAL_LIMIT
    }

    /// Does it. `arguments` is a JSON object that may not fit the schema. Dropping the future ends everything that it
    /// started, child processes included. The caller limits the time and the length of what is kept.
    ///
    /// # Errors
    /// It came to nothing.
    async fn call(&self, arguments: &str, errand: &Errand) -> Result<String, ToolFault>;
}

/// The files that agents work on, for what goes out to people.
#[async_trait]
pub trait Workspace: Send + Sync {
    /// All bytes of a file below the agent's workspace, `most` of them at most. `path` is as a tool would take it, and what a
    /// chat of that kind may not see is not given out.
    ///
    /// # Errors
    /// There is no such file there, or it is larger.
    async fn open(
        &self,
        agent: &AgentId,
        path: &str,
        shelf: ChatKind,
        most: usize,
    ) -> Result<Vec<u8>, ToolFault>;
}

/// All tools that an agent could be allowed. Asked at the start of each run: servers come and go.
#[async_trait]
pub trait Toolshed: Send + Sync {
    /// The tools at hand for an agent now. One that cannot be reached is left out.
    async fn tools(&self, agent: &AgentId) -> Vec<Arc<dyn Tool>>;
}
