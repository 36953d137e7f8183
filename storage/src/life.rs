//! What a store knows about itself when it is opened, and the beginning of its next life.

use crate::disk::{Disk, Edge, Writes};
use crate::fault::DiskFault;
use crate::folder::Folder;
use crate::key::{self, Key};
use crate::record::{self, meta};
use crate::seen::Seen;
use crate::shared::Shared;
use crate::tree::Tree;

/// Tickets are a life's number and a count, so that none is ever given twice and none needs the disk to be given.
const COUNT_BITS: u32 = 32;

/// One opening of the store and what it found.
pub(crate) struct Life {
    number: u64,
    /// The number of the last flush.
    pub(crate) flush: u64,
    sessions: u64,
    quarantined: u64,
    /// Which events are known as seen.
    pub(crate) seen: Seen,
}

impl Life {
    /// Reads the last life, and checks that the log has its end.
    pub(crate) fn read(disk: &Disk, folder: &Folder) -> Result<Self, DiskFault> {
        let flush = number(disk, meta::FLUSH)?;
        let reached = folder.mark().max(folder.backup_mark());
        if reached.is_some_and(|reached| flush.unwrap_or(0) < reached) {
            return Err(DiskFault::Damaged("the end of its log is missing".to_owned()));
        }
        // Every life flushes, so the number of flushes stands in for a count of lives that cannot be read.
        let lives = number(disk, meta::LIFE)?.or(flush).unwrap_or(0);
        let sessions = match number(disk, meta::SESSIONS)? {
            Some(sessions) => sessions,
            None => disk.count(Tree::Sessions)?,
        };
        Ok(Self {
            number: lives.max(life_of_last(disk, Tree::Inbox)?).max(life_of_last(disk, Tree::Outbox)?),
            flush: flush.unwrap_or(0),
            sessions,
            quarantined: disk.count(Tree::Quarantine)?,
            seen: Seen::load(disk)?,
        })
    }

    /// Begins the next life: what to write for it. Whatever is written with one of its tickets is written after this, so
    /// nobody has to wait for it alone.
    pub(crate) fn next(self) -> (Self, Writes) {
        let next = Self { number: self.number + 1, flush: self.flush + 1, ..self };
        let mut writes = Writes::new();
        for (name, value) in
            [(meta::LIFE, next.number), (meta::FLUSH, next.flush), (meta::SESSIONS, next.sessions)]
        {
            set_number(&mut writes, name, value);
        }
        (next, writes)
    }

    /// Tells the readers.
    pub(crate) fn publish(&self, shared: &Shared) {
        shared.set_next_ticket(self.number << COUNT_BITS);
        shared.set_sessions(self.sessions);
        shared.set_quarantined(self.quarantined);
    }
}

/// The counter of that name; nothing when it is missing or cannot be read.
pub(crate) fn number(disk: &Disk, name: &str) -> Result<Option<u64>, DiskFault> {
    let key = Key::default().text(name);
    let bytes = disk.get(Tree::Meta, &key)?;
    Ok(bytes.and_then(|bytes| record::read(Tree::Meta, key.as_bytes(), &bytes).ok()))
}

/// Writes a counter.
pub(crate) fn set_number(writes: &mut Writes, name: &str, value: u64) {
    let key = Key::default().text(name);
    let bytes = record::write(Tree::Meta, &key, &value);
    writes.insert((Tree::Meta, key), Some(bytes.into()));
}

fn life_of_last(disk: &Disk, tree: Tree) -> Result<u64, DiskFault> {
    let last = disk.edge(tree, Edge::Last)?.and_then(|(key, _)| key::last_number(&key));
    Ok(last.map_or(0, |ticket| ticket >> COUNT_BITS))
}
