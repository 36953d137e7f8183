//! Anthropic's Messages, and the servers that speak like it. This file writes the body; [`decoder`] reads the answer.
//!
//! The fields are those of the vendor's own types (`anthropic` 2.14.0); where marks for the cache go follows
//! <https://platform.claude.com/docs/en/build-with-claude/prompt-caching>, read in November 2026.

mod decoder;
mod seal;

use std::borrow::Cow;
use std::collections::BTreeSet;

use pensive_contract::media::{Media, MediaKind};
use pensive_contract::model::{ModelRequest, PromptTurn, ToolChoice, ToolSpec};
use pensive_contract::speech::{Piece, PieceKind, Speech, ToolCall, ToolOutcome, ToolResult};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::person::{self, Encoded, Part, Turn};
use super::{Cache, Call, object, schema};
use seal::Thought;

pub(crate) use decoder::Decoder;

/// The body of a call.
#[derive(Serialize)]
pub(crate) struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    stream: bool,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: Role,
    content: Vec<Block<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
}

#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Mark>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    Text {
        text: Cow<'a, str>,
    },
    Image {
        source: Source<'a>,
    },
    Document {
        source: Source<'a>,
        title: Cow<'a, str>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: Map<String, Value>,
    },
    ToolResult {
        tool_use_id: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        content: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        is_error: Option<bool>,
    },
}

/// Something that was sent, whole.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Source<'a> {
    Base64 { media_type: &'a str, data: Encoded<'a> },
}

/// Asks that everything up to here be kept for the next call.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Mark {
    Ephemeral,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    input_schema: Value,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Choice<'a> {
    Any,
    Tool { name: &'a str },
    None,
}

/// The conversation, and the fields that were decided.
pub(crate) fn encode(call: Call<'_>) -> Body<'_> {
    let Call { request, knobs, .. } = call;
    let (tools, tool_choice) = tools(request, &knobs.choice);
    let mut body = Body {
        model: &knobs.model,
        system: Vec::new(),
        messages: messages(&request.turns),
        tools,
        tool_choice,
        stream: true,
        fields: knobs.fields.body(),
    };
    if !request.system.trim().is_empty() {
        body.system.push(Content::Text { text: request.system.as_str().into() }.into());
    }
    if has_budget(&body.fields) && !thought_first(&body.messages) {
        body.fields.insert("thinking".to_owned(), json!({ "type": "disabled" }));
    }
    if call.cache == Cache::Keyed {
        mark(&mut body);
    }
    body
}

/// A new message for each change of speaker: results, and what the person says right behind them, are one.
fn messages(turns: &[PromptTurn]) -> Vec<Message<'_>> {
    let mut messages: Vec<Message<'_>> = Vec::with_capacity(turns.len());
    for turn in person::turns(turns, takes) {
        let (role, mut content) = match turn {
            Turn::Person(parts) => {
                (Role::User, parts.into_iter().map(|part| Content::from(part).into()).collect())
            }
            Turn::Tools(results) => (Role::User, results.iter().map(Block::from).collect()),
            Turn::Model(speech) => (Role::Assistant, said(speech)),
        };
        match messages.last_mut() {
            Some(last) if last.role == role => last.content.append(&mut content),
            Some(_) | None => messages.push(Message { role, content }),
        }
    }
    messages
}

/// Pictures are measured in base64, as <https://platform.claude.com/docs/en/build-with-claude/vision> (5 MB each) leaves
/// open and the refusals show, which count 5,242,880 bytes of it.
pub(crate) fn takes(media: &Media) -> bool {
    const LARGEST: usize = 5 << 20;
    let is_picture = person::is_common_picture(media) || media.mime == "image/gif";
    is_picture && Encoded::length(&media.bytes) <= LARGEST || person::is_pdf(media)
}

impl<'a> From<Part<'a>> for Content<'a> {
    fn from(part: Part<'a>) -> Self {
        let source =
            |media: &'a Media| Source::Base64 { media_type: &media.mime, data: Encoded(&media.bytes) };
        match part {
            Part::Text(text) => Self::Text { text },
            Part::Media(media) if media.kind == MediaKind::Document => {
                Self::Document { source: source(media), title: person::title(media) }
            }
            Part::Media(media) => Self::Image { source: source(media) },
        }
    }
}

fn said(speech: &Speech) -> Vec<Block<'_>> {
    speech.pieces.iter().flat_map(blocks).map(Block::from).collect()
}

/// What a piece was made of. Reasoning without a seal is refused; a seal on something else is of thought that came behind
/// it and that nobody may see.
fn blocks(piece: &Piece) -> impl Iterator<Item = Content<'_>> {
    let (said, thinking) = match &piece.kind {
        PieceKind::Reasoning(thinking) => (None, thinking.as_str()),
        PieceKind::Text(text) => (Some(Content::Text { text: text.into() }), ""),
        PieceKind::Call(call) => (Some(call.into()), ""),
    };
    let thought = piece.seal.as_ref().and_then(Thought::of).map(|thought| match thought {
        Thought::Signed(signature) => Content::Thinking { thinking, signature },
        Thought::Redacted(data) => Content::RedactedThinking { data },
    });
    said.into_iter().chain(thought)
}

impl<'a> From<&'a ToolCall> for Content<'a> {
    fn from(call: &'a ToolCall) -> Self {
        Self::ToolUse { id: &call.id, name: &call.name, input: object(&call.arguments) }
    }
}

impl<'a> From<&'a ToolResult> for Block<'a> {
    fn from(result: &'a ToolResult) -> Self {
        let (content, is_error) = match result.outcome {
            ToolOutcome::Done => (result.text.as_str(), None),
            // An error without words is refused.
            ToolOutcome::Failed if result.text.trim().is_empty() => ("The tool failed.", Some(true)),
            ToolOutcome::Failed => (result.text.as_str(), Some(true)),
        };
        Content::ToolResult { tool_use_id: &result.id, content, is_error }.into()
    }
}

impl<'a> From<Content<'a>> for Block<'a> {
    fn from(content: Content<'a>) -> Self {
        Self { content, cache_control: None }
    }
}

/// The tools on offer. A conversation in which tools were called must name some, so that where none are on offer now, the
/// called ones are named and none may be called.
fn tools<'a>(request: &'a ModelRequest, choice: &'a ToolChoice) -> (Vec<Tool<'a>>, Option<Choice<'a>>) {
    if request.tools.is_empty() {
        let speeches = request.turns.iter().filter_map(|turn| match turn {
            PromptTurn::Assistant(speech) => Some(speech),
            PromptTurn::User(_) | PromptTurn::Media(_) | PromptTurn::Tools(_) => None,
        });
        let called: BTreeSet<&str> =
            speeches.flat_map(Speech::calls).map(|call| call.name.as_str()).collect();
        let choice = (!called.is_empty()).then_some(Choice::None);
        let tool = |name| Tool { name, description: "", input_schema: json!({ "type": "object" }) };
        return (called.into_iter().map(tool).collect(), choice);
    }
    let choice = match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(Choice::None),
        ToolChoice::Required => Some(Choice::Any),
        ToolChoice::Named(name) => Some(Choice::Tool { name }),
    };
    (request.tools.iter().map(Tool::from).collect(), choice)
}

impl<'a> From<&'a ToolSpec> for Tool<'a> {
    fn from(tool: &'a ToolSpec) -> Self {
        Self { name: &tool.name, description: &tool.description, input_schema: schema(tool) }
    }
}

fn has_budget(fields: &Map<String, Value>) -> bool {
    fields.get("thinking").and_then(|thinking| thinking.get("type")).is_some_and(|kind| kind == "enabled")
}

/// Whether the turn that the model is in the middle of, results of tools included, began with a thought. Where it did not,
/// because the thought was another model's or was refused, a call that thinks within a budget is refused too.
fn thought_first(messages: &[Message<'_>]) -> bool {
    let is_result = |block: &Block<'_>| matches!(block.content, Content::ToolResult { .. });
    let asked = messages
        .iter()
        .rposition(|message| message.role == Role::User && !message.content.iter().any(is_result));
    let answer = messages.get(asked.map_or(0, |at| at + 1));
    answer.and_then(|answer| answer.content.first()).is_none_or(|first| {
        matches!(first.content, Content::Thinking { .. } | Content::RedactedThinking { .. })
    })
}

/// Marks what the next call will begin with as well: tools and system prompt, which come first, and the conversation up to
/// here. The mark of the call before is set again, since a lookup goes back by only twenty blocks from a mark.
fn mark(body: &mut Body<'_>) {
    let people = body.messages.iter_mut().rev().filter(|message| message.role == Role::User);
    let ends = people.take(2).filter_map(|message| message.content.last_mut());
    for block in body.system.last_mut().into_iter().chain(ends) {
        block.cache_control = Some(Mark::Ephemeral);
    }
}

#[cfg(test)]
mod tests;
