//! `pensive store` on the store of a home in which something was said.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test says so by failing")]

mod support;

use support::{Daemon, Home};

fn lived_in() -> Home {
    let home = Home::new();
    assert_eq!(home.answer("/think high"), "Thinking level set to high.");
    home
}

fn level(home: &Home) -> String {
    home.answer("/think").lines().next().unwrap().to_owned()
}

const HIGH: &str = "Current thinking level: high (from session).";

#[test]
fn a_store_is_checked_copied_and_brought_back() {
    let home = lived_in();
    home.run("store check").expect(0, &["sessions", "everything can be read"], &[]);
    let report: serde_json::Value = serde_json::from_str(&home.run("store check --json").out).unwrap();
    assert_eq!((&report["whole"], &report["sessionsCounted"]), (&true.into(), &1.into()), "{report}");

    home.run("store backup").expect(0, &["records"], &[]);
    assert!(home.answer("/think low").contains("low"));
    home.run("store restore").expect(0, &["taken from"], &[]);
    assert_eq!(level(&home), HIGH);
    home.run("store compact").expect(0, &["before", "now"], &[]);
    assert_eq!(level(&home), HIGH);
}

#[test]
fn an_export_is_the_store() {
    let home = lived_in();
    let file = home.file("export.jsonl").display().to_string();
    home.run(&format!("store export {file}")).expect(0, &[], &["records exported"]);
    home.run(&format!("store export {file}")).expect(1, &[], &["exists"]);
    let lines = home.run("store export").out;
    assert!(lines.lines().all(|line| line.starts_with('{')), "{lines}");
    home.run(&format!("store import {file}")).expect(1, &[], &["already holds", "--replace"]);
    home.run(&format!("store import --replace {file}")).expect(0, &["taken in"], &[]);
    assert_eq!(level(&home), HIGH);

    let other = Home::new();
    other.pipe("store import", &lines).expect(0, &["taken in"], &[]);
    assert_eq!(level(&other), HIGH);
    let broken = lines.replacen('\n', "\n{\"not\":\"a record\"}\n", 1);
    Home::new().pipe("store import", &broken).expect(1, &[], &["line 2", "nothing was imported"]);
}

#[test]
fn the_store_of_a_running_daemon_is_left_alone() {
    let home = Home::new();
    home.run("store check").expect(1, &[], &["there is no store in"]);
    let daemon = Daemon::start(&home);
    for verb in ["check", "backup", "restore", "export", "compact"] {
        home.run(&format!("store {verb}")).expect(1, &[], &["in use", &daemon.id().to_string()]);
    }
    let file = home.file("export.jsonl");
    home.run(&format!("store export {}", file.display())).expect(1, &[], &["in use"]);
    assert!(!file.exists(), "half an export is left");
    assert_eq!(daemon.stop().0, 0);
}
