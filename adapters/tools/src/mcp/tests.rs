//! Servers that live, die, hang and change: a program without dependencies on one side, the SDK's own over HTTP on the
//! other.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::IntoResponse;
use pensive_contract::clock::Timestamp;
use pensive_contract::inbound::ChatKind;
use pensive_contract::secret::Secret;
use pensive_contract::tool::{Danger, ToolFault};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, JsonObject, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool as Offer, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::*;
use crate::testing::{Frozen, errand, serve};

/// A server as a program: what it does stands in the name of the tool that is called.
const PROGRAM: &str = r#"
import json, os, sys, time
def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def answer(id, text, **more):
    say(id=id, result={"content": [{"type": "text", "text": text}], **more})
open("starts", "a").write("x")
sys.stderr.write("hello from the program\n")
if "silent" in sys.argv:
    time.sleep(600)
tools = ["echo", "die", "hang", "flood", "noise", "environment", "grow", "fail", "pid"]
for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
    if method == "notifications/cancelled":
        open("cancelled", "a").write("x")
    if id is None:
        continue
    if method == "initialize":
        say(id=id, result={"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "fake", "version": "1"}})
    elif method == "tools/list":
        say(id=id, result={"tools": [{"name": name, "description": name, "inputSchema": {"type": "object"}} for name in tools]})
    elif method == "tools/call":
        name = params["name"]
        if name == "die":
            os._exit(3)
        elif name == "hang":
            open("hanging", "w").write("x")
        elif name == "flood":
            answer(id, "x" * 3000000)
        elif name == "noise":
            print("this is no JSON", flush=True)
            print("\xff\x00", flush=True)
            say(method="notifications/of_another_kind")
            say(id=4242, result={})
            answer(id, "after noise")
        elif name == "environment":
            answer(id, " ".join(sorted(os.environ)) + " " + os.environ.get("TOKEN", ""))
        elif name == "grow":
            tools.append("grown")
            say(method="notifications/tools/list_changed")
            answer(id, "grown")
        elif name == "fail":
            answer(id, "no luck", isError=True)
        elif name == "pid":
            answer(id, str(os.getpid()))
        elif name == "echo":
            answer(id, json.dumps(params.get("arguments")))
        else:
            say(id=id, error={"code": -32602, "message": "no such tool"})
    else:
        say(id=id, error={"code": -32601, "message": "no such method"})
"#;

struct Desk {
    folder: tempfile::TempDir,
    clock: Arc<Frozen>,
    house: House,
    servers: Servers,
}

impl Desk {
    fn with(servers: impl IntoIterator<Item = (&'static str, McpServer)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(Frozen::default());
        let house = House {
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        };
        let surroundings = Surroundings {
            workspace: folder.path().join("work"),
            environment: Arc::from([("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())]),
        };
        let servers = servers.into_iter().map(|(name, server)| (name.to_owned(), server)).collect();
        Self { clock, servers: Servers::new(servers, &surroundings, &house), folder, house }
    }

    fn program(args: &[&str]) -> Self {
        Self::with([("fake", program(args))])
    }

    async fn names(&self) -> Vec<String> {
        self.servers.tools().await.iter().map(|tool| tool.spec().name.clone()).collect()
    }

    async fn tool(&self, name: &str) -> Arc<dyn Tool> {
        let tools = self.servers.tools().await;
        Arc::clone(tools.iter().find(|tool| tool.spec().name == name).unwrap_or_else(|| panic!("no {name}")))
    }

    async fn call(&self, name: &str, arguments: &str) -> Result<String, ToolFault> {
        self.tool(name).await.call(arguments, &errand(ChatKind::Direct)).await
    }

    fn file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.path().join("work").join(name)).ok()
    }

    /// Waits for what happens in another process.
    async fn wait_for(&self, name: &str) {
        while self.file(name).is_none_or(|text| text.is_empty()) {
            tokio::task::yield_now().await;
        }
    }

    async fn stop(&self) {
        self.house.stop.cancel();
        self.house.tasks.close();
        self.house.tasks.wait().await;
    }
}

fn program(args: &[&str]) -> McpServer {
    McpServer::Program {
        command: "python3".to_owned(),
        args: ["-c", PROGRAM].iter().chain(args).map(|arg| (*arg).to_owned()).collect(),
        env: vec![("TOKEN".to_owned(), Secret::new("token-1"))],
    }
}

fn is_running(pid: &str) -> bool {
    Path::new("/proc").join(pid).exists()
}

#[tokio::test]
async fn a_program_offers_its_tools_and_ends_with_us() {
    let desk = Desk::program(&[]);
    assert_eq!(desk.file("starts"), None, "nothing starts before it is needed");
    let names = desk.names().await;
    assert_eq!(names.first().map(String::as_str), Some("fake__echo"));
    assert_eq!(names.len(), 9);
    assert_eq!(desk.call("fake__echo", r#"{"a":[1,"ü"]}"#).await.unwrap(), r#"{"a": [1, "\u00fc"]}"#);
    assert_eq!(desk.call("fake__echo", "").await.unwrap(), "{}");
    assert_eq!(desk.call("fake__environment", "{}").await.unwrap(), "LC_CTYPE PATH TOKEN token-1");
    assert_eq!(desk.call("fake__noise", "{}").await.unwrap(), "after noise");
    assert_eq!(desk.call("fake__fail", "{}").await.unwrap_err().model, "no luck");
    assert!(desk.call("fake__flood", "{}").await.unwrap().len() < 300_000);
    let fault = desk.call("fake__echo", "[1").await.unwrap_err();
    assert!(fault.model.contains("arguments do not fit"), "{fault:?}");
    let pid = desk.call("fake__pid", "{}").await.unwrap();
    assert!(is_running(&pid));
    desk.stop().await;
    assert!(!is_running(&pid));
    assert_eq!(desk.file("starts").as_deref(), Some("x"));
    assert_eq!(desk.names().await, Vec::<String>::new(), "nothing starts once we stop");
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_is_told_and_started_again() {
    let desk = Desk::program(&[]);
    let fault = desk.call("fake__die", "{}").await.unwrap_err();
    assert!(fault.model.contains("`fake` ended during the call"), "{fault:?}");
    assert_eq!(desk.call("fake__echo", "{}").await.unwrap(), "{}");
    assert_eq!(desk.file("starts").as_deref(), Some("xx"));
    // A second end so soon is followed by a pause.
    let echo = desk.tool("fake__echo").await;
    assert!(desk.call("fake__die", "{}").await.is_err());
    let fault = echo.call("{}", &errand(ChatKind::Direct)).await.unwrap_err();
    assert!(fault.model.contains("not there now"), "{fault:?}");
    assert_eq!(desk.names().await, Vec::<String>::new());
    desk.clock.set(Timestamp(1_000).0);
    assert_eq!(echo.call("{}", &errand(ChatKind::Direct)).await.unwrap(), "{}");
    assert_eq!(desk.file("starts").as_deref(), Some("xxx"));
    desk.stop().await;
}

#[tokio::test]
async fn calls_at_the_same_time_start_one_program() {
    let desk = Desk::program(&[]);
    let calls = futures::future::join_all((0..8).map(|_| desk.call("fake__echo", "{}"))).await;
    assert!(calls.iter().all(Result::is_ok), "{calls:?}");
    assert_eq!(desk.file("starts").as_deref(), Some("x"));
    desk.stop().await;
}

#[tokio::test]
async fn a_dropped_call_is_cancelled_and_the_server_goes_on() {
    let desk = Desk::program(&[]);
    let hang = desk.tool("fake__hang").await;
    let someone = errand(ChatKind::Direct);
    tokio::select! {
        told = hang.call("{}", &someone) => panic!("{told:?}"),
        () = desk.wait_for("hanging") => {}
    }
    desk.wait_for("cancelled").await;
    assert_eq!(desk.call("fake__echo", "{}").await.unwrap(), "{}");
    assert_eq!(desk.file("starts").as_deref(), Some("x"));
    desk.stop().await;
}

#[tokio::test]
async fn a_list_that_changed_is_asked_for_again() {
    let desk = Desk::program(&[]);
    assert_eq!(desk.call("fake__grow", "{}").await.unwrap(), "grown");
    assert!(desk.names().await.contains(&"fake__grown".to_owned()));
    desk.stop().await;
}

#[tokio::test]
async fn a_server_that_never_gets_ready_delays_one_run_and_no_start() {
    let desk = Desk::with([("good", program(&[])), ("mute", program(&["silent"])), ("none", absent())]);
    let ready = async {
        // The good one is there long before the bell; only the mute one is waited for.
        while desk.servers.0[0].is_starting() {
            tokio::task::yield_now().await;
        }
        desk.clock.ring();
    };
    let (names, ()) = tokio::join!(desk.names(), ready);
    assert_eq!(names.len(), 9);
    assert!(names.iter().all(|name| name.starts_with("good__")), "{names:?}");
    desk.stop().await;
}

fn absent() -> McpServer {
    McpServer::Program { command: "no-such-program-here".to_owned(), args: Vec::new(), env: Vec::new() }
}

/// The SDK's own server, with a tool that only reads and one that does not say.
#[derive(Clone)]
struct Library;

impl ServerHandler for Library {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Arc::new(JsonObject::from_iter([("type".to_owned(), "object".into())]));
        let find = Offer::new("find.book", "Finds a book.", Arc::clone(&schema))
            .with_annotations(ToolAnnotations::new().read_only(true));
        Ok(ListToolsResult::with_all_items(vec![find, Offer::new("burn", "Burns a book.", schema)]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<rmcp::model::CallToolResponse, ErrorData> {
        if request.name != "find.book" {
            return Err(ErrorData::invalid_params("books are not burnt", None));
        }
        Ok(CallToolResult::success(vec![
            ContentBlock::text("here"),
            ContentBlock::image("AAAA", "image/png"),
        ])
        .into())
    }
}

async fn library() -> String {
    let service = StreamableHttpService::new(
        || Ok(Library),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let guard = async |request: Request, next: Next| {
        if request.headers().get("authorization").is_none_or(|key| key != "Bearer key-1") {
            return StatusCode::UNAUTHORIZED.into_response();
        }
        next.run(request).await
    };
    let site = serve(Router::new().nest_service("/mcp", service).layer(middleware::from_fn(guard))).await;
    format!("{site}/mcp")
}

fn at(url: &str, key: &str) -> McpServer {
    let headers = vec![("Authorization".to_owned(), Secret::new(format!("Bearer {key}")))];
    McpServer::Url { url: url.parse().unwrap(), headers }
}

#[tokio::test]
async fn a_server_at_an_address_is_used_with_its_headers() {
    let desk = Desk::with([("my library", at(&library().await, "key-1"))]);
    assert_eq!(desk.names().await, ["my_library__find_book", "my_library__burn"]);
    let find = desk.tool("my_library__find_book").await;
    assert_eq!(find.spec().description, "Finds a book.");
    assert_eq!(find.spec().schema, r#"{"type":"object"}"#);
    assert_eq!(find.danger("{}"), Danger::Harmless);
    assert_eq!(desk.tool("my_library__burn").await.danger("{}"), Danger::Dangerous);
    assert_eq!(
        desk.call("my_library__find_book", "{}").await.unwrap(),
        "here\n[An image, image/png, 3 bytes.]"
    );
    let fault = desk.call("my_library__burn", "{}").await.unwrap_err();
    assert_eq!(fault.model, "The tool refuses: books are not burnt");
    desk.stop().await;
}

#[tokio::test]
async fn an_address_that_refuses_or_is_dead_leaves_its_tools_out() {
    let desk = Desk::with([
        ("refuses", at(&library().await, "key-2")),
        ("dead", at("http://127.0.0.1:1/mcp", "key-1")),
        ("page", at(&format!("{}/", serve(Router::new()).await), "key-1")),
    ]);
    assert_eq!(desk.names().await, Vec::<String>::new());
    desk.stop().await;
}
