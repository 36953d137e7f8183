//! A provider on loopback that answers as scripted and remembers what it was asked, and a clock that is moved by hand.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::let_underscore_must_use,
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "tests may fail loudly, and start their server as they like; not every file uses all of the support"
)]

mod record;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use pensive_contract::clock::{Clock, Timestamp};
use pensive_contract::fault::Fault;
use pensive_contract::model::{
    Manner, Model, ModelEvent, ModelRef, ModelRequest, Pace, Params, PromptTurn, ToolChoice,
};
use pensive_contract::secret::Secret;
use pensive_contract::speech::Speech;
use pensive_directives::Level;
use pensive_models::{Api, ModelRow, Models, ModelsSettings, ProviderSettings};
use serde_json::Value;
use tokio::sync::watch;

/// What the provider does with one request.
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub chunks: Vec<Vec<u8>>,
    pub then: Then,
}

/// What comes after the chunks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The end.
    End,
    /// Nothing, for ever.
    Silence,
    /// Signs of life that say nothing, for ever.
    Pings,
    /// Not even a beginning.
    NoAnswer,
}

impl Reply {
    /// Events with these data lines.
    pub fn events(data: &[&str]) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type", "text/event-stream".into())],
            chunks: data.iter().map(|data| format!("data: {data}\n\n").into_bytes()).collect(),
            then: Then::End,
        }
    }

    pub fn status(status: u16, body: &str) -> Self {
        Self { status, headers: Vec::new(), chunks: vec![body.into()], then: Then::End }
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub fn then(mut self, then: Then) -> Self {
        self.then = then;
        self
    }
}

/// A request as it came.
pub struct Asked {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
    /// The body as it came.
    pub raw: Bytes,
}

struct Script {
    replies: Mutex<VecDeque<Reply>>,
    asked: Mutex<Vec<Asked>>,
    gone: watch::Sender<usize>,
}

pub struct Provider {
    pub url: String,
    script: Arc<Script>,
    /// How many answers were dropped before their end.
    pub gone: watch::Receiver<usize>,
}

/// Counts up when an answer that never ends is dropped.
struct Guard(Arc<Script>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.gone.send_modify(|gone| *gone += 1);
    }
}

impl Provider {
    pub async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let (sender, gone) = watch::channel(0);
        let script = Arc::new(Script {
            replies: Mutex::new(replies.into_iter().collect()),
            asked: Mutex::default(),
            gone: sender,
        });
        let app = Router::new().fallback(answer).with_state(Arc::clone(&script));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { url, script, gone }
    }

    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.script.asked.lock().unwrap())
    }

    /// The models of this provider under that name.
    pub fn models(&self, name: &str, api: Api, clock: Arc<dyn Clock>) -> Models {
        let provider = ProviderSettings {
            name: name.to_owned(),
            api,
            base_url: format!("{}/v1/", self.url),
            api_key: Some(Secret::new("s3cret-key")),
            headers: vec![("X-Title".to_owned(), Secret::new("pensive"))],
            models: vec![ModelRow { id: "thinker".into(), reasoning: Some(true), ..ModelRow::default() }],
        };
        models(vec![provider], clock)
    }
}

pub fn models(providers: Vec<ProviderSettings>, clock: Arc<dyn Clock>) -> Models {
    Models::new(ModelsSettings { providers, ..ModelsSettings::default() }, clock).unwrap()
}

async fn answer(State(script): State<Arc<Script>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let raw = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let body = serde_json::from_slice(&raw).unwrap_or_default();
    let asked = Asked { path: head.uri.to_string(), headers: head.headers, body, raw };
    record::record(&asked);
    script.asked.lock().unwrap().push(asked);
    let reply =
        script.replies.lock().unwrap().pop_front().unwrap_or_else(|| Reply::status(500, "script is over"));
    let guard = Guard(Arc::clone(&script));
    if reply.then == Then::NoAnswer {
        std::future::pending::<()>().await;
    }
    let mut response = Response::builder().status(reply.status);
    for (name, value) in reply.headers {
        response = response.header(name, value);
    }
    let chunks = stream::iter(reply.chunks).map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk)));
    let body = match reply.then {
        Then::Pings => {
            let ping = |()| async {
                tokio::task::yield_now().await;
                Some((Ok::<_, Infallible>(Bytes::from_static(b": ping\n\n")), ()))
            };
            std::mem::forget(guard);
            Body::from_stream(chunks.chain(stream::unfold((), ping)))
        }
        Then::Silence => {
            let silence = stream::once(async move {
                let _guard = guard;
                std::future::pending().await
            });
            Body::from_stream(chunks.chain(silence))
        }
        Then::End | Then::NoAnswer => {
            std::mem::forget(guard);
            Body::from_stream(chunks)
        }
    };
    response.body(body).unwrap()
}

/// A clock that stands still until it is moved.
pub struct HandClock(watch::Sender<i64>);

impl HandClock {
    pub fn new() -> Arc<Self> {
        Arc::new(Self(watch::channel(1_000_000).0))
    }

    pub fn advance(&self, seconds: i64) {
        self.0.send_modify(|now| *now += seconds * 1000);
    }

    /// Ends when somebody waits on this clock.
    pub async fn waited_on(&self) {
        while self.0.receiver_count() == 0 {
            tokio::task::yield_now().await;
        }
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp(*self.0.borrow())
    }

    fn sleep_until(&self, moment: Timestamp) -> BoxFuture<'static, ()> {
        let mut now = self.0.subscribe();
        async move {
            if now.wait_for(|now| *now >= moment.0).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
        .boxed()
    }
}

pub fn request(model: &str, thinking: Level, pace: Pace) -> ModelRequest {
    ModelRequest {
        model: ModelRef::parse(model).unwrap(),
        system: String::new(),
        turns: vec![PromptTurn::User("Hi".into())],
        tools: Vec::new(),
        choice: ToolChoice::Auto,
        manner: Manner { thinking, pace, params: Params::default() },
        session: "session".into(),
    }
}

/// Every event of a call that goes well.
pub async fn events(models: &Models, request: ModelRequest) -> Vec<ModelEvent> {
    let stream = models.stream(request).await.unwrap();
    stream.map(Result::unwrap).collect().await
}

/// What a call came to.
#[derive(Debug, PartialEq, Eq)]
pub struct Heard {
    pub text: String,
    pub reasoning: String,
    pub fault: Option<Fault>,
}

impl Heard {
    pub fn whole(text: &str, reasoning: &str) -> Self {
        Self { text: text.to_owned(), reasoning: reasoning.to_owned(), fault: None }
    }
}

/// Makes a call and hears it to its end.
pub async fn hear(models: &Models, request: ModelRequest) -> Heard {
    let mut heard = Heard::whole("", "");
    let mut stream = match models.stream(request).await {
        Ok(stream) => stream,
        Err(fault) => return Heard { fault: Some(fault), ..heard },
    };
    let mut speech = Speech::new(None);
    let mut ended = false;
    while let Some(event) = stream.next().await {
        assert!(!ended, "nothing follows the end");
        match event {
            Ok(event) => {
                ended = matches!(event, ModelEvent::End(_));
                speech.hear(&event);
            }
            Err(fault) => {
                heard.fault = Some(fault);
                ended = true;
            }
        }
    }
    assert!(ended, "a stream has an end");
    Heard { text: speech.text(), reasoning: speech.reasoning(), ..heard }
}
