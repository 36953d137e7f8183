//! Texts whose continuation may follow: a long one that the person's app has cut, or any, where the configuration waits. What
//! is held is in the inbox as it came, so that a start after a crash holds and joins it again.

use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::{SenderId, Ticket};
use pensive_contract::inbound::{Addressed, Inbound, InboundKind, TypedText};
use pensive_directives::Shape;

use crate::core::Core;
use crate::hearing;
use crate::lane::Job;

/// How long the continuation of a text that was cut is waited for.
const CONTINUES: Duration = Duration::from_millis(300);
/// Bytes of a joined text beyond which nothing more is waited for.
const MOST: usize = 200_000;

/// What is held in one session: at most one text of each person in each place.
#[derive(Default)]
pub(crate) struct Hold {
    held: Vec<Held>,
}

struct Held {
    job: Job,
    until: Timestamp,
    /// What stood between its end and what follows.
    seam: &'static str,
}

impl Hold {
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// When something held has waited long enough.
    pub(crate) fn due(&self) -> Option<Timestamp> {
        self.held.iter().map(|held| held.until).min()
    }

    /// Takes in a message: it may continue one that is held, and may be held itself. Gives
    /// what is to be done now, in order.
    pub(crate) fn meet(&mut self, core: &Core, job: Job) -> Vec<Job> {
        let same = |held: &Held| {
            held.job.inbound.sender.id == job.inbound.sender.id && held.job.inbound.place == job.inbound.place
        };
        let earlier = self.held.iter().position(same).map(|at| self.held.remove(at));
        if !is_plain(&job) {
            let earlier = earlier.map(|held| held.job);
            return earlier.into_iter().chain([job]).collect();
        }
        let pause = pause(core, &job);
        let job = match earlier {
            Some(held) => joined(core, held, job),
            None => job,
        };
        let size = job.inbound.typed().map_or(0, |typed| typed.text.len());
        match pause.filter(|_| size < MOST) {
            Some((pause, seam)) => {
                self.held.push(Held { job, until: core.now() + pause, seam });
                Vec::new()
            }
            None => vec![job],
        }
    }

    /// What has waited long enough.
    pub(crate) fn release(&mut self, now: Timestamp) -> Vec<Job> {
        self.held.extract_if(.., |held| held.until <= now).map(|held| held.job).collect()
    }

    /// Forgets what is held: all of it, or what one person said. Gives the entries to close.
    pub(crate) fn forget(&mut self, of: Option<&SenderId>) -> Vec<Ticket> {
        let goes = |held: &mut Held| of.is_none_or(|sender| held.job.inbound.sender.id == *sender);
        self.held.extract_if(.., goes).flat_map(|held| held.job.tickets().collect::<Vec<_>>()).collect()
    }
}

/// Whether it is words and nothing else: what is to be answered at once is never held, and continues nothing.
fn is_plain(job: &Job) -> bool {
    let says = |parsed: &pensive_directives::Parsed| {
        parsed.commands.is_empty() && parsed.shape != Shape::DirectiveOnly
    };
    job.inbound.attachments.is_empty() && job.parsed.as_ref().is_none_or(says)
}

/// How long a continuation is waited for, and what stands between the two.
fn pause(core: &Core, job: &Job) -> Option<(Duration, &'static str)> {
    let typed = job.inbound.typed()?;
    let cut = core.ports.outward.get(&job.inbound.place.account).and_then(|outward| outward.cut);
    let units = typed.text.encode_utf16().count();
    if let Some(cut) = cut.filter(|cut| units >= cut.near) {
        // One that is as long as can be was cut where it had to be; others at a line or a word, whose blank is gone.
        let blank = typed.text.ends_with(char::is_whitespace) || units >= cut.most;
        return Some((CONTINUES, if blank { "" } else { "\n" }));
    }
    let debounce = core.settings.queue.debounce;
    (!debounce.is_zero()).then_some((debounce, "\n"))
}

/// A text and its continuation as one message, heard anew.
fn joined(core: &Core, held: Held, next: Job) -> Job {
    let Held { job: first, seam, .. } = held;
    let earlier = first.tickets().chain(next.earlier.iter().copied()).collect();
    let inbound = one(&first.inbound, seam, next.inbound);
    let parsed = hearing::hear(core, &inbound).parsed;
    Job { earlier, inbound, parsed, ..next }
}

fn one(first: &Inbound, seam: &str, next: Inbound) -> Inbound {
    let (Some(head), Some(tail)) = (first.typed(), next.typed()) else { return next };
    let seam = if tail.text.starts_with(char::is_whitespace) { "" } else { seam };
    let offset = head.text.len() + seam.len();
    let ranges = |head: &[std::ops::Range<usize>], tail: &[std::ops::Range<usize>]| {
        let tail = tail.iter().map(|range| range.start + offset..range.end + offset);
        head.iter().cloned().chain(tail).collect()
    };
    let typed = TypedText {
        text: [head.text.as_str(), seam, tail.text.as_str()].concat(),
        code: ranges(&head.code, &tail.code),
        mentions: ranges(&head.mentions, &tail.mentions),
        bot_name: head.bot_name.clone().or_else(|| tail.bot_name.clone()),
    };
    let addressed = match (first.addressed, next.addressed) {
        (Addressed::No, Addressed::No) => Addressed::No,
        (Addressed::Yes, _) | (_, Addressed::Yes) => Addressed::Yes,
    };
    Inbound { kind: InboundKind::Message(typed), addressed, ..next }
}
