//! `memory_get`: a note, or some lines of it.

use std::sync::Arc;

use async_trait::async_trait;
use pensive_contract::model::ToolSpec;
use pensive_contract::tool::{Danger, Errand, Tool, ToolFault};
use serde::Deserialize;

use super::notes::Notes;
use super::shelf::Note;
use crate::files::{Shelf, on_disk};
use crate::trouble::Trouble;
use crate::wire::{arguments, count};

/// How many lines are told where nothing is asked for, and at most.
const USUAL: usize = 200;
const MOST: usize = 2000;

/// How many names are told to a model that asks for a note that is not there.
const NAMES: usize = 20;

const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string","description":"A note, such as MEMORY.md or 2026-01-31.md."},"from":{"type":"integer","description":"The first line, from 1.","minimum":1},"lines":{"type":"integer","description":"How many lines, 200 by default.","minimum":1,"maximum":2000}},"required":["path"],"additionalProperties":false}"#;

#[derive(Deserialize)]
struct Arguments {
    #[serde(alias = "file", alias = "name")]
    path: String,
    #[serde(default, deserialize_with = "count", alias = "offset", alias = "line")]
    from: Option<u64>,
    #[serde(default, deserialize_with = "count", alias = "limit")]
    lines: Option<u64>,
}

/// The tool.
pub(super) struct MemoryGet {
    spec: ToolSpec,
    notes: Arc<Notes>,
}

impl MemoryGet {
    pub(super) fn new(notes: Arc<Notes>) -> Self {
        let spec = ToolSpec {
            name: "memory_get".to_owned(),
            description: "Reads a note, or some lines of it, as memory_search told them.".to_owned(),
            schema: SCHEMA.to_owned(),
        };
        Self { spec, notes }
    }
}

#[async_trait]
impl Tool for MemoryGet {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn danger(&self, _arguments: &str) -> Danger {
        Danger::Harmless
    }

    async fn call(&self, text: &str, errand: &Errand) -> Result<String, ToolFault> {
        let Arguments { path, from, lines } = arguments(text)?;
        let shelf = Shelf::of(errand.kind);
        let note = shelf.note(&path)?;
        let number = |count: Option<u64>, usual: usize| {
            count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usual).max(1)
        };
        let (from, lines) = (number(from, 1), number(lines, USUAL).min(MOST));
        let notes = Arc::clone(&self.notes);
        Ok(on_disk(move || match notes.read(&note, shelf)? {
            Some(text) => Ok(passage(&note, &text, from, lines)),
            None => Err(absent(&notes, shelf, &note)?),
        })
        .await?)
    }
}

fn passage(note: &Note, text: &str, from: usize, lines: usize) -> String {
    let total = text.lines().count();
    let told: Vec<&str> = text.lines().skip(from - 1).take(lines).collect();
    if told.is_empty() {
        return format!("[{note} has {total} lines.]");
    }
    let last = from - 1 + told.len();
    let whole = from == 1 && last == total;
    let remark =
        if whole { String::new() } else { format!("\n[{note}, lines {from} to {last} of {total}.]") };
    format!("{}{remark}", told.join("\n"))
}

fn absent(notes: &Notes, shelf: Shelf, note: &Note) -> Result<Trouble, Trouble> {
    let names: Vec<String> = notes.list(shelf)?.into_iter().rev().take(NAMES).map(|note| note.0).collect();
    let there = if names.is_empty() {
        "Nothing is noted yet.".to_owned()
    } else {
        format!("There are: {}.", names.join(", "))
    };
    Ok(Trouble::Refused(format!("There is no note {note}. {there}{}", shelf.remark())))
}
