//! The handle on an open store, and the contract's ports on it.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::clock::Clock;
use pensive_contract::ids::{Account, SessionId, SessionKey, Ticket};
use pensive_contract::inbound::Inbound;
use pensive_contract::session::{SessionRecord, Turn};
use pensive_contract::store::{
    Cursor, Inbox, InboxEntry, Ledger, Notes, Outbox, OutboxEntry, Sessions, StoreFault, Transcript, Write,
};
use tokio::sync::{Semaphore, TryAcquireError, oneshot};

use crate::disk::{Disk, Stored};
use crate::fault::{DiskFault, OpenFault};
use crate::folder::Folder;
use crate::frame::{self, Damage};
use crate::job::{Job, Queued, Reply};
use crate::key::{self, Key};
use crate::record::inbox::{InboxRecord, StateRecord};
use crate::record::meta::CursorRecord;
use crate::record::outbox::OutboxRecord;
use crate::record::turn::TurnRecord;
use crate::record::{self, session};
use crate::seen::REMEMBERED;
use crate::shared::{Shared, Standing};
use crate::tree::Tree;
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
    pub(crate) folder: PathBuf,
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

    /// The data folder.
    pub(crate) fn folder(&self) -> &std::path::Path {
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
    fn put(&self, job: Job) -> Result<(), Job> {
        match self.inner.room.clone().try_acquire_owned() {
            Ok(room) => {
                drop(self.inner.queue.send(Queued { job, room }));
                Ok(())
            }
            Err(TryAcquireError::NoPermits) => Err(job),
            Err(TryAcquireError::Closed) => Ok(()),
        }
    }

    /// Gives what was read, or has the writer set aside what cannot be read. With a full queue that waits for the next
    /// reader.
    fn or_aside<T>(&self, read: Result<T, Damage>, tree: Tree, key: &[u8], bytes: &Stored) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(Damage::Newer) => {
                let key = key::shown(tree, key);
                tracing::warn!(tree = tree.name(), key, "a record of a newer version was passed over");
                None
            }
            Err(damage @ (Damage::Short | Damage::Checksum | Damage::Shape)) => {
                drop(self.put(Job::SetAside(tree, Key::found(key), bytes.clone(), damage)));
                None
            }
        }
    }

    /// One record of a JSON tree.
    fn one<T: serde::de::DeserializeOwned>(&self, tree: Tree, key: &Key) -> Result<Option<T>, StoreFault> {
        let Some(bytes) = self.read(|disk| disk.get(tree, key))? else { return Ok(None) };
        Ok(self.or_aside(record::read(tree, key.as_bytes(), &bytes), tree, key.as_bytes(), &bytes))
    }

    /// All records of a tree whose keys are tickets, in order.
    fn all<T: serde::de::DeserializeOwned>(&self, tree: Tree) -> Result<Vec<(Ticket, T)>, StoreFault> {
        let found = self.read(|disk| disk.page(tree, None, usize::MAX))?;
        let read = |(key, bytes): (Stored, Stored)| {
            let record = self.or_aside(record::read(tree, &key, &bytes), tree, &key, &bytes)?;
            Some((Ticket(key::last_number(&key)?), record))
        };
        Ok(found.into_iter().filter_map(read).collect())
    }

    /// Whether a person may still press the button of a parked entry.
    fn pressable(&self, record: &InboxRecord) -> bool {
        match record.state() {
            StateRecord::Waiting | StateRecord::Running => true,
            StateRecord::Parked(since) => {
                self.clock().now().since(pensive_contract::clock::Timestamp(since)) < REMEMBERED
            }
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

type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreFault>> + Send + 'a>>;

/// `commit` waits while 1,024 jobs wait before it; `commit_soon` is refused then. A commit takes its place in the order
/// when `commit` is called, not when its future is first polled, and takes effect even if nobody polls it any more.
impl Ledger for Store {
    fn ticket(&self) -> Ticket {
        self.inner.shared.ticket()
    }

    fn commit<'s, 'f>(&'s self, commit: Vec<Write>) -> Pending<'f, ()>
    where
        's: 'f,
        Self: 'f,
    {
        Box::pin(self.ask(|reply| Job::Commit(commit, reply)))
    }

    fn commit_soon(&self, commit: Vec<Write>) -> Result<(), StoreFault> {
        match self.health() {
            Health::Closed => return Err(StoreFault::Closed),
            Health::Failed(why) => return Err(StoreFault::Disk(why)),
            Health::Well => {}
        }
        self.put(Job::Soon(commit)).map_err(|_| StoreFault::Disk("too many commits wait".to_owned()))
    }
}

#[async_trait]
impl Inbox for Store {
    async fn take(
        &self,
        batch: Vec<Inbound>,
        cursor: Option<Cursor>,
    ) -> Result<Vec<(Ticket, Inbound)>, StoreFault> {
        self.ask(|reply| Job::Take(batch, cursor, reply)).await
    }

    async fn open(&self) -> Result<Vec<InboxEntry>, StoreFault> {
        let all: Vec<(Ticket, InboxRecord)> = self.all(Tree::Inbox)?;
        let (open, expired): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(_, record)| self.pressable(record));
        if !expired.is_empty() {
            self.commit_soon(expired.into_iter().map(|(ticket, _)| Write::Close(ticket)).collect())?;
        }
        Ok(open.into_iter().map(|(ticket, record)| record.entry(ticket)).collect())
    }

    async fn entry(&self, ticket: Ticket) -> Result<Option<InboxEntry>, StoreFault> {
        let record: Option<InboxRecord> = self.one(Tree::Inbox, &key::ticket(ticket))?;
        Ok(record.filter(|record| self.pressable(record)).map(|record| record.entry(ticket)))
    }

    async fn cursor(&self, account: &Account) -> Result<Option<Cursor>, StoreFault> {
        let record: Option<CursorRecord> = self.one(Tree::Cursors, &key::cursor(account))?;
        Ok(record.map(|record| record.of(account)))
    }
}

#[async_trait]
impl Sessions for Store {
    async fn get(&self, key: &SessionKey) -> Result<Option<SessionRecord>, StoreFault> {
        let place = key::session(key);
        let Some(bytes) = self.read(|disk| disk.get(Tree::Sessions, &place))? else { return Ok(None) };
        Ok(self.or_aside(session::read(key, &bytes), Tree::Sessions, place.as_bytes(), &bytes))
    }

    async fn count(&self) -> Result<u64, StoreFault> {
        self.read(|_| Ok(self.inner.shared.sessions()))
    }
}

#[async_trait]
impl Transcript for Store {
    async fn tail(&self, session: &SessionId, most: usize) -> Result<Vec<Turn>, StoreFault> {
        let found = self.read(|disk| disk.newest(Tree::Transcript, &key::turns(session), most))?;
        let read = |(key, bytes): (Stored, Stored)| -> Option<Turn> {
            let turn = record::read::<TurnRecord>(Tree::Transcript, &key, &bytes);
            self.or_aside(turn, Tree::Transcript, &key, &bytes).map(Turn::from)
        };
        Ok(found.into_iter().rev().filter_map(read).collect())
    }
}

#[async_trait]
impl Outbox for Store {
    async fn pending(&self) -> Result<Vec<OutboxEntry>, StoreFault> {
        let all: Vec<(Ticket, OutboxRecord)> = self.all(Tree::Outbox)?;
        Ok(all.into_iter().map(|(ticket, record)| record.entry(ticket)).collect())
    }

    async fn entry(&self, ticket: Ticket) -> Result<Option<OutboxEntry>, StoreFault> {
        let record: Option<OutboxRecord> = self.one(Tree::Outbox, &key::ticket(ticket))?;
        Ok(record.map(|record| record.entry(ticket)))
    }
}

#[async_trait]
impl Notes for Store {
    async fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        let key = Key::default().text(name);
        let Some(bytes) = self.read(|disk| disk.get(Tree::Notes, &key))? else { return Ok(None) };
        let frame = frame::unseal(Tree::Notes, key.as_bytes(), &bytes).map(|frame| frame.payload.to_vec());
        Ok(self.or_aside(frame, Tree::Notes, key.as_bytes(), &bytes))
    }

    async fn keep(&self, name: &str, value: Vec<u8>) -> Result<(), StoreFault> {
        let name = name.to_owned();
        self.ask(|reply| Job::Keep(name, value, reply)).await
    }
}
