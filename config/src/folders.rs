//! Where things lie: the configuration file, the home folder, data and workspace.

use std::path::{Path, PathBuf};

use crate::environment::Environment;

/// The places that the daemon uses. None of them is created here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// Sockets, histories and other small files of this installation.
    pub home: PathBuf,
    /// The store.
    pub data: PathBuf,
    /// Where agents work unless they say otherwise.
    pub workspace: PathBuf,
}

/// What the command line and the environment say about places, before the file has its say.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    /// The person's own folder, for `~`.
    pub(crate) user: Option<PathBuf>,
    pub(crate) folders: Folders,
    /// The file to read, and whether somebody named it.
    pub(crate) file: FilePlace,
}

/// Which file holds the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FilePlace {
    /// Named by the command line or the environment: it must be there.
    Named(PathBuf),
    /// The usual place: it may be missing.
    Usual(PathBuf),
}

impl FilePlace {
    pub(crate) fn path(&self) -> &Path {
        match self {
            FilePlace::Named(path) | FilePlace::Usual(path) => path,
        }
    }
}

const FILE: &str = "pensive.json5";

/// Finds the places. A home that somebody named holds everything; otherwise the XDG folders do; without a home of any kind
/// the current folder does, in `.pensive`.
pub(crate) fn find(file: Option<PathBuf>, home: Option<PathBuf>, environment: &Environment) -> Places {
    let path = |name: &str| environment.get(name).map(PathBuf::from);
    let user = path("HOME").or_else(|| path("USERPROFILE"));
    let named_home = home.or_else(|| path("PENSIVE_HOME").map(|home| expand(&home, user.as_deref())));
    let (usual, folders) = match (named_home, &user) {
        (Some(home), _) => within(home),
        (None, Some(user)) => by_custom(user, environment),
        (None, None) => within(PathBuf::from(".pensive")),
    };
    let named = file.or_else(|| path("PENSIVE_CONFIG").map(|file| expand(&file, user.as_deref())));
    let file = named.map_or(FilePlace::Usual(usual), FilePlace::Named);
    Places { user, folders, file }
}

fn within(home: PathBuf) -> (PathBuf, Folders) {
    let folders = Folders { data: home.join("data"), workspace: home.join("workspace"), home: home.clone() };
    (home.join(FILE), folders)
}

fn by_custom(user: &Path, environment: &Environment) -> (PathBuf, Folders) {
    // By the XDG base directory specification a relative path in these variables is to be ignored.
    let base = |name: &str, usual: &str| {
        let named = environment.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        named.unwrap_or_else(|| user.join(usual))
    };
    let data = base("XDG_DATA_HOME", ".local/share").join("pensive");
    let folders = Folders { home: data.clone(), data, workspace: user.join("pensive") };
    (base("XDG_CONFIG_HOME", ".config").join("pensive").join(FILE), folders)
}

/// `~` and `~/…` under `user`; anything else as it stands.
pub(crate) fn expand(path: &Path, user: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), user) {
        (Ok(rest), Some(user)) => user.join(rest),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], arguments: (Option<&str>, Option<&str>), expected: [&str; 4]) {
        let environment = variables.iter().copied().collect();
        let places = find(arguments.0.map(PathBuf::from), arguments.1.map(PathBuf::from), &environment);
        let found =
            [places.file.path(), &places.folders.home, &places.folders.data, &places.folders.workspace];
        assert_eq!(found.map(|path| path.to_str().unwrap()), expected, "{variables:?} {arguments:?}");
    }

    #[test]
    fn places_are_found_in_order() {
        let home = ("HOME", "/u");
        let share = "/u/.local/share/pensive";
        check(&[home], (None, None), ["/u/.config/pensive/pensive.json5", share, share, "/u/pensive"]);
        check(&[home], (Some("x.json5"), None), ["x.json5", share, share, "/u/pensive"]);
        check(&[home, ("PENSIVE_CONFIG", "~/y")], (None, None), ["/u/y", share, share, "/u/pensive"]);
        check(&[home, ("PENSIVE_CONFIG", "/y")], (Some("x"), None), ["x", share, share, "/u/pensive"]);
        check(&[home], (None, Some("/h")), ["/h/pensive.json5", "/h", "/h/data", "/h/workspace"]);
        check(
            &[home, ("PENSIVE_HOME", "/e")],
            (None, None),
            ["/e/pensive.json5", "/e", "/e/data", "/e/workspace"],
        );
        check(
            &[("PENSIVE_HOME", "/e")],
            (None, Some("/h")),
            ["/h/pensive.json5", "/h", "/h/data", "/h/workspace"],
        );
        check(&[("PENSIVE_CONFIG", "/y")], (None, Some("/h")), ["/y", "/h", "/h/data", "/h/workspace"]);
        check(
            &[home, ("XDG_CONFIG_HOME", "/c"), ("XDG_DATA_HOME", "relative")],
            (None, None),
            ["/c/pensive/pensive.json5", share, share, "/u/pensive"],
        );
        check(
            &[],
            (None, None),
            [".pensive/pensive.json5", ".pensive", ".pensive/data", ".pensive/workspace"],
        );
    }
}
