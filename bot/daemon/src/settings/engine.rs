//! The engine's settings from the configuration.

use std::collections::BTreeMap;
use std::time::Duration;

use pensive_config::{self as config, Config};
use pensive_contract::ids::Account;
use pensive_contract::inbound::ChatKind;
use pensive_engine::settings::{
    AgentSettings, Binding, ChatRule, DirectPolicy, DirectiveDefaults, DmScope, Door, EngineSettings,
    GroupPolicy, GroupRule, MentionRule, ModelParams, OverrideScope, QueueRules, Rate, Streaming, ToolDetail,
    ToolRules, TopicRule,
};

/// How long one run may take, whatever it does.
const RUN_LIMIT: Duration = Duration::from_mins(10);

/// The settings; `user` is the local login, who owns what is on this machine and so this installation.
pub(crate) fn engine(config: &Config, user: &str) -> EngineSettings {
    let local = format!("{}:{user}", pensive_terminal::account().channel);
    EngineSettings {
        version: crate::VERSION.to_owned(),
        agents: config.agents.iter().map(agent).collect(),
        bindings: config.bindings.iter().map(binding).collect(),
        global: defaults(config.defaults),
        params: config
            .models
            .iter()
            .map(|choice| (choice.model.to_string(), params(&choice.params)))
            .collect(),
        owners: config.owners.iter().cloned().chain([local]).collect(),
        commands: config.command_senders.clone(),
        doors: doors(config),
        dm_scope: dm_scope(config.session.dm_scope),
        override_scope: override_scope(config.session.override_scope),
        identity_links: config.session.identity_links.clone(),
        rate: config.rate.map(|rate| Rate { per_minute: rate.per_minute, burst: rate.burst }),
        max_concurrent: config.max_concurrent,
        response_prefix: config.messages.response_prefix.clone(),
        run_limit: RUN_LIMIT,
        queue: QueueRules {
            mode: config.messages.queue,
            quiet: config.messages.queue_quiet,
            cap: config.messages.queue_cap,
            debounce: config.messages.debounce,
        },
        streaming: streamings(config),
        home: config.user_home.as_ref().map(|home| home.display().to_string()).unwrap_or_default(),
    }
}

fn agent(agent: &config::Agent) -> AgentSettings {
    AgentSettings {
        id: agent.id.clone(),
        model: agent.model.clone(),
        model_source: agent.model_source,
        fallbacks: agent.fallbacks.clone(),
        prompt: agent.prompt.clone(),
        defaults: defaults(agent.defaults),
        params: agent.params.iter().map(|(model, values)| (model.clone(), params(values))).collect(),
        tools: ToolRules { allowed: agent.tools.allow.clone(), denied: agent.tools.deny.clone() },
        tool_detail: tool_detail(agent.tool_detail),
    }
}

fn tool_detail(detail: config::ToolDetail) -> ToolDetail {
    match detail {
        config::ToolDetail::Explain => ToolDetail::Explain,
        config::ToolDetail::Raw => ToolDetail::Raw,
    }
}

fn streaming(streaming: config::Streaming) -> Streaming {
    match streaming {
        config::Streaming::Off => Streaming::Off,
        config::Streaming::Partial => Streaming::Partial,
        config::Streaming::Block => Streaming::Block,
        config::Streaming::Progress => Streaming::Progress,
    }
}

fn streamings(config: &Config) -> BTreeMap<Account, Streaming> {
    let telegram = config.telegram.iter().map(|bot| (&bot.account, bot.streaming));
    let discord = config.discord.iter().map(|bot| (&bot.account, bot.streaming));
    telegram.chain(discord).map(|(account, way)| (account.clone(), streaming(way))).collect()
}

fn binding(binding: &config::Binding) -> Binding {
    let config::Binding { agent, channel, account, guild, peer, topic } = binding.clone();
    let kind = peer.as_ref().and_then(|peer| peer.kind).map(chat_kind);
    Binding { agent, channel, account, space: guild, kind, peer: peer.map(|peer| peer.id), topic }
}

fn chat_kind(kind: config::PeerKind) -> ChatKind {
    match kind {
        config::PeerKind::Direct => ChatKind::Direct,
        config::PeerKind::Group => ChatKind::Group,
        config::PeerKind::Channel => ChatKind::Channel,
    }
}

fn defaults(defaults: config::DirectiveDefaults) -> DirectiveDefaults {
    let config::DirectiveDefaults { think, fast, verbose, reasoning } = defaults;
    DirectiveDefaults { think, fast, verbose, reasoning }
}

fn params(params: &config::ModelParams) -> ModelParams {
    let config::ModelParams { think, fast, fast_cutoff_seconds, call } = params.clone();
    ModelParams { think, fast, fast_cutoff_seconds, call }
}

fn doors(config: &Config) -> BTreeMap<Account, Door> {
    let no_guilds = BTreeMap::new();
    let telegram = config.telegram.iter().map(|bot| (&bot.account, &bot.door, &no_guilds));
    let discord = config.discord.iter().map(|bot| (&bot.account, &bot.door, &bot.guilds));
    telegram.chain(discord).map(|(account, rules, guilds)| (account.clone(), door(rules, guilds))).collect()
}

fn door(door: &config::Door, guilds: &BTreeMap<String, config::GroupRule>) -> Door {
    let direct = match door.direct {
        config::DirectPolicy::Pairing => DirectPolicy::Pairing,
        config::DirectPolicy::Allowlist => DirectPolicy::Allowlist,
        config::DirectPolicy::Open => DirectPolicy::Open,
        config::DirectPolicy::Disabled => DirectPolicy::Disabled,
    };
    let group = match door.group {
        config::GroupPolicy::Allowlist => GroupPolicy::Allowlist,
        config::GroupPolicy::Open => GroupPolicy::Open,
        config::GroupPolicy::Disabled => GroupPolicy::Disabled,
    };
    Door {
        direct,
        allow_from: door.allow_from.clone(),
        group,
        groups: group_rules(&door.groups),
        spaces: group_rules(guilds),
        group_allow_from: door.group_allow_from.clone(),
        directs: door.directs.iter().map(|(sender, rule)| (sender.clone(), chat_rule(rule))).collect(),
    }
}

fn group_rules(rules: &BTreeMap<String, config::GroupRule>) -> BTreeMap<String, GroupRule> {
    rules.iter().map(|(id, rule)| (id.clone(), group_rule(rule))).collect()
}

fn group_rule(rule: &config::GroupRule) -> GroupRule {
    GroupRule {
        mention: mention(rule.require_mention),
        bare_commands: rule.bare_commands,
        allow_from: rule.allow_from.clone(),
        reasoning: rule.reasoning,
        chat: chat_rule(&rule.chat),
    }
}

fn mention(required: bool) -> MentionRule {
    if required { MentionRule::Required } else { MentionRule::Free }
}

fn chat_rule(rule: &config::ChatRule) -> ChatRule {
    ChatRule {
        defaults: defaults(rule.defaults),
        prompt: rule.prompt.clone(),
        topics: rule.topics.iter().map(|(id, topic)| (id.clone(), topic_rule(topic))).collect(),
    }
}

fn topic_rule(rule: &config::TopicRule) -> TopicRule {
    TopicRule {
        mention: rule.require_mention.map(mention),
        allow_from: rule.allow_from.clone(),
        defaults: defaults(rule.defaults),
        prompt: rule.prompt.clone(),
    }
}

fn dm_scope(scope: config::DmScope) -> DmScope {
    match scope {
        config::DmScope::Main => DmScope::Main,
        config::DmScope::PerPeer => DmScope::PerPeer,
        config::DmScope::PerChannelPeer => DmScope::PerChannelPeer,
        config::DmScope::PerAccountChannelPeer => DmScope::PerAccountChannelPeer,
    }
}

fn override_scope(scope: config::OverrideScope) -> OverrideScope {
    match scope {
        config::OverrideScope::Sender => OverrideScope::Sender,
        config::OverrideScope::Session => OverrideScope::Session,
    }
}
