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
