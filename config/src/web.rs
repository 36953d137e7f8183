//! What agents may read of the web, and who searches it for them.

use crate::secret::SecretSource;

/// What the tools of the web may do.
#[derive(Debug, Clone, Default)]
pub struct WebTools {
    /// Whether pages of this machine and its networks may be read too.
    pub allow_private: bool,
    /// Who searches; nothing for nobody.
    pub search: Option<SearchEngine>,
}

/// Who searches the web.
#[derive(Debug, Clone)]
pub enum SearchEngine {
    /// A SearxNG server.
    Searxng {
        /// Its address.
        url: String,
    },
    /// Brave's search API.
    Brave {
        /// Its address; nothing for Brave's own.
        url: Option<String>,
        /// The subscription token.
        key: SecretSource,
    },
}
