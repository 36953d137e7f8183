//! Takes events in, each once. What was taken is remembered for 24 hours, and no more than [`MOST`] of it; every take
//! forgets a little more than it adds, so that no single one pays for the rest.

use std::ops::Range;
use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::Ticket;
use pensive_contract::inbound::Inbound;
use pensive_contract::store::Cursor;

use crate::desk::Desk;
use crate::disk::{Disk, Edge};
use crate::fault::DiskFault;
use crate::key::{self, Key};
use crate::record::inbox::InboxRecord;
use crate::record::meta::{CursorRecord, SeenRecord, When};
use crate::tree::Tree;

/// How long an event is known as seen.
pub(crate) const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

/// How many events are known as seen at most: more than two a second, all day.
const MOST: u64 = 200_000;

/// The events that are remembered, as numbers in the order of taking, without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    order: Range<u64>,
    most: u64,
}

impl Seen {
    /// What a disk remembers.
    pub(crate) fn load(disk: &Disk) -> Result<Self, DiskFault> {
        let number = |edge| -> Result<Option<u64>, DiskFault> {
            Ok(disk.edge(Tree::SeenOrder, edge)?.and_then(|(key, _)| key::last_number(&key)))
        };
        let first = number(Edge::First)?.unwrap_or(0);
        let next = number(Edge::Last)?.map_or(0, |last| last.saturating_add(1));
        Ok(Self { order: first..next, most: MOST })
    }

    /// Stages the new ones among `batch`, and the cursor. Returns the new ones with their tickets, in order.
    pub(crate) fn take(
        &mut self,
        desk: &mut Desk<'_, '_>,
        batch: Vec<Inbound>,
        cursor: Option<Cursor>,
    ) -> Result<Vec<(Ticket, Inbound)>, DiskFault> {
        let now = desk.shared.clock.now();
        self.forget(desk, now, 2 * batch.len() as u64 + 2)?;
        let mut taken = Vec::with_capacity(batch.len());
        for inbound in batch {
            let account = &inbound.place.account;
            let key = key::seen(account, &inbound.update);
            let when: Option<When> = desk.read(Tree::Seen, &key)?;
            if when.is_some_and(|when| now.since(Timestamp(when.at)) < REMEMBERED) {
                continue;
            }
            let ticket = desk.shared.ticket();
            let order = self.order.end;
            self.order.end += 1;
            let seen = SeenRecord::new(now, account, &inbound.update);
            desk.put(Tree::Seen, key, &When { at: now.0, order });
            desk.put(Tree::SeenOrder, Key::default().number(order), &seen);
            desk.put(Tree::Inbox, key::ticket(ticket), &InboxRecord::waiting(&inbound));
            taken.push((ticket, inbound));
        }
        if let Some(cursor) = cursor {
            desk.put(Tree::Cursors, key::cursor(&cursor.account), &CursorRecord::from(cursor.clone()));
        }
        Ok(taken)
    }

    /// Forgets up to `most` of the oldest that are old enough, or too many.
    fn forget(&mut self, desk: &mut Desk<'_, '_>, now: Timestamp, most: u64) -> Result<(), DiskFault> {
        for _ in 0..most {
            if self.order.is_empty() {
                break;
            }
            let oldest = self.order.start;
            let key = Key::default().number(oldest);
            let seen: Option<SeenRecord> = desk.read(Tree::SeenOrder, &key)?;
            if let Some(seen) = seen {
                let many = self.order.end - oldest > self.most;
                if !many && now.since(Timestamp(seen.at)) < REMEMBERED {
                    break;
                }
                let (account, update) = seen.event();
                let event = key::seen(&account, &update);
                let when: Option<When> = desk.read(Tree::Seen, &event)?;
                // The event may have come again, long after, and be remembered anew.
                if when.is_some_and(|when| when.order == oldest) {
                    desk.stage.remove(Tree::Seen, event);
                }
                desk.stage.remove(Tree::SeenOrder, key);
            }
            self.order.start += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pensive_contract::clock::Clock;
    use pensive_contract::ids::Account;
    use pensive_contract::inbound::{Addressed, ChatKind, InboundKind, Place, Sender, TypedText};

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

    fn event(update: usize) -> Inbound {
        Inbound {
            update: update.to_string().into(),
            place: Place {
                account: Account { channel: "c".into(), id: "a".into() },
                chat: "1".into(),
                kind: ChatKind::Direct,
                topic: None,
                space: None,
            },
            sender: Sender { id: "1".into(), name: String::new(), roles: Vec::new() },
            message: "1".into(),
            kind: InboundKind::Message(TypedText::default()),
            addressed: Addressed::Yes,
            attachments: Vec::new(),
            album: None,
            at: Timestamp(1),
        }
    }

    #[test]
    fn rst_04_what_is_remembered_is_bounded_and_each_take_costs_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::open(dir.path()).unwrap();
        let shared = Shared::new(Arc::new(StillClock));
        let mut seen = Seen { most: 10, ..Seen::load(&disk).unwrap() };
        for update in 0..60 {
            let mut stage = Stage::new(&disk);
            let mut desk = Desk { shared: &shared, stage: &mut stage };
            assert_eq!(seen.take(&mut desk, vec![event(update)], None).unwrap().len(), 1);
            stage.keep();
            let writes = stage.into_writes();
            // Three records come and, at most, four events go.
            assert!(writes.len() <= 3 + 2 * 4, "{}", writes.len());
            disk.apply(&writes).1.unwrap();
            assert!(disk.count(Tree::Seen).unwrap() <= 11);
            assert_eq!(disk.count(Tree::Seen), disk.count(Tree::SeenOrder));
            assert_eq!(Seen { most: 10, ..Seen::load(&disk).unwrap() }, seen);
        }
        let mut stage = Stage::new(&disk);
        let mut desk = Desk { shared: &shared, stage: &mut stage };
        let again = vec![event(59), event(55), event(0)];
        let taken = seen.take(&mut desk, again, None).unwrap();
        assert_eq!(taken.iter().map(|(_, event)| event.update.as_str()).collect::<Vec<_>>(), ["0"]);
    }
}
