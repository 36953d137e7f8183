//! What tests inside this room share with those beside it: a server that they script and a clock that they move.

#[path = "../tests/support/clock.rs"]
mod clock;
#[path = "../tests/support/http.rs"]
mod http;

use std::sync::{Arc, Once};

use pensive_contract::secret::Secret;

pub(crate) use clock::{HandClock, Memory};
pub(crate) use http::{Reply, Request, Server};

use crate::client::Client;

/// A client that knows no other server.
pub(crate) fn client(server: &Server, clock: Arc<HandClock>) -> Client {
    static TLS: Once = Once::new();
    TLS.call_once(|| {
        let _installed = rustls::crypto::ring::default_provider().install_default();
    });
    Client::new(&server.root, &Secret::new("a.b.c"), clock).unwrap()
}
