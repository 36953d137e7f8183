//! Where a secret comes from, and reading it when it is needed: one missing token parks its account and nothing else.

use std::fmt;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pensive_contract::secret::Secret;

/// How long a command may take to print a secret.
const COMMAND_LIMIT: Duration = Duration::from_secs(10);

/// The most that a secret may hold; what is longer is no token but a wrong file.
const LONGEST: u64 = 64 * 1024;

/// A secret of the configuration that may not have been read yet. Clones share what was read.
#[derive(Clone)]
pub struct SecretSource(Arc<Inner>);

struct Inner {
    origin: Origin,
    owner: String,
    key: String,
    read: OnceLock<Result<Secret, SecretFault>>,
}

enum Origin {
    Text(Secret),
    Variable { name: String, value: Option<Secret> },
    File(PathBuf),
    Command(Vec<String>),
}

/// Why a secret is not there. The words name whose secret it is, the key, and what to do; never the secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretFault {
    /// The variable is not set or empty.
    #[error(
        "{owner} has no {key}: the environment variable {name} is not set; set it, or give {key} in the configuration"
    )]
    Unset {
        /// Whose secret it is.
        owner: String,
        /// The key it stands under.
        key: String,
        /// The variable.
        name: String,
    },
    /// The file cannot be read.
    #[error("{owner} has no {key}: {path} cannot be read ({cause}); check the path and its permissions")]
    File {
        /// Whose secret it is.
        owner: String,
        /// The key it stands under.
        key: String,
        /// The file.
        path: String,
        /// What the system said.
        cause: String,
    },
    /// The command failed.
    #[error("{owner} has no {key}: the command `{command}` {cause}; run it by hand to see why")]
    Command {
        /// Whose secret it is.
        owner: String,
        /// The key it stands under.
        key: String,
        /// The program, without its arguments.
        command: String,
        /// What happened.
        cause: String,
    },
    /// It was read and there was nothing in it, or nothing that a header can carry.
    #[error("{owner} has no usable {key}: {place} {cause}")]
    Unusable {
        /// Whose secret it is.
        owner: String,
        /// The key it stands under.
        key: String,
        /// Where it was read from.
        place: String,
        /// What is wrong with it.
        cause: String,
    },
}

impl SecretSource {
    fn new(origin: Origin, owner: &str, key: &str) -> Self {
        Self(Arc::new(Inner { origin, owner: owner.to_owned(), key: key.to_owned(), read: OnceLock::new() }))
    }

    pub(crate) fn text(text: String, owner: &str, key: &str) -> Self {
        Self::new(Origin::Text(Secret::new(text)), owner, key)
    }

    pub(crate) fn variable(name: &str, value: Option<&str>, owner: &str, key: &str) -> Self {
        let value = value.map(Secret::new);
        Self::new(Origin::Variable { name: name.to_owned(), value }, owner, key)
    }

    pub(crate) fn file(path: PathBuf, owner: &str, key: &str) -> Self {
        Self::new(Origin::File(path), owner, key)
    }

    pub(crate) fn command(words: Vec<String>, owner: &str, key: &str) -> Self {
        Self::new(Origin::Command(words), owner, key)
    }

    /// The secret, read once and then remembered, also when it failed. May block on a file or, for at most ten seconds, on
    /// a command; not for an async task.
    ///
    /// # Errors
    /// It is not there; the fault says whose it is and what to do.
    pub fn read(&self) -> Result<Secret, SecretFault> {
        self.0.read.get_or_init(|| self.0.fetch()).clone()
    }

    /// Where it is read from, in words for an operator; never the secret.
    #[must_use]
    pub fn place(&self) -> String {
        self.0.place()
    }

    /// Whether reading either gives the same secret, or the same words.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.same_place(other) && self.0.owner == other.0.owner && self.0.key == other.0.key
    }

    /// Two sources that name the same place hold the same secret.
    pub(crate) fn same_place(&self, other: &Self) -> bool {
        match (&self.0.origin, &other.0.origin) {
            (Origin::Text(a), Origin::Text(b)) => a == b,
            (Origin::Variable { name: a, .. }, Origin::Variable { name: b, .. }) => a == b,
            (Origin::File(a), Origin::File(b)) => a == b,
            (Origin::Command(a), Origin::Command(b)) => a == b,
            _ => false,
        }
    }
}

impl fmt::Debug for SecretSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretSource({})", self.0.place())
    }
}

impl Inner {
    fn fetch(&self) -> Result<Secret, SecretFault> {
        let text = match &self.origin {
            Origin::Text(secret) => return Ok(secret.clone()),
            Origin::Variable { name, value } => {
                let set = value.as_ref().filter(|value| !value.expose().trim().is_empty());
                set.ok_or_else(|| self.unset(name))?.expose().to_owned()
            }
            Origin::File(path) => {
                bounded(std::fs::File::open(path)).map_err(|cause| self.unread(path, cause))?
            }
            Origin::Command(words) => print_of(words).map_err(|cause| self.failed(words, cause))?,
        };
        let text = text.trim();
        let cause = match text {
            "" => "is empty",
            _ if text.chars().any(char::is_control) => "holds more than one line; a secret is one line",
            _ => return Ok(Secret::new(text)),
        };
        Err(SecretFault::Unusable {
            owner: self.owner.clone(),
            key: self.key.clone(),
            place: self.place(),
            cause: cause.to_owned(),
        })
    }

    fn unset(&self, name: &str) -> SecretFault {
        SecretFault::Unset { owner: self.owner.clone(), key: self.key.clone(), name: name.to_owned() }
    }

    fn unread(&self, path: &std::path::Path, cause: String) -> SecretFault {
        SecretFault::File {
            owner: self.owner.clone(),
            key: self.key.clone(),
            path: path.display().to_string(),
            cause,
        }
    }

    fn failed(&self, words: &[String], cause: String) -> SecretFault {
        let command = words.first().cloned().unwrap_or_default();
        SecretFault::Command { owner: self.owner.clone(), key: self.key.clone(), command, cause }
    }

    fn place(&self) -> String {
        match &self.origin {
            Origin::Text(_) => "the configuration".to_owned(),
            Origin::Variable { name, .. } => format!("the environment variable {name}"),
            Origin::File(path) => path.display().to_string(),
            Origin::Command(words) => {
                format!("the output of `{}`", words.first().map(String::as_str).unwrap_or_default())
            }
        }
    }
}

fn bounded(source: std::io::Result<impl Read>) -> Result<String, String> {
    let mut text = String::new();
    let source = source.map_err(|cause| cause.to_string())?;
    source.take(LONGEST).read_to_string(&mut text).map_err(|cause| cause.to_string())?;
    Ok(text)
}

/// What the command prints. Its standard error goes to ours, so that a password store can say what it wants.
fn print_of(words: &[String]) -> Result<String, String> {
    let (program, arguments) = words.split_first().ok_or("is empty")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|cause| format!("did not start ({cause})"))?;
    let output = child.stdout.take().ok_or("has no output")?;
    let (sender, receiver) = mpsc::sync_channel(1);
    // The reader ends with the pipe; where a grandchild keeps that open it outlives the limit, and nobody waits for it.
    std::thread::spawn(move || sender.send(bounded(Ok(output))));
    let Ok(text) = receiver.recv_timeout(COMMAND_LIMIT) else {
        end(&mut child);
        return Err(format!("printed nothing within {} s", COMMAND_LIMIT.as_secs()));
    };
    let status = child.wait().map_err(|cause| cause.to_string())?;
    if status.success() { text } else { Err(format!("failed ({status})")) }
}

fn end(child: &mut std::process::Child) {
    if let Err(cause) = child.kill().and_then(|()| child.wait()) {
        tracing::warn!(%cause, "a secret's command could not be ended");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_from_each_kind_of_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "from-file\n").unwrap();
        let words = ["printf", "from-command\\n"].map(str::to_owned).to_vec();
        for (source, expected) in [
            (SecretSource::text("plain".into(), "a", "k"), "plain"),
            (SecretSource::variable("V", Some("from-env"), "a", "k"), "from-env"),
            (SecretSource::file(file, "a", "k"), "from-file"),
            (SecretSource::command(words, "a", "k"), "from-command"),
        ] {
            assert_eq!(source.read().unwrap().expose(), expected);
        }
    }

    #[test]
    fn a_missing_secret_says_whose_it_is_and_what_to_do() {
        for (source, expected) in [
            (
                SecretSource::variable("V", None, "telegram/default", "botToken"),
                "the environment variable V is not set",
            ),
            (SecretSource::variable("V", Some(" "), "telegram/default", "botToken"), "V is not set; set it"),
            (
                SecretSource::file("/nowhere/at/all".into(), "telegram/default", "botToken"),
                "/nowhere/at/all cannot be read",
            ),
            (SecretSource::command(vec!["false".into()], "telegram/default", "botToken"), "`false` failed"),
            (SecretSource::command(vec!["true".into()], "telegram/default", "botToken"), "`true` is empty"),
            (
                SecretSource::command(vec!["no-such-program".into()], "telegram/default", "botToken"),
                "did not start",
            ),
        ] {
            let words = source.read().unwrap_err().to_string();
            assert!(words.contains("telegram/default has no") && words.contains("botToken"), "{words}");
            assert!(words.contains(expected), "{words}");
        }
    }

    #[test]
    fn tool_08_a_secret_is_never_printed() {
        let source = SecretSource::text("hunter2".into(), "a", "k");
        let read = source.read().unwrap();
        assert!(!format!("{source:?} {read:?} {read}").contains("hunter2"));
    }
}
