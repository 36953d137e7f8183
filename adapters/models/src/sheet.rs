//! What is known of models, for people who ask on the command line: a sheet for each model, and why a call is made as it
//! is. Both come from the same decision that makes the calls.

use pensive_contract::media::MediaKind;
use pensive_contract::model::{Manner, ModelRef, Pace, Params, Price, ToolChoice};
use pensive_directives::{Level, Profile};

use crate::catalogue::Fit;
use crate::http::Shape;
use crate::knobs::{self, Host};
use crate::registry::{Known, Line, Models};
use crate::rehearsal;
use crate::settings::Api;

/// Everything about one model.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// The model.
    pub model: ModelRef,
    /// How its provider is spoken to, as the configuration calls it.
    pub api: &'static str,
    /// Where this is known from: an address and a date, or the configuration.
    pub source: String,
    /// The levels on offer, weakest first.
    pub levels: Vec<SheetLevel>,
    /// The level that holds where nobody configured one.
    pub default: Level,
    /// The context window in tokens.
    pub context: u64,
    /// The most that one call writes, in tokens, where known.
    pub output: Option<u64>,
    /// What it costs, where known.
    pub price: Option<Price>,
    /// What it takes beside text.
    pub takes: &'static [MediaKind],
}

/// One level of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetLevel {
    /// The level.
    pub level: Level,
    /// What people see and may type for it.
    pub label: String,
    /// What it puts on the wire: `reasoning.effort=high`, or `nothing`.
    pub wire: String,
}

/// Why a call is made as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The level that goes out.
    pub level: Level,
    /// What people call it on this model.
    pub label: String,
    /// The fields of the body beside the conversation, by their paths, in order.
    pub fields: Vec<(String, String)>,
    /// Reasons, one a line.
    pub why: Vec<String>,
}

/// A name that nothing is known of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// Neither the configuration nor the catalogue has such a provider.
    #[error("no provider is called {0:?}")]
    Provider(String),
}

impl Models {
    /// The providers of the configuration, then those that only the catalogue knows.
    #[must_use]
    pub fn provider_names(&self) -> Vec<String> {
        let configured = self.providers.keys().cloned();
        let shelves = self.catalogue.shelves().map(|shelf| shelf.provider.clone());
        let others = shelves.filter(|name| name != "*" && !self.providers.contains_key(name));
        configured.chain(others).collect()
    }

    /// The models of a provider by name: the configuration's, then those that the catalogue has rows for. A pattern for
    /// whole families names no model.
    #[must_use]
    pub fn names(&self, provider: &str) -> Vec<String> {
        let rows = self.providers.get(provider).map(|provider| provider.rows.as_slice()).unwrap_or_default();
        let mut names: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
        let own = self.catalogue.shelves().find(|shelf| shelf.provider == provider);
        let is_whole = |name: &&str| !name.is_empty() && !name.ends_with(['-', '.', '/', ':']);
        for name in own.into_iter().flat_map(|shelf| shelf.names()).filter(is_whole) {
            if !names.iter().any(|other| other.eq_ignore_ascii_case(name)) {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// Whether the configuration or a row of the catalogue names the model.
    #[must_use]
    pub fn knows(&self, model: &ModelRef) -> bool {
        self.look(model).is_some_and(|known| known.row.is_some() || known.fit == Fit::Named)
    }

    /// A sheet for each model of `provider`, or of every configured provider.
    ///
    /// # Errors
    /// Nothing is known of such a provider.
    pub fn sheets(&self, provider: Option<&str>) -> Result<Vec<Sheet>, Unknown> {
        let providers = match provider {
            Some(provider) => vec![provider.to_owned()],
            None => self.providers.keys().cloned().collect(),
        };
        let mut sheets = Vec::new();
        for provider in providers {
            if self.way(&provider).is_none() {
                return Err(Unknown::Provider(provider));
            }
            let models = self.names(&provider).into_iter();
            let models = models.map(|id| ModelRef { provider: provider.clone(), id });
            sheets.extend(models.filter_map(|model| self.sheet(&model)));
        }
        Ok(sheets)
    }

    /// Why a call to `model` is made as it is.
    ///
    /// # Errors
    /// Nothing is known of its provider.
    pub fn explain_call(&self, model: &ModelRef, manner: &Manner) -> Result<Explanation, Unknown> {
        let unknown = || Unknown::Provider(model.provider.clone());
        let (api, _) = self.way(&model.provider).ok_or_else(unknown)?;
        let known = self.look(model).ok_or_else(unknown)?;
        let profile = self.offered(model, &known);
        let Some(shape) = Shape::of(api) else {
            let level = profile.clamp(manner.thinking);
            let label = profile.label(level).to_owned();
            let why = format!("{} is not spoken over HTTP, so there is no body", api.name());
            return Ok(Explanation { level, label, fields: Vec::new(), why: vec![why] });
        };
        let choice = manner.params.tool_choice.clone().unwrap_or(ToolChoice::Auto);
        let knobs = knobs::decide(&known.case(shape, model, self.host(model, &known)), manner, choice);
        let mut why =
            vec![format!("source: {}", known.origin()), format!("levels on offer: {}", profile.values())];
        why.extend(knobs.why);
        let name = ("model".to_owned(), knobs.model);
        Ok(Explanation {
            level: knobs.level,
            label: profile.label(knobs.level).to_owned(),
            fields: std::iter::once(name).chain(knobs.fields.shown()).collect(),
            why,
        })
    }

    /// The sheet of one model; nothing where its provider is not known.
    #[must_use]
    pub fn sheet(&self, model: &ModelRef) -> Option<Sheet> {
        let known = self.look(model)?;
        let profile = self.offered(model, &known);
        let levels = profile.levels.iter().map(|choice| {
            let manner = Manner { thinking: choice.level, pace: Pace::Normal, params: Params::default() };
            let wire = match Shape::of(known.api) {
                Some(shape) => {
                    let case = known.case(shape, model, Host::Other);
                    knobs::decide(&case, &manner, ToolChoice::Auto).summary(&model.id)
                }
                None if known.api == Api::Rehearsal => rehearsal::explain(choice.level),
                None => "nothing".to_owned(),
            };
            SheetLevel { level: choice.level, label: profile.label(choice.level).to_owned(), wire }
        });
        Some(Sheet {
            model: model.clone(),
            api: known.api.name(),
            source: known.origin(),
            levels: levels.collect(),
            default: profile.default,
            context: known.row.and_then(|row| row.context_window).unwrap_or(known.facts.context),
            output: known.output(),
            price: known.price(model),
            takes: if known.api == Api::Rehearsal {
                rehearsal::LIMITS.takes
            } else {
                known.takes(model).kinds()
            },
        })
    }

    /// How a provider is spoken to, and through what: a configured one as configured, another as its vendor's host is.
    fn way(&self, provider: &str) -> Option<(Api, Option<&Line>)> {
        if let Some(provider) = self.providers.get(provider) {
            return Some((provider.api, Some(&provider.line)));
        }
        let shelf = self.catalogue.shelves().find(|shelf| shelf.provider == provider && provider != "*")?;
        Some((shelf.api, None))
    }

    fn look(&self, model: &ModelRef) -> Option<Known<'_>> {
        match self.known(model) {
            Some(known) => Some(known),
            None => self.known_by(model, self.way(&model.provider)?.0, None),
        }
    }

    fn host(&self, model: &ModelRef, known: &Known<'_>) -> Host {
        match self.way(&model.provider) {
            Some((_, Some(Line::Http(line)))) => line.host(known.extras.own_host.as_deref()),
            Some((_, Some(Line::Rehearsal | Line::Unspoken))) => Host::Other,
            Some((_, None)) | None => Host::Own,
        }
    }

    fn offered(&self, model: &ModelRef, known: &Known<'_>) -> Profile {
        if known.api == Api::Rehearsal { rehearsal::profile(model) } else { known.ladder.profile(model) }
    }
}

impl Known<'_> {
    /// Where the figures were read.
    fn origin(&self) -> String {
        let source = self.facts.source.as_deref().unwrap_or(&self.shelf.source);
        match (self.row, self.fit) {
            (Some(_), _) => format!("configuration; for the rest {source}"),
            (None, Fit::Named) => source.to_owned(),
            (None, Fit::General) => format!("this model is not known here; what is usual there: {source}"),
        }
    }
}
