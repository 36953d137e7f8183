//! Tool servers of the Model Context Protocol behind the real daemon: a program, and an address. They answer, break, die,
//! hang and come back; each is a clear line for the model, and the daemon goes on.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a scenario that meets nothing where something must be fails there; its servers end with its runtime"
)]

use std::fs;
use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::Json;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use pensive_tests::model::Script;
use pensive_tests::scene::{MODEL_KEY, Scene};
use pensive_tests::talk::Talk;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// What the server is given as a secret.
const KEY: &str = "server-key-0123456789abcdef";

/// A server as a program: what it does stands in the name of the tool that is called.
const PROGRAM: &str = r#"
import json, os, sys
def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def answer(id, text):
    say(id=id, result={"content": [{"type": "text", "text": text}]})
open("starts", "a").write("x\n")
for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
    if id is None:
        continue
    if method == "initialize":
        say(id=id, result={"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "fake", "version": "1"}})
    elif method == "tools/list":
        say(id=id, result={"tools": [{"name": name, "description": name, "inputSchema": {"type": "object"}}
            for name in ["echo", "die", "hang", "flood", "noise", "environment", "pid"]]})
    elif method == "tools/call":
        name = params["name"]
        if name == "die":
            os._exit(3)
        elif name == "hang":
            open("hanging", "w").write("x\n")
        elif name == "flood":
            answer(id, "x" * 3000000)
        elif name == "noise":
            print("this is no JSON", flush=True)
            answer(id, "after noise")
        elif name == "environment":
            answer(id, " ".join(k + "=" + v for k, v in sorted(os.environ.items())))
        elif name == "pid":
            answer(id, str(os.getpid()))
        else:
            answer(id, json.dumps(params.get("arguments")))
"#;

/// A scene with that program as the server `fake`, and these tools.
async fn scene(allow: &[&str]) -> (Scene, Talk) {
    let scene = Scene::prepared(|_| {}).await;
    let program = scene.home().join("server.py");
    fs::write(&program, PROGRAM).unwrap();
    let server = json!({ "command": "python3", "args": [program], "env": { "SERVER_KEY": KEY } });
    entered(scene, allow, json!({ "fake": server })).await
}

async fn entered(mut scene: Scene, allow: &[&str], servers: Value) -> (Scene, Talk) {
    scene.reconfigure(|config| {
        config["agents"]["defaults"]["tools"] = json!({ "allow": allow });
        config["agents"]["defaults"]["mcp"] = json!({ "servers": servers });
    });
    scene.enter().await;
    let talk = Talk::with(&scene, &scene.telegram.user("Ann"));
    (scene, talk)
}

async fn call(scene: &Scene, talk: &mut Talk, name: &str, arguments: Value) -> String {
    // A chat takes so many messages in a while.
    scene.advance(Duration::from_secs(4));
    scene.model.play(Script::new().tool_call(name, &arguments));
    assert_eq!(after_failures(talk, "go on").await, "You said: go on", "{name}");
    result(scene)
}

/// The answer to a text. A line about a call that failed in the run before may still stand in front of it.
async fn after_failures(talk: &mut Talk, text: &str) -> String {
    let mut told = talk.ask(text).await;
    while told.starts_with("⚠️ 🧩 ") && told.ends_with(" failed") {
        told = talk.hear().await;
    }
    told
}

fn result(scene: &Scene) -> String {
    scene.model.requests().pop().unwrap().tool_results().pop().unwrap().1
}

/// The tools that the model was offered last, without those that every run has.
fn offered(scene: &Scene) -> Vec<String> {
    let mut tools = scene.model.requests().pop().unwrap().tools();
    tools.retain(|name| name.contains("__"));
    tools.sort();
    tools
}

#[tokio::test]
async fn tools_of_a_program_appear_under_its_name_and_work() {
    let (mut scene, mut ann) = scene(&["fake__*"]).await;
    assert_eq!(call(&scene, &mut ann, "fake__echo", json!({ "a": 1 })).await, r#"{"a": 1}"#);
    let names =
        ["die", "echo", "environment", "flood", "hang", "noise", "pid"].map(|name| format!("fake__{name}"));
    assert_eq!(offered(&scene), names);
    assert_eq!(call(&scene, &mut ann, "fake__noise", json!({})).await, "after noise");
    let told = call(&scene, &mut ann, "fake__flood", json!({})).await;
    assert!(told.len() < 70_000 && told.starts_with("xxx"), "{} bytes", told.len());
    // One server serves all runs, and ends with the daemon.
    let pid = call(&scene, &mut ann, "fake__pid", json!({})).await;
    assert_eq!(fs::read_to_string(scene.home().join("workspace/starts")).unwrap(), "x\n");
    scene.leave().await;
    assert!(!fs::exists(format!("/proc/{pid}/fd/0")).unwrap(), "{pid} lives on");
    scene.enter().await;
    assert_ne!(call(&scene, &mut ann, "fake__pid", json!({})).await, pid);
    scene.finish().await;
}

#[tokio::test]
async fn an_agent_has_only_the_tools_of_a_server_that_it_is_allowed() {
    let (scene, mut ann) = scene(&["fake__echo", "read"]).await;
    assert_eq!(call(&scene, &mut ann, "fake__echo", json!({})).await, "{}");
    assert_eq!(offered(&scene), ["fake__echo"]);
    let told = call(&scene, &mut ann, "fake__die", json!({})).await;
    assert!(told.contains("fake__die"), "{told}");
    assert_eq!(call(&scene, &mut ann, "fake__echo", json!({ "b": 2 })).await, r#"{"b": 2}"#);
    scene.finish().await;
}

#[tokio::test]
async fn tool_07_a_server_has_its_own_secret_and_no_other_and_the_model_never_sees_it() {
    let (scene, mut ann) = scene(&["*"]).await;
    let told = call(&scene, &mut ann, "fake__environment", json!({})).await;
    assert!(told.contains("SERVER_KEY=•••") && told.contains("HOME="), "{told}");
    assert!(!told.contains(KEY) && !told.contains(MODEL_KEY), "{told}");
    assert!(!scene.model.requests().pop().unwrap().body.to_string().contains(KEY));
    scene.finish().await;
}

#[tokio::test]
async fn a_program_that_dies_in_a_call_is_told_of_and_started_again() {
    let (scene, mut ann) = scene(&["*"]).await;
    let first = call(&scene, &mut ann, "fake__pid", json!({})).await;
    let told = call(&scene, &mut ann, "fake__die", json!({})).await;
    assert_eq!(
        told,
        "The tool server `fake` ended during the call. Whether the call did anything is not known. The server is started again \
         when it is next needed."
    );
    assert_eq!(ann.hear().await, "⚠️ 🧩 Fake Die failed");
    assert_ne!(call(&scene, &mut ann, "fake__pid", json!({})).await, first);
    // One that dies again and again rests in between, and then is there again.
    for _ in 0..4 {
        call(&scene, &mut ann, "fake__die", json!({})).await;
    }
    let told = call(&scene, &mut ann, "fake__pid", json!({})).await;
    assert_eq!(told.parse::<u32>().ok(), None, "{told}");
    scene.pass(Duration::from_secs(30)).await;
    let third = call(&scene, &mut ann, "fake__pid", json!({})).await;
    assert!(third.parse::<u32>().is_ok(), "{third}");
    scene.finish().await;
}

#[tokio::test]
async fn a_call_that_hangs_is_ended_and_the_run_goes_on() {
    let (scene, mut ann) = scene(&["*"]).await;
    scene.model.play(Script::new().tool_call("fake__hang", &json!({})));
    ann.say("hello");
    let file = scene.home().join("workspace/hanging");
    while !file.exists() {
        tokio::task::yield_now().await;
    }
    scene.advance(Duration::from_secs(60));
    assert_eq!(ann.hear().await, "You said: hello");
    assert_eq!(result(&scene), "fake__hang was ended: it had not come to an end after 60 s.");
    assert_eq!(call(&scene, &mut ann, "fake__echo", json!({})).await, "{}");
    scene.finish().await;
}

#[tokio::test]
async fn a_program_that_is_not_there_costs_its_tools_and_nothing_else() {
    let scene = Scene::prepared(|_| {}).await;
    let servers = json!({
        "absent": { "command": "/no/such/program" },
        "broken": { "command": "false" },
        "deaf": { "url": "http://127.0.0.1:9/mcp" },
    });
    let (scene, mut ann) = entered(scene, &["*"], servers).await;
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(offered(&scene), [""; 0]);
    let told = call(&scene, &mut ann, "absent__echo", json!({})).await;
    assert!(told.contains("absent__echo"), "{told}");
    scene.finish().await;
}

/// A server at an address, which answers in plain JSON. It wants the key.
async fn serve(address: SocketAddr) -> (SocketAddr, JoinHandle<()>) {
    let app = axum::Router::new().route("/mcp", post(answer));
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    let address = listener.local_addr().unwrap();
    let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    (address, task)
}

async fn answer(headers: HeaderMap, Json(message): Json<Value>) -> Response {
    if headers.get("x-key").is_none_or(|key| key != KEY) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => {
            json!({ "protocolVersion": message["params"]["protocolVersion"], "capabilities": { "tools": {} },
            "serverInfo": { "name": "fake", "version": "1" } })
        }
        "tools/list" => json!({ "tools": [
            { "name": "echo", "description": "says it again", "inputSchema": { "type": "object" } },
            { "name": "key", "description": "tells the key", "inputSchema": { "type": "object" } },
            { "name": "fail", "description": "has an error inside", "inputSchema": { "type": "object" } },
        ] }),
        "tools/call" => match message["params"]["name"].as_str().unwrap_or_default() {
            "fail" => return (StatusCode::INTERNAL_SERVER_ERROR, "<html>oops</html>").into_response(),
            "key" => words(KEY),
            _ => words(&message["params"]["arguments"].to_string()),
        },
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    axum::Json(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })).into_response()
}

fn words(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

#[tokio::test]
async fn a_server_at_an_address_is_called_with_its_headers_and_found_again_after_it_was_away() {
    let (address, task) = serve(([127, 0, 0, 1], 0).into()).await;
    let scene = Scene::prepared(|_| {}).await;
    let server = json!({ "url": format!("http://{address}/mcp"), "headers": { "X-Key": KEY } });
    let (scene, mut ann) = entered(scene, &["*"], json!({ "web": server })).await;
    assert_eq!(call(&scene, &mut ann, "web__echo", json!({ "a": 1 })).await, r#"{"a":1}"#);
    assert_eq!(offered(&scene), ["web__echo", "web__fail", "web__key"]);
    assert_eq!(call(&scene, &mut ann, "web__key", json!({})).await, "•••");
    let told = call(&scene, &mut ann, "web__fail", json!({})).await;
    assert!(!told.contains("oops") && !told.is_empty(), "{told}");

    task.abort();
    drop(task.await);
    let told = call(&scene, &mut ann, "web__echo", json!({})).await;
    assert!(told.contains("server") || told.contains("web__echo"), "{told}");
    assert_eq!(after_failures(&mut ann, "still there?").await, "You said: still there?");

    let (_, _task) = serve(address).await;
    for _ in 0..4 {
        scene.pass(Duration::from_secs(30)).await;
        assert_eq!(after_failures(&mut ann, "and now?").await, "You said: and now?");
    }
    assert_eq!(call(&scene, &mut ann, "web__echo", json!({ "b": 2 })).await, r#"{"b":2}"#);
    scene.finish().await;
}

#[tokio::test]
async fn a_server_that_refuses_our_key_costs_its_tools_and_nothing_else() {
    let (address, _task) = serve(([127, 0, 0, 1], 0).into()).await;
    let scene = Scene::prepared(|_| {}).await;
    let server = json!({ "url": format!("http://{address}/mcp"), "headers": { "X-Key": "another" } });
    let (scene, mut ann) = entered(scene, &["*"], json!({ "web": server })).await;
    assert_eq!(ann.ask("hello").await, "You said: hello");
    assert_eq!(offered(&scene), [""; 0]);
    scene.finish().await;
}
