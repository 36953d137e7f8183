//! The daemon where the world around it breaks: standard error goes away, signals come that mean nothing yet.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test says so by failing")]

mod support;

use std::fs::OpenOptions;
use std::process::Stdio;

use support::{Daemon, Home};

#[test]
fn a_daemon_outlives_its_standard_error_and_ends_in_order() {
    let home = Home::new();
    let mut daemon = home.command("run");
    // Every write to it fails, as to a pipe whose reader is gone.
    let full = || Stdio::from(OpenOptions::new().write(true).open("/dev/full").unwrap());
    let mut child = daemon.stdout(full()).stderr(full()).spawn().unwrap();
    while home.run("status").code != 0 {
        assert_eq!(child.try_wait().unwrap(), None, "it ended");
    }
    assert!(!home.answer("hello").is_empty());
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0), "an orderly end");
}

#[test]
fn a_hang_up_without_a_terminal_ends_nothing() {
    let home = Home::new();
    let daemon = Daemon::start(&home);
    daemon.signal("HUP");
    assert!(!home.answer("hello").is_empty());
    let (code, last) = daemon.stop();
    assert_eq!(code, 0);
    assert!(last.contains("nothing was reloaded"), "{last}");
}
