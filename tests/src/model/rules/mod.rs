//! What a request is held against before it is answered: the checks that each vendor makes, in the vendor's words, as far as they have to
//! do with thinking, tools and replay. Words and limits are those of the vendors' API references and of errors seen in the wild, November 2026.

mod anthropic;
mod chat;
pub(crate) mod claude;
mod efforts;
mod gemini;
mod media;
mod ollama;
mod responses;
pub(crate) mod thoughts;

use serde::Deserialize;
use serde_json::Value;

use super::{
    failure::Failure,
    request::{Request, Shape},
    seal::Vault,
};

/// What a fake holds requests against.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Whether the vendor's own checks are made.
    pub strictness: Strictness,
    /// Efforts that are refused beside those that the vendor refuses; also by a lenient fake.
    pub efforts: Vec<RefusedEfforts>,
    /// What a Chat Completions server makes of thoughts that come back.
    pub replay: Replay,
}

/// Whether the vendor's own checks are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strictness {
    /// As the vendor does.
    #[default]
    Strict,
    /// Everything passes that has the fields without which there is no answer.
    Lenient,
}

/// Efforts that a model does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RefusedEfforts {
    /// Effort words, whatever their case; `on` is any effort and any budget, `off` the wish for none.
    pub words: Vec<String>,
    /// What the error lists instead; nothing where it lists nothing.
    pub supported: Vec<String>,
}

/// What a Chat Completions server makes of thoughts that come back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replay {
    /// They may come back or not.
    #[default]
    Free,
    /// A turn with tool calls needs the `reasoning_content` that it came with, as with DeepSeek.
    Required,
    /// An entry with such a field is refused, as with Groq.
    Refused,
}

/// What the vendor says against the request, if anything.
pub(crate) fn check(request: &Request, rules: &Rules, vault: &Vault) -> Result<(), Failure> {
    efforts::check(request, &rules.efforts)?;
    if request.shape == Shape::Chat {
        chat::check_replay(request, rules.replay, vault)?;
    }
    if rules.strictness == Strictness::Lenient {
        return Ok(());
    }
    media::check(request)?;
    match request.shape {
        Shape::Chat => chat::check(request, vault),
        Shape::Responses => responses::check(request, vault),
        Shape::Anthropic => anthropic::check(request, vault),
        Shape::Gemini => gemini::check(request, vault),
        Shape::Ollama => ollama::check(request),
    }
}

/// The error, where `wrong`.
fn refuse_if(wrong: bool, failure: impl FnOnce() -> Failure) -> Result<(), Failure> {
    if wrong { Err(failure()) } else { Ok(()) }
}

fn invalid(message: impl Into<String>) -> Failure {
    Failure::words(400, message)
}

/// A list that is given and has something in it.
fn filled(body: &Value, name: &str) -> bool {
    body.get(name).and_then(Value::as_array).is_some_and(|list| !list.is_empty())
}

/// Words in quotes as English lists them: `'a', 'b', and 'c'`.
fn listed(words: &[String], last: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    match quoted.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{}{last}{end}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
