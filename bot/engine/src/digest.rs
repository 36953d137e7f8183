//! A queue that is full: its two oldest messages become one, and what was summed up is a line each.

use crate::run::Pending;

/// What is left of a message that was summed up.
const LINE: usize = 120;
/// What is left of all of them.
const MOST: usize = 4_000;
const HEAD: &str = "[Earlier messages, shortened]";

/// The two oldest messages as one.
pub(crate) fn joined(oldest: Pending, next: Pending) -> Pending {
    let mut text =
        if oldest.text.starts_with(HEAD) { oldest.text } else { format!("{HEAD}\n{}", line(&oldest.text)) };
    if text.len() < MOST {
        text.push('\n');
        text.push_str(&line(&next.text));
    }
    let tickets = oldest.tickets.into_iter().chain(next.tickets.iter().copied()).collect();
    let mut both = Pending { tickets, ..next };
    both.reword(text);
    both
}

fn line(text: &str) -> String {
    let flat: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line: String = flat.chars().take(LINE).collect();
    if line.len() < flat.len() {
        line.push('…');
    }
    format!("- {line}")
}
