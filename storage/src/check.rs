//! `pensive store check`: reads every record and says what it found.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::disk::Disk;
use crate::fault::{DiskFault, VerbFault};
use crate::folder::Folder;
use crate::frame::Damage;
use crate::life::{Life, number};
use crate::record::{self, meta};
use crate::tree::Tree;

/// What a check found; serialised, it is what `--json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The data folder.
    pub folder: PathBuf,
    /// Whether every record can be read and every counter is right.
    pub whole: bool,
    /// Each tree.
    pub trees: Vec<TreeReport>,
    /// How many sessions the store believes it has; the tree says how many there are.
    pub sessions_counted: u64,
    /// How many records were set aside by earlier readers.
    pub quarantined: u64,
    /// What the files take on disk.
    pub disk_bytes: u64,
    /// The backups beside it, oldest first.
    pub backups: Vec<PathBuf>,
}

/// What a check found in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct TreeReport {
    /// Its name.
    pub name: &'static str,
    /// How many records it has, the damaged ones included.
    pub records: u64,
    /// What keys and values take.
    pub bytes: u64,
    /// How many are not what was written.
    pub checksum_errors: u64,
    /// How many are what was written, but of no shape that this program knows.
    pub shape_errors: u64,
    /// How many were written by a newer version in a way that this one cannot read; nothing is wrong with them.
    pub newer: u64,
}

impl TreeReport {
    /// How many records are damaged.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.checksum_errors + self.shape_errors
    }
}

/// Reads every record of the closed store in `path`; changes nothing.
///
/// # Errors
/// The store is not there or cannot be opened.
pub fn check(path: &Path) -> Result<Report, VerbFault> {
    let (folder, disk) = super::verbs::closed(path)?;
    Life::read(&disk, &folder).map_err(|fault| folder.fault(fault))?;
    Ok(report(&folder, &disk)?)
}

fn report(folder: &Folder, disk: &Disk) -> Result<Report, DiskFault> {
    let trees = Tree::ALL.into_iter().map(|tree| tree_report(disk, tree)).collect::<Result<Vec<_>, _>>()?;
    let of = |tree: Tree| {
        trees.iter().find(|report| report.name == tree.name()).map_or(0, |report| report.records)
    };
    let sessions_counted = number(disk, meta::SESSIONS)?.unwrap_or(0);
    let whole = trees.iter().all(|tree| tree.damaged() == 0) && sessions_counted == of(Tree::Sessions);
    Ok(Report {
        folder: folder.path().to_owned(),
        whole,
        sessions_counted,
        quarantined: of(Tree::Quarantine),
        disk_bytes: disk.size()?,
        backups: folder.list_backups(),
        trees,
    })
}

fn tree_report(disk: &Disk, tree: Tree) -> Result<TreeReport, DiskFault> {
    let mut report = TreeReport { name: tree.name(), ..TreeReport::default() };
    disk.each(tree, |key, value| {
        report.records += 1;
        report.bytes += (key.len() + value.len()) as u64;
        match record::check(tree, key, value) {
            Ok(()) => {}
            Err(Damage::Short | Damage::Checksum) => report.checksum_errors += 1,
            Err(Damage::Shape) => report.shape_errors += 1,
            Err(Damage::Newer) => report.newer += 1,
        }
        Ok(())
    })?;
    Ok(report)
}
