//! What is wrong with a configuration: every fault at once, each with its place and the way to put it right.

use std::fmt;
use std::path::{Path, PathBuf};

/// A place in the file, counted from one; columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFault {
    /// Where in the file; nothing where the file as a whole is meant.
    pub position: Option<Position>,
    /// What is wrong, what is allowed and the nearest right name.
    pub message: String,
}

/// Everything that is wrong with one configuration, in the order of the file. Shows as one line a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFaults {
    /// The file.
    pub file: PathBuf,
    /// The faults; never empty.
    pub faults: Vec<ConfigFault>,
}

impl ConfigFaults {
    pub(crate) fn whole(file: &Path, message: impl Into<String>) -> Self {
        let fault = ConfigFault { position: None, message: message.into() };
        Self { file: file.to_owned(), faults: vec![fault] }
    }

    pub(crate) fn new(file: &Path, mut faults: Vec<ConfigFault>) -> Self {
        faults.sort_by(|a, b| (a.position, &a.message).cmp(&(b.position, &b.message)));
        faults.dedup();
        Self { file: file.to_owned(), faults }
    }
}

impl std::error::Error for ConfigFaults {}

impl fmt::Display for ConfigFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            let line_break = if index == 0 { "" } else { "\n" };
            write!(f, "{line_break}{}:", self.file.display())?;
            if let Some(Position { line, column }) = fault.position {
                write!(f, "{line}:{column}:")?;
            }
            write!(f, " {}", fault.message)?;
        }
        Ok(())
    }
}

/// The candidate that `word` was most likely meant to be: at most two slips away, one in a short word; case does not count.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let slips = match word.chars().count() {
        0..=2 => 0,
        3..=4 => 1,
        // Nobody mistypes a name of this length into a configured one, and the distance costs its square.
        201.. => return None,
        _ => 2,
    };
    let distances =
        candidates.into_iter().map(|candidate| (distance(&word, &candidate.to_lowercase()), candidate));
    distances
        .filter(|(distance, _)| *distance <= slips)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, near)| near)
}

/// ` did you mean "x"?` behind a semicolon, or nothing.
pub(crate) fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default()
}

/// Single-character slips between two words: one left out, put in, changed, or swapped with its neighbour.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let mut last: Option<char> = None;
    for (i, x) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX - 1);
            let change = at(&row, j) + usize::from(x != *y);
            let mut best = change.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped = j > 0 && b.get(j - 1) == Some(&x) && last == Some(*y);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
        last = Some(x);
    }
    row.last().copied().unwrap_or(0)
}

/// A text from the file as a message shows it: in quotes, one line, not too long.
pub(crate) fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    let more = if text.chars().nth(60).is_some() { "…" } else { "" };
    format!("\"{shown}{more}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_forgives_slips_and_case() {
        let names = ["thinkingDefault", "fastModeDefault", "open", "env", "list"];
        for (word, expected) in [
            ("thinkingDefualt", Some("thinkingDefault")),
            ("thinkingdefault", Some("thinkingDefault")),
            ("opne", Some("open")),
            ("opens", Some("open")),
            ("nev", Some("env")),
            ("xyz", None),
            ("", None),
            ("lsit", Some("list")),
        ] {
            assert_eq!(nearest(word, names), expected, "{word}");
        }
        assert_eq!(nearest(&"x".repeat(100_000), names), None);
    }

    #[test]
    fn faults_show_one_a_line_in_the_order_of_the_file() {
        let fault = |line, message: &str| ConfigFault {
            position: Some(Position { line, column: 3 }),
            message: message.to_owned(),
        };
        let faults =
            ConfigFaults::new(Path::new("p.json5"), vec![fault(9, "b"), fault(2, "a"), fault(9, "b")]);
        assert_eq!(faults.to_string(), "p.json5:2:3: a\np.json5:9:3: b");
        assert_eq!(ConfigFaults::whole(Path::new("p"), "gone").to_string(), "p: gone");
    }

    #[test]
    fn quoted_text_is_short_and_on_one_line() {
        assert_eq!(quoted("a\"\n\u{0}b"), "\"a\\\"\\n\\0b\"");
        assert_eq!(quoted(&"é".repeat(1000)).chars().count(), 63);
    }
}
