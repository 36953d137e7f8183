//! How often each route may be called, as Discord tells with every answer
//! (<https://docs.discord.com/developers/topics/rate-limits>).

use std::collections::{HashMap, VecDeque};

use super::refusal::{Refusal, Scope};

/// Calls of one bot in a second, whatever they are.
const GLOBAL: usize = 50;

/// So many calls in so many milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) calls: u32,
    pub(crate) span: i64,
}

/// What an answer tells about its bucket.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Told {
    pub(crate) bucket: String,
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    /// Milliseconds until it is full again.
    pub(crate) reset_after: i64,
    /// That moment, in milliseconds since 1970.
    pub(crate) resets: i64,
}

/// One call at the gate. `came` and `clock` are on the record's clock: when its head was read, and now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival<'a> {
    pub(crate) call: &'a str,
    pub(crate) major: u64,
    pub(crate) bot: u64,
    pub(crate) now: i64,
    pub(crate) came: u64,
    pub(crate) clock: u64,
}

#[derive(Debug, Default)]
struct Bucket {
    used: u32,
    resets: i64,
    /// When somebody was told that nothing is left, on the record's clock.
    empty_since: Option<u64>,
}

/// A no.
#[derive(Debug)]
pub(crate) struct No {
    pub(crate) refusal: Refusal,
    /// The bucket that is empty; nothing for the limit over all calls.
    pub(crate) told: Option<Told>,
    /// What is to be said about who asked.
    pub(crate) blame: Option<String>,
}

/// The limits in force.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    /// Nobody is limited.
    pub(crate) off: bool,
    pub(crate) rules: HashMap<String, Rule>,
    buckets: HashMap<(String, u64, u64), Bucket>,
    global: HashMap<u64, VecDeque<i64>>,
}

impl Limits {
    /// Counts a call. A client that calls on though it was told not to is to blame.
    pub(crate) fn count(&mut self, arrival: Arrival<'_>) -> Result<Option<Told>, Box<No>> {
        if self.off {
            return Ok(None);
        }
        let Arrival { call, major, bot, now, came, clock } = arrival;
        if bot != 0 {
            self.count_global(bot, now)?;
        }
        let rule = self.rule(call);
        let bucket = self.buckets.entry((call.to_owned(), major, bot)).or_default();
        if now >= bucket.resets {
            *bucket = Bucket { used: 0, resets: now + rule.span, empty_since: None };
        }
        if bucket.used >= rule.calls {
            let knew = bucket.empty_since.is_some_and(|since| since < came);
            let blame = knew.then(|| "called on though the limit said that nothing is left".to_owned());
            let wait = (bucket.resets - now).max(1);
            let refusal = Refusal::too_many(seconds(wait), Scope::User);
            return Err(Box::new(No { refusal, told: Some(told(call, rule, 0, wait, now)), blame }));
        }
        bucket.used += 1;
        let remaining = rule.calls - bucket.used;
        if remaining == 0 {
            bucket.empty_since.get_or_insert(clock);
        }
        Ok(Some(told(call, rule, remaining, bucket.resets - now, now)))
    }

    /// What a 429 that a test asked for tells about the bucket of its call.
    pub(crate) fn spent(&self, call: &str, refusal: &Refusal, now: i64) -> Option<Told> {
        let wait = refusal.wait.filter(|wait| wait.scope != Scope::Global && !self.off)?;
        Some(told(call, self.rule(call), 0, milliseconds(wait.seconds), now))
    }

    fn count_global(&mut self, bot: u64, now: i64) -> Result<(), Box<No>> {
        let calls = self.global.entry(bot).or_default();
        while calls.front().is_some_and(|first| now - first >= 1_000) {
            calls.pop_front();
        }
        if calls.len() >= GLOBAL {
            let wait = calls.front().map_or(1_000, |first| 1_000 - (now - first));
            let refusal = Refusal::too_many(seconds(wait.max(1)), Scope::Global);
            return Err(Box::new(No { refusal, told: None, blame: None }));
        }
        calls.push_back(now);
        Ok(())
    }

    fn rule(&self, call: &str) -> Rule {
        let rule = |calls, span| Rule { calls, span };
        match (self.rules.get(call), call) {
            (Some(own), _) => *own,
            (
                None,
                "POST /channels/{}/messages" | "PATCH /channels/{}/messages/{}" | "POST /channels/{}/typing",
            ) => rule(5, 5_000),
            (None, "DELETE /channels/{}/messages/{}") => rule(5, 1_000),
            (None, _) => rule(30, 1_000),
        }
    }
}

fn told(call: &str, rule: Rule, remaining: u32, reset_after: i64, now: i64) -> Told {
    Told { bucket: hash(call), limit: rule.calls, remaining, reset_after, resets: now + reset_after }
}

#[expect(clippy::cast_possible_truncation, reason = "a few minutes in milliseconds")]
fn milliseconds(seconds: f64) -> i64 {
    (seconds * 1_000.0).ceil() as i64
}

#[expect(clippy::cast_precision_loss, reason = "moments and spans in milliseconds")]
pub(crate) fn seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1_000.0
}

/// Something that looks like Discord's names of buckets.
fn hash(call: &str) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in call.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}{:016x}", hash.rotate_left(23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_counts_down_and_fills_again() {
        let mut limits = Limits::default();
        let mut send = |now: i64| {
            let clock = u64::try_from(now).unwrap() * 1_000;
            let call = "POST /channels/{}/messages";
            limits.count(Arrival { call, major: 7, bot: 1, now, came: clock, clock: clock + 1 })
        };
        let left: Vec<_> = (0..5).filter_map(|_| send(0).ok().flatten()).map(|told| told.remaining).collect();
        assert_eq!(left, [4, 3, 2, 1, 0]);
        let no = send(0).unwrap_err();
        assert_eq!((no.refusal.status, no.blame), (429, None), "it was on its way before anybody was told");
        let no = send(1_000).unwrap_err();
        assert_eq!(no.refusal.wait.map(|wait| wait.seconds), Some(4.0));
        assert_eq!(no.told.map(|told| (told.remaining, told.resets)), Some((0, 5_000)));
        assert!(no.blame.is_some());
        assert!(send(5_000).is_ok());
    }
}
