//! The command line without a daemon: help, configuration, what is refused and how.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test says so by failing")]

mod support;

use support::Home;

#[test]
fn help_names_every_verb_and_the_exit_codes() {
    let home = Home::new();
    let help = home.run("--help");
    help.expect(
        0,
        &[
            "run",
            "chat",
            "send",
            "status",
            "models",
            "explain",
            "config",
            "store",
            "Exit codes: 0 done, 1 failed",
        ],
        &[],
    );
    home.run("--version").expect(0, &["pensive "], &[]);
    home.run("dance").expect(2, &[], &["dance"]);
    home.run("send --channel telegram").expect(2, &[], &["--to"]);
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "help leaves nothing behind");
}

#[test]
fn every_fault_of_a_file_is_told_with_its_place() {
    let home = Home::with_config(
        "{\n  agents: { defaults: { thinkingDefualt: \"high\", fastModeDefault: \"quick\" } },\n  storage: 7,\n}\n",
    );
    for words in ["", "run", "chat hi", "status", "config check", "store check"] {
        home.run(words).expect(
            2,
            &[],
            &["pensive.json5:2:", "did you mean \"thinkingDefault\"?", "pensive.json5:3:", "auto"],
        );
    }
    let checked = home.run("config check --json");
    assert_eq!(checked.code, 2);
    let json: serde_json::Value = serde_json::from_str(&checked.out).unwrap();
    assert_eq!(json["ok"], false);
    assert_eq!(json["faults"].as_array().unwrap().len(), 3, "{json}");
    assert_eq!(json["faults"][0]["line"], 2);
    home.run("--config nowhere.json5 config check").expect(2, &[], &["nowhere.json5"]);
}

#[test]
fn a_good_file_is_told_with_what_it_lacks() {
    let home = Home::new();
    home.run("config check").expect(0, &["the defaults hold"], &[]);
    let home = Home::with_config("{ channels: { telegram: { botToken: { env: \"NO_SUCH_TOKEN\" } } } }");
    home.run("config check").expect(0, &["no faults", "warning: ", "NO_SUCH_TOKEN"], &[]);
    let home = Home::with_config("{ session: { reset: { idleMinutes: 5 } } }");
    let words = "pensive.json5:1:23: session.reset.idleMinutes has no effect";
    home.run("config check").expect(0, &["no faults", "warning: ", words], &[]);
}

#[test]
fn keys_are_explained_and_the_schema_is_printed() {
    let home = Home::new();
    home.run("config explain agents.defaults.thinkingDefault").expect(0, &["thinkingDefault", "xhigh"], &[]);
    home.run("config explain agents.defaults.thinkingDefualt").expect(2, &[], &["did you mean"]);
    let explained = home.run("config explain session.dmScope --json");
    let json: serde_json::Value = serde_json::from_str(&explained.out).unwrap();
    assert_eq!(json["default"], "\"per-channel-peer\"");
    let schema: serde_json::Value = serde_json::from_str(&home.run("config schema").out).unwrap();
    assert!(schema["properties"]["agents"].is_object());
}

#[test]
fn without_a_daemon_nobody_is_reached() {
    let home = Home::new();
    home.run("status").expect(3, &[], &["no daemon listens at", "pensive.sock"]);
    home.run("send --channel telegram --to 1 hi").expect(2, &[], &["no channel telegram"]);
    home.pipe("send --channel telegram --to 1", "  \n").expect(2, &[], &["empty"]);
}

#[test]
fn a_home_that_cannot_be_is_told() {
    let home = Home::with_config("{ storage: { path: \"/proc/no/such/place\" } }");
    for words in ["run", "chat hi"] {
        home.run(words).expect(1, &[], &["/proc/no/such/place"]);
    }
}
