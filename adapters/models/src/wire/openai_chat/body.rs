//! The body of a call. What a model's own server wants back of its reasoning goes along, and only that.

use async_openai::types::chat::{
    ChatCompletionMessageToolCall, ChatCompletionNamedToolChoice, ChatCompletionRequestSystemMessage,
    ChatCompletionRequestToolMessage, ChatCompletionRequestUserMessage, ChatCompletionStreamOptions,
    ChatCompletionTool, ChatCompletionToolChoiceOption, ChatCompletionTools, FunctionCall, FunctionName,
    FunctionObject, ToolChoiceOptions,
};
use pensive_contract::model::{ModelRequest, PromptTurn, ToolChoice, ToolSpec};
use pensive_contract::speech::{Piece, PieceKind, Speech, ToolCall, ToolResult};
use serde::Serialize;
use serde_json::Value;

use crate::catalogue::Replay;
use crate::knobs::Fields;
use crate::wire::{Cache, Call, Usage, cache_key, schema};

/// Stands between results and the next words of a person where the run ended without an answer. Mistral's models refuse a
/// person's turn right behind a tool's, wherever they are served.
const NO_ANSWER: &str = "(no answer)";

/// The conversation, and the fields that were decided.
#[derive(Serialize)]
pub(crate) struct Body {
    model: String,
    messages: Vec<Message>,
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
enum Message {
    System(ChatCompletionRequestSystemMessage),
    User(ChatCompletionRequestUserMessage),
    Assistant(Assistant),
    Tool(ChatCompletionRequestToolMessage),
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
pub(crate) fn encode(call: Call<'_>) -> Body {
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

fn messages(request: &ModelRequest, replay: Replay) -> Vec<Message> {
    let mut messages = Vec::with_capacity(request.turns.len() + 1);
    if !request.system.is_empty() {
        let content = request.system.clone().into();
        messages.push(Message::System(ChatCompletionRequestSystemMessage { content, name: None }));
    }
    for turn in &request.turns {
        match turn {
            PromptTurn::User(text) => {
                if matches!(messages.last(), Some(Message::Tool(_))) {
                    messages.push(Message::Assistant(Assistant::text(NO_ANSWER)));
                }
                let content = text.clone().into();
                messages.push(Message::User(ChatCompletionRequestUserMessage { content, name: None }));
            }
            PromptTurn::Media(_) => {}
            PromptTurn::Assistant(speech) => messages.push(Message::Assistant(assistant(speech, replay))),
            PromptTurn::Tools(results) => messages.extend(results.iter().map(result)),
        }
    }
    messages
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

fn result(result: &ToolResult) -> Message {
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
