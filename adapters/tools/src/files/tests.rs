//! Ways out of the workspace, and files that no program expects.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pensive_contract::inbound::ChatKind;
use pensive_contract::tool::Tool;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::testing::errand;

struct Desk {
    read: Read,
    write: Write,
    edit: Edit,
    inside: PathBuf,
    outside: PathBuf,
    _folders: (TempDir, TempDir),
}

fn desk() -> Desk {
    let folders = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let inside = folders.0.path().canonicalize().unwrap().join("made/when/needed");
    let outside = folders.1.path().canonicalize().unwrap();
    fs::write(outside.join("secret"), "hidden words").unwrap();
    let workspace = Arc::new(Workspace::new(inside.clone()));
    workspace.make_folder(&Inside::root(), Shelf::Whole).unwrap();
    let (read, write) = (Read::new(Arc::clone(&workspace)), Write::new(Arc::clone(&workspace)));
    Desk { read, write, edit: Edit::new(workspace), inside, outside, _folders: folders }
}

impl Desk {
    async fn read(&self, path: &str) -> Result<String, String> {
        self.passage(json!({ "path": path })).await
    }

    async fn passage(&self, asked: serde_json::Value) -> Result<String, String> {
        self.read.call(&asked.to_string(), &errand(ChatKind::Direct)).await.map_err(|fault| fault.model)
    }

    async fn write(&self, path: &str, text: &str) -> Result<String, String> {
        let asked = json!({ "path": path, "text": text }).to_string();
        self.write.call(&asked, &errand(ChatKind::Direct)).await.map_err(|fault| fault.model)
    }

    async fn edit(&self, path: &str, old: &str, new: &str) -> Result<String, String> {
        let asked = json!({ "path": path, "old": old, "new": new }).to_string();
        self.edit.call(&asked, &errand(ChatKind::Direct)).await.map_err(|fault| fault.model)
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.inside.join(name), content).unwrap();
    }
}

#[tokio::test]
async fn nothing_outside_is_read_written_or_told_of() {
    let desk = desk();
    let link = |to: &Path, name: &str| symlink(to, desk.inside.join(name)).unwrap();
    link(&desk.outside, "folder");
    link(&desk.outside.join("secret"), "file");
    link(Path::new("../../../../../../../../etc"), "up");
    link(Path::new("/"), "root");
    link(Path::new("/proc/self/cwd"), "cwd");
    link(Path::new("/proc/self/root"), "magic");
    link(Path::new("loop"), "loop");
    fs::create_dir(desk.inside.join("deep")).unwrap();
    link(Path::new("../folder"), "deep/chain");
    let secret = desk.outside.join("secret").display().to_string();
    let ways = [
        secret.as_str(),
        "../secret",
        "deep/../../secret",
        "folder/secret",
        "file",
        "up/passwd",
        "root/etc/passwd",
        "cwd/x",
        "magic/etc/passwd",
        "loop",
        "loop/x",
        "deep/chain/secret",
        "/etc/passwd",
        "/proc/self/environ",
        "~/x",
        "a\0b",
        "",
        "..",
    ];
    for way in ways {
        let results = [
            desk.read(way).await,
            desk.write(way, "changed").await,
            desk.write(&format!("{way}/new"), "changed").await,
            desk.edit(way, "hidden", "changed").await,
        ];
        for result in results {
            let words = result.expect_err(way);
            assert!(
                !words.contains("hidden") && !words.contains(&desk.outside.display().to_string()),
                "{words}"
            );
        }
    }
    for folder in ["folder", "root", "cwd", "up", "deep/chain"] {
        assert!(desk.read(folder).await.is_err(), "{folder} is listed");
    }
    assert_eq!(fs::read_to_string(desk.outside.join("secret")).unwrap(), "hidden words");
    assert_eq!(fs::read_dir(&desk.outside).unwrap().count(), 1);
}

#[tokio::test]
async fn a_hard_link_is_not_read_and_what_it_stands_for_not_changed() {
    let desk = desk();
    let linked = fs::hard_link(desk.outside.join("secret"), desk.inside.join("hard"));
    if linked.is_err() {
        eprintln!("skipped: the system makes no hard link here");
        return;
    }
    assert!(desk.read("hard").await.unwrap_err().contains("hard link"));
    assert!(desk.edit("hard", "hidden", "changed").await.is_err());
    desk.write("hard", "mine").await.unwrap();
    assert_eq!(desk.read("hard").await.unwrap(), "mine");
    assert_eq!(fs::read_to_string(desk.outside.join("secret")).unwrap(), "hidden words");
}

#[tokio::test]
async fn links_that_stay_inside_are_followed_but_not_written_over() {
    let desk = desk();
    fs::create_dir(desk.inside.join("notes")).unwrap();
    desk.put("notes/a", "text");
    symlink("notes", desk.inside.join("alias")).unwrap();
    symlink("notes/a", desk.inside.join("one")).unwrap();
    assert_eq!(desk.read("alias/a").await.unwrap(), "text");
    assert_eq!(desk.read("one").await.unwrap(), "text");
    desk.write("alias/b", "new").await.unwrap();
    assert_eq!(fs::read_to_string(desk.inside.join("notes/b")).unwrap(), "new");
    assert!(desk.write("one", "new").await.unwrap_err().contains("link"));
}

#[tokio::test]
async fn pipes_sockets_and_devices_are_refused_at_once() {
    let desk = desk();
    let made = std::process::Command::new("mkfifo").arg(desk.inside.join("pipe")).status().unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(desk.inside.join("socket")).unwrap();
    for name in ["pipe", "socket"] {
        assert!(desk.read(name).await.unwrap_err().contains("device"), "{name}");
        assert!(desk.write(name, "x").await.unwrap_err().contains("device"), "{name}");
        assert!(desk.edit(name, "x", "y").await.unwrap_err().contains("device"), "{name}");
    }
}

#[tokio::test]
async fn lines_are_read_by_number() {
    let desk = desk();
    desk.put("a", "one\ntwo\nthree\nfour");
    let check = async |asked: serde_json::Value, expected: Result<&str, &str>| {
        let found = desk.passage(asked.clone()).await;
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{asked}");
    };
    check(json!({"path":"a"}), Ok("one\ntwo\nthree\nfour")).await;
    check(json!({"file_path":"./a"}), Ok("one\ntwo\nthree\nfour")).await;
    check(json!({"path":"a","offset":3}), Ok("three\nfour")).await;
    check(json!({"path":"a","offset":"4","limit":9.0}), Ok("four")).await;
    let part = "two\n[Lines 2 to 2. The file has 18 bytes and goes on at offset 3.]";
    check(json!({"path":"a","offset":2,"limit":1}), Ok(part)).await;
    check(json!({"path":"a","offset":5}), Err("`a` has only 4 lines.")).await;
    check(json!({"path":"a","offset":500}), Err("`a` has only 4 lines.")).await;
    desk.put("empty", "");
    check(json!({"path":"empty"}), Ok("[The file is empty.]")).await;
    desk.put("binary", [0x7f, b'E', b'L', b'F', 0, 1]);
    check(json!({"path":"binary"}), Err("`binary` is not text but binary, 6 bytes: it cannot be shown."))
        .await;
    check(json!({"path":"missing"}), Err("`missing` cannot be opened: it does not exist")).await;
    let whole = desk.inside.join("a").display().to_string();
    check(json!({"path":whole,"offset":4}), Ok("four")).await;
}

#[tokio::test]
async fn a_file_of_100_megabytes_is_read_in_passages() {
    let desk = desk();
    let line = format!("{}\n", "x".repeat(99));
    let file = fs::File::create(desk.inside.join("big")).unwrap();
    let mut writer = std::io::BufWriter::new(file);
    for _ in 0..1_048_576 {
        std::io::Write::write_all(&mut writer, line.as_bytes()).unwrap();
    }
    std::io::Write::flush(&mut writer).unwrap();
    let told = desk.read("big").await.unwrap();
    assert!(
        told.len() < 70_000 && told.contains("The file has 104857600 bytes and goes on at offset 657."),
        "{}",
        told.len()
    );
    let last = desk.passage(json!({"path":"big","offset":1_048_576})).await.unwrap();
    assert_eq!(last, line);
    assert!(desk.edit("big", "x", "y").await.unwrap_err().contains("too many to edit"));
}

#[tokio::test]
async fn one_endless_line_is_cut() {
    let desk = desk();
    desk.put("long", "y".repeat(1 << 20));
    let told = desk.read("long").await.unwrap();
    assert!(
        told.ends_with(" [1044480 bytes of this line are left out]\n") && told.len() < 5000,
        "{}",
        told.len()
    );
}

#[tokio::test]
async fn folders_are_listed() {
    let desk = desk();
    assert_eq!(desk.read(".").await.unwrap(), "[The folder is empty.]");
    desk.put("b.md", "");
    fs::create_dir(desk.inside.join("a")).unwrap();
    assert_eq!(desk.read(".").await.unwrap(), "a/\nb.md");
    assert!(desk.edit("a", "x", "y").await.is_err());
    assert!(desk.write("a", "x").await.is_err());
    assert!(desk.write(".", "x").await.is_err());
}

#[tokio::test]
async fn a_file_is_written_whole_with_its_folders_and_keeps_its_permissions() {
    let desk = desk();
    assert_eq!(desk.write("a/b/ü 日本.md", "text").await.unwrap(), "A new file: `a/b/ü 日本.md`, 4 bytes.");
    let path = desk.inside.join("a/b/ü 日本.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    assert_eq!(
        desk.write("a/b/ü 日本.md", "").await.unwrap(),
        "Over the old file: `a/b/ü 日本.md`, 0 bytes."
    );
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no draft stays behind");
    assert!(desk.write(&"n".repeat(300), "x").await.unwrap_err().contains("too long"));
    assert!(desk.write("a/b/ü 日本.md/c", "x").await.is_err());
    assert_eq!(fs::read_dir(&desk.inside).unwrap().count(), 1);
}

#[tokio::test]
async fn edits_at_the_same_time_all_stay() {
    let desk = desk();
    let words: Vec<String> = (0..20).map(|number| format!("<{number}>")).collect();
    desk.put("a", words.join("\n"));
    let edits = words.iter().map(|word| async { desk.edit("a", word, "done").await });
    for told in futures::future::join_all(edits).await {
        assert_eq!(told.unwrap(), "Replaced 1 passage in `a`.");
    }
    assert_eq!(fs::read_to_string(desk.inside.join("a")).unwrap(), vec!["done"; 20].join("\n"));
}

#[tokio::test]
async fn what_is_not_text_is_not_edited() {
    let desk = desk();
    desk.put("a", b"caf\xe9");
    assert!(desk.edit("a", "caf", "tea").await.unwrap_err().contains("not UTF-8"));
    assert!(desk.edit("missing", "a", "b").await.unwrap_err().contains("does not exist"));
    desk.put("b", "x x");
    assert!(desk.edit("b", "x", "y").await.unwrap_err().contains("occurs 2 times"));
    assert_eq!(fs::read_to_string(desk.inside.join("b")).unwrap(), "x x");
}

#[test]
fn a_file_that_goes_out_is_whole_or_refused() {
    let folder = TempDir::new().unwrap();
    let workspace = Workspace::new(folder.path().canonicalize().unwrap());
    fs::create_dir_all(folder.path().join("memory/shared")).unwrap();
    for name in ["a", "memory/b", "memory/shared/c"] {
        fs::write(folder.path().join(name), "four").unwrap();
    }
    symlink("memory/b", folder.path().join("link")).unwrap();
    let check = |path: &str, shelf: Shelf, most: usize, expected: Result<&str, &str>| {
        let read = workspace.path(path).and_then(|path| workspace.whole(&path, shelf, most));
        match (read, expected) {
            (Ok(bytes), Ok(text)) => assert_eq!(bytes, text.as_bytes(), "{path}"),
            (Err(trouble), Err(words)) => assert!(trouble.to_string().contains(words), "{path}: {trouble}"),
            (read, _) => panic!("{path}: {read:?}"),
        }
    };
    check("a", Shelf::Shared, 4, Ok("four"));
    check("a", Shelf::Whole, 3, Err("has 4 bytes; 3 are the most"));
    check("a", Shelf::Whole, usize::MAX, Ok("four"));
    check("memory", Shelf::Whole, 9, Err("is a folder"));
    check("none", Shelf::Whole, 9, Err("does not exist"));
    check("memory/b", Shelf::Whole, 9, Ok("four"));
    check("memory/b", Shelf::Shared, 9, Err("private memory"));
    check("link", Shelf::Whole, 9, Ok("four"));
    check("link", Shelf::Shared, 9, Err("private memory"));
    check("memory/shared/c", Shelf::Shared, 9, Ok("four"));
}
