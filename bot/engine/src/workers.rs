//! One worker for each key, started when there is work and retired when idle: the registry behind lanes and couriers.
//!
//! A worker is never retired while a job is on its way to it, so that two workers never share a key. Queues are bounded.
//! Where a worker is quick, whoever hands in waits for room. Where it may be held up for hours, as the courier of a chat that
//! its platform silences, nobody may wait for it: what finds no room is left where it was written down, and the worker
//! fetches it from there once it has caught up.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pensive_contract::clock::Clock;
use tokio::sync::Notify;
use tokio::sync::mpsc::{self, error::TrySendError};

/// Jobs that may wait for one worker.
const QUEUE: usize = 64;
/// How long a worker without work stays.
const IDLE: Duration = Duration::from_secs(60);

struct Seat<J> {
    sender: mpsc::Sender<J>,
    /// Jobs that were handed to this worker and are not done.
    promised: usize,
    /// A job found no room. Until the worker has fetched what was left, all that comes is left, so that order is kept.
    left: bool,
}

impl<J> Seat<J> {
    fn is_busy(&self) -> bool {
        (self.promised > 0 || self.left) && !self.sender.is_closed()
    }
}

/// The workers of one kind.
pub(crate) struct Workers<K, J> {
    seats: Mutex<HashMap<K, Seat<J>>>,
    /// Rung whenever a job is done.
    stilled: Notify,
}

/// What a new worker is given.
pub(crate) struct Bench<K, J> {
    /// Whose worker it is.
    pub(crate) key: K,
    receiver: mpsc::Receiver<J>,
    registry: Arc<Workers<K, J>>,
}

impl<K: Hash + Eq + Clone, J> Workers<K, J> {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { seats: Mutex::new(HashMap::new()), stilled: Notify::new() })
    }

    /// Hands `job` to the worker of `key` and waits until there is room; `start` is called when the worker must be started
    /// first.
    pub(crate) async fn hand(self: &Arc<Self>, key: K, job: J, start: impl FnOnce(Bench<K, J>)) {
        let sender = {
            let mut seats = self.lock();
            let seat = self.seat(&mut seats, key, start);
            seat.promised += 1;
            seat.sender.clone()
        };
        // The worker leaves only when nothing is promised, so this fails only when the whole registry is being dropped.
        if sender.send(job).await.is_err() {
            tracing::debug!("a worker was gone before its job came");
        }
    }

    /// Hands `job` to the worker of `key` without waiting.
    ///
    /// # Errors
    /// There is no room: the job comes back, and the worker is told to fetch it from where it was written down.
    pub(crate) fn offer(self: &Arc<Self>, key: K, job: J, start: impl FnOnce(Bench<K, J>)) -> Result<(), J> {
        let mut seats = self.lock();
        let seat = self.seat(&mut seats, key, start);
        if seat.left {
            return Err(job);
        }
        match seat.sender.try_send(job) {
            Ok(()) => {
                seat.promised += 1;
                Ok(())
            }
            Err(TrySendError::Full(job) | TrySendError::Closed(job)) => {
                seat.left = true;
                Err(job)
            }
        }
    }

    /// The seat of `key`, with a worker on it.
    fn seat<'a>(
        self: &Arc<Self>,
        seats: &'a mut HashMap<K, Seat<J>>,
        key: K,
        start: impl FnOnce(Bench<K, J>),
    ) -> &'a mut Seat<J> {
        if seats.get(&key).is_some_and(|seat| seat.sender.is_closed()) {
            seats.remove(&key);
        }
        seats.entry(key).or_insert_with_key(|key| {
            let (sender, receiver) = mpsc::channel(QUEUE);
            start(Bench { key: key.clone(), receiver, registry: Arc::clone(self) });
            Seat { sender, promised: 0, left: false }
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Seat<J>>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing is under way or waiting for `key`.
    pub(crate) fn is_quiet(&self, key: &K) -> bool {
        self.lock().get(key).is_none_or(|seat| !seat.is_busy())
    }

    /// Ends when nothing is under way or waiting for anybody. One caller at a time.
    pub(crate) async fn all_quiet(&self) {
        while self.any_busy() {
            self.stilled.notified().await;
        }
    }

    fn any_busy(&self) -> bool {
        self.lock().values().any(Seat::is_busy)
    }

    /// How many workers there are.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }
}

impl<K: Hash + Eq + Clone, J> Bench<K, J> {
    /// The next job. Safe to drop before it ends. [`Bench::done`] is due after each.
    pub(crate) async fn next(&mut self) -> Option<J> {
        self.receiver.recv().await
    }

    /// The job that [`Bench::next`] gave last is done.
    pub(crate) fn done(&self) {
        let mut seats = self.registry.lock();
        if let Some(seat) = seats.get_mut(&self.key) {
            seat.promised = seat.promised.saturating_sub(1);
        }
        drop(seats);
        self.registry.stilled.notify_one();
    }

    /// Whether others wait behind the job that [`Bench::next`] gave last.
    pub(crate) fn has_more(&self) -> bool {
        self.registry.lock().get(&self.key).is_some_and(|seat| seat.promised > 1 || seat.left)
    }

    /// Whether the worker has caught up and jobs were left for it to fetch; from here on they come by the queue again.
    pub(crate) fn has_left(&self) -> bool {
        let mut seats = self.registry.lock();
        let Some(seat) = seats.get_mut(&self.key).filter(|seat| seat.left && seat.promised == 0) else {
            return false;
        };
        seat.left = false;
        true
    }

    /// The next job, or nothing when there was none for a while and the worker has given up its seat: it must end then.
    pub(crate) async fn next_or_retire(&mut self, clock: &dyn Clock) -> Option<J> {
        loop {
            tokio::select! {
                job = self.next() => return job,
                () = clock.sleep(IDLE) => {
                    if self.retire() {
                        return None;
                    }
                }
            }
        }
    }

    fn retire(&mut self) -> bool {
        let mut seats = self.registry.lock();
        let idle = seats.get(&self.key).is_none_or(|seat| seat.promised == 0 && !seat.left);
        if idle {
            seats.remove(&self.key);
        }
        idle
    }
}
