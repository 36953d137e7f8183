//! What the tab key offers: slash words and their values, from the one table of them.

use pensive_directives::{CommandSpec, table};
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

/// The completer of the line editor.
pub(super) struct SlashWords;

impl Completer for SlashWords {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(complete(line.get(..pos).unwrap_or_default()))
    }
}

impl Hinter for SlashWords {
    type Hint = String;
}

impl Highlighter for SlashWords {}
impl Validator for SlashWords {}
impl Helper for SlashWords {}

/// Where the word that is being typed begins, and what it may become. `typed` ends at the cursor.
fn complete(typed: &str) -> (usize, Vec<String>) {
    let start = typed.rfind(|c: char| c.is_whitespace() || c == ':').map_or(0, |at| at + width_at(typed, at));
    let (before, word) = typed.split_at_checked(start).unwrap_or((typed, ""));
    if word.starts_with('/') {
        return (start, slash_words(word));
    }
    let asked =
        before.trim_end_matches(|c: char| c.is_whitespace() || c == ':').rsplit(char::is_whitespace).next();
    let values = asked.and_then(|name| name.strip_prefix('/')).and_then(called).map(|spec| (spec.choices)());
    let word = word.to_lowercase();
    let fitting = values.unwrap_or_default().into_iter().filter(|value| value.starts_with(&word));
    (start, fitting.map(str::to_owned).collect())
}

fn slash_words(word: &str) -> Vec<String> {
    let name = word.trim_start_matches('/').to_lowercase();
    let fitting = table().iter().filter(|spec| spec.word.starts_with(&name));
    fitting.map(|spec| format!("/{} ", spec.word)).collect()
}

fn called(name: &str) -> Option<&'static CommandSpec> {
    table().iter().find(|spec| {
        std::iter::once(&spec.word).chain(spec.aliases).any(|word| word.eq_ignore_ascii_case(name))
    })
}

fn width_at(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, start: usize, expected: &[&str]) {
        let (at, found) = complete(typed);
        assert_eq!(found, expected, "{typed:?}");
        if !expected.is_empty() {
            assert_eq!(at, start, "{typed:?}");
        }
    }

    #[test]
    fn dir_21_words_and_values_come_from_the_table() {
        check("/thi", 0, &["/think "]);
        check("/V", 0, &["/verbose "]);
        check("fix it /rea", 7, &["/reasoning "]);
        check("/think x", 7, &["xhigh"]);
        check("/think:m", 7, &["minimal", "medium", "max"]);
        check("/t\u{3000}ult", 5, &["ultra"]);
        check("/THINKING Hi", 10, &["high"]);
        check("/fast st", 6, &["status"]);
        check("/usage f", 7, &["full"]);
        check("hello wor", 0, &[]);
        check("é/thi", 0, &[]);
        check("/nothing x", 0, &[]);
        assert_eq!(complete("/").1.len(), table().len());
        assert_eq!(complete("/think ").1, (called("think").unwrap().choices)());
    }
}
