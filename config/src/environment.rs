//! The variables that the daemon was started with. The only place that asks the system for them.

use std::collections::BTreeMap;

/// Variables that say where things are and how people here write.
const OPEN: &[&str] = &[
    "HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "NIX_SSL_CERT_FILE",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

/// Captured environment variables; those that are no Unicode are left out. An empty variable counts as unset.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Those of this process.
    #[must_use]
    #[allow(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    pub fn capture() -> Self {
        let pairs = std::env::vars_os();
        Self(
            pairs
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .collect(),
        )
    }

    /// Those that a program of somebody else's needs to work at all, and that hold no secret.
    pub(crate) fn for_programs(&self) -> Vec<(String, String)> {
        let open = |name: &str| OPEN.contains(&name) || name.starts_with("LC_");
        self.0
            .iter()
            .filter(|(name, _)| open(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// The value of `name`, where it is set to something.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.trim().is_empty())
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

/// Names only: values may be secrets.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
