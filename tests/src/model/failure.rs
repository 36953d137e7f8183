//! Answers that are none: error statuses in each vendor's shape or a gateway's, and connections that break.

use bytes::Bytes;
use serde_json::{Value, json};

use super::request::Shape;

/// What a client gets instead of an answer.
#[derive(Clone, Debug)]
pub struct Failure {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    body: Body,
}

#[derive(Clone, Debug)]
enum Body {
    /// In the shape of the API that was called.
    Vendor(Box<Words>),
    Raw {
        kind: &'static str,
        bytes: Bytes,
    },
}

/// What a vendor's error says; the vendor's usual words where nothing is given.
#[derive(Clone, Debug, Default)]
struct Words {
    message: Option<String>,
    kind: Option<String>,
    code: Option<String>,
    param: Option<String>,
}

impl Failure {
    /// An error with what the API that was called says at this status.
    pub fn json(status: u16) -> Self {
        Self { status, retry_after: None, body: Body::Vendor(Box::default()) }
    }

    /// An error in the shape of the API that was called, with words of one's own.
    pub fn words(status: u16, message: impl Into<String>) -> Self {
        let words = Words { message: Some(message.into()), ..Words::default() };
        Self { status, retry_after: None, body: Body::Vendor(Box::new(words)) }
    }

    /// As [`Self::words`]; `kind` and `code` are seen where the API is OpenAI's.
    pub fn with_error(status: u16, message: &str, kind: &str, code: &str) -> Self {
        Self::words(status, message).named(|words| words.kind = Some(kind.to_owned())).code(code)
    }

    /// The error's code, where the API is OpenAI's.
    pub fn code(self, code: &str) -> Self {
        self.named(|words| words.code = Some(code.to_owned()))
    }

    /// The field that is at fault, where the API is OpenAI's.
    pub fn param(self, param: &str) -> Self {
        self.named(|words| words.param = Some(param.to_owned()))
    }

    fn named(mut self, name: impl FnOnce(&mut Words)) -> Self {
        if let Body::Vendor(words) = &mut self.body {
            name(words);
        }
        self
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
        Self { status, retry_after: None, body: Body::Raw { kind, bytes: body.into() } }
    }

    /// The connection is reset without an answer.
    pub fn reset() -> Self {
        Self::raw(0, "", Bytes::new())
    }

    /// Adds the wait: seconds or a date in `Retry-After`. Gemini has no such header and gives seconds in the error's details.
    pub fn retry_after(mut self, value: &str) -> Self {
        self.retry_after = Some(value.to_owned());
        self
    }

    /// What the error says, where it is one of an API.
    pub(crate) fn message(&self) -> String {
        match &self.body {
            Body::Vendor(words) => words.message.clone().unwrap_or_default(),
            Body::Raw { bytes, .. } => String::from_utf8_lossy(bytes).into_owned(),
        }
    }

    /// Content type and bytes for a client of this API.
    pub(crate) fn render(&self, shape: Shape) -> (&'static str, Bytes) {
        match &self.body {
            Body::Raw { kind, bytes } => (kind, bytes.clone()),
            Body::Vendor(words) => {
                let body = match shape {
                    Shape::Chat | Shape::Responses => openai(self.status, words),
                    Shape::Anthropic => anthropic(self.status, words),
                    Shape::Gemini => gemini(self.status, words, self.retry_after.as_deref()),
                    Shape::Ollama => {
                        json!({"error": words.message.as_deref().unwrap_or_else(|| usual(self.status))})
                    }
                };
                ("application/json", body.to_string().into())
            }
        }
    }
}

fn openai(status: u16, words: &Words) -> Value {
    let (kind, code) = match status {
        400 => ("invalid_request_error", "unsupported_value"),
        401 => ("invalid_request_error", "invalid_api_key"),
        403 => ("invalid_request_error", "forbidden"),
        404 => ("invalid_request_error", "model_not_found"),
        429 => ("requests", "rate_limit_exceeded"),
        503 => ("server_error", "server_overloaded"),
        _ => ("server_error", "server_error"),
    };
    let code = match &words.message {
        // Words of one's own have the code that goes with them, or none.
        Some(_) => json!(words.code),
        None => code.into(),
    };
    json!({"error": {
        "message": words.message.as_deref().unwrap_or_else(|| usual(status)),
        "type": words.kind.as_deref().unwrap_or(kind), "param": words.param, "code": code,
    }})
}

fn anthropic(status: u16, words: &Words) -> Value {
    let kind = anthropic_kind(status);
    let message = words.message.as_deref().unwrap_or_else(|| usual(status));
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_fake"})
}

/// The type of an error, by the table in Anthropic's API reference.
fn anthropic_kind(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 | 503 => "overloaded_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    }
}

fn gemini(status: u16, words: &Words, wait: Option<&str>) -> Value {
    let message = words.message.as_deref().unwrap_or_else(|| usual(status));
    let mut error = json!({"code": status, "message": message, "status": google_status(status)});
    if let (Some(seconds), Some(fields)) =
        (wait.filter(|wait| wait.parse::<f64>().is_ok()), error.as_object_mut())
    {
        let kind = "type.googleapis.com/google.rpc.RetryInfo";
        fields.insert("details".into(), json!([{"@type": kind, "retryDelay": format!("{seconds}s")}]));
    }
    json!({"error": error})
}

/// The name of an HTTP status in Google's APIs.
pub(crate) fn google_status(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        400..=499 => "INVALID_ARGUMENT",
        _ => "INTERNAL",
    }
}

fn usual(status: u16) -> &'static str {
    match status {
        400 => "Unsupported value in the request.",
        401 => "Incorrect API key provided.",
        403 => "You may not use this model.",
        404 => "The model does not exist or you do not have access to it.",
        429 => "Rate limit reached.",
        503 | 529 => "The server is overloaded.",
        _ => "The server had an error while processing your request.",
    }
}
