//! `memory_write`: adds to a note, today's where none is named. Nothing that was noted is ever lost by it.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use pensive_contract::clock::Clock;
use pensive_contract::model::ToolSpec;
use pensive_contract::tool::{Danger, Errand, Tool, ToolFault};
use serde::Deserialize;

use super::notes::Notes;
use crate::files::{Shelf, on_disk};
use crate::trouble::Trouble;
use crate::wire::arguments;

/// The longest text of one call, in bytes.
const TEXT: usize = 16 * 1024;

const SCHEMA: &str = r#"{"type":"object","properties":{"text":{"type":"string","description":"Markdown; it is added at the end."},"path":{"type":"string","description":"The note: MEMORY.md for what should last; today's note when absent. What is for every chat goes to shared/, such as shared/MEMORY.md."}},"required":["text"],"additionalProperties":false}"#;

#[derive(Deserialize)]
struct Arguments {
    #[serde(alias = "content")]
    text: String,
    #[serde(default, alias = "file", alias = "name")]
    path: Option<String>,
}

/// The tool.
pub(super) struct MemoryWrite {
    spec: ToolSpec,
    notes: Arc<Notes>,
    zone: TimeZone,
    clock: Arc<dyn Clock>,
}

impl MemoryWrite {
    pub(super) fn new(notes: Arc<Notes>, zone: TimeZone, clock: Arc<dyn Clock>) -> Self {
        let spec = ToolSpec {
            name: "memory_write".to_owned(),
            description: "Adds to your notes what you should still know in a later conversation.".to_owned(),
            schema: SCHEMA.to_owned(),
        };
        Self { spec, notes, zone, clock }
    }

    fn today(&self) -> Result<String, Trouble> {
        let now = Timestamp::from_millisecond(self.clock.now().0);
        let now = now.map_err(|_| Trouble::Refused("The clock is wrong: name a file.".to_owned()))?;
        Ok(self.zone.to_datetime(now).date().to_string())
    }
}

#[async_trait]
impl Tool for MemoryWrite {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn danger(&self, _arguments: &str) -> Danger {
        Danger::Harmless
    }

    async fn call(&self, text: &str, errand: &Errand) -> Result<String, ToolFault> {
        let Arguments { text, path } = arguments(text)?;
        if text.trim().is_empty() || text.len() > TEXT {
            return Err(Trouble::Refused(format!("Give a text of at most {TEXT} bytes.")).into());
        }
        let shelf = Shelf::of(errand.kind);
        let note = match path.as_deref().map(str::trim).filter(|path| !path.is_empty()) {
            Some(path) => shelf.note(path)?,
            None => shelf.day(&self.today()?),
        };
        let notes = Arc::clone(&self.notes);
        Ok(on_disk(move || notes.append(&note, shelf, &text).map(|()| format!("Noted in {note}."))).await?)
    }
}
