//! What a commit costs with one caller and with many, and whether a read or a commit costs more in a big store.
#![allow(clippy::unwrap_used, reason = "a bench ends at the first surprise")]
#![allow(missing_docs, reason = "a bench is its own description")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use futures::future::BoxFuture;
use pensive_contract::clock::{Clock, Timestamp};
use pensive_contract::ids::{Account, SessionKey};
use pensive_contract::inbound::{ChatKind, Place};
use pensive_contract::model::PromptTurn;
use pensive_contract::session::{SessionRecord, Turn};
use pensive_contract::store::{Ledger, Sessions, Transcript, Write};
use pensive_storage::{OpenSettings, Store};
use tokio::runtime::Runtime;

struct StillClock;

impl Clock for StillClock {
    fn now(&self) -> Timestamp {
        Timestamp(1_800_000_000_000)
    }

    fn sleep_until(&self, _: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(futures::future::pending())
    }
}

fn open(dir: &tempfile::TempDir) -> Store {
    Store::open(OpenSettings { path: dir.path().to_owned(), clock: Arc::new(StillClock) }).unwrap()
}

fn key(number: usize) -> SessionKey {
    SessionKey::of(["agent", "main", "telegram", "direct", &number.to_string()])
}

/// What a message with an answer writes: its session and a turn.
fn writes(number: usize) -> Vec<Write> {
    let key = key(number);
    let for_change = key.clone();
    let change = move |old: Option<SessionRecord>| {
        let mut record = old.unwrap_or_else(|| {
            let account = Account { channel: "telegram".into(), id: "main".into() };
            let origin =
                Place { account, chat: "1".into(), kind: ChatKind::Direct, topic: None, space: None };
            SessionRecord::new(number.to_string().into(), for_change, "main".into(), origin, Timestamp(0))
        });
        record.context_used += 1;
        record
    };
    let turn = Turn { at: Timestamp(0), name: None, said: PromptTurn::User("x".repeat(200)) };
    vec![Write::Session(key, Box::new(change)), Write::Turn(number.to_string().into(), turn)]
}

fn fill(runtime: &Runtime, store: &Store, sessions: usize) {
    runtime.block_on(async {
        let numbers: Vec<usize> = (0..sessions).collect();
        for chunk in numbers.chunks(1000) {
            store.commit(chunk.iter().flat_map(|number| writes(*number)).collect()).await.unwrap();
        }
    });
}

/// How long `tasks` callers need for `commits` durable commits between them.
async fn durable(store: &Store, tasks: usize, commits: u64) -> Duration {
    #[allow(clippy::disallowed_methods, reason = "a bench measures real time")]
    let start = Instant::now();
    let mut set = tokio::task::JoinSet::new();
    for task in 0..tasks {
        let store = store.clone();
        let own = commits / tasks as u64 + u64::from((task as u64) < commits % tasks as u64);
        set.spawn(async move {
            for _ in 0..own {
                store.commit(writes(task)).await.unwrap();
            }
        });
    }
    set.join_all().await;
    start.elapsed()
}

fn commits(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let mut group = criterion.benchmark_group("durable commits");
    group.throughput(Throughput::Elements(1));
    for tasks in [1, 8, 64] {
        let dir = tempfile::tempdir().unwrap();
        let store = open(&dir);
        group.bench_function(BenchmarkId::from_parameter(tasks), |bencher| {
            bencher.iter_custom(|commits| runtime.block_on(durable(&store, tasks, commits)));
        });
    }
    group.finish();
}

fn sizes(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let mut group = criterion.benchmark_group("by sessions");
    for sessions in [100, 1_000, 10_000, 100_000] {
        let dir = tempfile::tempdir().unwrap();
        let store = open(&dir);
        fill(&runtime, &store, sessions);
        let mut number = 0;
        let mut next = || {
            number = (number + 7919) % sessions;
            number
        };
        group.bench_function(BenchmarkId::new("get", sessions), |bencher| {
            bencher.iter(|| {
                let key = key(next());
                black_box(runtime.block_on(store.get(&key)).unwrap())
            });
        });
        group.bench_function(BenchmarkId::new("tail", sessions), |bencher| {
            bencher.iter(|| {
                let session = next().to_string().into();
                black_box(runtime.block_on(store.tail(&session, 50)).unwrap())
            });
        });
        group.bench_function(BenchmarkId::new("commit", sessions), |bencher| {
            bencher.iter(|| runtime.block_on(store.commit(writes(next()))).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, commits, sizes);
criterion_main!(benches);
