//! All providers behind the one port: finds who serves a model, and lets the right shape speak.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use pensive_contract::clock::Clock;
use pensive_contract::fault::Fault;
use pensive_contract::model::{Limits, Model, ModelRef, ModelRequest, ModelStream, Pace};
use pensive_directives::{Level, ModelEntry, Profile};

use crate::catalogue::{Catalogue, Facts};
use crate::http::{HttpLine, Shape};
use crate::ladder::Ladder;
use crate::rehearsal::{self, Rehearsal};
use crate::settings::{Api, ModelRow, ModelsSettings, ProviderSettings};
use crate::transport::Transport;
use crate::trouble::Trouble;
use crate::wire::{Cache, Call, Lane, Summary, Usage};

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
    providers: BTreeMap<String, Provider>,
    pickable: Vec<ModelEntry>,
    catalogue: Catalogue,
    rehearsal: Rehearsal,
}

struct Provider {
    api: Api,
    rows: Vec<ModelRow>,
    line: Line,
}

/// How a provider is reached.
enum Line {
    Http(Box<HttpLine>),
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
                    Line::Http(Box::new(HttpLine::new(shape, transport, &provider)?))
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
        Ok(Self { providers, pickable: settings.pickable, catalogue, rehearsal: Rehearsal::new(clock) })
    }

    fn known(&self, model: &ModelRef) -> Option<Known<'_>> {
        let provider = self.providers.get(&model.provider)?;
        let row = provider.rows.iter().find(|row| row.id == model.id);
        let shelf = self.catalogue.shelf(&model.provider, provider.api)?;
        let (facts, fit) = shelf.facts(&model.id);
        let extras = shelf.extras(&model.provider);
        let lane = if extras.fast && facts.fast { Lane::Priority } else { Lane::Usual };
        let usage = if extras.usage { Usage::Asked } else { Usage::Unasked };
        let is_keyed = extras.cache_key || provider.api == Api::OpenaiResponses;
        let cache = if is_keyed { Cache::Keyed } else { Cache::Silent };
        Some(Known {
            provider,
            row,
            facts,
            ladder: Ladder::of(row, facts, fit),
            fast_lane: lane,
            cache,
            usage,
        })
    }

    async fn call(&self, request: ModelRequest) -> Result<ModelStream, Trouble> {
        let model = request.model.clone();
        let known = self.known(&model).ok_or_else(|| Trouble::UnknownProvider(model.provider.clone()))?;
        let Provider { api, line, .. } = known.provider;
        match line {
            Line::Rehearsal => self.rehearsal.stream(&request),
            Line::Unspoken => Err(Trouble::Unspoken { provider: model.provider, api: *api }),
            Line::Http(line) => {
                let call = Call {
                    effort: known.ladder.word(request.thinking, &model),
                    lane: known.lane(request.pace),
                    cache: known.cache,
                    summary: Summary::Wanted,
                    usage: known.usage,
                    request,
                };
                line.call(call).await
            }
        }
    }
}

/// A model with all that is known of it.
struct Known<'a> {
    provider: &'a Provider,
    row: Option<&'a ModelRow>,
    facts: &'a Facts,
    ladder: Ladder,
    fast_lane: Lane,
    cache: Cache,
    usage: Usage,
}

impl Known<'_> {
    fn lane(&self, pace: Pace) -> Lane {
        match pace {
            Pace::Normal => Lane::Usual,
            Pace::Fast => self.fast_lane,
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
            Some(known) if known.provider.api == Api::Rehearsal => rehearsal::profile(model),
            Some(known) => known.ladder.profile(model),
            None => Profile::off_only(model.to_string()),
        }
    }

    fn explain(&self, model: &ModelRef, level: Level, pace: Pace) -> String {
        let Some(known) = self.known(model) else { return "nothing".to_owned() };
        let field = match &known.provider.line {
            Line::Http(line) => line.shape.effort_field(),
            Line::Rehearsal => return rehearsal::explain(level),
            Line::Unspoken => return "nothing".to_owned(),
        };
        let effort = known.ladder.word(level, model).map(|word| format!("{field}={word}"));
        let tier = (known.lane(pace) == Lane::Priority).then(|| "service_tier=priority".to_owned());
        let said: Vec<String> = effort.into_iter().chain(tier).collect();
        if said.is_empty() { "nothing".to_owned() } else { said.join(", ") }
    }

    fn entries(&self) -> &[ModelEntry] {
        &self.pickable
    }

    fn limits(&self, model: &ModelRef) -> Limits {
        let Some(known) = self.known(model) else { return rehearsal::LIMITS };
        if known.provider.api == Api::Rehearsal {
            return rehearsal::LIMITS;
        }
        let row = |field: fn(&ModelRow) -> Option<u64>| known.row.and_then(field);
        Limits {
            context: row(|row| row.context_window).unwrap_or(known.facts.context),
            output: row(|row| row.max_tokens).or(known.facts.output),
        }
    }
}
