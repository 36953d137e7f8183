//! One call to the Bot API: teloxide's payload out, the envelope back, and for every way to fail its own name. No retries
//! and no waiting, so that the caller knows what may have landed.
//!
//! teloxide's types cross this line, its client does not: that one waits ten seconds inside every 5xx, ends a call after
//! 17 s, and takes any 404 for a bad token.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use pensive_contract::clock::{Clock, within};
use pensive_contract::secret::Secret;
use reqwest::RequestBuilder;
use reqwest::multipart::Form;
use reqwest::redirect::Policy;
use serde::Serialize;
use serde::de::DeserializeOwned;
use teloxide_core::requests::Payload;

use crate::repair::repaired;
use crate::wire::Answer;

/// The limit of every call that is not a long poll.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(30);
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// Idle connections are closed by us before a server would, so that a send rarely meets a connection that is just dying.
const IDLE_LIMIT: Duration = Duration::from_secs(45);
/// 100 events of a hostile server must not fill the memory; a batch beyond it is asked for again in single events.
const MOST_BYTES: usize = 32 << 20;

/// How a call failed. No variant's words hold the token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallFault {
    /// No connection: nothing was sent.
    #[error("Telegram cannot be reached: {0}")]
    Unreached(String),
    /// The server answered no, in its own format.
    #[error("Telegram answered {} {}", .0.code, .0.description)]
    Refused(Refused),
    /// The limit passed; the call may have had its effect.
    #[error("Telegram gave no answer within {} s", .0.as_secs())]
    Overdue(Duration),
    /// The connection broke or what came back is no answer of the Bot API; the call may have had its effect.
    #[error("Telegram's answer was lost: {0}")]
    Lost(String),
}

/// What the server said with its no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) code: u16,
    pub(crate) description: String,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) moved_to: Option<i64>,
}

impl Refused {
    /// How long a 429 asks us to be silent. A wait of nothing is not obeyed: it would be asked for without end.
    pub(crate) fn wait(&self) -> Duration {
        const UNNAMED: Duration = Duration::from_secs(5);
        const SHORTEST: Duration = Duration::from_secs(1);
        self.retry_after.or_else(|| named_wait(&self.description)).unwrap_or(UNNAMED).max(SHORTEST)
    }
}

/// The seconds in `Too Many Requests: retry after 7`.
fn named_wait(description: &str) -> Option<Duration> {
    let lower = description.to_ascii_lowercase();
    let (_, seconds) = lower.split_once("retry after ")?;
    let digits = seconds.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok().map(Duration::from_secs)
}

/// A connection pool to one server for one bot.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    clock: Arc<dyn Clock>,
    token: Secret,
    /// Everything before the method's name.
    base: Secret,
    /// Everything before a file's path.
    files: Secret,
    root: reqwest::Url,
}

/// Why a client cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ClientFault {
    /// The address of the server is no address.
    #[error("apiRoot {0:?} is not a web address; write it like https://api.telegram.org")]
    Root(String),
    /// TLS or the resolver could not be set up.
    #[error("the HTTP client cannot be set up: {0}")]
    Setup(String),
}

impl Client {
    /// Makes the pool; connects to nothing.
    pub(crate) fn new(api_root: &str, token: &Secret, clock: Arc<dyn Clock>) -> Result<Self, ClientFault> {
        let root = api_root.trim().trim_end_matches('/');
        let url = reqwest::Url::parse(root).map_err(|_| ClientFault::Root(root.to_owned()))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(ClientFault::Root(root.to_owned()));
        }
        let base = Secret::new(format!("{root}/bot{}/", token.expose()));
        let files = Secret::new(format!("{root}/file/bot{}/", token.expose()));
        Ok(Self { http: pool(&url)?, clock, token: token.clone(), base, files, root: url })
    }

    /// The same client with connections of its own, for when the old ones are suspected dead.
    pub(crate) fn renewed(&self) -> Result<Self, ClientFault> {
        Ok(Self { http: pool(&self.root)?, ..self.clone() })
    }

    /// Makes the call within the usual limit and reads the result.
    pub(crate) async fn call<P, R>(&self, payload: &P) -> Result<R, CallFault>
    where
        P: Payload + Serialize + Sync,
        R: DeserializeOwned,
    {
        let body = self.post(payload, CALL_LIMIT).await?;
        self.read(&body, |result| serde_json::from_str(result).ok())
    }

    /// Makes the call and gives back the body as it came, with the status code in front of it.
    pub(crate) async fn post<P>(&self, payload: &P, limit: Duration) -> Result<Body, CallFault>
    where
        P: Payload + Serialize + Sync,
    {
        self.has_token()?;
        let json = serde_json::to_vec(payload).map_err(|e| CallFault::Unreached(format!("no JSON: {e}")))?;
        let request = self.request(P::NAME).header(reqwest::header::CONTENT_TYPE, "application/json");
        self.within(limit, request.body(json)).await
    }

    /// Makes a call that carries a file, and reads the result.
    pub(crate) async fn upload<R>(&self, method: &str, form: Form, limit: Duration) -> Result<R, CallFault>
    where
        R: DeserializeOwned,
    {
        self.has_token()?;
        let body = self.within(limit, self.request(method).multipart(form)).await?;
        self.read(&body, |result| serde_json::from_str(result).ok())
    }

    fn has_token(&self) -> Result<(), CallFault> {
        if self.token.expose().is_empty() {
            // An account whose token could not be read: nobody need be asked whether that is one.
            let description = "this account has no token".to_owned();
            return Err(CallFault::Refused(Refused {
                code: 401,
                description,
                retry_after: None,
                moved_to: None,
            }));
        }
        Ok(())
    }

    fn request(&self, method: &str) -> RequestBuilder {
        self.http.post(format!("{}{method}", self.base.expose()))
    }

    async fn within(&self, limit: Duration, request: RequestBuilder) -> Result<Body, CallFault> {
        within(&*self.clock, limit, self.exchange(request)).await.unwrap_or(Err(CallFault::Overdue(limit)))
    }

    async fn exchange(&self, request: RequestBuilder) -> Result<Body, CallFault> {
        let mut response = request.send().await.map_err(|error| self.broken(error))?;
        let status = response.status().as_u16();
        let first = response.chunk().await.map_err(|error| self.broken(error))?.unwrap_or_default();
        let Some(second) = response.chunk().await.map_err(|error| self.broken(error))? else {
            return Ok(Body { status, bytes: first });
        };
        let mut bytes = Vec::from(first);
        bytes.extend_from_slice(&second);
        while let Some(chunk) = response.chunk().await.map_err(|error| self.broken(error))? {
            if bytes.len() + chunk.len() > MOST_BYTES {
                return Err(CallFault::Lost(format!("more than {MOST_BYTES} bytes")));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(Body { status, bytes: bytes.into() })
    }

    /// Fetches a file, `most` bytes of it at most. `path` is what the server said, and known to lead nowhere else.
    pub(crate) async fn download(
        &self,
        path: &str,
        most: usize,
        limit: Duration,
    ) -> Result<Download, CallFault> {
        within(&*self.clock, limit, self.fetch(path, most)).await.unwrap_or(Err(CallFault::Overdue(limit)))
    }

    async fn fetch(&self, path: &str, most: usize) -> Result<Download, CallFault> {
        let request = self.http.get(format!("{}{path}", self.files.expose()));
        let mut response = request.send().await.map_err(|error| self.broken(error))?;
        let status = response.status().as_u16();
        if status != 200 {
            return Ok(Download::Status(status));
        }
        let told = response.content_length().unwrap_or(0);
        if told > most as u64 {
            return Ok(Download::TooLarge);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(told).unwrap_or(0));
        while let Some(chunk) = response.chunk().await.map_err(|error| self.broken(error))? {
            if bytes.len() + chunk.len() > most {
                return Ok(Download::TooLarge);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(Download::Whole(bytes))
    }

    /// Opens the envelope; `result` reads what is inside and says nothing when it cannot.
    pub(crate) fn read<R>(&self, body: &Body, result: impl Fn(&str) -> Option<R>) -> Result<R, CallFault> {
        let repaired_text;
        let answer = match serde_json::from_slice::<Answer<'_>>(&body.bytes) {
            Ok(answer) => answer,
            Err(_) => {
                repaired_text = repaired(&body.bytes);
                serde_json::from_str(&repaired_text).map_err(|_| body.unreadable())?
            }
        };
        if answer.ok == Some(true) {
            return answer.result.and_then(|raw| result(raw.get())).ok_or_else(|| body.unreadable());
        }
        if answer.ok.is_none() && answer.description.is_none() {
            return Err(body.unreadable());
        }
        let parameters = answer.parameters;
        Err(CallFault::Refused(Refused {
            code: answer.error_code.unwrap_or_else(|| body.code_of_a_no()),
            description: self.spoken(&answer.description.unwrap_or_default()),
            retry_after: parameters.retry_after.map(Duration::from_secs),
            moved_to: parameters.migrate_to_chat_id,
        }))
    }

    fn broken(&self, error: reqwest::Error) -> CallFault {
        let unsent = error.is_connect() || error.is_builder();
        // The address holds the token.
        let error = error.without_url();
        let mut words = error.to_string();
        let mut cause = error.source();
        while let Some(deeper) = cause {
            words.push_str(": ");
            words.push_str(&deeper.to_string());
            cause = deeper.source();
        }
        let words = self.spoken(&words);
        if unsent { CallFault::Unreached(words) } else { CallFault::Lost(words) }
    }

    /// Words of others, short and without the token.
    fn spoken(&self, words: &str) -> String {
        // The half before the colon is the bot's public id.
        let secret = self.token.expose().rsplit(':').next().unwrap_or_default();
        let clean = if secret.is_empty() { words.to_owned() } else { words.replace(secret, "•••") };
        clean.chars().take(300).collect()
    }
}

/// What a download came to.
#[derive(Debug)]
pub(crate) enum Download {
    /// All of it.
    Whole(Vec<u8>),
    /// It is more than is wanted.
    TooLarge,
    /// The server did not give it out.
    Status(u16),
}

/// What came back, before it is read.
pub(crate) struct Body {
    status: u16,
    bytes: Bytes,
}

impl Body {
    /// The code of a no that names none. A status of success cannot be meant.
    fn code_of_a_no(&self) -> u16 {
        if self.status < 400 { 500 } else { self.status }
    }

    /// An HTML page of a gateway, half a body, a result of another shape.
    fn unreadable(&self) -> CallFault {
        CallFault::Lost(format!("status {} with {} bytes that are no answer", self.status, self.bytes.len()))
    }
}

fn pool(root: &reqwest::Url) -> Result<reqwest::Client, ClientFault> {
    let mut builder = reqwest::Client::builder()
        .http1_only()
        .tcp_nodelay(true)
        .tcp_keepalive(Duration::from_secs(30))
        .connect_timeout(CONNECT_LIMIT)
        .pool_idle_timeout(IDLE_LIMIT)
        .pool_max_idle_per_host(4)
        // A redirect would carry the token to whoever it names.
        .redirect(Policy::none())
        .referer(false)
        .user_agent(concat!("pensive/", env!("CARGO_PKG_VERSION")));
    if matches!(root.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")) {
        builder = builder.no_proxy();
    }
    if root.scheme() == "http" {
        // Nothing to verify, and reading the system's certificates takes longer than all else at start.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| ClientFault::Setup(error.without_url().to_string()))
}
