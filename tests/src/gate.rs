//! A point where a fake waits until the test says so, and tells the test that somebody has come that far.

use std::sync::Arc;

use tokio::sync::{Semaphore, watch};

/// Cloned into a fault or a script; the clone that the test keeps opens it.
#[derive(Clone, Debug)]
pub struct Gate(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    permits: Semaphore,
    arrived: watch::Sender<usize>,
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

impl Gate {
    /// Closed: whoever comes, waits.
    pub fn new() -> Self {
        Self(Arc::new(Inner { permits: Semaphore::new(0), arrived: watch::Sender::new(0) }))
    }

    /// Opens for good, for those who wait and those who come later.
    pub fn open(&self) {
        self.0.permits.close();
    }

    /// Lets `count` pass, then is closed again.
    pub fn let_through(&self, count: usize) {
        self.0.permits.add_permits(count);
    }

    /// How many have come so far, passed or not.
    pub fn arrivals(&self) -> usize {
        *self.0.arrived.borrow()
    }

    /// Waits until `count` have come since the gate was made.
    pub async fn reached(&self, count: usize) {
        let mut arrived = self.0.arrived.subscribe();
        // The sender lives in the same allocation as this borrow, so the wait cannot fail.
        drop(arrived.wait_for(|seen| *seen >= count).await);
    }

    /// Comes to the gate and waits for it.
    pub async fn pass(&self) {
        self.0.arrived.send_modify(|seen| *seen += 1);
        if let Ok(permit) = self.0.permits.acquire().await {
            permit.forget();
        }
    }
}
