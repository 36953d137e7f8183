//! Chat Completions, as OpenAI defines it and as the many servers write it that follow its example.

use async_openai::types::chat::{
    ChatCompletionRequestAssistantMessage, ChatCompletionRequestMessage, ChatCompletionRequestSystemMessage,
    ChatCompletionRequestUserMessage, ChatCompletionStreamOptions, CreateChatCompletionRequest,
};
use pensive_contract::model::{ModelEvent, PromptTurn, StopReason, TokenUsage};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::lenient::{Count, Loose, Text};
use super::{Cache, Call, Decode, Usage, cache_key, read};
use crate::knobs::Fields;
use crate::refusal::Refusal;
use crate::sse::{Event, Kind};
use crate::trouble::Trouble;

/// The body of a call.
#[derive(Serialize)]
pub(crate) struct Body {
    #[serde(flatten)]
    request: CreateChatCompletionRequest,
    #[serde(flatten)]
    fields: Fields,
}

/// The conversation, and the fields that were decided.
pub(crate) fn encode(call: Call<'_>) -> Body {
    let request = call.request;
    let system = (!request.system.is_empty()).then(|| {
        ChatCompletionRequestMessage::System(ChatCompletionRequestSystemMessage {
            content: request.system.clone().into(),
            name: None,
        })
    });
    let cache_key = (call.cache == Cache::Keyed).then(|| cache_key(&request.session));
    Body {
        fields: call.knobs.fields.clone(),
        request: CreateChatCompletionRequest {
            model: call.knobs.model.clone(),
            messages: system.into_iter().chain(request.turns.iter().filter_map(message)).collect(),
            stream: Some(true),
            stream_options: (call.usage == Usage::Asked).then_some(ChatCompletionStreamOptions {
                include_usage: Some(true),
                include_obfuscation: None,
            }),
            prompt_cache_key: cache_key,
            ..CreateChatCompletionRequest::default()
        },
    }
}

fn message(turn: &PromptTurn) -> Option<ChatCompletionRequestMessage> {
    match turn {
        PromptTurn::User(text) => {
            Some(ChatCompletionRequestMessage::User(ChatCompletionRequestUserMessage {
                content: text.clone().into(),
                name: None,
            }))
        }
        PromptTurn::Assistant(speech) => {
            Some(ChatCompletionRequestMessage::Assistant(ChatCompletionRequestAssistantMessage {
                content: Some(speech.text().into()),
                ..ChatCompletionRequestAssistantMessage::default()
            }))
        }
        PromptTurn::Tools(_) => None,
    }
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Loose<Vec<Choice>>,
    #[serde(default)]
    usage: Loose<Option<Counts>>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: Count,
    #[serde(default, alias = "message")]
    delta: Loose<Delta>,
    #[serde(default)]
    finish_reason: Text,
}

/// A piece of an answer. Servers call its reasoning by several names, some by two at once.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Delta {
    content: Loose<Content>,
    refusal: Text,
    reasoning_content: Text,
    reasoning: Text,
    reasoning_details: Loose<Vec<Detail>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

impl Default for Content {
    fn default() -> Self {
        Self::Parts(Vec::new())
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Part {
    text: Text,
    thinking: Loose<Vec<Detail>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Detail {
    text: Text,
    summary: Text,
}

impl Detail {
    fn words(self) -> Option<String> {
        self.text.some().or_else(|| self.summary.some())
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Counts {
    prompt_tokens: Count,
    completion_tokens: Count,
    prompt_tokens_details: Loose<InputDetails>,
    completion_tokens_details: Loose<OutputDetails>,
    /// What DeepSeek calls its cached tokens.
    prompt_cache_hit_tokens: Count,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct InputDetails {
    cached_tokens: Count,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct OutputDetails {
    reasoning_tokens: Count,
}

impl From<Counts> for TokenUsage {
    fn from(usage: Counts) -> Self {
        let cached = usage.prompt_tokens_details.known().cached_tokens.0;
        Self {
            input: usage.prompt_tokens.0,
            cached: cached.max(usage.prompt_cache_hit_tokens.0),
            output: usage.completion_tokens.0,
            reasoning: usage.completion_tokens_details.known().reasoning_tokens.0,
        }
    }
}

/// Reads the answer to one call.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    finish: Option<String>,
}

impl Decode for Decoder {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<ModelEvent>) -> Result<(), Trouble> {
        if event.data.trim_ascii() == b"[DONE]" {
            out.push(ModelEvent::End(stop(self.finish.take())));
            return Ok(());
        }
        let chunk: Chunk = read(event.data)?;
        if chunk.error.is_some() || event.kind == Kind::Error {
            return Err(Refusal::read(None, event.data).into());
        }
        self.chunk(chunk, out);
        match self.finish.as_deref() {
            Some("error") => Err(Refusal::read(None, b"the provider ended the answer with an error").into()),
            Some(_) | None => Ok(()),
        }
    }

    fn document(&mut self, body: &[u8], out: &mut Vec<ModelEvent>) -> Result<(), Trouble> {
        self.event(Event { kind: Kind::Any, data: body }, out)?;
        if self.finish.is_none() && out.is_empty() {
            return Err(Trouble::Broken("a document without an answer".to_owned()));
        }
        out.push(ModelEvent::End(stop(self.finish.take())));
        Ok(())
    }
}

impl Decoder {
    fn chunk(&mut self, chunk: Chunk, out: &mut Vec<ModelEvent>) {
        for choice in chunk.choices.known().into_iter().filter(|choice| choice.index.0 == 0) {
            choice.delta.known().give(out);
            self.finish = choice.finish_reason.some().or(self.finish.take());
        }
        if let Some(usage) = chunk.usage.known() {
            out.push(ModelEvent::Usage(usage.into()));
        }
    }
}

impl Delta {
    fn give(self, out: &mut Vec<ModelEvent>) {
        let details = || joined(self.reasoning_details.known());
        let reasoning = self.reasoning_content.some().or_else(|| self.reasoning.some()).or_else(details);
        out.extend(reasoning.map(ModelEvent::Reasoning));
        match self.content.known() {
            Content::Text(text) => out.extend((!text.is_empty()).then_some(ModelEvent::Text(text))),
            Content::Parts(parts) => {
                for part in parts {
                    out.extend(joined(part.thinking.known()).map(ModelEvent::Reasoning));
                    out.extend(part.text.some().map(ModelEvent::Text));
                }
            }
        }
        // What a model says when it declines is its answer.
        out.extend(self.refusal.some().map(ModelEvent::Text));
    }
}

fn joined(details: Vec<Detail>) -> Option<String> {
    let words: String = details.into_iter().filter_map(Detail::words).collect();
    (!words.is_empty()).then_some(words)
}

fn stop(finish: Option<String>) -> StopReason {
    match finish.as_deref() {
        Some("stop" | "eos" | "end_turn") | None => StopReason::Done,
        Some("length") => StopReason::Length,
        Some("content_filter") => StopReason::Filtered,
        Some(other) => StopReason::Other(other.chars().take(40).collect()),
    }
}

#[cfg(test)]
mod tests;
