//! A Bot API server whose every answer is given by the test, a clock moved by hand, and stores that remember.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test support fails the test"
)]

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Once};
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use pensive_contract::clock::{Clock, Timestamp};
use pensive_contract::ids::Account;
use pensive_contract::inbound::{ChatKind, Inbound, Place, Topic, TopicKind};
use pensive_contract::intake::{Asked, Intake, Kept, Suggestion};
use pensive_contract::secret::Secret;
use pensive_contract::store::{Cursor, Notes, StoreFault};
use pensive_telegram::{RichMessages, Telegram, TelegramSettings, connect};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

pub(crate) const SECRET: &str = "AAsecret-Half_of0the1token";
pub(crate) const TOKEN: &str = "42:AAsecret-Half_of0the1token";

/// What the server does with a request.
pub(crate) enum Reply {
    Json(u16, String),
    Html(u16),
    /// Closes without a word.
    Reset,
    /// Says nothing more and keeps the connection.
    Silence,
}

pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) body: Value,
    reply: oneshot::Sender<Reply>,
}

impl Request {
    pub(crate) fn method(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }

    pub(crate) fn ok(self, result: Value) {
        self.json(200, serde_json::json!({"ok": true, "result": result}).to_string());
    }

    pub(crate) fn no(self, code: u16, description: &str, parameters: Value) {
        let body = serde_json::json!({"ok": false, "error_code": code, "description": description, "parameters": parameters});
        self.json(code, body.to_string());
    }

    pub(crate) fn json(self, status: u16, body: String) {
        self.with(Reply::Json(status, body));
    }

    pub(crate) fn with(self, reply: Reply) {
        let _gone = self.reply.send(reply);
    }

    /// Waits until the other side has given the call up.
    pub(crate) async fn given_up(mut self) {
        self.reply.closed().await;
    }
}

pub(crate) struct Server {
    pub(crate) root: String,
    requests: mpsc::Receiver<Request>,
    early: VecDeque<Request>,
    _tasks: JoinSet<()>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let root = format!("http://{}", listener.local_addr().unwrap());
        let (sender, requests) = mpsc::channel(16);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(serve(stream, sender.clone()));
            }
        });
        Self { root, requests, early: VecDeque::new(), _tasks: tasks }
    }

    /// The next request for `method`; others wait for their turn.
    pub(crate) async fn asked(&mut self, method: &str) -> Request {
        if let Some(at) = self.early.iter().position(|request| request.method() == method) {
            return self.early.remove(at).unwrap();
        }
        loop {
            let request = self.requests.recv().await.unwrap();
            if request.method() == method {
                return request;
            }
            self.early.push_back(request);
        }
    }

    /// Forgets what was asked and not answered.
    pub(crate) fn forget(&mut self) {
        self.early.clear();
        while self.requests.try_recv().is_ok() {}
    }

    /// Answers what is asked beside polling.
    pub(crate) async fn introduce(&mut self) {
        self.asked("GetMe")
            .await
            .ok(serde_json::json!({"id": 42, "is_bot": true, "first_name": "P", "username": "PensiveBot"}));
        for _ in 0..2 {
            self.asked("SetMyCommands").await.ok(Value::Bool(true));
        }
    }
}

async fn serve(stream: TcpStream, requests: mpsc::Sender<Request>) {
    let mut stream = BufReader::new(stream);
    while let Some((path, body)) = read(&mut stream).await {
        let (reply, answer) = oneshot::channel();
        if requests.send(Request { path, body, reply }).await.is_err() {
            return;
        }
        // Whoever has asked may hang up while the test thinks.
        let mut hung_up = [0];
        let answer = tokio::select! {
            answer = answer => answer,
            _ = stream.read(&mut hung_up) => return,
        };
        let (status, kind, body) = match answer {
            Ok(Reply::Json(status, body)) => (status, "application/json", body),
            Ok(Reply::Html(status)) => {
                (status, "text/html", "<html><body>502 Bad Gateway</body></html>".to_owned())
            }
            Ok(Reply::Silence) => return std::future::pending().await,
            Ok(Reply::Reset) | Err(_) => return,
        };
        let head =
            format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", body.len());
        if stream.write_all(format!("{head}{body}").as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<(String, Value)> {
    let mut first = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if first.is_empty() {
            first = line;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some((first.split(' ').nth(1)?.to_owned(), serde_json::from_slice(&body).ok()?))
}

/// A clock that only the test moves.
pub(crate) struct HandClock {
    now: watch::Sender<i64>,
    sleepers: watch::Sender<BTreeMap<u64, i64>>,
}

impl HandClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { now: watch::Sender::new(1_000_000), sleepers: watch::Sender::new(BTreeMap::new()) })
    }

    pub(crate) fn pass(&self, span: Duration) {
        self.now.send_modify(|now| *now += i64::try_from(span.as_millis()).unwrap());
    }

    /// Waits until somebody sleeps for more than `over` and at most `most`, and lets that time pass.
    pub(crate) async fn wake(&self, over: Duration, most: Duration) -> Duration {
        let mut sleepers = self.sleepers.subscribe();
        let fits = |sleepers: &BTreeMap<u64, i64>| {
            let now = *self.now.borrow();
            let spans =
                sleepers.values().map(|until| Duration::from_millis(u64::try_from(until - now).unwrap_or(0)));
            spans.filter(|span| *span > over && *span <= most).min()
        };
        let found = sleepers.wait_for(|sleepers| fits(sleepers).is_some()).await.unwrap().clone();
        let span = fits(&found).unwrap();
        self.pass(span);
        span
    }

    /// Waits for a pause between attempts, which is shorter than the limit of any call, and lets it pass.
    pub(crate) async fn nap(&self) -> Duration {
        self.wake(Duration::ZERO, Duration::from_millis(29_999)).await
    }
}

struct Sleep {
    id: u64,
    sleepers: watch::Sender<BTreeMap<u64, i64>>,
    bell: BoxFuture<'static, ()>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.bell.as_mut().poll(cx)
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.sleepers.send_modify(|sleepers| {
            sleepers.remove(&self.id);
        });
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp(*self.now.borrow())
    }

    fn sleep_until(&self, moment: Timestamp) -> BoxFuture<'static, ()> {
        let mut now = self.now.subscribe();
        let bell = Box::pin(async move {
            let _closed = now.wait_for(|now| *now >= moment.0).await;
        });
        let mut id = 0;
        self.sleepers.send_modify(|sleepers| {
            id = sleepers.keys().next_back().map_or(0, |last| last + 1);
            sleepers.insert(id, moment.0);
        });
        Box::pin(Sleep { id, sleepers: self.sleepers.clone(), bell })
    }
}

/// Notes in memory.
#[derive(Default)]
pub(crate) struct Memory(watch::Sender<HashMap<String, Vec<u8>>>);

impl Memory {
    /// Waits until a note whose name ends so is kept.
    pub(crate) async fn kept(&self, end: &str) {
        let mut notes = self.0.subscribe();
        notes.wait_for(|notes| notes.keys().any(|name| name.ends_with(end))).await.unwrap();
    }
}

#[async_trait]
impl Notes for Memory {
    async fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        Ok(self.0.borrow().get(name).cloned())
    }

    async fn keep(&self, name: &str, value: Vec<u8>) -> Result<(), StoreFault> {
        self.0.send_modify(|notes| drop(notes.insert(name.to_owned(), value)));
        Ok(())
    }
}

/// A batch that waits for the test's word before it counts as kept.
pub(crate) struct Taken {
    pub(crate) batch: Vec<Inbound>,
    pub(crate) cursor: Option<Cursor>,
    answer: oneshot::Sender<Result<(), StoreFault>>,
}

impl Taken {
    pub(crate) fn kept(self) {
        self.answer.send(Ok(())).unwrap();
    }

    pub(crate) fn failed(self) {
        self.answer.send(Err(StoreFault::Disk("full".to_owned()))).unwrap();
    }

    pub(crate) fn texts(&self) -> Vec<&str> {
        self.batch.iter().filter_map(|inbound| inbound.typed()).map(|typed| typed.text.as_str()).collect()
    }
}

pub(crate) struct Desk {
    stored: Option<Cursor>,
    batches: mpsc::Sender<Taken>,
}

impl Desk {
    pub(crate) fn new(stored: Option<Cursor>) -> (Arc<Self>, mpsc::Receiver<Taken>) {
        let (batches, taken) = mpsc::channel(16);
        (Arc::new(Self { stored, batches }), taken)
    }
}

#[async_trait]
impl Intake for Desk {
    async fn take(&self, batch: Vec<Inbound>, cursor: Option<Cursor>) -> Result<Kept, StoreFault> {
        let (answer, kept) = oneshot::channel();
        self.batches.send(Taken { batch, cursor, answer }).await.unwrap();
        kept.await.unwrap().map(|()| Kept::default())
    }

    async fn cursor(&self, _account: &Account) -> Result<Option<Cursor>, StoreFault> {
        Ok(self.stored.clone())
    }

    fn admits(&self, _: &Inbound) -> bool {
        true
    }

    async fn suggest(&self, _: &Asked) -> Vec<Suggestion> {
        Vec::new()
    }
}

pub(crate) fn account() -> Account {
    Account { channel: "telegram".into(), id: "main".into() }
}

pub(crate) fn settings(root: &str, token: &str) -> TelegramSettings {
    static TLS: Once = Once::new();
    TLS.call_once(|| {
        let _installed = rustls::crypto::ring::default_provider().install_default();
    });
    TelegramSettings {
        account: account(),
        token: Secret::new(token),
        token_from: "the variable TELEGRAM_BOT_TOKEN".to_owned(),
        api_root: root.to_owned(),
        mention_patterns: Vec::new(),
        rich_messages: RichMessages::Auto,
    }
}

pub(crate) fn telegram(root: &str, clock: Arc<HandClock>, notes: Arc<Memory>) -> Telegram {
    connect(settings(root, TOKEN), clock, notes).unwrap()
}

pub(crate) fn place(chat: &str, kind: ChatKind, topic: Option<&str>) -> Place {
    let topic = topic.map(|id| Topic { id: id.into(), kind: TopicKind::Topic });
    Place { account: account(), chat: chat.into(), kind, topic, space: None }
}
