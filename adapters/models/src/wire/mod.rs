//! The shapes that providers speak. Each module turns a call into a body and the events of an answer into pieces; both
//! are plain functions over values.

pub(crate) mod lenient;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;

use std::hash::{DefaultHasher, Hash, Hasher};

use pensive_contract::model::{ModelEvent, ModelRequest};
use serde::de::DeserializeOwned;

use crate::repair;
use crate::sse::Event;
use crate::trouble::Trouble;

/// A call with everything that its body needs.
pub(crate) struct Call<'a> {
    /// What is asked.
    pub(crate) request: ModelRequest,
    /// The word for its thinking level; nothing leaves the field out.
    pub(crate) effort: Option<&'a str>,
    /// Whether it goes into the fast lane.
    pub(crate) lane: Lane,
    /// Whether the endpoint takes a cache key.
    pub(crate) cache: Cache,
    /// Whether a summary of the reasoning is asked for, where the shape has one.
    pub(crate) summary: Summary,
    /// Whether the token count is asked for, where the shape has such a wish.
    pub(crate) usage: Usage,
}

/// Which lane a call takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Nothing is said.
    Usual,
    /// The provider's priority tier.
    Priority,
}

/// Whether a call names its conversation for the provider's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cache {
    /// It does.
    Keyed,
    /// The endpoint may not know the field.
    Silent,
}

/// Whether a stream is asked to tell the tokens that it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usage {
    /// It is.
    Asked,
    /// It tells them anyway, and refuses the wish.
    Unasked,
}

/// Whether the provider is asked to sum its reasoning up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Summary {
    /// It is.
    Wanted,
    /// It has refused to, for this account.
    Unwanted,
}

/// Reads the answer to one call. Text is given as it comes, think tags and marked half characters and all.
pub(crate) trait Decode: Send {
    /// One event of a stream. After [`ModelEvent::End`] no more are given.
    ///
    /// # Errors
    /// The provider reports an error, or the event is broken.
    fn event(&mut self, event: Event<'_>, out: &mut Vec<ModelEvent>) -> Result<(), Trouble>;

    /// A whole answer in one document, from a server that does not stream.
    ///
    /// # Errors
    /// As for an event, or the document holds no answer.
    fn document(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), Trouble>;
}

/// Names a conversation to a provider without telling anything about it; the field takes 64 characters.
fn cache_key(session: &str) -> String {
    let mut hasher = DefaultHasher::new();
    session.hash(&mut hasher);
    format!("pensive-{:016x}", hasher.finish())
}

/// Reads JSON. Text with half a surrogate pair in it comes as [`repair`] marks it.
fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, Trouble> {
    let repaired = |error| serde_json::from_str(&repair::marked(json)).map_err(|_| broken(&error));
    serde_json::from_slice(json).or_else(repaired)
}

fn broken(error: &serde_json::Error) -> Trouble {
    // Only where and what kind: the text of the error may quote the answer.
    Trouble::Broken(format!("{:?} error at column {}", error.classify(), error.column()))
}

#[cfg(test)]
pub(crate) mod tests {
    use pensive_contract::model::Pace;
    use pensive_contract::model::{ModelRef, PromptTurn, Role};
    use pensive_directives::Level;

    use super::*;
    use crate::sse::Events;

    /// A call with a system prompt and three turns.
    pub(crate) fn call(effort: Option<&str>, lane: Lane, cache: Cache) -> Call<'_> {
        let turn = |role, text: &str| PromptTurn { role, text: text.to_owned() };
        let request = ModelRequest {
            model: ModelRef { provider: "p".into(), id: "m/1".into() },
            system: "Be brief.".into(),
            turns: vec![turn(Role::User, "Hi"), turn(Role::Assistant, "Hello"), turn(Role::User, "Bye")],
            thinking: Level::Off,
            pace: Pace::Normal,
            session: "agent:main:telegram:direct:42".into(),
        };
        Call { request, effort, lane, cache, summary: Summary::Wanted, usage: Usage::Asked }
    }

    /// What a decoder makes of a stream that arrives in pieces of that size.
    pub(crate) fn decode<D: Decode + Default>(stream: &str, size: usize) -> Result<Vec<ModelEvent>, Trouble> {
        let (mut decoder, mut events, mut out) = (D::default(), Events::default(), Vec::new());
        for chunk in stream.as_bytes().chunks(size) {
            events.push(chunk)?;
            while let Some(event) = events.next() {
                decoder.event(event, &mut out)?;
            }
        }
        Ok(out)
    }

    /// Checks what a decoder makes of the data lines, whatever the pieces.
    pub(crate) fn check<D: Decode + Default>(data: &[&str], expected: &[ModelEvent]) {
        let stream: String = data.iter().map(|data| format!("data: {data}\n\n")).collect();
        for size in [1, 2, 3, 7, 64, 1 << 20] {
            assert_eq!(decode::<D>(&stream, size).unwrap(), expected, "{size}: {stream}");
        }
    }

    /// Checks how a decoder fails over the data lines.
    pub(crate) fn check_fault<D: Decode + Default>(data: &[&str], expected: &str) {
        let stream: String = data.iter().map(|data| format!("data: {data}\n\n")).collect();
        assert_eq!(decode::<D>(&stream, 5).unwrap_err().to_string(), expected);
    }

    #[test]
    fn a_cache_key_is_short_stable_and_tells_nothing() {
        let key = cache_key("agent:main:telegram:direct:42");
        assert_eq!(key, cache_key("agent:main:telegram:direct:42"));
        assert_ne!(key, cache_key("agent:main:telegram:direct:43"));
        assert!(key.len() <= 64 && !key.contains("42:"));
    }
}
