//! What search engines answer.

use serde::Deserialize;

use super::engine::Hit;

#[derive(Deserialize)]
struct Searxng {
    #[serde(default)]
    results: Vec<Found>,
}

#[derive(Deserialize)]
struct Brave {
    /// Absent where nothing was found.
    #[serde(default)]
    web: BraveWeb,
}

#[derive(Deserialize, Default)]
struct BraveWeb {
    #[serde(default)]
    results: Vec<Found>,
}

/// A result of either; any field may be missing or null.
#[derive(Deserialize)]
struct Found {
    title: Option<String>,
    url: Option<String>,
    /// SearxNG calls the snippet `content`.
    #[serde(alias = "content")]
    description: Option<String>,
}

impl From<Found> for Hit {
    fn from(found: Found) -> Self {
        Self {
            title: found.title.unwrap_or_default(),
            url: found.url.unwrap_or_default(),
            snippet: found.description.unwrap_or_default(),
        }
    }
}

/// Reads `/search?format=json` of SearxNG.
pub(super) fn searxng(body: &[u8]) -> serde_json::Result<Vec<Hit>> {
    let Searxng { results } = serde_json::from_slice(body)?;
    Ok(results.into_iter().map(Hit::from).collect())
}

/// Reads `/res/v1/web/search` of Brave.
pub(super) fn brave(body: &[u8]) -> serde_json::Result<Vec<Hit>> {
    let Brave { web } = serde_json::from_slice(body)?;
    Ok(web.results.into_iter().map(Hit::from).collect())
}
