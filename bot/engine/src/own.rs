//! The engine's own tools beside `session_status`: handing work to sub-agents, and sending messages. What the tools of one
//! run share is its [`Own`]: who works for it, what they used, and what it has said by itself.

mod arguments;
mod crew;
mod message;
mod outbound;
mod reach;
mod spawn;
mod task;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use pensive_contract::ids::SessionKey;
use pensive_contract::tool::Tool;

use crate::core::Core;
use crate::run::Pending;

pub(crate) use crew::{Crew, Tally};
pub(crate) use outbound::{Mail, Outbound};

/// What hands work to sub-agents.
pub(crate) const SPAWN: &str = "sessions_spawn";

/// What sends messages.
pub(crate) const MESSAGE: &str = "message";

/// What the tools of one run share.
pub(crate) struct Own {
    /// The conversation whose people answer its questions.
    pub(crate) session: SessionKey,
    pub(crate) crew: Crew,
    pub(crate) outbound: Outbound,
    /// What the run waits for people or sub-agents for, since that was last looked at: it is not its own time.
    pub(crate) asked: AtomicUsize,
}

impl Own {
    /// That of a run which somebody asked for in this conversation, and the letters that it will want sent.
    pub(crate) fn asked_in(session: &SessionKey) -> (Arc<Self>, Mail) {
        let (outbound, mail) = outbound::outbound();
        let (session, crew, asked) = (session.clone(), Crew::first(), AtomicUsize::new(0));
        (Arc::new(Self { session, crew, outbound, asked }), mail)
    }

    /// That of a sub-agent. Nobody carries its letters: it has no tool that writes any.
    fn below(&self) -> Arc<Self> {
        let (outbound, _) = outbound::outbound();
        let (session, crew, asked) = (self.session.clone(), self.crew.below(), AtomicUsize::new(0));
        Arc::new(Self { session, crew, outbound, asked })
    }
}

/// The tools of a run that its agent is allowed.
pub(crate) fn tools(core: &Arc<Core>, pending: &Pending, own: &Arc<Own>) -> Vec<Arc<dyn Tool>> {
    let rules = &pending.route.agent.tools;
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    if rules.allow(SPAWN) {
        tools.push(Arc::new(spawn::Spawn::new(Arc::clone(core), pending.clone(), Arc::clone(own))));
    }
    if rules.allow(MESSAGE) {
        tools.push(Arc::new(message::Message::new(Arc::clone(core), pending.clone(), Arc::clone(own))));
    }
    tools
}
