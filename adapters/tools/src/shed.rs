//! Where each agent's tools hang: made once at the start, handed out at the start of each run.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use pensive_contract::clock::Clock;
use pensive_contract::ids::AgentId;
use pensive_contract::tool::{Tool, Toolshed};
use tokio_util::task::TaskTracker;

use crate::settings::{AgentTools, ToolSettings};
use crate::web;

/// All tools of all agents.
pub struct Tools {
    agents: BTreeMap<AgentId, Vec<Arc<dyn Tool>>>,
    tasks: TaskTracker,
}

impl Tools {
    /// Starts nothing: folders are made and programs started when they are first needed.
    #[must_use]
    pub fn new(settings: ToolSettings, clock: Arc<dyn Clock>) -> Self {
        let tasks = TaskTracker::new();
        let web = web::tools(settings.web, &clock);
        let agents = settings.agents.into_iter().map(|(agent, own)| {
            let own = own_tools(own, &clock, &tasks);
            (agent, own.into_iter().chain(web.iter().cloned()).collect())
        });
        Self { agents: agents.collect(), tasks }
    }

    /// Waits until every command whose call was dropped has really ended. Asked when no run is left.
    pub async fn drain(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

fn own_tools(own: AgentTools, clock: &Arc<dyn Clock>, tasks: &TaskTracker) -> Vec<Arc<dyn Tool>> {
    drop((own, Arc::clone(clock), tasks.clone()));
    Vec::new()
}

#[async_trait]
impl Toolshed for Tools {
    async fn tools(&self, agent: &AgentId) -> Vec<Arc<dyn Tool>> {
        self.agents.get(agent).cloned().unwrap_or_default()
    }
}
