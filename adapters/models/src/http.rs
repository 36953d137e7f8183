//! A provider that is reached by HTTP: one call, from what is asked to the stream of the answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use bytes::Bytes;
use pensive_contract::media::MediaKind;
use pensive_contract::model::ModelStream;
use reqwest::multipart::Form;

use crate::knobs::{Host, Knobs, Summary};
use crate::registry::ModelsError;
use crate::settings::{Api, ProviderSettings};
use crate::stream;
use crate::transport::{Answer, Endpoint, Load, Patience, Transport};
use crate::trouble::Trouble;
use crate::wire::{Call, Decode, gemini, messages, ollama, openai_chat, openai_responses, person};

/// The shapes that are spoken over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Responses,
    Chat,
    Messages,
    Gemini,
    Ollama,
}

impl Shape {
    /// The shape of an API; nothing where that is not by HTTP.
    pub(crate) fn of(api: Api) -> Option<Self> {
        match api {
            Api::OpenaiResponses => Some(Self::Responses),
            Api::OpenaiCompletions => Some(Self::Chat),
            Api::AnthropicMessages => Some(Self::Messages),
            Api::GoogleGenerativeAi => Some(Self::Gemini),
            Api::Ollama => Some(Self::Ollama),
            Api::ClaudeCli | Api::Codex | Api::Rehearsal => None,
        }
    }

    /// The path of a base, without what all calls of the shape say themselves: people copy Ollama's address with the
    /// path of the compatible API or of this one, and Anthropic's with its version or without.
    pub(crate) fn root(self, path: &str) -> &str {
        let path = path.trim_end_matches('/');
        match self {
            Self::Ollama => path.strip_suffix("/v1").or_else(|| path.strip_suffix("/api")).unwrap_or(path),
            Self::Messages => path.strip_suffix("/v1").unwrap_or(path),
            Self::Responses | Self::Chat | Self::Gemini => path,
        }
    }

    /// What it has a place for beside text.
    pub(crate) fn kinds(self) -> &'static [MediaKind] {
        use MediaKind::{Audio, Document, Image};
        match self {
            Self::Responses | Self::Messages => &[Image, Document],
            Self::Chat | Self::Gemini => &[Image, Audio, Document],
            Self::Ollama => &[Image],
        }
    }

    /// Where a call goes, below the provider's base.
    fn path(self, model: &str) -> String {
        match self {
            Self::Responses => "/responses".to_owned(),
            Self::Chat => "/chat/completions".to_owned(),
            Self::Messages => "/v1/messages".to_owned(),
            Self::Gemini => gemini::path(model),
            Self::Ollama => "/api/chat".to_owned(),
        }
    }

    /// Where the models are listed.
    fn listing(self) -> &'static str {
        match self {
            Self::Responses | Self::Chat => "/models",
            Self::Messages => "/v1/models?limit=1000",
            Self::Gemini => "/models?pageSize=1000",
            Self::Ollama => "/api/tags",
        }
    }

    /// The headers of every call: the key where the shape wants it, and what else it demands.
    pub(crate) fn headers(self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let key = key.map(|key| match self {
            Self::Responses | Self::Chat | Self::Ollama => ("authorization", format!("Bearer {key}")),
            Self::Messages => ("x-api-key", key.to_owned()),
            Self::Gemini => ("x-goog-api-key", key.to_owned()),
        });
        let version = (self == Self::Messages).then(|| ("anthropic-version", "2023-06-01".to_owned()));
        key.into_iter().chain(version).collect()
    }

    /// The header that takes part in trials of the provider.
    fn trials(self, names: &[String]) -> Option<(&'static str, String)> {
        (self == Self::Messages && !names.is_empty()).then(|| ("anthropic-beta", names.join(",")))
    }

    fn encode(self, call: Call<'_>) -> Result<Bytes, Trouble> {
        // A body that holds pictures is many times the usual one; it is not to be moved as it grows.
        let mut body = Vec::with_capacity(person::weight(&call.request.turns));
        let written = match self {
            Self::Responses => serde_json::to_writer(&mut body, &openai_responses::encode(call)),
            Self::Gemini => serde_json::to_writer(&mut body, &gemini::encode(call)),
            Self::Ollama => serde_json::to_writer(&mut body, &ollama::encode(call)),
            Self::Messages => serde_json::to_writer(&mut body, &messages::encode(call)),
            Self::Chat => serde_json::to_writer(&mut body, &openai_chat::encode(call)),
        };
        written.map_err(|error| Trouble::Broken(format!("our own request: {error}")))?;
        Ok(body.into())
    }

    fn decoder(self) -> Box<dyn Decode> {
        match self {
            Self::Responses => Box::<openai_responses::Decoder>::default(),
            Self::Gemini => Box::<gemini::Decoder>::default(),
            Self::Ollama => Box::<ollama::Decoder>::default(),
            Self::Messages => Box::<messages::Decoder>::default(),
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
        let endpoint = Endpoint::new(settings, shape)?;
        let (provider, summaries) = (settings.name.clone(), AtomicBool::new(true));
        Ok(Self { shape, provider, transport, endpoint, summaries })
    }

    /// Whether this is the host that its vendor runs.
    pub(crate) fn host(&self, own: Option<&str>) -> Host {
        if own.is_some_and(|own| self.endpoint.host() == Some(own)) { Host::Own } else { Host::Other }
    }

    /// Whether summaries of reasoning are to be asked for.
    pub(crate) fn summary(&self) -> Summary {
        if self.summaries.load(Ordering::Relaxed) { Summary::Wanted } else { Summary::Unwanted }
    }

    /// The vendor refuses summaries of reasoning to organisations that it has not verified; later calls do without.
    pub(crate) fn forgo_summaries(&self) {
        self.summaries.store(false, Ordering::Relaxed);
    }

    /// What the log calls the provider.
    pub(crate) fn provider(&self) -> &str {
        &self.provider
    }

    /// The names of the models that the provider lists.
    pub(crate) async fn listing(&self) -> Result<(Bytes, Option<SystemTime>), Trouble> {
        self.transport.get(&self.endpoint, self.shape.listing()).await
    }

    /// Sends a form to `path` and waits for the beginning of the answer, which may take as long as thought.
    pub(crate) async fn send_form(&self, path: &str, form: Form) -> Result<Answer, Trouble> {
        self.transport.post(&self.endpoint, path, Load::Form(form), Patience::Long).await
    }

    /// Sends a call and gives the stream of its answer.
    pub(crate) async fn call(&self, call: Call<'_>) -> Result<ModelStream, Trouble> {
        let Knobs { model, patience, beta, .. } = call.knobs;
        let body = self.shape.encode(call)?;
        let path = self.shape.path(model);
        let trials = self.shape.trials(beta);
        let load = Load::Json(body, trials);
        let answer = self.transport.post(&self.endpoint, &path, load, *patience).await?;
        Ok(stream::events(answer, self.shape.decoder(), &self.provider))
    }
}
