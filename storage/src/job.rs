//! What callers hand to the writer, and how they get their answers.

use pensive_contract::ids::Ticket;
use pensive_contract::inbound::Inbound;
use pensive_contract::store::{Cursor, StoreFault, Write};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::disk::{Stored, Writes};
use crate::frame::Damage;
use crate::key::Key;
use crate::tree::Tree;

/// The caller's end of an answer.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, StoreFault>>;

/// One thing for the writer to do.
pub(crate) enum Job {
    /// Write; somebody waits for the disk.
    Commit(Vec<Write>, Reply<()>),
    /// Write; nobody waits.
    Soon(Vec<Write>),
    /// Take events that were never seen.
    Take(Vec<Inbound>, Option<Cursor>, Reply<Vec<(Ticket, Inbound)>>),
    /// Keep a small value.
    Keep(String, Vec<u8>, Reply<()>),
    /// Move a record that could not be read out of the way, if it still is what was found.
    SetAside(Tree, Key, Stored, Damage),
    /// Note from now on which keys change.
    Watch(Reply<()>),
    /// Tell which keys changed since then and what they hold, all at one moment that is on disk.
    Cut(Reply<Changes>),
    /// Flush, let go of the disk, and end.
    Close(Reply<()>),
}

/// A job in the queue and the room that it takes there.
pub(crate) struct Queued {
    pub(crate) job: Job,
    pub(crate) room: OwnedSemaphorePermit,
}

/// What changed during a watch.
pub(crate) struct Changes {
    /// The keys with what they hold now.
    pub(crate) writes: Writes,
    /// The number of the flush that has them all.
    pub(crate) flush: u64,
}

/// An answer that waits for the flush.
pub(crate) enum Answer {
    Done(Reply<()>),
    Taken(Reply<Vec<(Ticket, Inbound)>>, Vec<(Ticket, Inbound)>),
    Cut(Reply<Changes>),
}

impl Answer {
    /// Tells a caller that nothing of the commit was kept.
    pub(crate) fn refuse(self, fault: StoreFault) {
        match self {
            Self::Done(reply) => tell(reply, Err(fault)),
            Self::Taken(reply, _) => tell(reply, Err(fault)),
            Self::Cut(reply) => tell(reply, Err(fault)),
        }
    }
}

impl Job {
    /// The same for a job that was not begun.
    pub(crate) fn refuse(self, fault: StoreFault) {
        match self {
            Self::Commit(_, reply) | Self::Keep(_, _, reply) | Self::Watch(reply) | Self::Close(reply) => {
                tell(reply, Err(fault));
            }
            Self::Take(_, _, reply) => tell(reply, Err(fault)),
            Self::Cut(reply) => tell(reply, Err(fault)),
            Self::Soon(_) => tracing::error!(%fault, "a commit that nobody waits for was dropped"),
            Self::SetAside(..) => {}
        }
    }
}

/// Answers a caller; one that has stopped waiting needs no answer.
pub(crate) fn tell<T>(reply: Reply<T>, answer: Result<T, StoreFault>) {
    drop(reply.send(answer));
}
