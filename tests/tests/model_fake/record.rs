//! Recordings: Pensive's requests and nobody else's, without keys.

use pensive_tests::model::Options;
use serde_json::{Value, json};

use crate::bench::{Bench, hello};

#[tokio::test]
async fn only_what_pensive_asks_is_written_down_and_no_key_is() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { record_dir: Some(folder.path().to_owned()), ..Options::default() };
    let bench = Bench::with(options).await;
    let body = json!({"model": "claude-opus-5", "max_tokens": 64, "messages": hello()});
    let ours =
        [("user-agent", "pensive/0.1.0"), ("anthropic-version", "2023-06-01"), ("x-api-key", "sk-secret")];
    bench.anthropic(json!({})).await.unwrap();
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    bench.post("/v1/messages", &ours, &body).await.unwrap();
    bench.post("/api/chat", &ours[..1], &json!({"model": "m", "messages": hello()})).await.unwrap();
    let files: Vec<_> = folder.path().read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    let name = files[0].file_name().unwrap().to_str().unwrap();
    assert!(
        name.starts_with(&format!("model-{}-", std::process::id())) && name.ends_with(".jsonl"),
        "{name}"
    );
    let text = std::fs::read_to_string(&files[0]).unwrap();
    assert!(!text.contains("sk-secret"));
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let first = &lines[0];
    assert_eq!(
        (&first["shape"], &first["path"], &first["body"]),
        (&json!("anthropic"), &json!("/v1/messages"), &body)
    );
    assert_eq!(
        (&first["headers"]["x-api-key"], &first["headers"]["anthropic-version"]),
        (&json!("***"), &json!("2023-06-01"))
    );
    assert_eq!((&lines[1]["shape"], lines.len()), (&json!("ollama"), 2));
}
