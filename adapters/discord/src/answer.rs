//! What Discord's answers say beside their results: limits in their headers, and in a no its words. Pure.

use std::time::Duration;

use reqwest::header::HeaderMap;
use serde::Deserialize;
use serde_json::Value;

use crate::buckets::{Scope, State, Told};

/// A wait of nothing is not obeyed: it would be asked for without end.
const SHORTEST: Duration = Duration::from_millis(250);
/// What a 429 without a number asks for.
const UNNAMED: Duration = Duration::from_secs(5);
/// No wait is believed beyond this.
const LONGEST: Duration = Duration::from_hours(24);
/// Of a tree of errors so many leaves are told.
const MOST_LEAVES: usize = 4;

/// A no in Discord's format (<https://docs.discord.com/developers/reference#error-messages>).
#[derive(Debug, Deserialize)]
pub(crate) struct No {
    #[serde(default)]
    code: Option<u64>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    errors: Value,
    #[serde(default)]
    retry_after: Option<f64>,
    #[serde(default)]
    global: bool,
}

impl No {
    /// Reads a no; nothing when the body is none of Discord's.
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        // A list would read as well, field by field.
        body.trim_ascii_start().strip_prefix(b"{")?;
        serde_json::from_slice(body).ok().filter(|no: &Self| no.code.is_some() || no.message.is_some())
    }

    /// Discord's own number of the error; 0 where it gave none.
    pub(crate) fn code(&self) -> u64 {
        self.code.unwrap_or(0)
    }

    /// Its words, with the faults of single fields.
    pub(crate) fn words(&self) -> String {
        let mut leaves = Vec::new();
        gather(&self.errors, "", &mut leaves);
        let message = self.message.as_deref().unwrap_or_default();
        if leaves.is_empty() { message.to_owned() } else { format!("{message} ({})", leaves.join("; ")) }
    }
}

/// Walks a tree of errors: objects lead to fields, `_errors` holds what is wrong with one.
fn gather(tree: &Value, path: &str, leaves: &mut Vec<String>) {
    let Value::Object(fields) = tree else { return };
    for (name, below) in fields {
        if leaves.len() >= MOST_LEAVES {
            return;
        }
        if name == "_errors" {
            let first = below.get(0);
            let word = |key: &str| first.and_then(|first| first.get(key)).and_then(Value::as_str);
            let (code, message) = (word("code").unwrap_or_default(), word("message").unwrap_or_default());
            leaves.push(format!("{path}: {code} {message}").trim().to_owned());
        } else {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            gather(below, &path, leaves);
        }
    }
}

/// How long a 429 asks for silence.
pub(crate) fn retry_after(headers: &HeaderMap, no: Option<&No>) -> Duration {
    let named = no.and_then(|no| no.retry_after).or_else(|| number(headers, "retry-after"));
    named.and_then(seconds).unwrap_or(UNNAMED).clamp(SHORTEST, LONGEST)
}

/// What an answer told about limits.
pub(crate) fn told(status: u16, headers: &HeaderMap, no: Option<&No>) -> Told {
    let scope = text(headers, "x-ratelimit-scope");
    let silence = (status == 429).then(|| {
        let is_global = scope == Some("global")
            || no.is_some_and(|no| no.global)
            || text(headers, "x-ratelimit-global").is_some()
            // Not Discord itself but what stands before it shuts an address out.
            || no.is_none();
        let scope = if is_global { Scope::Global } else { Scope::Bucket };
        (scope, retry_after(headers, no))
    });
    let invalid = matches!(status, 401 | 403) || (status == 429 && scope != Some("shared"));
    Told { bucket: state(headers), silence, invalid }
}

fn state(headers: &HeaderMap) -> Option<State> {
    let count = |name: &str| text(headers, name)?.trim().parse().ok();
    Some(State {
        hash: text(headers, "x-ratelimit-bucket")?.to_owned(),
        limit: count("x-ratelimit-limit").filter(|limit| *limit > 0)?,
        remaining: count("x-ratelimit-remaining")?,
        reset_after: number(headers, "x-ratelimit-reset-after").and_then(seconds)?.min(LONGEST),
    })
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn number(headers: &HeaderMap, name: &str) -> Option<f64> {
    text(headers, name)?.trim().parse().ok()
}

/// Whole milliseconds, rounded up: the clock knows no parts of them.
fn seconds(count: f64) -> Option<Duration> {
    Duration::try_from_secs_f64((count * 1_000.0).ceil() / 1_000.0).ok()
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;
    use serde_json::json;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn a_tree_of_errors_becomes_short_words() {
        let check = |body: Value, expected: Option<(u64, &str)>| {
            let no = No::read(body.to_string().as_bytes());
            assert_eq!(no.map(|no| (no.code(), no.words())), expected.map(|(c, w)| (c, w.to_owned())));
        };
        let long = json!({"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer in length."});
        check(
            json!({"code": 50035, "message": "Invalid Form Body", "errors": {"content": {"_errors": [long]}}}),
            Some((
                50035,
                "Invalid Form Body (content: BASE_TYPE_MAX_LENGTH Must be 2000 or fewer in length.)",
            )),
        );
        check(
            json!({"code": 50035, "message": "Invalid Form Body", "errors": {
                "components": {"0": {"components": {"1": {"label": {"_errors": [{"code": "X", "message": "y"}]}}}}}
            }}),
            Some((50035, "Invalid Form Body (components.0.components.1.label: X y)")),
        );
        check(json!({"message": "401: Unauthorized", "code": 0}), Some((0, "401: Unauthorized")));
        check(json!({"message": "oh"}), Some((0, "oh")));
        check(json!({"else": 1}), None);
        check(json!([1]), None);
        assert!(No::read(b"<html>").is_none());
    }

    #[test]
    fn waits_come_from_the_body_then_the_header_and_are_never_nothing() {
        let check = |header: Option<&'static str>, body: Option<Value>, expected: u64| {
            let pairs: Vec<_> = header.into_iter().map(|value| ("retry-after", value)).collect();
            let no = body.and_then(|body| No::read(body.to_string().as_bytes()));
            let wait = retry_after(&headers(&pairs), no.as_ref());
            assert_eq!(wait, Duration::from_millis(expected));
        };
        check(Some("65"), Some(json!({"message": "x", "retry_after": 64.57})), 64_570);
        check(Some("2.5"), Some(json!({"message": "x"})), 2_500);
        check(Some("2"), None, 2_000);
        check(None, None, 5_000);
        check(Some("0"), None, 250);
        check(Some("-1"), None, 5_000);
        check(Some("NaN"), None, 5_000);
        check(Some("1e300"), None, 5_000);
        check(Some("99999999"), None, 86_400_000);
    }

    #[test]
    fn a_bucket_is_read_whole_or_not_at_all() {
        let whole = [
            ("x-ratelimit-bucket", "abcd"),
            ("x-ratelimit-limit", "5"),
            ("x-ratelimit-remaining", "4"),
            ("x-ratelimit-reset-after", "1.0004"),
        ];
        let expected = State {
            hash: "abcd".to_owned(),
            limit: 5,
            remaining: 4,
            reset_after: Duration::from_millis(1_001),
        };
        assert_eq!(told(200, &headers(&whole), None), Told { bucket: Some(expected), ..Told::default() });
        assert_eq!(told(200, &headers(whole.get(1..).unwrap()), None), Told::default());
    }

    #[test]
    fn a_429_says_what_it_is_about() {
        let check = |pairs: &[(&'static str, &'static str)], body: Option<Value>, scope: Scope, invalid| {
            let no = body.and_then(|body| No::read(body.to_string().as_bytes()));
            let told = told(429, &headers(pairs), no.as_ref());
            assert_eq!((told.silence.map(|(scope, _)| scope), told.invalid), (Some(scope), invalid));
        };
        let body = |global: bool| Some(json!({"message": "x", "retry_after": 1.0, "global": global}));
        check(&[("x-ratelimit-scope", "user")], body(false), Scope::Bucket, true);
        check(&[("x-ratelimit-scope", "shared")], body(false), Scope::Bucket, false);
        check(&[("x-ratelimit-scope", "global")], body(false), Scope::Global, true);
        check(&[], body(true), Scope::Global, true);
        check(&[("retry-after", "600")], None, Scope::Global, true);
    }
}
