//! A clock that only the test moves, and notes in memory.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "test support fails the test")]

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use pensive_contract::clock::{Clock, Timestamp};
use pensive_contract::store::{Notes, StoreFault};
use tokio::sync::watch;

pub(crate) struct HandClock {
    now: watch::Sender<i64>,
    sleepers: watch::Sender<BTreeMap<u64, i64>>,
}

impl HandClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { now: watch::Sender::new(1_000_000), sleepers: watch::Sender::new(BTreeMap::new()) })
    }

    pub(crate) fn pass(&self, span: Duration) {
        self.now.send_modify(|now| *now += i64::try_from(span.as_millis()).unwrap());
    }

    /// Waits until somebody sleeps for more than `over` and at most `most`, and lets that time pass.
    pub(crate) async fn wake(&self, over: Duration, most: Duration) -> Duration {
        let mut sleepers = self.sleepers.subscribe();
        let fits = |sleepers: &BTreeMap<u64, i64>| {
            let now = *self.now.borrow();
            let spans =
                sleepers.values().map(|until| Duration::from_millis(u64::try_from(until - now).unwrap_or(0)));
            spans.filter(|span| *span > over && *span <= most).min()
        };
        let found = sleepers.wait_for(|sleepers| fits(sleepers).is_some()).await.unwrap().clone();
        let span = fits(&found).unwrap();
        self.pass(span);
        span
    }

    /// Waits until somebody sleeps for exactly this long, and lets it pass.
    pub(crate) async fn sleep_out(&self, span: Duration) {
        self.wake(span - Duration::from_millis(1), span).await;
    }
}

/// Works on `work`, and lets time pass meanwhile from one sleeper to the next, as long as one sleeps for no more than `most`.
pub(crate) async fn naps<T>(clock: &HandClock, most: Duration, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            biased;
            output = &mut work => return output,
            _ = clock.wake(Duration::ZERO, most) => {}
        }
    }
}

struct Sleep {
    id: u64,
    sleepers: watch::Sender<BTreeMap<u64, i64>>,
    bell: BoxFuture<'static, ()>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.bell.as_mut().poll(cx)
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.sleepers.send_modify(|sleepers| {
            sleepers.remove(&self.id);
        });
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp(*self.now.borrow())
    }

    fn sleep_until(&self, moment: Timestamp) -> BoxFuture<'static, ()> {
        let mut now = self.now.subscribe();
        let bell = Box::pin(async move {
            let _closed = now.wait_for(|now| *now >= moment.0).await;
        });
        let mut id = 0;
        self.sleepers.send_modify(|sleepers| {
            id = sleepers.keys().next_back().map_or(0, |last| last + 1);
            sleepers.insert(id, moment.0);
        });
        Box::pin(Sleep { id, sleepers: self.sleepers.clone(), bell })
    }
}

/// Notes in memory.
#[derive(Default)]
pub(crate) struct Memory(watch::Sender<HashMap<String, Vec<u8>>>);

impl Memory {
    /// The one note that there is.
    pub(crate) fn only(&self) -> Option<String> {
        let notes = self.0.borrow();
        notes.values().next().map(|value| String::from_utf8(value.clone()).unwrap())
    }

    /// Waits until a note whose name ends so is kept.
    pub(crate) async fn kept(&self, end: &str) {
        let mut notes = self.0.subscribe();
        notes.wait_for(|notes| notes.keys().any(|name| name.ends_with(end))).await.unwrap();
    }
}

#[async_trait]
impl Notes for Memory {
    async fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        Ok(self.0.borrow().get(name).cloned())
    }

    async fn keep(&self, name: &str, value: Vec<u8>) -> Result<(), StoreFault> {
        self.0.send_modify(|notes| drop(notes.insert(name.to_owned(), value)));
        Ok(())
    }
}
