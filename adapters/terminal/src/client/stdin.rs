//! Standard input as lines that can be waited for beside other things.

use std::io::{self, BufRead};
use std::thread;

use tokio::sync::mpsc;

/// Standard input, line by line.
pub(super) enum Lines {
    /// Nobody has looked yet.
    Unread,
    Open(mpsc::Receiver<String>),
    Over,
}

impl Lines {
    /// Whether a line may still come.
    pub(super) fn is_open(&self) -> bool {
        !matches!(self, Self::Over)
    }

    /// The next line; nothing at the end. May be dropped at any time without losing one.
    pub(super) async fn next(&mut self) -> Option<String> {
        if let Self::Unread = self {
            *self = Self::Open(read_lines());
        }
        let line = match self {
            Self::Open(lines) => lines.recv().await,
            Self::Unread | Self::Over => None,
        };
        if line.is_none() {
            *self = Self::Over;
        }
        line
    }
}

/// Reads standard input on a thread of its own: a read from it cannot be cancelled, and the process must be able to end.
fn read_lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(1);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            let text = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
            line.clear();
            if sender.blocking_send(text).is_err() {
                return;
            }
        }
    });
    receiver
}
