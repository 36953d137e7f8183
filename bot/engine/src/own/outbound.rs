//! What a run sends by itself into the chat where it was asked: letters on their way to its screen, which keeps the order
//! of all that is shown, and what they said.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};

use crate::core::Letter;
use crate::screen::{Posted, Screen};

/// Letters that wait for the screen; whoever has one more waits too.
const MOST_WAITING: usize = 8;

/// Messages that a run may send by itself.
const MOST: usize = 10;

type Order = (Letter, oneshot::Sender<Posted>);

/// Where the tools put letters in.
pub(crate) struct Outbound {
    letters: mpsc::Sender<Order>,
    sent: Mutex<Sent>,
}

#[derive(Default)]
struct Sent {
    /// Messages begun, wherever they went.
    count: usize,
    /// What stands in the chat of the run.
    here: Vec<String>,
}

/// Where they come out.
pub(crate) struct Mail(mpsc::Receiver<Order>);

pub(super) fn outbound() -> (Outbound, Mail) {
    let (letters, orders) = mpsc::channel(MOST_WAITING);
    (Outbound { letters, sent: Mutex::default() }, Mail(orders))
}

impl Outbound {
    /// Counts one more message; tells whether there may be one.
    pub(super) fn begin(&self) -> bool {
        let mut sent = self.lock();
        sent.count += 1;
        sent.count <= MOST
    }

    /// Sends a letter that says `text` into the chat of the run. Returns when it is on disk.
    pub(super) async fn send(&self, letter: Letter, text: &str) -> Posted {
        let (kept, posted) = oneshot::channel();
        if self.letters.send((letter, kept)).await.is_err() {
            return Posted::Lost;
        }
        let posted = posted.await.unwrap_or(Posted::Lost);
        if posted == Posted::Kept {
            self.lock().here.push(folded(text));
        }
        posted
    }

    /// Whether anything was sent into the chat of the run.
    pub(crate) fn any(&self) -> bool {
        !self.lock().here.is_empty()
    }

    /// Whether this very text was, white space aside.
    pub(crate) fn said(&self, text: &str) -> bool {
        let text = folded(text);
        self.lock().here.contains(&text)
    }

    fn lock(&self) -> MutexGuard<'_, Sent> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Mail {
    /// Carries letters to the screen for as long as this is polled.
    pub(crate) async fn carry(&mut self, screen: &Screen<'_>) {
        while let Some((letter, kept)) = self.0.recv().await {
            // Whoever asked may have been ended.
            let _gone = kept.send(screen.post(letter).await).is_err();
        }
        std::future::pending().await
    }
}

/// A text without what differs only in white space.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_10_white_space_makes_no_other_text() {
        let (outbound, _mail) = outbound();
        outbound.lock().here.push(folded(" a\n\nb "));
        assert!(outbound.any() && outbound.said("a b") && outbound.said("a\tb\n"));
        assert!(!outbound.said("ab") && !outbound.said("a b c"));
    }

    #[test]
    fn a_run_that_floods_is_stopped() {
        let (outbound, _mail) = outbound();
        assert_eq!((0..20).filter(|_| outbound.begin()).count(), MOST);
    }
}
