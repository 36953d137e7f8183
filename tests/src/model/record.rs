//! What Pensive asked, written as JSON lines where a folder was named, for judges that come later.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};

use super::request::Request;

/// How the User-Agent of the program that is watched begins.
const OURS: &str = "pensive/";

/// Headers whose value is nobody's business.
const SECRET: [&str; 6] =
    ["authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie", "proxy-authorization"];

/// Fakes of this process that have written; each has a file of its own.
static FILES: AtomicUsize = AtomicUsize::new(0);

/// The recording of one fake. Its file is made with the first line.
#[derive(Debug)]
pub(crate) struct Record {
    folder: Option<PathBuf>,
    file: Option<File>,
}

impl Record {
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, file: None }
    }

    /// Writes a request down, if it is one of ours.
    pub(crate) fn add(&mut self, request: &Request) {
        let Some(folder) = self.folder.clone().filter(|_| request.header("user-agent").starts_with(OURS))
        else {
            return;
        };
        if let Err(error) = self.write(&folder, request) {
            tracing::warn!(%error, "recording of model requests stopped");
            self.folder = None;
        }
    }

    fn write(&mut self, folder: &Path, request: &Request) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(open(folder)?),
        };
        let headers: serde_json::Map<String, Value> = request
            .headers
            .iter()
            .map(|(name, value)| {
                let secret = SECRET.contains(&name.as_str());
                (name.clone(), if secret { "***".into() } else { value.as_str().into() })
            })
            .collect();
        let (shape, path, body) = (request.shape, &request.path, &request.body);
        let line = json!({"shape": shape, "path": path, "headers": headers, "body": body});
        writeln!(file, "{line}")
    }
}

fn open(folder: &Path) -> io::Result<File> {
    fs::create_dir_all(folder)?;
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let name = format!("model-{}-{number}.jsonl", process::id());
    OpenOptions::new().create(true).append(true).open(folder.join(name))
}
