//! One connection: HELLO, what the client sends, heartbeats and their answers, and the ways in which it ends.

use std::{collections::VecDeque, time::Duration};

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::{SinkExt, StreamExt};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::{
    io::AsyncWriteExt,
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::Instant,
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Message,
        handshake::derive_accept_key,
        protocol::{CloseFrame, Role},
    },
};

use super::{
    greeting::{Turned, Wire},
    session::Frame,
};
use crate::{
    discord::{DiscordFake, record::Said},
    socket::Cut,
};

/// Bytes of a command that Discord reads.
const COMMAND_LIMIT: usize = 4_096;
/// Commands that it takes in a minute.
const COMMANDS_A_MINUTE: usize = 120;
/// What a heartbeat may be late by before it is remarked on: machines that run tests are slow.
const SLACK: Duration = Duration::from_secs(2);

/// Asks for a WebSocket.
pub(crate) fn asks(headers: &HeaderMap) -> bool {
    let upgrade = headers.get(header::UPGRADE).and_then(|value| value.to_str().ok());
    upgrade.is_some_and(|value| value.eq_ignore_ascii_case("websocket"))
}

/// Makes the connection a WebSocket and serves it for as long as it lasts.
pub(crate) fn connect(fake: &DiscordFake, cut: &Cut, mut request: Request) -> Response {
    let key = request.headers().get(header::SEC_WEBSOCKET_KEY).map(|key| derive_accept_key(key.as_bytes()));
    let upgrade = request.extensions_mut().remove::<OnUpgrade>();
    let (Some(key), Some(upgrade)) = (key, upgrade) else { return StatusCode::BAD_REQUEST.into_response() };
    let (query, path) = (request.uri().query().unwrap_or_default(), request.uri().path());
    let asked = |pair: &str| query.split('&').any(|given| given == pair);
    let opening = Opening {
        strange: !(asked("v=10") || asked("v=9")) || !asked("encoding=json"),
        resuming: path.trim_matches('/') == "resume",
        address: fake.gateway_url(),
    };
    let (fake, cut) = (fake.clone(), cut.clone());
    tokio::spawn(async move {
        let Ok(upgraded) = upgrade.await else { return };
        Connection::new(fake, cut, upgraded, opening).await.serve().await;
    });
    let response = Response::builder()
        .status(StatusCode::SWITCHING_PROTOCOLS)
        .header(header::UPGRADE, "websocket")
        .header(header::CONNECTION, "Upgrade")
        .header(header::SEC_WEBSOCKET_ACCEPT, key);
    response.body(Body::empty()).unwrap_or_default()
}

/// How a connection was asked for.
struct Opening {
    /// Not the version and encoding that the fake speaks.
    strange: bool,
    /// It came in by the address that READY names.
    resuming: bool,
    address: String,
}

struct Connection {
    fake: DiscordFake,
    cut: Cut,
    socket: WebSocketStream<TokioIo<Upgraded>>,
    frames: UnboundedReceiver<Frame>,
    wire: Wire,
    opening: Opening,
    interval: Duration,
    /// Bot and session, once there are.
    bot: u64,
    session: Option<String>,
    /// The largest number that went out.
    sent: u64,
    beat: Instant,
    zombie: bool,
    mute: bool,
    commands: VecDeque<Instant>,
}

/// What comes after a step.
enum Next {
    Go,
    End,
}

impl Connection {
    async fn new(fake: DiscordFake, cut: Cut, upgraded: Upgraded, opening: Opening) -> Self {
        let (sender, frames) = unbounded_channel();
        let wire =
            Wire { connection: fake.world().take_id(), frames: sender, address: opening.address.clone() };
        let interval = fake.world().gateway.interval;
        let socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await;
        Self {
            fake,
            cut,
            socket,
            frames,
            wire,
            opening,
            interval,
            bot: 0,
            session: None,
            sent: 0,
            beat: Instant::now(),
            zombie: false,
            mute: false,
            commands: VecDeque::new(),
        }
    }

    async fn serve(mut self) {
        let interval = u64::try_from(self.interval.as_millis()).unwrap_or(u64::MAX);
        let mut next = if self.opening.strange {
            self.close(4012, "Invalid API version.").await
        } else {
            self.say(10, json!({"heartbeat_interval": interval, "_trace": ["fake-gateway"]})).await
        };
        let by_hand = self.fake.world().time.by_hand;
        while let Next::Go = next {
            let patience = self.beat + self.interval * 2 + SLACK;
            next = tokio::select! {
                Some(frame) = self.frames.recv() => self.obey(frame).await,
                message = self.socket.next() => match message {
                    Some(Ok(message)) => self.hear(message).await,
                    Some(Err(_)) | None => Next::End,
                },
                () = tokio::time::sleep_until(patience), if !by_hand && !self.zombie => {
                    self.blame("no heartbeat for two intervals");
                    self.close(4009, "Session timed out.").await
                }
            };
        }
        self.part();
    }

    /// The session stays, without a connection.
    fn part(&mut self) {
        let mut world = self.fake.world();
        if let Some(session) = self.session.as_ref().and_then(|id| world.sessions.get_mut(id)) {
            session.leave(self.wire.connection);
        }
        drop(world);
        self.fake.tick();
    }

    async fn obey(&mut self, frame: Frame) -> Next {
        if self.zombie && !matches!(frame, Frame::Close(..) | Frame::Drop | Frame::Reset) {
            return Next::Go;
        }
        match frame {
            Frame::Event(event) => {
                // Recorded first: whoever sees what the client makes of it finds it here.
                let said = Said {
                    t: event.kind.clone(),
                    s: Some(event.seq),
                    by_hand: event.by_hand,
                    ..self.said(0, event.data.clone())
                };
                self.fake.file_event(said);
                self.sent = self.sent.max(event.seq);
                self.write(event.frame().to_string()).await
            }
            Frame::Op(9, data) => {
                self.part();
                self.session = None;
                // Who goes on does so here, or at the address of READY.
                self.opening.resuming = true;
                self.say(9, data).await
            }
            Frame::Op(op, data) => self.say(op, data).await,
            Frame::Raw(text) => self.write(text).await,
            Frame::Close(code, reason) => self.close(code, &reason).await,
            Frame::Drop => Next::End,
            Frame::Reset => {
                self.cut.reset();
                // The write is what makes it a reset.
                drop(self.socket.get_mut().flush().await);
                Next::End
            }
            Frame::Half => {
                // A text of 500 bytes, of which ten come.
                drop(self.socket.get_mut().write_all(b"\x81\x7e\x01\xf4{\"t\":\"MESS").await);
                drop(self.socket.get_mut().flush().await);
                Next::End
            }
            Frame::Zombie => {
                self.zombie = true;
                Next::Go
            }
            Frame::Mute => {
                self.mute = true;
                Next::Go
            }
        }
    }

    fn said(&self, op: u64, d: Value) -> Said {
        Said { bot: self.bot, op, d, ..Said::default() }
    }

    /// Something that is no event.
    async fn say(&mut self, op: u64, data: Value) -> Next {
        self.fake.file_event(self.said(op, data.clone()));
        self.write(json!({"t": null, "s": null, "op": op, "d": data}).to_string()).await
    }

    async fn write(&mut self, text: String) -> Next {
        match self.socket.send(Message::text(text)).await {
            Ok(()) => Next::Go,
            Err(_) => Next::End,
        }
    }

    async fn close(&mut self, code: u16, reason: &str) -> Next {
        let frame = CloseFrame { code: code.into(), reason: reason.to_owned().into() };
        self.fake.file_event(Said { closed: Some(code), ..self.said(0, Value::Null) });
        drop(self.socket.close(Some(frame)).await);
        // The peer answers with a close of its own; who does not is left.
        let answer = async { while let Some(Ok(_)) = self.socket.next().await {} };
        drop(tokio::time::timeout(Duration::from_secs(1), answer).await);
        Next::End
    }

    async fn hear(&mut self, message: Message) -> Next {
        let text = match message {
            Message::Text(text) => text.to_string(),
            Message::Binary(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Message::Close(frame) => return self.closed(frame.map(|frame| u16::from(frame.code))),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => return Next::Go,
        };
        if self.zombie {
            return Next::Go;
        }
        if text.len() > COMMAND_LIMIT {
            self.blame("a command of more than 4096 bytes");
            return self.close(4002, "Decode error.").await;
        }
        let Ok(command) = serde_json::from_str::<Value>(&text) else {
            self.blame("a command that is no JSON");
            return self.close(4002, "Decode error.").await;
        };
        if self.too_many() {
            self.blame("more than 120 commands in a minute");
            return self.close(4008, "Rate limited.").await;
        }
        let op = command.get("op").and_then(Value::as_u64).unwrap_or(u64::MAX);
        let data = command.get("d").cloned().unwrap_or_default();
        self.note(op, &data);
        self.heed(op, &data).await
    }

    fn too_many(&mut self) -> bool {
        let now = Instant::now();
        self.commands.push_back(now);
        while self.commands.front().is_some_and(|first| now - *first > Duration::from_secs(60)) {
            self.commands.pop_front();
        }
        self.commands.len() > COMMANDS_A_MINUTE
    }

    /// Keeps what the client said, without its token.
    fn note(&self, op: u64, data: &Value) {
        let mut data = data.clone();
        if let Some(token) = data.get_mut("token") {
            *token = "•••".into();
        }
        self.fake.file_command(self.said(op, data));
    }

    async fn heed(&mut self, op: u64, data: &Value) -> Next {
        match op {
            1 => self.heartbeat(data).await,
            2 | 6 if self.session.is_some() => {
                self.blame("identified twice");
                self.close(4005, "Already authenticated.").await
            }
            2 => {
                self.check_identify(data);
                let greeted = self.fake.world().identify(&self.wire, data);
                self.greeted(greeted).await
            }
            6 => {
                if !self.opening.resuming {
                    self.blame("RESUME at another address than resume_gateway_url");
                }
                let greeted = self.fake.world().resume(&self.wire, data);
                self.greeted(greeted).await
            }
            3 | 4 | 8 | 31 if self.session.is_none() => {
                self.blame("a command before IDENTIFY");
                self.close(4003, "Not authenticated.").await
            }
            3 | 4 | 8 | 31 => Next::Go,
            _ => {
                self.blame(&format!("unknown opcode {op}"));
                self.close(4001, "Unknown opcode.").await
            }
        }
    }

    fn check_identify(&self, data: &Value) {
        let properties = data.get("properties");
        for name in ["os", "browser", "device"] {
            if !properties.and_then(|given| given.get(name)).is_some_and(Value::is_string) {
                self.blame(&format!("IDENTIFY without properties.{name}"));
            }
        }
    }

    async fn greeted(&mut self, greeted: Result<String, Turned>) -> Next {
        match greeted {
            Ok(session) => {
                self.bot = self.fake.world().sessions.get(&session).map_or(0, |session| session.bot);
                self.session = Some(session);
                self.fake.tick();
                Next::Go
            }
            Err(Turned::Invalid) => self.say(9, false.into()).await,
            Err(Turned::Closed(code, reason)) => self.close(code, reason).await,
        }
    }

    async fn heartbeat(&mut self, data: &Value) -> Next {
        let late = self.beat.elapsed() > self.interval + SLACK;
        if late && !self.fake.world().time.by_hand {
            self.blame("a heartbeat that is late");
        }
        self.beat = Instant::now();
        match data.as_u64() {
            Some(seq) if seq > self.sent.max(self.seq()) => {
                self.blame(&format!("a heartbeat with sequence {seq}, which was never sent"));
                return self.close(4007, "Invalid seq.").await;
            }
            None if self.sent > 0 && !data.is_null() => self.blame("a heartbeat whose sequence is no number"),
            Some(_) | None => {}
        }
        if self.mute { Next::Go } else { self.say(11, Value::Null).await }
    }

    /// The session's newest number: a client that resumes names what it had before this connection.
    fn seq(&self) -> u64 {
        let world = self.fake.world();
        let session = self.session.as_ref().and_then(|id| world.sessions.get(id));
        // Before IDENTIFY nobody knows which session the client means.
        session.map_or(u64::MAX, |session| session.seq)
    }

    /// Only these two codes end the session as well.
    fn closed(&mut self, code: Option<u16>) -> Next {
        self.fake.file_command(Said { closed: Some(code.unwrap_or(1005)), ..self.said(0, Value::Null) });
        if let (Some(1000 | 1001), Some(session)) = (code, &self.session) {
            self.fake.world().sessions.remove(session);
        }
        Next::End
    }

    fn blame(&self, what: &str) {
        self.fake.blame("gateway", what);
    }
}
