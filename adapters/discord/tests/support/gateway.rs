//! A gateway whose every frame is given by the test.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test support fails the test"
)]

use std::collections::VecDeque;

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Bytes, Message};

/// How often the scripted gateway wants a heartbeat.
pub(crate) const EVERY_MS: u64 = 40_000;

pub(crate) struct Gateway {
    pub(crate) url: String,
    lines: mpsc::Receiver<Line>,
    _tasks: JoinSet<()>,
}

/// One connection.
pub(crate) struct Line {
    /// With the query.
    pub(crate) path: String,
    pub(crate) user_agent: String,
    socket: WebSocketStream<TcpStream>,
    /// Heard while something else was waited for.
    early: VecDeque<Value>,
}

impl Gateway {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}", listener.local_addr().unwrap());
        let (sender, lines) = mpsc::channel(16);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                if let Some(line) = accept(stream).await {
                    let _gone = sender.send(line).await;
                }
            }
        });
        Self { url, lines, _tasks: tasks }
    }

    /// The next connection.
    pub(crate) async fn connected(&mut self) -> Line {
        self.lines.recv().await.unwrap()
    }

    /// The next connection, greeted, with a session started on it: its identification.
    pub(crate) async fn identified(&mut self) -> (Line, Value) {
        let mut line = self.connected().await;
        line.hello().await;
        let identify = line.hears(2).await;
        (line, identify)
    }

    /// The next connection, greeted, with what it asks to be resumed.
    pub(crate) async fn resuming(&mut self) -> (Line, Value) {
        let mut line = self.connected().await;
        line.hello().await;
        let resume = line.hears(6).await;
        (line, resume)
    }
}

#[allow(clippy::result_large_err, reason = "the handshake's callback is typed so")]
async fn accept(stream: TcpStream) -> Option<Line> {
    let (mut path, mut user_agent) = (String::new(), String::new());
    let look = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
        path = request.uri().to_string();
        let header = request.headers().get("user-agent").and_then(|value| value.to_str().ok());
        user_agent = header.unwrap_or_default().to_owned();
        Ok(response)
    };
    let socket = tokio_tungstenite::accept_hdr_async(stream, look).await.ok()?;
    Some(Line { path, user_agent, socket, early: VecDeque::new() })
}

impl Line {
    pub(crate) async fn say(&mut self, frame: &Value) {
        self.raw(Message::text(frame.to_string())).await;
    }

    pub(crate) async fn raw(&mut self, message: Message) {
        self.socket.send(message).await.unwrap();
    }

    pub(crate) async fn hello(&mut self) {
        self.say(&json!({"op": 10, "d": {"heartbeat_interval": EVERY_MS}})).await;
    }

    pub(crate) async fn ack(&mut self) {
        self.say(&json!({"op": 11})).await;
    }

    pub(crate) async fn event(&mut self, seq: u64, kind: &str, data: &Value) {
        self.say(&json!({"op": 0, "s": seq, "t": kind, "d": data})).await;
    }

    /// A session begins, to be resumed at `url`.
    pub(crate) async fn ready(&mut self, session: &str, url: &str) {
        let data = json!({"v": 10, "session_id": session, "resume_gateway_url": url, "guilds": [],
            "user": {"id": "42", "username": "Pensive", "bot": true}, "application": {"id": "42", "flags": 0}});
        self.event(1, "READY", &data).await;
    }

    /// Somebody wrote in a direct channel.
    pub(crate) async fn said(&mut self, seq: u64, message: u64, text: &str) {
        self.event(seq, "MESSAGE_CREATE", &said(message, text)).await;
    }

    /// The data of the next frame of this kind; others wait for their turn.
    pub(crate) async fn hears(&mut self, op: u64) -> Value {
        if let Some(at) = self.early.iter().position(|frame| frame["op"] == op) {
            return self.early.remove(at).unwrap()["d"].take();
        }
        loop {
            match self.socket.next().await.unwrap().unwrap() {
                Message::Text(text) => {
                    let mut frame: Value = serde_json::from_str(&text).unwrap();
                    if frame["op"] == op {
                        return frame["d"].take();
                    }
                    self.early.push_back(frame);
                }
                Message::Pong(_) => {}
                other => panic!("{other:?} in place of a frame"),
            }
        }
    }

    /// A heartbeat, answered.
    pub(crate) async fn beats(&mut self) -> Value {
        let seq = self.hears(1).await;
        self.ack().await;
        seq
    }

    /// Waits for the other side's close; its code.
    pub(crate) async fn closed(mut self) -> Option<u16> {
        while let Some(Ok(message)) = self.socket.next().await {
            if let Message::Close(frame) = message {
                return frame.map(|frame| frame.code.into());
            }
        }
        None
    }

    pub(crate) async fn close(mut self, code: u16) {
        let frame = CloseFrame { code: code.into(), reason: "".into() };
        self.socket.close(Some(frame)).await.unwrap();
        while let Some(Ok(_)) = self.socket.next().await {}
    }

    /// Breaks off in the middle of a frame.
    pub(crate) async fn half(mut self) {
        let stream = self.socket.get_mut();
        // A text of 100 bytes is announced.
        stream.write_all(&[0x81, 100]).await.unwrap();
        stream.write_all(b"{\"op\":0,\"t\":\"MESS").await.unwrap();
        stream.flush().await.unwrap();
    }

    pub(crate) async fn binary(&mut self, frame: &Value) {
        self.raw(Message::Binary(Bytes::from(frame.to_string()))).await;
    }
}

pub(crate) fn said(message: u64, text: &str) -> Value {
    json!({"id": message.to_string(), "channel_id": "7", "type": 0, "content": text,
        "author": {"id": "5", "username": "ada"}, "attachments": [], "mentions": []})
}
