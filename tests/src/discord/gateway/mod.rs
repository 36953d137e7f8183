//! The line that events go out by: sessions that outlive their connections, and everything that can go wrong with one.

mod greeting;
pub(crate) mod line;
pub(crate) mod session;
mod socket;

pub(crate) use socket::{asks, connect};

use std::time::Duration;

/// How the gateway behaves towards everybody.
#[derive(Clone, Debug)]
pub(crate) struct Manners {
    /// `heartbeat_interval`.
    pub(crate) interval: Duration,
    /// Shards that may identify in the same five seconds.
    pub(crate) max_concurrency: u32,
    /// Whoever identifies more often is turned away.
    pub(crate) strict_identify: bool,
    /// So many resumes are refused, whatever they name.
    pub(crate) refused_resumes: usize,
}

impl Default for Manners {
    /// The interval is Discord's.
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(41_250),
            max_concurrency: 1,
            strict_identify: false,
            refused_resumes: 0,
        }
    }
}
