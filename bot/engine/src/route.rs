//! Which agent serves a message, where its session is kept, and which configured defaults hold there.

use std::collections::BTreeMap;

use pensive_contract::ids::{SenderId, SessionKey, SpaceId};
use pensive_contract::inbound::{ChatKind, Inbound, Place, TopicKind};
use pensive_contract::model::{ModelRef, Params};
use pensive_directives::{Defaults, Overrides, Queue, QueueMode, Source};

use crate::rule::{defaults_of, prompt_of};
use crate::settings::{AgentSettings, Binding, DmScope, EngineSettings, ModelParams, OverrideScope};

/// Where a message belongs.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    /// The agent that serves it.
    pub(crate) agent: AgentSettings,
    /// Where its session is kept.
    pub(crate) key: SessionKey,
    /// Whose overrides it reads and writes.
    pub(crate) holder: SenderId,
}

/// Finds the agent, the session and the holder of overrides for an event.
pub(crate) fn route(settings: &EngineSettings, inbound: &Inbound) -> Option<Route> {
    let mut agent = agent_for(settings, inbound)?.clone();
    if let Some(door) = settings.doors.get(&inbound.place.account) {
        agent.prompt = prompt_of(door, inbound, &agent.prompt);
    }
    let key = session_key(settings, agent.id.as_str(), inbound);
    let holder = match settings.override_scope {
        OverrideScope::Sender => inbound.sender.id.clone(),
        OverrideScope::Session => SenderId::from("*"),
    };
    Some(Route { agent, key, holder })
}

fn agent_for<'a>(settings: &'a EngineSettings, inbound: &Inbound) -> Option<&'a AgentSettings> {
    let bound =
        settings.bindings.iter().filter(|binding| binds(binding, inbound)).max_by_key(|b| specificity(b));
    bound
        .and_then(|binding| settings.agents.iter().find(|agent| agent.id == binding.agent))
        .or_else(|| settings.agents.first())
}

fn binds(binding: &Binding, inbound: &Inbound) -> bool {
    let place = &inbound.place;
    let peer = peer(place, &inbound.sender.id);
    let topic = place.topic.as_ref().map(|topic| topic.id.as_str());
    let space = place.space.as_ref().map(SpaceId::as_str);
    binding.channel.as_ref().is_none_or(|channel| *channel == place.account.channel)
        && binding.account.as_ref().is_none_or(|account| account == place.account.id.as_str())
        && binding.space.as_ref().is_none_or(|wanted| Some(wanted.as_str()) == space)
        && binding.kind.is_none_or(|kind| kind == place.kind)
        && binding.peer.as_ref().is_none_or(|wanted| wanted == peer)
        && binding.topic.as_ref().is_none_or(|wanted| Some(wanted.as_str()) == topic)
}

fn specificity(binding: &Binding) -> u8 {
    u8::from(binding.topic.is_some()) * 16
        + u8::from(binding.peer.is_some()) * 8
        + u8::from(binding.space.is_some()) * 4
        + u8::from(binding.account.is_some()) * 2
        + u8::from(binding.channel.is_some())
}

fn peer<'a>(place: &'a Place, sender: &'a SenderId) -> &'a str {
    match place.kind {
        ChatKind::Direct => sender.as_str(),
        ChatKind::Group | ChatKind::Channel => place.chat.as_str(),
    }
}

fn session_key(settings: &EngineSettings, agent: &str, inbound: &Inbound) -> SessionKey {
    let place = &inbound.place;
    let channel = place.account.channel.as_str();
    let base = match place.kind {
        ChatKind::Direct => return direct_key(settings, agent, inbound),
        ChatKind::Group => SessionKey::of(["agent", agent, channel, "group", place.chat.as_str()]),
        ChatKind::Channel => SessionKey::of(["agent", agent, channel, "channel", place.chat.as_str()]),
    };
    in_topic(base, place)
}

fn direct_key(settings: &EngineSettings, agent: &str, inbound: &Inbound) -> SessionKey {
    let place = &inbound.place;
    let channel = place.account.channel.as_str();
    let peer = inbound.sender.id.as_str();
    let base = match settings.dm_scope {
        DmScope::Main => return SessionKey::of(["agent", agent, "main"]),
        DmScope::PerPeer => match linked(settings, channel, peer) {
            Some(name) => SessionKey::of(["agent", agent, "direct", name]),
            None => SessionKey::of(["agent", agent, "direct", channel, peer]),
        },
        DmScope::PerChannelPeer => SessionKey::of(["agent", agent, channel, "direct", peer]),
        DmScope::PerAccountChannelPeer => {
            SessionKey::of(["agent", agent, channel, place.account.id.as_str(), "direct", peer])
        }
    };
    in_topic(base, place)
}

fn linked<'a>(settings: &'a EngineSettings, channel: &str, peer: &str) -> Option<&'a str> {
    let full = format!("{channel}:{peer}");
    settings.identity_links.iter().find(|(_, forms)| forms.contains(&full)).map(|(name, _)| name.as_str())
}

fn in_topic(base: SessionKey, place: &Place) -> SessionKey {
    match &place.topic {
        None => base,
        Some(topic) => match topic.kind {
            TopicKind::Topic => base.with(["topic", topic.id.as_str()]),
            TopicKind::Thread => base.with(["thread", topic.id.as_str()]),
        },
    }
}

/// The model in force: the sender's pick, else the chat's, else the agent's.
pub(crate) fn model_in_force(agent: &AgentSettings, sender: &Overrides, chat: &Overrides) -> ModelRef {
    let picked = sender.model.as_deref().or(chat.model.as_deref());
    picked.and_then(ModelRef::parse).unwrap_or_else(|| agent.model.clone())
}

/// The configured layers for an agent, a model and what was said where, highest first.
pub(crate) fn defaults(
    settings: &EngineSettings,
    agent: &AgentSettings,
    model: &ModelRef,
    inbound: &Inbound,
) -> Defaults {
    let name = model.to_string();
    let own = agent.params.get(&name).cloned().unwrap_or_default();
    let shared = settings.params.get(&name).cloned().unwrap_or_default();
    let here =
        settings.doors.get(&inbound.place.account).map(|door| defaults_of(door, inbound)).unwrap_or_default();
    let (agents, global) = (agent.defaults, settings.global);
    Defaults {
        think: layers([
            (Source::Agent, here.think),
            (Source::Agent, agents.think),
            (Source::Model, own.think),
            (Source::Model, shared.think),
            (Source::Global, global.think),
        ]),
        fast: layers([
            (Source::Agent, here.fast),
            (Source::Agent, agents.fast),
            (Source::Global, global.fast),
            (Source::Model, own.fast),
            (Source::Model, shared.fast),
        ]),
        verbose: layers([
            (Source::Agent, here.verbose),
            (Source::Agent, agents.verbose),
            (Source::Global, global.verbose),
        ]),
        reasoning: layers([
            (Source::Agent, here.reasoning),
            (Source::Agent, agents.reasoning),
            (Source::Global, global.reasoning),
        ]),
        // What is built in is named so.
        queue: layers([(
            Source::Global,
            Some(settings.queue.mode).filter(|mode| *mode != QueueMode::Steer).map(Queue::plain),
        )]),
        fast_cutoff_seconds: own.fast_cutoff_seconds.or(shared.fast_cutoff_seconds).unwrap_or(60),
        model: agent.model.to_string(),
        model_source: agent.model_source,
        ..Defaults::default()
    }
}

/// What the configuration wants of every call to a model: the agent's own wishes before the shared ones.
pub(crate) fn params(settings: &EngineSettings, agent: &AgentSettings, model: &ModelRef) -> Params {
    let name = model.to_string();
    let call = |params: &BTreeMap<String, ModelParams>| params.get(&name).map(|params| params.call.clone());
    let shared = call(&settings.params).unwrap_or_default();
    call(&agent.params).unwrap_or_default().over(&shared)
}

fn layers<T, const N: usize>(layers: [(Source, Option<T>); N]) -> Vec<(Source, T)> {
    layers.into_iter().filter_map(|(source, value)| Some((source, value?))).collect()
}

#[cfg(test)]
mod tests {
    use pensive_contract::ids::{AccountId, AgentId, ChannelName, ChatId, TopicId};
    use pensive_contract::inbound::Topic;

    use super::*;
    use crate::samples::{inbound, settings};

    fn key(settings: &EngineSettings, inbound: &Inbound) -> String {
        route(settings, inbound).map(|route| route.key.to_string()).unwrap_or_default()
    }

    fn topic(id: &str, kind: TopicKind) -> Option<Topic> {
        Some(Topic { id: TopicId::from(id), kind })
    }

    #[test]
    fn session_keys_follow_the_scope() {
        let check = |scope, expected: &str| {
            let mut settings = settings();
            settings.dm_scope = scope;
            settings.identity_links = [("ann".to_owned(), vec!["chat:11".to_owned()])].into();
            assert_eq!(key(&settings, &inbound("11", "")), expected);
        };
        check(DmScope::PerChannelPeer, "agent:main:chat:direct:11");
        check(DmScope::Main, "agent:main:main");
        check(DmScope::PerPeer, "agent:main:direct:ann");
        check(DmScope::PerAccountChannelPeer, "agent:main:chat:one:direct:11");
    }

    #[test]
    fn ses_05_two_people_never_share_a_session() {
        assert_ne!(key(&settings(), &inbound("11", "")), key(&settings(), &inbound("12", "")));
    }

    #[test]
    fn ses_08_ses_13_topics_have_their_own_sessions_inside_their_chat() {
        let mut group = inbound("11", "");
        group.place.kind = ChatKind::Group;
        group.place.chat = ChatId::from("-1001");
        assert_eq!(key(&settings(), &group), "agent:main:chat:group:-1001");
        group.place.topic = topic("5", TopicKind::Topic);
        assert_eq!(key(&settings(), &group), "agent:main:chat:group:-1001:topic:5");
        group.place.topic = topic("5", TopicKind::Thread);
        assert_eq!(key(&settings(), &group), "agent:main:chat:group:-1001:thread:5");
        let mut one = inbound("11", "");
        one.place.topic = topic("5", TopicKind::Topic);
        let mut other = inbound("12", "");
        other.place.topic = topic("5", TopicKind::Topic);
        assert_ne!(key(&settings(), &one), key(&settings(), &other));
    }

    #[test]
    fn a_binding_may_ask_for_a_kind_of_conversation() {
        let mut settings = settings();
        let ops = AgentSettings { id: AgentId::from("ops"), ..settings.agents[0].clone() };
        settings.agents.push(ops);
        settings.bindings = vec![Binding {
            agent: AgentId::from("ops"),
            channel: None,
            account: None,
            space: None,
            kind: Some(ChatKind::Group),
            peer: Some("11".to_owned()),
            topic: None,
        }];
        let agent = |inbound: &Inbound| route(&settings, inbound).unwrap().agent.id.to_string();
        let mut inbound = inbound("11", "");
        assert_eq!(agent(&inbound), "main", "a person with the same id is no group");
        inbound.place.kind = ChatKind::Group;
        assert_eq!(agent(&inbound), "ops");
    }

    #[test]
    fn the_most_specific_binding_wins() {
        let mut settings = settings();
        let mut second = settings.agents[0].clone();
        second.id = AgentId::from("ops");
        let mut third = second.clone();
        third.id = AgentId::from("talk");
        settings.agents.extend([second, third]);
        let binding = |agent: &str, peer: Option<&str>, topic: Option<&str>| Binding {
            agent: AgentId::from(agent),
            channel: Some(ChannelName::from("chat")),
            account: None,
            space: None,
            kind: None,
            peer: peer.map(str::to_owned),
            topic: topic.map(str::to_owned),
        };
        settings.bindings = vec![
            binding("talk", Some("-1"), None),
            binding("ops", Some("-1"), Some("5")),
            binding("ops", None, None),
        ];
        let agent = |inbound: &Inbound| route(&settings, inbound).unwrap().agent.id.to_string();
        let mut group = inbound("11", "");
        assert_eq!(agent(&group), "ops");
        group.place.kind = ChatKind::Group;
        group.place.chat = ChatId::from("-1");
        assert_eq!(agent(&group), "talk");
        group.place.topic = topic("5", TopicKind::Topic);
        assert_eq!(agent(&group), "ops");
        group.place.account.channel = ChannelName::from("else");
        group.place.account.id = AccountId::from("x");
        assert_eq!(agent(&group), "main");
    }

    #[test]
    fn disc_10_a_thread_has_its_channels_agent_unless_it_is_bound_itself() {
        let mut settings = settings();
        let named = |id: &str| AgentSettings { id: AgentId::from(id), ..settings.agents[0].clone() };
        let more = ["space", "channel", "thread", "account"].map(named);
        settings.agents.extend(more);
        let binding = |agent: &str, space: Option<&str>, peer: Option<&str>, topic: Option<&str>| Binding {
            agent: AgentId::from(agent),
            channel: None,
            account: None,
            space: space.map(str::to_owned),
            kind: None,
            peer: peer.map(str::to_owned),
            topic: topic.map(str::to_owned),
        };
        settings.bindings = vec![
            Binding { account: Some("one".to_owned()), ..binding("account", None, None, None) },
            binding("space", Some("50"), None, None),
            binding("channel", None, Some("60"), None),
            binding("thread", Some("50"), None, Some("70")),
        ];
        let check = |space: Option<&str>, chat: &str, thread: Option<&str>, expected: &str| {
            let mut said = inbound("11", "");
            said.place.kind = ChatKind::Group;
            said.place.chat = ChatId::from(chat);
            said.place.space = space.map(SpaceId::from);
            said.place.topic = thread.and_then(|id| topic(id, TopicKind::Thread));
            let route = route(&settings, &said).unwrap();
            assert_eq!(route.agent.id.as_str(), expected, "{space:?} {chat} {thread:?}");
        };
        check(None, "61", None, "account");
        check(Some("51"), "61", None, "account");
        check(Some("50"), "61", None, "space");
        check(Some("50"), "61", Some("71"), "space");
        check(Some("50"), "60", None, "channel");
        check(Some("50"), "60", Some("71"), "channel");
        check(Some("50"), "60", Some("70"), "thread");
        check(Some("51"), "60", Some("70"), "channel");
    }
}
