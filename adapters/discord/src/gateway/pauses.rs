//! How long to wait before the next attempt: longer each time, and never the same for two that failed together.

use std::time::Duration;

/// A row of growing pauses.
#[derive(Debug, Clone)]
pub(crate) struct Pauses {
    first: Duration,
    longest: Duration,
    next: Duration,
}

impl Pauses {
    /// Between connections, and between calls that an account needs before it can do anything.
    pub(crate) fn between_attempts() -> Self {
        Self::new(Duration::from_millis(500), Duration::from_secs(60))
    }

    /// Between sessions that did not last: a bot that starts more than 1,000 a day loses its token
    /// (<https://docs.discord.com/developers/events/gateway#identifying>).
    pub(crate) fn between_starts() -> Self {
        Self::new(Duration::from_secs(5), Duration::from_mins(15))
    }

    fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, next: first }
    }

    /// The next pause: between the half and the whole of a span that doubles each time.
    pub(crate) fn next(&mut self) -> Duration {
        let full = self.next;
        self.next = (full * 2).min(self.longest);
        full.mul_f64(0.5 + fastrand::f64() / 2.0)
    }

    /// All is well again: the next pause is short.
    pub(crate) fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_their_limit_and_begin_anew() {
        let mut pauses = Pauses::between_attempts();
        for _ in 0..100 {
            assert!((Duration::from_millis(250)..=Duration::from_secs(60)).contains(&pauses.next()));
        }
        assert!(pauses.next() >= Duration::from_secs(30));
        pauses.reset();
        assert!(pauses.next() <= Duration::from_millis(500));
    }

    #[test]
    fn sessions_that_do_not_last_stay_far_below_a_thousand_a_day() {
        let mut pauses = Pauses::between_starts();
        let (mut spent, mut starts) = (Duration::ZERO, 0);
        while spent < Duration::from_hours(24) {
            spent += pauses.next();
            starts += 1;
        }
        assert!(starts < 250, "{starts}");
    }
}
