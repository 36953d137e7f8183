//! How the Bot API says no: a code, a description in its own wording, and sometimes a parameter.

use serde_json::{Value, json};

/// An error answer that the server itself gives: `{"ok": false, …}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// HTTP status and `error_code`.
    pub code: u16,
    /// `description`, prefix included.
    pub description: String,
    /// `parameters.retry_after` and the header of that name, in seconds.
    pub retry_after: Option<u64>,
    /// The call itself was wrong, whatever the state of the chat: recorded as a violation.
    pub malformed: bool,
}

impl Refusal {
    /// Any code with the whole description.
    pub fn new(code: u16, description: impl Into<String>) -> Self {
        Self { code, description: description.into(), retry_after: None, malformed: false }
    }

    /// 400 in the usual form.
    pub fn bad_request(what: impl std::fmt::Display) -> Self {
        Self::new(400, format!("Bad Request: {what}"))
    }

    /// 400 for a call that no state of the world would make right.
    pub fn malformed(what: impl std::fmt::Display) -> Self {
        Self { malformed: true, ..Self::bad_request(what) }
    }

    /// 403 in the usual form.
    pub fn forbidden(what: impl std::fmt::Display) -> Self {
        Self::new(403, format!("Forbidden: {what}"))
    }

    /// 401, what a revoked or mistyped token gets.
    pub fn unauthorized() -> Self {
        Self::new(401, "Unauthorized")
    }

    /// 404, what a method that this server lacks gets.
    pub fn not_found() -> Self {
        Self::new(404, "Not Found")
    }

    /// 409, what the older of two polls gets.
    pub fn other_poll() -> Self {
        Self::new(
            409,
            "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
        )
    }

    /// 429 with the wait in body and header.
    pub fn too_many(seconds: u64) -> Self {
        Self {
            code: 429,
            description: format!("Too Many Requests: retry after {seconds}"),
            retry_after: Some(seconds),
            malformed: false,
        }
    }

    /// The JSON body.
    pub fn body(&self) -> Value {
        let mut body = json!({"ok": false, "error_code": self.code, "description": self.description});
        if let (Some(seconds), Some(fields)) = (self.retry_after, body.as_object_mut()) {
            fields.insert("parameters".into(), json!({"retry_after": seconds}));
        }
        body
    }
}
