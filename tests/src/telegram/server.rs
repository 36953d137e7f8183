//! The HTTP side: finds bot and method in the path, reads the arguments, lets faults strike, carries the call out and files it.

use std::time::Duration;

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request, State},
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER},
    },
    response::Response,
};
use bytes::Bytes;
use futures::{StreamExt, stream};
use serde_json::{Map, Value};

use super::{
    TelegramFake,
    body::{self, Given},
    control,
    fault::{Answer, Stage},
    methods, poll,
    queue::Update,
    record::Call,
    refusal::Refusal,
    schema,
};
use crate::socket::Cut;

/// Bytes of one request that are read.
const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// Serves every path of the Bot API, and `/_control/…` beside it.
pub(crate) fn router(fake: TelegramFake) -> Router {
    Router::new().nest("/_control", control::router()).fallback(serve).with_state(fake)
}

/// An answer before it is put on the wire.
enum Outcome {
    Done(Value),
    Updates(Vec<Update>),
    Refused(Refusal),
}

impl Outcome {
    fn status(&self) -> u16 {
        match self {
            Self::Done(_) | Self::Updates(_) => 200,
            Self::Refused(refusal) => refusal.code,
        }
    }

    /// What the record keeps of it.
    fn note(&self) -> Value {
        match self {
            Self::Done(value) => value.clone(),
            Self::Updates(updates) => updates.iter().map(|update| update.id).collect(),
            Self::Refused(refusal) => refusal.description.clone().into(),
        }
    }

    fn body(&self) -> Bytes {
        match self {
            Self::Done(value) => Bytes::from(format!("{{\"ok\":true,\"result\":{value}}}")),
            Self::Updates(updates) => updates_body(updates),
            Self::Refused(refusal) => Bytes::from(refusal.body().to_string()),
        }
    }

    fn response(&self) -> Response {
        let mut response = raw(self.status(), "application/json", self.body());
        if let Self::Refused(Refusal { retry_after: Some(seconds), .. }) = self {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(*seconds));
        }
        response
    }
}

/// Joined as bytes: what a test put in is what the client gets, valid or not.
fn updates_body(updates: &[Update]) -> Bytes {
    let mut body = b"{\"ok\":true,\"result\":[".to_vec();
    for (place, update) in updates.iter().enumerate() {
        if place > 0 {
            body.push(b',');
        }
        body.extend_from_slice(&update.body);
    }
    body.extend_from_slice(b"]}");
    body.into()
}

fn raw(status: u16, kind: &str, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let Ok(kind) = HeaderValue::from_str(kind) {
        response.headers_mut().insert(CONTENT_TYPE, kind);
    }
    response
}

async fn serve(
    State(fake): State<TelegramFake>,
    ConnectInfo(cut): ConnectInfo<Cut>,
    request: Request,
) -> Response {
    let came = fake.clock();
    // A base URL with a trailing slash gives two.
    let path = request.uri().path().trim_start_matches('/').to_owned();
    if let Some((token, file)) = path.strip_prefix("file/bot").and_then(|rest| rest.split_once('/')) {
        return download(&fake, token, file);
    }
    let Some((token, method)) = path.strip_prefix("bot").and_then(|rest| rest.split_once('/')) else {
        return Outcome::Refused(Refusal::not_found()).response();
    };
    let method = schema::method_name(method).unwrap_or(method);
    let struck = fake.strike(method, token, None);
    if let Some((Stage::Before, Answer::Reset)) = struck {
        // Before the body is read, so that a client in the middle of a long upload sees it too.
        fake.file(Call { came, ..note(method, token, Map::new(), 0, true) }, Vec::new());
        cut.reset();
        return Response::default();
    }
    let (parts, stream) = request.into_parts();
    let bytes = axum::body::to_bytes(stream, BODY_LIMIT).await.unwrap_or_default();
    let given = body::read(parts.uri.query(), &parts.headers, bytes).await;
    let work = Work { fake, cut, came, method: method.to_owned(), token: token.to_owned() };
    work.answer(given, struck).await
}

fn download(fake: &TelegramFake, token: &str, path: &str) -> Response {
    let path = path.replace("%2F", "/").replace("%2f", "/");
    let world = fake.world();
    if !world.tokens.contains_key(token) {
        return Outcome::Refused(Refusal::unauthorized()).response();
    }
    match world.files.values().find(|file| file.path == path) {
        Some(file) => raw(200, "application/octet-stream", file.bytes.clone()),
        None => Outcome::Refused(Refusal::not_found()).response(),
    }
}

fn polled(polled: Result<Vec<Update>, Refusal>) -> Outcome {
    polled.map_or_else(Outcome::Refused, Outcome::Updates)
}

fn note(method: &str, token: &str, params: Map<String, Value>, status: u16, fault: bool) -> Call {
    Call {
        number: 0,
        at: 0,
        came: 0,
        method: method.to_owned(),
        bot: 0,
        token: token.to_owned(),
        params: Value::Object(params),
        files: Vec::new(),
        status,
        answer: Value::Null,
        fault,
    }
}

/// One call on its way through the server.
struct Work {
    fake: TelegramFake,
    cut: Cut,
    came: u64,
    method: String,
    token: String,
}

impl Work {
    async fn answer(self, given: Result<Given, Refusal>, struck: Option<(Stage, Answer)>) -> Response {
        let given = match given {
            Ok(given) => given,
            Err(refusal) => {
                let what = refusal.description.clone();
                let note = note(&self.method, &self.token, Map::new(), refusal.code, false);
                self.fake.file(Call { came: self.came, ..note }, vec![what]);
                return Outcome::Refused(refusal).response();
            }
        };
        let chat =
            given.fields.get("chat_id").and_then(|id| id.as_i64().or_else(|| id.as_str()?.parse().ok()));
        let struck =
            struck.or_else(|| chat.and_then(|chat| self.fake.strike(&self.method, &self.token, Some(chat))));
        let Some((stage, answer)) = struck else {
            let (outcome, faults) = self.carry_out(&given).await;
            self.file(&given, &outcome, outcome.status(), faults);
            return outcome.response();
        };
        if stage == Stage::Before {
            match answer {
                Answer::Held(gate) => gate.pass().await,
                Answer::Delayed(by) => tokio::time::sleep(by).await,
                answer => {
                    let outcome = self.stand_in(&answer);
                    self.file_fault(&given, &outcome, &answer, Vec::new());
                    return self.show(outcome, answer).await;
                }
            }
            let (outcome, faults) = self.carry_out(&given).await;
            self.file_fault(&given, &outcome, &Answer::Delayed(Duration::ZERO), faults);
            return outcome.response();
        }
        let (outcome, faults) = self.carry_out(&given).await;
        self.file_fault(&given, &outcome, &answer, faults);
        self.show(outcome, answer).await
    }

    /// What would have been answered had the fault let the call through; only a truncated answer shows any of it.
    fn stand_in(&self, answer: &Answer) -> Outcome {
        match answer {
            Answer::Refuse(refusal) => Outcome::Refused(refusal.clone()),
            _ => Outcome::Done(Value::Null),
        }
    }

    async fn show(&self, outcome: Outcome, answer: Answer) -> Response {
        match answer {
            Answer::Refuse(refusal) => Outcome::Refused(refusal).response(),
            Answer::Raw { status, kind, body } => raw(status, &kind, body),
            Answer::Reset => {
                self.cut.reset();
                Response::default()
            }
            Answer::Truncated => truncated(&outcome),
            Answer::Silence => std::future::pending().await,
            Answer::Held(gate) => {
                gate.pass().await;
                outcome.response()
            }
            Answer::Delayed(by) => {
                tokio::time::sleep(by).await;
                outcome.response()
            }
        }
    }

    async fn carry_out(&self, given: &Given) -> (Outcome, Vec<String>) {
        let Some(bot) = self.fake.world().tokens.get(&self.token).copied() else {
            return (Outcome::Refused(Refusal::unauthorized()), Vec::new());
        };
        if schema::method_name(&self.method).is_none() {
            let what = vec!["no such method in this version of the Bot API".to_owned()];
            return (Outcome::Refused(Refusal::not_found()), what);
        }
        let mut fields = given.fields.clone();
        for upload in &given.files {
            fields.entry(&upload.part).or_insert_with(|| format!("attach://{}", upload.part).into());
        }
        let parts: Vec<&str> = given.files.iter().map(|upload| upload.part.as_str()).collect();
        let mut checked = schema::check(&self.method, &fields);
        // A part that another field refers to as attach://… is no argument of its own.
        checked.unknown.retain(|name| !parts.contains(&name.as_str()));
        let mut faults: Vec<String> =
            checked.unknown.iter().map(|field| format!("unknown field {field}")).collect();
        faults.extend(checked.wrong.iter().map(|(field, what)| format!("{field} {what}")));
        if self.method == "getUpdates" {
            return (polled(poll::wait(&self.fake, bot, &checked.arguments).await), faults);
        }
        // Those two have wordings of their own.
        let own_words = |field: &str| matches!(field, "chat_id" | "text");
        if let Some((field, what)) =
            checked.wrong.iter().find(|(field, what)| !(what == "is required" && own_words(field)))
        {
            return (
                Outcome::Refused(Refusal::bad_request(format!("can't parse {field}: {field} {what}"))),
                faults,
            );
        }
        let mut world = self.fake.world();
        let files = &given.files;
        let arguments = &checked.arguments;
        let mut call = methods::Call { world: &mut world, bot, arguments, files, remarks: Vec::new() };
        let outcome = methods::carry_out(&self.method, &mut call);
        faults.extend(call.remarks);
        match outcome {
            Ok(value) => (Outcome::Done(value), faults),
            Err(refusal) => {
                if refusal.malformed && faults.is_empty() {
                    faults.push(refusal.description.clone());
                }
                (Outcome::Refused(refusal), faults)
            }
        }
    }

    fn file(&self, given: &Given, outcome: &Outcome, status: u16, faults: Vec<String>) {
        self.enter(given, outcome, status, false, faults);
    }

    fn file_fault(&self, given: &Given, outcome: &Outcome, answer: &Answer, faults: Vec<String>) {
        let status = match answer {
            Answer::Refuse(refusal) => refusal.code,
            Answer::Raw { status, .. } => *status,
            Answer::Reset | Answer::Truncated | Answer::Silence => 0,
            Answer::Held(_) | Answer::Delayed(_) => outcome.status(),
        };
        self.enter(given, outcome, status, true, faults);
    }

    fn enter(&self, given: &Given, outcome: &Outcome, status: u16, fault: bool, faults: Vec<String>) {
        let mut call = note(&self.method, &self.token, given.fields.clone(), status, fault);
        call.files = given.files.iter().map(|upload| (upload.part.clone(), upload.name.clone())).collect();
        call.came = self.came;
        call.answer = outcome.note();
        self.fake.file(call, faults);
    }
}

/// Announces the whole length and stops half-way.
fn truncated(outcome: &Outcome) -> Response {
    let (mut parts, _) = outcome.response().into_parts();
    let body = outcome.body();
    parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    let half = body.slice(..body.len() / 2);
    let cut = async {
        // The half is flushed while this is pending.
        tokio::task::yield_now().await;
        Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof))
    };
    Response::from_parts(parts, Body::from_stream(stream::iter([Ok(half)]).chain(stream::once(cut))))
}
