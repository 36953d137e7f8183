//! The body of a call. Nothing is stored at the provider, so that everything it needs of earlier turns goes along.

use async_openai::types::responses::{
    CreateResponse, EasyInputContent, EasyInputMessage, FunctionCallOutput, FunctionCallOutputItemParam,
    FunctionTool, FunctionToolCall, IncludeEnum, InputItem, InputParam, Item, MessagePhase, MessageType,
    Role, Tool, ToolChoiceFunction, ToolChoiceOptions, ToolChoiceParam,
};
use pensive_contract::model::{PromptTurn, ToolChoice, ToolSpec};
use pensive_contract::speech::{Piece, PieceKind, ToolCall, ToolResult};
use serde::Serialize;

use super::sealed::Sealed;
use crate::knobs::{Fields, Thinks};
use crate::wire::{Cache, Call, cache_key, schema};

/// The conversation, and the fields that were decided.
#[derive(Serialize)]
pub(crate) struct Body {
    #[serde(flatten)]
    request: CreateResponse,
    #[serde(flatten)]
    fields: Fields,
}

/// Makes the body of a call.
pub(crate) fn encode(call: Call<'_>) -> Body {
    let request = call.request;
    let is_keyed = call.cache == Cache::Keyed;
    // Models that do not reason refuse the wish.
    let wants_sealed = is_keyed && call.knobs.thinks == Thinks::Yes;
    Body {
        fields: call.knobs.fields.clone(),
        request: CreateResponse {
            model: Some(call.knobs.model.clone()),
            instructions: (!request.system.is_empty()).then(|| request.system.clone()),
            input: InputParam::Items(request.turns.iter().flat_map(items).collect()),
            include: wants_sealed.then(|| vec![IncludeEnum::ReasoningEncryptedContent]),
            tools: (!request.tools.is_empty()).then(|| request.tools.iter().map(tool).collect()),
            tool_choice: choice(&call.knobs.choice).filter(|_| !request.tools.is_empty()),
            store: Some(false),
            stream: Some(true),
            prompt_cache_key: is_keyed.then(|| cache_key(&request.session)),
            ..CreateResponse::default()
        },
    }
}

fn items(turn: &PromptTurn) -> Vec<InputItem> {
    match turn {
        PromptTurn::User(text) => vec![message(Role::User, text, None)],
        PromptTurn::Media(_) => Vec::new(),
        PromptTurn::Assistant(speech) => speech.pieces.iter().flat_map(said).collect(),
        PromptTurn::Tools(results) => results.iter().map(output).collect(),
    }
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
