//! Every way that could lead a group to the private memory of a workspace, tried.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;

use pensive_contract::ids::AgentId;
use pensive_contract::inbound::ChatKind;
use pensive_contract::tool::{Errand, Grant, Tool, Toolshed as _};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::testing::{Frozen, errand};
use crate::{AgentTools, ToolSettings, Tools};

/// What nobody in a group may see.
const SECRET: &str = "the key lies under the third stone";

/// An agent with a workspace that has private notes, shared ones, and files.
struct House {
    _tools: Tools,
    hung: Vec<Arc<dyn Tool>>,
    root: PathBuf,
    _folder: TempDir,
}

async fn house() -> House {
    let folder = TempDir::new().unwrap();
    let root = folder.path().canonicalize().unwrap().join("work");
    for made in ["memory/people", "memory/shared", "notes"] {
        fs::create_dir_all(root.join(made)).unwrap();
    }
    for (file, text) in [
        ("memory/MEMORY.md", SECRET),
        ("memory/people/ann.md", SECRET),
        ("memory/shared/MEMORY.md", "the picnic is on Sunday"),
        ("notes/a.md", "a note"),
        ("list.txt", "a list"),
    ] {
        fs::write(root.join(file), format!("{text}\n")).unwrap();
    }
    let agents = [(AgentId::from("main"), AgentTools::new(root.clone()))].into();
    let settings = ToolSettings { agents, ..ToolSettings::default() };
    crate::testing::tls();
    let tools = Tools::new(settings, Arc::new(Frozen::default()));
    let hung = tools.tools(&AgentId::from("main")).await;
    House { _tools: tools, hung, root, _folder: folder }
}

impl House {
    async fn call(&self, errand: &Errand, name: &str, arguments: Value) -> Result<String, String> {
        let tool = self.hung.iter().find(|tool| tool.spec().name == name).unwrap();
        tool.call(&arguments.to_string(), errand).await.map_err(|fault| fault.model)
    }

    async fn group(&self, name: &str, arguments: Value) -> Result<String, String> {
        self.call(&errand(ChatKind::Group), name, arguments).await
    }

    async fn direct(&self, name: &str, arguments: Value) -> Result<String, String> {
        self.call(&errand(ChatKind::Direct), name, arguments).await
    }

    /// What a command of a group prints; nothing where the kernel cannot confine and says so.
    async fn command(&self, grant: Grant, command: &str) -> Option<String> {
        let errand = Errand { grant, ..errand(ChatKind::Group) };
        match self.call(&errand, "exec", json!({ "command": command })).await {
            Err(words) if words.starts_with("This machine cannot confine") => None,
            other => Some(other.unwrap_or_else(|words| words)),
        }
    }

    fn link(&self, to: &str, name: &str) {
        symlink(to, self.root.join(name)).unwrap();
    }
}

#[tokio::test]
async fn ses_07_no_file_tool_of_a_group_reaches_private_memory() {
    let house = house().await;
    house.link("memory", "folder");
    house.link("memory/MEMORY.md", "file.md");
    house.link("../memory", "notes/up");
    house.link("folder", "chain");
    house.link("../MEMORY.md", "memory/shared/link.md");
    house.link("..", "memory/shared/back");
    fs::hard_link(house.root.join("memory/MEMORY.md"), house.root.join("hard.md")).unwrap();
    let whole = house.root.join("memory/people/ann.md").display().to_string();
    let ways = [
        "memory",
        "memory/.",
        "memory/MEMORY.md",
        ".//memory/./people/ann.md",
        whole.as_str(),
        "memory/shared/../MEMORY.md",
        "folder",
        "folder/MEMORY.md",
        "file.md",
        "notes/up/people/ann.md",
        "chain/people",
        "memory/shared/link.md",
        "memory/shared/back/people/ann.md",
        "hard.md",
        "MEMORY/MEMORY.md",
        "memory/absent.md",
    ];
    for way in ways {
        let read = house.group("read", json!({ "path": way })).await.unwrap_err();
        let edited =
            house.group("edit", json!({ "path": way, "old": "key", "new": "lock" })).await.unwrap_err();
        assert!(
            !format!("{read}{edited}").contains("stone") && !read.contains("ann.md\n"),
            "{way}: {read} {edited}"
        );
    }
    for way in [
        "memory/new.md",
        "memory/people/new.md",
        "memory/new/x.md",
        "folder/new.md",
        "notes/up/n.md",
        "memory/MEMORY.md",
    ] {
        let written = house.group("write", json!({ "path": way, "text": "mine" })).await;
        assert!(written.is_err(), "{way}: {written:?}");
    }
    assert!(!house.root.join("memory/new").exists() && !house.root.join("memory/new.md").exists());
    assert_eq!(fs::read_to_string(house.root.join("memory/people/ann.md")).unwrap(), format!("{SECRET}\n"));
    // A person alone with the agent has it all, and a group has the rest.
    assert!(house.direct("read", json!({ "path": "memory/people/ann.md" })).await.unwrap().contains(SECRET));
    assert!(house.direct("read", json!({ "path": "folder" })).await.unwrap().contains("people/"));
    assert!(
        house.group("read", json!({ "path": "memory/shared/MEMORY.md" })).await.unwrap().contains("picnic")
    );
    assert!(house.group("read", json!({ "path": "memory/shared" })).await.unwrap().contains("MEMORY.md"));
    assert_eq!(house.group("read", json!({ "path": "notes/a.md" })).await.unwrap(), "a note\n");
    house.group("write", json!({ "path": "memory/shared/deep/b.md", "text": "ours" })).await.unwrap();
    house.group("write", json!({ "path": "memory.md", "text": "no folder" })).await.unwrap();
}

#[tokio::test]
async fn ses_07_a_group_may_begin_the_shared_memory() {
    let house = house().await;
    fs::remove_dir_all(house.root.join("memory")).unwrap();
    assert!(house.group("write", json!({ "path": "memory/x.md", "text": "mine" })).await.is_err());
    house.group("memory_write", json!({ "text": "The picnic is on Monday." })).await.unwrap();
    let found = house.group("memory_search", json!({ "query": "picnic" })).await.unwrap();
    assert!(found.contains("Monday"), "{found}");
}

#[tokio::test]
async fn ses_07_no_link_leads_the_memory_of_a_group_out_of_what_is_shared() {
    let house = house().await;
    house.link("../MEMORY.md", "memory/shared/link.md");
    house.link("../people", "memory/shared/folder");
    for way in ["shared/link.md", "shared/folder/ann.md"] {
        let got = house.group("memory_get", json!({ "path": way })).await.unwrap_err();
        assert!(!got.contains("stone"), "{got}");
        let noted = house.group("memory_write", json!({ "text": "mine", "file": way })).await;
        assert!(noted.is_err(), "{way}: {noted:?}");
    }
    let found = house.group("memory_search", json!({ "query": "key stone picnic" })).await.unwrap();
    assert!(found.contains("picnic") && !found.contains("stone"), "{found}");
}

#[tokio::test]
async fn ses_07_a_memory_that_is_a_link_is_private_under_both_names() {
    let house = house().await;
    fs::rename(house.root.join("memory"), house.root.join("notes/kept")).unwrap();
    house.link("notes/kept", "memory");
    for way in ["memory/MEMORY.md", "notes/kept/MEMORY.md", "notes/kept/people", "memory"] {
        let read = house.group("read", json!({ "path": way })).await;
        assert!(read.is_err(), "{way}: {read:?}");
    }
    assert!(
        house
            .group("read", json!({ "path": "notes/kept/shared/MEMORY.md" }))
            .await
            .unwrap()
            .contains("picnic")
    );
    assert_eq!(house.group("read", json!({ "path": "notes/a.md" })).await.unwrap(), "a note\n");
    for grant in [Grant::Confined, Grant::Free] {
        let told = house.command(grant, "cat notes/kept/MEMORY.md").await.unwrap();
        assert!(told.contains("`memory` is a link") && !told.contains("stone"), "{told}");
    }
}

#[tokio::test]
async fn ses_07_no_command_of_a_group_reads_private_memory() {
    let house = house().await;
    house.link("memory/MEMORY.md", "link.md");
    house.link("memory", "notes/folder");
    let ways = [
        "cat memory/MEMORY.md",
        "cat ./memory//people/ann.md",
        "cat link.md notes/folder/people/ann.md",
        "cd memory && cat MEMORY.md",
        "cat memory/shared/../MEMORY.md",
        "cat /proc/self/cwd/memory/MEMORY.md /proc/$$/cwd/memory/MEMORY.md",
        "cat \"$HOME/memory/MEMORY.md\"",
        "grep -r key . ; find . -type f -exec cat {} +",
        "cp -r memory notes/copy; cat notes/copy/MEMORY.md",
        "ln memory/MEMORY.md notes/hard.md; cat notes/hard.md",
        "ln -s ../memory/MEMORY.md notes/soft.md; cat notes/soft.md",
        "mv memory/MEMORY.md notes/moved.md; cat notes/moved.md memory/MEMORY.md",
        "mv memory notes/moved; cat notes/moved/MEMORY.md",
        "mv memory other; cat other/MEMORY.md; mv other memory",
        "exec 3< memory/MEMORY.md; cat <&3",
        "sh memory/MEMORY.md",
        "dd if=memory/MEMORY.md; tail -f memory/MEMORY.md & sleep 0",
    ];
    for grant in [Grant::Confined, Grant::Free] {
        for way in ways {
            let Some(told) = house.command(grant, way).await else { return };
            assert!(!told.contains("stone"), "{grant:?} {way}: {told}");
            assert!(house.root.join("memory/MEMORY.md").exists(), "{grant:?} {way}: {told}");
        }
    }
    let names =
        house.command(Grant::Confined, "ls memory memory/people; echo memory/*; find memory").await.unwrap();
    assert!(!names.contains("ann.md"), "{names}");
    let inside = house
        .call(&errand(ChatKind::Group), "exec", json!({ "command": "cat MEMORY.md", "cwd": "memory" }))
        .await;
    assert!(inside.is_err(), "{inside:?}");
}

#[tokio::test]
async fn ses_07_commands_of_a_group_have_all_the_rest() {
    let house = house().await;
    for grant in [Grant::Confined, Grant::Free] {
        let work = "cat list.txt notes/a.md memory/shared/MEMORY.md && echo new > notes/n.md && cat notes/n.md && \
                    mkdir -p notes/d && mv notes/n.md notes/d/ && ls notes/d && f=$(mktemp) && echo t > $f && cat $f && \
                    echo more >> list.txt && rm -r notes/d";
        let Some(told) = house.command(grant, work).await else { return };
        assert!(
            told.starts_with("a list\n") && told.contains("picnic") && told.ends_with("new\nn.md\nt"),
            "{grant:?}: {told}"
        );
    }
    let told = house
        .command(
            Grant::Free,
            "ls && echo x > fresh && head -c 5 /proc/version && ls / >/dev/null && echo fine",
        )
        .await;
    assert!(
        told.as_deref().is_some_and(|told| told.contains("list.txt") && told.contains("Linuxfine")),
        "{told:?}"
    );
    let told = house.command(Grant::Confined, "ls").await.unwrap();
    assert!(told.contains("[In a group commands do not see private memory"), "{told}");
    // A person alone with the agent is not kept from anything.
    let alone = house.direct("exec", json!({ "command": "cat memory/MEMORY.md; ls" })).await.unwrap();
    assert!(alone.contains(SECRET) && alone.contains("list.txt"), "{alone}");
}

#[tokio::test]
async fn ses_07_a_hard_link_to_a_private_note_closes_commands_to_groups() {
    let house = house().await;
    fs::hard_link(house.root.join("memory/people/ann.md"), house.root.join("notes/hard.md")).unwrap();
    for grant in [Grant::Confined, Grant::Free] {
        let told = house.command(grant, "cat notes/hard.md").await.unwrap();
        assert!(told.contains("a private note has a second name") && !told.contains("stone"), "{told}");
    }
}
