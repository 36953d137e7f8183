//! `web_search`: titles, addresses and snippets from the owner's search engine.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::clock::{Clock, within};
use pensive_contract::model::ToolSpec;
use pensive_contract::tool::{Danger, Errand, Tool, ToolFault};
use serde::Deserialize;

use super::engine::{Blind, Engine, Hit};
use crate::trouble::Trouble;
use crate::wire::{arguments, count};

/// How long a search may take.
const LIMIT: Duration = Duration::from_secs(20);

/// How many results are told where nothing is asked for.
const USUAL: usize = 5;

/// How many can be asked for: what Brave gives at once.
const MOST: usize = 20;

#[derive(Deserialize)]
struct Arguments {
    query: String,
    #[serde(default, deserialize_with = "count", alias = "n", alias = "top", alias = "limit")]
    count: Option<u64>,
}

/// Searches the web.
pub(super) struct WebSearch {
    spec: ToolSpec,
    engine: Engine,
    clock: Arc<dyn Clock>,
}

impl WebSearch {
    pub(super) fn new(engine: Engine, clock: Arc<dyn Clock>) -> Self {
        let spec = ToolSpec {
            name: "web_search".to_owned(),
            description:
                "Searches the web and gives titles, addresses and snippets. Read a page with web_fetch."
                    .to_owned(),
            schema: format!(
                r#"{{"type":"object","properties":{{"query":{{"type":"string"}},"count":{{"type":"integer","description":"How many results, {USUAL} by default.","minimum":1,"maximum":{MOST}}}}},"required":["query"],"additionalProperties":false}}"#
            ),
        };
        Self { spec, engine, clock }
    }
}

#[async_trait]
impl Tool for WebSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn danger(&self, _arguments: &str) -> Danger {
        Danger::Harmless
    }

    async fn call(&self, text: &str, _errand: &Errand) -> Result<String, ToolFault> {
        let Arguments { query, count } = arguments(text)?;
        let query = query.trim();
        if query.is_empty() {
            return Err(Trouble::Refused("Say what to search for.".to_owned()).into());
        }
        let most = count.and_then(|most| usize::try_from(most).ok()).unwrap_or(USUAL).clamp(1, MOST);
        let found = within(self.clock.as_ref(), LIMIT, self.engine.search(query, most)).await;
        let hits =
            found.map_err(|_| Blind::Slow(LIMIT)).and_then(|hits| hits).map_err(|blind| blind.fault())?;
        Ok(tell(&hits))
    }
}

fn tell(hits: &[Hit]) -> String {
    if hits.is_empty() {
        return "Nothing found.".to_owned();
    }
    let told = hits.iter().zip(1..).map(|(hit, place)| {
        let snippet = if hit.snippet.is_empty() { String::new() } else { format!("\n   {}", hit.snippet) };
        format!("{place}. {}\n   {}{snippet}", hit.title, hit.url)
    });
    told.collect::<Vec<_>>().join("\n")
}
