//! Builds a store in a folder of its own, record by record, and puts it in the place of the living one in one step.
//! Whatever interrupts it, the store that lived before lives on, and the next attempt begins anew.

use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, Writes};
use crate::fault::{DiskFault, VerbFault};
use crate::folder::{self, Folder};
use crate::key::Key;
use crate::life::{number, set_number};
use crate::lines::{Line, check_header};
use crate::record::meta;
use crate::tree::Tree;

/// So many records are written at a time.
const BATCH: usize = 512;

/// A store that is being built.
pub(crate) struct Build<'f> {
    folder: &'f Folder,
    path: PathBuf,
    disk: Disk,
    batch: Writes,
}

impl<'f> Build<'f> {
    /// Begins an empty store beside the living one.
    pub(crate) fn begin(folder: &'f Folder) -> Result<Self, DiskFault> {
        let path = folder.vacant()?;
        folder::begin_build(&path)?;
        let disk = Disk::open(&path)?;
        Ok(Self { folder, path, disk, batch: Writes::new() })
    }

    /// Puts a record, or takes it away.
    pub(crate) fn put(&mut self, tree: Tree, key: Key, value: Option<Vec<u8>>) -> Result<(), DiskFault> {
        self.batch.insert((tree, key), value.map(Into::into));
        if self.batch.len() >= BATCH { self.write() } else { Ok(()) }
    }

    /// Puts all records of an export, each as `keep` changes it. Returns how many lines there were.
    pub(crate) fn read(
        &mut self,
        from: impl BufRead,
        keep: impl Fn(Tree, &Key, Vec<u8>) -> Vec<u8>,
    ) -> Result<u64, VerbFault> {
        let mut lines = from.split(b'\n').zip(1_u64..);
        let bad = |line: u64| move |why: String| VerbFault::Line { line, why };
        let Some((first, _)) = lines.next() else { return Err(bad(1)("the file is empty".to_owned())) };
        check_header(&first?).map_err(bad(1))?;
        let mut last = 1;
        for (line, at) in lines {
            last = at;
            match Line::parse(&line?).map_err(bad(at))? {
                Line::Record(tree, key, value) => {
                    let value = value.map(|value| keep(tree, &key, value));
                    self.put(tree, key, value)?;
                }
                Line::End(end) if end.lines == at - 2 => return Ok(end.lines),
                Line::End(end) => {
                    return Err(bad(at)(format!(
                        "{} lines should stand before it, not {}",
                        end.lines,
                        at - 2
                    )));
                }
            }
        }
        Err(bad(last)("the file breaks off after it".to_owned()))
    }

    /// Puts the store in the living one's place. Returns where that one is now, if there was one.
    pub(crate) fn finish(mut self) -> Result<Option<PathBuf>, DiskFault> {
        self.write()?;
        // The new store must count as later than any that this folder has seen.
        let own = number(&self.disk, meta::FLUSH)?;
        let flush = own.max(self.folder.mark()).max(self.folder.backup_mark()).unwrap_or(0) + 1;
        set_number(&mut self.batch, meta::FLUSH, flush);
        set_number(&mut self.batch, meta::SESSIONS, self.disk.count(Tree::Sessions)?);
        self.write()?;
        self.disk.flush()?;
        let Self { folder, path, disk, .. } = self;
        drop(disk);
        folder::sync_folder(&path)?;
        let before = folder.succeed(&path)?;
        folder.set_mark(flush)?;
        Ok(before.is_dir().then_some(before))
    }

    /// Leaves nothing of it.
    pub(crate) fn abandon(self) {
        let Self { path, disk, .. } = self;
        drop(disk);
        remove(&path);
    }

    fn write(&mut self) -> Result<(), DiskFault> {
        self.disk.apply(&self.batch).1?;
        self.batch.clear();
        self.disk.flush()
    }
}

/// Removes a store that nobody needs any more.
pub(crate) fn remove(store: &Path) {
    if let Err(cause) = fs::remove_dir_all(store) {
        tracing::warn!(%cause, "a store that was replaced could not be removed");
    }
}
