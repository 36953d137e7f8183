//! The body of a call. Nothing is stored at the provider, so that everything it needs of earlier turns goes along.

use std::borrow::Cow;

use async_openai::types::responses::{
    EasyInputContent, EasyInputMessage, FunctionCallOutput, FunctionCallOutputItemParam, FunctionTool,
    FunctionToolCall, IncludeEnum, InputItem, Item, MessagePhase, MessageType, Role, Tool,
    ToolChoiceFunction, ToolChoiceOptions, ToolChoiceParam,
};
use pensive_contract::media::{Media, MediaKind};
use pensive_contract::model::{ToolChoice, ToolSpec};
use pensive_contract::speech::{Piece, PieceKind, ToolCall, ToolResult};
use serde::Serialize;

use super::sealed::Sealed;
use crate::knobs::{Fields, Thinks};
use crate::wire::person::{self, DataUrl, Part, Turn};
use crate::wire::{Cache, Call, cache_key, schema};

/// The conversation, and the fields that were decided.
#[derive(Serialize)]
pub(crate) struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    instructions: &'a str,
    input: Vec<Input<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    include: Option<[IncludeEnum; 1]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ToolChoiceParam>,
    store: bool,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<String>,
    #[serde(flatten)]
    fields: &'a Fields,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Input<'a> {
    Item(Box<InputItem>),
    Sent(Sent<'a>),
}

/// What a person sent and said. The vendor's own types would hold a copy of each picture.
#[derive(Serialize)]
struct Sent<'a> {
    r#type: MessageType,
    role: Role,
    content: Vec<Said<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type")]
enum Said<'a> {
    #[serde(rename = "input_text")]
    Text { text: Cow<'a, str> },
    #[serde(rename = "input_image")]
    Image { image_url: DataUrl<'a>, detail: &'static str },
    #[serde(rename = "input_file")]
    File { filename: Cow<'a, str>, file_data: DataUrl<'a> },
}

/// Makes the body of a call.
pub(crate) fn encode(call: Call<'_>) -> Body<'_> {
    let request = call.request;
    let is_keyed = call.cache == Cache::Keyed;
    // Models that do not reason refuse the wish.
    let wants_sealed = is_keyed && call.knobs.thinks == Thinks::Yes;
    Body {
        model: &call.knobs.model,
        instructions: &request.system,
        input: person::turns(&request.turns, takes).into_iter().flat_map(items).collect(),
        include: wants_sealed.then_some([IncludeEnum::ReasoningEncryptedContent]),
        tools: request.tools.iter().map(tool).collect(),
        tool_choice: choice(&call.knobs.choice).filter(|_| !request.tools.is_empty()),
        store: false,
        stream: true,
        prompt_cache_key: is_keyed.then(|| cache_key(&request.session)),
        fields: &call.knobs.fields,
    }
}

/// What the shape has a place for, after <https://developers.openai.com/api/docs/guides/images-vision> and
/// <https://developers.openai.com/api/docs/guides/file-inputs>. Sound is not heard here.
pub(crate) fn takes(media: &Media) -> bool {
    person::is_common_picture(media) || media.mime == "image/gif" || person::is_pdf(media)
}

fn items(turn: Turn<'_>) -> Vec<Input<'_>> {
    let item = |item| Input::Item(Box::new(item));
    match turn {
        Turn::Person(parts) => vec![match person::words(&parts) {
            Some(words) => item(message(Role::User, &words, None)),
            None => Input::Sent(sent(parts)),
        }],
        Turn::Model(speech) => speech.pieces.iter().flat_map(said).map(item).collect(),
        Turn::Tools(results) => results.iter().map(output).map(item).collect(),
    }
}

fn sent(parts: Vec<Part<'_>>) -> Sent<'_> {
    let part = |part| match part {
        Part::Text(text) => Said::Text { text },
        Part::Media(media) if media.kind == MediaKind::Document => {
            Said::File { filename: person::title(media), file_data: DataUrl(media) }
        }
        Part::Media(media) => Said::Image { image_url: DataUrl(media), detail: "auto" },
    };
    Sent { r#type: MessageType::Message, role: Role::User, content: parts.into_iter().map(part).collect() }
}

/// A piece of what the model said, and the reasoning that its seal holds. Reasoning that is not sealed stays away: the
/// provider does not take it back.
fn said(piece: &Piece) -> impl Iterator<Item = InputItem> {
    let sealed = piece.seal.as_ref().and_then(Sealed::open);
    let phase = sealed.as_ref().and_then(Sealed::phase);
    let item = match &piece.kind {
        PieceKind::Text(text) if !text.trim().is_empty() => Some(message(Role::Assistant, text, phase)),
        PieceKind::Text(_) | PieceKind::Reasoning(_) => None,
        PieceKind::Call(call) => Some(function_call(call)),
    };
    let reasoning = sealed.and_then(Sealed::reasoning).map(|item| InputItem::Item(Item::Reasoning(item)));
    item.into_iter().chain(reasoning)
}

fn message(role: Role, text: &str, phase: Option<MessagePhase>) -> InputItem {
    InputItem::EasyMessage(EasyInputMessage {
        r#type: MessageType::Message,
        role,
        content: EasyInputContent::Text(text.to_owned()),
        phase,
    })
}

/// The call goes back without the item's own id, which would tie it to an item that is not stored.
fn function_call(call: &ToolCall) -> InputItem {
    InputItem::Item(Item::FunctionCall(FunctionToolCall {
        arguments: call.arguments.clone(),
        call_id: call.id.clone(),
        name: call.name.clone(),
        namespace: None,
        id: None,
        status: None,
        caller: None,
        r#async: None,
    }))
}

fn output(result: &ToolResult) -> InputItem {
    InputItem::Item(Item::FunctionCallOutput(FunctionCallOutputItemParam {
        call_id: Some(result.id.clone()),
        output: FunctionCallOutput::Text(result.text.clone()),
        id: None,
        status: None,
        name: None,
        namespace: None,
        caller: None,
    }))
}

/// A tool. Unless told otherwise the provider demands schemas in which every field is required.
fn tool(spec: &ToolSpec) -> Tool {
    Tool::Function(FunctionTool {
        name: spec.name.clone(),
        description: Some(spec.description.clone()),
        parameters: Some(schema(spec)),
        strict: Some(false),
        ..FunctionTool::default()
    })
}

fn choice(choice: &ToolChoice) -> Option<ToolChoiceParam> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(ToolChoiceParam::Option(ToolChoiceOptions::None)),
        ToolChoice::Required => Some(ToolChoiceParam::Option(ToolChoiceOptions::Required)),
        ToolChoice::Named(name) => Some(ToolChoiceParam::Function(ToolChoiceFunction { name: name.clone() })),
    }
}
