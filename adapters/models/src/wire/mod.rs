//! The shapes that providers speak. Each module turns a call into a body and the events of an answer into pieces; both
//! are plain functions over values.

pub(crate) mod gemini;
pub(crate) mod lenient;
pub(crate) mod messages;
pub(crate) mod ollama;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
pub(crate) mod person;

use std::hash::{DefaultHasher, Hash, Hasher};

use pensive_contract::model::{ModelEvent, ModelRequest, ToolSpec};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::knobs::Knobs;
use crate::repair;
use crate::sse::Event;
use crate::trouble::Trouble;

/// A call with everything that its body needs. The history is repaired already: every result stands behind its call, no
/// turn is empty, and no seal belongs to another model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    /// What is asked.
    pub(crate) request: &'a ModelRequest,
    /// All that is beside the conversation; its fields are flattened into the body.
    pub(crate) knobs: &'a Knobs,
    /// Whether the endpoint keeps conversations on request.
    pub(crate) cache: Cache,
    /// Whether the token count is asked for, where the shape has such a wish.
    pub(crate) usage: Usage,
}

/// Whether a call helps the provider's cache: by a key that names the conversation, or by marks in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cache {
    /// It does.
    Keyed,
    /// The endpoint may not know the fields.
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

/// Reads the answer to one call. Text is given as it comes, think tags and marked half characters and all.
pub(crate) trait Decode: Send {
    /// One event of a stream. After [`ModelEvent::End`] no more are given.
    ///
    /// # Errors
    /// The provider reports an error, or the event is broken.
    fn event(&mut self, event: Event<'_>, out: &mut Vec<ModelEvent>) -> Result<(), Trouble>;

    /// A JSON document outside of any event: the whole answer of a server that does not stream or, where the shape has
    /// no events, one piece of it.
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

/// What a tool takes, as the shapes want it: an object, even where there is nothing to take.
fn schema(spec: &ToolSpec) -> Value {
    let schema = serde_json::from_str(&spec.schema).ok().filter(Value::is_object);
    schema.unwrap_or_else(|| json!({ "type": "object", "properties": {} }))
}

/// The arguments of a call whose pieces are all there. Servers write those of a tool that takes none in several ways.
fn arguments(words: String) -> String {
    if words.trim().is_empty() { "{}".to_owned() } else { repair::healed(words) }
}

/// The arguments of a call for shapes that take an object and nothing else. What a model wrote that is none goes back
/// under a name of its own, so that it can see what it did.
pub(crate) fn object(arguments: &str) -> Map<String, Value> {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(fields)) => fields,
        Ok(Value::Null) => Map::new(),
        Err(_) if arguments.trim().is_empty() => Map::new(),
        Ok(_) | Err(_) => Map::from_iter([("arguments".to_owned(), Value::from(arguments))]),
    }
}

/// How the ids begin that calls get here because the provider gave them none.
const MADE_ID: &str = "pensive_";

/// An id for a call without one. `answer` is what the provider tells its answers apart by; the same answer gives the same
/// ids.
fn made_id(answer: &str, index: usize, name: &str, arguments: &str) -> String {
    let mut hasher = DefaultHasher::new();
    (answer, index, name, arguments).hash(&mut hasher);
    format!("{MADE_ID}{:016x}", hasher.finish())
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
    use pensive_contract::model::{Manner, ModelRef, Pace, Params, PromptTurn, ToolChoice};
    use pensive_contract::speech::Speech;
    use pensive_directives::Level;

    use super::*;
    use crate::catalogue::Replay;
    use crate::knobs::{Fields, Thinks, Words};
    use crate::sse::Events;
    use crate::transport::Patience;

    /// A request with a system prompt and three turns.
    pub(crate) fn request() -> ModelRequest {
        let turns = vec![
            PromptTurn::User("Hi".into()),
            PromptTurn::Assistant(Speech::text_only(None, "Hello")),
            PromptTurn::User("Bye".into()),
        ];
        ModelRequest {
            model: ModelRef { provider: "p".into(), id: "m/1".into() },
            system: "Be brief.".into(),
            turns,
            tools: Vec::new(),
            choice: ToolChoice::Auto,
            manner: Manner { thinking: Level::Off, pace: Pace::Normal, params: Params::default() },
            session: "agent:main:telegram:direct:42".into(),
        }
    }

    /// Knobs that say nothing but these fields.
    pub(crate) fn knobs(fields: &[(&'static str, serde_json::Value)]) -> Knobs {
        let mut all = Fields::default();
        fields.iter().for_each(|(path, value)| all.put(path, value.clone()));
        Knobs {
            model: "m/1".into(),
            said: Fields::default(),
            fields: all,
            level: Level::Off,
            choice: ToolChoice::Auto,
            replay: Replay::Drop,
            thinks: Thinks::No,
            words: Words::Ours,
            patience: Patience::Usual,
            beta: Vec::new(),
            why: Vec::new(),
        }
    }

    /// The body that a call makes, as a value.
    pub(crate) fn body<'a, B: serde::Serialize>(
        request: &'a ModelRequest,
        knobs: &'a Knobs,
        encode: impl Fn(Call<'a>) -> B,
    ) -> serde_json::Value {
        let call = Call { request, knobs, cache: Cache::Silent, usage: Usage::Asked };
        serde_json::to_value(encode(call)).unwrap()
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

    #[test]
    fn arguments_become_an_object() {
        let check = |arguments, expected: Value| assert_eq!(Value::Object(object(arguments)), expected);
        check(r#"{"b":1,"a":[2.5]}"#, json!({"b": 1, "a": [2.5]}));
        check("", json!({}));
        check(" null ", json!({}));
        check("[1]", json!({"arguments": "[1]"}));
        check("{\"a\":", json!({"arguments": "{\"a\":"}));
    }

    #[test]
    fn made_ids_differ_within_an_answer_and_between_answers() {
        let id = made_id("r1", 0, "look", "{}");
        assert_eq!(id, made_id("r1", 0, "look", "{}"));
        assert_ne!(id, made_id("r1", 1, "look", "{}"));
        assert_ne!(id, made_id("r2", 0, "look", "{}"));
        assert!(id.starts_with(MADE_ID) && id.len() == 24);
    }
}
