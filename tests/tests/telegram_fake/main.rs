//! The Telegram fake as a plain HTTP client meets it: polling, what is refused and in which words, what is remarked on, what a person
//! sees, and the faults that it plays.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly, and the fakes live in real time"
)]

mod answers;
mod drafts;
mod faults;
mod flood;
mod media;
mod rich;

use pensive_tests::telegram::{Options, TelegramFake};
use reqwest::Client;
use serde_json::{Value, json};

/// A fake and a plain client of it.
struct Bench {
    /// The server.
    telegram: TelegramFake,
    /// What speaks to it.
    http: Client,
}

impl Bench {
    async fn new() -> Self {
        // Every test of this process comes by here; the first one installs it.
        rustls::crypto::ring::default_provider().install_default().ok();
        // What is sent here is wrong on purpose and belongs in no recording of the suite.
        let options = Options { record_dir: None, ..Options::default() };
        Self { telegram: TelegramFake::start_with(options).await.unwrap(), http: Client::new() }
    }

    fn url(&self, method: &str) -> String {
        format!("{}/bot{}/{method}", self.telegram.url(), self.telegram.token())
    }

    async fn send(&self, method: &str, body: Value) -> reqwest::Result<(u16, Value)> {
        let response = self.http.post(self.url(method)).json(&body).send().await?;
        let status = response.status().as_u16();
        Ok((status, response.json().await?))
    }

    async fn call(&self, method: &str, body: Value) -> Value {
        let (status, answer) = self.send(method, body).await.unwrap();
        assert_eq!(status, 200, "{answer}");
        answer["result"].clone()
    }

    async fn refused(&self, method: &str, body: Value) -> String {
        let (status, answer) = self.send(method, body).await.unwrap();
        assert_eq!(
            (answer["ok"].clone(), answer["error_code"].clone()),
            (json!(false), json!(status)),
            "{answer}"
        );
        answer["description"].as_str().unwrap().to_owned()
    }

    async fn texts(&self, offset: i64) -> Vec<String> {
        let updates = self.call("getUpdates", json!({"offset": offset})).await;
        let text = |update: &Value| update["message"]["text"].as_str().unwrap_or_default().to_owned();
        updates.as_array().unwrap().iter().map(text).collect()
    }
}
