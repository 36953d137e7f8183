//! Turns one job into staged writes. Runs on the writer's thread only, so reading and writing back needs no lock.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pensive_contract::ids::{SessionKey, Ticket};
use pensive_contract::inbound::Inbound;
use pensive_contract::store::{SessionChange, StoreFault, Write};
use serde_json::Value;

use crate::disk::Stored;
use crate::fault::DiskFault;
use crate::frame::{self, Damage, Frame, VERSION};
use crate::key::{self, Key};
use crate::record::inbox::{self, InboxRecord, StateRecord};
use crate::record::turn::TurnRecord;
use crate::record::{self, meta, session};
use crate::shared::Shared;
use crate::stage::Stage;
use crate::tree::Tree;

/// Why a commit was not staged.
pub(crate) enum Refusal {
    /// The disk: nothing of the group will be written.
    Disk(DiskFault),
    /// This commit's own fault: the others go on.
    Commit(StoreFault),
}

impl From<DiskFault> for Refusal {
    fn from(fault: DiskFault) -> Self {
        Self::Disk(fault)
    }
}

/// Where jobs are worked on.
pub(crate) struct Desk<'a, 'd> {
    pub(crate) shared: &'a Shared,
    pub(crate) stage: &'a mut Stage<'d>,
}

impl Desk<'_, '_> {
    /// Stages all writes of a commit, in order.
    pub(crate) fn commit(&mut self, writes: Vec<Write>) -> Result<(), Refusal> {
        for write in writes {
            match write {
                Write::Session(key, change) => self.session(&key, change)?,
                Write::Turn(session, turn) => {
                    let key = key::turns(&session).number(self.shared.ticket().0);
                    self.put(Tree::Transcript, key, &TurnRecord::from(turn));
                }
                Write::Heed(ticket) => self.set_state(ticket, StateRecord::Heeded)?,
                Write::Begin(ticket) => self.set_state(ticket, StateRecord::Running)?,
                Write::Park(ticket) => {
                    self.set_state(ticket, StateRecord::Parked(self.shared.clock.now().0))?;
                }
                Write::Amend(ticket, inbound) => self.amend(ticket, &inbound)?,
                Write::Close(ticket) => self.stage.remove(Tree::Inbox, key::ticket(ticket)),
                Write::Outbox(entry) => self.keep_letter(entry)?,
                Write::Part(ticket, index, state) => self.set_part(ticket, index, state),
                Write::Forget(ticket) => self.forget_letter(ticket)?,
            }
        }
        Ok(())
    }

    /// Stages a small value.
    pub(crate) fn keep(&mut self, name: &str, value: &[u8]) {
        let key = Key::default().text(name);
        let bytes = frame::seal(Tree::Notes, key.as_bytes(), Frame { version: VERSION, payload: value });
        self.stage.put(Tree::Notes, key, bytes);
    }

    /// Stages a record without a past.
    pub(crate) fn put<T: serde::Serialize>(&mut self, tree: Tree, key: Key, record: &T) {
        let bytes = record::write(tree, &key, record);
        self.stage.put(tree, key, bytes);
    }

    /// Reads a record; one that cannot be read is set aside and counts as absent.
    pub(crate) fn read<T: serde::de::DeserializeOwned>(
        &mut self,
        tree: Tree,
        key: &Key,
    ) -> Result<Option<T>, DiskFault> {
        let Some(bytes) = self.stage.get(tree, key)? else { return Ok(None) };
        match record::read(tree, key.as_bytes(), &bytes) {
            Ok(record) => Ok(Some(record)),
            Err(damage) => {
                self.set_aside(tree, key, &bytes, damage);
                Ok(None)
            }
        }
    }

    /// Moves a record into quarantine, as it is.
    pub(crate) fn set_aside(&mut self, tree: Tree, key: &Key, bytes: &[u8], damage: Damage) {
        let key_shown = key::shown(tree, key.as_bytes());
        tracing::warn!(tree = tree.name(), key = key_shown, %damage, "a record could not be read and was set aside");
        let aside = Key::default().text(tree.name()).number(self.shared.ticket().0).bytes(key.as_bytes());
        self.stage.put(Tree::Quarantine, aside, bytes.to_vec());
        self.stage.remove(tree, key.clone());
        self.shared.count_quarantined();
    }

    /// Sets a record aside that a reader could not read, unless it has changed since.
    pub(crate) fn set_aside_found(
        &mut self,
        tree: Tree,
        key: &Key,
        found: &Stored,
        damage: Damage,
    ) -> Result<(), DiskFault> {
        if self.stage.get(tree, key)?.as_ref() == Some(found) {
            self.set_aside(tree, key, found, damage);
            if tree == Tree::Sessions {
                self.count_sessions(-1)?;
            }
            if tree == Tree::OutboxParts {
                self.doubt_part(key);
            }
        }
        Ok(())
    }

    fn session(&mut self, key: &SessionKey, change: SessionChange) -> Result<(), Refusal> {
        let place = key::session(key);
        let mut kept = self.stage.get(Tree::Sessions, &place)?;
        let record = match kept.as_deref().map(|bytes| session::read(key, bytes)) {
            Some(Ok(record)) => Some(record),
            Some(Err(damage)) => {
                let bytes = kept.take().unwrap_or_default();
                self.set_aside(Tree::Sessions, &place, &bytes, damage);
                None
            }
            None => {
                self.count_sessions(1)?;
                None
            }
        };
        let Ok(record) = catch_unwind(AssertUnwindSafe(|| change(record))) else {
            return Err(Refusal::Commit(StoreFault::Disk("the change of a session panicked".to_owned())));
        };
        self.stage.put(Tree::Sessions, place, session::write(key, &record, kept.as_deref()));
        Ok(())
    }

    fn count_sessions(&mut self, by: i64) -> Result<(), DiskFault> {
        let count: u64 = self.read(Tree::Meta, &Key::default().text(meta::SESSIONS))?.unwrap_or(0);
        self.put(Tree::Meta, Key::default().text(meta::SESSIONS), &count.saturating_add_signed(by));
        Ok(())
    }

    fn set_state(&mut self, ticket: Ticket, state: StateRecord) -> Result<(), DiskFault> {
        self.edit(ticket, |entry| inbox::set_state(entry, state))
    }

    fn amend(&mut self, ticket: Ticket, inbound: &Inbound) -> Result<(), DiskFault> {
        let entry: Option<InboxRecord> = self.read(Tree::Inbox, &key::ticket(ticket))?;
        let begun = |state| match state {
            StateRecord::Waiting | StateRecord::Heeded | StateRecord::Parked(_) => false,
            StateRecord::Running => true,
        };
        if entry.is_some_and(|entry| !begun(entry.state())) {
            self.edit(ticket, |entry| inbox::set_inbound(entry, inbound))?;
        }
        Ok(())
    }

    /// Changes an inbox entry; one that is closed stays so.
    fn edit(&mut self, ticket: Ticket, change: impl FnOnce(&mut Value)) -> Result<(), DiskFault> {
        let key = key::ticket(ticket);
        let Some(bytes) = self.stage.get(Tree::Inbox, &key)? else { return Ok(()) };
        match record::edit(Tree::Inbox, &key, &bytes, change) {
            Ok(bytes) => self.stage.put(Tree::Inbox, key, bytes),
            Err(damage) => self.set_aside(Tree::Inbox, &key, &bytes, damage),
        }
        Ok(())
    }
}
