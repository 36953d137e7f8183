//! `memory_search`: the passages of the notes that speak of something.

use std::sync::Arc;

use async_trait::async_trait;
use pensive_contract::model::ToolSpec;
use pensive_contract::tool::{Danger, Errand, Tool, ToolFault};
use serde::Deserialize;

use super::notes::Notes;
use super::score::{Passage, Query, passages};
use super::shelf::Note;
use crate::files::{Shelf, on_disk};
use crate::trouble::Trouble;
use crate::wire::{arguments, count};

/// How many passages are told where nothing is asked for, and at most.
const USUAL: usize = 6;
const MOST: usize = 20;

/// How much of a passage is told, in characters.
const TOLD: usize = 600;

/// How much is read for one search; what lies behind it, oldest names first, is told as left out.
const READ: usize = 32 * 1024 * 1024;

const SCHEMA: &str = r#"{"type":"object","properties":{"query":{"type":"string","description":"Words to look for."},"count":{"type":"integer","description":"How many passages, 6 by default.","minimum":1,"maximum":20}},"required":["query"],"additionalProperties":false}"#;

#[derive(Deserialize)]
struct Arguments {
    query: String,
    #[serde(default, deserialize_with = "count", alias = "limit", alias = "maxResults")]
    count: Option<u64>,
}

/// The tool.
pub(super) struct MemorySearch {
    spec: ToolSpec,
    notes: Arc<Notes>,
}

impl MemorySearch {
    pub(super) fn new(notes: Arc<Notes>) -> Self {
        let description = "Searches your notes and gives the passages that fit, with file and lines. Use it before you \
                           answer about people, decisions, dates or earlier work.";
        let spec = ToolSpec {
            name: "memory_search".to_owned(),
            description: description.to_owned(),
            schema: SCHEMA.to_owned(),
        };
        Self { spec, notes }
    }
}

#[async_trait]
impl Tool for MemorySearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn danger(&self, _arguments: &str) -> Danger {
        Danger::Harmless
    }

    async fn call(&self, text: &str, errand: &Errand) -> Result<String, ToolFault> {
        let Arguments { query, count } = arguments(text)?;
        let most = count.and_then(|most| usize::try_from(most).ok()).unwrap_or(USUAL).clamp(1, MOST);
        let (notes, shelf) = (Arc::clone(&self.notes), Shelf::of(errand.kind));
        Ok(on_disk(move || search(&notes, shelf, &Query::new(&query), most)).await?)
    }
}

fn search(notes: &Notes, shelf: Shelf, query: &Query, most: usize) -> Result<String, Trouble> {
    let (texts, complete) = gather(notes, shelf)?;
    let all: Vec<(&Note, Passage<'_>)> = texts
        .iter()
        .flat_map(|(note, text)| passages(text).into_iter().map(move |passage| (note, passage)))
        .collect();
    let ranked = query.rank(all.iter().map(|(_, passage)| passage));
    let told: Vec<String> = ranked
        .into_iter()
        .take(most)
        .filter_map(|(_, place)| all.get(place))
        .map(|(note, passage)| tell(note, passage))
        .collect();
    let mut told = if told.is_empty() { "Nothing found.".to_owned() } else { told.join("\n\n") };
    if !complete {
        told.push_str("\n[There are more notes than one search reads; the oldest are left out.]");
    }
    told.push_str(shelf.remark());
    Ok(told)
}

/// The notes with their texts, the latest days first, and whether that is all.
fn gather(notes: &Notes, shelf: Shelf) -> Result<(Vec<(Note, String)>, bool), Trouble> {
    let mut texts = Vec::new();
    let mut read = 0;
    for note in notes.list(shelf)?.into_iter().rev() {
        if read >= READ {
            return Ok((texts, false));
        }
        // A note that cannot be read, a link say, must not hide the others.
        match notes.read(&note, shelf) {
            Ok(Some(text)) => {
                read += text.len();
                texts.push((note, text));
            }
            Ok(None) => {}
            Err(trouble) => {
                tracing::debug!(fault = %ToolFault::from(trouble).log, "a note is left out of a search")
            }
        }
    }
    Ok((texts, true))
}

fn tell(note: &Note, passage: &Passage<'_>) -> String {
    let lines = passage.lines.join("\n");
    let under = if passage.heading.is_empty() || lines.starts_with('#') {
        String::new()
    } else {
        format!(" ({})", passage.heading)
    };
    let end = lines.char_indices().nth(TOLD).map(|(end, _)| end);
    let (text, more) = match end.and_then(|end| lines.get(..end)) {
        Some(start) => (start, " …"),
        None => (lines.as_str(), ""),
    };
    format!("{note}:{}-{}{under}\n{text}{more}", passage.first, passage.last())
}
