//! One bucket: how many calls it still takes in its window, and what is under way. Pure.

use std::time::Duration;

use pensive_contract::clock::Timestamp;

use super::{Rank, State};

/// How long a bucket is looked away from while all that it has room for is under way.
pub(super) const UNTOLD: Duration = Duration::from_millis(250);
/// A window that ends so much later than the one we know of is another one.
const SAME_WINDOW: Duration = Duration::from_millis(500);
/// How long a call whose answer was lost may count.
pub(super) const UNKNOWN_WINDOW: Duration = Duration::from_secs(1);

/// A stretch of time that began at a moment. A clock that is set back does not make it longer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) since: Timestamp,
    pub(super) length: Duration,
}

impl Span {
    pub(super) fn left(self, now: Timestamp) -> Duration {
        (self.since.min(now) + self.length).since(now)
    }
}

#[derive(Debug, Default)]
pub(super) struct Bucket {
    /// Calls of a window; unknown before the first answer.
    limit: Option<u32>,
    pub(super) left: u32,
    /// Calls without an answer yet.
    pub(super) under_way: u32,
    /// The window that `left` is about; unknown while none of its calls was answered.
    pub(super) window: Option<Span>,
    pub(super) silence: Option<Span>,
}

impl Bucket {
    pub(super) fn wait(&self, rank: Rank, now: Timestamp) -> Duration {
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

    pub(super) fn take(&mut self, now: Timestamp) {
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

    pub(super) fn told(&mut self, state: &State, now: Timestamp) {
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

    pub(super) fn is_idle(&self, now: Timestamp) -> bool {
        let is_silent = self.silence.is_some_and(|span| !span.left(now).is_zero());
        self.under_way == 0 && !is_silent && self.is_over(now)
    }
}
