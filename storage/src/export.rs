//! Writes an export, from a store that is closed to others or from one that goes on working.

use std::io::{self, Write};

use crate::disk::{Stored, Writes};
use crate::frame::Damage;
use crate::key::Key;
use crate::lines::{End, Header, gone_line, json, record_line};
use crate::tree::Tree;

/// How many records are read at a time: a running store's writer waits no longer than for so many.
const PAGE: usize = 256;

/// What an export holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Exported {
    /// How many records.
    pub records: u64,
    /// How many more could not be read; they are in the export as they are, in the tree `quarantine`.
    pub damaged: u64,
}

/// An export that is being written.
pub(crate) struct Export<W> {
    out: W,
    lines: u64,
    so_far: Exported,
}

impl<W: Write> Export<W> {
    /// Writes the first line.
    pub(crate) fn begin(mut out: W, header: Header) -> io::Result<Self> {
        line(&mut out, json(&header))?;
        Ok(Self { out, lines: 0, so_far: Exported::default() })
    }

    /// Writes all records that `page` gives: up to so many of a tree, behind a key.
    pub(crate) fn all<F: From<io::Error>>(
        &mut self,
        page: impl Fn(Tree, Option<&[u8]>, usize) -> Result<Vec<(Stored, Stored)>, F>,
    ) -> Result<(), F> {
        for tree in Tree::ALL {
            let mut after: Option<Stored> = None;
            loop {
                let records = page(tree, after.as_deref(), PAGE)?;
                for (key, value) in &records {
                    self.record(tree, key, value)?;
                }
                let whole = records.len() == PAGE;
                after = records.into_iter().last().map(|(key, _)| key);
                if !whole {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Writes what changed since the records were read.
    pub(crate) fn changes(&mut self, changes: &Writes) -> io::Result<()> {
        for ((tree, key), value) in changes {
            match value {
                Some(value) => self.record(*tree, key.as_bytes(), value)?,
                None => self.line(gone_line(*tree, key.as_bytes()))?,
            }
        }
        Ok(())
    }

    /// Writes the last line and gives back where it all went.
    pub(crate) fn end(mut self) -> io::Result<(W, Exported)> {
        line(&mut self.out, json(&End::after(self.lines)))?;
        self.out.flush()?;
        Ok((self.out, self.so_far))
    }

    fn record(&mut self, tree: Tree, key: &[u8], value: &[u8]) -> io::Result<()> {
        match record_line(tree, key, value) {
            Ok(bytes) => {
                self.so_far.records += 1;
                self.line(Ok(bytes))
            }
            Err(_) => {
                self.so_far.damaged += 1;
                let aside = Key::default().text(tree.name()).number(0).bytes(key);
                self.line(record_line(Tree::Quarantine, aside.as_bytes(), value))
            }
        }
    }

    fn line(&mut self, bytes: Result<Vec<u8>, Damage>) -> io::Result<()> {
        self.lines += 1;
        line(&mut self.out, bytes)
    }
}

fn line(out: &mut impl Write, bytes: Result<Vec<u8>, Damage>) -> io::Result<()> {
    let bytes = bytes.map_err(|damage| io::Error::other(damage.to_string()))?;
    out.write_all(&bytes)?;
    out.write_all(b"\n")
}
