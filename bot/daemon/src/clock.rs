//! The machine's clock. Every other room takes time from the port that this fills.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::future::BoxFuture;
use pensive_contract::clock::{Clock, Timestamp};

/// The system's time, and tokio's timers for waiting. Must be used inside a tokio runtime.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[allow(clippy::disallowed_methods, reason = "this is the one clock that reads the system's time")]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn sleep_until(&self, moment: Timestamp) -> BoxFuture<'static, ()> {
        self.sleep(moment.since(self.now()))
    }

    /// Not by way of `now`: a span holds whatever an operator does to the machine's clock meanwhile.
    fn sleep(&self, span: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(span))
    }
}
