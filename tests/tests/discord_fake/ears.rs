//! A plain client of the gateway: says what it is told to and hands over what it hears.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use pensive_tests::discord::DiscordFake;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message, client::IntoClientRequest},
};

use crate::AGENT;

pub(crate) const GUILDS: u64 = 1;
pub(crate) const GUILD_MESSAGES: u64 = 1 << 9;
pub(crate) const DIRECT_MESSAGES: u64 = 1 << 12;
pub(crate) const MESSAGE_CONTENT: u64 = 1 << 15;
pub(crate) const ALL: u64 = GUILDS | GUILD_MESSAGES | DIRECT_MESSAGES | MESSAGE_CONTENT;

/// After so long nothing comes any more.
const PATIENCE: Duration = Duration::from_secs(10);

/// What came over the line.
#[derive(Debug, PartialEq)]
pub(crate) enum Heard {
    Frame(Value),
    /// Characters that are no JSON.
    Noise(String),
    Closed(u16),
    /// The end without a close.
    Lost,
}

pub(crate) struct Ears {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// The number of the newest event.
    pub(crate) seq: u64,
}

impl Ears {
    /// Opens the line and hears HELLO.
    pub(crate) async fn open(discord: &DiscordFake) -> Self {
        let url = format!("ws{}", discord.url().strip_prefix("http").unwrap());
        Self::open_at(&url).await
    }

    pub(crate) async fn open_at(url: &str) -> Self {
        let mut ears = Self::open_deaf(&format!("{url}/?v=10&encoding=json")).await;
        ears.op(10).await;
        ears
    }

    /// Opens the line at exactly this address and hears nothing yet.
    pub(crate) async fn open_deaf(url: &str) -> Self {
        let mut request = url.into_client_request().unwrap();
        request.headers_mut().insert("user-agent", AGENT.parse().unwrap());
        Self { socket: connect_async(request).await.unwrap().0, seq: 0 }
    }

    pub(crate) async fn say(&mut self, op: u64, data: Value) {
        self.say_raw(&json!({"op": op, "d": data}).to_string()).await;
    }

    pub(crate) async fn say_raw(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    pub(crate) async fn identify(&mut self, token: &str, intents: u64) {
        self.identify_with(token, intents, json!({})).await;
    }

    /// The same with further fields.
    pub(crate) async fn identify_with(&mut self, token: &str, intents: u64, more: Value) {
        let properties = json!({"os": "linux", "browser": "test", "device": "test"});
        let mut data = json!({"token": token, "intents": intents, "properties": properties});
        data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.say(2, data).await;
    }

    pub(crate) async fn resume(&mut self, token: &str, session: &Value, seq: u64) {
        self.say(6, json!({"token": token, "session_id": session, "seq": seq})).await;
    }

    pub(crate) async fn hear(&mut self) -> Heard {
        loop {
            let message = tokio::time::timeout(PATIENCE, self.socket.next()).await.expect("silence");
            let text = match message {
                Some(Ok(Message::Text(text))) => text.to_string(),
                Some(Ok(Message::Close(Some(frame)))) => return Heard::Closed(frame.code.into()),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                Some(Ok(_) | Err(_)) | None => return Heard::Lost,
            };
            let Ok(frame) = serde_json::from_str::<Value>(&text) else { return Heard::Noise(text) };
            self.seq = frame["s"].as_u64().unwrap_or(self.seq);
            return Heard::Frame(frame);
        }
    }

    /// The next frame.
    pub(crate) async fn frame(&mut self) -> Value {
        match self.hear().await {
            Heard::Frame(frame) => frame,
            other => panic!("{other:?}"),
        }
    }

    /// The next frame, which has this opcode; gives `d`.
    pub(crate) async fn op(&mut self, op: u64) -> Value {
        let frame = self.frame().await;
        assert_eq!(frame["op"], op, "{frame}");
        frame["d"].clone()
    }

    /// The next frame, which is this event; gives `d`.
    pub(crate) async fn event(&mut self, kind: &str) -> Value {
        let frame = self.frame().await;
        assert_eq!((frame["op"].as_u64(), frame["t"].as_str()), (Some(0), Some(kind)), "{frame}");
        frame["d"].clone()
    }

    /// That nothing waits to be heard: a heartbeat's answer is the next frame.
    pub(crate) async fn hears_nothing(&mut self) {
        self.say(1, json!(self.seq)).await;
        self.op(11).await;
    }
}
