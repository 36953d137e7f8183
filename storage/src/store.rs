//! The handle on an open store: opening, closing, and the queue to its writer. The contract's ports on it are in `ports`.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pensive_contract::clock::Clock;
use pensive_contract::ids::Ticket;
use pensive_contract::store::StoreFault;
use tokio::sync::{Semaphore, TryAcquireError, oneshot};

use crate::disk::Disk;
use crate::fault::{DiskFault, OpenFault};
use crate::folder::Folder;
use crate::job::{Job, Queued, Reply};
use crate::shared::{Shared, Standing};
use crate::writer::Writer;

/// How many jobs may wait for the writer.
const ROOM: usize = 1024;

/// Longer than the biggest healthy store takes to open.
const OPEN_LIMIT: Duration = Duration::from_secs(120);

/// What a store needs to know.
pub struct OpenSettings {
    /// The data folder; created, for its owner only, where it is missing.
    pub path: PathBuf,
    /// Tells when events were taken.
    pub clock: Arc<dyn Clock>,
}

/// How the store stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// It reads and writes.
    Well,
    /// The disk failed; the words are for an operator. Every commit tries again.
    Failed(String),
    /// It is closed.
    Closed,
}

/// An open store. Clones are handles on the same one; it closes with [`Store::close`] or with the last of them.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    queue: mpsc::Sender<Queued>,
    room: Arc<Semaphore>,
    writer: Mutex<Option<JoinHandle<()>>>,
    folder: PathBuf,
}

impl Store {
    /// Opens or creates the store, and starts the thread that writes. Blocks: 1 to 5 ms for a small store, some 15 ms
    /// for a hundred thousand sessions.
    ///
    /// # Errors
    /// See [`OpenFault`]; the words say what to do.
    pub fn open(settings: OpenSettings) -> Result<Self, OpenFault> {
        let OpenSettings { path, clock } = settings;
        let folder = Folder::claim(&path)?;
        let shared = Arc::new(Shared::new(clock));
        let (queue, jobs) = mpsc::channel();
        let (opened, opening) = mpsc::sync_channel(1);
        let for_writer = shared.clone();
        let work = move || match Writer::open(for_writer, folder, jobs) {
            Ok(writer) => {
                drop(opened.send(Ok(())));
                writer.run();
            }
            Err(fault) => drop(opened.send(Err(fault))),
        };
        let other = |why: String| OpenFault::Other { folder: path.clone(), why };
        let thread = thread::Builder::new().name("pensive-store".to_owned());
        let writer = thread.spawn(work).map_err(|cause| other(cause.to_string()))?;
        opening.recv_timeout(OPEN_LIMIT).map_err(|_| other("it does not answer".to_owned()))??;
        let inner = Inner {
            shared,
            queue,
            room: Arc::new(Semaphore::new(ROOM)),
            writer: Mutex::new(Some(writer)),
            folder: path,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Writes all that waits, flushes and closes; the folder is free when this returns. Later calls get
    /// [`StoreFault::Closed`].
    ///
    /// # Errors
    /// The last of it could not be written.
    pub async fn close(&self) -> Result<(), StoreFault> {
        self.ask(Job::Close).await
    }

    /// How the store stands.
    #[must_use]
    pub fn health(&self) -> Health {
        match &*self.inner.shared.standing() {
            Standing::Open(_) => Health::Well,
            Standing::Failed(fault) => Health::Failed(fault.to_string()),
            Standing::Closed => Health::Closed,
        }
    }

    /// How many records could not be read and are set aside.
    #[must_use]
    pub fn quarantined(&self) -> u64 {
        self.inner.shared.quarantined()
    }

    /// The next ticket.
    pub(crate) fn next_ticket(&self) -> Ticket {
        self.inner.shared.ticket()
    }

    /// How many sessions there are.
    pub(crate) fn sessions(&self) -> u64 {
        self.inner.shared.sessions()
    }

    /// The data folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.inner.folder
    }

    /// Who tells the time.
    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.inner.shared.clock
    }

    /// Reads from the disk.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Disk) -> Result<T, DiskFault>) -> Result<T, StoreFault> {
        self.inner.shared.read(read)
    }

    /// Puts a job into the queue now if there is room, else when there is; then waits for its answer.
    pub(crate) fn ask<T, J: FnOnce(Reply<T>) -> Job>(
        &self,
        job: J,
    ) -> impl Future<Output = Result<T, StoreFault>> + use<T, J> {
        let (reply, answer) = oneshot::channel();
        let waiting = self.put(job(reply)).err();
        let inner = self.inner.clone();
        async move {
            if let Some(job) = waiting {
                let room = inner.room.clone().acquire_owned().await.map_err(|_| StoreFault::Closed)?;
                inner.queue.send(Queued { job, room }).map_err(|_| StoreFault::Closed)?;
            }
            answer.await.unwrap_or(Err(StoreFault::Closed))
        }
    }

    /// Puts a job into the queue if there is room; one that meets a closed store is dropped, and its caller told so.
    pub(crate) fn put(&self, job: Job) -> Result<(), Job> {
        match self.inner.room.clone().try_acquire_owned() {
            Ok(room) => {
                drop(self.inner.queue.send(Queued { job, room }));
                Ok(())
            }
            Err(TryAcquireError::NoPermits) => Err(job),
            Err(TryAcquireError::Closed) => Ok(()),
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let (reply, answer) = oneshot::channel();
        if let Ok(room) = self.room.clone().try_acquire_owned() {
            drop(self.queue.send(Queued { job: Job::Close(reply), room }));
        }
        drop(answer);
        // Without room for the job, the writer ends when it finds that nobody can ask any more.
        self.queue = mpsc::channel().0;
        if let Some(writer) = writer.filter(|writer| writer.thread().id() != thread::current().id())
            && writer.join().is_err()
        {
            tracing::error!("the store's writer panicked");
        }
    }
}
