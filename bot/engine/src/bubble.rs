//! What people see of a tool call: one line that says what is done, and under `/verbose full` what came of it. Pure; when
//! it is shown is for `present` to say.

mod arguments;
mod detail;
mod explain;
mod name;
mod programs;
mod shell;
mod value;

use pensive_contract::outward::Body;

use crate::mask::Masker;
use crate::settings::ToolDetail;
use arguments::Arguments;

/// What is shown of an output.
const MOST_OUTPUT: usize = 8_000;
/// What is shown of an error.
const MOST_ERROR: usize = 400;

/// What the words of a bubble depend on beside the call.
#[derive(Clone, Copy)]
pub(crate) struct Lens<'a> {
    /// How commands are shown.
    pub(crate) detail: ToolDetail,
    /// The folder that is written as `~`; empty for none.
    pub(crate) home: &'a str,
    /// Takes secrets out before anything is cut: half a secret is not known as one any more.
    pub(crate) masker: &'a Masker,
}

/// A tool call as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bubble {
    /// An emoji, and what the tool is called among people.
    pub(crate) title: String,
    /// What it is asked for; empty where there is nothing to tell.
    detail: String,
}

impl Bubble {
    /// Of a call as the model wrote it.
    pub(crate) fn new(tool: &str, arguments: &str, lens: Lens<'_>) -> Self {
        let (emoji, title) = name::shown(tool);
        let detail = detail::of(tool, &Arguments::read(arguments, lens), lens);
        Self { title: format!("{emoji} {title}"), detail }
    }

    /// The line that tells that the call is made.
    pub(crate) fn line(&self) -> String {
        let Self { title, detail } = self;
        if detail.is_empty() { title.clone() } else { format!("{title}: {detail}") }
    }

    /// The second bubble, with what came of it. Secrets are out of the output already: half of one that the cut leaves is
    /// not known any more.
    pub(crate) fn output(&self, output: &str) -> Body {
        let line = self.line();
        let text = output.trim_end().trim_start_matches(['\r', '\n']);
        if text.trim().is_empty() {
            return Body::Plain(format!("{line}\n(no output)"));
        }
        let end = text.char_indices().nth(MOST_OUTPUT).map_or(text.len(), |(end, _)| end);
        let shown = text.get(..end).unwrap_or(text);
        let after = if shown.len() < text.len() { "…(truncated)…" } else { "" };
        Body::Framed { before: line, markdown: fenced(shown), after: after.to_owned() }
    }

    /// The line that says that it came to nothing; with the reason, without its secrets, where that is asked for.
    pub(crate) fn failure(&self, reason: Option<&str>) -> String {
        let reason = reason.map(|reason| value::line(reason, MOST_ERROR)).filter(|reason| !reason.is_empty());
        match reason {
            Some(reason) => format!("⚠️ {} failed: {reason}", self.line()),
            None => format!("⚠️ {} failed", self.line()),
        }
    }
}

/// A text in a fence that is longer than any in it.
pub(crate) fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}\n{text}\n{fence}")
}

#[cfg(test)]
mod tests;
