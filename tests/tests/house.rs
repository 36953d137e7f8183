//! The house rules that a compiler does not hold: which room may know which, and where the heavy crates may be named.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot read the tree must fail"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// The direct, ordinary dependencies of each room of ours.
fn edges() -> BTreeMap<String, BTreeSet<String>> {
    let cargo = option_env!("CARGO").unwrap_or("cargo");
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .output()
        .expect("cargo metadata runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let name = package["name"].as_str().unwrap().to_owned();
            let known = package["dependencies"].as_array().unwrap().iter();
            let known = known.filter(|dependency| dependency["kind"].is_null());
            (name, known.map(|dependency| dependency["name"].as_str().unwrap().to_owned()).collect())
        })
        .collect()
}

fn ours(known: &BTreeSet<String>) -> BTreeSet<&str> {
    known.iter().map(String::as_str).filter(|name| name.starts_with("pensive")).collect()
}

#[test]
fn rooms_know_only_whom_they_may() {
    let edges = edges();
    let check = |room: &str, may_know: &[&str]| {
        let known = ours(edges.get(room).unwrap_or_else(|| panic!("no room {room}")));
        let allowed: BTreeSet<&str> = may_know.iter().copied().collect();
        assert!(
            known.is_subset(&allowed),
            "{room} knows {:?}",
            known.difference(&allowed).collect::<Vec<_>>()
        );
    };
    check("pensive-directives", &[]);
    check("pensive-contract", &["pensive-directives"]);
    check("pensive-prose", &["pensive-contract"]);
    for room in edges.keys().filter(|room| room.starts_with("pensive-")) {
        match room.as_str() {
            "pensive-directives" | "pensive-contract" | "pensive-tests" => {}
            // What people read on a platform begins with what a model wrote.
            "pensive-telegram" | "pensive-discord" => {
                check(room, &["pensive-directives", "pensive-contract", "pensive-prose"]);
            }
            room => check(room, &["pensive-directives", "pensive-contract"]),
        }
    }
}

#[test]
fn heavy_crates_are_named_only_in_their_rooms() {
    let edges = edges();
    let check = |dependency: &str, rooms: &[&str]| {
        for (room, known) in edges.iter().filter(|(_, known)| known.contains(dependency)) {
            assert!(rooms.contains(&room.as_str()), "{room} names {dependency}: {known:?}");
        }
    };
    check("sled", &["pensive-storage"]);
    check("teloxide-core", &["pensive-telegram"]);
    check("serenity", &["pensive-discord"]);
    check("tokio-tungstenite", &["pensive-discord", "pensive-tests"]);
    check("async-openai", &["pensive-models"]);
    check(
        "reqwest",
        &["pensive-telegram", "pensive-discord", "pensive-models", "pensive-tools", "pensive-tests"],
    );
    for of_tools in ["rmcp", "html5ever", "landlock", "seccompiler", "process-wrap", "libc"] {
        check(of_tools, &["pensive-tools"]);
    }
    check("axum", &["pensive-tests"]);
    check("anyhow", &["pensive", "pensive-tests"]);
    check("jsonc-parser", &["pensive-config"]);
    check("governor", &["pensive-engine"]);
    for pure in ["pensive-directives", "pensive-contract", "pensive-prose"] {
        for heavy in ["tokio", "serde", "serde_json", "reqwest", "rmcp"] {
            assert!(!edges[pure].contains(heavy), "{pure} names {heavy}");
        }
    }
}
