//! One pooled HTTP client for all providers (and one that holds no certificates, for plain HTTP), with a limit on every wait. Nothing is tried twice here, redirects are not
//! followed (they would carry the key to a stranger) and the environment's proxies are not read.

use std::error::Error;
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use pensive_contract::clock::{Clock, Timestamp, within};
use pensive_contract::secret::Secret;
use reqwest::header::{ACCEPT, CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::multipart::Form;
use reqwest::{Client, RequestBuilder, Response, Url};

use crate::http::Shape;
use crate::refusal::{Refusal, pause};
use crate::registry::ModelsError;
use crate::settings::{ProviderSettings, TimeLimits};
use crate::trouble::Trouble;

/// How much of an error body is read at all.
const ERROR_BODY: usize = 16 << 10;

/// How much of a listing of models is read: the longest known has some hundred KiB.
const LISTING: usize = 8 << 20;

/// How long an error body is waited for; the status alone says enough.
const ERROR_WAIT: Duration = Duration::from_secs(5);

/// The client and its limits.
#[derive(Clone)]
pub(crate) struct Transport {
    /// For plain HTTP: made without reading the system's certificates, which takes longer than all else at start.
    plain: Client,
    /// For HTTPS: made with the first call that needs it.
    secure: Arc<OnceLock<Client>>,
    clock: Arc<dyn Clock>,
    limits: TimeLimits,
}

/// One address of a provider with everything that each call to it carries.
#[derive(Debug)]
pub(crate) struct Endpoint {
    base: Url,
    headers: HeaderMap,
    secrets: Vec<Secret>,
}

impl Endpoint {
    /// The provider's base, and the headers of every call.
    pub(crate) fn new(provider: &ProviderSettings, shape: Shape) -> Result<Self, ModelsError> {
        let bad_url = |why: String| ModelsError::BaseUrl { provider: provider.name.clone(), why };
        let mut base = Url::parse(&provider.base_url).map_err(|error| bad_url(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(bad_url("it must begin with http:// or https://".to_owned()));
        }
        let root = shape.root(base.path()).to_owned();
        base.set_path(&root);
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        let bad_header =
            |name: &str| ModelsError::Header { provider: provider.name.clone(), header: name.to_owned() };
        let mut put = |name: &str, value: &str| {
            let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad_header(name))?;
            let mut value = HeaderValue::from_str(value).map_err(|_| bad_header(name))?;
            value.set_sensitive(true);
            headers.insert(header, value);
            Ok::<_, ModelsError>(())
        };
        for (name, value) in shape.headers(provider.api_key.as_ref().map(Secret::expose)) {
            put(name, &value)?;
        }
        for (name, value) in &provider.headers {
            put(name, value.expose())?;
        }
        let secrets =
            provider.headers.iter().map(|(_, value)| value).chain(&provider.api_key).cloned().collect();
        Ok(Self { base, headers, secrets })
    }

    /// The host alone, as it stands in the address.
    pub(crate) fn host(&self) -> Option<&str> {
        self.base.host_str()
    }

    /// The address of `path` below the base. A query of the base, such as an API version, stays.
    fn url(&self, path: &str) -> Url {
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        if let Some(query) = query {
            let both = url.query().map(|own| format!("{own}&{query}"));
            url.set_query(Some(both.as_deref().unwrap_or(query)));
        }
        url
    }
}

impl Transport {
    /// Builds the client.
    pub(crate) fn new(clock: Arc<dyn Clock>, limits: TimeLimits) -> Result<Self, ModelsError> {
        let plain = plain_client(limits.connect).map_err(|error| ModelsError::Client(causes(&error)))?;
        Ok(Self { plain, secure: Arc::default(), clock, limits })
    }

    /// The client for an address.
    async fn client(&self, url: &Url) -> Result<Client, Trouble> {
        if url.scheme() == "http" {
            return Ok(self.plain.clone());
        }
        if let Some(client) = self.secure.get() {
            return Ok(client.clone());
        }
        let connect = self.limits.connect;
        let made = tokio::task::spawn_blocking(move || client(connect)).await;
        let made = made.map_err(|error| Trouble::Broken(causes(&error)))?;
        let made = made.map_err(|error| Trouble::Broken(causes(&error)))?;
        // Where two made one at the same time, the first is kept.
        Ok(self.secure.get_or_init(|| made).clone())
    }

    /// Fetches what a path holds, a few MiB of it at most, and when the server says that it was.
    pub(crate) async fn get(
        &self,
        endpoint: &Endpoint,
        path: &str,
    ) -> Result<(Bytes, Option<SystemTime>), Trouble> {
        let url = endpoint.url(path);
        let request = self.client(&url).await?.get(url).headers(endpoint.headers.clone());
        let mut answer = self.answer(endpoint, request, self.limits.with(Patience::Usual)).await?;
        let date = answer.response.headers().get(DATE).and_then(|date| date.to_str().ok());
        let date = date.and_then(|date| httpdate::parse_http_date(date).ok());
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            body.extend_from_slice(&chunk);
            if body.len() > LISTING {
                return Err(Trouble::Broken(format!("a listing of more than {LISTING} bytes")));
            }
        }
        Ok((body.into(), date))
    }

    /// Sends a load and waits for the beginning of the answer. Everything but success is a refusal.
    pub(crate) async fn post(
        &self,
        endpoint: &Endpoint,
        path: &str,
        load: Load,
        patience: Patience,
    ) -> Result<Answer, Trouble> {
        let url = endpoint.url(path);
        let http = self.client(&url).await?;
        self.answer(endpoint, load.put(http.post(url), endpoint), self.limits.with(patience)).await
    }

    async fn answer(
        &self,
        endpoint: &Endpoint,
        request: RequestBuilder,
        limits: TimeLimits,
    ) -> Result<Answer, Trouble> {
        let limit = limits.first_byte;
        let response = within(&*self.clock, limit, request.send())
            .await
            .map_err(|_| Trouble::Late(limit))?
            .map_err(|error| Trouble::Unreachable(causes(&error.without_url())))?;
        let idle = self.limits.idle;
        let answer = Answer {
            response,
            clock: Arc::clone(&self.clock),
            limits,
            idle,
            begun: false,
            given: self.clock.now(),
        };
        if answer.response.status().is_success() {
            return Ok(answer);
        }
        let secrets: Vec<&str> = endpoint.secrets.iter().map(Secret::expose).collect();
        Err(answer.refusal().await.masked(&secrets).into())
    }
}

/// What a call carries.
pub(crate) enum Load {
    /// A JSON body, with what this call alone has in its head.
    Json(Bytes, Option<(&'static str, String)>),
    /// A form, which says itself how it is written.
    Form(Form),
}

impl Load {
    fn put(self, request: RequestBuilder, endpoint: &Endpoint) -> RequestBuilder {
        match self {
            Self::Json(body, header) => {
                let json =
                    HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
                let request = request.headers(json).headers(endpoint.headers.clone()).body(body);
                header.into_iter().fold(request, |request, (name, value)| request.header(name, value))
            }
            Self::Form(form) => {
                let mut headers = endpoint.headers.clone();
                headers.remove(CONTENT_TYPE);
                request.headers(headers).multipart(form)
            }
        }
    }
}

/// How long silence is taken for thought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// As the limits say.
    Usual,
    /// The model was asked to think hard, and many providers send nothing while it does.
    Long,
}

impl TimeLimits {
    fn with(self, patience: Patience) -> Self {
        match patience {
            Patience::Usual => self.until_it_speaks(self.first_byte),
            Patience::Long => self.until_it_speaks(self.first_byte.max(self.thinking)),
        }
    }

    /// Until a model speaks, silence may be thought, also after a first sign of life.
    fn until_it_speaks(self, limit: Duration) -> Self {
        Self { first_byte: limit, idle: self.idle.max(limit), ..self }
    }
}

/// A client with our manners. The process must have a rustls provider; where none was installed yet, ring is.
pub(crate) fn client(connect: Duration) -> reqwest::Result<Client> {
    builder(connect).build()
}

/// The same, for plain HTTP alone.
pub(crate) fn plain_client(connect: Duration) -> reqwest::Result<Client> {
    builder(connect).tls_certs_only([]).build()
}

fn builder(connect: Duration) -> reqwest::ClientBuilder {
    if rustls::crypto::CryptoProvider::get_default().is_none()
        && rustls::crypto::ring::default_provider().install_default().is_err()
    {
        tracing::debug!("another thread installed the TLS provider first");
    }
    Client::builder()
        .user_agent(concat!("pensive/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        .tcp_nodelay(true)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
}

/// An answer whose head has arrived. Dropping it closes the stream upstream.
pub(crate) struct Answer {
    response: Response,
    clock: Arc<dyn Clock>,
    limits: TimeLimits,
    /// The limit on silence once the model speaks.
    idle: Duration,
    begun: bool,
    /// When the model last gave anything. Servers that keep a connection alive while it thinks, or for ever, give bytes and
    /// say nothing with them.
    given: Timestamp,
}

impl Answer {
    /// Something came that the model gave.
    pub(crate) fn gives(&mut self) {
        self.given = self.clock.now();
    }

    /// The model has begun to speak, so that long silence is no longer thought.
    pub(crate) fn speaks(&mut self) {
        self.limits.idle = self.idle;
    }

    /// The next piece of the body; nothing at its end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, Trouble> {
        let limit = if self.begun { self.limits.idle } else { self.limits.first_byte };
        let late = if self.begun { Trouble::Stalled(limit) } else { Trouble::Late(limit) };
        let patience = self.limits.thinking.max(limit);
        let left = patience.saturating_sub(self.clock.now().since(self.given));
        if left.is_zero() {
            return Err(Trouble::Stalled(patience));
        }
        let chunk = within(&*self.clock, limit.min(left), self.response.chunk()).await.map_err(|_| late)?;
        self.begun = true;
        chunk.map_err(|error| Trouble::Cut(causes(&error.without_url())))
    }

    async fn refusal(mut self) -> Refusal {
        let status = self.response.status().as_u16();
        let header = self.response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = header.and_then(|header| pause(header, self.clock.now()));
        let mut body = Vec::new();
        let clock = Arc::clone(&self.clock);
        let read = async {
            while let (Ok(Some(chunk)), true) = (self.chunk().await, body.len() < ERROR_BODY) {
                body.extend_from_slice(&chunk);
            }
        };
        if within(&*clock, ERROR_WAIT, read).await.is_err() {
            tracing::debug!(status, "an error body did not end in time");
        }
        body.truncate(ERROR_BODY);
        Refusal::read(Some(status), &body).after(retry_after)
    }
}

/// An error with its causes, on one line.
pub(crate) fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        if write!(text, ": {error}").is_err() {
            break;
        }
        cause = error.source();
    }
    text
}
