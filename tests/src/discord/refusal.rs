//! How Discord says no: a status, a code of its own, words, and for forms a tree of what is wrong where
//! (<https://docs.discord.com/developers/topics/opcodes-and-status-codes>).

use serde_json::{Value, json};

/// An error answer that the server itself gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// HTTP status.
    pub status: u16,
    /// `code`; 0 for the general errors.
    pub code: u64,
    /// `message`.
    pub message: String,
    /// `errors`, for forms.
    pub errors: Option<Box<Value>>,
    /// A 429's wait.
    pub wait: Option<Wait>,
    /// The call itself was wrong, whatever the state of the world: recorded as a violation.
    pub malformed: bool,
}

/// How long a 429 asks for silence, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wait {
    /// In seconds; Discord gives parts of them.
    pub seconds: f64,
    /// What is limited.
    pub scope: Scope,
}

/// `X-RateLimit-Scope`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// This bot, in this bucket.
    User,
    /// This bot, everywhere.
    Global,
    /// Everybody who uses the resource.
    Shared,
}

impl Scope {
    /// The word in the header.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Global => "global",
            Self::Shared => "shared",
        }
    }
}

impl Refusal {
    /// Any error with its own code and words.
    pub fn new(status: u16, code: u64, message: &str) -> Self {
        Self { status, code, message: message.to_owned(), errors: None, wait: None, malformed: false }
    }

    /// 429 with the wait in body and headers.
    pub fn too_many(seconds: f64, scope: Scope) -> Self {
        let wait = Some(Wait { seconds, scope });
        Self { wait, ..Self::new(429, 0, "You are being rate limited.") }
    }

    /// 400 for a form that no state of the world would make right.
    pub(crate) fn form(errors: &[(String, &str, String)]) -> Self {
        let mut tree = json!({});
        for (path, code, message) in errors {
            let mut place = &mut tree;
            for step in path.split('/').filter(|step| !step.is_empty()) {
                place = &mut place[step];
            }
            if let Value::Array(list) = &mut place["_errors"] {
                list.push(json!({"code": code, "message": message}));
            } else {
                place["_errors"] = json!([{"code": code, "message": message}]);
            }
        }
        Self { errors: Some(Box::new(tree)), malformed: true, ..Self::new(400, 50035, "Invalid Form Body") }
    }

    /// The same with one thing wrong.
    pub(crate) fn field(path: &str, code: &'static str, message: &str) -> Self {
        Self::form(&[(path.to_owned(), code, message.to_owned())])
    }

    pub(crate) fn blamed(self) -> Self {
        Self { malformed: true, ..self }
    }

    pub(crate) fn unauthorized() -> Self {
        Self::new(401, 0, "401: Unauthorized")
    }

    pub(crate) fn not_found() -> Self {
        Self::new(404, 0, "404: Not Found")
    }

    pub(crate) fn unknown_channel() -> Self {
        Self::new(404, 10003, "Unknown Channel")
    }

    pub(crate) fn unknown_message() -> Self {
        Self::new(404, 10008, "Unknown Message")
    }

    pub(crate) fn unknown_interaction() -> Self {
        Self::new(404, 10062, "Unknown interaction")
    }

    pub(crate) fn missing_access() -> Self {
        Self::new(403, 50001, "Missing Access")
    }

    pub(crate) fn missing_permissions() -> Self {
        Self::new(403, 50013, "Missing Permissions")
    }

    pub(crate) fn empty_message() -> Self {
        Self::new(400, 50006, "Cannot send an empty message").blamed()
    }

    pub(crate) fn archived() -> Self {
        Self::new(
            400,
            50083,
            "Tried to perform an operation on an archived thread, such as editing a message or adding a user to the thread",
        )
    }

    /// The JSON body.
    pub fn body(&self) -> Value {
        let Some(wait) = self.wait else {
            let mut body = json!({"message": self.message, "code": self.code});
            if let (Some(errors), Some(fields)) = (&self.errors, body.as_object_mut()) {
                fields.insert("errors".into(), errors.as_ref().clone());
            }
            return body;
        };
        let global = wait.scope == Scope::Global;
        let mut body = json!({"message": self.message, "retry_after": wait.seconds, "global": global});
        if let (true, Some(fields)) = (self.code > 0, body.as_object_mut()) {
            fields.insert("code".into(), self.code.into());
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_forms_are_a_tree() {
        let errors = [
            ("content".to_owned(), "BASE_TYPE_MAX_LENGTH", "long".to_owned()),
            ("components/0/components/1/label".to_owned(), "BASE_TYPE_REQUIRED", "gone".to_owned()),
        ];
        let expected = json!({
            "message": "Invalid Form Body", "code": 50035, "errors": {
                "content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "long"}]},
                "components": {"0": {"components": {"1": {"label": {
                    "_errors": [{"code": "BASE_TYPE_REQUIRED", "message": "gone"}]
                }}}}},
            },
        });
        assert_eq!(Refusal::form(&errors).body(), expected);
    }
}
