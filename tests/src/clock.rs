//! A clock that stands still until a test moves it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use pensive_contract::clock::{Clock, Timestamp};
use tokio::sync::{Notify, oneshot};

/// Simulated time. Sleepers wake only when [`SimClock::advance`] passes their moment; the order is that of their moments.
#[derive(Clone, Default)]
pub struct SimClock {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    now: Timestamp,
    next: u64,
    sleepers: BTreeMap<(Timestamp, u64), oneshot::Sender<()>>,
}

impl SimClock {
    /// A clock that shows `now`.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        let clock = Self::default();
        clock.state().now = now;
        clock
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves time on and wakes whoever's moment has come.
    pub fn advance(&self, span: Duration) {
        let mut state = self.state();
        let now = state.now + span;
        state.now = now;
        let later = state.sleepers.split_off(&(now + Duration::from_millis(1), 0));
        for (_, bell) in std::mem::replace(&mut state.sleepers, later) {
            // Who was dropped meanwhile does not hear it.
            let _gone = bell.send(()).is_err();
        }
        drop(state);
        self.inner.changed.notify_waiters();
    }

    /// Waits until somebody sleeps for at least `shortest` and at most `longest`, and returns for how long. Sleepers that were
    /// dropped do not count.
    pub async fn wait_for_sleeper(&self, shortest: Duration, longest: Duration) -> Duration {
        loop {
            let changed = self.inner.changed.notified();
            {
                let mut state = self.state();
                let now = state.now;
                state.sleepers.retain(|_, bell| !bell.is_closed());
                let mut spans = state.sleepers.keys().map(|(moment, _)| moment.since(now));
                if let Some(span) = spans.find(|span| (shortest..=longest).contains(span)) {
                    return span;
                }
            }
            changed.await;
        }
    }
}

impl Clock for SimClock {
    fn now(&self) -> Timestamp {
        self.state().now
    }

    fn sleep_until(&self, moment: Timestamp) -> BoxFuture<'static, ()> {
        let mut state = self.state();
        if moment <= state.now {
            return futures::future::ready(()).boxed();
        }
        let (bell, rung) = oneshot::channel();
        let id = state.next;
        state.next += 1;
        state.sleepers.insert((moment, id), bell);
        drop(state);
        self.inner.changed.notify_waiters();
        async move {
            // The clock outlives every sleeper in a test; where it does not, nobody wakes too early.
            if rung.await.is_err() {
                std::future::pending::<()>().await;
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sleepers_wake_when_their_moment_has_come() {
        let clock = SimClock::at(Timestamp(1_000));
        let mut short = clock.sleep(Duration::from_secs(1));
        let mut long = clock.sleep(Duration::from_secs(5));
        assert!((&mut short).now_or_never().is_none());
        let seen = clock.wait_for_sleeper(Duration::from_secs(2), Duration::from_secs(9)).await;
        assert_eq!(seen, Duration::from_secs(5));
        clock.advance(Duration::from_secs(1));
        short.await;
        assert!((&mut long).now_or_never().is_none());
        clock.advance(Duration::from_secs(4));
        long.await;
        assert_eq!(clock.now(), Timestamp(6_000));
    }
}
