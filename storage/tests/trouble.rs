//! A store whose process is killed, and one whose disk fails, each in a process of its own.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends at the first surprise"
)]
#![allow(clippy::disallowed_methods, reason = "the child learns its part from its environment")]
#![allow(missing_docs, dead_code, unreachable_pub, reason = "a test is its own description")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pensive_contract::clock::Timestamp;
use pensive_contract::model::PromptTurn;
use pensive_contract::session::Turn;
use pensive_contract::store::{Inbox, Ledger, Notes, Sessions, StoreFault, Transcript, Write};
use pensive_storage::{Health, OpenFault, Store, check};
use support::*;

const FOLDER: &str = "PENSIVE_STORAGE_TEST_FOLDER";

/// Runs one of the children below in a process of its own, under a limit on the size of its files if one is given.
fn spawn(name: &str, folder: &Path, blocks: Option<u32>) -> Child {
    let mut command = match blocks {
        // The limit answers a write with an error, once its signal is ignored.
        Some(blocks) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("trap '' XFSZ; ulimit -S -f {blocks}; exec \"$@\""), "sh"]);
            shell.arg(std::env::current_exe().unwrap());
            shell
        }
        None => Command::new(std::env::current_exe().unwrap()),
    };
    command.args([name, "--exact", "--nocapture"]).env(FOLDER, folder);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// The lines that a child said after a mark, until it ended.
fn said(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.map_while(Result::ok).filter_map(|line| line.split_once("said ").map(|(_, said)| said.to_owned()))
}

fn text(turn: Turn) -> String {
    match turn.said {
        PromptTurn::User(text) => text,
        PromptTurn::Media(_) => String::new(),
        PromptTurn::Assistant(speech) => speech.text(),
        PromptTurn::Tools(_) => String::new(),
    }
}

fn turn(n: u64) -> Turn {
    Turn { at: Timestamp(0), name: None, said: PromptTurn::User(n.to_string()) }
}

/// Writes the same number into several trees.
fn everywhere(store: &Store, task: &str, n: u64) -> impl Future<Output = Result<(), StoreFault>> + use<> {
    let key = session_key(task);
    let writes = vec![
        Write::Turn(task.into(), turn(n)),
        change(&key, move |record| record.context_used = n),
        Write::Outbox(outbox(pensive_contract::ids::Ticket(n))),
        Write::Forget(pensive_contract::ids::Ticket(n)),
    ];
    let store = store.clone();
    async move { store.commit(writes).await }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child_under_load() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let store = open(Path::new(&folder));
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..6 {
        let store = store.clone();
        tasks.spawn(async move {
            let name = task.to_string();
            let done = store.get(&session_key(&name)).await.unwrap().map_or(0, |record| record.context_used);
            for n in done + 1.. {
                let update = format!("{task}-{n}");
                let taken = store.take(vec![inbound("a", &update, "x")], None).await.unwrap();
                // Stored in the last life but never answered for: known as seen.
                if let Some((ticket, _)) = taken.first() {
                    store.commit_soon(vec![Write::Begin(*ticket)]).unwrap();
                }
                everywhere(&store, &name, n).await.unwrap();
                println!("said {task} {n}");
            }
        });
    }
    tasks.join_all().await;
}

#[tokio::test]
async fn ses_03_rst_09_what_was_answered_survives_a_kill_and_a_commit_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mut answered = BTreeMap::new();
    for round in 0..8_usize {
        let mut child = spawn("child_under_load", dir.path(), None);
        for (count, line) in said(&mut child).enumerate() {
            if count == 40 + round * 37 % 300 {
                child.kill().unwrap();
            }
            let (task, n) = line.split_once(' ').unwrap();
            answered.insert(task.to_owned(), n.parse::<u64>().unwrap());
        }
        child.wait().unwrap();

        let store = open(dir.path());
        for (task, answered) in &answered {
            let stored = store.get(&session_key(task)).await.unwrap().unwrap().context_used;
            assert!(stored >= *answered, "round {round}: {task} {answered} {stored}");
            let turns = store.tail(&task.as_str().into(), usize::MAX).await.unwrap();
            let turns: Vec<String> = turns.into_iter().map(text).collect();
            assert!(turns == numbers(stored), "round {round}: {task} {stored}");
        }
        // Each event is there once, in order, whatever was retried.
        let mut updates: Vec<_> =
            Inbox::open(&store).await.unwrap().into_iter().map(|entry| entry.inbound.update).collect();
        let all = updates.len();
        updates.sort();
        updates.dedup();
        assert_eq!(updates.len(), all);
        assert_eq!(store.quarantined(), 0);
        store.close().await.unwrap();
        assert!(check(dir.path()).unwrap().whole, "round {round}");
    }
    assert_eq!(answered.len(), 6);
}

fn numbers(up_to: u64) -> Vec<String> {
    (1..=up_to).map(|n| n.to_string()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child_on_a_full_disk() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let store = open(Path::new(&folder));
    let mut last = [0, 0];
    let fault = loop {
        let [one, two] = [everywhere(&store, "0", last[0] + 1), everywhere(&store, "1", last[1] + 1)];
        let padding = store.keep("padding", vec![b'x'; 20_000]);
        let (one, two, padding) = futures::future::join3(one, two, padding).await;
        last[0] += u64::from(one.is_ok());
        last[1] += u64::from(two.is_ok());
        if let Some(fault) = one.err().or(two.err()).or(padding.err()) {
            break fault;
        }
    };
    println!("said {} {}", last[0], last[1]);
    println!("said {}", matches!(fault, StoreFault::Disk(_)));
    println!("said {}", matches!(store.health(), Health::Failed(_)) || store.note("padding").await.is_ok());
    // Somebody makes room.
    let limit = format!("--pid={}", std::process::id());
    assert!(
        Command::new("prlimit").args([&limit, "--fsize=unlimited:unlimited"]).status().unwrap().success()
    );
    let again = everywhere(&store, "0", last[0] + 1).await;
    println!("said {again:?}");
    let stored = store.get(&session_key("1")).await.map(|record| record.unwrap().context_used);
    println!("said {}", stored == Ok(last[1]));
    println!("said {:?}", store.health());
    store.close().await.unwrap();
}

#[tokio::test]
async fn rst_09_a_full_disk_fails_the_commit_and_the_store_recovers_when_there_is_room() {
    for blocks in [2000, 3333, 5000] {
        let dir = tempfile::tempdir().unwrap();
        let mut child = spawn("child_on_a_full_disk", dir.path(), Some(blocks));
        let lines: Vec<String> = said(&mut child).collect();
        child.wait().unwrap();
        let (one, two) = lines[0].split_once(' ').unwrap();
        assert_eq!(lines[1..], ["true", "true", "Ok(())", "true", "Well"], "{blocks}");

        let store = open(dir.path());
        let texts = async |task: &str| -> Vec<String> {
            let turns = store.tail(&task.into(), usize::MAX).await.unwrap();
            turns.into_iter().map(text).collect()
        };
        assert!(texts("0").await == numbers(one.parse::<u64>().unwrap() + 1), "{blocks}");
        assert!(texts("1").await == numbers(two.parse().unwrap()), "{blocks}");
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_one_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(try_open(&file, &TestClock::new()), Err(OpenFault::Other { .. })));
    assert!(matches!(try_open(&file.join("below"), &TestClock::new()), Err(OpenFault::Other { .. })));
    // `current` names a store that is not there.
    let data = dir.path().join("data");
    open(&data);
    fs::write(data.join("current"), "store-9\n").unwrap();
    assert!(matches!(try_open(&data, &TestClock::new()), Err(OpenFault::Damaged { .. })));
}

#[tokio::test]
async fn rst_09_a_snapshot_that_a_kill_left_half_written_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.keep("name", b"kept".to_vec()).await.unwrap();
    store.close().await.unwrap();
    drop(store);
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with("store") {
            fs::write(path.join("snap.7FFFFFFFFFFFFFFF.generating"), b"half").unwrap();
        }
    }
    let store = open(folder.path());
    assert_eq!(store.note("name").await.unwrap(), Some(b"kept".to_vec()));
    store.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_and_many_writers_go_on_together() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let over = Arc::new(AtomicBool::new(false));
    let mut reader = tokio::task::JoinSet::new();
    reader.spawn({
        let (store, over) = (store.clone(), over.clone());
        async move {
            let mut seen = 0;
            while !over.load(Ordering::Relaxed) {
                let now = store.get(&session_key("0")).await.unwrap().map_or(0, |record| record.context_used);
                assert!(now >= seen);
                seen = now;
                tokio::task::yield_now().await;
            }
        }
    });
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..64 {
        let store = store.clone();
        tasks.spawn(async move {
            let name = task.to_string();
            for n in 1..=20 {
                everywhere(&store, &name, n).await.unwrap();
                assert_eq!(store.get(&session_key(&name)).await.unwrap().unwrap().context_used, n);
            }
        });
    }
    tasks.join_all().await;
    over.store(true, Ordering::Relaxed);
    reader.join_all().await;
    assert_eq!(store.count().await.unwrap(), 64);
}
