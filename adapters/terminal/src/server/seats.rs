//! Who is connected. A seat is one connection of a user, with a bounded queue of lines and one writer that empties it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pensive_contract::clock::{Clock, within};
use pensive_contract::outward;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::wire::{Event, Preview, Stretch};

/// Lines that wait for one client. One that falls further behind is closed: the conversation itself is in the store.
const QUEUE: usize = 256;

/// Of these, what is left for messages: a preview is left out where a client is so far behind.
const KEPT: usize = QUEUE / 2;

/// How long one line may take.
const WRITE_LIMIT: Duration = Duration::from_secs(30);

/// All seats.
pub(super) struct Seats {
    clock: Arc<dyn Clock>,
    table: Mutex<Table>,
    writers: TaskTracker,
}

#[derive(Default)]
struct Table {
    next: u64,
    taken: BTreeMap<u64, Chair>,
}

/// A seat, and what its client knows of the answer in the making.
struct Chair {
    seat: Seat,
    shown: Arc<Shown>,
}

/// How far a client has been shown an answer in the making.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shown {
    stream: i64,
    thinking: String,
    text: String,
}

/// What becomes of the answer in the making as a line is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Making {
    /// It goes on.
    GoesOn,
    /// Its words so far stand in the line, or do not count any more.
    Stands,
}

/// One connection.
#[derive(Clone)]
pub(super) struct Seat {
    number: u64,
    /// Whose it is.
    pub(super) user: Arc<str>,
    /// What the client is to read.
    pub(super) lines: mpsc::Sender<Arc<str>>,
    /// Cancelled when the client is given up or cannot be written to.
    pub(super) gone: CancellationToken,
}

impl Seats {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, table: Mutex::default(), writers: TaskTracker::new() }
    }

    /// Seats a user who reads from `client`.
    pub(super) fn take<W: AsyncWrite + Unpin + Send + 'static>(&self, user: &str, client: W) -> Seat {
        let (lines, queue) = mpsc::channel(QUEUE);
        let gone = CancellationToken::new();
        let writer = write_lines(client, queue, Arc::clone(&self.clock), gone.clone());
        self.writers.spawn(writer);
        let mut table = self.table();
        table.next += 1;
        let seat = Seat { number: table.next, user: user.into(), lines, gone };
        table.taken.insert(seat.number, Chair { seat: seat.clone(), shown: Arc::default() });
        seat
    }

    /// The client has said who it is.
    pub(super) fn rename(&self, seat: Seat, user: &str) -> Seat {
        let seat = Seat { user: user.into(), ..seat };
        self.table().taken.insert(seat.number, Chair { seat: seat.clone(), shown: Arc::default() });
        seat
    }

    /// The client has left.
    pub(super) fn leave(&self, seat: &Seat) {
        self.table().taken.remove(&seat.number);
    }

    /// Gives `line` to every connection of `user`; tells how many took it. Never waits.
    pub(super) fn deliver(&self, user: &str, line: &Arc<str>, making: Making) -> usize {
        let mut taken = 0;
        self.table().taken.retain(|_, chair| {
            if &*chair.seat.user != user {
                return true;
            }
            if making == Making::Stands {
                chair.shown = Arc::new(chair.shown.without_text());
            }
            let accepted = chair.seat.lines.try_send(Arc::clone(line)).is_ok();
            if accepted {
                taken += 1;
            } else {
                tracing::warn!("a terminal client does not read and is closed");
                chair.seat.gone.cancel();
            }
            accepted
        });
        taken
    }

    /// Shows every connection of `user` what is new to it; tells how many there are. One that is behind is passed by and
    /// gets what it missed with the next one. Never waits.
    pub(super) fn show(&self, user: &str, preview: &outward::Preview) -> usize {
        let newest = Arc::new(Shown::of(preview));
        let mut seen = 0;
        // Nearly always all clients know the same, so that one line serves them.
        let mut made: Option<(Arc<Shown>, Option<Arc<str>>)> = None;
        for chair in self.table().taken.values_mut().filter(|chair| &*chair.seat.user == user) {
            seen += 1;
            if chair.seat.lines.capacity() < KEPT {
                continue;
            }
            let line = match &made {
                Some((known, line)) if *known == chair.shown => line.clone(),
                Some(_) | None => {
                    let line = newest.line_after(&chair.shown, preview);
                    made = Some((Arc::clone(&chair.shown), line.clone()));
                    line
                }
            };
            // A client that has left in this moment is noticed by whoever serves it.
            if line.is_none_or(|line| chair.seat.lines.try_send(line).is_ok()) {
                chair.shown = Arc::clone(&newest);
            }
        }
        seen
    }

    /// Nobody is seated any more; queued lines are still written.
    pub(super) fn close(&self) {
        self.table().taken.clear();
        self.writers.close();
    }

    /// Ends when every queue was written or given up.
    pub(super) async fn drained(&self) {
        self.writers.wait().await;
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shown {
    fn of(preview: &outward::Preview) -> Self {
        Self {
            stream: preview.stream,
            thinking: preview.thinking.clone().unwrap_or_default(),
            text: preview.markdown.clone(),
        }
    }

    fn without_text(&self) -> Self {
        Self { stream: self.stream, thinking: self.thinking.clone(), text: String::new() }
    }

    /// What tells a client that knows `known` the rest; nothing where it knows all.
    fn line_after(&self, known: &Self, preview: &outward::Preview) -> Option<Arc<str>> {
        let nothing = Self::default();
        let known = if known.stream == self.stream { known } else { &nothing };
        let thinking = Stretch::between(&known.thinking, &self.thinking);
        let text = Stretch::between(&known.text, &self.text);
        if thinking.is_none() && text.is_none() {
            return None;
        }
        let answers = preview.reply_to.as_ref().map(|id| id.as_str().to_owned());
        Some(Event::Preview(Preview { stream: self.stream, answers, thinking, text }).line().into())
    }
}

async fn write_lines(
    mut client: impl AsyncWrite + Unpin,
    mut queue: mpsc::Receiver<Arc<str>>,
    clock: Arc<dyn Clock>,
    gone: CancellationToken,
) {
    while let Some(line) = queue.recv().await {
        match within(&*clock, WRITE_LIMIT, client.write_all(line.as_bytes())).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => break,
        }
    }
    gone.cancel();
}
