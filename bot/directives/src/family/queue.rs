//! `/queue`: what becomes of a message that arrives while a run is going on.

use super::Family;
use crate::Defaults;
use crate::vocabulary::{same, vocabulary, words};

vocabulary! {
    /// How a waiting message meets the run.
    pub enum QueueMode {
        /// It is put in at the run's next call to the model.
        Steer: "steer";
        /// It gets its own turn afterwards.
        Followup: "followup";
        /// All that wait become one turn, after a moment of quiet.
        Collect: "collect";
        /// The run is ended, and the newest message runs.
        Interrupt: "interrupt";
    }
}

/// A mode and what was said about it: `collect debounce:2s cap:10`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Queue {
    /// How a waiting message meets the run.
    pub mode: QueueMode,
    /// How long it must be quiet before the waiting messages are taken, in milliseconds.
    pub debounce_ms: Option<u32>,
    /// How many messages may wait.
    pub cap: Option<u16>,
}

impl Default for Queue {
    fn default() -> Self {
        Self::plain(QueueMode::Steer)
    }
}

impl Queue {
    /// The mode without options.
    pub fn plain(mode: QueueMode) -> Self {
        Self { mode, debounce_ms: None, cap: None }
    }

    /// The queue with one option more, `debounce:2s` or `cap:10`, or nothing when the word is no option.
    pub(crate) fn with(self, option: &str) -> Option<Self> {
        let (name, value) = option.split_once([':', '：'])?;
        if same(name, "debounce") {
            Some(Self { debounce_ms: Some(milliseconds(value)?), ..self })
        } else if same(name, "cap") {
            Some(Self { cap: Some(value.parse().ok().filter(|cap| *cap > 0)?), ..self })
        } else {
            None
        }
    }
}

impl std::fmt::Display for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.mode.name())?;
        match self.debounce_ms {
            Some(ms) if ms % 1000 == 0 => write!(f, " debounce:{}s", ms / 1000)?,
            Some(ms) => write!(f, " debounce:{ms}ms")?,
            None => {}
        }
        self.cap.map_or(Ok(()), |cap| write!(f, " cap:{cap}"))
    }
}

/// `2s`, `500ms`, or milliseconds without a unit.
fn milliseconds(value: &str) -> Option<u32> {
    let (number, unit) = match value.strip_suffix(['s', 'S']) {
        Some(seconds) => match seconds.strip_suffix(['m', 'M']) {
            Some(number) => (number, 1),
            None => (seconds, 1000),
        },
        None => (value, 1),
    };
    number.parse::<u32>().ok()?.checked_mul(unit)
}

impl Family for Queue {
    const NOUN: &'static str = "queue mode";
    const KINDS: &'static str = "modes";

    fn words() -> Vec<&'static str> {
        words::<QueueMode>()
    }

    fn shown(self, _: &Defaults) -> String {
        self.to_string()
    }

    fn set_text(self) -> String {
        format!("⚙️ Queue mode set to {self}.")
    }

    fn reset_text(inherited: Self) -> String {
        format!("⚙️ Queue mode reset to default ({inherited}).")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::tests::{check_family, check_words};

    #[test]
    fn spellings() {
        check_family::<QueueMode>();
        check_words(QueueMode::Followup, "follow-up follow_up");
        check_words(QueueMode::Steer, "");
    }

    #[test]
    fn options() {
        let check = |option: &str, expected: Option<&str>| {
            let queue = Queue::plain(QueueMode::Collect).with(option);
            assert_eq!(queue.map(|queue| queue.to_string()).as_deref(), expected, "{option}");
        };
        check("debounce:2s", Some("collect debounce:2s"));
        check("Debounce：500MS", Some("collect debounce:500ms"));
        check("debounce:1500", Some("collect debounce:1500ms"));
        check("cap:10", Some("collect cap:10"));
        check("cap:0", None);
        check("cap:70000", None);
        check("debounce:s", None);
        check("debounce:4294968s", None);
        check("debounce:1.5s", None);
        check("drop:old", None);
        check("cap", None);
    }

    #[test]
    fn answers() {
        assert_eq!(Queue::options(), "default, steer, followup, collect, interrupt");
        let queue = Queue { mode: QueueMode::Collect, debounce_ms: Some(2000), cap: Some(10) };
        assert_eq!(queue.set_text(), "⚙️ Queue mode set to collect debounce:2s cap:10.");
        assert_eq!(Queue::reset_text(Queue::default()), "⚙️ Queue mode reset to default (steer).");
    }
}
