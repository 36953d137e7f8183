//! What a provider's no means. Reads error bodies of every usual form, and decides between trying again, telling the
//! person and leaving it to an operator.

mod details;
mod kind;
mod level;
mod upstream;
mod words;

use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use pensive_contract::clock::Timestamp;
use pensive_contract::fault::FaultClass;
use serde_json::Value;

use crate::repair;
use details::Details;
use kind::status_of;
use words::{
    CONTENT, GARBLED, KEY, KEY_WORDS, LIMITED, MEDIA, MEDIA_WORDS, NO_CREDIT, NO_CREDIT_WORDS, TOO_LONG,
    TOO_LONG_WORDS,
};

/// The longest pause that a provider may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);

/// How much of a body the log keeps, in characters.
const LOGGED: usize = 600;

/// A provider's no.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The HTTP status, or the one named inside a stream.
    pub(crate) status: Option<u16>,
    /// How long it wants to be left alone.
    retry_after: Option<Duration>,
    code: String,
    kind: String,
    param: String,
    /// Whether it is told that the words of the request are against the rules.
    is_flagged: bool,
    /// Whether the configuration says how the model thinks, so that no level of a person's is refused.
    is_owners: bool,
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
    /// The model wrote what its provider could not read.
    Garbled,
    Content,
    /// A picture, recording or document.
    Media,
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
        let fields = if inner.is_string() { value } else { inner };
        let text = |key: &str| match fields.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => String::new(),
        };
        let details = Details::of(inner);
        let code = text("code");
        let told = code.parse().ok().filter(|code| (300..600).contains(code));
        if let Some(behind) = upstream::words(inner) {
            return Self::read(status.or(told), behind.as_bytes());
        }
        let message = match inner {
            Value::String(message) => message.clone(),
            Value::Object(_) if inner.get("message").is_some_and(Value::is_string) => text("message"),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                inner.to_string()
            }
        };
        Self {
            status: status.or(told).or_else(|| status_of(&text("type"))),
            retry_after: details.pause().map(|pause| pause.min(LONGEST_PAUSE)),
            code: details.daily_quota().map_or(code, str::to_owned),
            kind: Some(text("type")).filter(|kind| !kind.is_empty()).unwrap_or_else(|| text("status")),
            param: text("param"),
            is_flagged: upstream::is_flagged(inner),
            is_owners: false,
            message,
        }
    }

    /// With the pause that the provider asks for in a header, which goes before that of its body.
    pub(crate) fn after(mut self, pause: Option<Duration>) -> Self {
        self.retry_after = pause.or(self.retry_after);
        self
    }

    /// A refusal of a call in which the configuration says how the model thinks.
    pub(crate) fn of_owners_words(mut self) -> Self {
        self.is_owners = true;
        self
    }

    /// Whether only the summary of the reasoning is refused, as it is to organisations that the vendor has not verified.
    pub(crate) fn blames_summary(&self) -> bool {
        self.param == "reasoning.summary"
    }

    /// Whether what the provider had sealed in an earlier turn is refused.
    pub(crate) fn blames_seals(&self) -> bool {
        const SIGNS: &[&str] = &[
            "signature",
            "encrypted_content",
            "encrypted content",
            "reasoning_details",
            "redacted_thinking",
        ];
        let message = self.message.to_ascii_lowercase();
        // Some proxies pass every refusal on as a limit.
        (self.is_about_request() || self.status == Some(429))
            && (SIGNS.iter().any(|sign| message.contains(sign) || self.param.contains(sign))
                || level::is_unwanted_in_history(&message))
    }

    /// Whether the provider wants the reasoning of earlier turns back and did not find it.
    pub(crate) fn misses_reasoning(&self) -> bool {
        self.is_about_request() && level::is_missing_in_history(&self.message.to_ascii_lowercase())
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
        level::alternatives(&self.message.to_ascii_lowercase())
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
            Reason::Busy | Reason::Limited | Reason::Garbled => {
                self.retry_after.map_or(FaultClass::Again, FaultClass::AgainAfter)
            }
            Reason::TooLong
            | Reason::UnknownModel
            | Reason::Unpulled
            | Reason::Level
            | Reason::Content
            | Reason::Media => FaultClass::TellPerson,
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
            Reason::Garbled => {
                "What the model wrote could not be read by its provider. Please try again in a moment."
            }
            Reason::Content => "The model provider declined this message because of its content rules.",
            Reason::Media => {
                "The model could not take what you sent along. Try another picture or file, or send /model to pick another model."
            }
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

        let is_media = matches!(status, 400 | 404 | 413 | 415 | 422 | 500);

        // Google says of every limit that a quota is exceeded.
        let is_limit = named(&["RESOURCE_EXHAUSTED"]);
        if status == 402
            || named(NO_CREDIT)
            || says(NO_CREDIT_WORDS)
            || (is_limit && self.code.contains("PerDay"))
            || (!is_limit && says(&["exceeded your current quota", "insufficient balance"]))
        {
            Reason::NoCredit
        } else if status == 429 || named(LIMITED) {
            Reason::Limited
        } else if is_media && (named(MEDIA) || says(MEDIA_WORDS)) {
            Reason::Media
        } else if status == 413 || named(TOO_LONG) || says(TOO_LONG_WORDS) {
            Reason::TooLong
        } else if self.is_flagged || named(CONTENT) || says(&["content filtering policy"]) {
            Reason::Content
        } else if matches!(status, 401 | 403) || named(KEY) || (status == 400 && says(KEY_WORDS)) {
            Reason::Key
        } else if says(&["no endpoints found"]) {
            // OpenRouter says so of models that it lacks, and of wishes that nobody grants.
            if says(&["no endpoints found for"]) { Reason::UnknownModel } else { Reason::Request }
        } else if says(&["try pulling it first"]) {
            Reason::Unpulled
        } else if named(&["model_not_found"]) || (status == 404 && says(&["model"])) {
            Reason::UnknownModel
        } else if status == 404 || (300..400).contains(&status) {
            Reason::Address
        } else if named(GARBLED) {
            Reason::Garbled
        } else if self.blames_thought(&message) {
            Reason::Level
        } else if matches!(status, 0 | 408 | 409 | 425) || status >= 500 {
            Reason::Busy
        } else {
            Reason::Request
        }
    }
}

impl Refusal {
    /// Whether a bad request is bad for its thinking level, and not for the thoughts in its history.
    fn blames_thought(&self, message: &str) -> bool {
        let is_history = level::is_missing_in_history(message) || self.blames_seals();
        let is_level = self.param.starts_with("reasoning") || level::is_named(message);
        self.is_about_request() && is_level && !is_history && !self.is_owners
    }
}

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
        // What no clock can count is long all the same.
        Ok(seconds) if seconds >= LONGEST_PAUSE.as_secs_f64() => LONGEST_PAUSE,
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
        Err(_) => {
            let date = httpdate::parse_http_date(header).ok()?.duration_since(UNIX_EPOCH).ok()?;
            Timestamp(i64::try_from(date.as_millis()).ok()?).since(now)
        }
    };
    Some(asked.min(LONGEST_PAUSE))
}

#[cfg(test)]
mod tests;
