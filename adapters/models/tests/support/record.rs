//! Requests as JSON lines for judges that come later, as the model fake of the scenarios writes them.

use std::fs::OpenOptions;
use std::io::Write;

use serde_json::{Map, Value, json};

use super::Asked;

/// How the paths of the shapes end.
const SHAPES: [(&str, &str); 5] = [
    ("/responses", "responses"),
    ("/chat/completions", "chat"),
    ("/messages", "anthropic"),
    (":streamGenerateContent?alt=sse", "gemini"),
    ("/api/chat", "ollama"),
];

/// Writes a request of a known shape down, where a folder is named for it.
#[allow(clippy::disallowed_methods, reason = "the harness around a test run speaks by the environment")]
pub(super) fn record(asked: &Asked) {
    let shape = SHAPES.iter().find(|(end, _)| asked.path.ends_with(end));
    let (Some(folder), Some((_, shape))) = (std::env::var_os("PENSIVE_RECORD_DIR"), shape) else {
        return;
    };
    let headers: Map<String, Value> = asked
        .headers
        .iter()
        .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?)))
        .map(|(name, value)| (name, if value.contains("s3cret") { "***" } else { value }.into()))
        .collect();
    let line = json!({"shape": shape, "path": asked.path, "headers": headers, "body": asked.body});
    std::fs::create_dir_all(&folder).unwrap();
    // Tests of one process share the file: a line is one write.
    let file = std::path::Path::new(&folder).join(format!("model-adapter-{}.jsonl", std::process::id()));
    let mut file = OpenOptions::new().create(true).append(true).open(file).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}
