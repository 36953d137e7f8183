//! One call to Discord's API, and for every way to fail its own name. No retries and no waiting, so that the caller knows
//! what may have landed: a call that a limit has no room for is not made.

mod fault;
mod payload;

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use pensive_contract::clock::{Clock, Timestamp, within};
use pensive_contract::secret::Secret;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder, Url};
use serde::de::DeserializeOwned;

use crate::answer::{self, No};
use crate::buckets::{Buckets, Permit, Rank, Told};
use crate::routes::Route;

pub(crate) use fault::{CallFault, ClientFault, Refused};
pub(crate) use payload::Payload;

/// The limit of a call.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(30);
/// The limit of a call that carries a file, over a slow line.
const UPLOAD_LIMIT: Duration = Duration::from_secs(120);
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// Idle connections are closed by us before a server would, so that a send rarely meets a connection that is just dying.
const IDLE_LIMIT: Duration = Duration::from_secs(45);
/// 100 messages of a hostile server must not fill the memory.
const MOST_BYTES: usize = 16 << 20;
/// How often Discord is asked again by a bot whose token it does not know: each such call counts towards a ban.
const SHUT_OUT: Duration = Duration::from_mins(1);
/// How we name ourselves (<https://docs.discord.com/developers/reference#user-agent>): without it Discord's gatekeeper refuses. An
/// address is asked for, and this program has no home.
pub(crate) const USER_AGENT: &str =
    concat!("DiscordBot (https://pensive.invalid, ", env!("CARGO_PKG_VERSION"), ")");

/// A connection pool to one server for one bot, and the limits it has been told.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    clock: Arc<dyn Clock>,
    token: Secret,
    root: Url,
    base: String,
    limits: Arc<Mutex<Limits>>,
}

#[derive(Default)]
struct Limits {
    buckets: Buckets,
    /// When the token was last refused.
    shut_out: Option<Timestamp>,
}

impl Client {
    /// Makes the pool; connects to nothing.
    pub(crate) fn new(api_root: &str, token: &Secret, clock: Arc<dyn Clock>) -> Result<Self, ClientFault> {
        let text = api_root.trim().trim_end_matches('/');
        let root = Url::parse(text).map_err(|_| ClientFault::Root(text.to_owned()))?;
        if !matches!(root.scheme(), "http" | "https") || !root.has_host() {
            return Err(ClientFault::Root(text.to_owned()));
        }
        let (http, base) = (pool(&root)?, format!("{text}/api/v10"));
        Ok(Self { http, clock, token: token.clone(), root, base, limits: Arc::default() })
    }

    /// The server's own address.
    pub(crate) fn root(&self) -> &Url {
        &self.root
    }

    /// The clock that its limits go by.
    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Makes the call and reads what comes back; an empty answer reads as `null`.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        method: Method,
        route: &Route,
        payload: Payload,
    ) -> Result<R, CallFault> {
        self.call_as(Rank::Due, method, route, payload).await
    }

    /// The same for a call that leaves room for others where that is scarce.
    pub(crate) async fn call_as<R: DeserializeOwned>(
        &self,
        rank: Rank,
        method: Method,
        route: &Route,
        payload: Payload,
    ) -> Result<R, CallFault> {
        let under_way = self.begin(rank, &method, route)?;
        let limit = match payload {
            Payload::None | Payload::Json(_) => CALL_LIMIT,
            Payload::WithFile(..) => UPLOAD_LIMIT,
        };
        let request = self.request(method, route, payload);
        let answer = within(&*self.clock, limit, self.exchange(request)).await;
        let answer = answer.unwrap_or(Err(CallFault::Overdue(limit)))?;
        let no = if answer.is_success() { None } else { No::read(&answer.bytes) };
        under_way.told(answer::told(answer.status, &answer.headers, no.as_ref()));
        if answer.is_success() {
            let bytes: &[u8] = if answer.bytes.is_empty() { b"null" } else { &answer.bytes };
            return serde_json::from_slice(bytes).map_err(|_| answer.unreadable());
        }
        Err(self.no(route, &answer, no.as_ref()))
    }

    /// How long until such a call has room, as far as Discord has told.
    pub(crate) fn ready_in(&self, rank: Rank, method: &Method, route: &Route) -> Duration {
        let now = self.clock.now();
        self.limits(|limits| limits.buckets.wait(method, route, rank, now))
    }

    /// Fetches a file, `most` bytes of it at most. The address carries whatever right there is to read it: no token goes along.
    pub(crate) async fn download(
        &self,
        address: Url,
        most: usize,
        limit: Duration,
    ) -> Result<Download, CallFault> {
        within(&*self.clock, limit, self.fetch(address, most)).await.unwrap_or(Err(CallFault::Overdue(limit)))
    }

    /// Lets the call through, or says why it is not made.
    fn begin(&self, rank: Rank, method: &Method, route: &Route) -> Result<UnderWay<'_>, CallFault> {
        let now = self.clock.now();
        self.limits(|limits| {
            let is_shut_out = limits.shut_out.is_some_and(|at| (at.min(now) + SHUT_OUT) > now);
            if route.signed && (is_shut_out || self.token.expose().is_empty()) {
                // Nobody need be asked whether that is a token.
                let message = if is_shut_out { "the token was refused" } else { "this account has no token" };
                let (message, retry_after) = (message.to_owned(), None);
                return Err(CallFault::Refused(Refused { status: 401, code: 0, message, retry_after }));
            }
            let permit = limits.buckets.take(method, route, rank, now).map_err(CallFault::Limited)?;
            Ok(UnderWay { client: self, permit: Some(permit) })
        })
    }

    fn request(&self, method: Method, route: &Route, payload: Payload) -> RequestBuilder {
        let mut request = self.http.request(method, format!("{}{}", self.base, route.path));
        if route.signed {
            request = request.header(AUTHORIZATION, format!("Bot {}", self.token.expose()));
        }
        match payload {
            Payload::None => request,
            Payload::Json(json) => request.header(CONTENT_TYPE, "application/json").body(json),
            Payload::WithFile(json, file) => request.multipart(payload::form(json, file)),
        }
    }

    async fn exchange(&self, request: RequestBuilder) -> Result<Answer, CallFault> {
        let mut response = request.send().await.map_err(|error| self.broken(error))?;
        let (status, headers) = (response.status().as_u16(), std::mem::take(response.headers_mut()));
        let first = response.chunk().await.map_err(|error| self.broken(error))?.unwrap_or_default();
        let Some(second) = response.chunk().await.map_err(|error| self.broken(error))? else {
            return Ok(Answer { status, headers, bytes: first });
        };
        let mut bytes = Vec::from(first);
        bytes.extend_from_slice(&second);
        while let Some(chunk) = response.chunk().await.map_err(|error| self.broken(error))? {
            if bytes.len() + chunk.len() > MOST_BYTES {
                return Err(CallFault::Lost(format!("more than {MOST_BYTES} bytes")));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(Answer { status, headers, bytes: bytes.into() })
    }

    /// What an answer without success means.
    fn no(&self, route: &Route, answer: &Answer, no: Option<&No>) -> CallFault {
        let status = answer.status;
        if route.signed && status == 401 {
            let now = self.clock.now();
            self.limits(|limits| limits.shut_out = Some(now));
        }
        let (code, message) = match no {
            Some(no) => (no.code(), self.spoken(&no.words())),
            // A gatekeeper's page. Only of a no to the request itself it is certain that Discord never saw it.
            None if (400..500).contains(&status) => (0, format!("{} bytes of a page", answer.bytes.len())),
            None => return answer.unreadable(),
        };
        let retry_after = (status == 429).then(|| answer::retry_after(&answer.headers, no));
        CallFault::Refused(Refused { status, code, message, retry_after })
    }

    async fn fetch(&self, address: Url, most: usize) -> Result<Download, CallFault> {
        let mut response = self.http.get(address).send().await.map_err(|error| self.broken(error))?;
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

    fn broken(&self, error: reqwest::Error) -> CallFault {
        let unsent = error.is_connect() || error.is_builder();
        // The address of an interaction holds its token.
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
        let secret = self.token.expose();
        let clean = if secret.is_empty() { words.to_owned() } else { words.replace(secret, "•••") };
        clean.chars().take(300).collect()
    }

    fn limits<T>(&self, work: impl FnOnce(&mut Limits) -> T) -> T {
        work(&mut self.limits.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A call between its beginning and its answer.
struct UnderWay<'a> {
    client: &'a Client,
    permit: Option<Permit>,
}

impl UnderWay<'_> {
    fn told(mut self, told: Told) {
        let now = self.client.clock.now();
        if let Some(permit) = self.permit.take() {
            self.client.limits(|limits| limits.buckets.told(permit, told, now));
        }
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let now = self.client.clock.now();
        if let Some(permit) = self.permit.take() {
            self.client.limits(|limits| limits.buckets.lost(permit, now));
        }
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
struct Answer {
    status: u16,
    headers: HeaderMap,
    bytes: Bytes,
}

impl Answer {
    fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// An HTML page of a gateway, half a body, a result of another shape.
    fn unreadable(&self) -> CallFault {
        CallFault::Lost(format!("status {} with {} bytes that are no answer", self.status, self.bytes.len()))
    }
}

fn pool(root: &Url) -> Result<reqwest::Client, ClientFault> {
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
        .user_agent(USER_AGENT);
    if matches!(root.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")) {
        builder = builder.no_proxy();
    }
    if root.scheme() == "http" {
        // Nothing to verify, and reading the system's certificates takes longer than all else at start.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| ClientFault::Setup(error.without_url().to_string()))
}
