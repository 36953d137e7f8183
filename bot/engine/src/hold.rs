//! Messages whose continuation may follow: an album, a long text that the person's app has cut, or any text, where the
//! configuration waits. What is held is in the inbox as it came, so that a start after a crash holds and joins it again.

use std::ops::Range;
use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::{SenderId, Ticket};
use pensive_contract::inbound::{Addressed, Inbound, InboundKind, TypedText};
use pensive_contract::store::InboxState;
use pensive_directives::Shape;

use crate::album;
use crate::backlog::{Amended, reworded};
use crate::core::Core;
use crate::hearing;
use crate::lane::Job;
use crate::run::Part;

/// How long the continuation of a text that was cut is waited for.
const CONTINUES: Duration = Duration::from_millis(300);
/// Bytes of a joined text beyond which nothing more is waited for.
const MOST: usize = 200_000;
/// How long the next message of an album is waited for, and how many there are at most.
const SETTLES: Duration = Duration::from_millis(600);
const WHOLE: usize = 10;

/// What is held in one session: at most one message of each person in each place.
#[derive(Default)]
pub(crate) struct Hold {
    held: Vec<Held>,
}

struct Held {
    /// Each with what stands between its end and what follows.
    pieces: Vec<(Job, &'static str)>,
    until: Timestamp,
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
        let same = |held: &Held| held.is_of(&job.inbound);
        let earlier = self.held.iter().position(same).map(|at| self.held.remove(at));
        let mut ready = Vec::new();
        let mut held = match earlier {
            Some(held) if held.goes_on(&job) => held,
            Some(held) => {
                ready.extend(held.joined(core));
                Held::default()
            }
            None => Held::default(),
        };
        let pause = pause(core, &job);
        held.pieces.push((job, pause.map_or("", |(_, seam)| seam)));
        match pause.filter(|_| !held.is_whole()) {
            Some((pause, _)) => {
                held.until = core.now() + pause;
                self.held.push(held);
            }
            None => ready.extend(held.joined(core)),
        }
        ready
    }

    /// What has waited long enough.
    pub(crate) fn release(&mut self, core: &Core) -> Vec<Job> {
        let now = core.now();
        self.held.extract_if(.., |held| held.until <= now).filter_map(|held| held.joined(core)).collect()
    }

    /// Gives a message that is held the text of its edit; nothing where it is not. One that changes no word leaves it as
    /// it was typed.
    pub(crate) fn amend(&mut self, core: &Core, edit: &Job, text: &str) -> Option<Amended> {
        let mut pieces = self.held.iter_mut().flat_map(|held| &mut held.pieces);
        let (job, _) = pieces.find(|(job, _)| job.inbound.message == edit.inbound.message)?;
        let words = |inbound: &Inbound| inbound.typed().map(|typed| typed.text.clone());
        if words(&job.inbound) != words(&edit.inbound) {
            reworded(&mut job.inbound, text.to_owned());
        }
        if !edit.inbound.attachments.is_empty() {
            job.inbound.attachments.clone_from(&edit.inbound.attachments);
        }
        job.parsed = hearing::hear(core, &job.inbound).parsed;
        Some(Amended { own: job.ticket, older: Vec::new(), inbound: job.inbound.clone() })
    }

    /// Forgets what is held: all of it, or what one person said. Gives the entries to close.
    pub(crate) fn forget(&mut self, of: Option<&SenderId>) -> Vec<Ticket> {
        let goes = |held: &mut Held| of.is_none_or(|sender| held.sender() == Some(sender));
        let pieces = self.held.extract_if(.., goes).flat_map(|held| held.pieces);
        pieces.flat_map(|(job, _)| job.tickets().collect::<Vec<_>>()).collect()
    }
}

impl Default for Held {
    fn default() -> Self {
        Self { pieces: Vec::new(), until: Timestamp(0) }
    }
}

impl Held {
    fn newest(&self) -> Option<&Job> {
        self.pieces.last().map(|(job, _)| job)
    }

    fn sender(&self) -> Option<&SenderId> {
        self.newest().map(|job| &job.inbound.sender.id)
    }

    fn is_of(&self, inbound: &Inbound) -> bool {
        self.newest().is_some_and(|job| {
            job.inbound.sender.id == inbound.sender.id && job.inbound.place == inbound.place
        })
    }

    /// Whether a message continues it: one of the same album, or plain words after plain words.
    fn goes_on(&self, job: &Job) -> bool {
        self.newest().is_some_and(|newest| match &newest.inbound.album {
            Some(_) => album::same(&newest.inbound, &job.inbound),
            None => job.inbound.album.is_none() && is_plain(job),
        })
    }

    /// Whether nothing more is waited for.
    fn is_whole(&self) -> bool {
        let size = |(job, _): &(Job, _)| job.inbound.typed().map_or(0, |typed| typed.text.len());
        match self.newest().and_then(|job| job.inbound.album.as_ref()) {
            Some(_) => self.pieces.len() >= WHOLE,
            None => self.pieces.iter().map(size).sum::<usize>() >= MOST,
        }
    }

    /// All of it as one message, heard anew.
    fn joined(self, core: &Core) -> Option<Job> {
        let all: Vec<Ticket> = self.pieces.iter().flat_map(|(job, _)| job.tickets()).collect();
        let is_waiting = self.pieces.iter().any(|(job, _)| job.state == InboxState::Waiting);
        let parts = self.pieces.iter().filter_map(|(job, _)| part(job)).collect();
        let mut pieces = self.pieces.into_iter();
        let (mut whole, mut seam) = pieces.next()?;
        if pieces.len() > 0 {
            for (job, next) in pieces {
                let inbound = one(&whole.inbound, seam, job.inbound.clone());
                (whole, seam) = (Job { inbound, ..job }, next);
            }
            whole.parsed = hearing::hear(core, &whole.inbound).parsed;
        }
        let state = if is_waiting { InboxState::Waiting } else { whole.state };
        let earlier = all.into_iter().filter(|ticket| *ticket != whole.ticket).collect();
        Some(Job { earlier, state, parts, ..whole })
    }
}

/// A message of an album, as it can be told apart later.
fn part(job: &Job) -> Option<Part> {
    job.inbound.album.as_ref()?;
    let typed = job.inbound.typed()?;
    let text = job.parsed.as_ref().map_or(&typed.text, |parsed| &parsed.text);
    Some(Part {
        message: job.inbound.message.clone(),
        text: text.trim().to_owned(),
        attachments: job.inbound.attachments.clone(),
    })
}

/// Whether it is words and nothing else: what is to be answered at once is never held, and continues nothing.
fn is_plain(job: &Job) -> bool {
    let says = |parsed: &pensive_directives::Parsed| {
        parsed.commands.is_empty() && parsed.shape != Shape::DirectiveOnly
    };
    job.inbound.attachments.is_empty() && job.parsed.as_ref().is_none_or(says)
}

/// How long a continuation is waited for, and what stands between the two; nothing where none can follow.
fn pause(core: &Core, job: &Job) -> Option<(Duration, &'static str)> {
    let typed = job.inbound.typed()?;
    if job.inbound.album.is_some() {
        return Some((SETTLES, "\n\n"));
    }
    if !is_plain(job) {
        return None;
    }
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

/// A message and its continuation as one. What names it is of the newest.
fn one(first: &Inbound, seam: &str, next: Inbound) -> Inbound {
    let (Some(head), Some(tail)) = (first.typed(), next.typed()) else { return next };
    let is_mute = head.text.is_empty() || tail.text.is_empty();
    let seam = if is_mute || tail.text.starts_with(char::is_whitespace) { "" } else { seam };
    let offset = head.text.len() + seam.len();
    let ranges = |head: &[Range<usize>], tail: &[Range<usize>]| {
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
    let attachments = first.attachments.iter().chain(&next.attachments).cloned().collect();
    Inbound { kind: InboundKind::Message(typed), addressed, attachments, ..next }
}
