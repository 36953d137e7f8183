//! Files that are fetched, against a server whose every answer the test gives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;

use pensive_contract::inbound::{Attachment, AttachmentKind};
use pensive_contract::media::{Attachments, FetchFault};
use serde_json::json;
use support::{HandClock, SECRET, Server, telegram};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn sent(size: Option<u64>) -> Attachment {
    Attachment { kind: AttachmentKind::Document, name: None, handle: "H1".to_owned(), size }
}

fn files(root: &str) -> Arc<dyn Attachments> {
    telegram(root, HandClock::new(), Arc::default()).outward.attachments.unwrap()
}

/// A server that says where a file lies, then gives out `answer` and tells the lines that asked for it.
async fn fetched(answer: &'static [u8], most: usize) -> (Result<Vec<u8>, FetchFault>, Vec<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let root = format!("http://{}", listener.local_addr().unwrap());
    let located = br#"{"ok":true,"result":{"file_id":"H1","file_path":"documents/a b.txt"}}"#;
    let serving = async {
        let mut lines = Vec::new();
        for body in [located.as_slice(), answer] {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4096];
            let read = stream.read(&mut request).await.unwrap();
            let request = String::from_utf8_lossy(request.get(..read).unwrap()).into_owned();
            lines.push(request.lines().next().unwrap_or_default().to_owned());
            stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await.unwrap();
            // Whoever has enough may hang up.
            let _sent = stream.write_all(body).await;
        }
        lines
    };
    let (files, wanted) = (files(&root), sent(None));
    tokio::join!(files.fetch(&wanted, most), serving)
}

#[tokio::test]
async fn a_file_is_located_and_fetched_by_the_bots_own_address() {
    let (bytes, lines) = fetched(b"words", 5).await;
    assert_eq!(bytes, Ok(b"words".to_vec()));
    let expected = format!("GET /file/bot42:{SECRET}/documents/a%20b.txt HTTP/1.1");
    assert_eq!(lines.last(), Some(&expected));
}

#[tokio::test]
async fn more_than_is_wanted_is_not_read_though_the_server_told_no_size() {
    assert_eq!(fetched(b"words!", 5).await.0, Err(FetchFault::TooLarge));
}

#[tokio::test]
async fn what_says_that_it_is_larger_is_not_even_asked_for() {
    let files = files("http://127.0.0.1:9");
    assert_eq!(files.fetch(&sent(Some(11)), 10).await, Err(FetchFault::TooLarge));
}

#[tokio::test]
async fn a_path_that_leads_elsewhere_and_a_no_end_it_without_the_token() {
    let mut server = Server::start().await;
    let (files, wanted) = (files(&server.root), sent(None));
    let (outcome, ()) = tokio::join!(files.fetch(&wanted, 10), async {
        server.asked("GetFile").await.ok(json!({"file_id": "H1", "file_path": "/etc/passwd"}));
    });
    assert!(matches!(&outcome, Err(FetchFault::Gone(_))), "{outcome:?}");
    let (outcome, ()) = tokio::join!(files.fetch(&wanted, 10), async {
        let words = format!("Bad Request: wrong file of {SECRET}");
        server.asked("GetFile").await.no(400, &words, json!({}));
    });
    match outcome {
        Err(FetchFault::Gone(words)) => assert!(!words.contains(SECRET), "{words}"),
        other => panic!("{other:?}"),
    }
    drop(server);
    match files.fetch(&wanted, 10).await {
        Err(FetchFault::Trouble(words)) => assert!(!words.contains(SECRET), "{words}"),
        other => panic!("{other:?}"),
    }
}
