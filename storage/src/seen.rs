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
