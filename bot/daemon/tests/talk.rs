//! Conversations at the command line, with and without a daemon, against the offline rehearsal.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test says so by failing")]

mod support;

use std::process::Stdio;

use support::{Daemon, Home};

#[test]
fn one_message_is_answered_without_a_daemon() {
    let home = Home::new();
    let answer = home.ask("/think high say hello");
    assert_eq!(answer["ending"], "answered");
    let text = answer["answer"].as_str().unwrap();
    assert!(text.contains("rehearsal") && text.contains("say hello"), "{answer}");
    assert!(!text.contains("/think"), "{answer}");
    assert!(!home.file("pensive.sock").exists());
    home.run("chat say hello again").expect(0, &["say hello again"], &[]);
}

#[test]
fn a_script_can_tell_that_there_was_no_answer() {
    let home = Home::new();
    let ran = home.run("chat --json rehearse: fail 401");
    ran.expect(1, &["\"ending\":\"failed\"", "\"answer\":\"\""], &["there is no answer"]);
    assert_eq!(home.ask("and now?")["ending"], "answered");
}

#[test]
fn ses_03_a_setting_outlives_the_program() {
    let home = Home::new();
    assert_eq!(home.answer("/think high"), "Thinking level set to high.");
    let shown = home.answer("/think");
    assert!(
        shown.starts_with("Current thinking level: high (from session).\nOptions: default, off,"),
        "{shown}"
    );
    assert_eq!(home.answer("/think default"), "Thinking level reset to default (medium).");
}

#[test]
fn lines_of_a_pipe_are_turns_one_after_the_other() {
    let home = Home::new();
    let ran = home.pipe("chat", "first question\n\n/t low\r\nsecond question\n");
    ran.expect(
        0,
        &["first question", "Thinking level set to low.", "second question"],
        &["No daemon is running"],
    );
    let order = ["first question", "set to low", "second question"].map(|part| ran.out.find(part).unwrap());
    assert!(order.is_sorted(), "{ran:?}");

    let events = home.pipe("chat --json", "hello\n");
    for line in events.out.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(event["is"].is_string(), "{line}");
    }
    assert!(events.out.contains("\"last\":true"), "{events:?}");
}

#[test]
fn a_chat_can_begin_with_a_model() {
    let home = Home::new();
    home.run("chat --model rehearsal/echo hello").expect(0, &["hello"], &["Model set to rehearsal/echo"]);
    home.run("chat --model two/words? hello").expect(2, &[], &["Unrecognized model", "two/words"]);
    let mut command = home.command("chat hello --model");
    let ran = command.arg("two words").output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
}

#[test]
fn a_daemon_serves_every_verb_and_ends_in_order() {
    let home = Home::new();
    let daemon = Daemon::start(&home);
    for part in
        ["settings: defaults", "rehearsal", "data: ", "terminal/local", "pensive chat", "TELEGRAM_BOT_TOKEN"]
    {
        assert!(daemon.greeting.contains(part), "{part}: {}", daemon.greeting);
    }
    assert!(home.answer("hello daemon").contains("hello daemon"));
    home.pipe("chat", "/whoami\n").expect(0, &["ann"], &[]);
    home.run("status").expect(0, &["up ", "rehearsal", "1 session)", "terminal/local", "listening"], &[]);
    let status: serde_json::Value = serde_json::from_str(&home.run("status --json").out).unwrap();
    assert_eq!((status["pid"].as_u64(), status["sessions"].as_u64()), (Some(daemon.id().into()), Some(1)));
    home.run("send --channel fax --to 1 hi").expect(
        1,
        &[],
        &["There is no channel fax here; there is: terminal."],
    );

    let (code, last) = daemon.stop();
    assert_eq!(code, 0, "{last}");
    assert!(last.contains("stopping") && last.contains("stopped"), "{last}");
    assert!(!home.file("pensive.sock").exists());
    home.run("status").expect(3, &[], &[]);
}

#[test]
fn two_daemons_do_not_share_a_home() {
    let home = Home::new();
    let daemon = Daemon::start(&home);
    home.run("run").expect(1, &[], &["in use"]);
    // The first one does not notice.
    assert!(home.answer("still there?").contains("still there?"));
    daemon.kill();
    // What a killed daemon leaves behind keeps nobody out.
    assert!(home.file("pensive.sock").exists());
    let daemon = Daemon::start(&home);
    assert!(home.answer("back?").contains("back?"));
    assert_eq!(daemon.stop().0, 0);
}

#[test]
fn a_missing_token_parks_its_account_and_nothing_else() {
    for bots in
        ["telegram: { botToken: { env: 'NO_SUCH_TOKEN' } }", "discord: { token: { env: 'NO_SUCH_TOKEN' } }"]
    {
        let home = Home::with_config(&format!("{{ channels: {{ {bots} }} }}"));
        let daemon = Daemon::start(&home);
        assert!(daemon.greeting.contains("NO_SUCH_TOKEN"), "{}", daemon.greeting);
        home.run("status").expect(0, &["parked", "NO_SUCH_TOKEN"], &[]);
        assert!(home.answer("hello").contains("hello"));
        assert_eq!(daemon.stop().0, 0);
    }
}

#[test]
fn log_lines_for_programs_are_json() {
    let home = Home::new();
    let daemon = Daemon::start_with(home.command("--log-format json"));
    for line in daemon.greeting.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(event["level"].is_string(), "{line}");
    }
    daemon.kill();
}

#[test]
fn an_answer_that_is_under_way_still_arrives_when_the_daemon_ends() {
    let home = Home::new();
    let daemon = Daemon::start(&home);
    let asking = home.command("chat rehearse: slow").stdout(Stdio::piped()).spawn().unwrap();
    home.wait_for_run();
    let (code, last) = daemon.stop();
    assert_eq!(code, 0, "{last}");
    let asked = asking.wait_with_output().unwrap();
    let text = String::from_utf8(asked.stdout).unwrap();
    assert!(asked.status.success() && text.contains("rehearse: slow"), "{text}");
}

#[test]
fn a_second_signal_ends_at_once_and_the_next_start_tells() {
    let home = Home::new();
    let daemon = Daemon::start(&home);
    let mut asking = home.command("chat rehearse: stall").stderr(Stdio::null()).spawn().unwrap();
    home.wait_for_run();
    daemon.signal("TERM");
    daemon.signal("INT");
    let (code, last) = daemon.end();
    assert_eq!(code, 1, "{last}");
    assert!(last.contains("ended at once"), "{last}");
    assert_eq!(asking.wait().unwrap().code(), Some(3));
    let daemon = Daemon::start(&home);
    assert!(daemon.greeting.contains("going on where the last life ended"), "{}", daemon.greeting);
    assert_eq!(daemon.stop().0, 0);
}
