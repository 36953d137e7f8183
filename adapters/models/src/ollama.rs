//! Whether an Ollama runs on its port, and with which models; asked once, at a start without configuration.

use std::time::Duration;

use pensive_contract::clock::{Clock, within};
use reqwest::Url;
use serde::Deserialize;

use crate::transport::client;

/// The whole look may take this long.
const LIMIT: Duration = Duration::from_millis(300);

#[derive(Deserialize)]
struct Tags {
    models: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
}

/// The models of the Ollama at `base_url` (`http://127.0.0.1:11434`), as it lists them; none when nobody answers within
/// 300 ms.
pub async fn ollama_models(base_url: &str, clock: &dyn Clock) -> Vec<String> {
    match within(clock, LIMIT, ask(base_url)).await {
        Ok(Some(models)) => models,
        Ok(None) | Err(_) => Vec::new(),
    }
}

async fn ask(base_url: &str) -> Option<Vec<String>> {
    let base = Url::parse(base_url).ok()?;
    // A client costs more than all the rest, and mostly nobody listens.
    let address = (base.host_str()?.to_owned(), base.port_or_known_default()?);
    drop(tokio::net::TcpStream::connect(address).await.ok()?);
    let url = base.join("/api/tags").ok()?;
    let answer = client(LIMIT).ok()?.get(url).send().await.ok()?.error_for_status().ok()?;
    let tags: Tags = answer.json().await.ok()?;
    Some(tags.models.into_iter().map(|tag| tag.name).collect())
}
