//! The line that events come in by: one WebSocket for each shard, kept alive, and taken up again where it broke.
//!
//! What to do is decided in `machine`, which is pure; `shard` does it with the `socket` that it holds. `entrance` asks where
//! to connect and sees to it that sessions are not started faster than Discord allows. What the events mean is not known here.

mod entrance;
mod machine;
mod pauses;
mod shard;
mod socket;
mod wire;

use std::fmt;
use std::sync::Arc;

pub(crate) use entrance::{Entrance, Trouble, trouble};
pub(crate) use machine::Park;
pub(crate) use pauses::Pauses;
pub(crate) use shard::{Bell, Line, Shard, WAITING};
pub(crate) use socket::Dialer;

/// Which part of an account's events a line brings: all of them where there is but one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slice {
    /// From 0.
    pub(crate) index: u32,
    /// How many lines there are.
    pub(crate) count: u32,
}

/// What Discord knows a line by across connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Session {
    /// Empty where none was given: there is nothing to resume then.
    pub(crate) id: String,
    /// Where it is resumed.
    pub(crate) url: Option<String>,
}

/// How far a session's events have been taken in for good. Whatever comes after it, Discord sends again on request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Point {
    /// Whose events.
    pub(crate) session: Arc<Session>,
    /// The number of the last one.
    pub(crate) seq: u64,
}

/// An event as it came, in order and without repetitions inside its session.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Dispatch {
    /// The line that brought it.
    pub(crate) shard: u32,
    /// The session that it belongs to, and its number there.
    pub(crate) at: Point,
    /// What Discord calls it, such as `MESSAGE_CREATE`.
    pub(crate) kind: String,
    /// Its JSON.
    pub(crate) data: String,
    /// Whether it is being made up for: it happened while there was no connection.
    pub(crate) late: bool,
}

impl fmt::Debug for Dispatch {
    // People's words are in the data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of shard {}", self.kind, self.at.seq, self.shard)
    }
}

/// How a session came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// It is new: what happened before it does not come.
    Fresh,
    /// It was taken up again without a loss.
    Resumed,
}

/// What a line tells of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Events come in, or can.
    Up(Entry),
    /// A heartbeat was acknowledged.
    Acked,
    /// An event came in.
    Event,
    /// The connection stands, and nothing answers on it.
    Deaf(String),
    /// There is no connection; another attempt follows.
    Down(String),
}

/// Whoever a line reports to. Both are called while the line waits, and must be quick.
pub(crate) trait Watcher: Send + Sync {
    /// A line tells how it stands.
    fn sign(&self, shard: u32, sign: Sign);

    /// An event came in and is about to wait for its turn: for what cannot wait so long.
    fn glimpse(&self, dispatch: &Dispatch);
}
