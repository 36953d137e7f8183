//! Answers on the wire, whole and broken.

use axum::{
    body::Body,
    http::{
        HeaderName, HeaderValue, StatusCode,
        header::{CONTENT_LENGTH, CONTENT_TYPE},
    },
    response::Response,
};
use bytes::Bytes;
use futures::{StreamExt, stream};
use serde_json::Value;

use super::{
    limits::{Told, seconds},
    refusal::{Refusal, Scope},
};

/// An answer before it is put on the wire.
pub(crate) enum Outcome {
    Done(Value),
    /// 204.
    Nothing,
    Refused(Refusal),
}

impl Outcome {
    /// HTTP status.
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::Done(_) => 200,
            Self::Nothing => 204,
            Self::Refused(refusal) => refusal.status,
        }
    }

    /// What the record keeps of it.
    pub(crate) fn note(&self) -> Value {
        match self {
            Self::Done(value) => value.clone(),
            Self::Nothing => Value::Null,
            Self::Refused(refusal) => refusal.body(),
        }
    }

    fn body(&self) -> Bytes {
        match self {
            Self::Done(value) => Bytes::from(value.to_string()),
            Self::Nothing => Bytes::new(),
            Self::Refused(refusal) => Bytes::from(refusal.body().to_string()),
        }
    }

    /// On the wire, with what it tells about its bucket.
    pub(crate) fn response(&self, told: Option<&Told>) -> Response {
        let mut response = raw(self.status(), "application/json", self.body());
        let headers = response.headers_mut();
        let mut put = |name: &'static str, value: String| {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        };
        // Clients take a 429 that came through no proxy of Discord's for one of Cloudflare's.
        put("via", "1.1 google".to_owned());
        if let Some(told) = told {
            put("x-ratelimit-bucket", told.bucket.clone());
            put("x-ratelimit-limit", told.limit.to_string());
            put("x-ratelimit-remaining", told.remaining.to_string());
            put("x-ratelimit-reset", format!("{:.3}", seconds(told.resets)));
            put("x-ratelimit-reset-after", format!("{:.3}", seconds(told.reset_after)));
        }
        if let Self::Refused(Refusal { wait: Some(wait), .. }) = self {
            put("x-ratelimit-scope", wait.scope.word().to_owned());
            put("retry-after", wait.seconds.ceil().to_string());
            if wait.scope == Scope::Global {
                put("x-ratelimit-global", "true".to_owned());
            }
        }
        response
    }
}

/// Any answer.
pub(crate) fn raw(status: u16, kind: &str, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let (Ok(kind), true) = (HeaderValue::from_str(kind), status != 204) {
        response.headers_mut().insert(CONTENT_TYPE, kind);
    }
    response
}

/// Announces the whole length and stops half-way.
pub(crate) fn truncated(outcome: &Outcome) -> Response {
    let (mut parts, _) = outcome.response(None).into_parts();
    let body = outcome.body();
    parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    let half = body.slice(..body.len() / 2);
    let cut = async {
        // The half is flushed while this is pending.
        tokio::task::yield_now().await;
        Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof))
    };
    Response::from_parts(parts, Body::from_stream(stream::iter([Ok(half)]).chain(stream::once(cut))))
}
