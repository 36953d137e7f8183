//! One call to Discord's API, and for every way to fail its own name. No retries and no waiting, so that the caller knows
//! what may have landed.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use pensive_contract::clock::{Clock, within};
use pensive_contract::media::Media;
use pensive_contract::secret::Secret;
use reqwest::{Method, StatusCode};
use serde::de::DeserializeOwned;

use crate::routes::Route;

/// The limit of a call.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(30);

/// What goes with a call.
pub(crate) enum Payload {
    /// Nothing.
    None,
    /// JSON.
    Json(Vec<u8>),
    /// JSON, and a file beside it.
    WithFile(Vec<u8>, Media),
}

/// How a call failed. No variant's words hold a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallFault {
    /// No connection: nothing was sent.
    #[error("Discord cannot be reached: {0}")]
    Unreached(String),
    /// It was not sent: a limit that Discord told has no room for so long.
    #[error("Discord takes no more such calls for {} ms", .0.as_millis())]
    Limited(Duration),
    /// The server answered no, in its own format.
    #[error("Discord answered {} {}: {}", .0.status, .0.code, .0.message)]
    Refused(Refused),
    /// The limit passed; the call may have had its effect.
    #[error("Discord gave no answer within {} s", .0.as_secs())]
    Overdue(Duration),
    /// The connection broke or what came back is no answer of Discord's; the call may have had its effect.
    #[error("Discord's answer was lost: {0}")]
    Lost(String),
}

/// What the server said with its no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The HTTP status.
    pub(crate) status: u16,
    /// Discord's own number of the error; 0 where it gave none.
    pub(crate) code: u64,
    /// Its words, with the faults of single fields.
    pub(crate) message: String,
    /// How long a 429 asks for silence.
    pub(crate) retry_after: Option<Duration>,
}

/// A connection pool to one server for one bot.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    clock: Arc<dyn Clock>,
    token: Secret,
    base: String,
}

/// Why a client cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ClientFault {
    /// The address of the server is no address.
    #[error("apiRoot {0:?} is not a web address; write it like https://discord.com")]
    Root(String),
    /// TLS or the resolver could not be set up.
    #[error("the HTTP client cannot be set up: {0}")]
    Setup(String),
}

impl Client {
    /// Makes the pool; connects to nothing.
    pub(crate) fn new(api_root: &str, token: &Secret, clock: Arc<dyn Clock>) -> Result<Self, ClientFault> {
        let root = api_root.trim().trim_end_matches('/');
        let http =
            reqwest::Client::builder().build().map_err(|error| ClientFault::Setup(error.to_string()))?;
        Ok(Self { http, clock, token: token.clone(), base: format!("{root}/api/v10") })
    }

    /// Makes the call and reads what comes back; an empty answer reads as `null`.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        method: Method,
        route: &Route,
        payload: Payload,
    ) -> Result<R, CallFault> {
        within(&*self.clock, CALL_LIMIT, self.exchange(method, route, payload))
            .await
            .unwrap_or(Err(CallFault::Overdue(CALL_LIMIT)))
    }

    /// How long until such a call has room, as far as Discord has told.
    pub(crate) fn ready_in(&self, _method: &Method, _route: &Route) -> Duration {
        Duration::ZERO
    }

    async fn exchange<R: DeserializeOwned>(
        &self,
        method: Method,
        route: &Route,
        payload: Payload,
    ) -> Result<R, CallFault> {
        let mut request = self.http.request(method, format!("{}{}", self.base, route.path));
        if route.signed {
            request = request.header("authorization", format!("Bot {}", self.token.expose()));
        }
        if let Payload::Json(json) | Payload::WithFile(json, _) = payload {
            request = request.header("content-type", "application/json").body(json);
        }
        let response = request.send().await.map_err(broken)?;
        let status = response.status();
        let body = response.bytes().await.map_err(broken)?;
        if status.is_success() {
            let body = if status == StatusCode::NO_CONTENT { b"null" } else { body.as_ref() };
            return serde_json::from_slice(body).map_err(|error| CallFault::Lost(error.to_string()));
        }
        let message = String::from_utf8_lossy(&body).into_owned();
        Err(CallFault::Refused(Refused { status: status.as_u16(), code: 0, message, retry_after: None }))
    }
}

fn broken(error: reqwest::Error) -> CallFault {
    let unsent = error.is_connect() || error.is_builder();
    let error = error.without_url();
    let words = error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"));
    if unsent { CallFault::Unreached(words) } else { CallFault::Lost(words) }
}
