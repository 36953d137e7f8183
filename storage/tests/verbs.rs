//! The verbs on a closed store, backups, and the way back from damage.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends at the first surprise"
)]
#![allow(missing_docs, dead_code, unreachable_pub, reason = "a test is its own description")]

mod support;

use std::fs;
use std::path::Path;
use std::time::Duration;

use pensive_contract::clock::{Clock, Timestamp};
use pensive_contract::model::PromptTurn;
use pensive_contract::session::Turn;
use pensive_contract::store::{
    Cursor, Inbox, InboxState, Ledger, Notes, Outbox, PartState, Sessions, Transcript, Write,
};
use pensive_storage::{Onto, OpenFault, Store, VerbFault, backup, check, compact, export, import, restore};
use serde_json::{Value, json};
use support::*;

const MADE: Timestamp = Timestamp(1_800_000_000_000);

fn exported(path: &Path) -> String {
    let mut out = Vec::new();
    export(path, &mut out, MADE).unwrap();
    String::from_utf8(out).unwrap()
}

/// Something of everything.
async fn fill(store: &Store) {
    let (one, two) = (session_key("1"), session_key("$!@:/é"));
    store.commit(vec![change(&one, |_| {}), change(&two, |_| {})]).await.unwrap();
    let turn = Turn { at: Timestamp(1), name: None, said: PromptTurn::User("line\nline".to_owned()) };
    store.commit(vec![Write::Turn("s1".into(), turn)]).await.unwrap();
    let cursor = Cursor { account: account("a"), bot: "77".to_owned(), next: -3 };
    store.take(vec![inbound("a", "1", "x"), inbound("a", "2", "y")], Some(cursor)).await.unwrap();
    let letter = store.ticket();
    store.commit(vec![Write::Outbox(outbox(letter))]).await.unwrap();
    let sent = Write::Part(letter, 1, PartState::Sent("89".into()));
    store.commit(vec![sent, Write::Part(letter, 2, PartState::Trying)]).await.unwrap();
    store.keep("menu", vec![0, 1, 255]).await.unwrap();
}

/// How far the parts of the one letter are.
async fn part_states(store: &Store) -> Vec<PartState> {
    store.pending().await.unwrap().remove(0).parts.into_iter().map(|(_, state)| state).collect()
}

/// The same after `fill`.
fn filled_states() -> [PartState; 3] {
    [PartState::Sent("88".into()), PartState::Sent("89".into()), PartState::Trying]
}

async fn filled(path: &Path) {
    let store = open(path);
    fill(&store).await;
    store.close().await.unwrap();
}

#[tokio::test]
async fn an_export_is_imported_as_it_was() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    filled(one.path()).await;
    let text = exported(one.path());
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], json!({"pensive-store": 1, "made": MADE.0}));
    assert_eq!(lines[lines.len() - 1], json!({"end": true, "lines": lines.len() - 2}));

    let replaced = import(&two.path().join("new"), text.as_bytes(), Onto::Empty).unwrap();
    assert_eq!(replaced.lines, lines.len() as u64 - 2);
    let again = exported(&two.path().join("new"));
    // Only the store's own counter of flushes moves on.
    let moves = |text: &str| {
        text.lines()
            .filter(|line| !line.contains(r#""key":["flush"]"#))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(moves(&text), moves(&again));

    let store = open(&two.path().join("new"));
    assert!(store.get(&session_key("$!@:/é")).await.unwrap().is_some());
    assert_eq!(store.count().await.unwrap(), 2);
    assert_eq!(store.note("menu").await.unwrap(), Some(vec![0, 1, 255]));
    assert_eq!(part_states(&store).await, filled_states());
    assert_eq!(store.cursor(&account("a")).await.unwrap().unwrap().next, -3);
    assert_eq!(store.take(vec![inbound("a", "1", "x")], None).await.unwrap(), []);
    let tickets: Vec<_> = Inbox::open(&store).await.unwrap().into_iter().map(|entry| entry.ticket).collect();
    assert!(tickets.iter().all(|ticket| *ticket < store.ticket()));
}

#[tokio::test]
async fn what_another_version_added_survives_export_import_and_change() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    let key = session_key("1");
    // A newer version's record: unknown fields, an unknown word, a known field of another type.
    let mut lines: Vec<String> = exported(dir.path()).lines().map(str::to_owned).collect();
    for line in &mut lines {
        let mut record: Value = serde_json::from_str(line).unwrap();
        if record["tree"] == "sessions" && record["key"][0] == key.as_str() {
            record["v"] = json!(2);
            record["value"]["activation"] = json!({"mode": "mention", "number": 1.25});
            record["value"]["origin"]["guild"] = json!("g");
            record["value"]["chat"] = json!({"think": "hyper", "fast": {"speed": 2}, "mood": "calm"});
            record["value"]["lastResult"] = json!({"at": 1, "how": "paused"});
            *line = record.to_string();
        }
    }
    let text = lines.join("\n") + "\n";
    import(dir.path(), text.as_bytes(), Onto::Replace).unwrap();

    let store = open(dir.path());
    let record = store.get(&key).await.unwrap().unwrap();
    assert_eq!((record.chat.think, record.chat.fast, record.last_result), (None, None, None));
    store.commit(vec![change(&key, |record| record.context_used = 9)]).await.unwrap();
    store.close().await.unwrap();
    let stored = |text: &str| -> Value {
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.into_iter().find(|line| line["key"][0] == key.as_str()).unwrap()
    };
    let mut expected = stored(&text);
    expected["value"]["contextUsed"] = json!(9);
    assert_eq!(stored(&exported(dir.path())), expected);
}

/// Nothing points into a transcript from outside, so what is left of one is read from its own end.
#[tokio::test]
async fn ses_17_a_transcript_that_lost_its_newest_turns_is_read_as_far_as_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let turn = |text: &str| Turn { at: Timestamp(1), name: None, said: PromptTurn::User(text.to_owned()) };
    let store = open(dir.path());
    let turns = ["one", "two", "three", "four"].map(|text| Write::Turn("s1".into(), turn(text)));
    store.commit([change(&session_key("1"), |_| {})].into_iter().chain(turns).collect()).await.unwrap();
    store.close().await.unwrap();

    let text = exported(dir.path());
    let kept: Vec<&str> =
        text.lines().filter(|line| !line.contains(r#""three""#) && !line.contains(r#""four""#)).collect();
    let (_, kept) = kept.split_last().unwrap();
    let end = json!({ "end": true, "lines": kept.len() - 1 });
    let text = format!("{}\n{end}\n", kept.join("\n"));
    import(dir.path(), text.as_bytes(), Onto::Replace).unwrap();

    let store = open(dir.path());
    assert_eq!(store.tail(&"s1".into(), 9).await.unwrap(), [turn("one"), turn("two")]);
    store.commit(vec![Write::Turn("s1".into(), turn("five"))]).await.unwrap();
    assert_eq!(store.tail(&"s1".into(), 9).await.unwrap(), ["one", "two", "five"].map(turn));
}

#[tokio::test]
async fn a_bad_line_is_named_and_nothing_is_imported() {
    let (from, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    filled(from.path()).await;
    let text = exported(from.path());
    let last = text.lines().count() as u64;
    let check = |text: &str, line: u64| match import(dir.path(), text.as_bytes(), Onto::Empty) {
        Err(VerbFault::Line { line: at, .. }) => assert_eq!(at, line, "{text}"),
        other => panic!("{other:?}"),
    };
    check("", 1);
    check("{}\n", 1);
    check(&text.replacen(":1,\"made\"", ":2,\"made\"", 1), 1);
    check(&text.replacen("\"created\":1", "\"created\":\"1\"", 1), position(&text, "\"created\":1"));
    check(
        &text.replacen("\"tree\":\"notes\"", "\"tree\":\"votes\"", 1),
        position(&text, "\"tree\":\"notes\""),
    );
    check(&text.replacen("AAH/", "AAH", 1), position(&text, "AAH/"));
    check(&text.replacen("\"key\":[\"menu\"]", "\"key\":[5]", 1), position(&text, "\"key\":[\"menu\"]"));
    // Cut in the middle of a line, at the end of one, and with a line missing.
    let half: String = text.chars().take(text.chars().count() / 2).collect();
    check(&half, half.lines().count() as u64);
    check(&text.lines().take(5).map(|line| format!("{line}\n")).collect::<String>(), 5);
    let missing: String =
        text.lines().enumerate().filter(|(n, _)| *n != 3).map(|(_, l)| format!("{l}\n")).collect();
    check(&missing, last - 1);

    assert!(matches!(pensive_storage::check(dir.path()), Err(VerbFault::Missing { .. })));
    import(dir.path(), text.as_bytes(), Onto::Empty).unwrap();
    let refused = import(dir.path(), text.as_bytes(), Onto::Empty);
    assert!(matches!(refused, Err(VerbFault::NotEmpty { records: 14, .. })), "{refused:?}");
    check_names(dir.path(), &["current", "lock", "mark", "store-2"]);
    import(dir.path(), text.as_bytes(), Onto::Replace).unwrap();
    check_names(dir.path(), &["current", "lock", "mark", "store-3"]);
}

fn position(text: &str, needle: &str) -> u64 {
    text.lines().position(|line| line.contains(needle)).unwrap() as u64 + 1
}

fn check_names(dir: &Path, expected: &[&str]) {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, expected);
}

#[tokio::test]
async fn rst_11_an_interrupted_import_leaves_the_store_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    let text = exported(dir.path());
    // What an import that was killed leaves behind.
    fs::create_dir(dir.path().join("store-2")).unwrap();
    fs::write(dir.path().join("store-2/unfinished"), "").unwrap();
    fs::write(dir.path().join("store-2/db"), "half").unwrap();
    fs::write(dir.path().join("current.new"), "sto").unwrap();
    assert_eq!(exported(dir.path()), text);
    for _ in 0..2 {
        import(dir.path(), text.as_bytes(), Onto::Replace).unwrap();
        assert!(check(dir.path()).unwrap().whole);
    }
}

#[tokio::test]
async fn a_backup_is_the_store_at_one_moment_while_it_works() {
    let dir = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let store = try_open(dir.path(), &clock).unwrap();
    let keys: Vec<_> = (0..600).map(|n| session_key(&n.to_string())).collect();
    for chunk in keys.chunks(100) {
        store.commit(chunk.iter().map(|key| change(key, |_| {})).collect()).await.unwrap();
    }
    // Every commit raises all of ten counters; a moment shows them equal.
    let ten: Vec<_> = keys.iter().step_by(60).cloned().collect();
    let mut busy = tokio::task::JoinSet::new();
    busy.spawn({
        let (store, ten) = (store.clone(), ten.clone());
        async move {
            let mut closed = None;
            for n in 0..400 {
                let mut writes: Vec<Write> =
                    ten.iter().map(|key| change(key, |r| r.context_used += 1)).collect();
                writes.extend(closed.take().map(Write::Close));
                store.commit(writes).await.unwrap();
                let taken = store.take(vec![inbound("a", &n.to_string(), "x")], None).await.unwrap();
                closed = Some(taken[0].0);
            }
        }
    });
    let mut made = Vec::new();
    for _ in 0..4 {
        made.push(store.backup(2).await.unwrap());
        clock.pass(Duration::from_secs(60));
    }
    busy.join_all().await;
    store.close().await.unwrap();
    assert_eq!(check(dir.path()).unwrap().backups, [made[2].file.clone(), made[3].file.clone()]);

    for backup in &made[2..] {
        let copy = tempfile::tempdir().unwrap();
        import(copy.path(), fs::read(&backup.file).unwrap().as_slice(), Onto::Empty).unwrap();
        assert!(check(copy.path()).unwrap().whole);
        let store = open(copy.path());
        let mut counters = Vec::new();
        for key in &ten {
            counters.push(store.get(key).await.unwrap().unwrap().context_used);
        }
        assert!(counters.iter().all(|counter| *counter == counters[0]), "{counters:?}");
        assert_eq!(store.count().await.unwrap(), 600);
        assert!(Inbox::open(&store).await.unwrap().len() <= 2);
    }
}

/// Makes the log of the store end early, or holds other bytes in its middle.
fn damage(dir: &Path, how: impl FnOnce(&mut Vec<u8>)) {
    let log = dir.join("store/db");
    let mut bytes = fs::read(&log).unwrap();
    how(&mut bytes);
    fs::write(&log, bytes).unwrap();
}

#[tokio::test]
async fn rst_09_a_damaged_store_says_so_and_the_backup_is_the_way_back() {
    let cut_to_nothing: fn(&mut Vec<u8>) = Vec::clear;
    let cut_the_tail: fn(&mut Vec<u8>) = |bytes| {
        let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
        bytes.truncate(used * 2 / 3);
    };
    let scratch: fn(&mut Vec<u8>) = |bytes| {
        let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
        for byte in &mut bytes[used / 3..used / 2] {
            *byte ^= 0x5A;
        }
    };
    for how in [cut_to_nothing, cut_the_tail, scratch] {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        fill(&store).await;
        let saved = store.backup(3).await.unwrap();
        drop(store);
        damage(dir.path(), how);

        let fault = try_open(dir.path(), &TestClock::new()).err().unwrap();
        let OpenFault::Damaged { backup: Some(newest), .. } = &fault else { panic!("{fault:?}") };
        assert_eq!(*newest, saved.file);
        assert!(fault.to_string().contains("`pensive store restore`"), "{fault}");

        let replaced = restore(dir.path()).unwrap();
        assert_eq!(replaced.from, Some(saved.file));
        assert_eq!(replaced.kept, Some(dir.path().join("store")));
        let store = open(dir.path());
        assert_eq!(store.count().await.unwrap(), 2);
        assert_eq!(store.tail(&"s1".into(), 9).await.unwrap().len(), 1);
        // What the backup was about to do may have been done.
        assert!(Inbox::open(&store).await.unwrap().iter().all(|entry| entry.state == InboxState::Running));
        let [sent, sent_since] = ["88", "89"].map(|id| PartState::Sent(id.into()));
        assert_eq!(part_states(&store).await, [sent, sent_since, PartState::Unknown]);
    }
}

#[tokio::test]
async fn restore_passes_over_a_broken_backup() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    assert!(matches!(restore(dir.path()), Err(VerbFault::NoBackup { .. })));
    let good = backup(dir.path(), 3, MADE).unwrap();
    let broken = dir.path().join("backups/999999999999-2099-01-01T00-00-00Z.jsonl");
    fs::write(&broken, &fs::read(&good.file).unwrap()[..200]).unwrap();
    let replaced = restore(dir.path()).unwrap();
    assert_eq!((replaced.from, replaced.passed_over), (Some(good.file), vec![broken]));
    assert!(check(dir.path()).unwrap().whole);
    open(dir.path());
}

#[tokio::test]
async fn check_counts_what_is_there_and_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    let report = check(dir.path()).unwrap();
    assert!(report.whole && report.disk_bytes > 0);
    let counts: Vec<_> = report.trees.iter().map(|tree| (tree.name, tree.records)).collect();
    let expected = [
        ("meta", 3),
        ("sessions", 2),
        ("transcript", 1),
        ("inbox", 2),
        ("seen", 2),
        ("seen_order", 2),
        ("cursors", 1),
        ("outbox", 1),
        ("outbox_parts", 2),
        ("notes", 1),
        ("quarantine", 0),
    ];
    assert_eq!(counts, expected);
    {
        let db = sled::open(dir.path().join("store")).unwrap();
        let sessions = db.open_tree("sessions").unwrap();
        let (key, mut value) = sessions.first().unwrap().unwrap();
        value[7] ^= 1;
        sessions.insert(key, value).unwrap();
        db.flush().unwrap();
    }
    let report = check(dir.path()).unwrap();
    assert!(!report.whole);
    assert_eq!(report.trees.iter().map(|tree| tree.damaged()).sum::<u64>(), 1);
    assert_eq!(report.trees[1].checksum_errors, 1);
    assert_eq!(serde_json::to_value(&report).unwrap()["trees"][1]["checksumErrors"], 1);
    // An export takes it along, set aside.
    let text = exported(dir.path());
    assert_eq!(text.lines().filter(|line| line.contains(r#""tree":"quarantine""#)).count(), 1);
}

#[tokio::test]
async fn compaction_keeps_every_record() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    fill(&store).await;
    for n in 0..300_u64 {
        store.commit(vec![change(&session_key("1"), move |r| r.context_used = n)]).await.unwrap();
    }
    store.close().await.unwrap();
    let before = exported(dir.path());
    let compacted = compact(dir.path()).unwrap();
    assert!(compacted.after <= compacted.before, "{compacted:?}");
    let records = |text: &str| text.lines().filter(|l| !l.contains(r#""tree":"meta""#)).count();
    assert_eq!(records(&exported(dir.path())), records(&before));
    check_names(dir.path(), &["current", "lock", "mark", "store-2"]);
    let store = open(dir.path());
    assert_eq!(store.get(&session_key("1")).await.unwrap().unwrap().context_used, 299);
    assert_eq!(part_states(&store).await, filled_states());
}

#[tokio::test]
async fn no_verb_runs_beside_a_daemon() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(check(&dir.path().join("none")), Err(VerbFault::Missing { .. })));
    assert!(!dir.path().join("none").exists());
    let store = open(dir.path());
    let busy =
        |fault: Option<VerbFault>| assert!(matches!(fault, Some(VerbFault::Open(OpenFault::Busy { .. }))));
    busy(check(dir.path()).err());
    busy(export(dir.path(), Vec::new(), TestClock::new().now()).err());
    busy(import(dir.path(), &b""[..], Onto::Replace).err());
    busy(restore(dir.path()).err());
    busy(backup(dir.path(), 1, MADE).err());
    busy(compact(dir.path()).err());
    drop(store);
}

#[cfg(unix)]
#[tokio::test]
async fn folders_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data");
    let store = open(&path);
    store.backup(1).await.unwrap();
    for folder in [path.clone(), path.join("backups")] {
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
