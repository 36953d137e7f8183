//! A client's connection: requests out, events in.

use std::io::ErrorKind;
use std::path::Path;

use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use super::screen::harmless;
use crate::fault::TerminalFault;
use crate::lines::{Line, LineReader};
use crate::wire::{Code, Event, MAX_LINE, Push, Request, Status, VERSION};

/// A connection that has been welcomed.
pub struct Link {
    lines: LineReader<OwnedReadHalf>,
    writing: OwnedWriteHalf,
    /// Sets the ids of this client apart from those of all others.
    life: u64,
    asked: u64,
    version: String,
}

impl Link {
    /// Connects to the daemon of a home as `user`.
    ///
    /// # Errors
    /// [`TerminalFault::NoDaemon`] where nobody listens; [`TerminalFault::Refused`] when the daemon speaks another
    /// version or has no room.
    pub async fn connect(socket: &Path, user: &str) -> Result<Self, TerminalFault> {
        let stream = UnixStream::connect(socket).await.map_err(|cause| match cause.kind() {
            ErrorKind::NotFound | ErrorKind::ConnectionRefused => TerminalFault::NoDaemon(socket.to_owned()),
            ErrorKind::InvalidInput => TerminalFault::PathTooLong(socket.to_owned()),
            _ => TerminalFault::io(format!("cannot connect to {}", socket.display()))(cause),
        })?;
        let (reading, writing) = stream.into_split();
        let lines = LineReader::new(reading, MAX_LINE);
        let mut link = Self { lines, writing, life: fastrand::u64(..), asked: 0, version: String::new() };
        link.request(&Request::Hello { v: VERSION, user: user.to_owned() }).await?;
        match link.next().await? {
            Event::Welcome { version, .. } => link.version = version,
            Event::Error { code, text, .. } => {
                return Err(TerminalFault::Refused { code, text: harmless(&text) });
            }
            other => return Err(TerminalFault::Garbled(format!("no welcome but {other:?}"))),
        }
        Ok(link)
    }

    /// The daemon's version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// An id for the next request; nobody else uses it.
    pub fn fresh_id(&mut self) -> String {
        self.asked += 1;
        format!("{:016x}-{}", self.life, self.asked)
    }

    /// Says something; gives the id that answers will name.
    ///
    /// # Errors
    /// The connection is gone.
    pub async fn say(&mut self, text: &str) -> Result<String, TerminalFault> {
        let id = self.fresh_id();
        self.request(&Request::Say { id: id.clone(), text: text.to_owned() }).await?;
        Ok(id)
    }

    /// Asks how the daemon stands.
    ///
    /// # Errors
    /// The connection is gone, or the daemon said no.
    pub async fn status(&mut self) -> Result<Status, TerminalFault> {
        let id = self.fresh_id();
        self.request(&Request::Status { id: id.clone() }).await?;
        loop {
            match self.next().await? {
                Event::Status { answers, status } if answers == id => return Ok(status),
                event => refused(event, &id)?,
            }
        }
    }

    /// Pushes a message into a chat; gives the platform's ids of what landed.
    ///
    /// # Errors
    /// The connection is gone, or the daemon or the platform said no.
    pub async fn send(&mut self, push: Push) -> Result<Vec<String>, TerminalFault> {
        let id = self.fresh_id();
        self.request(&Request::Send { id: id.clone(), push }).await?;
        loop {
            match self.next().await? {
                Event::Sent { answers, messages } if answers == id => return Ok(messages),
                event => refused(event, &id)?,
            }
        }
    }

    /// Sends one request.
    ///
    /// # Errors
    /// The connection is gone.
    pub async fn request(&mut self, request: &Request) -> Result<(), TerminalFault> {
        self.writing.write_all(request.line().as_bytes()).await.map_err(|_| TerminalFault::Closed)
    }

    /// The next event. May be dropped at any time without losing one.
    ///
    /// # Errors
    /// [`TerminalFault::Closed`] when the daemon has ended the connection.
    pub async fn next(&mut self) -> Result<Event, TerminalFault> {
        loop {
            match self.lines.next().await {
                Ok(Line::Whole(line)) if line.is_empty() => {}
                Ok(Line::Whole(line)) => {
                    return serde_json::from_slice(&line)
                        .map_err(|cause| TerminalFault::Garbled(cause.to_string()));
                }
                Ok(Line::TooLong) => return Err(TerminalFault::Garbled("a line is too long".to_owned())),
                Ok(Line::End) | Err(_) => return Err(TerminalFault::Closed),
            }
        }
    }
}

/// Passes by what belongs to somebody else; an error for `id` ends the waiting.
fn refused(event: Event, id: &str) -> Result<(), TerminalFault> {
    match event {
        Event::Error { answers, code, text } if answers.as_deref().is_none_or(|answers| answers == id) => {
            Err(TerminalFault::Refused { code, text: harmless(&text) })
        }
        _ => Ok(()),
    }
}

impl TerminalFault {
    /// Whether the daemon or the far platform could not be reached, as opposed to having said no.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::NoDaemon(_) | Self::Closed | Self::Refused { code: Code::Unreachable, .. })
    }
}
