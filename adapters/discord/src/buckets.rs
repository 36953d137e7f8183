//! The limits that Discord tells with each answer, and when a call has room under them. Pure arithmetic over moments that the
//! caller names (<https://docs.discord.com/developers/topics/rate-limits>).
//!
//! A limit holds for a bucket and a major parameter; which bucket a route belongs to is learned from its answers. Before the
//! first one nothing is known and nothing is held up: a 429 then tells.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use pensive_contract::clock::Timestamp;
use reqwest::Method;

use crate::routes::Route;

/// Calls a second over all routes that carry the bot's token.
const GLOBAL: usize = 50;
const GLOBAL_SPAN: Duration = Duration::from_secs(1);
/// Calls of a second that what can be spared leaves to others.
const GLOBAL_SPARED: usize = 10;
/// 10,000 answers with 401, 403 or 429 within ten minutes shut an address out; half of that is more than enough.
const MOST_INVALID: u32 = 5_000;
const INVALID_SPAN: Duration = Duration::from_mins(10);
/// How long a bucket is looked away from while all that it has room for is under way.
const UNTOLD: Duration = Duration::from_millis(250);
/// How long a call whose answer was lost may count.
const UNKNOWN_WINDOW: Duration = Duration::from_secs(1);
/// A window that ends so much later than the one we know of is another one.
const SAME_WINDOW: Duration = Duration::from_millis(500);
/// So many buckets are remembered before those that are whole again are forgotten.
const MANY: usize = 1_024;

/// How much a call matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rank {
    /// It is due.
    Due,
    /// It can be left out: one call of its bucket stays for what is due.
    Spare,
}

/// What an answer told about limits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Told {
    /// The state of the call's bucket, where it was told whole.
    pub(crate) bucket: Option<State>,
    /// The answer was a 429.
    pub(crate) silence: Option<(Scope, Duration)>,
    /// It counts against the limit of invalid requests.
    pub(crate) invalid: bool,
}

/// A bucket as an answer tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) hash: String,
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    pub(crate) reset_after: Duration,
}

/// What a 429 is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All calls of the bot.
    Global,
    /// The bucket alone, whoever has filled it.
    Bucket,
}

/// A call that was let through; its answer, or that there is none, is to be told.
#[derive(Debug)]
pub(crate) struct Permit {
    route: (Method, &'static str),
    key: Key,
    bound: Bound,
}

/// Whether a call counts against the limit over all routes: interactions do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Globally,
    ByBucket,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    /// The bucket's hash, or the route's name while that is unknown.
    bucket: String,
    major: String,
}

/// All limits of one bot.
#[derive(Debug, Default)]
pub(crate) struct Buckets {
    hashes: HashMap<(Method, &'static str), String>,
    buckets: HashMap<Key, Bucket>,
    /// The newest calls that count globally, oldest first.
    recent: VecDeque<Timestamp>,
    silence: Option<Span>,
    invalid: Option<(Span, u32)>,
}

impl Buckets {
    /// Lets a call through.
    ///
    /// # Errors
    /// It has no room for so long.
    pub(crate) fn take(
        &mut self,
        method: &Method,
        route: &Route,
        rank: Rank,
        now: Timestamp,
    ) -> Result<Permit, Duration> {
        let wait = self.wait(method, route, rank, now);
        if !wait.is_zero() {
            return Err(wait);
        }
        self.prune(now);
        let bound = bound(route);
        if bound == Bound::Globally {
            self.recent.push_back(now);
        }
        let key = self.key(method, route);
        self.buckets.entry(key.clone()).or_default().take(now);
        Ok(Permit { route: (method.clone(), route.name), key, bound })
    }

    /// How long until such a call has room; nothing when it has.
    pub(crate) fn wait(&mut self, method: &Method, route: &Route, rank: Rank, now: Timestamp) -> Duration {
        let key = self.key(method, route);
        let bucket = self.buckets.get(&key).map_or(Duration::ZERO, |bucket| bucket.wait(rank, now));
        let invalid = self.invalid.filter(|(_, count)| *count >= MOST_INVALID);
        let invalid = invalid.map_or(Duration::ZERO, |(span, _)| span.left(now));
        let global = match bound(route) {
            Bound::Globally => self.global(rank, now),
            Bound::ByBucket => Duration::ZERO,
        };
        bucket.max(invalid).max(global)
    }

    /// What the answer to a call told.
    pub(crate) fn told(&mut self, permit: Permit, told: Told, now: Timestamp) {
        let Permit { route, mut key, bound } = permit;
        if let Some(bucket) = self.buckets.get_mut(&key) {
            bucket.under_way = bucket.under_way.saturating_sub(1);
        }
        if let Some(state) = told.bucket {
            if key.bucket != state.hash {
                // What was counted under another name is counted here from now on.
                self.buckets.remove(&key);
                key.bucket.clone_from(&state.hash);
                self.hashes.insert(route, state.hash.clone());
            }
            self.buckets.entry(key.clone()).or_default().told(&state, now);
        }
        match (told.silence, bound) {
            (Some((Scope::Global, length)), Bound::Globally) => {
                self.silence = Some(Span { since: now, length });
            }
            (Some((_, length)), _) => {
                self.buckets.entry(key).or_default().silence = Some(Span { since: now, length });
            }
            (None, _) => {}
        }
        if told.invalid {
            self.count_invalid(now);
        }
    }

    /// No answer came to a call: it may have counted.
    pub(crate) fn lost(&mut self, permit: &Permit, now: Timestamp) {
        if let Some(bucket) = self.buckets.get_mut(&permit.key) {
            bucket.under_way = bucket.under_way.saturating_sub(1);
            bucket.window.get_or_insert(Span { since: now, length: UNKNOWN_WINDOW });
        }
    }

    fn key(&self, method: &Method, route: &Route) -> Key {
        let hash = self.hashes.get(&(method.clone(), route.name));
        let bucket = hash.cloned().unwrap_or_else(|| format!("{method} {}", route.name));
        Key { bucket, major: route.major.clone() }
    }

    fn global(&mut self, rank: Rank, now: Timestamp) -> Duration {
        for at in &mut self.recent {
            // A clock that was set back has made moments of ours lie ahead.
            *at = now.min(*at);
        }
        while self.recent.front().is_some_and(|at| *at + GLOBAL_SPAN <= now) {
            self.recent.pop_front();
        }
        let most = match rank {
            Rank::Due => GLOBAL,
            Rank::Spare => GLOBAL - GLOBAL_SPARED,
        };
        let before = self.recent.len().checked_sub(most).and_then(|index| self.recent.get(index));
        let full = before.map_or(Duration::ZERO, |at| (*at + GLOBAL_SPAN).since(now));
        full.max(self.silence.map_or(Duration::ZERO, |span| span.left(now)))
    }

    fn count_invalid(&mut self, now: Timestamp) {
        match &mut self.invalid {
            Some((span, count)) if !span.left(now).is_zero() => *count += 1,
            _ => self.invalid = Some((Span { since: now, length: INVALID_SPAN }, 1)),
        }
    }

    fn prune(&mut self, now: Timestamp) {
        if self.buckets.len() >= MANY {
            self.buckets.retain(|_, bucket| !bucket.is_idle(now));
        }
    }
}

fn bound(route: &Route) -> Bound {
    if route.signed { Bound::Globally } else { Bound::ByBucket }
}

/// A stretch of time that began at a moment. A clock that is set back does not make it longer.
#[derive(Debug, Clone, Copy)]
struct Span {
    since: Timestamp,
    length: Duration,
}

impl Span {
    fn left(self, now: Timestamp) -> Duration {
        (self.since.min(now) + self.length).since(now)
    }
}

#[derive(Debug, Default)]
struct Bucket {
    /// Calls of a window; unknown before the first answer.
    limit: Option<u32>,
    left: u32,
    /// Calls without an answer yet.
    under_way: u32,
    /// The window that `left` is about; unknown while none of its calls was answered.
    window: Option<Span>,
    silence: Option<Span>,
}

impl Bucket {
    fn wait(&self, rank: Rank, now: Timestamp) -> Duration {
        let silence = self.silence.map_or(Duration::ZERO, |span| span.left(now));
        let Some(limit) = self.limit else { return silence };
        let spared = match rank {
            Rank::Due => 0,
            Rank::Spare => u32::from(limit > 1),
        };
        if self.room(now) > spared {
            return silence;
        }
        let window = self.window.map(|span| span.left(now)).filter(|left| !left.is_zero());
        silence.max(window.unwrap_or(UNTOLD))
    }

    fn take(&mut self, now: Timestamp) {
        if self.is_over(now) {
            self.left = self.room(now);
            self.window = None;
        }
        self.left = self.left.saturating_sub(1);
        self.under_way += 1;
    }

    /// Calls that it has room for.
    fn room(&self, now: Timestamp) -> u32 {
        if self.is_over(now) {
            // What is under way may count in the next window.
            self.limit.unwrap_or(0).saturating_sub(self.under_way)
        } else {
            self.left
        }
    }

    /// Whether the window has passed that `left` is about.
    fn is_over(&self, now: Timestamp) -> bool {
        match self.window {
            Some(window) => window.left(now).is_zero(),
            None => self.under_way == 0,
        }
    }

    fn told(&mut self, state: &State, now: Timestamp) {
        let told = Span { since: now, length: state.reset_after };
        let known = self.window.map_or(Duration::ZERO, |window| window.left(now));
        let is_same = self.limit.is_some()
            && !known.is_zero()
            && state.reset_after.saturating_sub(known) <= SAME_WINDOW;
        let remaining = state.remaining.saturating_sub(if is_same { 0 } else { self.under_way });
        // Answers may overtake each other, and what is under way is counted in `left` already.
        self.left = if is_same { self.left.min(remaining) } else { remaining };
        self.limit = Some(state.limit);
        if !is_same || state.reset_after > known {
            self.window = Some(told);
        }
    }

    fn is_idle(&self, now: Timestamp) -> bool {
        let is_silent = self.silence.is_some_and(|span| !span.left(now).is_zero());
        self.under_way == 0 && !is_silent && self.is_over(now)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::routes;

    const START: Timestamp = Timestamp(1_000_000);

    fn state(hash: &str, limit: u32, remaining: u32, millis: u64) -> Told {
        let reset_after = Duration::from_millis(millis);
        let bucket = Some(State { hash: hash.to_owned(), limit, remaining, reset_after });
        Told { bucket, ..Told::default() }
    }

    fn post(buckets: &mut Buckets, channel: u64, rank: Rank, now: Timestamp) -> Result<Permit, Duration> {
        buckets.take(&Method::POST, &routes::messages(channel), rank, now)
    }

    fn millis(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn a_bucket_that_is_empty_waits_for_its_reset() {
        let mut buckets = Buckets::default();
        let permit = post(&mut buckets, 1, Rank::Due, START).unwrap();
        buckets.told(permit, state("a", 5, 1, 2_000), START);
        let permit = post(&mut buckets, 1, Rank::Due, START + millis(500)).unwrap();
        buckets.told(permit, state("a", 5, 0, 1_500), START + millis(500));
        let refused = post(&mut buckets, 1, Rank::Due, START + millis(600)).map(drop);
        assert_eq!(refused, Err(millis(1_400)));
        // Another channel has limits of its own, and so has this one after the reset.
        assert!(post(&mut buckets, 2, Rank::Due, START + millis(600)).is_ok());
        assert!(post(&mut buckets, 1, Rank::Due, START + millis(2_000)).is_ok());
    }

    #[test]
    fn what_is_under_way_counts_and_answers_may_overtake_each_other() {
        let mut buckets = Buckets::default();
        let first = post(&mut buckets, 1, Rank::Due, START).unwrap();
        buckets.told(first, state("a", 3, 2, 1_000), START);
        let second = post(&mut buckets, 1, Rank::Due, START).unwrap();
        let third = post(&mut buckets, 1, Rank::Due, START).unwrap();
        assert_eq!(post(&mut buckets, 1, Rank::Due, START).map(drop), Err(millis(1_000)));
        buckets.told(third, state("a", 3, 0, 900), START + millis(100));
        buckets.told(second, state("a", 3, 1, 900), START + millis(100));
        assert_eq!(post(&mut buckets, 1, Rank::Due, START + millis(100)).map(drop), Err(millis(900)));
    }

    #[test]
    fn a_window_that_began_anew_is_whole() {
        let mut buckets = Buckets::default();
        let permit = post(&mut buckets, 1, Rank::Due, START).unwrap();
        buckets.told(permit, state("a", 2, 1, 1_000), START);
        let permit = post(&mut buckets, 1, Rank::Due, START + millis(990)).unwrap();
        // The server's window had passed a little before ours.
        buckets.told(permit, state("a", 2, 1, 1_000), START + millis(995));
        assert!(post(&mut buckets, 1, Rank::Due, START + millis(996)).is_ok());
    }

    #[test]
    fn what_can_be_spared_leaves_one_call_to_what_is_due() {
        let mut buckets = Buckets::default();
        let permit = post(&mut buckets, 1, Rank::Spare, START).unwrap();
        buckets.told(permit, state("a", 2, 1, 1_000), START);
        assert_eq!(post(&mut buckets, 1, Rank::Spare, START).map(drop), Err(millis(1_000)));
        assert!(post(&mut buckets, 1, Rank::Due, START).is_ok());
        // Where there is but one there is none to leave.
        let permit = post(&mut buckets, 2, Rank::Due, START).unwrap();
        buckets.told(permit, state("b", 1, 0, 1_000), START);
        assert!(post(&mut buckets, 2, Rank::Spare, START + millis(1_000)).is_ok());
    }

    #[test]
    fn routes_of_one_bucket_share_it() {
        let mut buckets = Buckets::default();
        let edit = routes::message(1, 7);
        let permit = post(&mut buckets, 1, Rank::Due, START).unwrap();
        buckets.told(permit, state("a", 5, 4, 1_000), START);
        let permit = buckets.take(&Method::PATCH, &edit, Rank::Due, START).unwrap();
        buckets.told(permit, state("a", 5, 0, 1_000), START);
        assert_eq!(post(&mut buckets, 1, Rank::Due, START).map(drop), Err(millis(1_000)));
    }

    #[test]
    fn a_429_silences_its_bucket_or_all() {
        let mut buckets = Buckets::default();
        let no = |scope| Told { silence: Some((scope, millis(3_000))), invalid: true, ..Told::default() };
        let permit = post(&mut buckets, 1, Rank::Due, START).unwrap();
        buckets.told(permit, no(Scope::Bucket), START);
        assert_eq!(post(&mut buckets, 1, Rank::Due, START).map(drop), Err(millis(3_000)));
        let permit = post(&mut buckets, 2, Rank::Due, START).unwrap();
        buckets.told(permit, no(Scope::Global), START);
        let typing = buckets.take(&Method::POST, &routes::typing(9), Rank::Due, START + millis(1_000));
        assert_eq!(typing.map(drop), Err(millis(2_000)));
        // Answers to interactions are not bound by the limit over all.
        let answer = routes::callback(1, "x");
        assert!(buckets.take(&Method::POST, &answer, Rank::Due, START).is_ok());
    }

    #[test]
    fn fifty_calls_a_second_over_all() {
        let mut buckets = Buckets::default();
        for channel in 0..40 {
            assert!(post(&mut buckets, channel, Rank::Spare, START).is_ok());
        }
        assert_eq!(post(&mut buckets, 40, Rank::Spare, START).map(drop), Err(GLOBAL_SPAN));
        for channel in 40..50 {
            assert!(post(&mut buckets, channel, Rank::Due, START + millis(100)).is_ok());
        }
        let refused = post(&mut buckets, 50, Rank::Due, START + millis(100)).map(drop);
        assert_eq!(refused, Err(millis(900)));
        assert!(post(&mut buckets, 50, Rank::Due, START + millis(1_000)).is_ok());
    }

    #[test]
    fn many_a_no_ends_in_silence_and_not_in_a_ban() {
        let mut buckets = Buckets::default();
        let mut now = START;
        for _ in 0..MOST_INVALID {
            let permit = post(&mut buckets, 1, Rank::Due, now).unwrap();
            buckets.told(permit, Told { invalid: true, ..Told::default() }, now);
            now = now + millis(30);
        }
        let refused = post(&mut buckets, 1, Rank::Due, now).map(drop);
        assert_eq!(refused, Err(INVALID_SPAN - now.since(START)));
        assert!(post(&mut buckets, 1, Rank::Due, START + INVALID_SPAN).is_ok());
    }

    #[test]
    fn an_answer_that_never_comes_holds_nothing_up_for_long() {
        let mut buckets = Buckets::default();
        let permit = post(&mut buckets, 1, Rank::Due, START).unwrap();
        buckets.told(permit, state("a", 1, 0, 500), START);
        let permit = post(&mut buckets, 1, Rank::Due, START + millis(500)).unwrap();
        let later = START + millis(600);
        assert_eq!(post(&mut buckets, 1, Rank::Due, later).map(drop), Err(UNTOLD));
        buckets.lost(&permit, later);
        assert_eq!(post(&mut buckets, 1, Rank::Due, later).map(drop), Err(UNKNOWN_WINDOW));
        assert!(post(&mut buckets, 1, Rank::Due, later + UNKNOWN_WINDOW).is_ok());
    }

    #[test]
    fn what_is_whole_again_is_forgotten() {
        let mut buckets = Buckets::default();
        let mut now = START;
        for channel in 0..10_000 {
            let permit = post(&mut buckets, channel, Rank::Due, now).unwrap();
            buckets.told(permit, state("a", 5, 4, 1_000), now);
            now = now + millis(25);
        }
        assert!(buckets.buckets.len() <= MANY + 50, "{}", buckets.buckets.len());
    }

    #[test]
    fn a_clock_that_is_set_back_makes_no_wait_longer() {
        let mut buckets = Buckets::default();
        let permit = post(&mut buckets, 1, Rank::Due, START).unwrap();
        buckets.told(permit, state("a", 1, 0, 2_000), START);
        let before = START - Duration::from_hours(1);
        assert_eq!(post(&mut buckets, 1, Rank::Due, before).map(drop), Err(millis(2_000)));
    }

    proptest! {
        /// Against a server that counts by fixed windows, whatever the delays, no call is made that it would refuse.
        #[test]
        fn no_call_is_made_in_vain(steps in prop::collection::vec((0_u64..700, 0_u64..80), 1..200)) {
            let (limit, span) = (5_u32, 5_000_u64);
            let mut buckets = Buckets::default();
            let (mut now, mut began, mut used) = (START, START, 0);
            for (pause, delay) in steps {
                now = now + millis(pause);
                let Ok(permit) = post(&mut buckets, 1, Rank::Due, now) else { continue };
                if now.since(began) >= millis(span) || used == 0 {
                    (began, used) = (now, 0);
                }
                used += 1;
                prop_assert!(used <= limit);
                let reset = millis(span) - now.since(began);
                let told = State { hash: "a".to_owned(), limit, remaining: limit - used, reset_after: reset };
                now = now + millis(delay);
                buckets.told(permit, Told { bucket: Some(told), ..Told::default() }, now);
            }
        }
    }
}
