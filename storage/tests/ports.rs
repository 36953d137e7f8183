//! What callers of the ports see: order, durability, dedupe, and what happens to what cannot be read.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends at the first surprise"
)]
#![allow(missing_docs, dead_code, unreachable_pub, reason = "a test is its own description")]

mod support;

use std::time::Duration;

use futures::FutureExt;
use pensive_contract::clock::Timestamp;
use pensive_contract::ids::Ticket;
use pensive_contract::inbound::{
    Addressed, Attachment, AttachmentKind, ChatKind, Inbound, InboundKind, Topic, TopicKind, TypedText,
};
use pensive_contract::model::{PromptTurn, TokenUsage};
use pensive_contract::outward::Finality;
use pensive_contract::session::{RunResult, Turn};
use pensive_contract::store::{
    Cursor, Inbox, InboxState, Ledger, Notes, Outbox, OutboxKind, PartState, Sessions, StoreFault,
    Transcript, Write,
};
use pensive_directives::{Level, Overrides, Queue, QueueMode, Verbose};
use pensive_storage::{Health, OpenFault};
use support::*;

fn turn(text: &str) -> Turn {
    Turn { at: Timestamp(3), name: Some("Alice".to_owned()), said: PromptTurn::User(text.to_owned()) }
}

#[tokio::test]
async fn ses_03_settings_are_there_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let key = session_key("1");
    let store = open(dir.path());
    assert_eq!(store.get(&key).await.unwrap(), None);
    let write = change(&key, |record| {
        let set = Overrides {
            think: Some(Level::Off),
            verbose: Some(Verbose::Full),
            queue: Some(Queue { mode: QueueMode::Collect, debounce_ms: Some(2000), cap: None }),
            ..Overrides::default()
        };
        record.senders.insert("1".into(), set);
        record.tokens = TokenUsage { input: 1, cached: 2, output: 3, reasoning: 4 };
        record.last_result = Some((Timestamp(4), RunResult::Failed("the model was not reached".to_owned())));
        record.origin.topic = Some(Topic { id: "t".into(), kind: TopicKind::Thread });
    });
    store.commit(vec![write]).await.unwrap();
    let before = store.get(&key).await.unwrap().unwrap();
    assert_eq!(before.senders[&"1".into()].think, Some(Level::Off));
    store.close().await.unwrap();
    assert_eq!(store.get(&key).await, Err(StoreFault::Closed));
    assert_eq!(store.commit(Vec::new()).await, Err(StoreFault::Closed));

    let store = open(dir.path());
    assert_eq!(store.get(&key).await.unwrap(), Some(before));
    assert_eq!(store.count().await.unwrap(), 1);
}

#[tokio::test]
async fn changes_of_one_session_run_one_after_another() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let key = session_key("1");
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..200 {
        let (store, key) = (store.clone(), key.clone());
        tasks.spawn(async move {
            store.commit(vec![change(&key, |record| record.context_used += 1)]).await.unwrap();
        });
    }
    tasks.join_all().await;
    assert_eq!(store.get(&key).await.unwrap().unwrap().context_used, 200);
    assert_eq!(store.count().await.unwrap(), 1);
}

#[tokio::test]
async fn commits_take_effect_in_the_order_of_the_calls() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let first = store.commit(vec![Write::Turn("s".into(), turn("first"))]);
    let second = store.commit(vec![Write::Turn("s".into(), turn("second"))]);
    second.await.unwrap();
    drop(first);
    let said = store.tail(&"s".into(), 9).await.unwrap().into_iter().map(|turn| turn.said);
    let texts: Vec<String> = said
        .map(|said| match said {
            PromptTurn::User(text) => text,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(texts, ["first", "second"]);
}

#[tokio::test]
async fn a_panicking_change_fails_its_own_commit_only() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let key = session_key("1");
    let panics = Write::Session(key.clone(), Box::new(|_| panic!("a test's panic")));
    let bad = store.commit(vec![Write::Turn("s".into(), turn("lost")), panics]);
    let good = store.commit(vec![Write::Turn("s".into(), turn("kept"))]);
    assert!(matches!(bad.await, Err(StoreFault::Disk(_))));
    good.await.unwrap();
    assert_eq!(store.tail(&"s".into(), 9).await.unwrap(), [turn("kept")]);
    assert_eq!(store.get(&key).await.unwrap(), None);
    assert_eq!(store.count().await.unwrap(), 0);
}

#[tokio::test]
async fn the_tail_of_a_transcript_is_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let writes = (0..30).map(|n| Write::Turn("s".into(), turn(&n.to_string()))).collect();
    store.commit(writes).await.unwrap();
    store.commit(vec![Write::Turn("s2".into(), turn("other"))]).await.unwrap();
    store.close().await.unwrap();
    let store = open(dir.path());
    store.commit(vec![Write::Turn("s".into(), turn("30"))]).await.unwrap();
    assert_eq!(store.tail(&"s".into(), 2).await.unwrap(), [turn("29"), turn("30")]);
    assert_eq!(store.tail(&"s".into(), 0).await.unwrap(), []);
    assert_eq!(store.tail(&"nobody".into(), 5).await.unwrap(), []);
}

#[tokio::test]
async fn rst_01_rst_04_an_event_is_taken_once_also_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let cursor = Cursor { account: account("a"), bot: "77".to_owned(), next: 3 };
    let batch = || vec![inbound("a", "1", "x"), inbound("a", "2", "y"), inbound("a", "1", "x")];
    let taken = store.take(batch(), Some(cursor.clone())).await.unwrap();
    assert_eq!(taken.iter().map(|(_, event)| event.update.as_str()).collect::<Vec<_>>(), ["1", "2"]);
    assert!(taken[0].0 < taken[1].0);
    assert_eq!(store.take(batch(), None).await.unwrap(), []);
    store.commit(vec![Write::Close(taken[0].0)]).await.unwrap();
    assert_eq!(store.take(batch(), None).await.unwrap(), []);
    store.close().await.unwrap();

    let store = open(dir.path());
    assert_eq!(store.take(batch(), None).await.unwrap(), []);
    assert_eq!(store.cursor(&account("a")).await.unwrap(), Some(cursor));
    let waiting = Inbox::open(&store).await.unwrap();
    assert_eq!(waiting.iter().map(|entry| entry.ticket).collect::<Vec<_>>(), [taken[1].0]);
}

#[tokio::test]
async fn rst_13_two_accounts_never_mix() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for (id, next) in [("a", 10), ("b", 20)] {
        let cursor = Cursor { account: account(id), bot: id.to_owned(), next };
        assert_eq!(store.take(vec![inbound(id, "1", "x")], Some(cursor)).await.unwrap().len(), 1);
    }
    assert_eq!(store.cursor(&account("a")).await.unwrap().unwrap().next, 10);
    assert_eq!(store.cursor(&account("b")).await.unwrap().unwrap().next, 20);
    assert_eq!(store.cursor(&account("c")).await.unwrap(), None);
}

#[tokio::test]
async fn events_are_forgotten_after_a_day() {
    let dir = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let store = try_open(dir.path(), &clock).unwrap();
    let take = async |update: &str| store.take(vec![inbound("a", update, "x")], None).await.unwrap().len();
    assert_eq!(take("1").await, 1);
    clock.pass(Duration::from_secs(23 * 3600));
    assert_eq!(take("1").await, 0);
    assert_eq!(take("2").await, 1);
    clock.pass(Duration::from_secs(2 * 3600));
    assert_eq!(take("2").await, 0);
    assert_eq!(take("1").await, 1);
}

#[tokio::test]
async fn a_stop_is_kept_as_it_came() {
    let dir = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let store = try_open(dir.path(), &clock).unwrap();
    for query in [None, Some("q".to_owned())] {
        let update = format!("{query:?}").into();
        let halt = Inbound { update, kind: InboundKind::Halt { stream: -7, query }, ..inbound("a", "", "") };
        let taken = store.take(vec![halt.clone()], None).await.unwrap();
        assert_eq!(Inbox::entry(&store, taken[0].0).await.unwrap().unwrap().inbound, halt);
    }
}

#[tokio::test]
async fn an_inbox_entry_goes_its_way() {
    let dir = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let store = try_open(dir.path(), &clock).unwrap();
    let mut event = inbound("a", "1", "déjà");
    event.place.kind = ChatKind::Direct;
    event.place.topic = Some(Topic { id: "5".into(), kind: TopicKind::Topic });
    event.addressed = Addressed::No;
    event.attachments = vec![Attachment {
        kind: AttachmentKind::Photo,
        name: Some("n".to_owned()),
        handle: "h".to_owned(),
        size: Some(3),
    }];
    event.album = Some("a".to_owned());
    event.kind = InboundKind::Edit(TypedText {
        text: "déjà @bot".to_owned(),
        code: vec![0..1, 2..3],
        mentions: std::iter::once(5..9).collect(),
        bot_name: Some("bot".to_owned()),
    });
    let press = Inbound {
        update: "2".into(),
        kind: InboundKind::Press { data: "d".to_owned(), query: "q".to_owned() },
        ..inbound("a", "2", "")
    };
    let taken = store.take(vec![event.clone(), press.clone()], None).await.unwrap();
    let ticket = taken[0].0;
    let entry = async || Inbox::entry(&store, ticket).await.unwrap();
    assert_eq!(entry().await.unwrap().inbound, event);
    assert_eq!(Inbox::entry(&store, taken[1].0).await.unwrap().unwrap().inbound, press);

    let amended = inbound("a", "1", "better");
    store.commit(vec![Write::Amend(ticket, amended.clone())]).await.unwrap();
    assert_eq!(entry().await.map(|e| (e.state, e.inbound)), Some((InboxState::Waiting, amended.clone())));
    store.commit(vec![Write::Heed(ticket), Write::Amend(ticket, amended.clone())]).await.unwrap();
    assert_eq!(entry().await.map(|e| (e.state, e.inbound)), Some((InboxState::Heeded, amended.clone())));
    store.commit(vec![Write::Begin(ticket), Write::Amend(ticket, event)]).await.unwrap();
    assert_eq!(entry().await.map(|e| (e.state, e.inbound)), Some((InboxState::Running, amended)));
    let whole = inbound("a", "1", "all of it");
    store.commit(vec![Write::Park(ticket), Write::Amend(ticket, whole.clone())]).await.unwrap();
    assert_eq!(entry().await.map(|e| (e.state, e.inbound)), Some((InboxState::Parked, whole)));
    store.commit(vec![Write::Park(ticket)]).await.unwrap();
    assert_eq!(entry().await.unwrap().state, InboxState::Parked);
    clock.pass(Duration::from_secs(25 * 3600));
    assert_eq!(entry().await, None);
    assert_eq!(Inbox::open(&store).await.unwrap().len(), 1);

    // What is closed stays closed.
    store.commit(vec![Write::Close(taken[1].0), Write::Begin(taken[1].0)]).await.unwrap();
    assert_eq!(Inbox::open(&store).await.unwrap(), []);
}

#[tokio::test]
async fn an_outbox_entry_goes_its_way() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let ticket = store.ticket();
    let mut entry = outbox(ticket);
    store.commit(vec![Write::Outbox(entry.clone())]).await.unwrap();
    assert_eq!(Outbox::entry(&store, ticket).await.unwrap(), Some(entry.clone()));
    for (index, state) in [
        (1, PartState::Unknown),
        (2, PartState::Failed("chat not found".to_owned())),
        (7, PartState::Unknown),
    ] {
        store.commit(vec![Write::Part(ticket, index, state.clone())]).await.unwrap();
        if let Some(part) = entry.parts.get_mut(index) {
            part.1 = state;
        }
    }
    assert_eq!(store.pending().await.unwrap(), [entry.clone()]);
    for (kind, finality) in
        [(OutboxKind::Acknowledgement, Finality::More), (OutboxKind::Notice, Finality::Last)]
    {
        entry.kind = kind;
        entry.finality = finality;
        store.commit(vec![Write::Outbox(entry.clone())]).await.unwrap();
        assert_eq!(Outbox::entry(&store, ticket).await.unwrap(), Some(entry.clone()));
    }
    store.commit(vec![Write::Forget(ticket), Write::Part(ticket, 0, PartState::Trying)]).await.unwrap();
    assert_eq!(store.pending().await.unwrap(), []);
}

#[tokio::test]
async fn tickets_grow_over_restarts() {
    let dir = tempfile::tempdir().unwrap();
    let mut last = Ticket(0);
    for _ in 0..3 {
        let store = open(dir.path());
        for _ in 0..3 {
            let ticket = store.ticket();
            assert!(ticket > last);
            last = ticket;
        }
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn notes_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    assert_eq!(store.note("menu").await.unwrap(), None);
    store.keep("menu", vec![0, 255, 7]).await.unwrap();
    store.keep("empty", Vec::new()).await.unwrap();
    drop(store);
    let store = open(dir.path());
    assert_eq!(store.note("menu").await.unwrap(), Some(vec![0, 255, 7]));
    assert_eq!(store.note("empty").await.unwrap(), Some(Vec::new()));
}

#[tokio::test]
async fn a_commit_that_nobody_waits_for_is_visible_to_the_next_and_on_disk_at_close() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store.commit_soon(vec![Write::Turn("s".into(), turn("soon"))]).unwrap();
    store.commit(vec![Write::Turn("s".into(), turn("now"))]).await.unwrap();
    assert_eq!(store.tail(&"s".into(), 9).await.unwrap(), [turn("soon"), turn("now")]);
    store.commit_soon(vec![Write::Turn("s".into(), turn("last"))]).unwrap();
    store.close().await.unwrap();
    assert_eq!(store.commit_soon(Vec::new()), Err(StoreFault::Closed));
    assert_eq!(open(dir.path()).tail(&"s".into(), 9).await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_full_queue_makes_commit_wait_and_refuses_commit_soon() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    // Holds the writer inside a change until the queue is full.
    let (open_gate, gate) = std::sync::mpsc::channel::<()>();
    let (inside, entered) = std::sync::mpsc::channel::<()>();
    let key = session_key("1");
    let blocked = store.commit(vec![change(&key, move |_| {
        inside.send(()).unwrap();
        gate.recv().unwrap();
    })]);
    entered.recv().unwrap();
    let mut refused = 0;
    for _ in 0..2000 {
        refused += usize::from(store.commit_soon(Vec::new()).is_err());
    }
    assert!(refused >= 900, "{refused}");
    let mut waits = store.commit(vec![Write::Turn("s".into(), turn("waited"))]);
    assert_eq!((&mut waits).now_or_never(), None);
    open_gate.send(()).unwrap();
    blocked.await.unwrap();
    waits.await.unwrap();
    assert_eq!(store.tail(&"s".into(), 1).await.unwrap(), [turn("waited")]);
}

#[tokio::test]
async fn a_second_opener_is_told_who_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let fault = try_open(dir.path(), &TestClock::new()).err().unwrap();
    assert_eq!(fault, OpenFault::Busy { folder: dir.path().to_owned(), by: Some(std::process::id()) });
    assert_eq!(store.health(), Health::Well);
    store.close().await.unwrap();
    assert_eq!(store.health(), Health::Closed);
    open(dir.path());
}

#[tokio::test]
async fn big_messages_and_a_big_group_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let big = "x".repeat(1 << 20);
    let waiting: Vec<_> =
        (0..8).map(|n| store.take(vec![inbound("a", &n.to_string(), &big)], None)).collect();
    for taken in futures::future::join_all(waiting).await {
        assert_eq!(taken.unwrap().len(), 1);
    }
    store.close().await.unwrap();
    let entries = Inbox::open(&open(dir.path())).await.unwrap();
    assert_eq!(entries.len(), 8);
    assert!(entries.iter().all(|entry| entry.inbound.typed().unwrap().text == big));
}

/// Opens the engine behind the store's back.
fn raw(dir: &std::path::Path, work: impl FnOnce(&sled::Db)) {
    let db = sled::open(dir.join("store")).unwrap();
    work(&db);
    db.flush().unwrap();
}

#[tokio::test]
async fn rst_09_a_damaged_record_is_set_aside_and_the_rest_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let (one, two) = (session_key("1"), session_key("2"));
    store.commit(vec![change(&one, |_| {}), change(&two, |_| {})]).await.unwrap();
    let taken = store.take(vec![inbound("a", "1", "x"), inbound("a", "2", "y")], None).await.unwrap();
    store.commit((0..3).map(|n| Write::Turn("s".into(), turn(&n.to_string()))).collect()).await.unwrap();
    store.close().await.unwrap();
    raw(dir.path(), |db| {
        for tree in ["sessions", "inbox", "transcript"] {
            let tree = db.open_tree(tree).unwrap();
            let (key, mut value) = tree.first().unwrap().unwrap();
            *value.last_mut().unwrap() ^= 1;
            tree.insert(key, value).unwrap();
        }
    });

    let store = open(dir.path());
    assert_eq!(store.get(&one).await.unwrap(), None);
    assert!(store.get(&two).await.unwrap().is_some());
    let open_entries = Inbox::open(&store).await.unwrap();
    assert_eq!(open_entries.iter().map(|entry| entry.ticket).collect::<Vec<_>>(), [taken[1].0]);
    assert_eq!(store.tail(&"s".into(), 9).await.unwrap(), [turn("1"), turn("2")]);
    // The writer has set them aside before it answers what comes after.
    store.commit(Vec::new()).await.unwrap();
    store.commit(vec![change(&one, |_| {})]).await.unwrap();
    assert_eq!(store.quarantined(), 3);
    assert_eq!(store.count().await.unwrap(), 2);
    store.close().await.unwrap();
    raw(dir.path(), |db| assert_eq!(db.open_tree("quarantine").unwrap().len(), 3));
    assert_eq!(open(dir.path()).quarantined(), 3);
}

#[tokio::test]
async fn a_store_without_states_of_parts_opens_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut entry = outbox(store.ticket());
    store.commit(vec![Write::Outbox(entry.clone())]).await.unwrap();
    store.close().await.unwrap();
    // An earlier program wrote the states into the entry, and had no such tree.
    raw(dir.path(), |db| assert!(db.drop_tree("outbox_parts").unwrap()));

    let store = open(dir.path());
    assert_eq!(store.pending().await.unwrap(), [entry.clone()]);
    entry.parts[1].1 = PartState::Sent("89".into());
    store.commit(vec![Write::Part(entry.ticket, 1, entry.parts[1].1.clone())]).await.unwrap();
    store.close().await.unwrap();
    assert_eq!(open(dir.path()).pending().await.unwrap(), [entry]);
}

#[tokio::test]
async fn rst_09_a_part_whose_state_cannot_be_read_may_have_landed() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut entry = outbox(store.ticket());
    let sent = Write::Part(entry.ticket, 2, PartState::Sent("90".into()));
    store.commit(vec![Write::Outbox(entry.clone()), sent]).await.unwrap();
    store.close().await.unwrap();
    raw(dir.path(), |db| {
        let tree = db.open_tree("outbox_parts").unwrap();
        let (key, mut value) = tree.first().unwrap().unwrap();
        *value.last_mut().unwrap() ^= 1;
        tree.insert(key, value).unwrap();
    });

    let store = open(dir.path());
    entry.parts[2].1 = PartState::Unknown;
    assert_eq!(store.pending().await.unwrap(), [entry.clone()]);
    store.commit(Vec::new()).await.unwrap();
    assert_eq!(store.quarantined(), 1);
    assert_eq!(Outbox::entry(&store, entry.ticket).await.unwrap(), Some(entry));
}
