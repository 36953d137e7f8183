//! What an agent keeps in mind: Markdown files below `memory/` of its workspace, a note for each day, `MEMORY.md` for what
//! lasts. What lies in `memory/shared/` is for every chat, all else for direct messages only.

mod get;
mod notes;
mod score;
mod search;
mod shelf;
#[cfg(test)]
mod tests;
mod write;

use std::sync::Arc;

use jiff::tz::TimeZone;
use pensive_contract::clock::Clock;
use pensive_contract::tool::Tool;

use self::get::MemoryGet;
use self::notes::Notes;
use self::search::MemorySearch;
use self::write::MemoryWrite;
use crate::files::Workspace;

/// The tools over one agent's memory. `zone` says where its days begin; nothing for the machine's zone.
pub(crate) fn tools(
    workspace: &Arc<Workspace>,
    zone: Option<&str>,
    clock: &Arc<dyn Clock>,
) -> Vec<Arc<dyn Tool>> {
    let zone = zone.and_then(|name| TimeZone::get(name).ok()).unwrap_or_else(TimeZone::system);
    let notes = Arc::new(Notes::new(Arc::clone(workspace)));
    vec![
        Arc::new(MemorySearch::new(Arc::clone(&notes))),
        Arc::new(MemoryGet::new(Arc::clone(&notes))),
        Arc::new(MemoryWrite::new(notes, zone, Arc::clone(clock))),
    ]
}
