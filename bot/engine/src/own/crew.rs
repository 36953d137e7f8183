//! The sub-agents of a run: how many there may be, how many work at once, and what they used. A run and all that it brings
//! forth, at whatever depth, share one count.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::answer::Spent;

/// Sub-agents of a run that work at the same time.
const AT_ONCE: usize = 4;

/// Sub-agents that a run may have in all, those of its sub-agents among them.
pub(super) const MOST: usize = 8;

/// How deep a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Somebody asked for it.
    Asked,
    /// It is a sub-agent.
    Sub,
    /// It is a sub-agent's sub-agent, and has none.
    SubSub,
}

/// Who works for one run.
pub(crate) struct Crew {
    depth: Depth,
    /// Those that may still come, for the whole run that somebody asked for.
    left: Arc<AtomicUsize>,
    seats: Semaphore,
    tally: Mutex<Tally>,
}

/// What sub-agents, and the other tools of ours, brought about since it was last taken.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// What sub-agents used.
    pub(crate) spent: Spent,
    /// What cannot be undone by forgetting it.
    pub(crate) deeds: usize,
    /// What the person is to know.
    pub(crate) notes: Vec<String>,
}

impl Crew {
    pub(super) fn first() -> Self {
        Self::new(Depth::Asked, Arc::new(AtomicUsize::new(MOST)), AT_ONCE)
    }

    /// That of a sub-agent. It has one seat, its own: while it waits for its sub-agents it does not work itself, so that
    /// there are never more at work than its caller may have, and nobody waits for a seat that never comes free.
    pub(super) fn below(&self) -> Self {
        Self::new(self.depth.below(), Arc::clone(&self.left), 1)
    }

    fn new(depth: Depth, left: Arc<AtomicUsize>, seats: usize) -> Self {
        Self { depth, left, seats: Semaphore::new(seats), tally: Mutex::default() }
    }

    pub(super) fn depth(&self) -> Depth {
        self.depth
    }

    /// Counts one more; tells whether there may be one.
    pub(super) fn hire(&self) -> bool {
        let one_less = |left: usize| left.checked_sub(1);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }

    /// Waits until one more may work.
    pub(super) async fn seat(&self) -> Option<SemaphorePermit<'_>> {
        self.seats.acquire().await.ok()
    }

    pub(super) fn report(&self, tally: Tally) {
        let mut all = self.lock();
        all.spent.also(tally.spent);
        all.deeds += tally.deeds;
        all.notes.extend(tally.notes);
    }

    /// What was brought about since this was last asked.
    pub(crate) fn settle(&self) -> Tally {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Depth {
    fn below(self) -> Self {
        match self {
            Self::Asked => Self::Sub,
            Self::Sub | Self::SubSub => Self::SubSub,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_and_its_sub_agents_share_one_count() {
        let first = Crew::first();
        let second = first.below();
        let third = second.below();
        assert_eq!([first.depth(), second.depth(), third.depth()], [Depth::Asked, Depth::Sub, Depth::SubSub]);
        let hired = [&first, &second, &third].into_iter().cycle().take(20).filter(|crew| crew.hire()).count();
        assert_eq!(hired, MOST);
    }

    #[tokio::test]
    async fn a_sub_agent_lends_its_own_seat() {
        let first = Crew::first();
        let mut seats = Vec::new();
        for _ in 0..AT_ONCE {
            seats.push(first.seat().await);
        }
        assert_eq!(first.seats.available_permits(), 0);
        assert!(first.below().seat().await.is_some());
    }

    #[test]
    fn what_was_used_is_told_once() {
        let crew = Crew::first();
        let spent = Spent { cost: 5, ..Spent::default() };
        crew.report(Tally { spent, deeds: 1, notes: vec!["a".to_owned()] });
        crew.report(Tally { spent, ..Tally::default() });
        let Tally { spent, deeds, notes } = crew.settle();
        assert_eq!((spent.cost, deeds, notes.len()), (10, 1, 1));
        assert_eq!(crew.settle().spent, Spent::default());
    }
}
