//! How long to wait before the next attempt: longer each time, and never the same for two that failed together.

use std::time::Duration;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);

/// A row of growing pauses.
#[derive(Debug)]
pub(crate) struct Pauses(Duration);

impl Default for Pauses {
    fn default() -> Self {
        Self(FIRST)
    }
}

impl Pauses {
    /// The next pause, from 1 s to 30 s.
    pub(crate) fn next(&mut self) -> Duration {
        let full = self.0;
        self.0 = (full * 2).min(LONGEST);
        FIRST.max(full.mul_f64(0.5 + fastrand::f64() / 2.0))
    }

    /// All is well again: the next pause is short.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_half_a_minute_and_begin_anew() {
        let mut pauses = Pauses::default();
        for _ in 0..100 {
            assert!((FIRST..=LONGEST).contains(&pauses.next()));
        }
        assert!(pauses.next() >= LONGEST / 2);
        pauses.reset();
        assert_eq!(pauses.next(), FIRST);
    }
}
