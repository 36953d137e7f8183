//! A memory as two chats see it, on a real disk.

use std::path::Path;
use std::sync::Arc;

use pensive_contract::inbound::ChatKind;
use pensive_contract::tool::ToolFault;

use super::*;
use crate::testing::{Frozen, errand};

struct Desk {
    folder: tempfile::TempDir,
    tools: Vec<Arc<dyn Tool>>,
}

impl Desk {
    fn new(now: i64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let frozen = Frozen::default();
        frozen.set(now);
        let clock: Arc<dyn Clock> = Arc::new(frozen);
        let workspace = Arc::new(Workspace::new(folder.path().join("work")));
        let tools = tools(&workspace, Some("Asia/Tokyo"), &clock);
        Self { folder, tools }
    }

    async fn call(&self, kind: ChatKind, name: &str, arguments: &str) -> Result<String, ToolFault> {
        let tool = self.tools.iter().find(|tool| tool.spec().name == name).unwrap();
        tool.call(arguments, &errand(kind)).await
    }

    async fn direct(&self, name: &str, arguments: &str) -> String {
        self.call(ChatKind::Direct, name, arguments).await.unwrap_or_else(|fault| fault.model)
    }

    async fn group(&self, name: &str, arguments: &str) -> String {
        self.call(ChatKind::Group, name, arguments).await.unwrap_or_else(|fault| fault.model)
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join("work/memory").join(name)
    }

    fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// 2026-03-04 23:30 UTC, the next morning in Tokyo.
const LATE: i64 = 1_772_667_000_000;

#[tokio::test]
async fn what_is_noted_is_found_again() {
    let desk = Desk::new(LATE);
    assert_eq!(desk.direct("memory_search", r#"{"query":"tea"}"#).await, "Nothing found.");
    assert_eq!(
        desk.direct("memory_write", r#"{"text":"Ann drinks green tea."}"#).await,
        "Noted in 2026-03-05.md."
    );
    assert_eq!(desk.direct("memory_write", r#"{"text":"- rain\n"}"#).await, "Noted in 2026-03-05.md.");
    assert_eq!(desk.file("2026-03-05.md"), "Ann drinks green tea.\n\n- rain\n");
    desk.direct("memory_write", r#"{"path":"memory/MEMORY.md","text":"The Wi-Fi is upstairs."}"#).await;
    assert_eq!(desk.file("MEMORY.md"), "The Wi-Fi is upstairs.\n");
    assert_eq!(
        desk.direct("memory_search", r#"{"query":"TEA"}"#).await,
        "2026-03-05.md:1-1\nAnn drinks green tea."
    );
    assert_eq!(
        desk.direct("memory_get", r#"{"path":"2026-03-05.md"}"#).await,
        "Ann drinks green tea.\n\n- rain"
    );
    let part = desk.direct("memory_get", r#"{"path":"2026-03-05.md","from":"3","lines":1}"#).await;
    assert_eq!(part, "- rain\n[2026-03-05.md, lines 3 to 3 of 3.]");
    assert_eq!(
        desk.direct("memory_get", r#"{"path":"2026-03-05.md","from":9}"#).await,
        "[2026-03-05.md has 3 lines.]"
    );
    let absent = desk.direct("memory_get", r#"{"path":"2026-03-04.md"}"#).await;
    assert_eq!(absent, "There is no note 2026-03-04.md. There are: MEMORY.md, 2026-03-05.md.");
}

#[tokio::test]
async fn ses_07_private_memory_never_enters_a_group() {
    let desk = Desk::new(LATE);
    desk.put("MEMORY.md", "Ann's secret is 4711.\n");
    desk.put("2026-03-01.md", "secret of the day\n");
    desk.put("shared/MEMORY.md", "# Trip\nThe secret meeting place is the pier.\n");
    for kind in [ChatKind::Group, ChatKind::Channel] {
        let found = desk.call(kind, "memory_search", r#"{"query":"secret"}"#).await.unwrap();
        assert!(
            found.contains("pier") && !found.contains("4711") && !found.contains("of the day"),
            "{found}"
        );
        assert!(found.contains("private memory is left out"), "{found}");
        for path in ["MEMORY.md", "memory/MEMORY.md", "2026-03-01.md", "shared/../MEMORY.md", "./MEMORY.md"] {
            let fault = desk.call(kind, "memory_get", &format!(r#"{{"path":"{path}"}}"#)).await.unwrap_err();
            assert!(!fault.model.contains("4711"), "{fault:?}");
        }
        let fault = desk.call(kind, "memory_write", r#"{"text":"x","path":"MEMORY.md"}"#).await.unwrap_err();
        assert!(fault.model.contains("Private memory is closed in a group"), "{fault:?}");
    }
    assert_eq!(desk.group("memory_write", r#"{"text":"x"}"#).await, "Noted in shared/2026-03-05.md.");
    let absent = desk.group("memory_get", r#"{"path":"shared/no.md"}"#).await;
    assert!(
        absent.contains("There are: shared/MEMORY.md, shared/2026-03-05.md.") && !absent.contains("03-01"),
        "{absent}"
    );
    let found = desk.direct("memory_search", r#"{"query":"secret"}"#).await;
    assert!(found.contains("4711") && found.contains("pier"), "{found}");
}

#[tokio::test]
async fn nothing_leads_out_of_the_memory() {
    let desk = Desk::new(LATE);
    desk.put("a.md", "tea");
    std::fs::write(desk.folder.path().join("outside.md"), "tea outside").unwrap();
    std::os::unix::fs::symlink(desk.folder.path().join("outside.md"), desk.path("link.md")).unwrap();
    std::os::unix::fs::symlink(desk.folder.path(), desk.path("folder")).unwrap();
    for path in ["link.md", "folder/outside.md", "../../outside.md", "x.txt", "", "."] {
        let told = desk.direct("memory_get", &format!(r#"{{"path":"{path}"}}"#)).await;
        assert!(!told.contains("tea outside"), "{path}: {told}");
    }
    assert_eq!(desk.direct("memory_search", r#"{"query":"tea"}"#).await, "a.md:1-1\ntea");
    let told = desk.direct("memory_write", r#"{"text":"x","path":"link.md"}"#).await;
    assert!(told.contains("leads out") || told.contains("is a link"), "{told}");
}

#[tokio::test]
async fn what_does_not_fit_is_told() {
    let desk = Desk::new(LATE);
    desk.put("broken.md", b"caf\xe9 tea");
    desk.put("full.md", "x".repeat(1024 * 1024));
    desk.put("long.md", "word ".repeat(500));
    let check = async |name: &str, arguments: String, words: &str| {
        let told = desk.direct(name, &arguments).await;
        assert!(told.contains(words), "{told}");
    };
    check("memory_write", r#"{"text":" "}"#.to_owned(), "Give a text").await;
    check("memory_write", format!(r#"{{"text":"{}"}}"#, "x".repeat(20_000)), "at most 16384 bytes").await;
    check("memory_write", r#"{"text":"x","path":"full.md"}"#.to_owned(), "choose another file").await;
    check("memory_write", r#"{"text":"x","path":"broken.md"}"#.to_owned(), "choose another file").await;
    check("memory_write", r#"{"note":"x"}"#.to_owned(), "The arguments do not fit").await;
    check("memory_search", r#"{"query":"tea"}"#.to_owned(), "broken.md:1-1\ncaf\u{fffd} tea").await;
    check("memory_search", r#"{"query":"word"}"#.to_owned(), " …").await;
    assert_eq!(std::fs::read(desk.path("broken.md")).unwrap(), b"caf\xe9 tea");
}

#[tokio::test]
async fn notes_at_the_same_time_are_all_kept() {
    let desk = Desk::new(LATE);
    let writes = (0..20).map(|n| {
        let desk = &desk;
        async move { desk.direct("memory_write", &format!(r#"{{"text":"note {n}"}}"#)).await }
    });
    futures::future::join_all(writes).await;
    let kept = desk.file("2026-03-05.md");
    assert!((0..20).all(|n| kept.lines().any(|line| line == format!("note {n}"))), "{kept}");
}
