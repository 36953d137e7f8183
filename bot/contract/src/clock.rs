//! Time as a port: rooms ask this clock and never the system, so that tests own the hours.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

use futures::future::BoxFuture;

/// A moment in milliseconds since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// How long it is from `earlier` to this moment; nothing when `earlier` is not earlier.
    #[must_use]
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl Add<Duration> for Timestamp {
    type Output = Timestamp;

    fn add(self, span: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl Sub<Duration> for Timestamp {
    type Output = Timestamp;

    fn sub(self, span: Duration) -> Timestamp {
        Timestamp(self.0.saturating_sub(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}ms", self.0)
    }
}

/// Tells the time and wakes at a given one.
pub trait Clock: Send + Sync + 'static {
    /// The moment now. May jump when an operator sets the machine's clock; never use it to order events.
    fn now(&self) -> Timestamp;

    /// Ends at `moment`, at once when that has passed. Cancelled by dropping the future.
    fn sleep_until(&self, moment: Timestamp) -> BoxFuture<'static, ()>;

    /// Ends after `span`; zero ends at once.
    fn sleep(&self, span: Duration) -> BoxFuture<'static, ()> {
        self.sleep_until(self.now() + span)
    }
}

/// What [`within`] gives when the limit passed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no end within {0:?}")]
pub struct Overdue(pub Duration);

/// Waits for `work` for at most `limit` on `clock`; the work is dropped, and so cancelled, when the limit passes first.
///
/// # Errors
/// [`Overdue`] when the limit passed first.
pub async fn within<F: Future>(clock: &dyn Clock, limit: Duration, work: F) -> Result<F::Output, Overdue> {
    let bell = clock.sleep(limit);
    futures::pin_mut!(work);
    match futures::future::select(work, bell).await {
        futures::future::Either::Left((output, _)) => Ok(output),
        futures::future::Either::Right(((), _)) => Err(Overdue(limit)),
    }
}
