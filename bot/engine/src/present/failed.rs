//! A tool call that came to nothing, and whether the person has to hear of it.

use pensive_contract::tool::Danger;
use pensive_directives::Verbose;

use crate::bubble::Bubble;

/// Tools that change something although they can do no harm: that one of these failed matters whatever the answer is.
const CHANGING: &[&str] = &["write", "edit", "apply_patch", "memory_write", "message", "sessions_spawn"];

/// What an answer says that does not pass a failure over. Looked for only to spare the person a line that they have read
/// already; where it is missed, they read it twice.
const OWNED_UP: &[&str] = &[
    "fail",
    "error",
    "could not",
    "couldn't",
    "couldn’t",
    "cannot",
    "can't",
    "can’t",
    "unable",
    "denied",
    "⚠️",
];

/// The last call of a run that failed and was not made good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failed {
    pub(super) tool: String,
    pub(super) bubble: Bubble,
    /// Whether it was to do what could harm.
    pub(super) danger: Danger,
    /// What it said.
    pub(super) reason: String,
}

impl Failed {
    /// The line below the answer; nothing where the answer says so itself, or stands without what the call was to bring.
    pub(crate) fn line(&self, answer: Option<&str>, verbose: Verbose) -> Option<String> {
        let answer = answer.filter(|answer| !answer.trim().is_empty());
        if answer.is_some_and(|answer| self.is_passed_over(answer)) {
            return None;
        }
        let reason = match verbose {
            Verbose::Full => Some(self.reason.as_str()),
            Verbose::On | Verbose::Off => None,
        };
        Some(self.bubble.failure(reason))
    }

    fn is_passed_over(&self, answer: &str) -> bool {
        let answer = answer.to_lowercase();
        let matters = self.danger == Danger::Dangerous || CHANGING.contains(&self.tool.as_str());
        !matters || OWNED_UP.iter().any(|words| answer.contains(words))
    }
}
