//! A server with Discord's API whose every answer is given by the test.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "test support fails the test")]

use std::collections::VecDeque;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

/// What the server does with a request.
pub(crate) enum Reply {
    /// Status, headers, body.
    Answer(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// Breaks off inside the body.
    Half,
    /// Closes without a word.
    Reset,
}

pub(crate) struct Request {
    /// `POST /channels/1/messages`, without `/api/v10`.
    pub(crate) line: String,
    pub(crate) bytes: Vec<u8>,
    headers: Vec<(String, String)>,
    reply: oneshot::Sender<Reply>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap()
    }

    pub(crate) fn ok(self, result: &Value) {
        self.told(200, &[], result);
    }

    /// As Discord answers where there is nothing to say.
    pub(crate) fn nothing(self) {
        self.with(Reply::Answer(204, Vec::new(), Vec::new()));
    }

    pub(crate) fn no(self, status: u16, code: u64, message: &str) {
        self.told(status, &[], &json!({"code": code, "message": message}));
    }

    /// As something answers that stands before Discord.
    pub(crate) fn page(self, status: u16) {
        let headers = vec![("content-type", "text/html".to_owned())];
        self.with(Reply::Answer(status, headers, b"<html><body>Bad Gateway</body></html>".to_vec()));
    }

    pub(crate) fn told(self, status: u16, headers: &[(&'static str, &str)], body: &Value) {
        let mut headers: Vec<_> = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        headers.push(("content-type", "application/json".to_owned()));
        self.with(Reply::Answer(status, headers, body.to_string().into_bytes()));
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

    /// The next request whose line begins so; others wait for their turn.
    pub(crate) async fn asked(&mut self, line: &str) -> Request {
        if let Some(at) = self.early.iter().position(|request| request.line.starts_with(line)) {
            return self.early.remove(at).unwrap();
        }
        loop {
            let request = self.requests.recv().await.unwrap();
            if request.line.starts_with(line) {
                return request;
            }
            self.early.push_back(request);
        }
    }

    /// What was asked and not answered, by its lines.
    pub(crate) fn unanswered(&mut self) -> Vec<&str> {
        self.early.extend(std::iter::from_fn(|| self.requests.try_recv().ok()));
        self.early.iter().map(|request| request.line.as_str()).collect()
    }
}

async fn serve(stream: TcpStream, requests: mpsc::Sender<Request>) {
    let mut stream = BufReader::new(stream);
    while let Some((line, headers, bytes)) = read(&mut stream).await {
        let (reply, answer) = oneshot::channel();
        if requests.send(Request { line, bytes, headers, reply }).await.is_err() {
            return;
        }
        // Whoever has asked may hang up while the test thinks.
        let mut hung_up = [0];
        let answer = tokio::select! {
            answer = answer => answer,
            _ = stream.read(&mut hung_up) => return,
        };
        let (status, headers, body, told) = match answer {
            Ok(Reply::Answer(status, headers, body)) => (status, headers, body.clone(), body.len()),
            Ok(Reply::Half) => (200, Vec::new(), b"{\"id\": ".to_vec(), 100),
            Ok(Reply::Reset) | Err(_) => return,
        };
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = if status == 204 { String::new() } else { format!("content-length: {told}\r\n") };
        let head = format!("HTTP/1.1 {status} X\r\n{headers}{length}\r\n");
        if stream.write_all(&[head.as_bytes(), &body].concat()).await.is_err() || told > body.len() {
            return;
        }
    }
}

type Read = (String, Vec<(String, String)>, Vec<u8>);

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Read> {
    let mut first = String::new();
    stream.read_line(&mut first).await.ok()?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?, words.next()?);
    let line = format!("{method} {}", path.strip_prefix("/api/v10").unwrap_or(path));
    let mut headers: Vec<(String, String)> = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok().filter(|read| *read > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut bytes = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap())];
    stream.read_exact(&mut bytes).await.ok()?;
    Some((line, headers, bytes))
}
