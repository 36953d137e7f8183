//! Which part of a memory a chat may see, in names of files.

use std::fmt;

use crate::files::Shelf;
use crate::files::shelf::{MEMORY, SHARED};
use crate::trouble::Trouble;

impl Shelf {
    /// The folder, below the workspace.
    pub(super) fn notes(self) -> String {
        match self {
            Self::Whole => MEMORY.to_owned(),
            Self::Shared => format!("{MEMORY}/{SHARED}"),
        }
    }

    /// What a search or a list leaves out, said to the model so that it does not take "nothing found" for "never noted".
    pub(super) fn remark(self) -> &'static str {
        match self {
            Self::Whole => "",
            Self::Shared => "\n[In a group only shared/ is open; private memory is left out.]",
        }
    }

    /// Takes the name of a file as a model writes it.
    pub(super) fn note(self, written: &str) -> Result<Note, Trouble> {
        let mut parts: Vec<&str> =
            written.trim().split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        if parts.first() == Some(&MEMORY) {
            parts.remove(0);
        }
        if parts.contains(&"..") || written.contains('\0') {
            return Err(Trouble::Refused("Only files of the memory can be used.".to_owned()));
        }
        if !parts.last().is_some_and(|name| name.len() > 3 && name.ends_with(".md")) {
            return Err(Trouble::Refused(
                "Notes are Markdown files: give a name that ends in `.md`, such as `MEMORY.md`.".to_owned(),
            ));
        }
        if self == Self::Shared && parts.first() != Some(&SHARED) {
            return Err(Trouble::Refused(
                "Private memory is closed in a group. Only `shared/…` can be used here, such as `shared/MEMORY.md`."
                    .to_owned(),
            ));
        }
        Ok(Note(parts.join("/")))
    }

    /// The note of a day.
    pub(super) fn day(self, day: &str) -> Note {
        match self {
            Self::Whole => Note(format!("{day}.md")),
            Self::Shared => Note(format!("{SHARED}/{day}.md")),
        }
    }
}

/// A file of the memory: its name below `memory/`. Shows as that.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Note(pub(super) String);

impl Note {
    /// Its path below the workspace.
    pub(super) fn path(&self) -> String {
        format!("{MEMORY}/{}", self.0)
    }

    /// Of a path below the workspace.
    pub(super) fn at(path: &str) -> Option<Self> {
        path.strip_prefix(MEMORY)?.strip_prefix('/').map(|name| Self(name.to_owned()))
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ses_07_a_group_names_shared_notes_only() {
        let check = |shelf: Shelf, written: &str, expected: Option<&str>| {
            assert_eq!(
                shelf.note(written).ok().map(|note| note.0).as_deref(),
                expected,
                "{shelf:?} {written}"
            );
        };
        check(Shelf::Whole, "MEMORY.md", Some("MEMORY.md"));
        check(Shelf::Whole, "memory/MEMORY.md", Some("MEMORY.md"));
        check(Shelf::Whole, "./memory//people/ann.md", Some("people/ann.md"));
        check(Shelf::Whole, "shared/x.md", Some("shared/x.md"));
        check(Shelf::Whole, "../MEMORY.md", None);
        check(Shelf::Whole, "x.txt", None);
        check(Shelf::Whole, ".md", None);
        check(Shelf::Whole, "", None);
        check(Shelf::Whole, "memory", None);
        check(Shelf::Shared, "shared/x.md", Some("shared/x.md"));
        check(Shelf::Shared, "memory/./shared/x.md", Some("shared/x.md"));
        check(Shelf::Shared, "MEMORY.md", None);
        check(Shelf::Shared, "memory/MEMORY.md", None);
        check(Shelf::Shared, "shared/../MEMORY.md", None);
        check(Shelf::Shared, "sharedx/y.md", None);
        check(Shelf::Shared, "memory/memory/shared/x.md", None);
        check(Shelf::Shared, "/shared/x.md", Some("shared/x.md"));
    }
}
