//! sled behind a guard: the only file that names the engine.
//!
//! What the guard adds: a panic inside the engine becomes a fault; one write covers several trees and is there wholly or
//! not at all after a kill (the engine pins its log for the whole of a transaction over trees and recovery drops a
//! transaction that was not sealed); each write hands back what it replaced; a flush is followed by the system's own
//! flush, because the engine's leaves the file's length and the drive's cache to chance.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use sled::transaction::{ConflictableTransactionError, TransactionError, TransactionalTree};
use sled::{Config, Db, Transactional};

use crate::blobs::Blobs;
use crate::fault::DiskFault;
use crate::key::Key;
use crate::tree::Tree;

/// The bytes of a record; cloning shares them.
pub(crate) type Stored = sled::IVec;

/// Values to put, or nothing to remove, by tree and key.
pub(crate) type Writes = BTreeMap<(Tree, Key), Option<Stored>>;

/// What the engine may keep in memory of what it read. It keeps a good deal more; a store that is read at random by the
/// hundred thousand records is not what this is for.
const CACHE_BYTES: u64 = 1024 * 1024;

/// An open store on disk.
pub(crate) struct Disk {
    db: Db,
    trees: Vec<(Tree, sled::Tree)>,
    log: File,
    blobs: Mutex<Blobs>,
}

/// Removes snapshots that a kill left half written. sled renames a snapshot when it is whole, but takes one that still has
/// its working name for the newest at the next open, and the store for damaged. The one before it is still there.
fn drop_half_snapshots(folder: &Path) -> std::io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(cause),
    };
    for entry in entries {
        let name = entry?.file_name();
        let half =
            name.to_str().is_some_and(|name| name.starts_with("snap.") && name.ends_with(".generating"));
        if half {
            std::fs::remove_file(folder.join(name))?;
        }
    }
    Ok(())
}

impl Disk {
    /// Opens or creates the store in `folder`.
    pub(crate) fn open(folder: &Path) -> Result<Self, DiskFault> {
        let open = || -> Result<Self, DiskFault> {
            drop_half_snapshots(folder)?;
            let config = Config::new().path(folder).flush_every_ms(None).cache_capacity(CACHE_BYTES);
            let db = config.open().map_err(fault)?;
            let mut trees = Vec::with_capacity(Tree::ALL.len());
            for tree in Tree::ALL {
                trees.push((tree, db.open_tree(tree.name()).map_err(fault)?));
            }
            let log = File::open(folder.join("db"))?;
            let blobs = Mutex::new(Blobs::watch(&folder.join("blobs"))?);
            Ok(Self { db, trees, log, blobs })
        };
        guarded(open)
    }

    /// The value under a key.
    pub(crate) fn get(&self, tree: Tree, key: &Key) -> Result<Option<Stored>, DiskFault> {
        guarded(|| self.tree(tree)?.get(key.as_bytes()).map_err(fault))
    }

    /// The first record of a tree, or the last.
    pub(crate) fn edge(&self, tree: Tree, edge: Edge) -> Result<Option<(Stored, Stored)>, DiskFault> {
        guarded(|| {
            let tree = self.tree(tree)?;
            match edge {
                Edge::First => tree.first().map_err(fault),
                Edge::Last => tree.last().map_err(fault),
            }
        })
    }

    /// The last `most` records whose keys begin with `prefix`, newest first.
    pub(crate) fn newest(
        &self,
        tree: Tree,
        prefix: &Key,
        most: usize,
    ) -> Result<Vec<(Stored, Stored)>, DiskFault> {
        guarded(|| {
            let found = self.tree(tree)?.scan_prefix(prefix.as_bytes()).rev().take(most);
            found.collect::<sled::Result<_>>().map_err(fault)
        })
    }

    /// Up to `most` records behind `after`, in order of their keys; from the first without it.
    pub(crate) fn page(
        &self,
        tree: Tree,
        after: Option<&[u8]>,
        most: usize,
    ) -> Result<Vec<(Stored, Stored)>, DiskFault> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        guarded(|| {
            let found = self.tree(tree)?.range::<&[u8], _>((from, Bound::Unbounded)).take(most);
            found.collect::<sled::Result<_>>().map_err(fault)
        })
    }

    /// Shows every record of a tree to `see`, in order of the keys.
    pub(crate) fn each(
        &self,
        tree: Tree,
        mut see: impl FnMut(&[u8], &[u8]) -> Result<(), DiskFault>,
    ) -> Result<(), DiskFault> {
        guarded(|| {
            for record in self.tree(tree)?.iter() {
                let (key, value) = record.map_err(fault)?;
                see(&key, &value)?;
            }
            Ok(())
        })
    }

    /// Makes all of `writes` visible at once, and durable together with the next flush. Returns what undoes them, also
    /// when it failed half-way and a part of them may be there.
    pub(crate) fn apply(&self, writes: &Writes) -> (Writes, Result<(), DiskFault>) {
        let undo = RefCell::new(Writes::new());
        let applied = guarded(|| self.transact(writes, &undo));
        (undo.into_inner(), applied)
    }

    fn transact(&self, writes: &Writes, undo: &RefCell<Writes>) -> Result<(), DiskFault> {
        let of_tree =
            |tree: Tree| writes.range((tree, Key::default())..).take_while(move |((t, _), _)| *t == tree);
        let touched: Vec<&(Tree, sled::Tree)> =
            self.trees.iter().filter(|(tree, _)| of_tree(*tree).next().is_some()).collect();
        let handles: Vec<&sled::Tree> = touched.iter().map(|(_, handle)| handle).collect();
        if handles.is_empty() {
            return Ok(());
        }
        let transaction = |views: &Vec<TransactionalTree>| {
            for ((tree, _), view) in touched.iter().zip(views) {
                for (place, value) in of_tree(*tree) {
                    let key = place.1.as_bytes();
                    let old = match value {
                        Some(value) => view.insert(key, value.clone())?,
                        None => view.remove(key)?,
                    };
                    undo.borrow_mut().insert(place.clone(), old);
                }
            }
            Ok::<(), ConflictableTransactionError<sled::Error>>(())
        };
        handles.as_slice().transaction(transaction).map_err(|cause| match cause {
            TransactionError::Abort(cause) | TransactionError::Storage(cause) => fault(cause),
        })
    }

    /// Returns when everything that was applied is on disk. Called by one thread at a time.
    pub(crate) fn flush(&self) -> Result<(), DiskFault> {
        guarded(|| {
            self.db.flush().map_err(fault)?;
            self.log.sync_data()?;
            self.blobs.lock().unwrap_or_else(PoisonError::into_inner).flush()?;
            Ok(())
        })
    }

    /// How many records a tree has; reads all of it.
    pub(crate) fn count(&self, tree: Tree) -> Result<u64, DiskFault> {
        guarded(|| Ok(self.tree(tree)?.len() as u64))
    }

    /// What the files take on disk.
    pub(crate) fn size(&self) -> Result<u64, DiskFault> {
        guarded(|| self.db.size_on_disk().map_err(fault))
    }

    fn tree(&self, tree: Tree) -> Result<&sled::Tree, DiskFault> {
        let found = self.trees.iter().find(|(name, _)| *name == tree);
        found.map(|(_, handle)| handle).ok_or_else(|| DiskFault::Other("a tree is missing".to_owned()))
    }
}

/// An end of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    /// The smallest key.
    First,
    /// The biggest key.
    Last,
}

/// Runs a call into the engine; a panic in there means that it found what it cannot explain.
fn guarded<T>(call: impl FnOnce() -> Result<T, DiskFault>) -> Result<T, DiskFault> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
        let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(DiskFault::Damaged(words.unwrap_or_else(|| "the engine gave up".to_owned())))
    })
}

fn fault(cause: sled::Error) -> DiskFault {
    match cause {
        sled::Error::Io(cause) => cause.into(),
        sled::Error::Corruption { .. } => DiskFault::Damaged("the engine found a broken page".to_owned()),
        sled::Error::CollectionNotFound(_) | sled::Error::Unsupported(_) | sled::Error::ReportableBug(_) => {
            DiskFault::Damaged(cause.to_string())
        }
    }
}
