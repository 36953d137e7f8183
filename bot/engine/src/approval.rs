//! Calls that could do harm: whether somebody is asked, who may answer, and for how long. A question belongs to one call of
//! one run and ends with it.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pensive_contract::clock::within;
use pensive_contract::ids::{SenderId, SessionKey, Ticket};
use pensive_contract::outward::{Body, Finality};
use pensive_contract::store::OutboxKind;
use pensive_contract::tool::Grant;
use pensive_directives::{Elevated, Owner};
use tokio::sync::oneshot;

use crate::access::Authority;
use crate::bubble::Bubble;
use crate::core::Letter;
use crate::notices;
use crate::run::Pending;
use crate::screen::Posted;
use crate::tools::Bearings;

/// A question that nobody answers for so long is answered with no.
pub(crate) const PATIENCE: Duration = Duration::from_mins(10);

/// Bytes of arguments that somebody can be expected to read before they allow them.
const MOST_ASKED: usize = 8 << 10;

/// What a person says to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// It may be made, once, and may leave the sandbox.
    Allow,
    /// It may not.
    Deny,
}

/// What became of a person's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heeded {
    Yes,
    /// Nothing is asked, or not any more.
    TooLate,
    /// It is for somebody else to answer.
    NotTheirs,
}

/// Who answers.
#[derive(Clone, Copy)]
pub(crate) struct By<'a> {
    pub(crate) session: &'a SessionKey,
    pub(crate) sender: &'a SenderId,
    pub(crate) owner: Owner,
}

/// All questions that are open.
#[derive(Default)]
pub(crate) struct Approvals(Mutex<BTreeMap<Ticket, Question>>);

struct Question {
    session: SessionKey,
    asker: SenderId,
    answer: oneshot::Sender<Ruling>,
}

/// An open question; closed when this is dropped.
struct Open<'a> {
    approvals: &'a Approvals,
    ticket: Ticket,
    answer: oneshot::Receiver<Ruling>,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.approvals.lock().remove(&self.ticket);
    }
}

impl Approvals {
    fn open(&self, ticket: Ticket, session: SessionKey, asker: SenderId) -> Open<'_> {
        let (sender, answer) = oneshot::channel();
        self.lock().insert(ticket, Question { session, asker, answer: sender });
        Open { approvals: self, ticket, answer }
    }

    /// Answers one question.
    pub(crate) fn answer(&self, ticket: Ticket, ruling: Ruling, by: By<'_>) -> Heeded {
        let mut open = self.lock();
        match open.get(&ticket) {
            Some(question) if question.session != *by.session => Heeded::TooLate,
            Some(question) if question.asker != *by.sender && by.owner != Owner::Yes => Heeded::NotTheirs,
            Some(_) => {
                let question = open.remove(&ticket);
                let sent = question.is_some_and(|question| question.answer.send(ruling).is_ok());
                if sent { Heeded::Yes } else { Heeded::TooLate }
            }
            None => Heeded::TooLate,
        }
    }

    /// Answers the oldest question of a session.
    pub(crate) fn answer_oldest(&self, ruling: Ruling, by: By<'_>) -> Heeded {
        let oldest = {
            let open = self.lock();
            open.iter().find(|(_, question)| question.session == *by.session).map(|(ticket, _)| *ticket)
        };
        oldest.map_or(Heeded::TooLate, |ticket| self.answer(ticket, ruling, by))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Ticket, Question>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How far a call that could do harm may go.
///
/// # Errors
/// It may not be made; the words tell the model why.
pub(crate) async fn grant(bearings: Bearings<'_>, bubble: &Bubble, arguments: &str) -> Result<Grant, String> {
    match elevated(bearings.pending) {
        Elevated::Off => Ok(Grant::Confined),
        Elevated::Full => Ok(Grant::Free),
        Elevated::On | Elevated::Ask => match ask(bearings, bubble, arguments).await {
            Some(Ruling::Allow) => Ok(Grant::Free),
            Some(Ruling::Deny) => {
                Err("The person did not allow this call. Do not try it in another way; ask what they want."
                    .to_owned())
            }
            None => Err("Nobody allowed this call, so it was not made.".to_owned()),
        },
    }
}

/// An owner's leave for a whole chat is none for people who may not even direct the bot.
fn elevated(pending: &Pending) -> Elevated {
    match pending.authority {
        Authority::Directs => pending.settings.elevated.value,
        Authority::Speaks => Elevated::Off,
    }
}

/// Asks where the message stands and waits for an answer; nothing where none came.
async fn ask(bearings: Bearings<'_>, bubble: &Bubble, arguments: &str) -> Option<Ruling> {
    let Bearings { core, pending, .. } = bearings;
    if arguments.len() > MOST_ASKED {
        tracing::warn!("a call was denied: it is too long for a person to judge");
        return None;
    }
    let ticket = core.ports.ledger.ticket();
    let mut open =
        core.approvals.open(ticket, bearings.own.session.clone(), pending.inbound.sender.id.clone());
    let body = Body::Framed {
        before: format!("⚙️ May I do this? {}\n", bubble.line()),
        markdown: crate::bubble::fenced(arguments),
        after: notices::HOW_TO_ALLOW.to_owned(),
    };
    let letter = Letter {
        kind: OutboxKind::Notice,
        bodies: vec![body],
        buttons: Vec::new(),
        finality: Finality::More,
        file: None,
    }
    .with_button(notices::ALLOW, notices::rule_data(ticket, Ruling::Allow))
    .with_button(notices::DENY, notices::rule_data(ticket, Ruling::Deny));
    if bearings.screen.post(letter).await == Posted::Lost {
        return None;
    }
    bearings.own.asked.fetch_add(1, Ordering::Relaxed);
    let answer = within(&*core.ports.clock, PATIENCE, &mut open.answer).await;
    answer.ok()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_asker_and_owners_answer_once_and_in_their_own_session() {
        let approvals = Approvals::default();
        let (session, other) = (SessionKey::of(["a"]), SessionKey::of(["b"]));
        let (ann, bob) = (SenderId::from("1"), SenderId::from("2"));
        let ask = |number| {
            let (sender, answer) = oneshot::channel();
            let (session, asker) = (session.clone(), ann.clone());
            approvals.lock().insert(Ticket(number), Question { session, asker, answer: sender });
            answer
        };
        let mut answers = [ask(1), ask(2)];
        let by = |session, sender, owner| By { session, sender, owner };
        let rule = |number, by| approvals.answer(Ticket(number), Ruling::Allow, by);
        assert_eq!(rule(1, by(&session, &bob, Owner::No)), Heeded::NotTheirs);
        assert_eq!(rule(1, by(&other, &ann, Owner::No)), Heeded::TooLate);
        assert_eq!(rule(3, by(&session, &ann, Owner::No)), Heeded::TooLate);
        assert_eq!(approvals.answer_oldest(Ruling::Deny, by(&session, &ann, Owner::No)), Heeded::Yes);
        assert_eq!(rule(1, by(&session, &ann, Owner::No)), Heeded::TooLate);
        assert_eq!(rule(2, by(&session, &bob, Owner::Yes)), Heeded::Yes);
        assert_eq!(
            answers.each_mut().map(|answer| answer.try_recv().ok()),
            [Some(Ruling::Deny), Some(Ruling::Allow)]
        );
        assert_eq!(approvals.answer_oldest(Ruling::Deny, by(&session, &ann, Owner::No)), Heeded::TooLate);
    }
}
