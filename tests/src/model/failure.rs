//! Answers that are none: error statuses in the provider's shape or a gateway's, and connections that break.

use bytes::Bytes;
use serde_json::json;

/// What a client gets instead of an answer.
#[derive(Clone, Debug)]
pub struct Failure {
    pub(crate) status: u16,
    pub(crate) kind: &'static str,
    pub(crate) body: Bytes,
    pub(crate) retry_after: Option<String>,
}

impl Failure {
    /// An error in OpenAI's shape with the type and code that the API gives for this status.
    pub fn json(status: u16) -> Self {
        let (message, kind, code) = match status {
            400 => ("Unsupported value in the request.", "invalid_request_error", "unsupported_value"),
            401 => ("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
            403 => ("You may not use this model.", "invalid_request_error", "forbidden"),
            404 => (
                "The model does not exist or you do not have access to it.",
                "invalid_request_error",
                "model_not_found",
            ),
            429 => ("Rate limit reached.", "requests", "rate_limit_exceeded"),
            503 => ("The server is overloaded.", "server_error", "server_overloaded"),
            _ => ("The server had an error while processing your request.", "server_error", "server_error"),
        };
        Self::with_error(status, message, kind, code)
    }

    /// An error in OpenAI's shape with words of one's own.
    pub fn with_error(status: u16, message: &str, kind: &str, code: &str) -> Self {
        let body = json!({"error": {"message": message, "type": kind, "param": null, "code": code}});
        Self::raw(status, "application/json", body.to_string())
    }

    /// A gateway's page.
    pub fn html(status: u16) -> Self {
        let body = format!(
            "<html><head><title>{status}</title></head><body><center><h1>{status}</h1></center></body></html>\n"
        );
        Self::raw(status, "text/html", body)
    }

    /// A proxy's line.
    pub fn plain(status: u16, words: &str) -> Self {
        Self::raw(status, "text/plain", words.to_owned())
    }

    /// Any body.
    pub fn raw(status: u16, kind: &'static str, body: impl Into<Bytes>) -> Self {
        Self { status, kind, body: body.into(), retry_after: None }
    }

    /// The connection is reset without an answer.
    pub fn reset() -> Self {
        Self::raw(0, "", Bytes::new())
    }

    /// Adds `Retry-After`: seconds or a date.
    pub fn retry_after(mut self, value: &str) -> Self {
        self.retry_after = Some(value.to_owned());
        self
    }
}
