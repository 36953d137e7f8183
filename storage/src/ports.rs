//! The contract's ports on an open store.

use std::pin::Pin;

use async_trait::async_trait;
use pensive_contract::clock::Timestamp;
use pensive_contract::ids::{Account, SessionId, SessionKey, Ticket};
use pensive_contract::inbound::Inbound;
use pensive_contract::session::{SessionRecord, Turn};
use pensive_contract::store::{
    Cursor, Inbox, InboxEntry, Ledger, Notes, Outbox, OutboxEntry, Sessions, StoreFault, Transcript, Write,
};
use serde::de::DeserializeOwned;

use crate::disk::Stored;
use crate::frame::{self, Damage};
use crate::job::Job;
use crate::key::{self, Key};
use crate::record::inbox::{InboxRecord, StateRecord};
use crate::record::meta::CursorRecord;
use crate::record::turn::TurnRecord;
use crate::record::{self, session};
use crate::seen::REMEMBERED;
use crate::store::{Health, Store};
use crate::tree::Tree;

type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreFault>> + Send + 'a>>;

/// With 1,024 jobs in the queue `commit` waits for room and `commit_soon` is refused. A commit takes its place in the order
/// when `commit` is called (in a full queue: when its future is polled), and is written even if nobody polls it any more.
impl Ledger for Store {
    fn ticket(&self) -> Ticket {
        self.next_ticket()
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
        self.read(|_| Ok(self.sessions()))
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
        let found = self.read(|disk| disk.page(Tree::Outbox, None, usize::MAX))?;
        let tickets = found.iter().filter_map(|(key, _)| key::last_number(key).map(Ticket));
        tickets.filter_map(|ticket| self.letter(ticket).transpose()).collect()
    }

    async fn entry(&self, ticket: Ticket) -> Result<Option<OutboxEntry>, StoreFault> {
        self.letter(ticket)
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

impl Store {
    /// Gives what was read, or has the writer set aside what cannot be read. With a full queue that waits for the next
    /// reader.
    pub(crate) fn or_aside<T>(
        &self,
        read: Result<T, Damage>,
        tree: Tree,
        key: &[u8],
        bytes: &Stored,
    ) -> Option<T> {
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
    fn one<T: DeserializeOwned>(&self, tree: Tree, key: &Key) -> Result<Option<T>, StoreFault> {
        let Some(bytes) = self.read(|disk| disk.get(tree, key))? else { return Ok(None) };
        Ok(self.or_aside(record::read(tree, key.as_bytes(), &bytes), tree, key.as_bytes(), &bytes))
    }

    /// All records of a tree whose keys are tickets, in order.
    fn all<T: DeserializeOwned>(&self, tree: Tree) -> Result<Vec<(Ticket, T)>, StoreFault> {
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
            StateRecord::Waiting | StateRecord::Heeded | StateRecord::Running => true,
            StateRecord::Parked(since) => self.clock().now().since(Timestamp(since)) < REMEMBERED,
        }
    }
}
