//! One connection, from its first line to its last: each request is answered before the next one is read.

use std::sync::Arc;

use pensive_contract::fault::FaultClass;
use pensive_contract::inbound::{Addressed, ChatKind, Inbound, InboundKind, Place, Sender, TypedText};
use pensive_contract::intake::Intake;
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio_util::sync::CancellationToken;

use super::desk::Desk;
use super::seats::Seat;
use super::{Shared, account};
use crate::lines::{Line, LineReader};
use crate::wire::{Code, Event, MAX_LINE, MAX_NAME, Push, Request, VERSION};

pub(super) struct Connection {
    pub(super) shared: Arc<Shared>,
    pub(super) intake: Arc<dyn Intake>,
    pub(super) desk: Arc<dyn Desk>,
    pub(super) stop: CancellationToken,
}

/// Why no more requests are read.
enum Left {
    /// The client is gone: nothing more can be shown to it.
    Gone,
    /// The daemon takes nothing more in, but what is being answered still goes out.
    Stopping,
}

impl Connection {
    pub(super) async fn serve(self, client: UnixStream) {
        let (reading, writing) = client.into_split();
        let mut lines = LineReader::new(reading, MAX_LINE);
        // Until it has said who it is, a client is seated under a name that nobody can take.
        let stranger = self.shared.seats.take("", writing);
        let Some(seat) = self.welcome(&mut lines, stranger).await else { return };
        match self.requests(&mut lines, &seat).await {
            Left::Gone => self.shared.seats.leave(&seat),
            Left::Stopping => {}
        }
    }

    async fn welcome(&self, lines: &mut LineReader<OwnedReadHalf>, stranger: Seat) -> Option<Seat> {
        let first = self.next(lines, &stranger).await;
        let refusal = match first {
            Ok(Request::Hello { v: VERSION, user }) if is_name(&user) && !user.contains('/') => {
                let seat = self.shared.seats.rename(stranger, &user);
                let welcome = Event::Welcome { v: VERSION, version: self.shared.version.clone() };
                tell(&seat, &welcome).await;
                return Some(seat);
            }
            Ok(Request::Hello { v: VERSION, .. }) => {
                (Code::BadRequest, format!("a user name has 1 to {MAX_NAME} characters and no slash"))
            }
            Ok(Request::Hello { v, .. }) => {
                (Code::Version, format!("this daemon speaks version {VERSION} of the protocol, not {v}"))
            }
            Ok(_) => (Code::BadRequest, "the first line must be a hello".to_owned()),
            Err(_) => {
                self.shared.seats.leave(&stranger);
                return None;
            }
        };
        tell(&stranger, &Event::Error { answers: None, code: refusal.0, text: refusal.1 }).await;
        self.shared.seats.leave(&stranger);
        None
    }

    async fn requests(&self, lines: &mut LineReader<OwnedReadHalf>, seat: &Seat) -> Left {
        loop {
            let request = match self.next(lines, seat).await {
                Ok(request) => request,
                Err(left) => return left,
            };
            let answer = match request.id() {
                Some(id) if !is_name(id) => bad(None, format!("an id has 1 to {MAX_NAME} characters")),
                _ => self.answer(request, seat).await,
            };
            tell(seat, &answer).await;
        }
    }

    /// The next line that is a request; what is none is told to the client.
    async fn next(&self, lines: &mut LineReader<OwnedReadHalf>, seat: &Seat) -> Result<Request, Left> {
        loop {
            let line = tokio::select! {
                biased;
                () = self.stop.cancelled() => return Err(Left::Stopping),
                () = seat.gone.cancelled() => return Err(Left::Gone),
                line = lines.next() => line,
            };
            let trouble = match line {
                Ok(Line::Whole(line)) if line.is_empty() => continue,
                Ok(Line::Whole(line)) => match serde_json::from_slice(&line) {
                    Ok(request) => return Ok(request),
                    Err(cause) => bad(None, format!("this is no request: {cause}")),
                },
                Ok(Line::TooLong) => Event::Error {
                    answers: None,
                    code: Code::TooLong,
                    text: format!("a line has at most {MAX_LINE} bytes"),
                },
                Ok(Line::End) | Err(_) => return Err(Left::Gone),
            };
            tell(seat, &trouble).await;
        }
    }

    async fn answer(&self, request: Request, seat: &Seat) -> Event {
        match request {
            Request::Hello { .. } => bad(None, "hello comes once".to_owned()),
            Request::Say { id, text } => self.hand_in(id, said(text), None, seat).await,
            Request::Stop { id } => self.hand_in(id, said("/stop".to_owned()), None, seat).await,
            Request::Press { id, message, data } => {
                let kind = InboundKind::Press { data, query: update_id(&seat.user, &id) };
                self.hand_in(id, kind, Some(message), seat).await
            }
            Request::Status { id } => Event::Status { answers: id, status: self.desk.status().await },
            Request::Send { id, push } => self.push(id, push).await,
        }
    }

    async fn hand_in(&self, id: String, kind: InboundKind, message: Option<String>, seat: &Seat) -> Event {
        let user: &str = &seat.user;
        let inbound = Inbound {
            update: update_id(user, &id).into(),
            place: Place {
                account: account(),
                chat: user.into(),
                kind: ChatKind::Direct,
                topic: None,
                space: None,
            },
            sender: Sender { id: user.into(), name: user.to_owned(), roles: Vec::new() },
            message: message.unwrap_or_else(|| id.clone()).into(),
            kind,
            addressed: Addressed::Yes,
            attachments: Vec::new(),
            album: None,
            at: self.shared.clock.now(),
        };
        match self.intake.take(vec![inbound], None).await {
            Ok(_) => Event::Taken { answers: id },
            Err(fault) => {
                tracing::error!(account = %account(), %fault, "a message could not be kept");
                let text = "The message could not be stored. Say it again later.".to_owned();
                Event::Error { answers: Some(id), code: Code::NotKept, text }
            }
        }
    }

    async fn push(&self, id: String, push: Push) -> Event {
        match self.desk.send(push).await {
            Ok(messages) => {
                let messages = messages.iter().map(|id| id.as_str().to_owned()).collect();
                Event::Sent { answers: id, messages }
            }
            Err(fault) => {
                let code = match fault.class {
                    FaultClass::TellPerson => Code::Unknown,
                    FaultClass::OursToMend => Code::Refused,
                    FaultClass::Again | FaultClass::AgainAfter(_) => Code::Unreachable,
                };
                Event::Error { answers: Some(id), code, text: fault.person }
            }
        }
    }
}

fn said(text: String) -> InboundKind {
    InboundKind::Message(TypedText { text, ..TypedText::default() })
}

fn update_id(user: &str, id: &str) -> String {
    format!("{user}/{id}")
}

fn is_name(text: &str) -> bool {
    (1..=MAX_NAME).contains(&text.chars().take(MAX_NAME + 1).count()) && !text.contains(char::is_control)
}

fn bad(answers: Option<String>, text: String) -> Event {
    Event::Error { answers, code: Code::BadRequest, text }
}

async fn tell(seat: &Seat, event: &Event) {
    // A client that is gone is noticed by the next read.
    if seat.lines.send(event.line().into()).await.is_err() {
        seat.gone.cancel();
    }
}
