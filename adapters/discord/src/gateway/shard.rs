//! Drives one line: connects, shows the machine what comes, does what it says, and goes on until told to stop or until
//! nothing will help.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use pensive_contract::clock::{Clock, Timestamp};
use pensive_contract::secret::Secret;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::entrance::{Entrance, Trouble};
use super::machine::{Act, End, Machine, Next, Park, Way};
use super::pauses::Pauses;
use super::socket::{Came, Dialer, Socket};
use super::wire::Heard;
use super::{Dispatch, Point, Sign, Slice, Watcher};

/// How many events may wait to be taken in. When one finds no room, the connection is given up: Discord keeps the rest, and
/// sends it again when there is.
pub(crate) const WAITING: usize = 1_024;

/// What every line of an account shares.
pub(crate) struct Line<'a> {
    pub(crate) entrance: &'a Entrance,
    pub(crate) dialer: &'a Dialer,
    pub(crate) token: &'a Secret,
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) watcher: &'a dyn Watcher,
    pub(crate) stop: &'a CancellationToken,
}

/// One line.
pub(crate) struct Shard<'a> {
    line: &'a Line<'a>,
    slice: Slice,
    machine: Machine,
    hand: mpsc::Sender<Dispatch>,
    taken: watch::Receiver<Option<Point>>,
    /// Between questions for the address.
    pauses: Pauses,
}

/// The line was told to end.
struct Stopped;

impl<'a> Shard<'a> {
    /// A line that goes on from where `taken` stands now, and hands events to `hand`.
    pub(crate) fn new(
        line: &'a Line<'a>,
        slice: Slice,
        hand: mpsc::Sender<Dispatch>,
        taken: watch::Receiver<Option<Point>>,
    ) -> Self {
        let machine = Machine::new(slice, taken.borrow().clone());
        Self { line, slice, machine, hand, taken, pauses: Pauses::between_attempts() }
    }

    /// Runs until told to stop.
    ///
    /// # Errors
    /// Nothing will help until an operator has acted.
    pub(crate) async fn run(mut self) -> Result<(), Park> {
        loop {
            let Ok(end) = self.connection().await? else { return Ok(()) };
            match self.machine.ended(&end, self.now(), fastrand::f64()) {
                Next::Park(park) => return Err(park),
                Next::Again { after, why } => {
                    tracing::debug!(shard = self.slice.index, why, "the line is taken up again");
                    if end != End::Asked {
                        self.line.watcher.sign(self.slice.index, Sign::Down(why));
                    }
                    if self.pause(after, &end).await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// One connection, from its beginning to its end.
    async fn connection(&mut self) -> Result<Result<End, Stopped>, Park> {
        let url = match self.machine.way() {
            Way::Back(url) => url,
            way @ (Way::Around | Way::New) => match self.address(&way).await? {
                Ok(url) => url,
                Err(Stopped) => return Ok(Err(Stopped)),
            },
        };
        let dialed = self.unless_stopped(self.line.dialer.dial(&url)).await;
        Ok(match dialed {
            Err(Stopped) => Err(Stopped),
            Ok(Err(why)) => Ok(End::Unreached(why)),
            Ok(Ok(socket)) => self.hold(socket).await,
        })
    }

    /// Where to connect, asked for until it is known.
    async fn address(&mut self, way: &Way) -> Result<Result<String, Stopped>, Park> {
        loop {
            let asked = async {
                match way {
                    Way::New => self.line.entrance.door().await,
                    Way::Back(_) | Way::Around => self.line.entrance.start().await.map(|start| start.url),
                }
            };
            let (wait, why) = match self.unless_stopped(asked).await {
                Err(Stopped) => return Ok(Err(Stopped)),
                Ok(Ok(url)) => {
                    self.pauses.reset();
                    return Ok(Ok(url));
                }
                Ok(Err(Trouble::Token(why))) => return Err(Park::Token(why)),
                Ok(Err(Trouble::After(wait, why))) => (wait, why),
                Ok(Err(Trouble::Again(why))) => (self.pauses.next(), why),
            };
            self.line.watcher.sign(self.slice.index, Sign::Down(why));
            if self.unless_stopped(self.line.clock.sleep(wait)).await.is_err() {
                return Ok(Err(Stopped));
            }
        }
    }

    /// Works on a connection until it ends.
    async fn hold(&mut self, mut socket: Socket) -> Result<End, Stopped> {
        let taken = self.taken.borrow().clone();
        self.machine.opened(taken.as_ref(), self.now());
        let mut bell = Bell::default();
        loop {
            bell.set(self.machine.due(), &**self.line.clock);
            let end = tokio::select! {
                biased;
                () = self.line.stop.cancelled() => {
                    socket.close().await;
                    return Err(Stopped);
                }
                () = bell.rings() => self.ring(&mut socket).await,
                came = socket.next() => self.heed(came, &mut socket).await,
            };
            match end {
                None => {}
                Some(end @ (End::Closed(_) | End::Broken(_))) => return Ok(end),
                Some(end) => {
                    socket.close().await;
                    return Ok(end);
                }
            }
        }
    }

    /// Something is due. What has arrived goes first: we may have slept, and the answer that is missed may lie there.
    async fn ring(&mut self, socket: &mut Socket) -> Option<End> {
        let due = self.machine.due();
        for _ in 0..WAITING {
            let Some(came) = socket.next().now_or_never() else { break };
            if let Some(end) = self.heed(came, socket).await {
                return Some(end);
            }
        }
        if self.machine.due() != due {
            return None;
        }
        let acts = self.machine.ring(self.now());
        self.perform(acts, socket).await
    }

    /// Heeds what came; gives an end where there is one.
    async fn heed(&mut self, came: Came, socket: &mut Socket) -> Option<End> {
        match came {
            Came::Frame(text) => {
                let acts = self.heard(&text);
                self.perform(acts, socket).await
            }
            Came::Closed(code) => Some(End::Closed(code)),
            Came::Broken(why) => Some(End::Broken(why)),
        }
    }

    fn heard(&mut self, text: &str) -> Vec<Act> {
        let heard = match Heard::read(text) {
            Ok(heard) => heard,
            Err(error) => {
                let (shard, column) = (self.slice.index, error.column());
                tracing::warn!(shard, why = ?error.classify(), column, "skipped a frame that cannot be read");
                return Vec::new();
            }
        };
        if matches!(heard, Heard::Event { .. }) && self.hand.capacity() == 0 {
            return vec![Act::HangUp(End::Full)];
        }
        self.machine.hear(heard, self.now(), fastrand::f64())
    }

    /// Does as told; gives an end where there is one.
    async fn perform(&mut self, acts: Vec<Act>, socket: &mut Socket) -> Option<End> {
        for act in acts {
            match act {
                Act::Send(command) => {
                    let sent = socket.send(command.json(self.line.token, self.slice)).await;
                    if let Err(why) = sent {
                        return Some(End::Broken(why));
                    }
                }
                Act::AskTurn => self.machine.turn(self.line.entrance.turn(self.slice.index)),
                Act::Say(sign) => self.line.watcher.sign(self.slice.index, sign),
                Act::Hand(dispatch) => {
                    self.line.watcher.glimpse(&dispatch);
                    // There was room before the frame was read, and nobody else fills it. Who takes them in ends after us.
                    if self.hand.try_send(dispatch).is_err() {
                        return Some(End::Full);
                    }
                }
                Act::HangUp(end) => return Some(end),
            }
        }
        None
    }

    /// Waits before the next attempt, and where there was no room, until there is.
    async fn pause(&self, after: Duration, end: &End) -> Result<(), Stopped> {
        self.unless_stopped(self.line.clock.sleep(after)).await?;
        if *end == End::Full {
            // Room is not kept, only waited for: nobody else fills it.
            let _room = self.unless_stopped(self.hand.reserve_many(WAITING / 2)).await?;
        }
        Ok(())
    }

    fn now(&self) -> Timestamp {
        self.line.clock.now()
    }

    async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T, Stopped> {
        tokio::select! {
            biased;
            () = self.line.stop.cancelled() => Err(Stopped),
            output = work => Ok(output),
        }
    }
}

/// Rings once when a moment has come. Set to the same moment again, it goes on waiting as it did: the span counts, and not
/// what the clock says meanwhile.
#[derive(Default)]
pub(crate) struct Bell {
    at: Option<Timestamp>,
    wait: Option<BoxFuture<'static, ()>>,
}

impl Bell {
    pub(crate) fn set(&mut self, at: Option<Timestamp>, clock: &dyn Clock) {
        if self.at != at {
            self.at = at;
            self.wait = at.map(|at| clock.sleep_until(at));
        }
    }

    pub(crate) async fn rings(&mut self) {
        match &mut self.wait {
            Some(wait) => wait.await,
            None => std::future::pending().await,
        }
        (self.at, self.wait) = (None, None);
    }
}
