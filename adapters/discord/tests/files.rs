//! Files that are fetched, against a server whose every answer the test gives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::Arc;

use pensive_contract::inbound::{Attachment, AttachmentKind};
use pensive_contract::media::{Attachments, FetchFault};
use serde_json::json;
use support::{HandClock, Reply, Request, Server, TOKEN, outward, settings};

const PATH: &str = "/attachments/1/2/a.txt?ex=1&is=0&hm=ab";
const FRESH: &str = "/attachments/1/2/a.txt?ex=9&is=8&hm=cd";
const REFRESH: &str = "POST /attachments/refresh-urls";

fn sent(handle: String, size: Option<u64>) -> Attachment {
    Attachment { kind: AttachmentKind::Document, name: None, handle, size }
}

fn files(root: &str) -> Arc<dyn Attachments> {
    outward(settings(root), HandClock::new()).attachments.unwrap()
}

fn bytes(words: &str) -> Reply {
    Reply::Answer(200, Vec::new(), words.as_bytes().to_vec())
}

async fn fetched(answer: impl FnOnce(Request)) -> Result<Vec<u8>, FetchFault> {
    let mut server = Server::start().await;
    let (files, wanted) = (files(&server.root), sent(format!("{}{PATH}", server.root), None));
    let answering = async { answer(server.asked(&format!("GET {PATH}")).await) };
    tokio::join!(files.fetch(&wanted, 5), answering).0
}

#[tokio::test]
async fn a_file_is_fetched_without_the_token() {
    let outcome = fetched(|request| {
        assert_eq!(request.header("authorization"), None);
        request.with(bytes("words"));
    });
    assert_eq!(outcome.await, Ok(b"words".to_vec()));
}

#[tokio::test]
async fn more_than_is_wanted_is_not_read() {
    assert_eq!(fetched(|request| request.with(bytes("words!"))).await, Err(FetchFault::TooLarge));
    let files = files("http://127.0.0.1:9");
    let told = sent("http://127.0.0.1:9/x".to_owned(), Some(6));
    assert_eq!(files.fetch(&told, 5).await, Err(FetchFault::TooLarge));
}

#[tokio::test]
async fn trouble_passes() {
    for status in [429, 500, 503] {
        let outcome = fetched(|request| request.page(status)).await;
        assert!(matches!(outcome, Err(FetchFault::Trouble(_))), "{outcome:?}");
    }
    let outcome = fetched(|request| request.with(Reply::Reset)).await;
    assert!(matches!(outcome, Err(FetchFault::Trouble(_))), "{outcome:?}");
    let outcome = fetched(|request| request.page(410)).await;
    assert!(matches!(outcome, Err(FetchFault::Gone(_))), "{outcome:?}");
}

#[tokio::test]
async fn an_address_that_has_run_out_is_exchanged_once() {
    let mut server = Server::start().await;
    let stale = format!("{}{PATH}", server.root);
    let (files, wanted, root) = (files(&server.root), sent(stale.clone(), None), server.root.clone());
    let answering = async {
        server.asked(&format!("GET {PATH}")).await.page(404);
        let request = server.asked(REFRESH).await;
        assert_eq!(request.json(), json!({"attachment_urls": [stale]}));
        assert_eq!(request.header("authorization"), Some(format!("Bot {TOKEN}").as_str()));
        let fresh = format!("{root}{FRESH}");
        request.ok(&json!({"refreshed_urls": [{"original": stale, "refreshed": fresh}]}));
        server.asked(&format!("GET {FRESH}")).await.with(bytes("words"));
    };
    let (outcome, ()) = tokio::join!(files.fetch(&wanted, 5), answering);
    assert_eq!(outcome, Ok(b"words".to_vec()));

    let answering = async {
        server.asked(&format!("GET {PATH}")).await.page(404);
        let fresh = format!("{root}{FRESH}");
        let body = json!({"refreshed_urls": [{"original": stale, "refreshed": fresh}]});
        server.asked(REFRESH).await.ok(&body);
        server.asked(&format!("GET {FRESH}")).await.page(404);
    };
    let (outcome, ()) = tokio::join!(files.fetch(&wanted, 5), answering);
    assert!(matches!(outcome, Err(FetchFault::Gone(_))), "{outcome:?}");
}

#[tokio::test]
async fn no_address_leads_elsewhere() {
    let mut server = Server::start().await;
    let files = files(&server.root);
    let elsewhere = sent("https://example.com/a".to_owned(), None);
    assert!(matches!(files.fetch(&elsewhere, 5).await, Err(FetchFault::Gone(_))));
    let stale = sent(format!("{}{PATH}", server.root), None);
    let answering = async {
        server.asked(&format!("GET {PATH}")).await.page(403);
        let body = json!({"refreshed_urls": [{"original": "", "refreshed": "http://169.254.169.254/"}]});
        server.asked(REFRESH).await.ok(&body);
    };
    let (outcome, ()) = tokio::join!(files.fetch(&stale, 5), answering);
    assert!(matches!(outcome, Err(FetchFault::Gone(_))), "{outcome:?}");
}
