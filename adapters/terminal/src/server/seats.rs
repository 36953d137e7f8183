//! Who is connected. A seat is one connection of a user, with a bounded queue of lines and one writer that empties it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pensive_contract::clock::{Clock, within};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Lines that wait for one client. One that falls further behind is closed: the conversation itself is in the store.
const QUEUE: usize = 256;

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
    taken: BTreeMap<u64, Seat>,
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
        table.taken.insert(seat.number, seat.clone());
        seat
    }

    /// The client has said who it is.
    pub(super) fn rename(&self, seat: Seat, user: &str) -> Seat {
        let seat = Seat { user: user.into(), ..seat };
        self.table().taken.insert(seat.number, seat.clone());
        seat
    }

    /// The client has left.
    pub(super) fn leave(&self, seat: &Seat) {
        self.table().taken.remove(&seat.number);
    }

    /// Gives `line` to every connection of `user`; tells how many took it. Never waits.
    pub(super) fn deliver(&self, user: &str, line: &Arc<str>) -> usize {
        let mut taken = 0;
        self.table().taken.retain(|_, seat| {
            if &*seat.user != user {
                return true;
            }
            let accepted = seat.lines.try_send(Arc::clone(line)).is_ok();
            if accepted {
                taken += 1;
            } else {
                tracing::warn!("a terminal client does not read and is closed");
                seat.gone.cancel();
            }
            accepted
        });
        taken
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
