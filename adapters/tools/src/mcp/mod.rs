//! Tools of others: servers that speak the Model Context Protocol, by the official SDK. A server is started when its agent
//! first runs, started again when it has ended, and never waited for for long.

mod names;
mod outcome;
mod remote;
mod server;
#[cfg(test)]
mod tests;
mod way;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pensive_contract::clock::Clock;
use pensive_contract::tool::Tool;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use self::names::server_prefix;
use self::server::Server;
pub(crate) use self::way::Surroundings;
use crate::settings::McpServer;

/// What all servers share.
#[derive(Clone)]
pub(crate) struct House {
    pub(crate) clock: Arc<dyn Clock>,
    /// Holds the tasks that servers need.
    pub(crate) tasks: TaskTracker,
    /// Ends every server.
    pub(crate) stop: CancellationToken,
}

/// The servers of one agent.
pub(crate) struct Servers(Vec<Arc<Server>>);

impl Servers {
    /// Starts nothing.
    pub(crate) fn new(
        servers: BTreeMap<String, McpServer>,
        surroundings: &Surroundings,
        house: &House,
    ) -> Self {
        let made = servers.into_iter().map(|(name, server)| {
            let way = way::Way::new(server, surroundings.clone());
            Arc::new(Server::new(name, way, house.clone()))
        });
        Self(made.collect())
    }

    /// The tools of the servers that are there, those that are not being started. Two tools never have one name.
    pub(crate) async fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let lists = futures::future::join_all(self.0.iter().map(Server::offers)).await;
        let mut taken = BTreeSet::new();
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for (server, offers) in self.0.iter().zip(lists) {
            for offer in offers {
                let name = names::name(server.name(), &offer.name, &taken);
                taken.insert(name.clone());
                tools.push(Arc::new(remote::Remote::new(Arc::clone(server), name, offer)));
            }
        }
        tools
    }
}
