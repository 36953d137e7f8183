//! How a server is reached: a program of ours, or an address.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use process_wrap::tokio::{CommandWrap, KillOnDrop, ProcessGroup};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::{ClientInitializeError, NotificationContext, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, RoleClient, ServiceExt as _};
use tokio::io::AsyncReadExt as _;
use tokio::process::{ChildStderr, Command};
use tokio_util::sync::CancellationToken;

use crate::settings::McpServer;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// Where an agent's programs start.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    /// Their folder.
    pub(crate) workspace: PathBuf,
    /// What they find beside their own variables.
    pub(crate) environment: Arc<[(String, String)]>,
}

/// The way to one server.
pub(super) struct Way {
    server: McpServer,
    surroundings: Surroundings,
}

/// Why a server is not there.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("the program cannot be started")]
    Program(#[source] io::Error),
    #[error("no client for it")]
    Client(#[source] reqwest::Error),
    #[error("a header that is none: {0}")]
    Header(String),
    #[error("no understanding")]
    Greeting(#[source] Box<ClientInitializeError>),
    #[error("no list of tools")]
    List(#[source] rmcp::ServiceError),
}

/// A server that was greeted, and what it complains about.
pub(super) struct Opened {
    pub(super) running: RunningService<RoleClient, Ear>,
    pub(super) complaints: Option<ChildStderr>,
}

/// Hears what a server says by itself.
#[derive(Clone, Default)]
pub(super) struct Ear {
    /// Its tools are not what they were.
    pub(super) changed: Arc<AtomicBool>,
}

impl ClientHandler for Ear {
    fn get_info(&self) -> ClientConfig {
        let ours = Implementation::new("pensive", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), ours)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.store(true, Ordering::Relaxed);
    }
}

impl Way {
    pub(super) fn new(server: McpServer, surroundings: Surroundings) -> Self {
        Self { server, surroundings }
    }

    /// Starts or reaches the server and greets it. It ends when `stop` does.
    pub(super) async fn open(&self, ear: Ear, stop: CancellationToken) -> Result<Opened, Failure> {
        let greeting = |error| Failure::Greeting(Box::new(error));
        match &self.server {
            McpServer::Program { .. } => {
                let (child, complaints) = self.start()?;
                let running = ear.serve_with_ct(child, stop).await.map_err(greeting)?;
                Ok(Opened { running, complaints })
            }
            McpServer::Url { url, headers } => {
                let client = reqwest::Client::builder()
                    .user_agent(concat!("pensive/", env!("CARGO_PKG_VERSION")))
                    .connect_timeout(CONNECT)
                    .no_proxy()
                    // The headers are for this address and no other.
                    .redirect(redirect::Policy::none())
                    .pool_max_idle_per_host(0)
                    .build()
                    .map_err(Failure::Client)?;
                let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
                    .custom_headers(read_headers(headers)?);
                let transport = StreamableHttpClientTransport::with_client(client, config);
                let running = ear.serve_with_ct(transport, stop).await.map_err(greeting)?;
                Ok(Opened { running, complaints: None })
            }
        }
    }

    /// A program leads a process group of its own: what it starts ends with it, and a Ctrl-C meant for us does not reach it.
    fn start(&self) -> Result<(TokioChildProcess, Option<ChildStderr>), Failure> {
        let McpServer::Program { command, args, env } = &self.server else {
            return Err(Failure::Program(io::ErrorKind::Unsupported.into()));
        };
        let Surroundings { workspace, environment } = &self.surroundings;
        std::fs::create_dir_all(workspace).map_err(Failure::Program)?;
        let mut program = Command::new(command);
        program.args(args).current_dir(workspace).env_clear();
        program.envs(environment.iter().map(|(name, value)| (name, value)));
        program.envs(env.iter().map(|(name, value)| (name, value.expose())));
        let mut program = CommandWrap::from(program);
        program.wrap(ProcessGroup::leader()).wrap(KillOnDrop);
        TokioChildProcess::builder(program).stderr(Stdio::piped()).spawn().map_err(Failure::Program)
    }
}

fn read_headers(
    headers: &[(String, pensive_contract::secret::Secret)],
) -> Result<HashMap<HeaderName, HeaderValue>, Failure> {
    let mut read = HeaderMap::new();
    for (name, value) in headers {
        let wrong = || Failure::Header(name.clone());
        let mut value = HeaderValue::from_str(value.expose()).map_err(|_| wrong())?;
        value.set_sensitive(true);
        read.insert(HeaderName::try_from(name.as_str()).map_err(|_| wrong())?, value);
    }
    Ok(read.into_iter().filter_map(|(name, value)| Some((name?, value))).collect())
}

/// Tells the log what a program complains about, as long as it runs. Read on, so that it never waits for a reader.
pub(super) async fn overhear(server: String, mut complaints: ChildStderr) {
    let mut piece = [0; 2048];
    while let Ok(read @ 1..) = complaints.read(&mut piece).await {
        let words = String::from_utf8_lossy(piece.get(..read).unwrap_or_default());
        tracing::debug!(server, words = words.trim_end(), "a tool server complains");
    }
}
