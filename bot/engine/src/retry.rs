//! How often and how long after a fault something is tried again: pure arithmetic over what was waited so far.

use std::time::Duration;

/// What a model call may wait in all, unless the provider names a time: the person is told well within half a minute.
const MODEL_PATIENCE: Duration = Duration::from_secs(20);
/// A time that a provider names is waited for up to here; beyond it another model or a word to the person is better.
const NAMED_PATIENCE: Duration = Duration::from_secs(60);
/// The longest pause between two tries of a send.
const SEND_CEILING: Duration = Duration::from_secs(60);

/// Tries of one run's model calls, over all its models.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ModelRetries {
    tries: u32,
    waited: Duration,
}

impl ModelRetries {
    /// The pause before the next try; nothing when the patience is used up. `luck` in 0..1 spreads many daemons.
    pub(crate) fn next(&mut self, luck: f64) -> Option<Duration> {
        let pause = spread(doubled(Duration::from_millis(500), self.tries), luck);
        if self.waited + pause > MODEL_PATIENCE {
            return None;
        }
        self.tries += 1;
        self.waited += pause;
        Some(pause)
    }

    /// The pause when the provider named one; nothing when it is too long to keep a person waiting, or was named too often.
    pub(crate) fn named(&mut self, pause: Duration) -> Option<Duration> {
        if pause > NAMED_PATIENCE || self.tries >= 4 {
            return None;
        }
        self.tries += 1;
        Some(pause)
    }

    /// A try ended in silence of this length. It was waiting like any other, so that a provider that hangs is not given one
    /// long wait after the other.
    pub(crate) fn spent(&mut self, silence: Duration) {
        self.waited += silence;
    }

    /// A fallback starts with fresh tries, but not with fresh patience.
    pub(crate) fn for_fallback(self) -> Self {
        Self { tries: 0, waited: self.waited }
    }
}

/// The pause before try number `tries` (0 is the first repetition) of a send that was refused.
pub(crate) fn send_pause(tries: u32, luck: f64) -> Duration {
    spread(doubled(Duration::from_millis(500), tries).min(SEND_CEILING), luck)
}

fn doubled(first: Duration, times: u32) -> Duration {
    first.saturating_mul(1_u32.checked_shl(times.min(16)).unwrap_or(u32::MAX))
}

/// Between four and six fifths of `pause`.
fn spread(pause: Duration, luck: f64) -> Duration {
    pause.mul_f64(0.8 + 0.4 * luck.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_retries_end_within_half_a_minute_whatever_the_luck() {
        for luck in [0.0, 0.5, 1.0] {
            let mut retries = ModelRetries::default();
            let mut waited = Duration::ZERO;
            let mut tries = 0;
            while let Some(pause) = retries.next(luck) {
                waited += pause;
                tries += 1;
            }
            assert!(
                waited <= MODEL_PATIENCE && (4..=6).contains(&tries),
                "{luck}: {tries} tries, {waited:?}"
            );
            assert_eq!(retries.for_fallback().tries, 0);
        }
    }

    #[test]
    fn a_try_that_hangs_is_the_last() {
        let mut retries = ModelRetries::default();
        retries.spent(Duration::from_secs(1));
        assert!(retries.next(0.5).is_some(), "a short silence is no hang");
        retries.spent(Duration::from_secs(25));
        assert_eq!(retries.next(0.5), None);
    }

    #[test]
    fn a_named_time_is_obeyed_up_to_a_minute() {
        let mut retries = ModelRetries::default();
        assert_eq!(retries.named(Duration::from_secs(33)), Some(Duration::from_secs(33)));
        assert_eq!(retries.named(Duration::from_secs(3600)), None);
    }

    #[test]
    fn send_pauses_grow_to_a_ceiling() {
        assert_eq!(send_pause(0, 0.5), Duration::from_millis(500));
        assert_eq!(send_pause(3, 0.5), Duration::from_secs(4));
        assert_eq!(send_pause(40, 0.5), SEND_CEILING);
    }
}
