//! A call as Gemini reads it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use pensive_contract::media::{Media, MediaKind};
use pensive_contract::model::{ModelRequest, ToolChoice, ToolSpec};
use pensive_contract::speech::{Piece, PieceKind, Speech, ToolCall, ToolOutcome, ToolResult};
use serde::Serialize;
use serde_json::{Map, Value};

use super::seal::{Kind, Signed};
use crate::knobs::Fields;
use crate::wire::person::{self, Encoded, Turn};
use crate::wire::{Call, MADE_ID, object, schema};

/// What the vendor documents for calls that Gemini did not make itself, in place of the signature that it would demand.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// The body of a call. The model stands in its path.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Body<'a> {
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<System<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tools<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<ToolConfig<'a>>,
    #[serde(flatten)]
    fields: &'a Fields,
}

#[derive(Serialize)]
struct System<'a> {
    parts: [Part<'a>; 1],
}

#[derive(Serialize)]
struct Content<'a> {
    role: &'static str,
    parts: Vec<Part<'a>>,
    #[serde(skip)]
    voice: Voice,
}

/// Whose words a content holds. Results are the user's too, but may not be mixed with what a person says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Voice {
    Person,
    Model,
    Tools,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inline_data: Option<Blob<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<FunctionCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_response: Option<FunctionResponse<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<&'a str>,
}

/// Something that was sent, whole.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Blob<'a> {
    mime_type: &'a str,
    data: Encoded<'a>,
}

#[derive(Serialize)]
struct FunctionCall<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    args: Map<String, Value>,
}

#[derive(Serialize)]
struct FunctionResponse<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    response: Outcome<'a>,
}

/// The response must be an object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Outcome<'a> {
    Result(&'a str),
    Error(&'a str),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    parameters_json_schema: Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolConfig<'a> {
    function_calling_config: CallingConfig<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallingConfig<'a> {
    mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_function_names: Option<[&'a str; 1]>,
}

/// The conversation, and the fields that were decided.
pub(crate) fn encode(call: Call<'_>) -> Body<'_> {
    let Call { request, knobs, .. } = call;
    let mut contents = contents(request);
    if demands_signatures(&knobs.fields) {
        contents.iter_mut().for_each(sign);
    }
    let system = (!request.system.is_empty()).then(|| System { parts: [said(&request.system)] });
    let declarations: Vec<_> = request.tools.iter().map(declaration).collect();
    let has_tools = !declarations.is_empty();
    Body {
        contents,
        system_instruction: system,
        tools: has_tools.then_some(Tools { function_declarations: declarations }).into_iter().collect(),
        tool_config: if has_tools { tool_config(&knobs.choice) } else { None },
        fields: &knobs.fields,
    }
}

/// The models that are told levels and not budgets are those that refuse an unsigned call: Gemini 3 and later.
fn demands_signatures(fields: &Fields) -> bool {
    const THINKING: &str = "generationConfig.thinkingConfig";
    const BUDGET: &str = "generationConfig.thinkingConfig.thinkingBudget";
    fields.has(THINKING) && !fields.has(BUDGET)
}

/// The vendor checks the first call of each step.
fn sign(content: &mut Content<'_>) {
    let first = content.parts.iter_mut().find(|part| part.function_call.is_some());
    if let Some(part) = first {
        part.thought_signature.get_or_insert(UNSIGNED);
    }
}

/// The turns, those of one voice together: the results of parallel calls must be.
fn contents(request: &ModelRequest) -> Vec<Content<'_>> {
    let mut contents: Vec<Content<'_>> = Vec::new();
    let mut own_ids = BTreeSet::new();
    for turn in person::turns(&request.turns, takes) {
        let (voice, role, parts) = match turn {
            Turn::Person(parts) => (Voice::Person, "user", parts.into_iter().map(Part::from).collect()),
            Turn::Model(speech) => {
                let is_own = speech.model.as_ref() == Some(&request.model);
                let calls = speech.calls().filter(|call| is_own && !call.id.starts_with(MADE_ID));
                own_ids.extend(calls.map(|call| call.id.as_str()));
                (Voice::Model, "model", spoken(speech, &own_ids))
            }
            Turn::Tools(results) => {
                let parts = results.iter().map(|result| response(result, &own_ids)).collect();
                (Voice::Tools, "user", parts)
            }
        };
        match contents.last_mut() {
            Some(last) if last.voice == voice => last.parts.extend(parts),
            Some(_) | None if parts.is_empty() => {}
            Some(_) | None => contents.push(Content { role, parts, voice }),
        }
    }
    contents
}

/// The kinds of <https://ai.google.dev/gemini-api/docs/image-understanding> and `document-processing` beside it, where
/// pictures that move are not among them. Of sounds <https://firebase.google.com/docs/ai-logic/input-file-requirements>
/// names more than `audio` there, and nearly all.
pub(crate) fn takes(media: &Media) -> bool {
    match media.kind {
        MediaKind::Image => {
            person::is_common_picture(media) || matches!(media.mime.as_str(), "image/heic" | "image/heif")
        }
        MediaKind::Audio => media.mime.starts_with("audio/"),
        MediaKind::Document => person::is_pdf(media),
    }
}

/// The vendor's name for a kind that also has older ones.
fn mime(media: &Media) -> &str {
    match media.mime.as_str() {
        "audio/x-wav" | "audio/wave" => "audio/wav",
        "audio/x-m4a" => "audio/m4a",
        "audio/x-flac" => "audio/flac",
        other => other,
    }
}

impl<'a> From<person::Part<'a>> for Part<'a> {
    fn from(part: person::Part<'a>) -> Self {
        match part {
            person::Part::Text(text) => Self { text: Some(text), ..Self::default() },
            person::Part::Media(media) => {
                let blob = Blob { mime_type: mime(media), data: Encoded(&media.bytes) };
                Self { inline_data: Some(blob), ..Self::default() }
            }
        }
    }
}

fn said(text: &str) -> Part<'_> {
    Part { text: Some(text.into()), ..Part::default() }
}

fn spoken<'a>(speech: &'a Speech, own_ids: &BTreeSet<&str>) -> Vec<Part<'a>> {
    speech.pieces.iter().flat_map(|piece| parts(piece, own_ids)).collect()
}

/// The parts of a piece. Thoughts go back only where they are signed; without that they are nothing to the model.
fn parts<'a>(piece: &'a Piece, own_ids: &BTreeSet<&str>) -> Vec<Part<'a>> {
    let signed = piece.seal.as_ref().and_then(Signed::read);
    match (&piece.kind, signed) {
        (PieceKind::Call(call), _) => {
            let signature = piece.seal.as_ref().map(|seal| seal.0.as_str());
            vec![Part { thought_signature: signature, ..called(call, own_ids) }]
        }
        (PieceKind::Text(words), Some(signed)) => signed_parts(words, Kind::Text, signed),
        (PieceKind::Reasoning(words), Some(signed)) => signed_parts(words, Kind::Thought, signed),
        (PieceKind::Text(words), None) if !words.is_empty() => vec![said(words)],
        (PieceKind::Text(_) | PieceKind::Reasoning(_), None) => Vec::new(),
    }
}

fn signed_parts<'a>(words: &'a str, kind: Kind, signed: Signed<'a>) -> Vec<Part<'a>> {
    let part = |text, kind| Part { thought: (kind == Kind::Thought).then_some(true), ..said(text) };
    let (before, own) = signed.parts(words);
    let own = Part { thought_signature: Some(signed.signature), ..part(own, signed.kind) };
    let before = (!before.is_empty()).then(|| part(before, kind));
    before.into_iter().chain([own]).collect()
}

fn called<'a>(call: &'a ToolCall, own_ids: &BTreeSet<&str>) -> Part<'a> {
    let function_call =
        FunctionCall { id: own(&call.id, own_ids), name: &call.name, args: object(&call.arguments) };
    Part { function_call: Some(function_call), ..Part::default() }
}

fn response<'a>(result: &'a ToolResult, own_ids: &BTreeSet<&str>) -> Part<'a> {
    let response = match result.outcome {
        ToolOutcome::Done => Outcome::Result(&result.text),
        ToolOutcome::Failed => Outcome::Error(&result.text),
    };
    let function_response = FunctionResponse { id: own(&result.id, own_ids), name: &result.name, response };
    Part { function_response: Some(function_response), ..Part::default() }
}

/// The id, if it was the provider that gave it; otherwise order and name tell which call is meant.
fn own<'a>(id: &'a str, own_ids: &BTreeSet<&str>) -> Option<&'a str> {
    own_ids.contains(id).then_some(id)
}

fn declaration(tool: &ToolSpec) -> Declaration<'_> {
    Declaration { name: &tool.name, description: &tool.description, parameters_json_schema: schema(tool) }
}

/// Nothing where the model is free, as it is by itself.
fn tool_config(choice: &ToolChoice) -> Option<ToolConfig<'_>> {
    let (mode, name) = match choice {
        ToolChoice::Auto => return None,
        ToolChoice::None => ("NONE", None),
        ToolChoice::Required => ("ANY", None),
        ToolChoice::Named(name) => ("ANY", Some(name.as_str())),
    };
    let allowed_function_names = name.map(|name| [name]);
    Some(ToolConfig { function_calling_config: CallingConfig { mode, allowed_function_names } })
}
