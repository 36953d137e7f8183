//! The body of a call. What a model's own server wants back of its reasoning goes along, and only that.

use std::borrow::Cow;

use async_openai::types::chat::{
    ChatCompletionMessageToolCall, ChatCompletionNamedToolChoice, ChatCompletionRequestSystemMessage,
    ChatCompletionRequestToolMessage, ChatCompletionStreamOptions, ChatCompletionTool,
    ChatCompletionToolChoiceOption, ChatCompletionTools, FunctionCall, FunctionName, FunctionObject,
    ToolChoiceOptions,
};
use pensive_contract::media::{Media, MediaKind};
use pensive_contract::model::{ModelRequest, ToolChoice, ToolSpec};
use pensive_contract::speech::{Piece, PieceKind, Speech, ToolCall, ToolResult};
use serde::Serialize;
use serde_json::Value;

use crate::catalogue::Replay;
use crate::knobs::Fields;
use crate::wire::person::{self, DataUrl, Encoded, Part, Turn};
use crate::wire::{Cache, Call, Usage, cache_key, schema};

/// Stands between results and the next words of a person where the run ended without an answer. Mistral's models refuse a
/// person's turn right behind a tool's, wherever they are served.
const NO_ANSWER: &str = "(no answer)";

/// The conversation, and the fields that were decided.
#[derive(Serialize)]
pub(crate) struct Body<'a> {
    model: String,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ChatCompletionTools>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ChatCompletionToolChoiceOption>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<ChatCompletionStreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<String>,
    #[serde(flatten)]
    fields: Fields,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Message<'a> {
    System(ChatCompletionRequestSystemMessage),
    User { content: Content<'a> },
    Assistant(Assistant),
    Tool(ChatCompletionRequestToolMessage),
}

/// What a person says: a plain text where it is nothing else, since some servers read no other.
#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(String),
    Parts(Vec<Said<'a>>),
}

/// A part of it. The vendor's types would hold a copy of each picture, and know only two kinds of sound.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Said<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl<'a> },
    InputAudio { input_audio: InputAudio<'a> },
    File { file: File<'a> },
}

#[derive(Serialize)]
struct ImageUrl<'a> {
    url: DataUrl<'a>,
}

#[derive(Serialize)]
struct InputAudio<'a> {
    data: Encoded<'a>,
    format: &'static str,
}

#[derive(Serialize)]
struct File<'a> {
    filename: Cow<'a, str>,
    file_data: DataUrl<'a>,
}

/// What the model said. The vendor's type knows no field for reasoning, and leaves empty content out where some servers
/// want it to be null.
#[derive(Serialize)]
struct Assistant {
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasoning_details: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Called>,
}

#[derive(Serialize)]
struct Called {
    r#type: &'static str,
    #[serde(flatten)]
    call: ChatCompletionMessageToolCall,
    /// What Gemini had sealed, which it wants back with the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<Value>,
}

/// Makes the body of a call.
pub(crate) fn encode(call: Call<'_>) -> Body<'_> {
    let request = call.request;
    let has_tools = !request.tools.is_empty();
    Body {
        model: call.knobs.model.clone(),
        messages: messages(request, call.knobs.replay),
        tools: request.tools.iter().map(tool).collect(),
        tool_choice: choice(&call.knobs.choice).filter(|_| has_tools),
        stream: true,
        stream_options: (call.usage == Usage::Asked)
            .then_some(ChatCompletionStreamOptions { include_usage: Some(true), include_obfuscation: None }),
        prompt_cache_key: (call.cache == Cache::Keyed).then(|| cache_key(&request.session)),
        fields: call.knobs.fields.clone(),
    }
}

fn messages(request: &ModelRequest, replay: Replay) -> Vec<Message<'_>> {
    let mut messages = Vec::with_capacity(request.turns.len() + 1);
    if !request.system.is_empty() {
        let content = request.system.clone().into();
        messages.push(Message::System(ChatCompletionRequestSystemMessage { content, name: None }));
    }
    for turn in person::turns(&request.turns, takes) {
        match turn {
            Turn::Person(parts) => {
                if matches!(messages.last(), Some(Message::Tool(_))) {
                    messages.push(Message::Assistant(Assistant::text(NO_ANSWER)));
                }
                messages.push(Message::User { content: Content::from(parts) });
            }
            Turn::Model(speech) => messages.push(Message::Assistant(assistant(speech, replay))),
            Turn::Tools(results) => messages.extend(results.iter().map(result)),
        }
    }
    messages
}

/// What the shape has a place for. Sounds are named as OpenRouter does
/// (<https://openrouter.ai/docs/guides/overview/multimodal/audio>); OpenAI itself knows `wav` and `mp3`.
pub(crate) fn takes(media: &Media) -> bool {
    match media.kind {
        MediaKind::Image => person::is_common_picture(media) || media.mime == "image/gif",
        MediaKind::Audio => sound(media).is_some(),
        MediaKind::Document => person::is_pdf(media),
    }
}

fn sound(media: &Media) -> Option<&'static str> {
    match media.mime.as_str() {
        "audio/mpeg" | "audio/mp3" => Some("mp3"),
        "audio/wav" | "audio/x-wav" | "audio/wave" => Some("wav"),
        "audio/ogg" | "audio/opus" => Some("ogg"),
        "audio/mp4" | "audio/m4a" | "audio/x-m4a" => Some("m4a"),
        "audio/flac" | "audio/x-flac" => Some("flac"),
        "audio/aac" => Some("aac"),
        _ => None,
    }
}

impl<'a> From<Vec<Part<'a>>> for Content<'a> {
    fn from(parts: Vec<Part<'a>>) -> Self {
        match person::words(&parts) {
            Some(words) => Self::Text(words),
            None => Self::Parts(parts.into_iter().map(Said::from).collect()),
        }
    }
}

impl<'a> From<Part<'a>> for Said<'a> {
    fn from(part: Part<'a>) -> Self {
        let media = match part {
            Part::Text(text) => return Self::Text { text },
            Part::Media(media) => media,
        };
        match (media.kind, sound(media)) {
            (MediaKind::Audio, Some(format)) => {
                Self::InputAudio { input_audio: InputAudio { data: Encoded(&media.bytes), format } }
            }
            (MediaKind::Document, _) => {
                Self::File { file: File { filename: person::title(media), file_data: DataUrl(media) } }
            }
            (MediaKind::Image | MediaKind::Audio, _) => {
                Self::ImageUrl { image_url: ImageUrl { url: DataUrl(media) } }
            }
        }
    }
}

impl Assistant {
    fn text(text: &str) -> Self {
        Self {
            content: Some(text.to_owned()),
            reasoning_content: None,
            reasoning_details: Vec::new(),
            tool_calls: Vec::new(),
        }
    }
}

fn assistant(speech: &Speech, replay: Replay) -> Assistant {
    let tool_calls: Vec<Called> = speech.pieces.iter().filter_map(called).collect();
    let reasoning = || {
        let thought = speech.pieces.iter().map(|piece| match &piece.kind {
            PieceKind::Reasoning(words) => words.as_str(),
            PieceKind::Text(_) | PieceKind::Call(_) => "",
        });
        Some(thought.collect::<String>()).filter(|words| !words.is_empty())
    };
    let text = speech.text();
    Assistant {
        // Servers differ over a turn that only calls: some want the field, others refuse an empty text. Null is what
        // they write themselves.
        content: (!text.is_empty() || tool_calls.is_empty()).then_some(text),
        reasoning_content: match replay {
            Replay::Drop | Replay::Details => None,
            Replay::Content => reasoning(),
            Replay::ContentRequired => reasoning().or_else(|| (!tool_calls.is_empty()).then(String::new)),
        },
        reasoning_details: match replay {
            Replay::Details => speech.pieces.iter().flat_map(details).collect(),
            Replay::Drop | Replay::Content | Replay::ContentRequired => Vec::new(),
        },
        tool_calls,
    }
}

/// What a piece is sealed with: of a call its extra content, an object; of others the list of the reasoning's details.
fn sealed(piece: &Piece) -> Option<Value> {
    piece.seal.as_ref().and_then(|seal| serde_json::from_str(&seal.0).ok())
}

fn details(piece: &Piece) -> Vec<Value> {
    match sealed(piece) {
        Some(Value::Array(details)) => details,
        Some(_) | None => Vec::new(),
    }
}

fn called(piece: &Piece) -> Option<Called> {
    let PieceKind::Call(ToolCall { id, name, arguments }) = &piece.kind else { return None };
    let function = FunctionCall { name: name.clone(), arguments: arguments.clone() };
    Some(Called {
        r#type: "function",
        call: ChatCompletionMessageToolCall { id: id.clone(), function },
        extra_content: sealed(piece).filter(Value::is_object),
    })
}

fn result<'a>(result: &ToolResult) -> Message<'a> {
    Message::Tool(ChatCompletionRequestToolMessage {
        content: result.text.clone().into(),
        tool_call_id: result.id.clone(),
    })
}

fn tool(spec: &ToolSpec) -> ChatCompletionTools {
    ChatCompletionTools::Function(ChatCompletionTool {
        function: FunctionObject {
            name: spec.name.clone(),
            description: Some(spec.description.clone()),
            parameters: Some(schema(spec)),
            strict: None,
        },
    })
}

fn choice(choice: &ToolChoice) -> Option<ChatCompletionToolChoiceOption> {
    use ChatCompletionToolChoiceOption::{Function, Mode};
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(Mode(ToolChoiceOptions::None)),
        ToolChoice::Required => Some(Mode(ToolChoiceOptions::Required)),
        ToolChoice::Named(name) => {
            let function = FunctionName { name: name.clone() };
            Some(Function(ChatCompletionNamedToolChoice { function }))
        }
    }
}
