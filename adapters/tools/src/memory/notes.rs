//! The files of a memory: found, read and added to through the workspace, so that no link leads out of it. All of this
//! waits for a disk.

use std::io::Read as _;
use std::sync::Arc;

use rustix::fs::{Dir, FileType};

use super::shelf::Note;
use crate::files::{Found, Shelf, Workspace};
use crate::trouble::Trouble;

/// The most that one note may hold, and the most of it that is read.
pub(super) const NOTE: usize = 1024 * 1024;

/// How many notes there may be.
const NOTES: usize = 2000;

/// How deep folders may lie.
const DEPTH: usize = 4;

/// One agent's memory.
pub(super) struct Notes {
    workspace: Arc<Workspace>,
}

impl Notes {
    pub(super) fn new(workspace: Arc<Workspace>) -> Self {
        Self { workspace }
    }

    /// What is open, by name. An agent that never noted anything has nothing.
    pub(super) fn list(&self, shelf: Shelf) -> Result<Vec<Note>, Trouble> {
        let mut notes = Vec::new();
        self.gather(&shelf.notes(), shelf, DEPTH, &mut notes)?;
        notes.sort_unstable();
        Ok(notes)
    }

    fn gather(&self, folder: &str, shelf: Shelf, depth: usize, notes: &mut Vec<Note>) -> Result<(), Trouble> {
        let found = match self.workspace.find(&self.workspace.path(folder)?, shelf) {
            Ok(Found::Folder(found)) => found,
            Ok(Found::File(..)) => return Ok(()),
            Err(trouble) if is_absent(&trouble) => return Ok(()),
            Err(trouble) => return Err(trouble),
        };
        let wrong = |cause| Trouble::system("The memory cannot be listed", cause);
        for entry in Dir::new(found).map_err(wrong)? {
            let entry = entry.map_err(wrong)?;
            // A name that is no text cannot be asked for.
            let Some(name) = entry.file_name().to_str().ok().filter(|name| !name.starts_with('.')) else {
                continue;
            };
            let path = format!("{folder}/{name}");
            match entry.file_type() {
                FileType::Directory if depth > 1 => self.gather(&path, shelf, depth - 1, notes)?,
                FileType::RegularFile if name.ends_with(".md") && notes.len() < NOTES => {
                    notes.extend(Note::at(&path))
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A note's text, the first [`NOTE`] bytes of it; nothing where there is none.
    pub(super) fn read(&self, note: &Note, shelf: Shelf) -> Result<Option<String>, Trouble> {
        let file = match self.workspace.find(&self.workspace.path(&note.path())?, shelf) {
            Ok(Found::File(file, _)) => file,
            Ok(Found::Folder(_)) => return Err(Trouble::Refused(format!("{note} is a folder."))),
            Err(trouble) if is_absent(&trouble) => return Ok(None),
            Err(trouble) => return Err(trouble),
        };
        let mut bytes = Vec::new();
        let bound = u64::try_from(NOTE).unwrap_or(u64::MAX);
        file.take(bound)
            .read_to_end(&mut bytes)
            .map_err(|cause| Trouble::system(format!("{note} cannot be read"), cause))?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Adds a paragraph at a note's end. What stands there stays, byte for byte.
    pub(super) fn append(&self, note: &Note, shelf: Shelf, text: &str) -> Result<(), Trouble> {
        self.workspace.alone(|| {
            let old = self.read(note, shelf)?.unwrap_or_default();
            let gap = if old.is_empty() || old.ends_with("\n\n") {
                ""
            } else if old.ends_with('\n') {
                "\n"
            } else {
                "\n\n"
            };
            let new = format!("{old}{gap}{}\n", text.trim());
            if new.len() > NOTE || old.contains('\u{fffd}') {
                return Err(Trouble::Refused(format!("{note} is full or no text: choose another file.")));
            }
            self.workspace.replace(&self.workspace.path(&note.path())?, new.as_bytes(), shelf).map(drop)
        })
    }
}

fn is_absent(trouble: &Trouble) -> bool {
    matches!(trouble, Trouble::System { cause, .. } if cause.kind() == std::io::ErrorKind::NotFound)
}
