//! What the tests of this room share: a clock that a test owns, somebody to work for, a server on this machine.

use std::sync::atomic::{AtomicI64, Ordering};

use axum::Router;
use futures::future::BoxFuture;
use pensive_contract::clock::{Clock, Timestamp};
use pensive_contract::ids::{AgentId, SessionKey};
use pensive_contract::inbound::ChatKind;
use pensive_contract::tool::{Errand, Grant};
use tokio::sync::Notify;

/// A clock that stands still: what waits for it waits until [`Frozen::ring`].
#[derive(Default)]
pub(crate) struct Frozen {
    now: AtomicI64,
    bell: std::sync::Arc<Notify>,
}

impl Frozen {
    /// Moves the hour without waking anybody.
    pub(crate) fn set(&self, now: i64) {
        self.now.store(now, Ordering::Relaxed);
    }

    /// Ends every wait that there is; one that comes next too, where there is none.
    pub(crate) fn ring(&self) {
        self.bell.notify_one();
    }
}

impl Clock for Frozen {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::Relaxed))
    }

    fn sleep_until(&self, _moment: Timestamp) -> BoxFuture<'static, ()> {
        let bell = std::sync::Arc::clone(&self.bell);
        Box::pin(async move { bell.notified().await })
    }
}

/// Somebody to work for, in a chat of that kind.
pub(crate) fn errand(kind: ChatKind) -> Errand {
    let session = SessionKey::of(["agent", "main", "main"]);
    Errand { agent: AgentId::from("main"), session, kind, grant: Grant::Confined }
}

/// The TLS provider, which the daemon puts in when it starts.
pub(crate) fn tls() {
    drop(rustls::crypto::ring::default_provider().install_default());
}

/// Serves on a port that the system picks; ends with the test's runtime.
#[allow(clippy::disallowed_methods, reason = "it ends with the runtime of its test")]
pub(crate) async fn serve(app: Router) -> String {
    tls();
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}")
}
