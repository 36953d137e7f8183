//! What the machine itself takes: an HTTP round trip on loopback, and one flush to disk. Nothing above can be faster.

use std::{
    fs::OpenOptions,
    io::Write,
    net::SocketAddr,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Result;
use axum::{Router, routing::post};

use crate::{harness::samples::Samples, socket::Serving};

/// Rounds of each.
const ROUNDS: usize = 500;
/// Between two rounds, so that each finds the machine as idle as a message does.
const GAP: Duration = Duration::from_millis(3);

/// A small JSON body there and back, by the client that Pensive uses and the server that the fakes use.
pub(super) async fn http_echo() -> Result<Samples> {
    let router = Router::new().route("/", post(|body: String| async move { body }));
    let server = Serving::start(router, SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    let client = reqwest::Client::builder().tcp_nodelay(true).build()?;
    let mut samples = Samples::default();
    for _ in 0..ROUNDS {
        tokio::time::sleep(GAP).await;
        let begun = Instant::now();
        let answer = client
            .post(server.url())
            .body(r#"{"chat_id":1,"text":"Thinking level set to high."}"#)
            .send()
            .await?;
        answer.bytes().await?;
        samples.add(begun.elapsed());
    }
    Ok(samples)
}

/// A page appended and made durable on the disk below `folder`.
pub(super) fn flush(folder: &Path) -> Result<Samples> {
    let path = folder.join("flush.probe");
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    let page = [7_u8; 4096];
    let mut samples = Samples::default();
    for _ in 0..ROUNDS / 2 {
        let begun = Instant::now();
        file.write_all(&page)?;
        file.sync_data()?;
        samples.add(begun.elapsed());
    }
    std::fs::remove_file(path)?;
    Ok(samples)
}
