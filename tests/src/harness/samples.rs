//! Measured times and what is told of them.

use std::time::Duration;

/// Times of the same thing, measured again and again.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<Duration>);

impl Samples {
    /// One more.
    pub fn add(&mut self, sample: Duration) {
        self.0.push(sample);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The time that `part` (0 to 1) of the samples do not exceed, in milliseconds; nearest rank.
    pub fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (part * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default().as_secs_f64() * 1e3
    }

    /// Half of the samples do not exceed it.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// 99 % of the samples do not exceed it.
    pub fn p99(&self) -> f64 {
        self.quantile(0.99)
    }
}

impl Extend<Duration> for Samples {
    fn extend<I: IntoIterator<Item = Duration>>(&mut self, samples: I) {
        self.0.extend(samples);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_samples() {
        let check = |times: &[u64], part: f64, expected: f64| {
            let samples = Samples(times.iter().copied().map(Duration::from_millis).collect());
            assert!((samples.quantile(part) - expected).abs() < 1e-9, "{times:?} {part}");
        };
        check(&[], 0.5, 0.0);
        check(&[7], 0.99, 7.0);
        check(&[3, 1, 2], 0.5, 2.0);
        check(&[4, 3, 2, 1], 0.5, 2.0);
        check(&(1..=100).collect::<Vec<_>>(), 0.99, 99.0);
        check(&(1..=100).collect::<Vec<_>>(), 1.0, 100.0);
    }
}
