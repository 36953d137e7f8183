//! What the writer does when the disk fails: everybody who waits is told, nothing of theirs is kept, and the next commit
//! finds the store opened anew. What the failed commits may have left on the disk is undone before anything else happens,
//! so that a caller who was told of a fault can offer the same again.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pensive_contract::store::StoreFault;

use crate::disk::Disk;
use crate::fault::DiskFault;
use crate::job::{Job, Queued};
use crate::life::Life;
use crate::shared::Standing;
use crate::writer::{Next, Outcome, Writer};

impl Writer {
    /// Tells everybody that the disk failed, and lets go of it.
    pub(crate) fn fail(&mut self, fault: DiskFault, outcome: Outcome) -> Next {
        tracing::error!(%fault, "the store's disk failed; what waited for it was not kept");
        self.watched = None;
        self.dirty_since = None;
        self.let_go(fault.clone());
        for answer in outcome.answers {
            answer.refuse(fault.clone().into());
        }
        // Readers can go on when it opens again.
        self.revive();
        match outcome.closing {
            Some(reply) => Next::End(Some((reply, Err(fault.into())))),
            None => Next::Go,
        }
    }

    /// Closes the engine, which may not take it well after a fault.
    fn let_go(&self, fault: DiskFault) {
        drop(catch_unwind(AssertUnwindSafe(|| self.shared.set_standing(Standing::Failed(fault)))));
    }

    /// Opens the disk again and undoes what failed commits left there.
    pub(crate) fn revive(&mut self) {
        let opened = self.folder.store().and_then(|path| Disk::open(&path)).and_then(|disk| {
            for undo in self.unflushed.iter().rev() {
                disk.apply(undo).1?;
            }
            disk.flush()?;
            let life = Life::read(&disk, &self.folder)?;
            Ok((disk, life))
        });
        match opened {
            Ok((disk, life)) => {
                self.unflushed.clear();
                self.flush = self.flush.max(life.flush);
                life.publish(&self.shared);
                self.seen = life.seen;
                self.shared.set_standing(Standing::Open(disk));
                tracing::info!("the store is open again");
            }
            Err(fault) => {
                tracing::error!(%fault, "the store stays closed until the next attempt");
                self.let_go(fault);
            }
        }
    }

    /// Answers everything that waits with why it cannot be done.
    pub(crate) fn refuse(&mut self, first: Queued, fault: &StoreFault) -> Next {
        let mut closing = None;
        let mut next = Some(first);
        while let Some(Queued { job, room }) = next.take() {
            drop(room);
            match job {
                Job::Close(reply) => closing = Some(reply),
                other => other.refuse(fault.clone()),
            }
            next = self.queue.try_recv().ok();
        }
        closing.map_or(Next::Go, |reply| Next::End(Some((reply, Err(fault.clone())))))
    }
}
