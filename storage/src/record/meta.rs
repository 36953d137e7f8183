//! Small records: the store's counters, what was seen, and where an account stands.

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::{Account, UpdateId};
use pensive_contract::store::Cursor;
use serde::{Deserialize, Serialize};

/// How often the store was opened: the upper half of every ticket.
pub(crate) const LIFE: &str = "life";
/// How many sessions there are.
pub(crate) const SESSIONS: &str = "sessions";
/// A number that grows with every flush: a log that lost its end is known by it.
pub(crate) const FLUSH: &str = "flush";

/// When an event was taken, and where it stands in the order of taking.
#[derive(Serialize, Deserialize)]
pub(crate) struct When {
    pub(crate) at: i64,
    pub(crate) order: u64,
}

/// An event that was taken, in the order of taking.
#[derive(Serialize, Deserialize)]
pub(crate) struct SeenRecord {
    pub(crate) at: i64,
    channel: String,
    account: String,
    update: String,
}

impl SeenRecord {
    pub(crate) fn new(at: Timestamp, account: &Account, update: &UpdateId) -> Self {
        Self {
            at: at.0,
            channel: account.channel.to_string(),
            account: account.id.to_string(),
            update: update.to_string(),
        }
    }

    pub(crate) fn event(self) -> (Account, UpdateId) {
        (Account { channel: self.channel.into(), id: self.account.into() }, self.update.into())
    }
}

/// See [`Cursor`].
#[derive(Serialize, Deserialize)]
pub(crate) struct CursorRecord {
    bot: String,
    next: i64,
}

impl From<Cursor> for CursorRecord {
    fn from(cursor: Cursor) -> Self {
        Self { bot: cursor.bot, next: cursor.next }
    }
}

impl CursorRecord {
    pub(crate) fn of(self, account: &Account) -> Cursor {
        Cursor { account: account.clone(), bot: self.bot, next: self.next }
    }
}
