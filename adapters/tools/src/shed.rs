//! Where each agent's tools hang: made once at the start, handed out at the start of each run.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use pensive_contract::clock::Clock;
use pensive_contract::ids::AgentId;
use pensive_contract::inbound::ChatKind;
use pensive_contract::tool::{self, Tool, ToolFault, Toolshed};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::exec::Exec;
use crate::files::{Edit, Read, Shelf, Workspace, Write, on_disk};
use crate::mcp::{House, Servers, Surroundings};
use crate::settings::{AgentTools, ToolSettings};
use crate::{memory, web};

/// What tools of this room can be called; those of tool servers come beside them.
pub const NAMES: &[&str] = &[
    "edit",
    "exec",
    "memory_get",
    "memory_search",
    "memory_write",
    "read",
    "web_fetch",
    "web_search",
    "write",
];

/// All tools of all agents.
pub struct Tools {
    agents: BTreeMap<AgentId, Peg>,
    tasks: TaskTracker,
    stop: CancellationToken,
    _end: DropGuard,
}

/// What one agent has.
struct Peg {
    own: Vec<Arc<dyn Tool>>,
    workspace: Arc<Workspace>,
    servers: Servers,
}

impl Tools {
    /// Starts nothing: folders are made and programs started when they are first needed.
    #[must_use]
    pub fn new(settings: ToolSettings, clock: Arc<dyn Clock>) -> Self {
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let house = House { clock: Arc::clone(&clock), tasks: tasks.clone(), stop: stop.clone() };
        let environment = Arc::from(settings.environment);
        let mut workspaces = BTreeMap::new();
        let web = web::tools(settings.web, &clock);
        let agents = settings.agents.into_iter().map(|(agent, own)| {
            // Agents that share a folder share its turns.
            let workspace = workspaces.entry(own.workspace.clone());
            let workspace =
                Arc::clone(workspace.or_insert_with(|| Arc::new(Workspace::new(own.workspace.clone()))));
            let surroundings =
                Surroundings { workspace: own.workspace.clone(), environment: Arc::clone(&environment) };
            let servers = Servers::new(own.servers.clone(), &surroundings, &house);
            let own = own_tools(own, Arc::clone(&workspace), &clock, &tasks);
            (agent, Peg { own: own.into_iter().chain(web.iter().cloned()).collect(), workspace, servers })
        });
        Self { agents: agents.collect(), tasks, stop: stop.clone(), _end: stop.drop_guard() }
    }

    /// Ends the tool servers, and waits until they and every command whose call was dropped have really ended. Asked when
    /// no run is left.
    pub async fn drain(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

fn own_tools(
    own: AgentTools,
    workspace: Arc<Workspace>,
    clock: &Arc<dyn Clock>,
    tasks: &TaskTracker,
) -> Vec<Arc<dyn Tool>> {
    let mut hung = memory::tools(&workspace, own.exec.zone.as_deref(), clock);
    let files: [Arc<dyn Tool>; 4] = [
        Arc::new(Read::new(Arc::clone(&workspace))),
        Arc::new(Write::new(Arc::clone(&workspace))),
        Arc::new(Edit::new(Arc::clone(&workspace))),
        Arc::new(Exec::new(workspace, own.exec, Arc::clone(clock), tasks.clone())),
    ];
    hung.extend(files);
    hung
}

#[async_trait]
impl Toolshed for Tools {
    async fn tools(&self, agent: &AgentId) -> Vec<Arc<dyn Tool>> {
        let Some(peg) = self.agents.get(agent) else { return Vec::new() };
        let servers = peg.servers.tools().await;
        peg.own.iter().cloned().chain(servers).collect()
    }
}

#[async_trait]
impl tool::Workspace for Tools {
    async fn open(
        &self,
        agent: &AgentId,
        path: &str,
        shelf: ChatKind,
        most: usize,
    ) -> Result<Vec<u8>, ToolFault> {
        let peg = self.agents.get(agent).ok_or_else(|| ToolFault {
            model: "This agent has no workspace.".to_owned(),
            log: format!("there is no agent {agent} any more"),
        })?;
        let (workspace, path, shelf) = (Arc::clone(&peg.workspace), path.to_owned(), Shelf::of(shelf));
        Ok(on_disk(move || workspace.whole(&workspace.path(&path)?, shelf, most)).await?)
    }
}
