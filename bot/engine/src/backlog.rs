//! What waits for one session. Its lane fills it; the run under way may take from its front what was said to it meanwhile.
//! No lock is held while anything is waited for.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::{MessageId, SenderId, Ticket};
use pensive_contract::inbound::{Inbound, InboundKind, TypedText};
use pensive_contract::model::PromptTurn;
use pensive_contract::store::Write;
use pensive_directives::QueueMode;

use crate::core::Core;
use crate::digest;
use crate::prompt;
use crate::run::{Pending, RunEnd};
use crate::settings::QueueRules;

/// Messages that wait, and those that the run under way has taken.
#[derive(Default)]
pub(crate) struct Backlog {
    rules: QueueRules,
    shelves: Mutex<Shelves>,
    count: Arc<AtomicUsize>,
}

#[derive(Default)]
struct Shelves {
    waiting: VecDeque<Waiting>,
    taken: Vec<Pending>,
    /// When the newest came.
    newest: Timestamp,
}

struct Waiting {
    pending: Pending,
    meets: Meets,
}

/// What a message found when it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meets {
    /// Nothing that goes on.
    Idleness,
    /// A run, or others that wait.
    Work,
}

/// What may begin.
pub(crate) enum Next {
    Nothing,
    /// Only when it has been quiet for so long.
    After(Duration),
    Run(Box<Pending>),
}

impl Backlog {
    pub(crate) fn new(rules: QueueRules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// How many messages wait, for the run to see.
    pub(crate) fn count(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.count)
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Puts a message behind the others; one that interrupts goes before them. Where there are too many the two oldest
    /// become one.
    pub(crate) fn push(&self, pending: Pending, meets: Meets, now: Timestamp) {
        let queue = pending.settings.queue.value;
        let cap = queue.cap.map_or(self.rules.cap, usize::from).max(1);
        self.change(|shelves| {
            shelves.newest = now;
            let waiting = Waiting { pending, meets };
            match queue.mode {
                QueueMode::Interrupt => shelves.waiting.push_front(waiting),
                QueueMode::Steer | QueueMode::Followup | QueueMode::Collect => {
                    shelves.waiting.push_back(waiting);
                }
            }
            while shelves.waiting.len() > cap {
                let (Some(oldest), Some(next)) = (shelves.waiting.pop_front(), shelves.waiting.pop_front())
                else {
                    return;
                };
                let pending = digest::joined(oldest.pending, next.pending);
                shelves.waiting.push_front(Waiting { pending, meets: next.meets });
            }
        });
    }

    /// Gives back what could not begin.
    pub(crate) fn put_back(&self, pending: Pending) {
        self.change(|shelves| shelves.waiting.push_front(Waiting { pending, meets: Meets::Idleness }));
    }

    /// The message whose turn it is. Of those that are to be collected all that belong together are one.
    pub(crate) fn next(&self, now: Timestamp) -> Next {
        self.change(|shelves| {
            let Some(first) = shelves.waiting.front() else { return Next::Nothing };
            let collects = first.collects();
            let left = self.quiet(first).saturating_sub(now.since(shelves.newest));
            if collects && !left.is_zero() {
                return Next::After(left);
            }
            let Some(Waiting { mut pending, .. }) = shelves.waiting.pop_front() else { return Next::Nothing };
            while collects
                && let Some(next) =
                    shelves.waiting.pop_front_if(|next| next.collects() && kin(&next.pending, &pending))
            {
                pending = together(pending, next.pending);
            }
            Next::Run(Box::new(pending))
        })
    }

    fn quiet(&self, waiting: &Waiting) -> Duration {
        let own = waiting.pending.settings.queue.value.debounce_ms;
        own.map_or(self.rules.quiet, |ms| Duration::from_millis(ms.into()))
    }

    /// What was said to the run of `running` meanwhile and may join it: no older message is passed over.
    pub(crate) fn steer(&self, core: &Core, running: &Pending) -> Vec<PromptTurn> {
        let taken = self.change(|shelves| {
            let joins = |waiting: &mut Waiting| waiting.steers() && kin(&waiting.pending, running);
            let mut taken = Vec::new();
            while let Some(Waiting { pending, .. }) = shelves.waiting.pop_front_if(joins) {
                taken.push(pending);
            }
            shelves.taken.extend(taken.iter().cloned());
            taken
        });
        let begun: Vec<Write> =
            taken.iter().flat_map(|pending| &pending.tickets).copied().map(Write::Begin).collect();
        if !begun.is_empty()
            && let Err(fault) = core.ports.ledger.commit_soon(begun)
        {
            tracing::warn!(%fault, "that a run took messages was not written down");
        }
        let said = |pending: Pending| prompt::said(pending.turn().name.as_deref(), &pending.text);
        taken.into_iter().map(said).map(PromptTurn::User).collect()
    }

    /// What the run that is over had taken.
    pub(crate) fn settle(&self) -> Vec<Pending> {
        self.change(|shelves| std::mem::take(&mut shelves.taken))
    }

    /// Forgets what waits: all of it, or what one person said. Gives the entries to close.
    pub(crate) fn forget(&self, of: Option<&SenderId>) -> Vec<Ticket> {
        self.change(|shelves| {
            let (gone, stays): (VecDeque<_>, _) = std::mem::take(&mut shelves.waiting)
                .into_iter()
                .partition(|waiting| of.is_none_or(|sender| waiting.pending.inbound.sender.id == *sender));
            shelves.waiting = stays;
            gone.into_iter().flat_map(|waiting| waiting.pending.tickets).collect()
        })
    }

    /// Gives a waiting message another text; nothing where it does not wait. Gives its entries and what they are to hold.
    pub(crate) fn amend(&self, message: &MessageId, text: &str) -> Option<(Vec<Ticket>, Inbound)> {
        self.change(|shelves| {
            let found =
                shelves.waiting.iter_mut().find(|waiting| waiting.pending.inbound.message == *message)?;
            found.pending.reword(text.to_owned());
            Some((found.pending.tickets.clone(), found.pending.inbound.clone()))
        })
    }

    /// Whether an entry waits here or was taken.
    pub(crate) fn holds(&self, ticket: Ticket) -> bool {
        let shelves = self.lock();
        let waiting = shelves.waiting.iter().map(|waiting| &waiting.pending);
        waiting.chain(&shelves.taken).flat_map(|pending| &pending.tickets).any(|known| *known == ticket)
    }

    /// Whether the run under way has taken these words.
    pub(crate) fn has_taken(&self, text: &str) -> bool {
        self.lock().taken.iter().any(|pending| pending.text.trim() == text)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Shelves) -> T) -> T {
        let mut shelves = self.lock();
        let told = change(&mut shelves);
        self.count.store(shelves.waiting.len(), Ordering::Relaxed);
        told
    }

    fn lock(&self) -> MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn collects(&self) -> bool {
        self.meets == Meets::Work && self.pending.settings.queue.value.mode == QueueMode::Collect
    }

    fn steers(&self) -> bool {
        self.pending.settings.queue.value.mode == QueueMode::Steer
    }
}

/// Whether two messages may share a run: what is allowed, asked for and shown there belongs to one person in one place.
fn kin(one: &Pending, other: &Pending) -> bool {
    let (ours, theirs) = (&one.settings, &other.settings);
    one.inbound.sender.id == other.inbound.sender.id
        && one.inbound.place == other.inbound.place
        && one.authority == other.authority
        && one.model == other.model
        && ours.think.asked == theirs.think.asked
        && ours.fast.value == theirs.fast.value
        && ours.elevated.value == theirs.elevated.value
}

/// Two messages as one, in their order.
pub(crate) fn together(first: Pending, second: Pending) -> Pending {
    let text = format!("{}\n\n{}", first.text, second.text);
    let tickets = first.tickets.into_iter().chain(second.tickets.iter().copied()).collect();
    let mut both = Pending { tickets, ..second };
    both.reword(text);
    both
}

/// Makes what a run had taken a part of its message. A run that ended with an answer has its words in what it said; for
/// one that did not, they become its message's own, and the write is for its entry to hold them all. Where what it left
/// behind has them already, the transcript must not have them twice.
pub(crate) fn absorb(pending: &mut Pending, taken: Vec<Pending>, end: &RunEnd) -> Option<Write> {
    let own = *pending.tickets.last()?;
    if taken.is_empty() {
        return None;
    }
    let mut tickets: Vec<Ticket> = taken.iter().flat_map(|taken| &taken.tickets).copied().collect();
    tickets.append(&mut pending.tickets);
    pending.tickets = tickets;
    match end {
        RunEnd::Answered(_) | RunEnd::Aborted => None,
        RunEnd::Failed(_) | RunEnd::Stopped(_) => {
            let texts = taken.iter().map(|taken| taken.text.as_str());
            let all: Vec<&str> = std::iter::once(pending.text.as_str()).chain(texts).collect();
            let mut whole = pending.clone();
            whole.reword(all.join("\n\n"));
            let amend = Write::Amend(own, whole.inbound.clone());
            if !end.turns().iter().any(is_said_by_people) {
                *pending = whole;
            }
            Some(amend)
        }
    }
}

fn is_said_by_people(turn: &PromptTurn) -> bool {
    match turn {
        PromptTurn::User(_) | PromptTurn::Media(_) => true,
        PromptTurn::Assistant(_) | PromptTurn::Tools(_) => false,
    }
}

impl RunEnd {
    /// What it leaves in the transcript behind its message.
    fn turns(&self) -> &[PromptTurn] {
        match self {
            Self::Answered(answer) => &answer.turns,
            Self::Failed(failure) => &failure.turns,
            Self::Stopped(halted) => &halted.turns,
            Self::Aborted => &[],
        }
    }
}

impl Pending {
    /// Says something else. Should a crash come, that is a message in which nothing is executed.
    pub(crate) fn reword(&mut self, text: String) {
        let typed = self.inbound.typed().cloned().unwrap_or_default();
        let code = std::iter::once(0..text.len()).collect();
        self.inbound.kind =
            InboundKind::Message(TypedText { text: text.clone(), code, mentions: Vec::new(), ..typed });
        self.text = text;
    }
}
