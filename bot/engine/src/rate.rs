//! How often one sender may write: governor's arithmetic on the time at which things were written, and who has been told
//! to wait. An event is judged once, however often the store makes the platform hand it in.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::{Clock as GovernorClock, Reference};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use pensive_contract::clock::{Clock, Timestamp};
use pensive_contract::ids::{Account, SenderId, UpdateId};
use pensive_contract::inbound::Inbound;

use crate::settings::Rate;

/// After this many checks the senders that have been quiet are forgotten.
const SWEEP_EVERY: u32 = 1024;
/// What is handed in so much later than it was written had to wait for us, as when the daemon was down: how fast its sender
/// was is then told by when it was written, and not by when all of it came.
const LATE: Duration = Duration::from_secs(30);

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

/// The moment for which the gate judges, set before each judgement.
#[derive(Clone, Default)]
struct RateClock(Arc<AtomicI64>);

impl GovernorClock for RateClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::from(Duration::from_millis(u64::try_from(self.0.load(Ordering::Relaxed)).unwrap_or(0)))
    }
}

pub(crate) struct RateGate {
    limiter: RateLimiter<Who, DashMapStateStore<Who>, RateClock, NoOpMiddleware<Nanos>>,
    clock: Arc<dyn Clock>,
    moment: RateClock,
    notes: Mutex<Notes>,
}

#[derive(Default)]
struct Notes {
    /// Who has been told to wait, and until when: from then on the next message passes.
    told: HashMap<Who, Timestamp>,
    /// Verdicts on events that are not in the inbox yet, by account.
    judged: HashMap<Account, HashMap<UpdateId, Gate>>,
    checks: u32,
}

impl RateGate {
    pub(crate) fn new(rate: Rate, clock: Arc<dyn Clock>) -> Self {
        let per_minute = NonZeroU32::new(rate.per_minute).unwrap_or(NonZeroU32::MIN);
        let burst = NonZeroU32::new(rate.burst).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::per_minute(per_minute).allow_burst(burst);
        // Begins at zero, so that what was written before the start can be told apart.
        let moment = RateClock::default();
        let limiter = RateLimiter::new(quota, DashMapStateStore::default(), moment.clone());
        Self { limiter, clock, moment, notes: Mutex::default() }
    }

    /// Judges an event, or says again what was said of it before.
    pub(crate) fn check(&self, inbound: &Inbound) -> Gate {
        let account = &inbound.place.account;
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gate) = notes.judged.get(account).and_then(|judged| judged.get(&inbound.update)) {
            return *gate;
        }
        let gate = self.judge(&mut notes, (account.clone(), inbound.sender.id.clone()), inbound.at);
        notes.judged.entry(account.clone()).or_default().insert(inbound.update.clone(), gate);
        gate
    }

    /// What an account handed in is in the inbox: none of it comes again as something new.
    pub(crate) fn settle(&self, account: &Account) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).judged.remove(account);
    }

    fn judge(&self, notes: &mut Notes, who: Who, at: Timestamp) -> Gate {
        let now = self.clock.now();
        notes.checks = notes.checks.wrapping_add(1);
        if notes.checks.is_multiple_of(SWEEP_EVERY) {
            self.moment.0.store(now.0, Ordering::Relaxed);
            self.limiter.retain_recent();
            self.limiter.shrink_to_fit();
            notes.told.retain(|_, until| *until > now);
        }
        let moment = if now.since(at) > LATE { at } else { now };
        self.moment.0.store(moment.0, Ordering::Relaxed);
        match self.limiter.check_key(&who) {
            Ok(()) => {
                notes.told.remove(&who);
                Gate::Pass
            }
            Err(until) => {
                let wait: Duration = until.earliest_possible().duration_since(self.moment.now()).into();
                match notes.told.insert(who, moment + wait) {
                    None => Gate::Tell(wait),
                    Some(_) => Gate::Silent,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicI64;

    use futures::future::BoxFuture;

    use super::*;
    use crate::samples;

    /// A clock that stands where it was put.
    struct Hand(AtomicI64);

    impl Clock for Hand {
        fn now(&self) -> Timestamp {
            Timestamp(self.0.load(Ordering::Relaxed))
        }

        fn sleep_until(&self, _: Timestamp) -> BoxFuture<'static, ()> {
            Box::pin(std::future::pending())
        }
    }

    const NOON: i64 = 1_800_000_000_000;

    fn gate() -> (RateGate, Arc<Hand>) {
        let hand = Arc::new(Hand(AtomicI64::new(NOON)));
        (RateGate::new(Rate { per_minute: 6, burst: 2 }, Arc::clone(&hand) as _), hand)
    }

    fn written(update: &str, at: i64) -> Inbound {
        Inbound { update: UpdateId::from(update), at: Timestamp(at), ..samples::inbound("1", "hello") }
    }

    #[test]
    fn who_is_too_fast_is_told_once_in_each_rush() {
        let (gate, hand) = gate();
        let said = ["a", "b", "c", "d"].map(|update| gate.check(&written(update, NOON)));
        assert_eq!(said, [Gate::Pass, Gate::Pass, Gate::Tell(Duration::from_secs(10)), Gate::Silent]);
        hand.0.store(NOON + 10_000, Ordering::Relaxed);
        assert_eq!(gate.check(&written("e", NOON + 10_000)), Gate::Pass);
        assert_eq!(
            gate.check(&written("f", NOON + 10_000)),
            Gate::Tell(Duration::from_secs(10)),
            "a new rush"
        );
    }

    #[test]
    fn what_waited_for_us_is_judged_by_when_it_was_written() {
        let (gate, _) = gate();
        let slow = (0..9).map(|n| gate.check(&written(&format!("slow{n}"), NOON - 600_000 + n * 60_000)));
        assert!(slow.into_iter().all(|gate| gate == Gate::Pass), "one a minute while the daemon was down");
        let (gate, _) = self::gate();
        let rush: Vec<Gate> =
            (0..4).map(|n| gate.check(&written(&format!("rush{n}"), NOON - 600_000))).collect();
        assert_eq!(rush.iter().filter(|gate| **gate == Gate::Pass).count(), 2, "{rush:?}");
    }

    #[test]
    fn who_does_not_come_back_is_forgotten() {
        let (gate, hand) = gate();
        for update in ["a", "b", "c"] {
            gate.check(&written(update, NOON));
        }
        let told = || gate.notes.lock().unwrap().told.len();
        assert_eq!(told(), 1);
        hand.0.store(NOON + 60_000, Ordering::Relaxed);
        for number in 0..SWEEP_EVERY {
            let sender = number.to_string();
            gate.check(&Inbound {
                sender: samples::inbound(&format!("x{sender}"), "").sender,
                ..written(&sender, NOON + 60_000)
            });
        }
        assert_eq!(told(), 0);
    }

    #[test]
    fn what_is_handed_in_again_is_not_judged_again() {
        let (gate, _) = gate();
        for _ in 0..5 {
            assert_eq!(gate.check(&written("a", NOON)), Gate::Pass, "the store did not take it");
        }
        assert_eq!(gate.check(&written("b", NOON)), Gate::Pass);
        gate.settle(&samples::inbound("1", "").place.account);
        assert_eq!(gate.check(&written("c", NOON)), Gate::Tell(Duration::from_secs(10)));
        assert!(matches!(gate.check(&written("c", NOON)), Gate::Tell(_)), "until that is settled, too");
    }
}
