//! A fake and a client that knows how each API is asked.

use pensive_tests::model::{ModelFake, Options};
use reqwest::{Client, Response};
use serde_json::{Value, json};

pub(crate) struct Bench {
    pub(crate) model: ModelFake,
    http: Client,
}

impl Bench {
    pub(crate) async fn new() -> Self {
        Self::with(Options::default()).await
    }

    pub(crate) async fn with(options: Options) -> Self {
        // Every test of this process comes by here; the first one installs it.
        rustls::crypto::ring::default_provider().install_default().ok();
        Self { model: ModelFake::start_with(options).await.unwrap(), http: Client::new() }
    }

    pub(crate) async fn get(&self, path: &str, header: (&str, &str)) -> Value {
        let request = self.http.get(format!("{}{path}", self.model.url())).header(header.0, header.1);
        request.send().await.unwrap().json().await.unwrap()
    }

    /// Any path from the root, with any headers.
    pub(crate) async fn post(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> reqwest::Result<Response> {
        let request = self.http.post(format!("{}{path}", self.model.url())).json(body);
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).send().await
    }

    pub(crate) async fn ask(&self, path: &str, body: Value) -> reqwest::Result<Response> {
        self.post(&format!("/v1/{path}"), &[], &body).await
    }

    pub(crate) async fn chat(&self, extra: Value) -> reqwest::Result<Response> {
        self.ask("chat/completions", with_model(json!({"messages": hello()}), extra)).await
    }

    pub(crate) async fn responses(&self, extra: Value) -> reqwest::Result<Response> {
        self.ask("responses", with_model(json!({"input": "hello you"}), extra)).await
    }

    pub(crate) async fn anthropic(&self, extra: Value) -> reqwest::Result<Response> {
        let base = json!({"model": "claude-sonnet-4-5", "max_tokens": 4096, "messages": hello()});
        self.post("/v1/messages", &[("anthropic-version", "2023-06-01")], &joined(base, extra)).await
    }

    pub(crate) async fn gemini(&self, verb: &str, extra: Value) -> reqwest::Result<Response> {
        let base = json!({"contents": [{"role": "user", "parts": [{"text": "hello you"}]}]});
        self.post(&format!("/v1beta/models/{verb}"), &[("x-goog-api-key", "k")], &joined(base, extra)).await
    }

    pub(crate) async fn ollama(&self, extra: Value) -> reqwest::Result<Response> {
        self.post("/api/chat", &[], &joined(json!({"model": "gpt-oss", "messages": hello()}), extra)).await
    }
}

pub(crate) fn hello() -> Value {
    json!([{"role": "user", "content": "hello you"}])
}

fn with_model(base: Value, extra: Value) -> Value {
    joined(joined(base, json!({"model": "gpt-5.2"})), extra)
}

/// The fields of both; those of the second win.
pub(crate) fn joined(mut base: Value, extra: Value) -> Value {
    base.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    base
}

/// The `data:` lines of a stream.
pub(crate) async fn events(response: Response) -> Vec<Value> {
    let text = response.text().await.unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| data.into())).collect()
}

/// The lines of a stream of lines.
pub(crate) async fn lines(response: Response) -> Vec<Value> {
    let text = response.text().await.unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

/// What a 400 says, in whichever shape.
pub(crate) async fn refusal(response: reqwest::Result<Response>) -> String {
    let response = response.unwrap();
    let status = response.status().as_u16();
    let body: Value = response.json().await.unwrap();
    let message = body["error"]["message"].as_str().or(body["error"].as_str());
    format!("{status} {}", message.unwrap_or_default())
}
