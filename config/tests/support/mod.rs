//! Loads a configuration from a text and variables alone.
#![allow(clippy::unwrap_used, dead_code, reason = "tests, each of which takes what it needs")]

use pensive_config::{Config, Environment, Sources, load};

pub(crate) fn loaded(text: &str, variables: &[(&str, &str)]) -> Result<Config, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pensive.json5");
    std::fs::write(&file, text).unwrap();
    let env: Environment = [("HOME", "/u")].iter().chain(variables).copied().collect();
    let place = format!("{}/", folder.path().display());
    load(Sources { file: Some(file), home: None, env })
        .map_err(|faults| faults.to_string().replace(&place, ""))
}

pub(crate) fn without_file(variables: &[(&str, &str)]) -> Config {
    let folder = tempfile::tempdir().unwrap();
    let home = Some(folder.path().to_owned());
    load(Sources { file: None, home, env: variables.iter().copied().collect() }).unwrap()
}

/// The faults of one line that stands in the file by itself.
#[track_caller]
pub(crate) fn check(text: &str, expected: &[&str]) {
    let faults = loaded(text, &[]).map(|_| ()).err().unwrap_or_default();
    let expected: Vec<String> = expected.iter().map(|line| format!("pensive.json5:{line}")).collect();
    assert_eq!(faults.lines().collect::<Vec<_>>(), expected, "{text}");
}
