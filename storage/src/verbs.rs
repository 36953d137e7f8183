//! The other verbs of `pensive store`. Each takes hold of the data folder, so none runs beside a daemon.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use pensive_contract::clock::Timestamp;

use crate::backup::{self, Backup};
use crate::build::{Build, remove};
use crate::disk::Disk;
use crate::export::{Export, Exported};
use crate::fault::{DiskFault, OpenFault, VerbFault};
use crate::folder::Folder;
use crate::key::Key;
use crate::life::Life;
use crate::lines::Header;
use crate::record::{self, inbox, outbox};
use crate::tree::Tree;

/// What an import may do to a store that holds records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Onto {
    /// Nothing: refuse.
    Empty,
    /// Take its place.
    Replace,
}

/// What was put in the living store's place.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Replaced {
    /// How many lines were taken in.
    pub lines: u64,
    /// Where they came from, when that was a backup.
    pub from: Option<PathBuf>,
    /// Newer backups that were passed over because they are not whole.
    pub passed_over: Vec<PathBuf>,
    /// Where the store before is kept, when it could not be opened.
    pub kept: Option<PathBuf>,
}

/// What compaction came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Compacted {
    /// Bytes on disk before.
    pub before: u64,
    /// Bytes on disk after.
    pub after: u64,
}

/// Writes the closed store in `path` to `out`, in the format that `lines` describes.
///
/// # Errors
/// The store is not there or cannot be opened, or `out` takes no more.
pub fn export(path: &Path, out: impl Write, made: Timestamp) -> Result<Exported, VerbFault> {
    let (folder, disk) = closed(path)?;
    Life::read(&disk, &folder).map_err(|fault| folder.fault(fault))?;
    write_export(&disk, out, Header::new(made.0))
}

/// Puts an export into the store in `path`, which need not exist. All of it or, when a line is wrong, nothing.
///
/// # Errors
/// The export is not whole, or the store holds records and `onto` does not allow to replace them.
pub fn import(path: &Path, from: impl BufRead, onto: Onto) -> Result<Replaced, VerbFault> {
    let folder = Folder::claim(path)?;
    let living = Living::look(&folder)?;
    match (&living, onto) {
        (Living::Records(records), Onto::Empty) => {
            return Err(VerbFault::NotEmpty { folder: path.to_owned(), records: *records });
        }
        (Living::Damaged(fault), Onto::Empty) => return Err(fault.clone().into()),
        (Living::Empty, _) | (_, Onto::Replace) => {}
    }
    let (lines, kept) = replace(&folder, &living, from, |_, _, value| value)?;
    Ok(Replaced { lines, from: None, passed_over: Vec::new(), kept })
}

/// Goes back to the newest whole backup of the store in `path`. What that backup was about to do may have been done
/// since: messages that waited for their answer become ones whose run was cut off, and parts that were to be sent become
/// ones that may have landed.
///
/// # Errors
/// There is no backup, or none is whole.
pub fn restore(path: &Path) -> Result<Replaced, VerbFault> {
    let folder = Folder::claim(path)?;
    let living = Living::look(&folder)?;
    let mut passed_over = Vec::new();
    let mut last = None;
    for backup in folder.list_backups().into_iter().rev() {
        let file = BufReader::new(File::open(&backup)?);
        match replace(&folder, &living, file, doubt) {
            Ok((lines, kept)) => return Ok(Replaced { lines, from: Some(backup), passed_over, kept }),
            Err(fault @ VerbFault::Line { .. }) => {
                passed_over.push(backup);
                last = Some(fault);
            }
            Err(fault) => return Err(fault),
        }
    }
    Err(last.unwrap_or(VerbFault::NoBackup { folder: folder.backups() }))
}

/// Makes a backup of the closed store in `path`, and removes the oldest so that `keep` remain.
///
/// # Errors
/// The store is not there or cannot be opened, or the backup cannot be written.
pub fn backup(path: &Path, keep: usize, made: Timestamp) -> Result<Backup, VerbFault> {
    let (folder, disk) = closed(path)?;
    let life = Life::read(&disk, &folder).map_err(|fault| folder.fault(fault))?;
    let draft = backup::Draft::create(folder.path())?;
    let exported = write_export(&disk, draft.out()?, Header::new(made.0))?;
    Ok(draft.finish(life.flush, made, exported, keep)?)
}

/// Copies the living records of the store in `path` into a fresh one that takes its place.
///
/// # Errors
/// The store is not there or cannot be opened, or the disk has no room for both.
pub fn compact(path: &Path) -> Result<Compacted, VerbFault> {
    let (folder, disk) = closed(path)?;
    Life::read(&disk, &folder).map_err(|fault| folder.fault(fault))?;
    let before = disk.size()?;
    let mut build = Build::begin(&folder)?;
    for tree in Tree::ALL {
        disk.each(tree, |key, value| build.put(tree, Key::found(key), Some(value.to_vec())))?;
    }
    drop(disk);
    if let Some(old) = build.finish()? {
        remove(&old);
    }
    let after = Disk::open(&folder.store()?)?.size()?;
    Ok(Compacted { before, after })
}

/// Takes hold of a store that exists, and opens it.
pub(crate) fn closed(path: &Path) -> Result<(Folder, Disk), VerbFault> {
    if !path.is_dir() {
        return Err(VerbFault::Missing { folder: path.to_owned() });
    }
    let folder = Folder::claim(path)?;
    let store = folder.store().map_err(|fault| folder.fault(fault))?;
    if !store.is_dir() {
        return Err(VerbFault::Missing { folder: path.to_owned() });
    }
    let disk = Disk::open(&store).map_err(|fault| folder.fault(fault))?;
    Ok((folder, disk))
}

/// The store that a new one would take the place of.
enum Living {
    /// None, or one without records.
    Empty,
    /// One with so many.
    Records(u64),
    /// One that cannot be opened.
    Damaged(OpenFault),
}

impl Living {
    fn look(folder: &Folder) -> Result<Self, VerbFault> {
        let records = folder.store().and_then(|store| {
            if !store.is_dir() {
                return Ok(0);
            }
            let disk = Disk::open(&store)?;
            Life::read(&disk, folder)?;
            let trees = Tree::ALL.into_iter().filter(|tree| *tree != Tree::Meta);
            trees.map(|tree| disk.count(tree)).sum()
        });
        match records {
            Ok(0) => Ok(Self::Empty),
            Ok(records) => Ok(Self::Records(records)),
            Err(fault @ DiskFault::Damaged(_)) => Ok(Self::Damaged(folder.fault(fault))),
            Err(fault) => Err(folder.fault(fault).into()),
        }
    }
}

/// Builds a store from an export and puts it in the living one's place, which is removed unless it is damaged.
fn replace(
    folder: &Folder,
    living: &Living,
    from: impl BufRead,
    keep: impl Fn(Tree, &Key, Vec<u8>) -> Vec<u8>,
) -> Result<(u64, Option<PathBuf>), VerbFault> {
    let mut build = Build::begin(folder)?;
    let lines = match build.read(from, keep) {
        Ok(lines) => lines,
        Err(fault) => {
            build.abandon();
            return Err(fault);
        }
    };
    let before = build.finish()?;
    match (living, before) {
        (Living::Damaged(_), before) => Ok((lines, before)),
        (Living::Empty | Living::Records(_), before) => {
            before.iter().for_each(|before| remove(before));
            Ok((lines, None))
        }
    }
}

fn write_export<W: Write>(disk: &Disk, out: W, header: Header) -> Result<Exported, VerbFault> {
    let mut export = Export::begin(out, header)?;
    export.all(|tree, after, most| disk.page(tree, after, most).map_err(VerbFault::from))?;
    Ok(export.end()?.1)
}

/// What a backup says about work that was not done yet.
fn doubt(tree: Tree, key: &Key, value: Vec<u8>) -> Vec<u8> {
    let doubted = match tree {
        Tree::Inbox => record::edit(tree, key, &value, inbox::doubt),
        Tree::Outbox => record::edit(tree, key, &value, outbox::doubt_parts),
        Tree::OutboxParts => record::edit(tree, key, &value, outbox::doubt_part),
        _ => return value,
    };
    doubted.unwrap_or(value)
}
