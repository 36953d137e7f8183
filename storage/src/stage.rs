//! What a group of commits is about to write. Later commits of the group see the earlier ones; one that fails leaves
//! nothing.

use crate::disk::{Disk, Stored, Writes};
use crate::fault::DiskFault;
use crate::key::Key;
use crate::tree::Tree;

/// Writes on their way to the disk.
pub(crate) struct Stage<'d> {
    disk: &'d Disk,
    kept: Writes,
    fresh: Writes,
    bytes: usize,
}

impl<'d> Stage<'d> {
    /// Nothing yet.
    pub(crate) fn new(disk: &'d Disk) -> Self {
        Self { disk, kept: Writes::new(), fresh: Writes::new(), bytes: 0 }
    }

    /// The value under a key as the next write would find it.
    pub(crate) fn get(&self, tree: Tree, key: &Key) -> Result<Option<Stored>, DiskFault> {
        if self.fresh.is_empty() && self.kept.is_empty() {
            return self.disk.get(tree, key);
        }
        let place = (tree, key.clone());
        match self.fresh.get(&place).or_else(|| self.kept.get(&place)) {
            Some(staged) => Ok(staged.clone()),
            None => self.disk.get(tree, key),
        }
    }

    /// Puts a value.
    pub(crate) fn put(&mut self, tree: Tree, key: Key, value: Vec<u8>) {
        self.bytes += value.len();
        self.fresh.insert((tree, key), Some(value.into()));
    }

    /// Removes a value, if there is one.
    pub(crate) fn remove(&mut self, tree: Tree, key: Key) {
        self.fresh.insert((tree, key), None);
    }

    /// Removes all values whose keys begin with `prefix`, those on their way included.
    pub(crate) fn remove_all(&mut self, tree: Tree, prefix: &Key) -> Result<(), DiskFault> {
        let from = (tree, prefix.clone());
        let begins = |(place, _): &(&(Tree, Key), _)| {
            place.0 == tree && place.1.as_bytes().starts_with(prefix.as_bytes())
        };
        let staged = [&self.kept, &self.fresh].map(|writes| writes.range(&from..).take_while(begins));
        let mut keys: Vec<Key> = staged.into_iter().flatten().map(|((_, key), _)| key.clone()).collect();
        let stored = self.disk.newest(tree, prefix, usize::MAX)?;
        keys.extend(stored.iter().map(|(key, _)| Key::found(key)));
        keys.into_iter().for_each(|key| self.remove(tree, key));
        Ok(())
    }

    /// The commit is complete.
    pub(crate) fn keep(&mut self) {
        if self.kept.is_empty() {
            std::mem::swap(&mut self.kept, &mut self.fresh);
        } else {
            self.kept.append(&mut self.fresh);
        }
    }

    /// The commit has failed.
    pub(crate) fn discard(&mut self) {
        self.fresh.clear();
    }

    /// How much there is to write, in bytes of values.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// All complete commits.
    pub(crate) fn into_writes(self) -> Writes {
        self.kept
    }
}
