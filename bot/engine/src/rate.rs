//! How often one sender may write: governor's arithmetic on our clock, and who has been told to wait.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::{Clock as GovernorClock, Reference};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use pensive_contract::clock::Clock;
use pensive_contract::ids::{Account, SenderId};

use crate::settings::Rate;

/// After this many checks the senders that have been quiet are forgotten.
const SWEEP_EVERY: u32 = 1024;

type Who = (Account, SenderId);

/// What the gate says to one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    /// It may pass.
    Pass,
    /// It may not, and its sender should hear how long to wait.
    Tell(Duration),
    /// It may not, and its sender has heard so.
    Silent,
}

#[derive(Clone)]
struct RateClock(Arc<dyn Clock>);

impl GovernorClock for RateClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::from(Duration::from_millis(u64::try_from(self.0.now().0).unwrap_or(0)))
    }
}

pub(crate) struct RateGate {
    limiter: RateLimiter<Who, DashMapStateStore<Who>, RateClock, NoOpMiddleware<Nanos>>,
    clock: RateClock,
    told: Mutex<HashSet<Who>>,
    checks: AtomicU32,
}

impl RateGate {
    pub(crate) fn new(rate: Rate, clock: Arc<dyn Clock>) -> Self {
        let per_minute = NonZeroU32::new(rate.per_minute).unwrap_or(NonZeroU32::MIN);
        let burst = NonZeroU32::new(rate.burst).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::per_minute(per_minute).allow_burst(burst);
        let clock = RateClock(clock);
        let limiter = RateLimiter::new(quota, DashMapStateStore::default(), clock.clone());
        Self { limiter, clock, told: Mutex::new(HashSet::new()), checks: AtomicU32::new(0) }
    }

    pub(crate) fn check(&self, account: &Account, sender: &SenderId) -> Gate {
        if self.checks.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            self.limiter.retain_recent();
            self.limiter.shrink_to_fit();
        }
        let who = (account.clone(), sender.clone());
        let verdict = self.limiter.check_key(&who);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        match verdict {
            Ok(()) => {
                told.remove(&who);
                Gate::Pass
            }
            Err(until) if told.insert(who) => {
                Gate::Tell(until.earliest_possible().duration_since(self.clock.now()).into())
            }
            Err(_) => Gate::Silent,
        }
    }
}
