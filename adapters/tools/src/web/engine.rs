//! Who searches: one request to the engine that the owner has chosen, and its results in one form.

use std::time::Duration;

use pensive_contract::tool::ToolFault;
use reqwest::{Client, RequestBuilder, StatusCode, header, redirect};
use url::Url;

use super::page;
use super::visit::chain;
use super::wire;
use crate::settings::SearchEngine;

/// Brave's own address: `api-dashboard.search.brave.com/app/documentation/web-search`, read in November 2026.
const BRAVE: &str = "https://api.search.brave.com/res/v1/web/search";

/// The longest query that Brave takes, in characters and in words (same page).
const BRAVE_QUERY: (usize, usize) = (400, 50);

/// How much an engine may answer.
const BODY: usize = 4 * 1024 * 1024;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// One thing that was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) title: String,
    pub(super) url: String,
    pub(super) snippet: String,
}

/// Why nothing can be told of a search.
#[derive(Debug, thiserror::Error)]
pub(super) enum Blind {
    #[error("no connection")]
    Connect(#[source] reqwest::Error),
    #[error("status {0}")]
    Status(StatusCode),
    #[error("more than {BODY} bytes")]
    TooLong,
    #[error("not the engine's format")]
    Broken(#[source] serde_json::Error),
    #[error("no end within {0:?}")]
    Slow(Duration),
}

impl Blind {
    pub(super) fn fault(&self) -> ToolFault {
        let model = match self {
            Self::Status(StatusCode::TOO_MANY_REQUESTS) => {
                "The search engine takes no more searches now; wait or do without."
            }
            Self::Status(StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
                "The search engine refuses us; the owner has to look at its settings."
            }
            Self::Slow(_) => "The search engine did not answer in time.",
            Self::Connect(_) | Self::Status(_) | Self::TooLong | Self::Broken(_) => {
                "The search engine does not work now."
            }
        };
        let hint = match self {
            Self::Status(StatusCode::FORBIDDEN) => {
                "; SearxNG needs `json` among its search.formats, Brave a valid key"
            }
            _ => "",
        };
        ToolFault { model: model.to_owned(), log: format!("search: {}{hint}", chain(self)) }
    }
}

/// The way to a search engine.
pub(super) struct Engine {
    client: Client,
    engine: SearchEngine,
}

impl Engine {
    pub(super) fn new(engine: SearchEngine) -> reqwest::Result<Self> {
        let client = Client::builder()
            .user_agent(concat!("pensive/", env!("CARGO_PKG_VERSION")))
            // The key goes to the engine and nowhere else.
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT)
            .build()?;
        Ok(Self { client, engine })
    }

    /// The first results of a query, `most` at most.
    pub(super) async fn search(&self, query: &str, most: usize) -> Result<Vec<Hit>, Blind> {
        let body = take(self.request(query, most)).await?;
        let hits = match &self.engine {
            SearchEngine::Searxng { .. } => wire::searxng(&body),
            SearchEngine::Brave { .. } => wire::brave(&body),
        };
        Ok(hits
            .map_err(Blind::Broken)?
            .into_iter()
            .map(plain)
            .filter(|hit| !hit.url.is_empty())
            .take(most)
            .collect())
    }

    fn request(&self, query: &str, most: usize) -> RequestBuilder {
        match &self.engine {
            SearchEngine::Searxng { url } => {
                let mut url = url.clone();
                let path = format!("{}/search", url.path().trim_end_matches('/').trim_end_matches("/search"));
                url.set_path(&path);
                url.query_pairs_mut().append_pair("q", query).append_pair("format", "json");
                self.client.get(url)
            }
            SearchEngine::Brave { url, key } => {
                let (characters, words) = BRAVE_QUERY;
                let query = query.split_whitespace().take(words).collect::<Vec<_>>().join(" ");
                let query: String = query.chars().take(characters).collect();
                let address = url.as_ref().map_or(BRAVE, Url::as_str);
                let asked = [("q", query.as_str()), ("count", &most.to_string())];
                let address = Url::parse_with_params(address, asked).map(String::from).unwrap_or_default();
                let mut key = header::HeaderValue::from_str(key.expose())
                    .unwrap_or(header::HeaderValue::from_static(""));
                key.set_sensitive(true);
                self.client.get(address).header("X-Subscription-Token", key)
            }
        }
        .header(header::ACCEPT, "application/json")
    }
}

async fn take(request: RequestBuilder) -> Result<Vec<u8>, Blind> {
    let failed = |error: reqwest::Error| Blind::Connect(error.without_url());
    let mut response = request.send().await.map_err(failed)?;
    if !response.status().is_success() {
        return Err(Blind::Status(response.status()));
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(failed)? {
        body.extend_from_slice(&piece);
        if body.len() > BODY {
            return Err(Blind::TooLong);
        }
    }
    Ok(body)
}

/// Engines mark what was searched for, in titles and snippets.
fn plain(hit: Hit) -> Hit {
    let line = |text: &str| page::read(text, None).text.split_whitespace().collect::<Vec<_>>().join(" ");
    Hit { title: line(&hit.title), snippet: line(&hit.snippet), url: hit.url }
}
