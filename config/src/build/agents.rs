//! Agents: each one's keys over the defaults'.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use pensive_contract::ids::AgentId;
use pensive_contract::model::ModelRef;
use pensive_directives::Source;

use super::params::params;
use super::providers::KnownModels;
use super::{Builder, directive_defaults};
use crate::agents::{Agent, McpServer, ToolDetail, Tools};
use crate::defaults;
use crate::fault::quoted;
use crate::file::File;
use crate::file::agents::{AgentKeys, Mcp, McpServer as WrittenServer, ModelUse, Tools as Keys};
use crate::file::values::{Entries, SecretText};
use crate::folders::Folders;
use crate::secret::SecretSource;
use crate::trail::Trail;

/// One agent as it is written, in either of the two ways.
struct Written<'f> {
    id: &'f str,
    default: bool,
    keys: &'f AgentKeys,
    trail: Trail,
}

impl Builder<'_> {
    /// The agents, the default one first.
    pub(super) fn agents(&mut self, file: &File, models: &KnownModels, folders: &Folders) -> Vec<Agent> {
        let base = &file.agents.defaults.keys;
        let plain = AgentKeys::default();
        let mut written = self.written(file);
        if written.is_empty() {
            written.push(Written { id: "main", default: true, keys: &plain, trail: Trail::of(&["agents"]) });
        }
        // Stable: without a default the first one stays first.
        written.sort_by_key(|agent| !agent.default);
        let own_beats = written.iter().any(|agent| agent.keys.heartbeat.is_some());
        self.check_defaults(base, models);
        let agents = written.iter().map(|agent| {
            let mut built = self.agent(agent, base, models, folders);
            self.mention_level(agent, base, &built.model);
            let beats = if own_beats { agent.keys.heartbeat.is_some() } else { base.heartbeat.is_some() };
            if beats {
                let place = agent.trail.key("heartbeat");
                built.heartbeat =
                    self.heartbeat(agent.keys.heartbeat.as_ref(), base.heartbeat.as_ref(), models, &place);
            }
            built
        });
        agents.collect()
    }

    fn written<'f>(&mut self, file: &'f File) -> Vec<Written<'f>> {
        let trail = Trail::of(&["agents"]);
        let entries = file.agents.entries.0.iter().map(|(id, entry)| Written {
            id,
            default: entry.default == Some(true),
            keys: &entry.keys,
            trail: trail.key("entries").key(id),
        });
        let listed = file.agents.list.iter().enumerate().map(|(index, entry)| Written {
            id: &entry.id.0,
            default: entry.default == Some(true),
            keys: &entry.keys,
            trail: trail.key("list").index(index),
        });
        let written: Vec<Written<'f>> = entries.chain(listed).collect();
        let mut ids = HashSet::new();
        for agent in &written {
            if !ids.insert(agent.id) {
                self.fault(&agent.trail, format_args!("is a second agent {}", quoted(agent.id)));
            }
            if agent.id.is_empty() || agent.id.chars().any(|c| c.is_whitespace() || c.is_control()) {
                self.fault(&agent.trail, "needs an id without blanks");
            }
        }
        let mut defaults = written.iter().filter(|agent| agent.default);
        if let (Some(first), Some(second)) = (defaults.next(), defaults.next()) {
            let message = format_args!("is a second default agent; {} is one already", quoted(first.id));
            self.fault(&second.trail.key("default"), message);
        }
        written
    }

    /// What only the defaults say is checked once, and not for every agent.
    fn check_defaults(&mut self, base: &AgentKeys, models: &KnownModels) {
        let trail = Trail::of(&["agents", "defaults"]);
        self.check_model(base, models, &trail);
        if let Some(beat) = &base.heartbeat {
            self.heartbeat(Some(beat), None, models, &trail.key("heartbeat"));
        }
    }

    /// The level that an agent starts with is one for its model.
    fn mention_level(&mut self, written: &Written<'_>, base: &AgentKeys, model: &ModelRef) {
        let shared = Trail::of(&["agents", "defaults"]);
        let own = written.keys.thinking_default.as_ref().map(|level| (level, &written.trail));
        if let Some((level, block)) = own.or(base.thinking_default.as_ref().map(|level| (level, &shared))) {
            self.mention(model, Some(level.0), &block.key("thinkingDefault"));
        }
    }

    fn check_model(&mut self, keys: &AgentKeys, models: &KnownModels, trail: &Trail) {
        let trail = trail.key("model");
        match &keys.model {
            None => {}
            Some(ModelUse::One(model)) => self.known(&model.0.0, models, &trail),
            Some(ModelUse::Chain(chain)) => {
                if let Some(primary) = &chain.primary {
                    self.known(&primary.0.0, models, &trail.key("primary"));
                }
                for (index, model) in chain.fallbacks.iter().flatten().enumerate() {
                    self.known(&model.0.0, models, &trail.key("fallbacks").index(index));
                }
            }
        }
    }

    fn agent(
        &mut self,
        written: &Written<'_>,
        base: &AgentKeys,
        models: &KnownModels,
        folders: &Folders,
    ) -> Agent {
        let Written { id, keys, trail, .. } = written;
        self.check_model(keys, models, trail);
        let named = [(Source::Agent, primary(keys)), (Source::Global, primary(base))];
        let named = named.into_iter().find_map(|(source, model)| Some((source, model?)));
        let (model_source, model) = named.unwrap_or_else(|| (Source::BuiltIn, models.first.clone()));
        let mut fallbacks = fallbacks(keys).or_else(|| fallbacks(base)).unwrap_or_default();
        fallbacks.retain(|fallback| *fallback != model);
        let workspace = match (&keys.workspace, &base.workspace) {
            (Some(own), _) => self.path(own, &trail.key("workspace")),
            (None, Some(base)) => self.path(base, &Trail::of(&["agents", "defaults", "workspace"])),
            (None, None) => folders.workspace.clone(),
        };
        let detail = keys.tool_progress_detail.or(base.tool_progress_detail);
        Agent {
            id: AgentId::from(*id),
            model,
            model_source,
            fallbacks,
            prompt: keys.prompt.as_ref().or(base.prompt.as_ref()).cloned().unwrap_or_default(),
            workspace,
            defaults: directive_defaults(keys),
            params: keys
                .models
                .0
                .iter()
                .map(|(model, settings)| (model.clone(), params(&settings.params)))
                .collect(),
            tool_detail: detail.unwrap_or(ToolDetail::Explain),
            tools: tools(keys.tools.as_ref(), base.tools.as_ref()),
            mcp: self.servers(keys, base, trail),
            heartbeat: None,
        }
    }

    /// The tool servers: the defaults' and the agent's own; of two with one name the agent's.
    fn servers(&mut self, keys: &AgentKeys, base: &AgentKeys, trail: &Trail) -> BTreeMap<String, McpServer> {
        let shared = Trail::of(&["agents", "defaults"]);
        let blocks = [(&base.mcp, &shared), (&keys.mcp, trail)];
        let mut servers = BTreeMap::new();
        for (Mcp { servers: written }, trail) in
            blocks.into_iter().filter_map(|(mcp, trail)| Some((mcp.as_ref()?, trail)))
        {
            for (name, server) in &written.0 {
                let place = trail.key("mcp").key("servers").key(name);
                servers.extend(self.server(server, &place).map(|server| (name.clone(), server)));
            }
        }
        servers
    }

    fn server(&mut self, server: &WrittenServer, trail: &Trail) -> Option<McpServer> {
        match (&server.command, &server.url) {
            (Some(command), None) => Some(McpServer::Program {
                command: command.clone(),
                args: server.args.clone().unwrap_or_default(),
                env: self.named_secrets(&server.env, &trail.key("env")),
            }),
            (None, Some(url)) => Some(McpServer::Url {
                url: url.0.0.clone(),
                headers: self.named_secrets(&server.headers, &trail.key("headers")),
            }),
            _ => {
                self.fault(trail, "must have either command or url");
                None
            }
        }
    }

    pub(super) fn named_secrets(
        &mut self,
        secrets: &Entries<SecretText>,
        trail: &Trail,
    ) -> Vec<(String, SecretSource)> {
        let owner = trail.to_string();
        secrets
            .0
            .iter()
            .map(|(name, text)| (name.clone(), self.secret(text, &owner, &trail.key(name))))
            .collect()
    }
}

/// The model that a block names.
pub(super) fn primary(keys: &AgentKeys) -> Option<ModelRef> {
    match keys.model.as_ref()? {
        ModelUse::One(model) => Some(model.0.0.clone()),
        ModelUse::Chain(chain) => chain.primary.as_ref().map(|model| model.0.0.clone()),
    }
}

/// The stand-ins that a block names.
pub(super) fn fallbacks(keys: &AgentKeys) -> Option<Vec<ModelRef>> {
    match keys.model.as_ref()? {
        ModelUse::One(_) => None,
        ModelUse::Chain(chain) => {
            chain.fallbacks.as_ref().map(|models| models.iter().map(|model| model.0.0.clone()).collect())
        }
    }
}

fn tools(own: Option<&Keys>, base: Option<&Keys>) -> Tools {
    let empty = Keys::default();
    let (own, base) = (own.unwrap_or(&empty), base.unwrap_or(&empty));
    let seconds = own.exec.timeout_seconds.or(base.exec.timeout_seconds).unwrap_or(defaults::EXEC_SECONDS);
    Tools {
        allow: own.allow.clone().or_else(|| base.allow.clone()).unwrap_or_default(),
        deny: own.deny.clone().or_else(|| base.deny.clone()).unwrap_or_default(),
        unconfined: own.exec.unconfined.or(base.exec.unconfined).unwrap_or(false),
        exec_limit: Duration::from_secs(seconds.into()),
    }
}
