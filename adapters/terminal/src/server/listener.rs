//! The channel port: accepts connections until the daemon stops, and serves each in a task of its own.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::intake::{AccountState, Channel, Intake, Pulse};
use tokio::io::AsyncWriteExt;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::connection::Connection;
use super::desk::Desk;
use super::socket::Bound;
use super::{Shared, account};
use crate::wire::{Code, Event};

/// Connections at the same time; further ones are told so and closed.
const MOST: usize = 64;

/// How long to wait when the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(500);

pub(super) struct Listener {
    shared: Arc<Shared>,
    socket: Mutex<Option<Bound>>,
    desk: Arc<dyn Desk>,
}

impl Listener {
    pub(super) fn new(shared: Arc<Shared>, socket: Option<Bound>, desk: Arc<dyn Desk>) -> Self {
        Self { shared, socket: Mutex::new(socket), desk }
    }

    /// Turns the socket into one that tokio waits on; the second half keeps the file.
    fn open(&self) -> Result<(UnixListener, Bound), Fault> {
        let bound = self.socket.lock().unwrap_or_else(PoisonError::into_inner).take();
        let bound = bound.ok_or_else(|| parked("the socket is served already"))?;
        let listener = bound.listener.try_clone().and_then(UnixListener::from_std);
        Ok((listener.map_err(|cause| parked(&format!("the socket cannot be served: {cause}")))?, bound))
    }

    async fn greet(&self, client: UnixStream, owner: u32, open: usize) -> Option<UnixStream> {
        // The rights of the file say the same; this holds where a system does not look at them.
        let peer = client.peer_cred().ok()?.uid();
        if peer != owner && peer != 0 {
            tracing::warn!(uid = peer, "a connection of another user was refused");
            return None;
        }
        if open < MOST {
            return Some(client);
        }
        let text = format!("{MOST} terminals are open already; close one of them");
        let mut client = client;
        // The client is turned away either way; whether it reads why is its own affair.
        drop(
            client.write_all(Event::Error { answers: None, code: Code::Full, text }.line().as_bytes()).await,
        );
        None
    }
}

#[async_trait]
impl Channel for Listener {
    async fn run(&self, intake: Arc<dyn Intake>, stop: CancellationToken) -> Result<(), Fault> {
        let (listener, bound) = self.open()?;
        let mut connections = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                Some(_) = connections.join_next() => continue,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((client, _)) => {
                    let Some(client) = self.greet(client, bound.owner, connections.len()).await else {
                        continue;
                    };
                    let connection = Connection {
                        shared: Arc::clone(&self.shared),
                        intake: Arc::clone(&intake),
                        desk: Arc::clone(&self.desk),
                        stop: stop.clone(),
                    };
                    connections.spawn(connection.serve(client));
                }
                Err(cause) => {
                    tracing::warn!(account = %account(), %cause, "a connection could not be accepted");
                    tokio::select! {
                        () = stop.cancelled() => break,
                        () = self.shared.clock.sleep(PAUSE) => {}
                    }
                }
            }
        }
        drop((listener, bound));
        while connections.join_next().await.is_some() {}
        Ok(())
    }

    fn state(&self) -> AccountState {
        self.shared.state()
    }

    /// A socket of this machine gives no signs of its own: whoever asks hears.
    fn pulse(&self) -> Pulse {
        Pulse::default()
    }
}

fn parked(log: &str) -> Fault {
    Fault::new(FaultClass::OursToMend, "The terminal cannot be served.", log)
}
