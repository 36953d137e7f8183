//! Time as Discord writes it: in ids, and as text.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// The first second of 2015, where Discord's ids begin.
const EPOCH_MS: i64 = 1_420_070_400_000;

/// Where the fake reads the time, in milliseconds since 1970.
pub(crate) struct Time {
    clock: Box<dyn Fn() -> i64 + Send + Sync>,
    /// Somebody moves the clock by hand, so that no real wait may be measured with it.
    pub(crate) by_hand: bool,
}

impl Default for Time {
    fn default() -> Self {
        Self { clock: Box::new(system), by_hand: false }
    }
}

impl std::fmt::Debug for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Time({})", self.now())
    }
}

impl Time {
    pub(crate) fn by_hand(clock: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self { clock: Box::new(clock), by_hand: true }
    }

    pub(crate) fn now(&self) -> i64 {
        (self.clock)()
    }
}

fn system() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The smallest id that this moment can have.
pub(crate) fn snowflake(moment: i64) -> u64 {
    u64::try_from(moment - EPOCH_MS).unwrap_or_default() << 22
}

/// The moment as Discord writes it in objects.
pub(crate) fn iso(moment: i64) -> String {
    let moment = Timestamp::from_millisecond(moment).unwrap_or_default();
    moment.strftime("%Y-%m-%dT%H:%M:%S.%6f+00:00").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_discord_does() {
        assert_eq!(iso(1_764_560_000_123), "2025-12-01T03:33:20.123000+00:00");
        // The example of Discord's reference on snowflakes.
        assert_eq!(175_928_847_299_117_063 >> 22, snowflake(1_462_015_105_796) >> 22);
    }
}
