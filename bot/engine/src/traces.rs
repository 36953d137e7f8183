//! What the newest run of each session told of itself, for `/status`. Kept in memory alone, and only so much of it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pensive_contract::ids::SessionKey;

/// Sessions whose lines are kept; beyond that the oldest are forgotten.
const MOST: usize = 1_000;
/// Lines of one session.
const MOST_LINES: usize = 12;

/// The lines, by session.
#[derive(Default)]
pub(crate) struct Traces(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    lines: BTreeMap<SessionKey, Vec<String>>,
    /// Sessions, the one that was kept first in front.
    order: VecDeque<SessionKey>,
}

impl Traces {
    /// Keeps the lines of a run in place of those of the one before it.
    pub(crate) fn keep(&self, session: &SessionKey, mut lines: Vec<String>) {
        lines.truncate(MOST_LINES);
        let mut kept = self.lock();
        kept.forget(session);
        kept.order.push_back(session.clone());
        kept.lines.insert(session.clone(), lines);
        if kept.order.len() > MOST
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.lines.remove(&oldest);
        }
    }

    /// A session begins anew, or its newest run told nothing.
    pub(crate) fn forget(&self, session: &SessionKey) {
        self.lock().forget(session);
    }

    /// What is known.
    pub(crate) fn of(&self, session: &SessionKey) -> Vec<String> {
        self.lock().lines.get(session).cloned().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn forget(&mut self, session: &SessionKey) {
        if self.lines.remove(session).is_some() {
            self.order.retain(|known| known != session);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_lines_of_the_newest_sessions_are_kept() {
        let traces = Traces::default();
        let key = |number: usize| SessionKey::of([number.to_string().as_str()]);
        let line = |text: &str| vec![text.to_owned()];
        traces.keep(&key(0), line("one"));
        traces.keep(&key(1), line("one"));
        traces.keep(&key(0), line("two"));
        assert_eq!(traces.of(&key(0)), ["two"]);
        for number in 2..=MOST {
            traces.keep(&key(number), line("x"));
        }
        assert_eq!((traces.of(&key(1)), traces.of(&key(0))), (Vec::new(), line("two")));
        traces.forget(&key(0));
        assert_eq!(traces.of(&key(0)), Vec::<String>::new());
        traces.keep(&key(2), vec!["x".to_owned(); 100]);
        assert_eq!(traces.of(&key(2)).len(), MOST_LINES);
    }
}
