//! The one thread that writes. It takes what waits in the queue, stages it in order, writes it in one step, flushes once
//! and then answers everybody: a flush costs the same for one commit as for a hundred.
//! What happens when the disk fails is in `mend`.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use pensive_contract::store::StoreFault;

use crate::desk::{Desk, Refusal};
use crate::disk::{Disk, Writes};
use crate::fault::{DiskFault, OpenFault};
use crate::folder::Folder;
use crate::job::{Answer, Changes, Job, Queued, Reply, tell};
use crate::key::Key;
use crate::letter;
use crate::life::Life;
use crate::record::{self, meta};
use crate::seen::Seen;
use crate::shared::{Shared, Standing};
use crate::stage::Stage;
use crate::tree::Tree;

/// How long a commit that nobody waits for may stay in memory.
const SOON: Duration = Duration::from_millis(100);

/// A group takes in no more jobs when it has this much to write.
const GROUP_BYTES: usize = 1024 * 1024;

/// A watch that has seen so many keys belongs to a backup that nobody makes any more.
const MOST_WATCHED: usize = 1_000_000;

/// The owner of everything that is written.
pub(crate) struct Writer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) folder: Folder,
    pub(crate) queue: Receiver<Queued>,
    pub(crate) seen: Seen,
    pub(crate) flush: u64,
    marked: Mark,
    /// What undoes all that was applied and is not on disk; the oldest last.
    pub(crate) unflushed: Vec<Writes>,
    pub(crate) dirty_since: Option<Instant>,
    pub(crate) watched: Option<BTreeSet<(Tree, Key)>>,
}

/// Whether the mark beside the store has been set in this life.
enum Mark {
    Behind,
    Set,
}

/// Whether the thread goes on.
pub(crate) enum Next {
    Go,
    /// Whom to tell when the folder is free.
    End(Option<(Reply<()>, Result<(), StoreFault>)>),
}

/// What a group of jobs comes to when it is staged.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) answers: Vec<Answer>,
    pub(crate) closing: Option<Reply<()>>,
    pub(crate) fault: Option<DiskFault>,
}

impl Writer {
    /// Opens the store in `folder` and starts its next life.
    pub(crate) fn open(
        shared: Arc<Shared>,
        folder: Folder,
        queue: Receiver<Queued>,
    ) -> Result<Self, OpenFault> {
        let opened = folder.store().and_then(|path| Disk::open(&path)).and_then(|disk| {
            let (life, mut writes) = Life::read(&disk, &folder)?.next();
            writes.extend(letter::strays(&disk)?);
            let (undo, applied) = disk.apply(&writes);
            applied.map(|()| (disk, life, undo))
        });
        let (disk, life, undo) = opened.map_err(|fault| folder.fault(fault))?;
        life.publish(&shared);
        shared.set_standing(Standing::Open(disk));
        Ok(Self {
            shared,
            folder,
            queue,
            seen: life.seen,
            flush: life.flush,
            marked: Mark::Behind,
            unflushed: vec![undo],
            dirty_since: Some(now()),
            watched: None,
        })
    }

    /// Works until the store is closed or nobody is left who could ask. Lets go of the folder before the last answer.
    pub(crate) fn run(mut self) {
        let last = loop {
            let next = match self.wait() {
                Ok(first) => self.group(first),
                Err(RecvTimeoutError::Timeout) => self.settle(),
                Err(RecvTimeoutError::Disconnected) => self.close(None),
            };
            if let Next::End(last) = next {
                break last;
            }
            if let Mark::Behind = self.marked {
                self.mark();
            }
        };
        let shared = self.shared.clone();
        drop(self);
        shared.set_standing(Standing::Closed);
        if let Some((reply, answer)) = last {
            tell(reply, answer);
        }
    }

    fn wait(&self) -> Result<Queued, RecvTimeoutError> {
        match self.dirty_since {
            None => self.queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(since) => self.queue.recv_timeout(SOON.saturating_sub(since.elapsed())),
        }
    }

    /// Works on `first` and all that waits behind it.
    fn group(&mut self, first: Queued) -> Next {
        let shared = self.shared.clone();
        if !matches!(*shared.standing(), Standing::Open(_)) {
            self.revive();
        }
        let standing = shared.standing();
        let disk = match &*standing {
            Standing::Open(disk) => disk,
            Standing::Failed(fault) => return self.refuse(first, &fault.clone().into()),
            Standing::Closed => return self.refuse(first, &StoreFault::Closed),
        };
        let mut outcome = Outcome::default();
        let writes = self.stage(disk, first, &mut outcome);
        let overdue = self.dirty_since.is_some_and(|since| since.elapsed() >= SOON);
        let flush = overdue || !outcome.answers.is_empty() || outcome.closing.is_some();
        let written = match outcome.fault.take() {
            Some(fault) => Err(fault),
            None => self.write(disk, writes, flush),
        };
        match written {
            Ok(()) => {
                self.answer(disk, outcome.answers);
                drop(standing);
                outcome.closing.map_or(Next::Go, |reply| self.close(Some(reply)))
            }
            Err(fault) => {
                drop(standing);
                self.fail(fault, outcome)
            }
        }
    }

    /// Stages jobs until none waits or the group is big.
    fn stage(&mut self, disk: &Disk, first: Queued, outcome: &mut Outcome) -> Writes {
        let mut stage = Stage::new(disk);
        let mut next = Some(first);
        while let Some(Queued { job, room }) = next.take() {
            drop(room);
            match self.stage_job(job, &mut stage, outcome) {
                Ok(()) => stage.keep(),
                Err(fault) => outcome.fault = Some(fault),
            }
            let full = stage.bytes() >= GROUP_BYTES;
            if full || outcome.fault.is_some() || outcome.closing.is_some() {
                break;
            }
            next = self.queue.try_recv().ok();
        }
        stage.into_writes()
    }

    fn stage_job(&mut self, job: Job, stage: &mut Stage<'_>, outcome: &mut Outcome) -> Result<(), DiskFault> {
        let mut desk = Desk { shared: &self.shared, stage };
        match job {
            Job::Commit(writes, reply) => match desk.commit(writes) {
                Ok(()) => outcome.answers.push(Answer::Done(reply)),
                Err(Refusal::Commit(fault)) => {
                    stage.discard();
                    tell(reply, Err(fault));
                }
                Err(Refusal::Disk(fault)) => {
                    outcome.answers.push(Answer::Done(reply));
                    return Err(fault);
                }
            },
            Job::Soon(writes) => match desk.commit(writes) {
                Ok(()) => {}
                Err(Refusal::Commit(fault)) => {
                    stage.discard();
                    tracing::error!(%fault, "a commit that nobody waits for was dropped");
                }
                Err(Refusal::Disk(fault)) => return Err(fault),
            },
            Job::Take(batch, cursor, reply) => {
                let taken = self.seen.take(&mut desk, batch, cursor);
                let fault = taken.as_ref().err().cloned();
                outcome.answers.push(Answer::Taken(reply, taken.unwrap_or_default()));
                fault.map_or(Ok(()), Err)?;
            }
            Job::Keep(name, value, reply) => {
                desk.keep(&name, &value);
                outcome.answers.push(Answer::Done(reply));
            }
            Job::SetAside(tree, key, found, damage) => desk.set_aside_found(tree, &key, &found, damage)?,
            Job::Watch(reply) => {
                self.watched = Some(BTreeSet::new());
                outcome.answers.push(Answer::Done(reply));
            }
            Job::Cut(reply) => outcome.answers.push(Answer::Cut(reply)),
            Job::Close(reply) => outcome.closing = Some(reply),
        }
        Ok(())
    }

    /// Applies `writes` and, when somebody waits for it, flushes them and all that was applied before.
    fn write(&mut self, disk: &Disk, mut writes: Writes, flush: bool) -> Result<(), DiskFault> {
        let flush = flush && !(writes.is_empty() && self.unflushed.is_empty());
        if flush {
            self.flush += 1;
            let key = Key::default().text(meta::FLUSH);
            let value = record::write(Tree::Meta, &key, &self.flush);
            writes.insert((Tree::Meta, key), Some(value.into()));
        }
        if !writes.is_empty() {
            let (undo, applied) = disk.apply(&writes);
            self.unflushed.push(undo);
            applied?;
            self.dirty_since.get_or_insert_with(now);
        }
        if flush {
            disk.flush()?;
            self.unflushed.clear();
            self.dirty_since = None;
        }
        let sessions = (Tree::Meta, Key::default().text(meta::SESSIONS));
        if let Some(Some(count)) = writes.get(&sessions)
            && let Ok(count) = record::read(Tree::Meta, sessions.1.as_bytes(), count)
        {
            self.shared.set_sessions(count);
        }
        if let Some(watched) = &mut self.watched {
            watched.extend(writes.into_keys());
            if watched.len() > MOST_WATCHED {
                self.watched = None;
            }
        }
        Ok(())
    }

    fn answer(&mut self, disk: &Disk, answers: Vec<Answer>) {
        for answer in answers {
            match answer {
                Answer::Done(reply) => tell(reply, Ok(())),
                Answer::Taken(reply, taken) => tell(reply, Ok(taken)),
                Answer::Cut(reply) => tell(reply, self.cut(disk)),
            }
        }
    }

    /// What changed since the watch began.
    fn cut(&mut self, disk: &Disk) -> Result<Changes, StoreFault> {
        let lost = || StoreFault::Disk("the backup was broken off".to_owned());
        let watched = self.watched.take().ok_or_else(lost)?;
        let now = watched.into_iter().map(|(tree, key)| {
            let value = disk.get(tree, &key)?;
            Ok(((tree, key), value))
        });
        let writes = now.collect::<Result<Writes, DiskFault>>()?;
        Ok(Changes { writes, flush: self.flush })
    }

    /// Flushes what nobody waits for.
    fn settle(&mut self) -> Next {
        let shared = self.shared.clone();
        let standing = shared.standing();
        let written = match &*standing {
            Standing::Open(disk) => self.write(disk, Writes::new(), true),
            Standing::Failed(_) | Standing::Closed => Ok(()),
        };
        drop(standing);
        match written {
            Ok(()) => Next::Go,
            Err(fault) => self.fail(fault, Outcome::default()),
        }
    }

    fn close(&mut self, reply: Option<Reply<()>>) -> Next {
        self.settle();
        let answer = match &*self.shared.standing() {
            Standing::Failed(fault) => Err(fault.clone().into()),
            Standing::Open(_) | Standing::Closed => Ok(()),
        };
        self.mark();
        // What the engine still does when it is let go may find trouble; all of ours is on disk.
        drop(catch_unwind(AssertUnwindSafe(|| self.shared.set_standing(Standing::Closed))));
        Next::End(reply.map(|reply| (reply, answer)))
    }

    /// Remembers beside the store how far it has come.
    fn mark(&mut self) {
        if self.unflushed.is_empty() {
            self.marked = Mark::Set;
            if let Err(cause) = self.folder.set_mark(self.flush) {
                tracing::warn!(%cause, "the store's mark could not be written");
            }
        }
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "paces this thread's flushes; nothing that a caller sees depends on it"
)]
fn now() -> Instant {
    Instant::now()
}
