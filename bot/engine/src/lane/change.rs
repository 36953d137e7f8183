//! What a message changes in its session's record.

use pensive_contract::ids::{SenderId, SessionId, Ticket};
use pensive_contract::session::SessionRecord;
use pensive_contract::store::Write;
use pensive_directives::{Change, Scope};

use super::{Job, Lane};

impl Lane {
    pub(super) fn change(&self, job: &Job, changes: Vec<Change>, scope: Scope) -> Write {
        let fresh = self.fresh(job);
        let holder = job.route.holder.clone();
        let now = self.core.now();
        let change = move |old: Option<SessionRecord>| {
            let mut record = old.unwrap_or(fresh);
            record.updated = now;
            record.last_interaction = now;
            apply(&mut record, &holder, &changes, scope);
            record
        };
        Write::Session(self.key.clone(), Box::new(change))
    }

    pub(super) fn renew(&self, job: &Job, changes: Vec<Change>, scope: Scope) -> Write {
        let mut fresh = self.fresh(job);
        apply(&mut fresh, &job.route.holder, &changes, scope);
        Write::Session(self.key.clone(), Box::new(move |_old| fresh))
    }

    fn fresh(&self, job: &Job) -> SessionRecord {
        let place = job.inbound.place.clone();
        let id = session_id(&[job.ticket]);
        SessionRecord::new(id, self.key.clone(), job.route.agent.id.clone(), place, self.core.now())
    }
}

fn apply(record: &mut SessionRecord, holder: &SenderId, changes: &[Change], scope: Scope) {
    let target = match scope {
        Scope::Sender => record.senders.entry(holder.clone()).or_default(),
        Scope::Chat => &mut record.chat,
    };
    for change in changes {
        target.apply(change);
    }
}

/// A session is named after the message that began it, so that names never repeat.
pub(crate) fn session_id(tickets: &[Ticket]) -> SessionId {
    let first = tickets.first().copied().unwrap_or(Ticket(0));
    SessionId::from(format!("s{first}"))
}
