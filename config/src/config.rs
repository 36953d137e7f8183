//! The settings of one installation: everything here is checked, has a value, and is named in plain words.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use pensive_contract::model::ModelRef;
use pensive_contract::secret::Secret;
use pensive_directives::QueueMode;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::agents::{Agent, Binding, DirectiveDefaults, ModelChoice};
use crate::channels::{DiscordAccount, TelegramAccount, WebPage};
use crate::folders::Folders;
use crate::keys::SetKey;
use crate::mention::Mention;
use crate::providers::{self, DefaultModel, Provider};
use crate::secret::SecretSource;
use crate::web::WebTools;

/// A checked configuration.
#[derive(Debug, Clone)]
pub struct Config {
    /// The file it came from; nothing where none was found and the defaults hold.
    pub file: Option<PathBuf>,
    /// Where things lie.
    pub folders: Folders,
    /// The folder of the person who runs this; nothing where the environment names none.
    pub user_home: Option<PathBuf>,
    /// What programs of others find in their environment: those of our variables that say where things are and how people
    /// here write, and no other, as it may be a secret.
    pub surroundings: Vec<(String, String)>,
    /// The agents; never empty, the default one first.
    pub agents: Vec<Agent>,
    /// Which agent serves which conversation, most specific first.
    pub bindings: Vec<Binding>,
    /// Starting values of directives that hold for every agent.
    pub defaults: DirectiveDefaults,
    /// The models that people can pick, with alias and parameters that hold for every agent.
    pub models: Vec<ModelChoice>,
    /// How the model of agents that name none was found.
    pub default_model: DefaultModel,
    /// The providers that the configuration uses or has keys for.
    pub providers: Vec<Provider>,
    /// The Telegram bots.
    pub telegram: Vec<TelegramAccount>,
    /// The Discord bots.
    pub discord: Vec<DiscordAccount>,
    /// What the tools of the web may do.
    pub web_tools: WebTools,
    /// The web page.
    pub web: WebPage,
    /// Who owns this installation: `channel:sender`, matched exactly.
    pub owners: Vec<String>,
    /// Who may use directives and commands, by channel (`*` for all others); nothing leaves it to the channel's policy.
    pub command_senders: Option<BTreeMap<String, Vec<String>>>,
    /// How conversations are kept.
    pub session: SessionSettings,
    /// How messages are taken in and answered.
    pub messages: MessageSettings,
    /// How often one sender may write; nothing for no limit.
    pub rate: Option<Rate>,
    /// Runs at the same time, over all sessions.
    pub max_concurrent: usize,
    /// The keys that the file sets.
    pub keys: Vec<SetKey>,
    /// The models that the file names, and the levels that it names for them, in the order of the file.
    pub mentions: Vec<Mention>,
    pub(crate) secrets: Vec<SecretSource>,
}

impl Config {
    /// Every secret that can be read, for the masker. The others are told where they are needed. Blocks like
    /// [`SecretSource::read`].
    #[must_use]
    pub fn all_secrets(&self) -> Vec<Secret> {
        self.secrets.iter().filter_map(|source| source.read().ok()).collect()
    }

    /// Whether a provider serves models of its own alone, so that one which nobody has heard of is most likely a slip.
    #[must_use]
    pub fn is_vendor(&self, provider: &str) -> bool {
        let own = self.providers.iter().find(|own| own.name == provider);
        let known = || providers::by_name(provider).and_then(|known| known.base_url);
        providers::is_vendor(provider, own.map_or_else(known, |own| own.base_url.as_deref()))
    }

    /// Lets agents that name no model use `model` of `provider` instead of the rehearsal: for a provider that was found
    /// running and not configured.
    pub fn adopt(&mut self, provider: Provider, model: &ModelRef) {
        let rehearsal = ModelRef { provider: "rehearsal".to_owned(), id: "echo".to_owned() };
        for agent in self.agents.iter_mut().filter(|agent| agent.model == rehearsal) {
            agent.model = model.clone();
        }
        self.models.push(ModelChoice::plain(model.clone()));
        self.providers.push(provider);
        self.default_model = DefaultModel::Adopted;
    }
}

/// How conversations are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSettings {
    /// How direct messages are kept apart.
    pub dm_scope: DmScope,
    /// To whom an override in a shared chat belongs.
    pub override_scope: OverrideScope,
    /// People known under several ids: a common name to its `channel:sender` forms.
    pub identity_links: BTreeMap<String, Vec<String>>,
    /// A session that was idle for so long ends; nothing for never.
    pub idle: Option<Duration>,
    /// The hour of the day, local time, at which sessions end; nothing for never.
    pub daily_hour: Option<u8>,
    /// Whether overrides outlive their session.
    pub keep_overrides: bool,
}

/// How direct messages are kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DmScope {
    /// One session for all of them.
    Main,
    /// One for each person, over all channels, by identity links.
    PerPeer,
    /// One for each person on each channel.
    PerChannelPeer,
    /// One for each person on each account.
    PerAccountChannelPeer,
}

/// To whom an override in a shared chat belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OverrideScope {
    /// To whoever set it.
    Sender,
    /// To everybody in the session.
    Session,
}

/// How messages are taken in and answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageSettings {
    /// How long a message waits for a continuation.
    pub debounce: Duration,
    /// What a new message does to a running answer.
    pub queue: QueueMode,
    /// How long `collect` waits for quiet.
    pub queue_quiet: Duration,
    /// How many messages wait at most.
    pub queue_cap: usize,
    /// The model that writes down voice messages; nothing where nobody does.
    pub transcribe: Option<ModelRef>,
    /// Put before every answer; empty for nothing.
    pub response_prefix: String,
}

/// How often one sender may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Messages a minute in the long run.
    pub per_minute: u32,
    /// Messages at once.
    pub burst: u32,
}
