//! What the model will say, step by step.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::{failure::Failure, request::Request};
use crate::gate::Gate;

/// One step of an answer.
#[derive(Clone, Debug)]
pub enum Step {
    /// A piece of thought.
    Reasoning(String),
    /// Seals the thought before it, with these words or with some of the fake's making. Anthropic: the block's signature. Responses:
    /// `encrypted_content`, where asked for. Gemini: `thoughtSignature` of the next function call, else of the last text. Chat:
    /// `reasoning_details` where thoughts go there, else `extra_content.google` of the next tool call.
    Signature(Option<String>),
    /// A thought that nobody may read, which Anthropic, Responses and `reasoning_details` have; the others say nothing.
    Redacted(String),
    /// The next piece of thought begins a block of its own, where the API has blocks.
    NewThought,
    /// A piece of the answer.
    Text(String),
    /// A whole tool call, its arguments sent in two pieces where the API has pieces.
    ToolCall {
        /// Tool name.
        name: String,
        /// JSON text, valid or not.
        arguments: String,
    },
    /// Goes on when the gate lets it.
    Wait(Gate),
    /// Goes on after a while.
    Delay(Duration),
    /// These bytes as they are, between events; nothing when the answer is not streamed.
    Raw(String),
    /// An event that no client knows.
    Unknown,
    /// An error event inside the stream, after which nothing comes.
    Error(String),
    /// Nothing more comes, and the connection stays.
    Stall,
    /// The connection breaks.
    Cut,
    /// The body ends as if all were said: without `[DONE]`, `response.completed`, `message_stop` or `done`.
    EndEarly,
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was done, or called its tools.
    #[default]
    Stop,
    /// The token limit was reached.
    Length,
    /// The filter of the provider.
    ContentFilter,
    /// For its tools, whether it called any or not.
    ToolUse,
    /// It would not answer: the text is the refusal, where the API tells the two apart.
    Refusal,
}

/// Where Chat Completions and Responses servers put thoughts; each API has its own usual place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningShape {
    /// `delta.reasoning_content`; a summary in Responses.
    #[default]
    Usual,
    /// `delta.reasoning`; raw `reasoning_text` in Responses.
    Plain,
    /// `delta.reasoning_details`, a list of typed parts.
    Details,
    /// The same text as `delta.reasoning` and as `delta.reasoning_details`, as OpenRouter has it.
    Both,
}

impl ReasoningShape {
    pub(crate) fn has_details(self) -> bool {
        match self {
            Self::Details | Self::Both => true,
            Self::Usual | Self::Plain => false,
        }
    }
}

/// Token counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Usage {
    /// Prompt.
    pub input: u64,
    /// Of these from the cache.
    pub cached: u64,
    /// Answer and thoughts.
    pub output: u64,
    /// Of these thoughts.
    pub reasoning: u64,
}

/// An answer in the making. Steps are played in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub(crate) failure: Option<Failure>,
    pub(crate) steps: Vec<Step>,
    pub(crate) head_wait: Vec<Step>,
    pub(crate) usage: Option<Usage>,
    pub(crate) finish: Finish,
    pub(crate) shape: ReasoningShape,
    pub(crate) null_first: bool,
    pub(crate) unsigned: bool,
}

impl Script {
    /// Says nothing: an empty answer that ends well.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fails before a word.
    pub fn fail(failure: Failure) -> Self {
        Self { failure: Some(failure), ..Self::default() }
    }

    /// Repeats the prompt, word by word, with a thought before it where the request asks for an effort.
    pub fn echo(request: &Request) -> Self {
        let prompt = request.prompt();
        let script = match request.effort().filter(|effort| *effort != "none") {
            Some(effort) => Self::new().reasoning(&format!("Thinking with effort {effort}.")),
            None => Self::new(),
        };
        prompt.split_inclusive(char::is_whitespace).fold(script.text("You said: "), Self::text)
    }

    /// Any step.
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// A piece of thought.
    pub fn reasoning(self, piece: &str) -> Self {
        self.step(Step::Reasoning(piece.to_owned()))
    }

    /// Seals the thought before it with these words.
    pub fn signature(self, signature: &str) -> Self {
        self.step(Step::Signature(Some(signature.to_owned())))
    }

    /// Seals the thought before it with words of the fake's making.
    pub fn sealed(self) -> Self {
        self.step(Step::Signature(None))
    }

    /// A thought that nobody may read.
    pub fn redacted(self, data: &str) -> Self {
        self.step(Step::Redacted(data.to_owned()))
    }

    /// The next piece of thought begins a block of its own.
    pub fn new_thought(self) -> Self {
        self.step(Step::NewThought)
    }

    /// A piece of the answer.
    pub fn text(self, piece: &str) -> Self {
        self.step(Step::Text(piece.to_owned()))
    }

    /// The answer in pieces of `size` characters, wherever that cuts.
    pub fn text_in(self, size: usize, text: &str) -> Self {
        let letters: Vec<char> = text.chars().collect();
        letters
            .chunks(size.max(1))
            .fold(self, |script, piece| script.step(Step::Text(piece.iter().collect())))
    }

    /// A tool call.
    pub fn tool_call(self, name: &str, arguments: &Value) -> Self {
        self.step(Step::ToolCall { name: name.to_owned(), arguments: arguments.to_string() })
    }

    /// Waits for the gate.
    pub fn wait(self, gate: &Gate) -> Self {
        self.step(Step::Wait(gate.clone()))
    }

    /// Waits a while.
    pub fn delay(self, by: Duration) -> Self {
        self.step(Step::Delay(by))
    }

    /// Sends no header before the gate opens.
    pub fn first_byte(mut self, gate: &Gate) -> Self {
        self.head_wait.push(Step::Wait(gate.clone()));
        self
    }

    /// Sends no header for a while.
    pub fn first_byte_after(mut self, by: Duration) -> Self {
        self.head_wait.push(Step::Delay(by));
        self
    }

    /// A chunk that is no JSON.
    pub fn broken_chunk(self) -> Self {
        self.step(Step::Raw("data: {\"choices\":[{\"delta\":{\"content\":\"bro\n\n".into()))
    }

    /// An event that no client knows.
    pub fn unknown_event(self) -> Self {
        self.step(Step::Unknown)
    }

    /// An error inside the stream.
    pub fn error_event(self, message: &str) -> Self {
        self.step(Step::Error(message.to_owned()))
    }

    /// Never goes on.
    pub fn stall(self) -> Self {
        self.step(Step::Stall)
    }

    /// Breaks the connection.
    pub fn cut(self) -> Self {
        self.step(Step::Cut)
    }

    /// Ends without the end that the API promises.
    pub fn end_early(self) -> Self {
        self.step(Step::EndEarly)
    }

    /// Token counts instead of estimated ones.
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Why it stops.
    pub fn finish(mut self, finish: Finish) -> Self {
        self.finish = finish;
        self
    }

    /// Where its thoughts go.
    pub fn reasoning_as(mut self, shape: ReasoningShape) -> Self {
        self.shape = shape;
        self
    }

    /// Nothing is sealed by itself: how servers behave that speak a vendor's shape and are not that vendor.
    pub fn unsigned(mut self) -> Self {
        self.unsigned = true;
        self
    }

    /// The first delta has `"content": null`, as some servers have it.
    pub fn null_first(mut self) -> Self {
        self.null_first = true;
        self
    }
}
