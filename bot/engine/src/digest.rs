//! A queue that is full: its two oldest messages become one, and what was summed up is a line each.

use std::collections::VecDeque;

use crate::run::Pending;

/// Messages that wait for one session.
pub(crate) const CAP: usize = 20;
/// What is left of a message that was summed up.
const LINE: usize = 120;
/// What is left of all of them.
const MOST: usize = 4_000;
const HEAD: &str = "[Earlier messages, shortened]";

/// Folds the oldest messages of `queue` into one until it holds no more than [`CAP`].
pub(crate) fn fold(queue: &mut VecDeque<Pending>) {
    while queue.len() > CAP {
        let (Some(oldest), Some(next)) = (queue.pop_front(), queue.pop_front()) else { return };
        queue.push_front(joined(oldest, next));
    }
}

fn joined(oldest: Pending, next: Pending) -> Pending {
    let mut text =
        if oldest.text.starts_with(HEAD) { oldest.text } else { format!("{HEAD}\n{}", line(&oldest.text)) };
    if text.len() < MOST {
        text.push('\n');
        text.push_str(&line(&next.text));
    }
    let tickets = oldest.tickets.into_iter().chain(next.tickets).collect();
    Pending { text, tickets, ..next }
}

fn line(text: &str) -> String {
    let flat: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line: String = flat.chars().take(LINE).collect();
    if line.len() < flat.len() {
        line.push('…');
    }
    format!("- {line}")
}
