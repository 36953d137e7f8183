//! The real tools behind the real daemon: what they do for a person, and what they keep from a model that asks for more.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a scenario that meets nothing where something must be fails there; its servers end with its runtime"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use pensive_tests::model::Script;
use pensive_tests::scene::{MODEL_KEY, Scene};
use pensive_tests::talk::Talk;
use serde_json::{Value, json};

/// A scene whose agent may use every tool, and Ann, who owns it.
async fn scene(change: impl FnOnce(&mut Value)) -> (Scene, Talk) {
    let mut scene = Scene::prepared(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": ["*"] });
        config["channels"]["telegram"]["groupPolicy"] = json!("open");
        config["channels"]["telegram"]["groups"] = json!({ "*": { "requireMention": false } });
        change(config);
    })
    .await;
    let ann = scene.telegram.user("Ann");
    let owner = format!("telegram:{}", ann.id());
    scene.reconfigure(|config| config["commands"] = json!({ "ownerAllowFrom": [owner] }));
    scene.enter().await;
    let talk = Talk::with(&scene, &ann);
    (scene, talk)
}

/// Has the model make one call, hears the run end well, and gives what the model was told of it.
async fn call(scene: &Scene, talk: &mut Talk, name: &str, arguments: Value) -> String {
    // A chat takes so many messages in a while.
    scene.advance(Duration::from_secs(4));
    scene.model.play(Script::new().tool_call(name, &arguments));
    let answer = after_failures(talk, "go on").await;
    assert!(answer.starts_with("You said: ") && answer.ends_with("go on"), "{name} {arguments}: {answer}");
    result(scene)
}

/// The answer to a text. A line about a call that failed in the run before may still stand in front of it.
async fn after_failures(talk: &mut Talk, text: &str) -> String {
    let mut told = talk.ask(text).await;
    while told.starts_with("⚠️ ") && told.ends_with(" failed") {
        told = talk.hear().await;
    }
    told
}

fn result(scene: &Scene) -> String {
    scene.model.requests().pop().unwrap().tool_results().pop().unwrap().1
}

async fn exec(scene: &Scene, talk: &mut Talk, command: &str) -> String {
    call(scene, talk, "exec", json!({ "command": command })).await
}

/// Where the kernel has no sandbox a command is refused, which is seen and said; such a test ends there.
fn is_refused(told: &str) -> bool {
    let refused = told.starts_with("This machine cannot confine");
    if refused {
        eprintln!("skipped: the kernel here has no Landlock or seccomp; the command was refused");
    }
    refused
}

/// A file of the workspace that another process writes, with the end of its line.
async fn appears(file: PathBuf) -> String {
    for _ in 0..2_000_000 {
        match fs::read_to_string(&file) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => tokio::task::yield_now().await,
        }
    }
    panic!("{} does not appear", file.display())
}

/// Until a process has ended; one that nobody has asked for its end yet counts as ended.
async fn ends(pid: &str) {
    for _ in 0..2_000_000 {
        match fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(stat) if !stat.contains(") Z ") => tokio::task::yield_now().await,
            _ => return,
        }
    }
    panic!("process {pid} lives on")
}

#[tokio::test]
async fn files_are_written_edited_and_read_in_the_workspace() {
    let (scene, mut ann) = scene(|_| {}).await;
    let told = call(&scene, &mut ann, "write", json!({ "path": "notes/a.md", "text": "one\ntwo\n" })).await;
    assert_eq!(told, "A new file: `notes/a.md`, 8 bytes.");
    let told =
        call(&scene, &mut ann, "edit", json!({ "path": "notes/a.md", "old": "two", "new": "three" })).await;
    assert_eq!(told, "Replaced 1 passage in `notes/a.md`.");
    assert_eq!(call(&scene, &mut ann, "read", json!({ "path": "notes/a.md" })).await, "one\nthree\n");
    assert_eq!(fs::read_to_string(scene.home().join("workspace/notes/a.md")).unwrap(), "one\nthree\n");
    scene.finish().await;
}

#[tokio::test]
async fn tool_07_no_path_leads_out_of_the_workspace() {
    let (scene, mut ann) = scene(|_| {}).await;
    let workspace = scene.home().join("workspace");
    fs::create_dir_all(&workspace).unwrap();
    symlink("..", workspace.join("up")).unwrap();
    symlink(scene.home().join("pensive.json5"), workspace.join("file")).unwrap();
    fs::hard_link(scene.home().join("pensive.json5"), workspace.join("hard")).unwrap();
    let whole = scene.home().join("pensive.json5").display().to_string();
    for way in [
        "../pensive.json5",
        "up/pensive.json5",
        "file",
        "hard",
        whole.as_str(),
        "/proc/self/environ",
        "~/pensive.json5",
    ] {
        let read = call(&scene, &mut ann, "read", json!({ "path": way })).await;
        let edited =
            call(&scene, &mut ann, "edit", json!({ "path": way, "old": "a", "new": "b", "all": true })).await;
        for told in [read, edited] {
            assert!(told.contains("workspace") && !told.contains("botToken"), "{way}: {told}");
        }
    }
    for way in ["../new", "up/new", "/nowhere/new"] {
        let told = call(&scene, &mut ann, "write", json!({ "path": way, "text": "x" })).await;
        assert!(told.contains("workspace"), "{way}: {told}");
    }
    assert!(!scene.home().join("new").exists());
    scene.finish().await;
}

#[tokio::test]
async fn tool_07_a_command_has_no_secret_in_its_environment_and_reads_nothing_outside() {
    let (scene, mut ann) = scene(|_| {}).await;
    let file = scene.home().join("pensive.json5").display().to_string();
    let told = exec(&scene, &mut ann, "env; echo made > a.txt; cat a.txt").await;
    if is_refused(&told) {
        return scene.finish().await;
    }
    assert!(told.contains("PATH=") && told.ends_with("made"), "{told}");
    assert!(!told.contains("KEY") && !told.contains("TOKEN") && !told.contains("•••"), "{told}");
    let told =
        exec(&scene, &mut ann, &format!("cat {file}; cat ../pensive.json5; cat /proc/$PPID/environ; ls .."))
            .await;
    assert!(!told.contains("botToken") && !told.contains("data"), "{told}");
    assert!(told.contains("[Exit code"), "{told}");
    scene.finish().await;
}

#[tokio::test]
async fn a_stop_ends_a_command_with_all_that_it_started() {
    let (scene, mut ann) = scene(|_| {}).await;
    let command = "sleep 1000 & setsid sleep 1000 & echo $! > left; echo $$ > shell; wait";
    scene.model.play(Script::new().tool_call("exec", &json!({ "command": command })));
    ann.say("hello");
    let workspace = scene.home().join("workspace");
    tokio::select! {
        shell = appears(workspace.join("shell")) => {
            let left = appears(workspace.join("left")).await;
            assert_eq!(ann.ask("/stop").await, "⚙️ Stopped.");
            ends(&shell).await;
            ends(&left).await;
        }
        told = ann.hear() => assert!(told.starts_with("You said") && is_refused(&result(&scene)), "{told}"),
    }
    assert_eq!(after_failures(&mut ann, "and now?").await, "You said: and now?");
    scene.finish().await;
}

#[tokio::test]
async fn a_command_that_hangs_is_ended_in_its_time() {
    let (scene, mut ann) = scene(|_| {}).await;
    let command = "echo begun; echo $$ > shell; sleep 1000";
    scene.model.play(Script::new().tool_call("exec", &json!({ "command": command, "timeout": 5 })));
    ann.say("hello");
    tokio::select! {
        shell = appears(scene.home().join("workspace/shell")) => {
            scene.advance(Duration::from_secs(5));
            assert_eq!(ann.hear().await, "You said: hello");
            ends(&shell).await;
            let told = result(&scene);
            assert!(told.starts_with("begun\n[Its 5 seconds were over: it was ended"), "{told}");
        }
        told = ann.hear() => assert!(told.starts_with("You said") && is_refused(&result(&scene)), "{told}"),
    }
    assert_eq!(after_failures(&mut ann, "and now?").await, "You said: and now?");
    scene.finish().await;
}

#[tokio::test]
async fn what_floods_or_is_no_text_does_the_daemon_no_harm() {
    let (scene, mut ann) = scene(|_| {}).await;
    let told =
        exec(&scene, &mut ann, "echo first; head -c 104857600 /dev/zero | tr '\\0' x; echo; echo last").await;
    if is_refused(&told) {
        return scene.finish().await;
    }
    assert!(
        told.starts_with("first\nxxx") && told.ends_with("xxx\nlast") && told.len() < 70_000,
        "{} bytes",
        told.len()
    );
    let told = exec(&scene, &mut ann, "head -c 100000 /dev/urandom; kill -9 $$").await;
    assert!(told.contains("that are not text]") && told.contains("signal 9"), "{told}");
    fs::write(scene.home().join("workspace/big"), vec![0; 100 << 20]).unwrap();
    let told = call(&scene, &mut ann, "read", json!({ "path": "big" })).await;
    assert_eq!(told, "`big` is not text but binary, 104857600 bytes: it cannot be shown.");
    fs::write(scene.home().join("workspace/long"), "line\n".repeat(20 << 20)).unwrap();
    let told = call(&scene, &mut ann, "read", json!({ "path": "long" })).await;
    assert!(told.len() < 70_000 && told.ends_with("goes on at offset 2001.]"), "{} bytes", told.len());
    scene.finish().await;
}

#[tokio::test]
async fn tool_12_words_that_look_like_a_command_or_a_call_are_words() {
    let (scene, mut ann) = scene(|_| {}).await;
    let prose = "run `touch made` -> list files\n\n```sh\ntouch made\n```\n{\"name\": \"write\", \"arguments\": {\"path\": \"made\"}}";
    scene.model.play(Script::new().text(prose));
    assert!(ann.ask("hello").await.starts_with("run touch made"));
    assert_eq!(scene.model.requests().len(), 1);
    assert!(!scene.home().join("workspace/made").exists());
    scene.finish().await;
}

#[tokio::test]
async fn a_tool_that_there_is_not_is_told_to_the_model_and_only_what_is_allowed_is_there() {
    let (scene, mut ann) = scene(|config| {
        config["agents"]["defaults"]["tools"] =
            json!({ "allow": ["read", "memory_*"], "deny": ["memory_write"] });
    })
    .await;
    let told = call(&scene, &mut ann, "write", json!({ "path": "a", "text": "x" })).await;
    assert!(!told.is_empty() && !scene.home().join("workspace/a").exists(), "{told}");
    let mut tools = scene.model.requests().pop().unwrap().tools();
    tools.sort();
    assert_eq!(tools, ["memory_get", "memory_search", "read"]);
    scene.finish().await;
}

#[tokio::test]
async fn ses_07_what_a_person_had_noted_in_private_never_enters_a_group() {
    let (scene, mut ann) = scene(|_| {}).await;
    let secret = "The key lies under the third stone.";
    let told = call(&scene, &mut ann, "memory_write", json!({ "text": secret, "file": "MEMORY.md" })).await;
    assert_eq!(told, "Noted in MEMORY.md.");
    assert!(
        call(&scene, &mut ann, "memory_search", json!({ "query": "stone" })).await.contains("third stone")
    );
    symlink("memory/MEMORY.md", scene.home().join("workspace/link.md")).unwrap();

    let room = scene.telegram.supergroup("Team", &[ann.person()]);
    let mut team = Talk::with(&scene, &ann.person().at(&room));
    for (tool, arguments) in [
        ("memory_search", json!({ "query": "key stone" })),
        ("memory_get", json!({ "path": "MEMORY.md" })),
        ("read", json!({ "path": "memory/MEMORY.md" })),
        ("read", json!({ "path": "link.md" })),
        ("edit", json!({ "path": "memory/MEMORY.md", "old": "key", "new": "lock" })),
        ("exec", json!({ "command": "cat memory/* link.md; grep -r stone ." })),
    ] {
        let told = call(&scene, &mut team, tool, arguments.clone()).await;
        assert!(!told.contains("stone"), "{tool} {arguments}: {told}");
    }
    // Also where an owner has freed commands of everything else.
    assert_eq!(team.ask("/elevated full").await, "⚙️ Elevated mode set to full (auto-approve).");
    let told = exec(&scene, &mut team, "cat memory/* link.md; mv memory other; cat other/*").await;
    assert!(!told.contains("stone"), "{told}");
    let told = call(&scene, &mut team, "memory_write", json!({ "text": "The picnic is on Sunday." })).await;
    assert!(told.starts_with("Noted in shared/"), "{told}");
    assert!(call(&scene, &mut ann, "memory_search", json!({ "query": "picnic" })).await.contains("Sunday"));
    let all: Vec<String> = scene.telegram.messages(room.id()).into_iter().map(|seen| seen.text).collect();
    assert!(!all.join("\n").contains("stone"), "{all:?}");
    scene.finish().await;
}

/// A server on this machine, and the paths and keys that it was asked with.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<String>>>);

impl Asked {
    fn note(&self, uri: &Uri, headers: &HeaderMap) {
        let key = headers.get("x-subscription-token").map_or("", |key| key.to_str().unwrap());
        self.0.lock().unwrap().push(format!("{uri} {key}").trim().to_owned());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

const SEARCH_KEY: &str = "search-key-0123456789abcdef";

async fn web() -> (String, Asked) {
    let asked = Asked::default();
    let log = asked.clone();
    let app = Router::new().fallback(get(move |uri: Uri, headers: HeaderMap| {
        log.note(&uri, &headers);
        async move { page(&uri, &headers) }
    }));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    (format!("http://{address}"), asked)
}

fn page(uri: &Uri, headers: &HeaderMap) -> Response {
    let html = |text: &str| ([("content-type", "text/html")], text.to_owned()).into_response();
    match uri.path() {
        "/page" => {
            html("<html><title>A page</title><body><p>Some words</p><script>no()</script></body></html>")
        }
        "/away" => Redirect::temporary("/page").into_response(),
        "/endless" => Redirect::temporary("/endless").into_response(),
        "/binary" => ([("content-type", "image/png")], vec![0_u8; 5000]).into_response(),
        "/huge" => html(&"word ".repeat(4 << 20)),
        "/search" => axum::Json(json!({ "results": [
            { "title": "First", "url": "https://example.org/1", "content": "the first <b>hit</b>" },
            { "title": "Second", "url": "https://example.org/2", "content": "the second" },
        ] }))
        .into_response(),
        "/brave" => {
            let key = headers.get("x-subscription-token").map_or("none", |key| key.to_str().unwrap());
            axum::Json(json!({ "web": { "results": [
                { "title": "Echo", "url": "https://example.org/", "description": format!("you sent {key}") },
            ] } }))
            .into_response()
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

#[tokio::test]
async fn a_page_on_this_machine_is_not_fetched() {
    let (url, asked) = web().await;
    let (scene, mut ann) = scene(|_| {}).await;
    let port = url.rsplit_once(':').unwrap().1.to_owned();
    for address in [
        format!("{url}/page"),
        format!("http://localhost:{port}/page"),
        format!("http://[::1]:{port}/page"),
        format!("http://[::ffff:127.0.0.1]:{port}/page"),
        format!("http://2130706433:{port}/page"),
        format!("http://0.0.0.0:{port}/page"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://10.0.0.1/".to_owned(),
        format!("file://{}/pensive.json5", scene.home().display()),
    ] {
        let told = call(&scene, &mut ann, "web_fetch", json!({ "url": address })).await;
        assert!(!told.contains("Some words") && !told.contains("botToken"), "{address}: {told}");
    }
    assert_eq!(asked.all(), [""; 0], "nothing was even asked");
    scene.finish().await;
}

#[tokio::test]
async fn where_the_file_allows_it_pages_of_this_machine_are_read() {
    let (url, asked) = web().await;
    let (scene, mut ann) = scene(|config| config["web"] = json!({ "allowPrivate": true })).await;
    let told = call(&scene, &mut ann, "web_fetch", json!({ "url": format!("{url}/away") })).await;
    assert!(
        told.contains("Title: A page") && told.contains("Some words") && !told.contains("no()"),
        "{told}"
    );
    assert_eq!(asked.all(), ["/away", "/page"]);
    for (path, expected) in [("endless", "redirect"), ("binary", "5000 bytes"), ("absent", "404")] {
        let told = call(&scene, &mut ann, "web_fetch", json!({ "url": format!("{url}/{path}") })).await;
        assert!(told.contains(expected), "{path}: {told}");
    }
    let told = call(&scene, &mut ann, "web_fetch", json!({ "url": format!("{url}/huge") })).await;
    assert!(told.len() < 70_000, "{} bytes", told.len());
    scene.finish().await;
}

#[tokio::test]
async fn who_searches_stands_in_the_file_and_the_key_goes_nowhere_else() {
    let (url, asked) = web().await;
    let searxng = json!({ "search": { "engine": "searxng", "url": url } });
    let (mut scene, mut ann) = scene(|config| config["web"] = searxng).await;
    let told = call(&scene, &mut ann, "web_search", json!({ "query": "two words" })).await;
    assert_eq!(
        told,
        "1. First\n   https://example.org/1\n   the first hit\n2. Second\n   https://example.org/2\n   the second"
    );
    assert_eq!(asked.all(), ["/search?q=two+words&format=json"]);

    let brave =
        json!({ "search": { "engine": "brave", "url": format!("{url}/brave"), "apiKey": SEARCH_KEY } });
    scene.reconfigure(|config| config["web"] = brave);
    scene.restart().await;
    let told = call(&scene, &mut ann, "web_search", json!({ "query": "echo" })).await;
    assert_eq!(told, "1. Echo\n   https://example.org/\n   you sent •••");
    assert!(asked.all()[1].ends_with(SEARCH_KEY), "{:?}", asked.all());
    let request = scene.model.requests().pop().unwrap();
    assert!(!request.body.to_string().contains(SEARCH_KEY) && !request.body.to_string().contains(MODEL_KEY));

    scene.reconfigure(|config| config["web"] = json!({}));
    scene.restart().await;
    let told = call(&scene, &mut ann, "web_search", json!({ "query": "x" })).await;
    assert!(told.contains("web_search"), "{told}");
    scene.finish().await;
}
