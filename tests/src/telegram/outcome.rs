//! Answers on the wire, whole and broken.

use axum::{
    body::Body,
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER},
    },
    response::Response,
};
use bytes::Bytes;
use futures::{StreamExt, stream};
use serde_json::Value;

use super::{queue::Update, refusal::Refusal};

/// An answer before it is put on the wire.
pub(crate) enum Outcome {
    Done(Value),
    Updates(Vec<Update>),
    Refused(Refusal),
}

impl Outcome {
    /// HTTP status.
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::Done(_) | Self::Updates(_) => 200,
            Self::Refused(refusal) => refusal.code,
        }
    }

    /// What the record keeps of it.
    pub(crate) fn note(&self) -> Value {
        match self {
            Self::Done(value) => value.clone(),
            Self::Updates(updates) => updates.iter().map(|update| update.id).collect(),
            Self::Refused(refusal) => refusal.description.clone().into(),
        }
    }

    fn body(&self) -> Bytes {
        match self {
            Self::Done(value) => Bytes::from(format!("{{\"ok\":true,\"result\":{value}}}")),
            Self::Updates(updates) => updates_body(updates),
            Self::Refused(refusal) => Bytes::from(refusal.body().to_string()),
        }
    }

    /// On the wire.
    pub(crate) fn response(&self) -> Response {
        let mut response = raw(self.status(), "application/json", self.body());
        if let Self::Refused(Refusal { retry_after: Some(seconds), .. }) = self {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(*seconds));
        }
        response
    }
}

/// Joined as bytes: what a test put in is what the client gets, valid or not.
fn updates_body(updates: &[Update]) -> Bytes {
    let mut body = b"{\"ok\":true,\"result\":[".to_vec();
    for (place, update) in updates.iter().enumerate() {
        if place > 0 {
            body.push(b',');
        }
        body.extend_from_slice(&update.body);
    }
    body.extend_from_slice(b"]}");
    body.into()
}

/// Any answer.
pub(crate) fn raw(status: u16, kind: &str, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let Ok(kind) = HeaderValue::from_str(kind) {
        response.headers_mut().insert(CONTENT_TYPE, kind);
    }
    response
}

/// Announces the whole length and stops half-way.
pub(crate) fn truncated(outcome: &Outcome) -> Response {
    let (mut parts, _) = outcome.response().into_parts();
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
