//! A clock that tests own, a store in a folder of its own, and values to put into it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use pensive_contract::clock::{Clock, Timestamp};
use pensive_contract::ids::{Account, SessionKey, Ticket};
use pensive_contract::inbound::{
    Addressed, AttachmentKind, ChatKind, Inbound, InboundKind, Place, Sender, TypedText,
};
use pensive_contract::outward::{Button, Enclosure, Finality, Mark, Part, Style, Whole};
use pensive_contract::session::SessionRecord;
use pensive_contract::store::{OutboxEntry, OutboxKind, PartState, SessionChange, Write};
use pensive_storage::{OpenFault, OpenSettings, Store};

/// A clock that moves when it is told to.
#[derive(Clone)]
pub struct TestClock(Arc<AtomicI64>);

impl TestClock {
    pub fn new() -> Self {
        Self(Arc::new(AtomicI64::new(1_800_000_000_000)))
    }

    pub fn pass(&self, span: Duration) {
        self.0.fetch_add(span.as_millis() as i64, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }

    fn sleep_until(&self, _: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(futures::future::pending())
    }
}

pub fn try_open(path: &Path, clock: &TestClock) -> Result<Store, OpenFault> {
    Store::open(OpenSettings { path: path.to_owned(), clock: Arc::new(clock.clone()) })
}

/// Opens the store. After a test has had sled open by hand, sled's own threads may hold the lock for a moment longer than the
/// handle lives.
pub fn open(path: &Path) -> Store {
    for _ in 0..1_000_000 {
        match try_open(path, &TestClock::new()) {
            Err(OpenFault::Other { why, .. }) if why.contains("WouldBlock") => std::thread::yield_now(),
            opened => return opened.unwrap(),
        }
    }
    panic!("{} stays locked", path.display());
}

pub fn account(id: &str) -> Account {
    Account { channel: "telegram".into(), id: id.into() }
}

pub fn place(account_id: &str) -> Place {
    Place {
        account: account(account_id),
        chat: "-100".into(),
        kind: ChatKind::Group,
        topic: None,
        space: None,
    }
}

pub fn inbound(account_id: &str, update: &str, text: &str) -> Inbound {
    Inbound {
        update: update.into(),
        place: place(account_id),
        sender: Sender { id: "1".into(), name: "Alice".to_owned(), roles: Vec::new() },
        message: "7".into(),
        kind: InboundKind::Message(TypedText { text: text.to_owned(), ..TypedText::default() }),
        addressed: Addressed::Yes,
        attachments: Vec::new(),
        album: None,
        at: Timestamp(5),
    }
}

pub fn session_key(peer: &str) -> SessionKey {
    SessionKey::of(["agent", "main", "telegram", "direct", peer])
}

/// The record of a new session.
pub fn record(key: &SessionKey, id: &str) -> SessionRecord {
    SessionRecord::new(id.into(), key.clone(), "main".into(), place("a"), Timestamp(1))
}

/// Changes a session, which begins when it is not there.
pub fn change(key: &SessionKey, change: impl FnOnce(&mut SessionRecord) + Send + 'static) -> Write {
    let new = record(key, "s1");
    let boxed: SessionChange = Box::new(move |old| {
        let mut record = old.unwrap_or(new);
        change(&mut record);
        record
    });
    Write::Session(key.clone(), boxed)
}

pub fn outbox(ticket: Ticket) -> OutboxEntry {
    let part = |text: &str| Part {
        text: text.to_owned(),
        marks: vec![
            Mark { range: 0..1, style: Style::Bold },
            Mark { range: 0..2, style: Style::Pre { language: "rust".to_owned() } },
            Mark { range: 1..2, style: Style::Link { url: "https://example.org".to_owned() } },
        ],
        whole: (text == "one").then(|| Whole { form: "*one two*".to_owned(), parts: 2 }),
        file: (text == "three").then(|| Enclosure {
            agent: "main".into(),
            path: "plots/a.png".to_owned(),
            name: "a.png".to_owned(),
            kind: AttachmentKind::Photo,
            shelf: ChatKind::Group,
        }),
    };
    OutboxEntry {
        ticket,
        kind: OutboxKind::Answer,
        place: place("a"),
        parts: vec![
            (part("one"), PartState::Sent("88".into())),
            (part("two"), PartState::Trying),
            (part("three"), PartState::Waiting),
        ],
        buttons: vec![Button { label: "Again".to_owned(), data: "x".to_owned() }],
        reply_to: Some("7".into()),
        standing: None,
        finality: Finality::Last,
        created: Timestamp(9),
    }
}
