//! All providers behind the one port: finds who serves a model, and lets the right shape speak.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use futures::stream;
use pensive_contract::clock::Clock;
use pensive_contract::fault::Fault;
use pensive_contract::media::Transcriber;
use pensive_contract::model::{
    Lesson, Limits, Manner, Model, ModelEvent, ModelRef, ModelRequest, ModelStream, Price, ToolChoice,
};
use pensive_directives::{ModelEntry, Profile};

use crate::catalogue::{Catalogue, Extras, Facts, Fit, Replay, Shelf, Takes};
use crate::history::{self, Form, Refused, Seals};
use crate::http::{HttpLine, Shape};
use crate::knobs::{self, Case, Host, Knobs, Summary, Words};
use crate::ladder::Ladder;
use crate::lessons::{Lessons, Progress};
use crate::refusal::Refusal;
use crate::rehearsal::{self, Rehearsal};
use crate::settings::{Api, ModelRow, ModelsSettings, ProviderSettings};
use crate::transcribe::Recordings;
use crate::transport::Transport;
use crate::trouble::Trouble;
use crate::wire::{Cache, Call, Usage};

/// What keeps the models from being served at all.
#[derive(Debug, thiserror::Error)]
pub enum ModelsError {
    /// A provider's address is none.
    #[error("models.providers.{provider}.baseUrl: {why}")]
    BaseUrl {
        /// The provider.
        provider: String,
        /// What is wrong with it.
        why: String,
    },
    /// A header, or the key, has characters that no header may have.
    #[error("models.providers.{provider}: the value for header {header} cannot be sent")]
    Header {
        /// The provider.
        provider: String,
        /// The header.
        header: String,
    },
    /// The HTTP client could not be built.
    #[error("the HTTP client for models: {0}")]
    Client(String),
    /// The rows in the binary are damaged.
    #[error("the built-in model catalogue: {0}")]
    Catalogue(#[from] serde_json::Error),
}

/// Every model that the settings name.
pub struct Models {
    pub(crate) providers: BTreeMap<String, Provider>,
    pickable: Vec<ModelEntry>,
    pub(crate) catalogue: Catalogue,
    lessons: Lessons,
    refused: Refused,
    rehearsal: Rehearsal,
}

pub(crate) struct Provider {
    pub(crate) api: Api,
    pub(crate) rows: Vec<ModelRow>,
    pub(crate) line: Line,
}

/// How a provider is reached.
pub(crate) enum Line {
    Http(Arc<HttpLine>),
    Rehearsal,
    /// Its shape is not spoken yet.
    Unspoken,
}

impl Models {
    /// Takes the settings. Nothing is sent yet.
    ///
    /// # Errors
    /// An address or a header that can never be sent, or no HTTP client at all.
    pub fn new(settings: ModelsSettings, clock: Arc<dyn Clock>) -> Result<Self, ModelsError> {
        let mut transport = None;
        let mut providers = BTreeMap::new();
        for provider in settings.providers {
            let line = match Shape::of(provider.api) {
                None if provider.api == Api::Rehearsal => Line::Rehearsal,
                None => Line::Unspoken,
                Some(shape) => {
                    let transport = match &transport {
                        Some(transport) => Transport::clone(transport),
                        None => {
                            transport.insert(Transport::new(Arc::clone(&clock), settings.limits)?).clone()
                        }
                    };
                    Line::Http(Arc::new(HttpLine::new(shape, transport, &provider)?))
                }
            };
            let ProviderSettings { name, api, models: rows, .. } = provider;
            providers.insert(name, Provider { api, rows, line });
        }
        providers.entry(rehearsal::PROVIDER.to_owned()).or_insert(Provider {
            api: Api::Rehearsal,
            rows: Vec::new(),
            line: Line::Rehearsal,
        });
        let catalogue = Catalogue::load()?;
        Ok(Self {
            providers,
            pickable: settings.pickable,
            catalogue,
            lessons: Lessons::default(),
            refused: Refused::default(),
            rehearsal: Rehearsal::new(clock),
        })
    }

    /// What makes words of recordings by a model of a provider that speaks one of OpenAI's shapes; nothing of others, and
    /// where there is no such provider.
    #[must_use]
    pub fn transcriber(&self, model: &ModelRef) -> Option<Arc<dyn Transcriber>> {
        match &self.providers.get(&model.provider)?.line {
            Line::Http(line) => Some(Arc::new(Recordings::new(Arc::clone(line), &model.id)?)),
            Line::Rehearsal | Line::Unspoken => None,
        }
    }

    pub(crate) fn known(&self, model: &ModelRef) -> Option<Known<'_>> {
        let provider = self.providers.get(&model.provider)?;
        let row = provider.rows.iter().find(|row| row.id == model.id);
        self.known_by(model, provider.api, row)
    }

    /// What is known of a model that is spoken to in that way.
    pub(crate) fn known_by<'a>(
        &'a self,
        model: &ModelRef,
        api: Api,
        row: Option<&'a ModelRow>,
    ) -> Option<Known<'a>> {
        let shelf = self.catalogue.shelf(&model.provider, api)?;
        let (facts, fit) = shelf.facts(&model.id);
        let mut ladder = Ladder::of(row, facts, fit);
        self.lessons.apply(model, &mut ladder);
        Some(Known { api, row, shelf, facts, fit, extras: shelf.extras(&model.provider), ladder })
    }

    async fn call(&self, request: ModelRequest) -> Result<ModelStream, Trouble> {
        let model = request.model.clone();
        let provider = self.providers.get(&model.provider);
        let Provider { api, line, .. } =
            provider.ok_or_else(|| Trouble::UnknownProvider(model.provider.clone()))?;
        match line {
            Line::Rehearsal => self.rehearsal.stream(&request),
            Line::Unspoken => Err(Trouble::Unspoken { provider: model.provider, api: *api }),
            Line::Http(line) => self.over_http(line, request).await,
        }
    }

    /// Calls, and once more where a refusal shows what to leave out.
    async fn over_http(&self, line: &HttpLine, request: ModelRequest) -> Result<ModelStream, Trouble> {
        let form =
            self.known(&request.model).map_or(Form::Short, |known| Form::of(line.shape, &known.extras));
        let mut request = history::repaired(request, Seals::Own(&self.refused), form);
        let mut mended = Vec::new();
        loop {
            let Some(known) = self.known(&request.model) else {
                return Err(Trouble::UnknownProvider(request.model.provider));
            };
            let mut knobs = known.knobs(line, &request.model, &request.manner, request.choice.clone());
            knobs.replay = self.lessons.replay(&request.model).unwrap_or(knobs.replay);
            let refusal = match line.call(known.call(line, &request, &knobs)).await {
                Ok(stream) => return Ok(told(self.lessons.untold(&request.model), stream)),
                Err(Trouble::Refused(refusal)) => refusal,
                Err(trouble) => return Err(trouble),
            };
            let Some(mending) = Mending::of(&refusal).filter(|mending| !mended.contains(mending)) else {
                return Err(Trouble::Refused(refusal));
            };
            match mending {
                Mending::Summary => line.forgo_summaries(),
                Mending::Seals => {
                    let unsealed = history::repaired(request.clone(), Seals::None, form);
                    if unsealed == request {
                        return Err(Trouble::Refused(refusal));
                    }
                    self.refused.learn(&request);
                    request = unsealed;
                }
                Mending::Replay if knobs.replay == Replay::ContentRequired => {
                    return Err(Trouble::Refused(refusal));
                }
                Mending::Replay => self.lessons.learn_missed(&request.model),
                Mending::Level if knobs.words == Words::Owners => {
                    return Err(Trouble::Refused(Box::new(refusal.of_owners_words())));
                }
                Mending::Level => {
                    if self.lessons.learn(&known, &request.model, knobs.level, &refusal) == Progress::None {
                        return Err(Trouble::Refused(refusal));
                    }
                }
            }
            tracing::info!(model = %request.model, why = %refusal, ?mending, "a call is repeated without what was refused");
            mended.push(mending);
        }
    }
}

/// What a refusal may show to be left out, or to be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mending {
    /// The wish for a summary of the reasoning, which is refused to organisations that the vendor has not verified.
    Summary,
    /// What the provider had sealed and does not know again.
    Seals,
    /// The lack of reasoning that it had not sealed and wants back.
    Replay,
    /// The thinking level.
    Level,
}

impl Mending {
    fn of(refusal: &Refusal) -> Option<Self> {
        if refusal.blames_summary() {
            Some(Self::Summary)
        } else if refusal.blames_seals() {
            Some(Self::Seals)
        } else if refusal.misses_reasoning() {
            Some(Self::Replay)
        } else if refusal.blames_level() {
            Some(Self::Level)
        } else {
            None
        }
    }
}

/// The stream with what was learned in front.
fn told(lessons: Vec<Lesson>, stream: ModelStream) -> ModelStream {
    if lessons.is_empty() {
        return stream;
    }
    stream::iter(lessons.into_iter().map(|lesson| Ok(ModelEvent::Learned(lesson)))).chain(stream).boxed()
}

/// A model with all that is known of it.
pub(crate) struct Known<'a> {
    pub(crate) api: Api,
    pub(crate) row: Option<&'a ModelRow>,
    pub(crate) shelf: &'a Shelf,
    pub(crate) facts: &'a Facts,
    pub(crate) fit: Fit,
    pub(crate) extras: Extras,
    pub(crate) ladder: Ladder,
}

impl Known<'_> {
    /// What it costs at its vendor; what a stranger asks for a model of that name nobody knows.
    pub(crate) fn price(&self, model: &ModelRef) -> Option<Price> {
        if self.shelf.provider == model.provider { self.facts.price() } else { None }
    }

    /// The most that one call writes.
    pub(crate) fn output(&self) -> Option<u64> {
        self.row.and_then(|row| row.max_tokens).or(self.facts.output)
    }

    /// What it takes beside text, and its shape has a place for.
    pub(crate) fn takes(&self, model: &ModelRef) -> Takes {
        let own = self.row.and_then(|row| row.input.as_deref()).map(Takes::of);
        let takes = own.unwrap_or_else(|| self.shelf.takes(&model.provider, &model.id));
        Shape::of(self.api).map_or_else(Takes::default, |shape| takes.and(Takes::of(shape.kinds())))
    }

    fn knobs(&self, line: &HttpLine, model: &ModelRef, manner: &Manner, choice: ToolChoice) -> Knobs {
        let host = line.host(self.extras.own_host.as_deref());
        let case = Case { summary: line.summary(), ..self.case(line.shape, model, host) };
        knobs::decide(&case, manner, choice)
    }

    /// The model as a decision about its knobs looks at it.
    pub(crate) fn case<'a>(&'a self, shape: Shape, model: &'a ModelRef, host: Host) -> Case<'a> {
        Case {
            shape,
            model,
            facts: self.facts,
            extras: &self.extras,
            ladder: &self.ladder,
            output: self.output(),
            context: self.row.and_then(|row| row.context_window),
            host,
            summary: Summary::Wanted,
        }
    }

    fn call<'a>(&self, line: &HttpLine, request: &'a ModelRequest, knobs: &'a Knobs) -> Call<'a> {
        let is_keyed = match line.shape {
            Shape::Responses => true,
            // What only speaks Anthropic's shape may not know its marks, or keep what it read anyway.
            Shape::Messages => line.host(self.extras.own_host.as_deref()) == Host::Own,
            Shape::Chat | Shape::Gemini | Shape::Ollama => self.extras.cache_key,
        };
        Call {
            request,
            knobs,
            cache: if is_keyed { Cache::Keyed } else { Cache::Silent },
            usage: if self.extras.usage { Usage::Asked } else { Usage::Unasked },
        }
    }
}

#[async_trait]
impl Model for Models {
    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, Fault> {
        let provider = request.model.provider.clone();
        self.call(request).await.map_err(|trouble| trouble.fault(&provider))
    }

    fn profile(&self, model: &ModelRef) -> Profile {
        match self.known(model) {
            Some(known) if known.api == Api::Rehearsal => rehearsal::profile(model),
            Some(known) => known.ladder.profile(model),
            None => Profile::off_only(model.to_string()),
        }
    }

    fn explain(&self, model: &ModelRef, manner: &Manner) -> String {
        match self.providers.get(&model.provider).map(|provider| &provider.line) {
            Some(Line::Http(line)) => self.known(model).map_or_else(
                || "nothing".to_owned(),
                |known| known.knobs(line, model, manner, ToolChoice::Auto).summary(&model.id),
            ),
            Some(Line::Rehearsal) => rehearsal::explain(manner.thinking),
            Some(Line::Unspoken) | None => "nothing".to_owned(),
        }
    }

    fn entries(&self) -> &[ModelEntry] {
        &self.pickable
    }

    fn limits(&self, model: &ModelRef) -> Limits {
        let Some(known) = self.known(model) else { return rehearsal::LIMITS };
        if known.api == Api::Rehearsal {
            return rehearsal::LIMITS;
        }
        Limits {
            context: known.row.and_then(|row| row.context_window).unwrap_or(known.facts.context),
            output: known.output(),
            price: known.price(model),
            takes: known.takes(model).kinds(),
        }
    }
}
