//! What a provider's no means. Reads error bodies of every usual form, and decides between trying again, telling the
//! person and leaving it to an operator.

mod details;

use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use pensive_contract::clock::Timestamp;
use pensive_contract::fault::FaultClass;
use serde_json::Value;

use crate::repair;
use details::Details;

/// The longest pause that a provider may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);

/// How much of a body the log keeps, in characters.
const LOGGED: usize = 600;

/// A provider's no.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The HTTP status, or the one named inside a stream.
    status: Option<u16>,
    /// How long it wants to be left alone.
    retry_after: Option<Duration>,
    code: String,
    kind: String,
    param: String,
    message: String,
}

/// What a no comes down to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Busy,
    Limited,
    NoCredit,
    Key,
    TooLong,
    UnknownModel,
    Unpulled,
    Level,
    Content,
    Address,
    Request,
}

impl Refusal {
    /// Reads a body. `{"error": {…}}`, `{"error": "…"}`, the bare object, a list with one of these, and any other text.
    pub(crate) fn read(status: Option<u16>, body: &[u8]) -> Self {
        let Some(value) = repair::value(body) else {
            let message = String::from_utf8_lossy(body).into_owned();
            return Self { status, message, ..Self::default() };
        };
        let value = value.get(0).unwrap_or(&value);
        let inner = value.get("error").unwrap_or(value);
        let text = |key: &str| match inner.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => String::new(),
        };
        let details = Details::of(inner);
        let code = text("code");
        let told = code.parse().ok().filter(|code| (300..600).contains(code));
        let message = match inner {
            Value::String(message) => message.clone(),
            Value::Object(_) if inner.get("message").is_some_and(Value::is_string) => text("message"),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                inner.to_string()
            }
        };
        Self {
            status: status.or(told),
            retry_after: details.pause().map(|pause| pause.min(LONGEST_PAUSE)),
            code: details.daily_quota().map_or(code, str::to_owned),
            kind: Some(text("type")).filter(|kind| !kind.is_empty()).unwrap_or_else(|| text("status")),
            param: text("param"),
            message,
        }
    }

    /// With the pause that the provider asks for in a header, which goes before that of its body.
    pub(crate) fn after(mut self, pause: Option<Duration>) -> Self {
        self.retry_after = pause.or(self.retry_after);
        self
    }

    /// Whether only the summary of the reasoning is refused, as it is to organisations that the vendor has not verified.
    pub(crate) fn blames_summary(&self) -> bool {
        self.param == "reasoning.summary"
    }

    /// Whether what the provider had sealed in an earlier turn is refused.
    pub(crate) fn blames_seals(&self) -> bool {
        const SIGNS: &[&str] = &["signature", "encrypted_content", "encrypted content", "reasoning_details"];
        let message = self.message.to_ascii_lowercase();
        self.is_about_request()
            && SIGNS.iter().any(|sign| message.contains(sign) || self.param.contains(sign))
    }

    /// Whether the thinking level is refused.
    pub(crate) fn blames_level(&self) -> bool {
        self.reason() == Reason::Level
    }

    /// Whether not this level but the whole field is refused.
    pub(crate) fn blames_field(&self) -> bool {
        const SIGNS: &[&str] = &[
            "unknown parameter",
            "unrecognized",
            "unsupported parameter",
            "not supported",
            "does not support",
            "extra inputs",
            "unknown field",
            "unknown name",
            "unexpected",
        ];
        let message = self.message.to_ascii_lowercase();
        SIGNS.iter().any(|sign| message.contains(sign))
    }

    /// The effort words that the refusal names as good ones.
    pub(crate) fn alternatives(&self) -> Vec<String> {
        const LEADS: &[&str] = &[
            "supported values are",
            "must be one of",
            "should be one of",
            "expected one of",
            "allowed values",
            "valid values",
            "input should be",
            "supported levels",
        ];
        let message = self.message.to_ascii_lowercase();
        let Some(list) = LEADS.iter().find_map(|lead| message.split_once(lead)).map(|(_, list)| list) else {
            return Vec::new();
        };
        const WORDS: [&str; 8] = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "default"];
        let words = list.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(|word| WORDS.contains(word)).map(str::to_owned).collect()
    }

    fn is_about_request(&self) -> bool {
        matches!(self.status, Some(400 | 422))
    }

    /// Takes secrets out of the words, before anything is logged.
    pub(crate) fn masked(mut self, secrets: &[&str]) -> Self {
        self.message = mask(&self.message, secrets);
        self
    }

    /// What to do about it.
    pub(crate) fn class(&self) -> FaultClass {
        match self.reason() {
            Reason::Busy | Reason::Limited => {
                self.retry_after.map_or(FaultClass::Again, FaultClass::AgainAfter)
            }
            Reason::TooLong | Reason::UnknownModel | Reason::Unpulled | Reason::Level | Reason::Content => {
                FaultClass::TellPerson
            }
            Reason::NoCredit | Reason::Key | Reason::Address | Reason::Request => FaultClass::OursToMend,
        }
    }

    /// Plain words.
    pub(crate) fn person(&self) -> &'static str {
        match self.reason() {
            Reason::Busy => "The model provider has trouble right now. Please try again in a moment.",
            Reason::Limited => "The model provider is limiting our requests. Please try again in a moment.",
            Reason::NoCredit => "The credit with the model provider is used up. An admin needs to top it up.",
            Reason::Key => "The model provider refused our key. An admin needs to check it.",
            Reason::TooLong => "This conversation is too long for the model. Send /new to start a fresh one.",
            Reason::UnknownModel => {
                "The model provider does not know this model. Send /model to pick another one."
            }
            Reason::Unpulled => {
                "Ollama does not have this model yet. An admin can fetch it with `ollama pull`, or send /model to pick another one."
            }
            Reason::Level => {
                "The model refused this thinking level. Send /think to see the levels and pick another."
            }
            Reason::Content => "The model provider declined this message because of its content rules.",
            Reason::Address => "The model provider's address seems wrong. An admin needs to check it.",
            Reason::Request => {
                "The model provider did not accept our request. An admin needs to look into the log."
            }
        }
    }

    fn reason(&self) -> Reason {
        let message = self.message.to_ascii_lowercase();
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| message.contains(phrase));
        let named = |names: &[&str]| names.iter().any(|n| self.code == *n || self.kind == *n);
        let status = self.status.unwrap_or(0);

        // Google says of every limit that a quota is exceeded.
        let is_limit = named(&["RESOURCE_EXHAUSTED"]);
        if status == 402
            || named(NO_CREDIT)
            || (is_limit && self.code.contains("PerDay"))
            || (!is_limit && says(&["exceeded your current quota", "insufficient balance"]))
        {
            Reason::NoCredit
        } else if status == 429 || named(LIMITED) {
            Reason::Limited
        } else if status == 413 || named(TOO_LONG) || says(TOO_LONG_WORDS) {
            Reason::TooLong
        } else if matches!(status, 401 | 403) || named(KEY) || (status == 400 && says(KEY_WORDS)) {
            Reason::Key
        } else if says(&["try pulling it first"]) {
            Reason::Unpulled
        } else if named(&["model_not_found"]) || (status == 404 && says(&["model"])) {
            Reason::UnknownModel
        } else if status == 404 || (300..400).contains(&status) {
            Reason::Address
        } else if named(CONTENT) {
            Reason::Content
        } else if matches!(status, 400 | 422)
            && (self.param.starts_with("reasoning") || says(&["reasoning", "thinking", "think value"]))
        {
            Reason::Level
        } else if matches!(status, 0 | 408 | 409 | 425) || status >= 500 {
            Reason::Busy
        } else {
            Reason::Request
        }
    }
}

const NO_CREDIT: &[&str] =
    &["insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"];
const LIMITED: &[&str] = &["rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"];
const KEY: &[&str] = &["invalid_api_key", "authentication_error", "permission_error"];
/// Google's, whose status for a bad key is that of any bad request.
const KEY_WORDS: &[&str] = &["api key not valid", "api key not found", "api key expired"];
const TOO_LONG: &[&str] = &["context_length_exceeded", "exceed_context_size_error"];
const TOO_LONG_WORDS: &[&str] = &[
    "context length",
    "context window",
    "context size",
    "prompt is too long",
    "input is too long",
    "input token count",
];
const CONTENT: &[&str] = &["content_policy_violation", "content_filter", "invalid_prompt"];

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => write!(f, "answered {status}")?,
            None => f.write_str("broke off with an error")?,
        }
        for (name, value) in [("code", &self.code), ("type", &self.kind), ("param", &self.param)] {
            if !value.is_empty() {
                write!(f, " {name}={}", line(value))?;
            }
        }
        if let Some(pause) = self.retry_after {
            write!(f, " retry-after={}s", pause.as_secs_f32())?;
        }
        write!(f, ": {}", line(&self.message))
    }
}

/// The beginning of a text on one line, without control characters.
fn line(text: &str) -> String {
    let mut shown: String = text.chars().take(LOGGED).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// The text with our secrets, and whatever else looks like a key, as stars.
fn mask(text: &str, secrets: &[&str]) -> String {
    let mut masked = text.to_owned();
    for secret in secrets.iter().filter(|secret| secret.len() >= 4) {
        masked = masked.replace(secret, "***");
    }
    let mut out = String::with_capacity(masked.len());
    let mut rest = masked.as_str();
    while let Some((before, after)) = rest.split_once("sk-") {
        let key =
            after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*'));
        out.push_str(before);
        out.push_str(if after.len() - key.len() >= 8 { "***" } else { "sk-" });
        rest = if after.len() - key.len() >= 8 { key } else { after };
    }
    out + rest
}

/// How long a provider asks to be left alone: seconds, with or without a fraction, or a date. Never longer than an hour.
pub(crate) fn pause(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    let asked = match header.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
        Err(_) => {
            let date = httpdate::parse_http_date(header).ok()?.duration_since(UNIX_EPOCH).ok()?;
            Timestamp(i64::try_from(date.as_millis()).ok()?).since(now)
        }
    };
    Some(asked.min(LONGEST_PAUSE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use FaultClass::{Again, AgainAfter, OursToMend, TellPerson};

    fn check(status: Option<u16>, body: &str, class: FaultClass, words: &str) {
        let refusal = Refusal::read(status, body.as_bytes());
        assert_eq!(refusal.class(), class, "{status:?} {body}");
        assert!(refusal.person().contains(words), "{} / {words}", refusal.person());
    }

    #[test]
    fn statuses() {
        check(Some(401), "", OursToMend, "key");
        check(Some(403), "<html>no</html>", OursToMend, "key");
        check(Some(402), "", OursToMend, "credit");
        check(Some(429), "", Again, "limiting");
        check(Some(408), "", Again, "trouble");
        check(Some(409), "", Again, "trouble");
        check(Some(500), "oops", Again, "trouble");
        check(Some(503), "<html>busy</html>", Again, "trouble");
        check(Some(529), "", Again, "trouble");
        check(Some(400), "{}", OursToMend, "log");
        check(Some(404), "<html>", OursToMend, "address");
        check(Some(308), "", OursToMend, "address");
        check(Some(413), "", TellPerson, "/new");
    }

    #[test]
    fn bodies() {
        check(
            Some(429),
            r#"{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}"#,
            OursToMend,
            "credit",
        );
        check(
            Some(429),
            r#"{"error":{"code":"rate_limit_exceeded","message":"model busy"}}"#,
            Again,
            "limiting",
        );
        check(
            Some(400),
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}"#,
            TellPerson,
            "/new",
        );
        check(Some(500), r#"{"error":"the request exceeds the available context size"}"#, TellPerson, "/new");
        check(Some(404), r#"{"error":{"code":"model_not_found","message":"no"}}"#, TellPerson, "/model");
        check(Some(404), r#"{"error":"model 'x' not found"}"#, TellPerson, "/model");
        check(
            Some(400),
            r#"{"error":{"code":"invalid_prompt","message":"no"}}"#,
            TellPerson,
            "content rules",
        );
        check(
            Some(400),
            r#"{"error":{"param":"reasoning.effort","code":"unsupported_value","message":"no"}}"#,
            TellPerson,
            "thinking level",
        );
        check(None, r#"{"error":{"code":429,"message":"slow down"}}"#, Again, "limiting");
        check(None, r#"{"error":{"code":"server_error","message":"x"}}"#, Again, "trouble");
        check(None, r#"{"type":"error","code":"invalid_api_key","message":"x"}"#, OursToMend, "key");
        check(None, r#"[{"error":{"code":503}}]"#, Again, "trouble");
    }

    #[test]
    fn errors_of_google() {
        let error = |code: u16, status: &str, message: &str, details: &str| {
            format!(
                r#"[{{"error":{{"code":{code},"message":{message:?},"status":"{status}","details":[{details}]}}}}]"#
            )
        };
        let quota = "You exceeded your current quota, please check your plan and billing details.";
        let per = |span: &str| {
            format!(
                r#"{{"violations":[{{"quotaId":"Requests{span}-FreeTier"}}]}},{{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}}"#
            )
        };
        let check = |code, status, message, details: &str, class, words| {
            check(Some(code), &error(code, status, message, details), class, words);
        };
        let pause = AgainAfter(Duration::from_secs(7));
        check(429, "RESOURCE_EXHAUSTED", quota, &per("PerMinute"), pause, "limiting");
        check(429, "RESOURCE_EXHAUSTED", quota, &per("PerDay"), OursToMend, "credit");
        check(
            429,
            "RESOURCE_EXHAUSTED",
            "Resource has been exhausted (e.g. check quota).",
            "",
            Again,
            "limiting",
        );
        let key = "API key not valid. Please pass a valid API key.";
        check(400, "INVALID_ARGUMENT", key, "", OursToMend, "key");
        check(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers.", "", OursToMend, "key");
        check(503, "UNAVAILABLE", "The model is overloaded.", "", Again, "trouble");
        let level = "You can only set only one of thinking budget and thinking level.";
        check(400, "INVALID_ARGUMENT", level, "", TellPerson, "thinking level");
        let off = "Budget 0 is invalid. This model only works in thinking mode.";
        check(400, "INVALID_ARGUMENT", off, "", TellPerson, "thinking level");
        let long = "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).";
        check(400, "INVALID_ARGUMENT", long, "", TellPerson, "/new");
        let model = "models/x is not found for API version v1beta, or is not supported for generateContent.";
        check(404, "NOT_FOUND", model, "", TellPerson, "/model");
        check(400, "INVALID_ARGUMENT", "Request contains an invalid argument.", "", OursToMend, "log");
    }

    #[test]
    fn prov_09_google_misses_its_signatures() {
        for message in [
            "Function call is missing a thought_signature in functionCall parts.",
            "Unable to submit request because Thought signature is not valid.",
            "Corrupted thought signature.",
        ] {
            let body =
                format!(r#"{{"error":{{"code":400,"message":"{message}","status":"INVALID_ARGUMENT"}}}}"#);
            let refusal = Refusal::read(Some(400), body.as_bytes());
            assert!(refusal.blames_seals() && !refusal.blames_level(), "{message}");
        }
    }

    #[test]
    fn errors_of_ollama() {
        let unpulled = r#"{"error":"model \"x\" not found, try pulling it first"}"#;
        check(Some(404), unpulled, TellPerson, "`ollama pull`");
        check(Some(404), r#"{"error":"model 'x' not found"}"#, TellPerson, "does not know this model");
        for body in [
            r#"{"error":"\"llama3.1:8b\" does not support thinking"}"#,
            r#"{"error":"think value \"medium\" is not supported for this model"}"#,
        ] {
            check(Some(400), body, TellPerson, "thinking level");
            assert!(Refusal::read(Some(400), body.as_bytes()).blames_field(), "{body}");
        }
        let busy = r#"{"error":"server busy, please try again.  maximum pending requests exceeded"}"#;
        check(Some(503), busy, Again, "trouble");
    }

    #[test]
    fn prov_18_a_demand_for_reasoning_is_no_overflow() {
        let body =
            r#"{"error":{"message":"Reasoning is mandatory for this endpoint and cannot be disabled."}}"#;
        check(Some(400), body, TellPerson, "thinking level");
    }

    #[test]
    fn a_pause_is_honoured_and_capped() {
        let refusal = Refusal::read(Some(429), b"").after(pause("7", Timestamp(0)));
        assert_eq!(refusal.class(), AgainAfter(Duration::from_secs(7)));
        let body = br#"{"error":{"details":[{"retryDelay":"7200s"}]}}"#;
        let refusal = Refusal::read(Some(429), body);
        assert_eq!(refusal.clone().after(None).class(), AgainAfter(LONGEST_PAUSE));
        let soon = refusal.after(pause("3", Timestamp(0)));
        assert_eq!(soon.class(), AgainAfter(Duration::from_secs(3)));
        let check = |header, expected: Option<u64>| {
            let now = Timestamp(784_111_777_000);
            assert_eq!(pause(header, now), expected.map(Duration::from_millis), "{header}");
        };
        check("0", Some(0));
        check(" 1.5 ", Some(1500));
        check("3601", Some(3_600_000));
        check("Sun, 06 Nov 1994 08:49:47 GMT", Some(10_000));
        check("Sun, 06 Nov 1994 08:49:27 GMT", Some(0));
        check("-1", None);
        check("soon", None);
        check("NaN", None);
    }

    #[test]
    fn the_log_has_the_body_but_no_key() {
        let body =
            r#"{"error":{"message":"Bad key sk-proj-abcdefghij and s3cret.\nBye","code":"invalid_api_key"}}"#;
        let refusal = Refusal::read(Some(401), body.as_bytes()).masked(&["s3cret"]);
        assert_eq!(refusal.to_string(), "answered 401 code=invalid_api_key: Bad key *** and ***. Bye");
        let long = Refusal::read(Some(500), "ä".repeat(5000).as_bytes()).to_string();
        assert!(long.ends_with('…') && long.chars().count() < 700);
        assert_eq!(mask("ask-me and sk-short", &[]), "ask-me and sk-short");
    }
}
