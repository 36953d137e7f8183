//! What waits for one session. Its lane fills it; the run under way may take from its front what was said to it meanwhile.
//! No lock is held while anything is waited for.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::{MessageId, SenderId, Ticket};
use pensive_contract::inbound::{Attachment, Inbound, InboundKind, TypedText};
use pensive_contract::model::PromptTurn;
use pensive_contract::store::Write;
use pensive_directives::QueueMode;

use crate::core::Core;
use crate::digest;
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

/// A message that has another text by now.
pub(crate) struct Amended {
    /// Its entry, and what that is to hold.
    pub(crate) own: Ticket,
    pub(crate) inbound: Inbound,
    /// Entries of what was a part of it and is now in its own.
    pub(crate) older: Vec<Ticket>,
}

impl Amended {
    /// What is to be written.
    pub(crate) fn writes(self) -> impl Iterator<Item = Write> {
        self.older.into_iter().map(Write::Close).chain([Write::Amend(self.own, self.inbound)])
    }
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
    pub(crate) fn steer(&self, core: &Core, running: &Pending) -> Vec<Pending> {
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
        taken
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

    /// Gives a waiting message another text; nothing where it does not wait. Gives what is
    /// to be written: it is one message from here on.
    pub(crate) fn amend(
        &self,
        message: &MessageId,
        text: &str,
        attachments: &[Attachment],
    ) -> Option<Amended> {
        self.change(|shelves| {
            let mut waiting = shelves.waiting.iter_mut().map(|waiting| &mut waiting.pending);
            let found = waiting.find(|pending| pending.is_about(message))?;
            found.change(message, text, attachments);
            let mut older = std::mem::take(&mut found.tickets);
            found.tickets.extend(older.pop());
            let own = *found.tickets.last()?;
            Some(Amended { own, older, inbound: found.inbound.clone() })
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
        self.lock().taken.iter().any(|pending| pending.says(text))
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
    let text = paragraphs([first.text.as_str(), second.text.as_str()]);
    let tickets = first.tickets.iter().chain(&second.tickets).copied().collect();
    let mut both = Pending { tickets, ..second };
    both.bring(&first.inbound.attachments);
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
            let text = paragraphs(std::iter::once(pending.text.as_str()).chain(texts));
            let along = taken.iter().flat_map(|taken| &taken.inbound.attachments).cloned();
            let mut whole = pending.clone();
            whole.inbound.attachments.extend(along);
            whole.reword(text);
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

/// Texts one below the other, as far as they say anything.
pub(crate) fn paragraphs<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts.into_iter().filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Gives a message another text. Should a crash come, that is a message in which nothing is executed.
pub(crate) fn reworded(inbound: &mut Inbound, text: String) {
    let typed = inbound.typed().cloned().unwrap_or_default();
    let code = std::iter::once(0..text.len()).filter(|all| !all.is_empty()).collect();
    inbound.kind = InboundKind::Message(TypedText { text, code, mentions: Vec::new(), ..typed });
}

impl Pending {
    /// Says something else. What was heard in its recordings, and which part of an album said what, is to be found anew.
    pub(crate) fn reword(&mut self, text: String) {
        reworded(&mut self.inbound, text.clone());
        self.text = text;
        self.parts.clear();
        self.said = Arc::default();
    }

    /// Takes on what came with an earlier message.
    pub(crate) fn bring(&mut self, earlier: &[Attachment]) {
        self.inbound.attachments.splice(0..0, earlier.iter().cloned());
    }

    fn is_about(&self, message: &MessageId) -> bool {
        self.inbound.message == *message || self.parts.iter().any(|part| part.message == *message)
    }

    /// Whether it says just this, or a part of it does.
    pub(crate) fn says(&self, text: &str) -> bool {
        self.text.trim() == text || self.parts.iter().any(|part| part.text == text)
    }

    /// A person changed a message that this is, or that is a part of it.
    fn change(&mut self, message: &MessageId, text: &str, attachments: &[Attachment]) {
        let mut parts = std::mem::take(&mut self.parts);
        if let Some(part) = parts.iter_mut().find(|part| part.message == *message) {
            text.clone_into(&mut part.text);
            part.attachments = attachments.to_vec();
            self.inbound.attachments = parts.iter().flat_map(|part| &part.attachments).cloned().collect();
            self.reword(paragraphs(parts.iter().map(|part| part.text.as_str())));
        } else {
            if !attachments.is_empty() {
                self.inbound.attachments = attachments.to_vec();
            }
            self.reword(text.to_owned());
        }
        self.parts = parts;
    }
}
