//! What came of a trial, for people and for machines.

use std::{fmt, fs, io, path::Path};

use serde::Serialize;

use super::verdict::Tally;

/// What came of a trial.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Lives of the daemon that ended with SIGKILL.
    pub rounds: usize,
    /// What was sent can be had again with it; when the daemon was killed cannot.
    pub seed: u64,
    /// Those that were killed somewhere between execution and a little after the first poll.
    pub killed_in_start: usize,
    /// Those that were killed in the middle of a send.
    pub killed_in_send: usize,
    /// Ends of all messages, before any button was pressed.
    pub tally: Tally,
    /// Buttons pressed after the last restart.
    pub presses: usize,
    /// What was not there after they were pressed.
    pub missing_after_presses: Vec<String>,
    /// Calls that the Bot API would not have liked.
    pub violations: Vec<String>,
    /// Seconds that it took.
    pub seconds: f64,
    /// What the daemon said last, when something is wrong.
    pub last_words: String,
}

impl Outcome {
    /// Every promise was kept.
    pub fn clean(&self) -> bool {
        self.tally.clean() && self.missing_after_presses.is_empty() && self.violations.is_empty()
    }

    /// Writes it as JSON.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        fs::write(path, text)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { updates, acknowledged, answered, restarted, unconfirmed, settings_checked, .. } =
            self.tally;
        let rows = [
            ("kills", self.rounds),
            ("of these in the start", self.killed_in_start),
            ("of these in the middle of a send", self.killed_in_send),
            ("updates", updates),
            ("acknowledged", acknowledged),
            ("answered", answered),
            ("told that they were cut off", restarted),
            ("notices of unconfirmed messages", unconfirmed),
            ("settings asked for and right", settings_checked),
            ("answers in the making orphaned by a kill", self.tally.orphans),
            ("messages about tools", self.tally.shown_work),
            ("repeated notices", self.tally.repeated_notices),
            ("doubled", self.tally.doubled.len()),
            ("gaps without a notice", self.tally.lost.len()),
            ("wrong", self.tally.wrong.len()),
            ("answers left half-made", self.tally.half_made.len()),
            ("buttons pressed", self.presses),
            ("lost: nothing came of the buttons either", self.missing_after_presses.len()),
            ("calls that the Bot API refuses", self.violations.len()),
        ];
        writeln!(f, "seed {}, {:.1} s", self.seed, self.seconds)?;
        writeln!(f, "| what | count |\n| --- | ---: |")?;
        for (what, count) in rows {
            writeln!(f, "| {what} | {count} |")?;
        }
        let Tally { doubled, lost, wrong, half_made, .. } = &self.tally;
        for fault in doubled
            .iter()
            .chain(lost)
            .chain(wrong)
            .chain(half_made)
            .chain(&self.missing_after_presses)
            .chain(&self.violations)
        {
            writeln!(f, "- {fault}")?;
        }
        f.write_str(&self.last_words)
    }
}
