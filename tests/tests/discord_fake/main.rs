//! The Discord fake as plain clients meet it: its gateway and what goes wrong there, what REST does and refuses, interactions with their
//! clocks, what people see, and the faults that it plays.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly, and the fakes live in real time"
)]

mod application;
mod ears;
mod entrance;
mod faults;
mod forms;
mod interactions;
mod limits;
mod messages;
mod orders;
mod trouble;

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use ears::Ears;
use pensive_tests::discord::{DiscordFake, Options};
use reqwest::{Client, Method, header::HeaderMap, multipart::Form};
use serde_json::{Value, json};

/// What Discord wants to be told by whoever calls.
const AGENT: &str = "DiscordBot (https://example.org/, 1)";

/// A fake and a plain client of it.
struct Bench {
    discord: DiscordFake,
    http: Client,
}

/// What a call was answered with.
#[derive(Debug)]
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Value,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Discord's own number for a refusal.
    fn code(&self) -> u64 {
        self.body["code"].as_u64().unwrap_or_default()
    }
}

impl Bench {
    async fn new() -> Self {
        // Every test of this process comes by here; the first one installs it.
        rustls::crypto::ring::default_provider().install_default().ok();
        // What is sent here is wrong on purpose and belongs in no recording of the suite.
        let options = Options { record_dir: None, ..Options::default() };
        let http = Client::builder().user_agent(AGENT).build().unwrap();
        Self { discord: DiscordFake::start_with(options).await.unwrap(), http }
    }

    /// Without limits, for tests of something else.
    async fn unlimited() -> Self {
        let bench = Self::new().await;
        bench.discord.unlimited();
        bench
    }

    /// The fake reads the time from what is given back, in milliseconds since 1970.
    fn follow(&self) -> Arc<AtomicI64> {
        let clock = Arc::new(AtomicI64::new(1_800_000_000_000));
        let read = Arc::clone(&clock);
        self.discord.follow(move || read.load(Ordering::SeqCst));
        clock
    }

    fn request(&self, what: &str) -> reqwest::RequestBuilder {
        let (method, path) = what.split_once(' ').unwrap();
        let method: Method = method.parse().unwrap();
        let url = format!("{}/api/v10{path}", self.discord.url());
        self.http.request(method, url).header("authorization", format!("Bot {}", self.discord.token()))
    }

    async fn answer(request: reqwest::RequestBuilder) -> reqwest::Result<Answer> {
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await?;
        Ok(Answer { status, headers, body: serde_json::from_slice(&bytes).unwrap_or_default() })
    }

    /// Calls, with `POST /channels/1/messages` and the like.
    async fn call(&self, what: &str, body: Value) -> Answer {
        let request = self.request(what);
        let request = if body.is_null() { request } else { request.json(&body) };
        Self::answer(request).await.unwrap()
    }

    /// The same with files.
    async fn upload(&self, what: &str, body: Value, files: &[(&str, &'static [u8])]) -> Answer {
        let mut form = Form::new().text("payload_json", body.to_string());
        for (place, (name, bytes)) in files.iter().enumerate() {
            let part = reqwest::multipart::Part::bytes(*bytes).file_name((*name).to_owned());
            form = form.part(format!("files[{place}]"), part.mime_str("text/plain").unwrap());
        }
        Self::answer(self.request(what).multipart(form)).await.unwrap()
    }

    /// Calls and is not refused; gives the body.
    async fn done(&self, what: &str, body: Value) -> Value {
        let answer = self.call(what, body).await;
        assert!((200..300).contains(&answer.status), "{what}: {answer:?}");
        answer.body
    }

    /// Calls and is refused; gives status and code.
    async fn refused(&self, what: &str, body: Value) -> (u16, u64) {
        let answer = self.call(what, body).await;
        assert!(answer.status >= 400, "{what}: {answer:?}");
        (answer.status, answer.code())
    }

    /// Sends a text and gives the message's id.
    async fn say(&self, channel: u64, text: &str) -> u64 {
        let sent = self.done(&format!("POST /channels/{channel}/messages"), json!({"content": text})).await;
        id(&sent["id"])
    }

    /// A session of the first bot with these intents, greeted.
    async fn listen(&self, intents: u64) -> Ears {
        let mut ears = Ears::open(&self.discord).await;
        ears.identify(self.discord.token(), intents).await;
        ears.event("READY").await;
        ears
    }

    /// What was found wrong so far.
    fn blamed(&self) -> Vec<String> {
        self.discord.violations().into_iter().map(|violation| violation.what).collect()
    }
}

fn id(value: &Value) -> u64 {
    value.as_str().unwrap().parse().unwrap()
}
