//! One worker for each key, started when there is work and retired when idle: the registry behind lanes and couriers.
//!
//! A worker is never retired while a job is on its way to it, so that two workers never share a key. Handing in never
//! waits: a worker that is held up, as the courier of a chat that Telegram silences for hours, must not hold up the lane
//! that hands to it, and through that everybody else. What waits is on disk anyway, and the rate of people bounds it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pensive_contract::clock::Clock;
use tokio::sync::{Notify, mpsc};

/// How long a worker without work stays.
const IDLE: Duration = Duration::from_secs(60);

struct Seat<J> {
    sender: mpsc::UnboundedSender<J>,
    /// Jobs that were handed to this worker and are not done.
    promised: usize,
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
    receiver: mpsc::UnboundedReceiver<J>,
    registry: Arc<Workers<K, J>>,
}

impl<K: Hash + Eq + Clone, J> Workers<K, J> {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { seats: Mutex::new(HashMap::new()), stilled: Notify::new() })
    }

    /// Hands `job` to the worker of `key`; `start` is called when it must be started first.
    pub(crate) fn hand(self: &Arc<Self>, key: K, job: J, start: impl FnOnce(Bench<K, J>)) {
        let (sender, bench) = self.promise(&key);
        if let Some(bench) = bench {
            start(bench);
        }
        // The worker leaves only when nothing is promised, so this fails only when the whole registry is being dropped.
        if sender.send(job).is_err() {
            tracing::debug!("a worker was gone before its job came");
        }
    }

    fn promise(self: &Arc<Self>, key: &K) -> (mpsc::UnboundedSender<J>, Option<Bench<K, J>>) {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seat) = seats.get_mut(key).filter(|seat| !seat.sender.is_closed()) {
            seat.promised += 1;
            return (seat.sender.clone(), None);
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        seats.insert(key.clone(), Seat { sender: sender.clone(), promised: 1 });
        (sender, Some(Bench { key: key.clone(), receiver, registry: Arc::clone(self) }))
    }

    /// Whether nothing is under way or waiting for `key`.
    pub(crate) fn is_quiet(&self, key: &K) -> bool {
        let seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        seats.get(key).is_none_or(|seat| seat.promised == 0 || seat.sender.is_closed())
    }

    /// Ends when nothing is under way or waiting for anybody. One caller at a time.
    pub(crate) async fn all_quiet(&self) {
        while self.any_busy() {
            self.stilled.notified().await;
        }
    }

    fn any_busy(&self) -> bool {
        let seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        seats.values().any(|seat| seat.promised > 0 && !seat.sender.is_closed())
    }

    /// How many workers there are.
    pub(crate) fn count(&self) -> usize {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl<K: Hash + Eq + Clone, J> Bench<K, J> {
    /// The next job. Safe to drop before it ends. [`Bench::done`] is due after each.
    pub(crate) async fn next(&mut self) -> Option<J> {
        self.receiver.recv().await
    }

    /// The job that [`Bench::next`] gave last is done.
    pub(crate) fn done(&self) {
        let mut seats = self.registry.seats.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seat) = seats.get_mut(&self.key) {
            seat.promised = seat.promised.saturating_sub(1);
        }
        drop(seats);
        self.registry.stilled.notify_one();
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
        let mut seats = self.registry.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = seats.get(&self.key).is_none_or(|seat| seat.promised == 0);
        if idle {
            seats.remove(&self.key);
        }
        idle
    }
}
