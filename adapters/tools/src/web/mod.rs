//! The web: pages as text, and who searches it. Nothing here reaches the owner's own network unless the owner wants that.

mod address;
mod engine;
mod fetch;
mod page;
mod search;
#[cfg(test)]
mod tests;
mod visit;
mod wire;

use std::net::IpAddr;
use std::sync::Arc;

use pensive_contract::clock::Clock;
use pensive_contract::tool::Tool;

use self::engine::Engine;
use self::fetch::WebFetch;
use self::search::WebSearch;
use self::visit::Visitor;
pub(crate) use self::visit::chain;
use crate::settings::{Reach, WebSettings};

/// The tools that read the web, the same for all agents.
pub(crate) fn tools(settings: WebSettings, clock: &Arc<dyn Clock>) -> Vec<Arc<dyn Tool>> {
    let judge = match settings.reach {
        Reach::Public => address::is_public,
        Reach::Anywhere => |_: IpAddr| true,
    };
    let fetch = Visitor::new(judge, visit::system())
        .map(|visitor| Arc::new(WebFetch::new(visitor, Arc::clone(clock))) as Arc<dyn Tool>);
    let search = settings.search.map(|engine| {
        Engine::new(engine).map(|engine| Arc::new(WebSearch::new(engine, Arc::clone(clock))) as Arc<dyn Tool>)
    });
    [Some(fetch), search].into_iter().flatten().filter_map(hung).collect()
}

/// Without a working client the others still work.
fn hung(made: reqwest::Result<Arc<dyn Tool>>) -> Option<Arc<dyn Tool>> {
    made.inspect_err(|error| tracing::error!(%error, "a tool of the web cannot be offered")).ok()
}
