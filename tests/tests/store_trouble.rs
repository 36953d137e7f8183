//! A store whose disk is full, whose files are damaged, or that cannot be: clear words, nothing acknowledged that is not kept,
//! and a way back.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that meets nothing where something must be fails there"
)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use pensive_tests::program::finish;
use pensive_tests::scene::{Scene, said};
use pensive_tests::telegram::Person;

const NOT_STORED: &str =
    "⚠️ I could not save that, so nothing was changed. An admin needs to look at the disk of this bot.";
const HIGH: &str = "Current thinking level: high (from session).";

/// The file that holds everything.
fn database(scene: &Scene) -> PathBuf {
    scene.home().join("data/store/db")
}

/// A home in which things were said and a backup was made, and in which no daemon runs.
async fn lived_in() -> Scene {
    let scene = Scene::prepared(|_| {}).await;
    let said = scene.pipe(&["chat"], "/think high\none\ntwo\nthree\nfour\n").await;
    said.expect(0, &["Thinking level set to high.", "You said: four"]);
    scene.run(&["store", "backup"]).await.expect(0, &["records"]);
    scene
}

/// The part of the file that holds something; behind it is room for more.
fn used(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, target) = entry.map(|entry| (entry.path(), to.join(entry.file_name()))).unwrap();
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

/// Puts the data folder back as it is in `kept`.
fn put_back(scene: &Scene, kept: &Path) {
    std::fs::remove_dir_all(scene.home().join("data")).unwrap();
    copy(kept, &scene.home().join("data"));
}

#[tokio::test]
async fn rst_09_a_cut_off_store_is_refused_with_the_way_back_and_comes_back() {
    let scene = lived_in().await;
    let kept = scene.home().join("kept");
    copy(&scene.home().join("data"), &kept);
    let length = used(&std::fs::read(database(&scene)).unwrap());
    for left in [length - 40, length / 2] {
        put_back(&scene, &kept);
        let file = std::fs::OpenOptions::new().write(true).open(database(&scene)).unwrap();
        file.set_len(u64::try_from(left).unwrap()).unwrap();
        drop(file);
        for verb in [["chat", "/think"].as_slice(), &["run"], &["store", "check"], &["store", "export"]] {
            scene.run(verb).await.expect(1, &["is damaged", "pensive store restore"]);
        }
        scene
            .run(&["store", "restore"])
            .await
            .expect(0, &["records taken from", "the store before is kept in"]);
        scene.run(&["chat", "/think"]).await.expect(0, &[HIGH]);
        scene.run(&["store", "check"]).await.expect(0, &["everything can be read"]);
    }
    scene.finish().await;
}

#[tokio::test]
async fn rst_09_damage_anywhere_is_noticed_and_never_a_crash() {
    let scene = lived_in().await;
    let kept = scene.home().join("kept");
    copy(&scene.home().join("data"), &kept);
    let whole = std::fs::read(database(&scene)).unwrap();
    let mut refused = 0;
    for at in (0..used(&whole)).step_by(used(&whole) / 6) {
        put_back(&scene, &kept);
        let mut bytes = whole.clone();
        bytes[at..].iter_mut().take(16).for_each(|byte| *byte ^= 0x55);
        std::fs::write(database(&scene), bytes).unwrap();
        let asked = scene.run(&["chat", "/think"]).await;
        assert!(!asked.err.contains("panicked"), "{at}: {asked:?}");
        if asked.code == 1 {
            asked.expect(1, &["damaged", "pensive store restore"]);
            refused += 1;
        } else if !asked.out.contains(HIGH) {
            // A damaged record was set aside: that is no secret either.
            asked.expect(0, &["Current thinking level: medium"]);
            scene.run(&["store", "check"]).await.expect(1, &["store restore"]);
        }
    }
    assert!(refused > 0, "nothing was damaged at all");
    scene.run(&["store", "restore"]).await.expect(0, &["records taken from"]);
    scene.run(&["chat", "/think"]).await.expect(0, &[HIGH]);
    scene.finish().await;
}

#[tokio::test]
async fn a_place_that_cannot_hold_a_store_is_told() {
    let scene = Scene::prepared(|_| {}).await;
    let file = scene.home().join("a-file");
    std::fs::write(&file, "no folder").unwrap();
    for (place, words) in
        [(file.join("data"), "a-file"), (file, "a-file"), ("/proc/pensive".into(), "/proc/pensive")]
    {
        let place = place.display().to_string();
        let mut scene = Scene::prepared(|_| {}).await;
        scene.reconfigure(|config| config["storage"] = serde_json::json!({"path": place}));
        for verb in [["chat", "hi"].as_slice(), &["run"]] {
            scene.run(verb).await.expect(1, &[words]);
        }
        scene.finish().await;
    }
    scene.finish().await;
}

/// Sets levels in turn until one is not acknowledged; gives how many were.
async fn set_until_full(scene: &Scene, person: &Person) -> usize {
    for n in 0..2_000 {
        let level = ["high", "low", "medium"][n % 3];
        person.say(&format!("/think {level}"));
        let look = |_: &_| (said(person).len() > n).then_some(());
        if scene.telegram.wait_within(Duration::from_secs(2), look).await.is_none() {
            return n;
        }
        let told = said(person).pop().unwrap();
        if told != format!("Thinking level set to {level}.") {
            return n;
        }
    }
    panic!("the disk never became full");
}

/// The daemon's process, as it says itself.
async fn process(scene: &Scene) -> String {
    let status: serde_json::Value =
        serde_json::from_str(&scene.run(&["status", "--json"]).await.out).unwrap();
    status["pid"].to_string()
}

#[tokio::test]
async fn a_full_disk_acknowledges_nothing_and_loses_nothing() {
    for restarts in [false, true] {
        let scene = Scene::prepared(|_| {}).await;
        let ann = scene.telegram.user("Ann");
        let mut daemon = scene.spawn(scene.limited("ulimit -S -f 120", &["run"]));
        scene.telegram.wait_for_poll().await;
        let count = set_until_full(&scene, &ann).await;
        assert!(count > 3, "{count}: {:?}", said(&ann));
        // What could not be kept waits at Telegram, or its sender is told; it depends on which write came to the end.
        let refused = said(&ann).len() > count;
        if refused {
            assert_eq!(said(&ann)[count..], [NOT_STORED]);
        } else {
            assert_eq!(scene.telegram.bot().pending(), 1);
            scene
                .run(&["status"])
                .await
                .expect(0, &["retrying", "messages cannot be kept", "the disk is full"]);
        }
        if restarts {
            daemon.kill().await.unwrap();
            let full = scene.limited("ulimit -S -f 1", &["run"]);
            finish(full, "").await.expect(1, &["is full", "free some space"]);
            daemon = scene.daemon().await;
        } else {
            let more = scene.shell(&format!("prlimit --pid {} --fsize=unlimited", process(&scene).await));
            finish(more, "").await.expect(0, &[]);
        }
        // With room again, what waited is done, and what was acknowledged holds.
        if !refused {
            scene.telegram.wait_until(|_| (said(&ann).len() > count).then_some(())).await;
        }
        ann.say("/think");
        let shown = scene.telegram.wait_for_text(ann.chat(), "Current thinking level").await.text;
        let acknowledged: Vec<String> =
            said(&ann).into_iter().filter(|text| text.contains("set to")).collect();
        assert!(acknowledged.len() > count || refused, "{acknowledged:?}");
        let newest =
            acknowledged.last().unwrap().trim_start_matches("Thinking level set to ").trim_end_matches('.');
        assert!(
            shown.starts_with(&format!("Current thinking level: {newest} (from session).")),
            "{shown} {newest}"
        );
        drop(daemon);
        scene.finish().await;
    }
}
