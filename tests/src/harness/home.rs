//! A home folder for one daemon: its configuration, its data and what it wrote to standard error.

use std::{fs, io, path::PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The model that every home is configured with; its provider is the model fake.
pub const MODEL: &str = "fake/echo";

/// What a home's configuration says.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// Root of the Bot API.
    pub telegram: String,
    /// The bot's token.
    pub token: String,
    /// Base URL of the model server, with its `/v1`.
    pub model: String,
    /// Who may write; nobody named means everybody.
    pub people: Vec<i64>,
    /// Runs at once.
    pub runs: usize,
}

/// A folder that is gone with this value.
#[derive(Debug)]
pub struct Home {
    folder: TempDir,
}

impl Home {
    /// A new home that speaks to the fakes and to nobody else.
    pub fn new(wiring: &Wiring) -> io::Result<Self> {
        Self::with(wiring, |_| {})
    }

    /// The same after `change` has been at its configuration.
    pub fn with(wiring: &Wiring, change: impl FnOnce(&mut Value)) -> io::Result<Self> {
        let home = Self { folder: tempfile::Builder::new().prefix("pensive-").tempdir()? };
        let mut content = home.content(wiring);
        change(&mut content);
        fs::write(home.config(), content.to_string())?;
        Ok(home)
    }

    /// The folder, for `--home`.
    pub fn path(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// The configuration file.
    pub fn config(&self) -> PathBuf {
        self.folder.path().join("pensive.json5")
    }

    /// Where the store lies.
    pub fn store(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Where standard error goes, every life of the daemon after the other.
    pub fn log(&self) -> PathBuf {
        self.folder.path().join("stderr.log")
    }

    /// The last lines of the log, for a failure's message.
    pub fn last_words(&self, lines: usize) -> String {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        let all: Vec<&str> = log.lines().collect();
        all.get(all.len().saturating_sub(lines)..).unwrap_or_default().join("\n")
    }

    /// Bytes on disk below the store.
    pub fn store_bytes(&self) -> u64 {
        fn weigh(folder: &std::path::Path) -> u64 {
            let Ok(entries) = fs::read_dir(folder) else { return 0 };
            let size = |entry: fs::DirEntry| match entry.metadata() {
                Ok(meta) if meta.is_dir() => weigh(&entry.path()),
                Ok(meta) => meta.len(),
                Err(_) => 0,
            };
            entries.flatten().map(size).sum()
        }
        weigh(&self.store())
    }

    /// Keeps the folder for somebody to look into and tells where it is.
    pub fn keep(self) -> PathBuf {
        self.folder.keep()
    }

    fn content(&self, wiring: &Wiring) -> Value {
        let (policy, people) = if wiring.people.is_empty() {
            ("open", vec!["*".to_owned()])
        } else {
            ("allowlist", wiring.people.iter().map(i64::to_string).collect())
        };
        json!({
            "agents": {"defaults": {"model": {"primary": MODEL}, "maxConcurrent": wiring.runs}},
            "channels": {"telegram": {
                "botToken": wiring.token, "apiRoot": wiring.telegram, "dmPolicy": policy, "allowFrom": people,
                "groups": {"*": {"requireMention": false}},
            }},
            "models": {"providers": {"fake": {
                "baseUrl": wiring.model, "api": "openai-completions", "apiKey": "none",
                "models": [{"id": "echo", "reasoning": true, "contextWindow": 32768, "maxTokens": 4096}],
            }}},
            "session": {"reset": {"idleMinutes": 0}},
            "limits": {"perSender": {"perMinute": 0, "burst": 5}},
            "storage": {"path": self.store()},
        })
    }
}
