//! Ollama's own `/api/chat`, whose answer is one JSON object a line.
//!
//! Fields as of <https://docs.ollama.com/api/chat> and the vendor's Python library 0.6.3, read in November 2026.

use pensive_contract::media::Media;
use pensive_contract::model::{ModelEvent, ModelRequest, StopReason, TokenUsage, ToolChoice, ToolSpec};
use pensive_contract::speech::{Speech, ToolCall, ToolResult};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::lenient::{Count, Loose, Text};
use super::person::{self, Encoded, Part, Turn};
use super::{Call, Decode, arguments, made_id, object, read, schema};
use crate::knobs::Fields;
use crate::refusal::Refusal;
use crate::sse::{Event, Kind};
use crate::trouble::Trouble;

/// The body of a call.
#[derive(Serialize)]
pub(crate) struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    stream: bool,
    #[serde(flatten)]
    fields: &'a Fields,
}

#[derive(Serialize, Default)]
struct Message<'a> {
    role: &'static str,
    content: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<Encoded<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Called<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'a str>,
}

#[derive(Serialize)]
struct Called<'a> {
    function: CalledFunction<'a>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: Map<String, Value>,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Value,
}

/// The conversation, and the fields that were decided.
pub(crate) fn encode(call: Call<'_>) -> Body<'_> {
    let Call { request, knobs, .. } = call;
    let system = (!request.system.is_empty()).then(|| message("system", request.system.clone()));
    Body {
        model: &knobs.model,
        messages: system.into_iter().chain(messages(request)).collect(),
        tools: request.tools.iter().filter(|tool| is_on_offer(tool, &knobs.choice)).map(tool).collect(),
        stream: true,
        fields: &knobs.fields,
    }
}

/// The shape has no word for a choice of tools; a model can only be shown those that it may call.
fn is_on_offer(tool: &ToolSpec, choice: &ToolChoice) -> bool {
    match choice {
        ToolChoice::Auto | ToolChoice::Required => true,
        ToolChoice::None => false,
        ToolChoice::Named(name) => tool.name == *name,
    }
}

/// Thoughts go back within a loop of tool calls, which the vendor asks for; those of earlier turns only take room.
fn messages(request: &ModelRequest) -> impl Iterator<Item = Message<'_>> {
    let turns = person::turns(&request.turns, takes);
    let loop_start = turns.iter().rposition(|turn| matches!(turn, Turn::Person(_))).unwrap_or(0);
    turns.into_iter().enumerate().flat_map(move |(at, turn)| match turn {
        Turn::Person(parts) => vec![asked(parts)],
        Turn::Model(speech) => {
            let is_own = at > loop_start && speech.model.as_ref() == Some(&request.model);
            let thinking = is_own.then(|| speech.reasoning()).filter(|thoughts| !thoughts.is_empty());
            vec![Message { thinking, ..spoken(speech) }]
        }
        Turn::Tools(results) => results.iter().map(result).collect(),
    })
}

/// The server reads pictures of these kinds, and nothing else beside text.
pub(crate) fn takes(media: &Media) -> bool {
    person::is_common_picture(media)
}

/// The shape has pictures beside the text; the server puts them before it.
fn asked(parts: Vec<Part<'_>>) -> Message<'_> {
    let mut images = Vec::new();
    let mut texts = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => texts.push(text),
            Part::Media(media) => images.push(Encoded(&media.bytes)),
        }
    }
    Message { images, ..message("user", texts.join("\n\n")) }
}

fn message(role: &'static str, content: String) -> Message<'static> {
    Message { role, content, ..Message::default() }
}

fn spoken(speech: &Speech) -> Message<'_> {
    let tool_calls = speech.calls().map(|call| Called {
        function: CalledFunction { name: &call.name, arguments: object(&call.arguments) },
    });
    Message { tool_calls: tool_calls.collect(), ..message("assistant", speech.text()) }
}

fn result(result: &ToolResult) -> Message<'_> {
    Message { tool_name: Some(&result.name), ..message("tool", result.text.clone()) }
}

fn tool(tool: &ToolSpec) -> Tool<'_> {
    let function = Function { name: &tool.name, description: &tool.description, parameters: schema(tool) };
    Tool { r#type: "function", function }
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    created_at: Text,
    #[serde(default)]
    message: Loose<Said>,
    #[serde(default)]
    done: Loose<bool>,
    #[serde(default)]
    done_reason: Text,
    #[serde(default)]
    prompt_eval_count: Count,
    #[serde(default)]
    eval_count: Count,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Said {
    thinking: Text,
    /// What some stand-ins call it.
    reasoning_content: Text,
    content: Text,
    tool_calls: Loose<Vec<Wish>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Wish {
    id: Text,
    function: Loose<WishedFunction>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WishedFunction {
    name: Text,
    arguments: Value,
}

/// Reads the answer to one call.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    calls: usize,
    over: bool,
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<ModelEvent>) -> Result<(), Trouble> {
        if self.over {
            return Ok(());
        }
        let line: Line = read(event.data)?;
        if line.error.is_some() || event.kind == Kind::Error {
            return Err(Refusal::read(None, event.data).into());
        }
        self.line(line, out);
        Ok(())
    }

    fn document(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), Trouble> {
        self.event(Event { kind: Kind::Any, data: body }, out)
    }
}

impl Decoder {
    fn line(&mut self, line: Line, out: &mut Vec<ModelEvent>) {
        let said = line.message.known();
        let thought = said.thinking.some().or_else(|| said.reasoning_content.some());
        out.extend(thought.map(ModelEvent::Reasoning));
        out.extend(said.content.some().map(ModelEvent::Text));
        let moment = line.created_at.0.unwrap_or_default();
        for wish in said.tool_calls.known() {
            out.extend(self.call(wish, &moment).map(ModelEvent::Call));
        }
        if line.done.known() {
            let (input, output) = (line.prompt_eval_count.0, line.eval_count.0);
            out.push(ModelEvent::Usage(TokenUsage { input, output, ..TokenUsage::default() }));
            out.push(ModelEvent::End(self.stop(line.done_reason.0.as_deref())));
            self.over = true;
        }
    }

    /// A call without a name is none.
    fn call(&mut self, wish: Wish, moment: &str) -> Option<ToolCall> {
        let function = wish.function.known();
        let name = function.name.some()?;
        let arguments = arguments(match function.arguments {
            Value::Null => String::new(),
            Value::String(text) => text,
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                other.to_string()
            }
        });
        let id = wish.id.some().unwrap_or_else(|| made_id(moment, self.calls, &name, &arguments));
        self.calls += 1;
        Some(ToolCall { id, name, arguments })
    }

    fn stop(&self, reason: Option<&str>) -> StopReason {
        match reason {
            Some("stop" | "") | None if self.calls > 0 => StopReason::Tools,
            Some("stop" | "") | None => StopReason::Done,
            Some("length") => StopReason::Length,
            Some(other) => StopReason::Other(other.chars().take(40).collect()),
        }
    }
}

#[cfg(test)]
mod tests;
