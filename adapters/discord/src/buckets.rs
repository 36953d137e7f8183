//! The limits that Discord tells with each answer, and when a call has room under them. Pure arithmetic over moments that the
//! caller names (<https://docs.discord.com/developers/topics/rate-limits>).
//!
//! A limit holds for a bucket and a major parameter; which bucket a route belongs to is learned from its answers. Before the
//! first one nothing is known and nothing is held up: a 429 then tells.

mod bucket;

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use pensive_contract::clock::Timestamp;
use reqwest::Method;

use crate::routes::Route;

use bucket::{Bucket, Span, UNKNOWN_WINDOW};

/// Calls a second over all routes that carry the bot's token.
const GLOBAL: usize = 50;
const GLOBAL_SPAN: Duration = Duration::from_secs(1);
/// Calls of a second that what can be spared leaves to others.
const GLOBAL_SPARED: usize = 10;
/// 10,000 answers with 401, 403 or 429 within ten minutes shut an address out; half of that is more than enough.
const MOST_INVALID: u32 = 5_000;
const INVALID_SPAN: Duration = Duration::from_mins(10);
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
    bucket: Name,
    major: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Name {
    /// As Discord told it.
    Hash(String),
    /// It has not told yet: a route of its own.
    Route(Method, &'static str),
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
        if let Some(State { hash, .. }) = &told.bucket {
            key = self.learned(route, key, hash);
        }
        let bucket = self.buckets.entry(key).or_default();
        bucket.under_way = bucket.under_way.saturating_sub(1);
        if let Some(state) = &told.bucket {
            bucket.told(state, now);
        }
        match (told.silence, bound) {
            (Some((Scope::Global, length)), Bound::Globally) => {
                self.silence = Some(Span { since: now, length });
            }
            (Some((_, length)), _) => {
                bucket.silence = Some(Span { since: now, length });
            }
            (None, _) => {}
        }
        if told.invalid {
            self.count_invalid(now);
        }
    }

    /// No answer came to a call: it may have counted.
    pub(crate) fn lost(&mut self, permit: Permit, now: Timestamp) {
        let learned = self.hashes.get(&permit.route).cloned().map(Name::Hash);
        let learned = learned.map(|bucket| Key { bucket, major: permit.key.major.clone() });
        let key = if self.buckets.contains_key(&permit.key) { Some(permit.key) } else { learned };
        if let Some(bucket) = key.and_then(|key| self.buckets.get_mut(&key)) {
            bucket.under_way = bucket.under_way.saturating_sub(1);
            bucket.window.get_or_insert(Span { since: now, length: UNKNOWN_WINDOW });
        }
    }

    /// The bucket of a call whose answer names it. What was counted for its route counts there from now on.
    fn learned(&mut self, route: (Method, &'static str), key: Key, hash: &str) -> Key {
        if matches!(&key.bucket, Name::Hash(known) if known == hash) {
            return key;
        }
        let told = Key { bucket: Name::Hash(hash.to_owned()), major: key.major.clone() };
        self.hashes.insert(route, hash.to_owned());
        match key.bucket {
            Name::Route(..) => {
                let before = self.buckets.remove(&key).unwrap_or_default();
                self.buckets.entry(told.clone()).or_default().under_way += before.under_way;
            }
            // Some routes have several buckets, by the age of what they change.
            Name::Hash(_) => {
                if let Some(bucket) = self.buckets.get_mut(&key) {
                    bucket.under_way = bucket.under_way.saturating_sub(1);
                }
                self.buckets.entry(told.clone()).or_default().under_way += 1;
            }
        }
        told
    }

    fn key(&self, method: &Method, route: &Route) -> Key {
        let of = (method.clone(), route.name);
        let bucket = match self.hashes.get(&of) {
            Some(hash) => Name::Hash(hash.clone()),
            None => Name::Route(of.0, of.1),
        };
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

#[cfg(test)]
mod tests;
