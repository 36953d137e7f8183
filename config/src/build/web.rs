//! The web, as far as agents read it.

use super::Builder;
use crate::file::values::SecretText;
use crate::file::web::{EngineName, Search, Web};
use crate::trail::Trail;
use crate::web::{SearchEngine, WebTools};

/// Where Brave's key is looked for when the file names no place.
const KEY: &str = "BRAVE_API_KEY";

impl Builder<'_> {
    pub(super) fn web_tools(&mut self, web: &Web) -> WebTools {
        WebTools {
            allow_private: web.allow_private.unwrap_or(false),
            search: web.search.as_ref().and_then(|search| self.search(search)),
        }
    }

    fn search(&mut self, search: &Search) -> Option<SearchEngine> {
        let trail = Trail::of(&["web", "search"]);
        let url = search.url.as_ref().map(|url| url.0.0.clone());
        match search.engine {
            EngineName::Searxng => {
                if search.api_key.is_some() {
                    self.fault(&trail.key("apiKey"), "is for Brave; a SearxNG server has none");
                }
                if url.is_none() && !self.holds(&trail.key("url")) {
                    self.fault(&trail, "needs url, the address of the SearxNG server");
                }
                url.map(|url| SearchEngine::Searxng { url })
            }
            EngineName::Brave => {
                let usual = SecretText::variable(KEY);
                let text = search.api_key.as_ref().unwrap_or(&usual);
                let key = self.secret(text, "web.search", &trail.key("apiKey"));
                Some(SearchEngine::Brave { url, key })
            }
        }
    }
}
