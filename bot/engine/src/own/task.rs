//! What a sub-agent runs with: its agent, its model, its level, what it may do, and where its session is kept.

use pensive_contract::ids::{AgentId, Ticket};
use pensive_contract::inbound::{Inbound, InboundKind, TypedText};
use pensive_contract::model::ModelRef;
use pensive_contract::tool::ToolFault;
use pensive_directives::{
    Level, OnceOverrides, Owner, Reasoning, Resolved, Settings, Source, ThinkResolved, Trace, Verbose,
    find_model,
};

use super::arguments::{Arguments, refused};
use super::crew::Depth;
use super::spawn::Spawn;
use super::{MESSAGE, SPAWN};
use crate::access;
use crate::route::Route;
use crate::rule::prompt_of;
use crate::run::Pending;
use crate::settings::{AgentSettings, ToolRules};
use crate::ultra;

/// What a sub-agent is told beside the task.
const GUIDANCE: &str = "You are a sub-agent: another run gave you the task below and waits for your answer, which nobody \
                        else reads. You know nothing but the task and cannot ask back; where something is unclear, take \
                        what is most likely meant and say so. Do all of it, then answer with the result alone.";

impl Spawn {
    /// What is to be run for a call. `ticket` names its session.
    ///
    /// # Errors
    /// It cannot be run as it was asked for; the words tell the model why.
    pub(super) fn sub_agent(&self, arguments: &Arguments, ticket: Ticket) -> Result<Pending, ToolFault> {
        let caller = &self.pending;
        let task = arguments.needed("task")?.to_owned();
        arguments.text("label")?;
        let agent = self.agent(arguments.text("agent")?)?;
        let model = self.model(arguments.text("model")?, &agent)?;
        let think = self.think(arguments.text("thinking")?, &agent, &model)?;
        let kind = InboundKind::Message(TypedText { text: task.clone(), ..TypedText::default() });
        let mut inbound =
            Inbound { kind, attachments: Vec::new(), at: self.core.now(), ..caller.inbound.clone() };
        // Among several people each word has its speaker.
        inbound.sender.name = caller.route.agent.id.to_string();
        let key = caller.route.key.with(["sub", &ticket.to_string()]);
        Ok(Pending {
            tickets: Vec::new(),
            inbound,
            text: task,
            once: OnceOverrides::default(),
            settings: quiet(&caller.settings, think, &model),
            model,
            route: Route { agent, key, holder: caller.route.holder.clone() },
            ..caller.clone()
        })
    }

    /// The agent as a sub-agent: it may do what its caller may too, and speaks to nobody else.
    fn agent(&self, named: Option<&str>) -> Result<AgentSettings, ToolFault> {
        let (settings, caller) = (&self.core.settings, &self.pending);
        let id = named.map_or_else(|| caller.route.agent.id.clone(), AgentId::from);
        let place = &caller.inbound.place;
        let is_own = id == caller.route.agent.id;
        if !is_own && access::owner(settings, &place.account, &caller.inbound.sender) != Owner::Yes {
            return Err(refused(
                "Only an owner of this house may have another agent work. Leave \"agent\" out.",
            ));
        }
        let found = settings.agents.iter().find(|agent| agent.id == id);
        let mut agent = found.cloned().ok_or_else(|| refused(format!("There is no agent \"{id}\".")))?;
        if let Some(door) = settings.doors.get(&place.account) {
            agent.prompt = prompt_of(door, &caller.inbound, &agent.prompt);
        }
        agent.prompt = ultra::below(&agent.prompt, GUIDANCE);
        agent.tools = both(&caller.route.agent.tools, &agent.tools);
        agent.tools.denied.push(MESSAGE.to_owned());
        if self.own.crew.depth() != Depth::Asked {
            agent.tools.denied.push(SPAWN.to_owned());
        }
        Ok(agent)
    }

    fn model(&self, named: Option<&str>, agent: &AgentSettings) -> Result<ModelRef, ToolFault> {
        let Some(name) = named else {
            let is_own = agent.id == self.pending.route.agent.id;
            return Ok(if is_own { self.pending.model.clone() } else { agent.model.clone() });
        };
        let found = find_model(self.core.ports.model.entries(), name).map_err(refused)?;
        ModelRef::parse(&found).ok_or_else(|| refused(format!("There is no model \"{found}\".")))
    }

    /// The level that was named, else the caller's. Plan and sub-agents are the caller's own: what it hands down is the most
    /// that a model has.
    fn think(
        &self,
        named: Option<&str>,
        agent: &AgentSettings,
        model: &ModelRef,
    ) -> Result<ThinkResolved, ToolFault> {
        let profile = self.core.profile(agent, model);
        let inherited = self.pending.settings.think;
        let (asked, source) = match named {
            Some(word) => (profile.read(word).map_err(refused)?, Source::Message),
            None if inherited.asked == Level::Ultra => (Level::Max, inherited.source),
            None => (inherited.asked, inherited.source),
        };
        Ok(ThinkResolved { asked, level: profile.clamp(asked), source, effort: None })
    }
}

/// The caller's settings for somebody at whose work nobody looks.
fn quiet(settings: &Settings, think: ThinkResolved, model: &ModelRef) -> Settings {
    let source = Source::Message;
    Settings {
        think,
        verbose: Resolved { value: Verbose::Off, source },
        reasoning: Resolved { value: Reasoning::Off, source },
        trace: Resolved { value: Trace::Off, source },
        model: Resolved { value: model.to_string(), ..settings.model.clone() },
        ..settings.clone()
    }
}

/// What two sets of rules both leave.
fn both(one: &ToolRules, other: &ToolRules) -> ToolRules {
    let all = |rules: &ToolRules| rules.allowed.iter().any(|name| name == "*");
    let allowed = match (all(one), all(other)) {
        (true, _) => other.allowed.clone(),
        (_, true) => one.allowed.clone(),
        (false, false) => one.allowed.iter().filter(|name| other.allowed.contains(name)).cloned().collect(),
    };
    ToolRules { allowed, denied: one.denied.iter().chain(&other.denied).cloned().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sub_agent_may_do_what_both_may() {
        let rules = |allow: &[&str], deny: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
            ToolRules { allowed: owned(allow), denied: owned(deny) }
        };
        let check = |one: ToolRules, other: ToolRules, may: &[&str]| {
            let both = both(&one, &other);
            let names = ["read", "exec", "edit"].into_iter().filter(|name| both.allow(name));
            assert_eq!(names.collect::<Vec<_>>(), may, "{one:?} {other:?}");
        };
        check(rules(&["*"], &[]), rules(&["*"], &[]), &["read", "exec", "edit"]);
        check(rules(&["*"], &["exec"]), rules(&["*"], &["edit"]), &["read"]);
        check(rules(&["read"], &[]), rules(&["*"], &[]), &["read"]);
        check(rules(&["*"], &[]), rules(&["exec"], &[]), &["exec"]);
        check(rules(&["read", "edit"], &[]), rules(&["exec", "edit"], &[]), &["edit"]);
        check(rules(&["read"], &[]), rules(&[], &[]), &[]);
    }
}
