//! One server: started when it is first needed, greeted, asked for its tools, and started again when it has ended, after
//! a pause that grows as long as it keeps failing.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use pensive_contract::clock::{Timestamp, within};
use rmcp::model::{PaginatedRequestParams, Tool as Offer};
use rmcp::service::{Peer, RoleClient};
use tokio::sync::{Mutex, watch};
use tokio_util::sync::CancellationToken;

use super::House;
use super::way::{Ear, Failure, Opened, Way, overhear};
use crate::web::chain;

/// How long a server may take to start, to greet and to list its tools.
const START: Duration = Duration::from_secs(30);

/// How long a run waits for a server that is starting; it goes on without, and the next one has its tools.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server that lived this long may be started again at once when it ends.
const STEADY: Duration = Duration::from_secs(60);

/// The pause before a second start in a row, which doubles, and the longest.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(300);

/// How many tools of one server are taken, and how many pages its list may have.
const TOOLS: usize = 128;
const PAGES: usize = 20;

/// A server and what is known of it.
pub(super) struct Server {
    name: String,
    way: Way,
    house: House,
    state: watch::Sender<State>,
}

#[derive(Clone)]
enum State {
    /// Nobody needed it yet, or it ended after a good while.
    Idle,
    Starting {
        began: Timestamp,
        failures: u32,
    },
    Up(Arc<Link>),
    /// It failed, and is not started before then.
    Down {
        failures: u32,
        until: Timestamp,
    },
}

/// A server that is there.
pub(super) struct Link {
    pub(super) peer: Peer<RoleClient>,
    ear: Ear,
    stop: CancellationToken,
    /// Its tools as it last listed them.
    offers: Mutex<Vec<Offer>>,
}

impl Link {
    /// Ends it, as it does not answer any more; the next who needs it starts it again.
    pub(super) fn give_up(&self) {
        self.stop.cancel();
    }

    fn is_gone(&self) -> bool {
        self.stop.is_cancelled() || self.peer.is_transport_closed()
    }
}

/// It is not there now; the log knows why.
#[derive(Debug, Clone, Copy)]
pub(super) struct Absent;

impl Server {
    pub(super) fn new(name: String, way: Way, house: House) -> Self {
        Self { name, way, house, state: watch::Sender::new(State::Idle) }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Its tools now; none where it is not there.
    pub(super) async fn offers(self: &Arc<Self>) -> Vec<Offer> {
        let asked = self.house.clock.now();
        self.wake();
        let began = match &*self.state.borrow() {
            State::Starting { began, .. } => *began,
            State::Idle | State::Up(_) | State::Down { .. } => asked,
        };
        // A start that hangs delays one run and not each of them.
        let left = (began + PATIENCE).since(asked);
        let listed = async {
            match self.link().await {
                Ok(link) => self.current(&link).await,
                Err(Absent) => Vec::new(),
            }
        };
        within(self.house.clock.as_ref(), left, Box::pin(listed)).await.unwrap_or_default()
    }

    /// The server, started where it has to be.
    pub(super) async fn link(self: &Arc<Self>) -> Result<Arc<Link>, Absent> {
        let mut states = self.state.subscribe();
        loop {
            self.wake();
            let settled = states.wait_for(|state| match state {
                State::Starting { .. } => false,
                State::Up(link) => !link.is_gone(),
                State::Idle | State::Down { .. } => true,
            });
            match settled.await.map_err(|_| Absent)?.clone() {
                State::Up(link) => return Ok(link),
                State::Idle if !self.house.stop.is_cancelled() => {}
                State::Idle | State::Down { .. } | State::Starting { .. } => return Err(Absent),
            }
        }
    }

    /// Whether it is being started.
    #[cfg(test)]
    pub(super) fn is_starting(&self) -> bool {
        !matches!(&*self.state.borrow(), State::Up(_) | State::Down { .. })
    }

    /// Starts it unless it is there, starting, or has to wait.
    fn wake(self: &Arc<Self>) {
        let now = self.house.clock.now();
        if self.house.stop.is_cancelled() {
            return;
        }
        let starts = self.state.send_if_modified(|state| {
            let failures = match state {
                State::Idle => 0,
                State::Down { failures, until } if *until <= now => *failures,
                State::Down { .. } | State::Starting { .. } | State::Up(_) => return false,
            };
            *state = State::Starting { began: now, failures };
            true
        });
        if starts {
            self.house.tasks.spawn(Arc::clone(self).live());
        }
    }

    /// From a start to the end.
    async fn live(self: Arc<Self>) {
        let failures = match &*self.state.borrow() {
            State::Starting { failures, .. } => *failures,
            State::Idle | State::Up(_) | State::Down { .. } => 0,
        };
        let stop = self.house.stop.child_token();
        let started = stop
            .run_until_cancelled(within(self.house.clock.as_ref(), START, Box::pin(self.open(&stop))))
            .await;
        let lived = match started {
            Some(Ok(Ok((link, opened)))) => self.attend(link, opened).await,
            Some(Ok(Err(failure))) => {
                tracing::warn!(server = self.name, cause = chain(&failure), "a tool server cannot be used");
                Duration::ZERO
            }
            Some(Err(overdue)) => {
                tracing::warn!(server = self.name, limit = ?overdue.0, "a tool server does not get ready");
                Duration::ZERO
            }
            None => Duration::ZERO,
        };
        stop.cancel();
        let now = self.house.clock.now();
        self.state.send_replace(if lived >= STEADY {
            State::Idle
        } else {
            State::Down { failures: failures.saturating_add(1), until: now + pause(failures) }
        });
    }

    async fn open(&self, stop: &CancellationToken) -> Result<(Arc<Link>, Opened), Failure> {
        let ear = Ear::default();
        let opened = self.way.open(ear.clone(), stop.clone()).await?;
        let peer = opened.running.peer().clone();
        let offers = Mutex::new(list(&peer).await.map_err(Failure::List)?);
        Ok((Arc::new(Link { peer, ear, stop: stop.clone(), offers }), opened))
    }

    /// Holds a server until it ends; gives back how long that was.
    async fn attend(&self, link: Arc<Link>, opened: Opened) -> Duration {
        let began = self.house.clock.now();
        tracing::info!(server = self.name, "a tool server is there");
        let Opened { running, complaints } = opened;
        self.state.send_replace(State::Up(Arc::clone(&link)));
        let stop = link.stop.clone();
        let overheard = async {
            if let Some(complaints) = complaints {
                stop.run_until_cancelled(overhear(self.name.clone(), complaints)).await;
            }
        };
        let ended = async {
            let reason = running.waiting().await;
            stop.cancel();
            reason
        };
        let (reason, ()) = futures::future::join(ended, overheard).await;
        tracing::info!(server = self.name, ?reason, "a tool server has ended");
        self.house.clock.now().since(began)
    }

    /// What it offers, asked again where it said that this has changed.
    async fn current(&self, link: &Link) -> Vec<Offer> {
        let mut offers = link.offers.lock().await;
        if link.ear.changed.swap(false, Ordering::Relaxed) {
            match within(self.house.clock.as_ref(), PATIENCE, list(&link.peer)).await {
                Ok(Ok(listed)) => *offers = listed,
                Ok(Err(error)) => {
                    tracing::warn!(
                        server = self.name,
                        cause = chain(&error),
                        "a tool server does not list its tools"
                    );
                }
                Err(overdue) => {
                    tracing::warn!(server = self.name, cause = %overdue, "a tool server does not list its tools");
                }
            }
        }
        offers.clone()
    }
}

/// How long a server rests after so many failures before this one: the first is mended at once.
fn pause(failures: u32) -> Duration {
    match failures {
        0 => Duration::ZERO,
        more => PAUSE.saturating_mul(2_u32.saturating_pow(more - 1)).min(LONGEST),
    }
}

/// The tools of a server, as many as are taken.
async fn list(peer: &Peer<RoleClient>) -> Result<Vec<Offer>, rmcp::ServiceError> {
    let mut offers = Vec::new();
    let mut cursor = None;
    for _ in 0..PAGES {
        let page = peer.list_tools(Some(PaginatedRequestParams::default().with_cursor(cursor))).await?;
        offers.extend(page.tools);
        cursor = page.next_cursor;
        if cursor.is_none() || offers.len() >= TOOLS {
            break;
        }
    }
    offers.truncate(TOOLS);
    Ok(offers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let pauses: Vec<u64> =
            [0, 1, 2, 3, 9, 10, u32::MAX].map(|failures| pause(failures).as_secs()).to_vec();
        assert_eq!(pauses, [0, 1, 2, 4, 256, 300, 300]);
    }
}
