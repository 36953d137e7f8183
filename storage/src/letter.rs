//! Messages that are to go out. The record of one holds its whole text, so how far its parts come is written beside it, one
//! small record for each, and told together with it: the cost of a step does not grow with the message.

use std::collections::BTreeSet;

use pensive_contract::ids::Ticket;
use pensive_contract::store::{OutboxEntry, PartState, StoreFault};

use crate::desk::Desk;
use crate::disk::{Disk, Stored, Writes};
use crate::fault::DiskFault;
use crate::frame::Damage;
use crate::key::{self, Key};
use crate::record;
use crate::record::outbox::{OutboxRecord, StateRecord};
use crate::store::Store;
use crate::tree::Tree;

impl Desk<'_, '_> {
    /// Stages an entry, whose states are the newest.
    pub(crate) fn keep_letter(&mut self, entry: OutboxEntry) -> Result<(), DiskFault> {
        let key = key::ticket(entry.ticket);
        self.stage.remove_all(Tree::OutboxParts, &key)?;
        self.put(Tree::Outbox, key, &OutboxRecord::from(entry));
        Ok(())
    }

    /// Stages how far a part has come, without a look at its entry: without one it is a stray, which readers do not see.
    pub(crate) fn set_part(&mut self, ticket: Ticket, index: usize, state: PartState) {
        self.put(Tree::OutboxParts, key::part(ticket, index), &StateRecord::from(state));
    }

    /// Puts a state that promises nothing in the place of one that could not be read: the entry's own is older, and may
    /// call a part untried that has landed.
    pub(crate) fn doubt_part(&mut self, key: &Key) {
        self.put(Tree::OutboxParts, key.clone(), &StateRecord::Unknown);
    }

    /// Stages the end of an entry.
    pub(crate) fn forget_letter(&mut self, ticket: Ticket) -> Result<(), DiskFault> {
        let key = key::ticket(ticket);
        self.stage.remove_all(Tree::OutboxParts, &key)?;
        self.stage.remove(Tree::Outbox, key);
        Ok(())
    }
}

impl Store {
    /// An entry as it stands. Between the reading of the two trees it may be kept anew, or forgotten: then it is read
    /// again, so that no state is told of a text that it does not belong to.
    pub(crate) fn letter(&self, ticket: Ticket) -> Result<Option<OutboxEntry>, StoreFault> {
        let key = key::ticket(ticket);
        let stored = || self.read(|disk| disk.get(Tree::Outbox, &key));
        let mut before = stored()?;
        loop {
            let Some(bytes) = before else { return Ok(None) };
            let parts = self.read(|disk| disk.newest(Tree::OutboxParts, &key, usize::MAX))?;
            let now = stored()?;
            if now.as_ref() != Some(&bytes) {
                before = now;
                continue;
            }
            let read = record::read::<OutboxRecord>(Tree::Outbox, key.as_bytes(), &bytes);
            let Some(record) = self.or_aside(read, Tree::Outbox, key.as_bytes(), &bytes) else {
                return Ok(None);
            };
            let mut entry = record.entry(ticket);
            for (key, bytes) in &parts {
                self.tell_part(&mut entry, key, bytes);
            }
            return Ok(Some(entry));
        }
    }

    fn tell_part(&self, entry: &mut OutboxEntry, key: &Stored, bytes: &Stored) {
        let part = key::part_of(key).and_then(|(_, index)| entry.parts.get_mut(index));
        if let Some((_, state)) = part {
            let read: Result<StateRecord, Damage> = record::read(Tree::OutboxParts, key, bytes);
            *state =
                self.or_aside(read, Tree::OutboxParts, key, bytes).unwrap_or(StateRecord::Unknown).into();
        }
    }
}

/// What removes the states of parts whose entry is gone: such as came after its end.
pub(crate) fn strays(disk: &Disk) -> Result<Writes, DiskFault> {
    let mut keys = Vec::new();
    disk.each(Tree::OutboxParts, |key, _| {
        keys.push(Key::found(key));
        Ok(())
    })?;
    let of = |key: &Key| key::part_of(key.as_bytes()).map(|(ticket, _)| ticket);
    let mut gone = BTreeSet::new();
    for ticket in keys.iter().filter_map(of).collect::<BTreeSet<_>>() {
        if disk.get(Tree::Outbox, &key::ticket(ticket))?.is_none() {
            gone.insert(ticket);
        }
    }
    keys.retain(|key| of(key).is_some_and(|ticket| gone.contains(&ticket)));
    Ok(keys.into_iter().map(|key| ((Tree::OutboxParts, key), None)).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pensive_contract::clock::{Clock, Timestamp};
    use pensive_contract::ids::Account;
    use pensive_contract::inbound::{ChatKind, Place};
    use pensive_contract::outward::{Finality, Part};
    use pensive_contract::store::{OutboxKind, Write};

    use super::*;
    use crate::shared::Shared;
    use crate::stage::Stage;

    struct StillClock;

    impl Clock for StillClock {
        fn now(&self) -> Timestamp {
            Timestamp(1)
        }

        fn sleep_until(&self, _: Timestamp) -> futures::future::BoxFuture<'static, ()> {
            Box::pin(futures::future::pending())
        }
    }

    fn letter(ticket: Ticket, parts: usize) -> OutboxEntry {
        let part = Part { text: "x".repeat(4096), ..Part::default() };
        OutboxEntry {
            ticket,
            kind: OutboxKind::Answer,
            place: Place {
                account: Account { channel: "c".into(), id: "a".into() },
                chat: "1".into(),
                kind: ChatKind::Direct,
                topic: None,
                space: None,
            },
            parts: vec![(part, PartState::Waiting); parts],
            buttons: Vec::new(),
            reply_to: None,
            standing: None,
            finality: Finality::Last,
            created: Timestamp(1),
        }
    }

    #[test]
    fn a_step_of_a_long_answer_writes_no_more_than_one_of_a_short_one() {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::open(dir.path()).unwrap();
        let shared = Shared::new(Arc::new(StillClock));
        // Stages a commit, writes it and tells how many bytes of values that took.
        let commit = |writes: Vec<Write>| {
            let mut stage = Stage::new(&disk);
            assert!(Desk { shared: &shared, stage: &mut stage }.commit(writes).is_ok());
            stage.keep();
            let bytes = stage.bytes();
            disk.apply(&stage.into_writes()).1.unwrap();
            bytes
        };
        let (short, long) = (Ticket(1), Ticket(2));
        commit(vec![Write::Outbox(letter(short, 1)), Write::Outbox(letter(long, 512))]);
        let step = |ticket, index| commit(vec![Write::Part(ticket, index, PartState::Sent("88".into()))]);
        let expected = step(short, 0);
        assert!(expected < 64, "{expected}");
        assert!((0..512).all(|index| step(long, index) == expected));
        assert_eq!(disk.count(Tree::OutboxParts).unwrap(), 513);

        // Nothing stays behind when the letter is kept anew or forgotten, in whatever order within a commit.
        let part = |index| Write::Part(long, index, PartState::Trying);
        commit(vec![part(700), Write::Outbox(letter(long, 2)), part(1)]);
        assert_eq!(disk.count(Tree::OutboxParts).unwrap(), 2);
        commit(vec![part(0), Write::Forget(long)]);
        assert_eq!(disk.count(Tree::OutboxParts).unwrap(), 1);
        commit(vec![Write::Forget(short), Write::Part(short, 0, PartState::Trying), part(3)]);
        assert_eq!(disk.count(Tree::OutboxParts).unwrap(), 2);
        disk.apply(&strays(&disk).unwrap()).1.unwrap();
        assert_eq!(disk.count(Tree::OutboxParts).unwrap(), 0);
    }
}
