//! A provider that is reached by HTTP: one call, from what is asked to the stream of the answer.

use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use pensive_contract::model::ModelStream;

use crate::registry::ModelsError;
use crate::settings::{Api, ProviderSettings};
use crate::stream;
use crate::transport::{Answer, Endpoint, Patience, Transport};
use crate::trouble::Trouble;
use crate::wire::{Call, Decode, Summary, openai_chat, openai_responses};

/// The shapes that are spoken over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Responses,
    Chat,
}

impl Shape {
    /// The shape of an API; nothing where that is not by HTTP, or not yet.
    pub(crate) fn of(api: Api) -> Option<Self> {
        match api {
            Api::OpenaiResponses => Some(Self::Responses),
            Api::OpenaiCompletions => Some(Self::Chat),
            Api::AnthropicMessages
            | Api::GoogleGenerativeAi
            | Api::Ollama
            | Api::ClaudeCli
            | Api::Codex
            | Api::Rehearsal => None,
        }
    }

    /// What `/status` calls the field of the thinking level.
    pub(crate) fn effort_field(self) -> &'static str {
        match self {
            Self::Responses => "reasoning.effort",
            Self::Chat => "reasoning_effort",
        }
    }

    /// Where calls go, below the provider's base.
    fn path(self) -> &'static str {
        match self {
            Self::Responses => "/responses",
            Self::Chat => "/chat/completions",
        }
    }

    fn encode(self, call: Call<'_>) -> Result<Bytes, Trouble> {
        let body = match self {
            Self::Responses => serde_json::to_vec(&openai_responses::encode(call)),
            Self::Chat => serde_json::to_vec(&openai_chat::encode(call)),
        };
        body.map(Bytes::from).map_err(|error| Trouble::Broken(format!("our own request: {error}")))
    }

    fn decoder(self) -> Box<dyn Decode> {
        match self {
            Self::Responses => Box::<openai_responses::Decoder>::default(),
            Self::Chat => Box::<openai_chat::Decoder>::default(),
        }
    }
}

/// The way to one provider.
pub(crate) struct HttpLine {
    pub(crate) shape: Shape,
    provider: String,
    transport: Transport,
    endpoint: Endpoint,
    /// Whether this account may still get summaries of reasoning.
    summaries: AtomicBool,
}

impl HttpLine {
    /// Prepares what all calls share.
    pub(crate) fn new(
        shape: Shape,
        transport: Transport,
        settings: &ProviderSettings,
    ) -> Result<Self, ModelsError> {
        let endpoint = Endpoint::new(settings, shape.path())?;
        let (provider, summaries) = (settings.name.clone(), AtomicBool::new(true));
        Ok(Self { shape, provider, transport, endpoint, summaries })
    }

    /// Sends a call and gives the stream of its answer.
    pub(crate) async fn call(&self, mut call: Call<'_>) -> Result<ModelStream, Trouble> {
        if !self.summaries.load(Ordering::Relaxed) {
            call.summary = Summary::Unwanted;
        }
        let thinks_hard = matches!(call.effort, Some("high" | "xhigh" | "max"));
        let patience = if thinks_hard { Patience::Long } else { Patience::Usual };
        let answer = self.post(self.shape.encode(call)?, patience).await?;
        Ok(stream::events(answer, self.shape.decoder(), &self.provider))
    }

    /// The vendor refuses summaries of reasoning to organisations that it has not verified; then the same call goes out
    /// without the wish, and later ones do not have it.
    async fn post(&self, body: Bytes, patience: Patience) -> Result<Answer, Trouble> {
        match self.transport.post(&self.endpoint, body.clone(), patience).await {
            Err(Trouble::Refused(refusal)) if refusal.blames_summary() => {
                let Some(plain) = openai_responses::without_summary(&body) else {
                    return Err(Trouble::Refused(refusal));
                };
                tracing::info!(provider = self.provider, why = %refusal, "no reasoning summaries for this account");
                self.summaries.store(false, Ordering::Relaxed);
                self.transport.post(&self.endpoint, plain.into(), patience).await
            }
            answered => answered,
        }
    }
}
