//! From an event to what is done with it: what its words mean, whether it comes in, and where it belongs.

use pensive_contract::inbound::{Inbound, InboundKind};
use pensive_contract::store::InboxEntry;
use pensive_directives::{CommandName, Parsed, Shape, Typed, parse};

use crate::access::{Admission, Authority, admit, authority};
use crate::core::Core;
use crate::lane::Job;
use crate::rate::Gate;
use crate::route::{Route, route};

/// An event as it was understood.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) authority: Authority,
    /// What its text means, where its sender may direct.
    pub(crate) parsed: Option<Parsed>,
    pub(crate) admission: Admission,
}

impl Heard {
    /// The job it makes.
    pub(crate) fn job(self, entry: InboxEntry, route: Route) -> Job {
        let InboxEntry { ticket, state, inbound } = entry;
        Job {
            ticket,
            earlier: Vec::new(),
            parts: Vec::new(),
            state,
            inbound,
            parsed: self.parsed,
            authority: self.authority,
            route,
        }
    }
}

/// Reads an event once; everything after sees only what was read.
pub(crate) fn hear(core: &Core, inbound: &Inbound) -> Heard {
    let settings = &core.settings;
    let authority = authority(settings, &inbound.place.account, &inbound.sender);
    let parsed = inbound.typed().map(|typed| {
        parse(&Typed {
            text: &typed.text,
            code: &typed.code,
            mentions: &typed.mentions,
            bot_name: typed.bot_name.as_deref(),
            models: core.ports.model.entries(),
        })
    });
    let mut admission = admit(settings, inbound, parsed.as_ref());
    let mute = inbound.attachments.is_empty()
        && parsed.as_ref().is_some_and(|parsed| parsed.shape == Shape::DirectiveOnly);
    if authority == Authority::Speaks && mute && admission == Admission::Admitted {
        // Nothing but directives, from somebody who may not direct: no answer, no run.
        admission = Admission::NotForUs;
    }
    let parsed =
        parsed.filter(|_| authority == Authority::Directs).map(|parsed| obeyed(parsed, &inbound.kind));
    Heard { authority, parsed, admission }
}

/// Nothing in an edit is ever executed: its directives and commands are only cut out.
fn obeyed(parsed: Parsed, kind: &InboundKind) -> Parsed {
    match kind {
        InboundKind::Message(_) | InboundKind::Press { .. } | InboundKind::Halt { .. } => parsed,
        InboundKind::Edit(_) => Parsed { asks: Vec::new(), commands: Vec::new(), ..parsed },
    }
}

/// Asks the gate about an admitted event. `/stop`, its kin and buttons always pass.
pub(crate) fn gate(core: &Core, inbound: &Inbound, heard: &Heard) -> Gate {
    let stops = |parsed: &Parsed| parsed.commands.iter().any(|call| call.name == CommandName::Stop);
    let free = match inbound.kind {
        InboundKind::Press { .. } | InboundKind::Halt { .. } => true,
        InboundKind::Message(_) | InboundKind::Edit(_) => heard.parsed.as_ref().is_some_and(stops),
    };
    match &core.rate {
        Some(rate) if !free && core.settings.doors.contains_key(&inbound.place.account) => {
            rate.check(inbound)
        }
        Some(_) | None => Gate::Pass,
    }
}

/// Where an event belongs; nothing only when no agent is configured.
pub(crate) fn belongs(core: &Core, inbound: &Inbound) -> Option<Route> {
    route(&core.settings, inbound)
}
