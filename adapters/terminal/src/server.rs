//! The daemon's side: the socket, who is connected, and the ports that the engine sees.

mod connection;
mod desk;
mod listener;
mod outlet;
mod seats;
mod socket;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pensive_contract::clock::{Clock, within};
use pensive_contract::ids::Account;
use pensive_contract::intake::{AccountState, Channel};
use pensive_contract::outward::{FileLimits, Outward};

pub use self::desk::Desk;
use self::listener::Listener;
use self::outlet::Seated;
use self::seats::Seats;
use crate::fault::TerminalFault;

/// How long the last lines may take to reach clients when the daemon ends.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A terminal says where a file lies, whatever its size; this is what one that can be looked at has.
const FILES: FileLimits = FileLimits { bytes: 64 << 20, caption: usize::MAX };

/// What the terminal must be told.
#[derive(Debug, Clone)]
pub struct TerminalSettings {
    /// Where the socket is made.
    pub socket: PathBuf,
    /// The program's version, for the welcome.
    pub version: String,
}

/// The one account of this channel.
#[must_use]
pub fn account() -> Account {
    Account { channel: "terminal".into(), id: "local".into() }
}

/// The socket, open for clients. They are served once [`Terminal::channel`] runs.
pub struct Terminal {
    shared: Arc<Shared>,
    socket: Mutex<Option<socket::Bound>>,
}

/// What every connection and port of the terminal sees.
struct Shared {
    version: String,
    clock: Arc<dyn Clock>,
    seats: Seats,
    /// What operators know the socket by.
    name: String,
}

impl Terminal {
    /// Makes the socket, readable and writable by this user alone. One that a dead daemon left behind is replaced.
    ///
    /// # Errors
    /// [`TerminalFault::Busy`] when a living daemon answers there; the others say what is in the way.
    pub fn open(settings: &TerminalSettings, clock: Arc<dyn Clock>) -> Result<Self, TerminalFault> {
        let socket = socket::bind(&settings.socket)?;
        let shared = Shared {
            version: settings.version.clone(),
            seats: Seats::new(Arc::clone(&clock)),
            clock,
            name: socket.path.display().to_string(),
        };
        Ok(Self { shared: Arc::new(shared), socket: Mutex::new(Some(socket)) })
    }

    /// The ports towards people.
    #[must_use]
    pub fn outward(&self) -> Outward {
        let seated = Arc::new(Seated::new(Arc::clone(&self.shared)));
        Outward {
            outlet: Arc::clone(&seated) as _,
            typing: Some(Arc::clone(&seated) as _),
            previews: Some(Arc::clone(&seated) as _),
            presses: Some(seated as _),
            pace: None,
            attachments: None,
            cut: None,
            files: Some(FILES),
        }
    }

    /// The port that serves clients. Only the first call gets the socket.
    #[must_use]
    pub fn channel(&self, desk: Arc<dyn Desk>) -> Arc<dyn Channel> {
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner).take();
        Arc::new(Listener::new(Arc::clone(&self.shared), socket, desk))
    }

    /// How the one account stands.
    #[must_use]
    pub fn state(&self) -> AccountState {
        self.shared.state()
    }

    /// Sends clients what is still theirs and closes their connections. Called when nothing more will be said.
    pub async fn close(&self) {
        self.shared.seats.close();
        if within(&*self.shared.clock, LAST_WORDS, self.shared.seats.drained()).await.is_err() {
            tracing::warn!("a terminal client did not read its last lines");
        }
    }
}

impl Shared {
    /// Clients can connect from the moment the socket is there; they wait in the system's queue until they are served.
    fn state(&self) -> AccountState {
        AccountState::Listening { name: self.name.clone() }
    }
}

#[cfg(test)]
mod tests;
