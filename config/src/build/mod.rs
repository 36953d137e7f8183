//! From the file as it is written to settings that are checked: defaults go in, names are looked up, and what cannot be is
//! told with its line.

mod agents;
mod bindings;
mod channels;
mod doors;
mod heartbeat;
mod params;
mod providers;
mod session;
mod web;

use std::path::PathBuf;

use pensive_contract::ids::AgentId;
use pensive_contract::model::ModelRef;
use pensive_directives::Level;

use crate::agents::DirectiveDefaults;
use crate::config::Config;
use crate::defaults;
use crate::document::Document;
use crate::environment::Environment;
use crate::fault::{ConfigFault, quoted};
use crate::file::File;
use crate::file::values::{CommandText, SecretText};
use crate::folders::{Places, expand};
use crate::keys;
use crate::mention::Mention;
use crate::secret::SecretSource;
use crate::trail::Trail;

/// What building needs to know besides the file, and what it collects.
pub(crate) struct Builder<'a> {
    pub(crate) environment: &'a Environment,
    pub(crate) places: &'a Places,
    /// The text that the file was read from; nothing without a file.
    pub(crate) document: Option<&'a Document<'a>>,
    pub(crate) faults: Vec<ConfigFault>,
    pub(crate) secrets: Vec<SecretSource>,
    pub(crate) mentions: Vec<Mention>,
}

impl Builder<'_> {
    /// Builds the whole configuration. With faults it is not to be used.
    pub(crate) fn config(mut self, file: &File) -> (Config, Vec<ConfigFault>) {
        let folders = self.folders(file);
        let models = self.models(file);
        let agents = self.agents(file, &models, &folders);
        let transcribe = self.listener(file, &models);
        let telegram = self.telegram(file.channels.telegram.as_ref());
        let discord = self.discord(file.channels.discord.as_ref());
        let names: Vec<&AgentId> = agents.iter().map(|agent| &agent.id).collect();
        let accounts =
            telegram.iter().map(|bot| &bot.account).chain(discord.iter().map(|bot| &bot.account)).collect();
        let bindings = self.bindings(&file.bindings, &names, &accounts);
        self.mentions.sort_by_key(|mention| mention.position);
        self.mentions.dedup();
        let config = Config {
            file: self.document.map(|_| self.places.file.path().to_owned()),
            bindings,
            defaults: directive_defaults(&file.agents.defaults.keys),
            default_model: models.default,
            models: models.choices,
            providers: models.providers,
            telegram,
            discord,
            web: channels::web(&file.channels.web),
            web_tools: self.web_tools(&file.web),
            owners: self.owners(&file.commands),
            command_senders: self.command_senders(&file.commands),
            session: self.session(&file.session),
            messages: session::messages(&file.messages, transcribe),
            rate: session::rate(&file.limits),
            max_concurrent: file.agents.defaults.max_concurrent.unwrap_or(defaults::MAX_CONCURRENT).into(),
            keys: self.document.map(keys::set_keys).unwrap_or_default(),
            agents,
            mentions: self.mentions,
            folders,
            user_home: self.places.user.clone(),
            surroundings: self.environment.for_programs(),
            secrets: self.secrets,
        };
        (config, self.faults)
    }

    /// Tells a fault; `message` goes on where the key ends: `agents.defaults.model names no provider`.
    fn fault(&mut self, trail: &Trail, message: impl std::fmt::Display) {
        let trail = self.document.map_or_else(|| trail.clone(), |document| document.original(trail));
        let position = self.document.and_then(|document| document.locate(&trail));
        self.faults.push(ConfigFault { position, message: format!("{trail} {message}") });
    }

    /// Notes a model, or a level for one, that the file names there.
    fn mention(&mut self, model: &ModelRef, level: Option<Level>, trail: &Trail) {
        let Some(document) = self.document else { return };
        let trail = document.original(trail);
        if let Some(position) = document.locate(&trail) {
            self.mentions.push(Mention { position, key: trail.to_string(), model: model.clone(), level });
        }
    }

    /// Whether the file has something there, be it right or wrong: what is wrong was told and is not missing as well.
    fn holds(&self, trail: &Trail) -> bool {
        self.document.is_some_and(|document| document.holds(&document.original(trail)))
    }

    fn folders(&mut self, file: &File) -> crate::folders::Folders {
        let mut folders = self.places.folders.clone();
        if let Some(path) = &file.storage.path {
            let data = self.path(path, &Trail::of(&["storage", "path"]));
            // Two installations that differ in their file alone must not share a socket.
            if folders.home == folders.data {
                folders.home = data.clone();
            }
            folders.data = data;
        }
        folders
    }

    /// A path of the file: `~` is the home folder, a relative one starts where the file lies.
    fn path(&mut self, text: &str, trail: &Trail) -> PathBuf {
        let path = expand(text.as_ref(), self.places.user.as_deref());
        if path.starts_with("~") {
            self.fault(trail, "begins with ~, but HOME is not set; give the whole path");
        }
        match self.places.file.path().parent() {
            Some(folder) if path.is_relative() => folder.join(path),
            _ => path,
        }
    }

    fn secret(&mut self, text: &SecretText, owner: &str, trail: &Trail) -> SecretSource {
        let key = match trail.steps().last() {
            Some(crate::trail::Step::Key(key)) => key.clone(),
            _ => String::new(),
        };
        let source = match text {
            SecretText::Here(text) => self.literal(text.trim(), owner, &key, trail),
            SecretText::Elsewhere(place) => match (&place.env, &place.file, &place.command) {
                (Some(name), ..) => SecretSource::variable(name, self.environment.get(name), owner, &key),
                (_, Some(file), _) => {
                    let path = self.path(&file.to_string_lossy(), &trail.key("file"));
                    SecretSource::file(path, owner, &key)
                }
                (_, _, command) => SecretSource::command(words(command.as_ref()), owner, &key),
            },
        };
        // What several agents or accounts share is read once.
        if let Some(known) = self.secrets.iter().find(|known| known.is_same(&source)) {
            return known.clone();
        }
        self.secrets.push(source.clone());
        source
    }

    fn literal(&mut self, text: &str, owner: &str, key: &str, trail: &Trail) -> SecretSource {
        let variable = text.strip_prefix("${").and_then(|text| text.strip_suffix('}'));
        if let Some(name) = variable {
            self.fault(
                trail,
                format_args!("is not filled in from the environment; write {{ env: {} }}", quoted(name)),
            );
        } else if text.chars().any(|c| c.is_control()) {
            self.fault(trail, "must be one line");
        }
        SecretSource::text(text.to_owned(), owner, key)
    }
}

fn words(command: Option<&CommandText>) -> Vec<String> {
    match command {
        Some(CommandText::Words(words)) => words.clone(),
        Some(CommandText::Line(line)) => vec!["sh".to_owned(), "-c".to_owned(), line.clone()],
        None => Vec::new(),
    }
}

fn directive_defaults(keys: &crate::file::agents::AgentKeys) -> DirectiveDefaults {
    DirectiveDefaults {
        think: keys.thinking_default.as_ref().map(|word| word.0),
        fast: keys.fast_mode_default.as_ref().map(|word| word.0),
        verbose: keys.verbose_default.as_ref().map(|word| word.0),
        reasoning: keys.reasoning_default.as_ref().map(|word| word.0),
    }
}
