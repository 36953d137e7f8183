//! Providers and models: what the file says, what the environment has keys for, and what is known by name.

use pensive_contract::model::ModelRef;
use pensive_directives::Level;

use super::Builder;
use super::agents::{fallbacks, primary};
use super::params::params;
use crate::agents::ModelChoice;
use crate::fault::{ConfigFault, quoted};
use crate::file::File;
use crate::file::agents::AgentKeys;
use crate::file::models::{ModelRow as WrittenRow, Provider as Written};
use crate::file::params::Thinking;
use crate::file::values::{Reading, SecretText};
use crate::format::{BaseUrl, Model};
use crate::nearest::hint;
use crate::providers::{self, Api, DefaultModel, KNOWN, KnownProvider, ModelRow, Provider};
use crate::secret::SecretSource;
use crate::trail::Trail;

/// The models of this installation.
pub(super) struct KnownModels {
    /// The model of agents that name none.
    pub(super) first: ModelRef,
    pub(super) default: DefaultModel,
    pub(super) choices: Vec<ModelChoice>,
    pub(super) providers: Vec<Provider>,
    /// Every name that may stand before the slash.
    names: Vec<String>,
}

impl Builder<'_> {
    pub(super) fn models(&mut self, file: &File) -> KnownModels {
        let written = &file.models.providers.0;
        let mut names: Vec<String> = written.iter().map(|(name, _)| name.clone()).collect();
        names.extend(KNOWN.iter().map(|known| known.name.to_owned()));
        let (first, default) = self.first_model(file);
        let mut models = KnownModels { first, default, choices: Vec::new(), providers: Vec::new(), names };
        self.choices(file, &mut models);
        models.providers = written.iter().map(|(name, provider)| self.provider(name, provider)).collect();
        let unwritten = KNOWN.iter().filter(|known| written.iter().all(|(name, _)| name != known.name));
        for known in unwritten {
            let used = models.choices.iter().any(|choice| choice.model.provider == known.name)
                || listener(file).is_some_and(|model| model.provider == known.name);
            if used || self.offers(known) {
                models.providers.push(self.provider(known.name, &Written::default()));
            }
        }
        models
    }

    /// The model of agents that name none: the configured one, the first that the file describes, the first provider with a
    /// key, and in the end the rehearsal.
    fn first_model(&self, file: &File) -> (ModelRef, DefaultModel) {
        if let Some(model) = primary(&file.agents.defaults.keys) {
            return (model, DefaultModel::Configured);
        }
        let mut own = file.agents.keys().map(primary);
        if let Some(Some(model)) = own.next().filter(|_| own.all(|model| model.is_some())) {
            return (model, DefaultModel::Configured);
        }
        for (name, provider) in &file.models.providers.0 {
            let described = provider.models.first().map(|row| row.id.as_str());
            let id = described.or_else(|| providers::by_name(name).map(|known| known.model));
            if let Some(id) = id.filter(|id| !id.is_empty()) {
                let model = ModelRef { provider: name.clone(), id: id.to_owned() };
                return (model, DefaultModel::Configured);
            }
        }
        let keyed =
            KNOWN.iter().find_map(|known| Some((known, known.variable.filter(|_| self.offers(known))?)));
        if let Some((known, variable)) = keyed {
            return (known.first_model(), DefaultModel::Key(variable));
        }
        (ModelRef { provider: "rehearsal".to_owned(), id: "echo".to_owned() }, DefaultModel::Rehearsal)
    }

    fn has_key(&self, known: &KnownProvider) -> bool {
        known.variable.is_some_and(|variable| self.environment.get(variable).is_some())
    }

    /// Whether a key is all that it takes to call it.
    fn offers(&self, known: &KnownProvider) -> bool {
        known.base_url.is_some() && self.has_key(known)
    }

    /// What people can pick: everything that the file mentions, one model of each vendor that it sets up without naming any,
    /// and where it names no model at all one of each provider that has a key.
    fn choices(&mut self, file: &File, models: &mut KnownModels) {
        let base = &file.agents.defaults.keys;
        let trail = Trail::of(&["agents"]);
        self.settings(base, models, &trail.key("defaults"), Shared::Yes);
        for (id, entry) in &file.agents.entries.0 {
            self.settings(&entry.keys, models, &trail.key("entries").key(id), Shared::No);
        }
        for (index, entry) in file.agents.list.iter().enumerate() {
            self.settings(&entry.keys, models, &trail.key("list").index(index), Shared::No);
        }
        let mentioned: Vec<ModelRef> = std::iter::once(models.first.clone())
            .chain(fallbacks(base).into_iter().flatten())
            .chain(
                file.agents
                    .keys()
                    .flat_map(|keys| primary(keys).into_iter().chain(fallbacks(keys).into_iter().flatten())),
            )
            .collect();
        let described = file.models.providers.0.iter().flat_map(|(name, provider)| {
            provider.models.iter().map(|row| ModelRef { provider: name.clone(), id: row.id.clone() })
        });
        let keyed = KNOWN.iter().filter(|known| self.offers(known)).map(KnownProvider::first_model);
        let keyed = keyed.filter(|_| matches!(models.default, DefaultModel::Key(_)));
        for model in mentioned.into_iter().chain(described).chain(keyed) {
            if models.choices.iter().all(|choice| choice.model != model) {
                models.choices.push(ModelChoice::plain(model));
            }
        }
        // Whoever gives a vendor's key wants its models, though none is named.
        let set_up = file.models.providers.0.iter().filter_map(|(name, _)| providers::by_name(name));
        for vendor in set_up.filter(|known| known.variable.is_some() && !known.model.is_empty()) {
            if models.choices.iter().all(|choice| choice.model.provider != vendor.name) {
                models.choices.push(ModelChoice::plain(vendor.first_model()));
            }
        }
    }

    /// Takes a block's `models`; the parameters of an agent's own block are that agent's alone.
    fn settings(&mut self, keys: &AgentKeys, models: &mut KnownModels, trail: &Trail, shared: Shared) {
        for (name, settings) in &keys.models.0 {
            let place = trail.key("models").key(name);
            let Some(Model(model)) = Model::read(name) else {
                self.fault(&place, format_args!("must be named by {}", Model::allowed()));
                continue;
            };
            self.known(&model, models, &place);
            self.check_params(&settings.params, &place.key("params"));
            if let Some(Thinking::Level(level)) = &settings.params.thinking {
                self.mention(&model, Some(level.0), &place.key("params").key("thinking"));
            }
            let alias = settings.alias.clone();
            if let Some(alias) = &alias {
                self.check_alias(alias, &model, models, &place.key("alias"));
            }
            let known = models.choices.iter_mut().find(|choice| choice.model == model);
            match (known, shared) {
                (Some(choice), _) => choice.alias = choice.alias.take().or(alias),
                (None, Shared::Yes) => {
                    models.choices.push(ModelChoice { model, alias, params: params(&settings.params) });
                }
                (None, Shared::No) => models.choices.push(ModelChoice { alias, ..ModelChoice::plain(model) }),
            }
        }
    }

    fn check_alias(&mut self, alias: &str, model: &ModelRef, models: &KnownModels, trail: &Trail) {
        if alias.contains('/') || alias.chars().any(char::is_whitespace) {
            self.fault(trail, "must be one word without a slash");
        }
        let same = |other: &&ModelChoice| {
            other.alias.as_ref().is_some_and(|other| other.eq_ignore_ascii_case(alias))
        };
        if let Some(other) = models.choices.iter().find(same).filter(|other| other.model != *model) {
            self.fault(trail, format_args!("{} is the alias of {} already", quoted(alias), other.model));
        }
    }

    /// Checks that a model's provider is known.
    pub(super) fn known(&mut self, model: &ModelRef, models: &KnownModels, trail: &Trail) {
        if models.names.contains(&model.provider) {
            self.mention(model, None, trail);
        } else {
            self.unknown_provider(model, models, trail);
        }
    }

    fn unknown_provider(&mut self, model: &ModelRef, models: &KnownModels, trail: &Trail) {
        let near = meant(&model.provider, models.names.iter().map(String::as_str));
        let provider = quoted(&model.provider);
        let message = format_args!(
            "names a provider that is not known: {provider}; known: {}; others go under models.providers{near}",
            models.names.join(", ")
        );
        self.fault(trail, message);
    }

    /// The model that writes down voice messages, where the file names one that can.
    pub(super) fn listener(&mut self, file: &File, models: &KnownModels) -> Option<ModelRef> {
        let model = listener(file)?;
        let trail = Trail::of(&["messages", "voice", "transcribe"]);
        match models.providers.iter().find(|provider| provider.name == model.provider) {
            None => self.unknown_provider(model, models, &trail),
            Some(provider) if !provider.api.writes_down() => {
                let message = "names a provider that writes nothing down; it must speak openai-responses or openai-completions";
                self.fault(&trail, message);
            }
            Some(_) => {}
        }
        Some(model.clone())
    }

    fn provider(&mut self, name: &str, written: &Written) -> Provider {
        let trail = Trail::of(&["models", "providers"]).key(name);
        if name.is_empty() || name.chars().any(|c| c == '/' || c.is_whitespace()) {
            self.fault(&trail, "needs a name without blanks and slashes");
        }
        let known = providers::by_name(name);
        let written_url = written.base_url.as_ref().map(|url| url.0.0.clone());
        let variable_url = if written_url.is_none() { self.openai_base_url(name) } else { None };
        // A server that stands in for OpenAI's speaks the older of its two APIs, if any.
        let variable_api = variable_url.is_some().then_some(Api::OpenaiCompletions);
        let api =
            written.api.or(variable_api).or(known.map(|known| known.api)).unwrap_or(Api::OpenaiCompletions);
        let moved = written_url.is_some();
        let base_url =
            written_url.or(variable_url).or(known.and_then(|known| known.base_url).map(str::to_owned));
        if base_url.is_none() && api.needs_address() && !self.holds(&trail.key("baseUrl")) {
            match known {
                Some(_) => self.fault(&trail, "needs the baseUrl of its region"),
                None => {
                    let near = meant(name, KNOWN.iter().map(|known| known.name));
                    self.fault(&trail, format_args!("is not known by name and needs a baseUrl{near}"));
                }
            }
        }
        Provider {
            name: name.to_owned(),
            api,
            base_url,
            api_key: self.api_key(name, written, known.filter(|known| !moved || self.has_key(known)), &trail),
            headers: self.named_secrets(&written.headers, &trail.key("headers")),
            models: self.rows(name, &written.models, &trail.key("models")),
        }
    }

    /// The one address that tools in general take from the environment.
    fn openai_base_url(&mut self, name: &str) -> Option<String> {
        let text = self.environment.get("OPENAI_BASE_URL").filter(|_| name == "openai")?;
        let url = BaseUrl::read(text);
        if url.is_none() {
            // Not to be passed over: the key would go to another server than was meant.
            let message = format!(
                "the environment variable OPENAI_BASE_URL must be {}, not {}",
                BaseUrl::allowed(),
                quoted(text)
            );
            self.faults.push(ConfigFault { position: None, message });
        }
        url.map(|BaseUrl(url)| url)
    }

    fn api_key(
        &mut self,
        name: &str,
        written: &Written,
        known: Option<&KnownProvider>,
        trail: &Trail,
    ) -> Option<SecretSource> {
        let text = written
            .api_key
            .clone()
            .or_else(|| known.and_then(|known| known.variable).map(SecretText::variable))?;
        Some(self.secret(&text, &format!("the provider {name}"), &trail.key("apiKey")))
    }

    fn rows(&mut self, provider: &str, written: &[WrittenRow], trail: &Trail) -> Vec<ModelRow> {
        let mut rows: Vec<ModelRow> = Vec::new();
        for (index, row) in written.iter().enumerate() {
            let place = trail.index(index);
            if rows.iter().any(|other| other.id == row.id) {
                self.fault(&place, format_args!("is a second row for {}", quoted(&row.id)));
            }
            rows.push(self.row(row, &place));
            self.mention_levels(provider, row, &place);
        }
        rows
    }

    /// The levels that a row gives a word on the wire.
    fn mention_levels(&mut self, provider: &str, row: &WrittenRow, trail: &Trail) {
        let model = ModelRef { provider: provider.to_owned(), id: row.id.clone() };
        for (word, wire) in &row.thinking_level_map.0 {
            if let Some(level) = Level::normalise(word).filter(|_| wire.is_some()) {
                self.mention(&model, Some(level), &trail.key("thinkingLevelMap").key(word));
            }
        }
    }

    fn row(&mut self, row: &WrittenRow, trail: &Trail) -> ModelRow {
        let levels = row.thinking_level_map.0.iter().filter_map(|(word, wire)| {
            let level = Level::normalise(word);
            if level.is_none() {
                let near = <Level as Reading>::near(word).map(|near| format!("; did you mean \"{near}\"?"));
                let message = format!(
                    "is no thinking level; allowed: {}{}",
                    <Level as Reading>::allowed(),
                    near.unwrap_or_default()
                );
                self.fault(&trail.key("thinkingLevelMap").key(word), message);
            }
            Some((level?, wire.clone()))
        });
        ModelRow {
            thinking_level_map: levels.collect(),
            id: row.id.clone(),
            name: row.name.clone(),
            reasoning: row.reasoning,
            context_window: row.context_window,
            max_tokens: row.max_tokens,
            input: row.input.clone(),
            supported_efforts: row
                .compat
                .supported_reasoning_efforts
                .as_ref()
                .map(|efforts| efforts.iter().map(|word| word.0).collect()),
            supports_effort: row.compat.supports_reasoning_effort,
            thinking_format: row.compat.thinking_format,
        }
    }
}

/// The model that is to write down voice messages.
fn listener(file: &File) -> Option<&ModelRef> {
    file.messages.voice.transcribe.as_ref().map(|model| &model.0.0)
}

/// `; did you mean "x"?` for a provider's name that is not known, or nothing.
fn meant<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    providers::provider_also_called(name)
        .map_or_else(|| hint(name, names), |known| format!("; did you mean {}?", quoted(known)))
}

/// Whether parameters hold for every agent.
#[derive(Clone, Copy)]
enum Shared {
    Yes,
    No,
}
