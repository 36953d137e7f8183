//! What is known of models, for people who ask: lists of them, and what one call puts on the wire and why. Nothing is
//! called.

use pensive_contract::model::{Limits, Manner, Model, ModelRef, Pace, Params, ToolChoice};
use pensive_directives::{Level, LevelChoice};

use super::{Known, Line, Models};
use crate::catalogue::Fit;

/// What is known of one model.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// Which model.
    pub model: ModelRef,
    /// Its levels, weakest first, each with what it puts on the wire: `reasoning.effort=high`, or `nothing`.
    pub levels: Vec<(LevelChoice, String)>,
    /// The level that holds where nobody chose one.
    pub default: Level,
    /// What it holds and costs.
    pub limits: Limits,
    /// Where this was read, and when.
    pub source: String,
}

/// What one call says beside the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The fields of the body, by their paths.
    pub fields: Vec<(String, String)>,
    /// Why they are so, a sentence each.
    pub why: Vec<String>,
}

impl Models {
    /// The names of the models that a provider is known to have: those that the configuration describes, then the
    /// catalogue's.
    #[must_use]
    pub fn names(&self, provider: &str) -> Vec<String> {
        let Some(served) = self.providers.get(provider) else { return Vec::new() };
        let mut names: Vec<String> = served.rows.iter().map(|row| row.id.clone()).collect();
        // A row for whole families gives the beginning of a name.
        let is_whole = |name: &&str| !name.is_empty() && !name.ends_with(['-', '.', '/', ':']);
        let shelf = self.catalogue.shelf(provider, served.api).filter(|shelf| shelf.provider == provider);
        for name in shelf.iter().flat_map(|shelf| shelf.names()).filter(is_whole) {
            if !names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// Whether the configuration or a row of the catalogue names the model.
    #[must_use]
    pub fn knows(&self, model: &ModelRef) -> bool {
        self.known(model).is_some_and(|known| known.row.is_some() || known.fit == Fit::Named)
    }

    /// What is known of the models of one provider, or of all.
    #[must_use]
    pub fn sheets(&self, provider: Option<&str>) -> Vec<Sheet> {
        let wanted =
            self.providers.keys().filter(|name| provider.is_none_or(|wanted| wanted == name.as_str()));
        let models = wanted
            .flat_map(|name| self.names(name).into_iter().map(|id| ModelRef { provider: name.clone(), id }));
        models.filter_map(|model| self.sheet(model)).collect()
    }

    fn sheet(&self, model: ModelRef) -> Option<Sheet> {
        let source = self.known(&model)?.source();
        let profile = self.profile(&model);
        let levels = profile.levels.into_iter().map(|choice| {
            let wire = self.thinking(&model, choice.level);
            (choice, wire)
        });
        Some(Sheet {
            levels: levels.collect(),
            default: profile.default,
            limits: self.limits(&model),
            source,
            model,
        })
    }

    /// What a level alone puts on the wire, at the usual pace.
    fn thinking(&self, model: &ModelRef, level: Level) -> String {
        let manner = Manner { thinking: level, pace: Pace::Normal, params: Params::default() };
        self.explain(model, &manner)
    }

    /// What a call puts on the wire beside the conversation, and why.
    #[must_use]
    pub fn explain_call(&self, model: &ModelRef, manner: &Manner) -> Explanation {
        let Some(known) = self.known(model) else {
            return Explanation {
                fields: Vec::new(),
                why: vec![format!("{} is no provider of this installation", model.provider)],
            };
        };
        let mut why = vec![known.origin(model)];
        let fields = match &known.provider.line {
            Line::Http(line) => {
                let choice = manner.params.tool_choice.clone().unwrap_or(ToolChoice::Auto);
                let knobs = known.knobs(line, model, manner, choice);
                why.extend(knobs.why);
                std::iter::once(("model".to_owned(), knobs.model)).chain(knobs.fields.shown()).collect()
            }
            Line::Rehearsal => {
                why.push("the rehearsal runs inside the daemon and has no wire".to_owned());
                Vec::new()
            }
            Line::Unspoken => {
                why.push(format!("{} is not spoken in this version", known.provider.api.name()));
                Vec::new()
            }
        };
        Explanation { fields, why }
    }
}

impl Known<'_> {
    /// Where the figures were read.
    fn source(&self) -> String {
        let row = self.facts.source.as_ref().unwrap_or(&self.shelf.source);
        match self.row {
            Some(_) => format!("the configuration, over {row}"),
            None => row.clone(),
        }
    }

    /// Which row it is, and where that comes from.
    fn origin(&self, model: &ModelRef) -> String {
        let shelf = match self.shelf.provider.as_str() {
            "*" => "servers in general",
            own => own,
        };
        let row = match self.fit {
            Fit::Named => format!("a row of the catalogue for {shelf} names {}", model.id),
            Fit::General => {
                format!("no row of the catalogue names {}; it is taken as usual for {shelf}", model.id)
            }
        };
        format!("{row} ({})", self.source())
    }
}
