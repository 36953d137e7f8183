//! A path as a model may write it: relative to the workspace and never upwards. Whether links lead out is found out when
//! it is opened, by the kernel.

use std::fmt;
use std::path::Path;

use super::shelf::{MEMORY, SHARED};
use crate::trouble::Trouble;

/// A path below the workspace, without `.`, `..` and doubled slashes. The workspace itself is the empty path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Inside(String);

impl Inside {
    /// Reads what a model wrote. An absolute path is taken where it begins with the workspace's own, as `pwd` shows it.
    pub(crate) fn parse(written: &str, workspace: &Path) -> Result<Self, Trouble> {
        let refuse = |words: &str| Err(Trouble::Refused(words.to_owned()));
        if written.is_empty() {
            return refuse("The path is empty. `.` is the workspace itself.");
        }
        if written.contains('\0') {
            return refuse("A path has no NUL character.");
        }
        let below = match Path::new(written).strip_prefix(workspace) {
            Ok(below) => below.to_str().unwrap_or_default(),
            Err(_) if written.starts_with('/') || written == "~" || written.starts_with("~/") => {
                return refuse(
                    "Only paths inside the workspace can be used, written relative to it, as in `notes/a.md`.",
                );
            }
            Err(_) => written,
        };
        let parts: Vec<&str> = below.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        if parts.contains(&"..") {
            return refuse("A path must not contain `..`: write it from the workspace downwards.");
        }
        Ok(Self(parts.join("/")))
    }

    /// The workspace itself.
    pub(crate) fn root() -> Self {
        Self(String::new())
    }

    /// Whether it is the memory or its shared folder.
    pub(super) fn leads_to_shared(&self) -> bool {
        self.0 == MEMORY
            || self.0.strip_prefix(MEMORY).and_then(|rest| rest.strip_prefix('/')) == Some(SHARED)
    }

    /// For the system: never empty.
    pub(super) fn as_str(&self) -> &str {
        if self.0.is_empty() { "." } else { &self.0 }
    }

    /// The folder it lies in and its own name; nothing for the workspace itself.
    pub(super) fn split(&self) -> Option<(Inside, &str)> {
        match self.0.rsplit_once('/') {
            Some((folder, name)) => Some((Self(folder.to_owned()), name)),
            None if self.0.is_empty() => None,
            None => Some((Self(String::new()), &self.0)),
        }
    }

    /// Each folder on the way down to it, itself last, with its own name.
    pub(super) fn steps(&self) -> Vec<(Inside, &str)> {
        let parts: Vec<&str> = self.0.split('/').filter(|part| !part.is_empty()).collect();
        (1..=parts.len())
            .filter_map(|depth| {
                let way = parts.get(..depth)?;
                Some((Self(way.join("/")), *way.last()?))
            })
            .collect()
    }
}

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(written: &str) -> Option<String> {
        Inside::parse(written, Path::new("/home/ann/pensive")).ok().map(|path| path.as_str().to_owned())
    }

    #[test]
    fn paths_stay_below() {
        let check = |written: &str, expected: Option<&str>| {
            assert_eq!(parse(written).as_deref(), expected, "{written:?}");
        };
        check("a.md", Some("a.md"));
        check("./a//b/./c", Some("a/b/c"));
        check("a/", Some("a"));
        check(".", Some("."));
        check("./", Some("."));
        check("/home/ann/pensive/a/b", Some("a/b"));
        check("/home/ann/pensive", Some("."));
        check("/home/ann/pensive/", Some("."));
        check("...", Some("..."));
        check("..a/b..", Some("..a/b.."));
        check("a b/ü/日本.md", Some("a b/ü/日本.md"));
        check("．．/x", Some("．．/x"));
        check("a\\..\\b", Some("a\\..\\b"));
        check("", None);
        check("..", None);
        check("a/..", None);
        check("../a", None);
        check("a/../../b", None);
        check("/etc/passwd", None);
        check("//etc/passwd", None);
        check("/home/ann/pensive-more/a", None);
        check("/home/ann/pensive/../x", None);
        check("/proc/self/cwd/a", None);
        check("~/a", None);
        check("~", None);
        check("a\0b", None);
    }

    proptest! {
        #[test]
        fn nothing_that_is_taken_leads_up(written in ".{0,40}|[./~a\\x00]{0,12}") {
            if let Some(path) = parse(&written) {
                prop_assert!(!path.starts_with('/'));
                prop_assert!(path.split('/').all(|part| part != ".." && !part.is_empty()));
                prop_assert!(path == "." || path.split('/').all(|part| part != "."));
            }
        }
    }
}
