//! A queue that is full: its two oldest messages become one, and what was summed up is a line each.

use crate::run::Pending;

/// What is left of a message that was summed up.
const LINE: usize = 120;
/// What is left of all of them.
const MOST: usize = 4_000;
/// Things sent along that are still looked at.
const MOST_THINGS: usize = 10;
const HEAD: &str = "[Earlier messages, shortened]";

/// The two oldest messages as one.
pub(crate) fn joined(oldest: Pending, next: Pending) -> Pending {
    let mut text = if oldest.text.starts_with(HEAD) {
        oldest.text.clone()
    } else {
        format!("{HEAD}\n{}", line(&oldest.text))
    };
    if text.len() < MOST {
        text.push('\n');
        text.push_str(&line(&next.text));
    }
    let tickets = oldest.tickets.iter().chain(&next.tickets).copied().collect();
    let mut both = Pending { tickets, ..next };
    both.bring(&oldest.inbound.attachments);
    // What is summed up is no longer looked at in full, but for the newest.
    let surplus = both.inbound.attachments.len().saturating_sub(MOST_THINGS);
    both.inbound.attachments.drain(..surplus);
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
