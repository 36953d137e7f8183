//! Log lines on standard error: for people or as JSON, and never with a secret in them.

use std::io::{self, IsTerminal, Write};
use std::panic;

use pensive_engine::Masker;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use crate::arguments::{Common, LogFormat};

/// What a verb logs when nobody asks for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talk {
    /// Milestones.
    Usual,
    /// Only what is wrong: the log shares the terminal with a conversation.
    Quiet,
}

/// Starts logging for the whole process, also of panics.
pub(crate) fn start(common: &Common, talk: Talk, masker: Masker) {
    let writer = Masked { masker };
    let lines = fmt::layer().with_writer(writer);
    let lines = match common.log_format {
        LogFormat::Human => lines.with_ansi(io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let subscriber = tracing_subscriber::registry().with(lines.with_filter(levels(talk, common.verbose)));
    if subscriber.try_init().is_err() {
        // Only a test that starts the program twice in one process gets here; the first log goes on.
        return;
    }
    panic::set_hook(Box::new(|info| {
        // Without its message: that may quote the text that was being worked on.
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "a task panicked; this is a fault of pensive, please report it");
    }));
}

fn levels(talk: Talk, verbose: u8) -> Targets {
    let (ours, others) = match (talk, verbose) {
        (Talk::Quiet, 0) => (LevelFilter::ERROR, LevelFilter::ERROR),
        (Talk::Quiet, 1) | (Talk::Usual, 0) => (LevelFilter::INFO, LevelFilter::WARN),
        (Talk::Quiet, 2) | (Talk::Usual, 1) => (LevelFilter::DEBUG, LevelFilter::INFO),
        (Talk::Quiet | Talk::Usual, _) => (LevelFilter::TRACE, LevelFilter::DEBUG),
    };
    // That library logs whole bodies of answers.
    Targets::new()
        .with_default(others)
        .with_target("pensive", ours)
        .with_target("async_openai", LevelFilter::OFF)
}

/// Standard error behind the masker. The formatter writes a whole line at once.
struct Masked {
    masker: Masker,
}

impl<'a> MakeWriter<'a> for Masked {
    type Writer = MaskedLine<'a>;

    fn make_writer(&'a self) -> MaskedLine<'a> {
        MaskedLine { masker: &self.masker }
    }
}

struct MaskedLine<'a> {
    masker: &'a Masker,
}

impl Write for MaskedLine<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        io::stderr().write_all(self.masker.mask(&text).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn more_vs_log_more_and_bodies_are_never_logged() {
        for (talk, verbose, ours, others) in [
            (Talk::Usual, 0, Level::INFO, Level::WARN),
            (Talk::Quiet, 0, Level::ERROR, Level::ERROR),
            (Talk::Usual, 1, Level::DEBUG, Level::INFO),
            (Talk::Usual, 9, Level::TRACE, Level::DEBUG),
        ] {
            let levels = levels(talk, verbose);
            assert!(levels.would_enable("pensive_engine::run", &ours), "{talk:?} {verbose}");
            assert!(levels.would_enable("hyper", &others), "{talk:?} {verbose}");
            assert!(!levels.would_enable("async_openai::client", &Level::ERROR));
        }
        assert!(!levels(Talk::Usual, 0).would_enable("pensive_engine::run", &Level::DEBUG));
    }
}
