//! The HTTP side: reads the call, plays the fault that strikes it, counts it, and keeps what came of it.

use axum::{
    Router,
    extract::FromRequest,
    extract::{ConnectInfo, Multipart, Request, State},
    http::{HeaderMap, header},
    response::Response,
};
use bytes::Bytes;
use serde_json::Value;

use super::{
    DiscordFake, control,
    endpoints::{Ask, Upload, carry_out, is_free, route},
    fault::{Answer, Stage},
    gateway,
    limits::{Arrival, No, Told},
    outcome::{Outcome, raw, truncated},
    record::Call,
    refusal::Refusal,
};
use crate::socket::Cut;

/// Bytes of one request that are read.
const BODY_LIMIT: usize = 64 << 20;

/// Serves API, gateway and files, and `/_control` beside them.
pub(crate) fn router(fake: DiscordFake) -> Router {
    Router::new().nest("/_control", control::router()).fallback(serve).with_state(fake)
}

async fn serve(
    State(fake): State<DiscordFake>,
    ConnectInfo(cut): ConnectInfo<Cut>,
    request: Request,
) -> Response {
    let came = fake.clock();
    let agent =
        request.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let agent = agent.to_owned();
    if gateway::asks(request.headers()) {
        blame_agent(&fake, "gateway", &agent);
        return gateway::connect(&fake, &cut, request);
    }
    // Some clients write the @ of a path as %40.
    let path = request.uri().path().replace("%40", "@");
    let query = request.uri().query().unwrap_or_default().to_owned();
    if path.starts_with("/attachments/") {
        return download(&fake, request.headers(), &path, &query);
    }
    let inner = ["/api/v10/", "/api/v9/", "/v10/"].iter().find_map(|version| path.strip_prefix(version));
    let Some(inner) = inner else { return Outcome::Refused(Refusal::not_found()).response(None) };
    blame_agent(&fake, "REST", &agent);
    let segments: Vec<&str> = inner.split('/').filter(|segment| !segment.is_empty()).collect();
    let method = request.method().as_str().to_owned();
    let bot = if is_free(&segments) { None } else { Some(signed(&fake, request.headers())) };
    let channel = match segments.as_slice() {
        ["channels", channel, ..] => channel.parse().unwrap_or_default(),
        _ => 0,
    };
    let call = Call {
        came,
        method: method.clone(),
        route: route(&segments),
        channel,
        bot: bot.flatten().unwrap_or_default(),
        query: query.clone(),
        ..Call::default()
    };
    let struck = fake.strike(&format!("{} {}", call.method, call.route), call.bot, channel);
    if let Some((Stage::Before, Answer::Reset)) = struck {
        // Before the body is read, so that a client in the middle of a long upload sees it too.
        fake.file(Call { fault: true, ..call }, Vec::new());
        cut.reset();
        return Response::default();
    }
    let given = Given::read(request).await;
    let work = Work { fake: &fake, cut: &cut, call, given, signed: bot, query: &query, path: &segments };
    work.answer(struck).await
}

fn signed(fake: &DiscordFake, headers: &HeaderMap) -> Option<u64> {
    let given = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    fake.world().bot_of(given.strip_prefix("Bot ")?)
}

fn blame_agent(fake: &DiscordFake, where_: &str, agent: &str) {
    let good = agent.strip_prefix("DiscordBot (").is_some_and(|rest| {
        rest.split_once(", ").is_some_and(|(url, rest)| url.starts_with("http") && rest.contains(')'))
    });
    if !good {
        fake.blame(where_, &format!("User-Agent {agent:?} is not DiscordBot ($url, $version)"));
    }
}

fn download(fake: &DiscordFake, headers: &HeaderMap, path: &str, query: &str) -> Response {
    if headers.contains_key(header::AUTHORIZATION) {
        fake.blame("CDN", "a token was sent along with the fetching of a file");
    }
    let mut world = fake.world();
    let until = query.split('&').find_map(|pair| pair.strip_prefix("ex="));
    let until = until.and_then(|until| i64::from_str_radix(until, 16).ok()).unwrap_or_default();
    let bytes = world.files.get(path).cloned().filter(|_| until * 1_000 > world.now());
    world.downloads.push(path.to_owned());
    drop(world);
    fake.tick();
    match bytes {
        Some(bytes) => raw(200, "application/octet-stream", bytes),
        None => raw(404, "text/plain", Bytes::from_static(b"This content is no longer available.")),
    }
}

/// What came with a call.
#[derive(Default)]
struct Given {
    body: Value,
    files: Vec<Upload>,
    remarks: Vec<String>,
}

impl Given {
    async fn read(request: Request) -> Self {
        let kind = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok())
            .unwrap_or_default();
        if kind.starts_with("multipart/form-data") {
            return Self::form(request).await;
        }
        let is_json = kind.starts_with("application/json");
        let bytes = axum::body::to_bytes(request.into_body(), BODY_LIMIT).await.unwrap_or_default();
        let mut given = Self { body: serde_json::from_slice(&bytes).unwrap_or_default(), ..Self::default() };
        if !bytes.is_empty() && (given.body.is_null() || !is_json) {
            given.remarks.push("a body that is no JSON, or is not called so".to_owned());
        }
        given
    }

    async fn form(request: Request) -> Self {
        let mut given = Self::default();
        let Ok(mut form) = Multipart::from_request(request, &()).await else {
            given.remarks.push("a form that cannot be read".to_owned());
            return given;
        };
        while let Ok(Some(field)) = form.next_field().await {
            let part = field.name().unwrap_or_default().to_owned();
            let name = field.file_name().unwrap_or_default().to_owned();
            let kind = field.content_type().unwrap_or_default().to_owned();
            let bytes = field.bytes().await.unwrap_or_default();
            if part == "payload_json" {
                given.body = serde_json::from_slice(&bytes).unwrap_or_default();
            } else if part.starts_with("files[") {
                given.files.push(Upload { part, name, kind, bytes });
            } else {
                given.remarks.push(format!("unknown part {part}"));
            }
        }
        given
    }
}

/// One call on its way.
struct Work<'a> {
    fake: &'a DiscordFake,
    cut: &'a Cut,
    call: Call,
    given: Given,
    /// Whose call; nothing where the path has a token of its own.
    signed: Option<Option<u64>>,
    query: &'a str,
    path: &'a [&'a str],
}

impl Work<'_> {
    /// Carries the call out and answers it, or plays the fault. It is filed when it has taken effect, before a broken answer goes out.
    async fn answer(self, struck: Option<(Stage, Answer)>) -> Response {
        let Some((stage, answer)) = struck else {
            let (outcome, told, remarks) = self.carry_out();
            self.file(&outcome, None, remarks);
            return outcome.response(told.as_ref());
        };
        let (outcome, told, remarks) = match (stage, &answer) {
            (Stage::After, _) => self.carry_out(),
            // These two only put the call off.
            (Stage::Before, Answer::Held(_) | Answer::Delayed(_)) => {
                wait(&answer).await;
                self.carry_out()
            }
            (Stage::Before, Answer::Refuse(refusal)) => (Outcome::Refused(refusal.clone()), None, Vec::new()),
            (Stage::Before, _) => (Outcome::Nothing, None, Vec::new()),
        };
        self.file(&outcome, Some(&answer), remarks);
        if stage == Stage::After {
            wait(&answer).await;
        }
        match answer {
            Answer::Refuse(refusal) => {
                let told = self.spent(&refusal);
                Outcome::Refused(refusal).response(told.as_ref())
            }
            Answer::Raw { status, kind, body } => raw(status, &kind, body),
            Answer::Reset => {
                self.cut.reset();
                Response::default()
            }
            Answer::Truncated => truncated(&outcome),
            Answer::Silence => std::future::pending().await,
            Answer::Held(_) | Answer::Delayed(_) => outcome.response(told.as_ref()),
        }
    }

    /// `POST /channels/{}/messages` and the like.
    fn name(&self) -> String {
        format!("{} {}", self.call.method, self.call.route)
    }

    fn spent(&self, refusal: &Refusal) -> Option<Told> {
        let world = self.fake.world();
        world.limits.spent(&self.name(), refusal, world.now())
    }

    fn carry_out(&self) -> (Outcome, Option<Told>, Vec<String>) {
        let mut remarks = self.given.remarks.clone();
        if self.signed == Some(None) {
            return (Outcome::Refused(Refusal::unauthorized()), None, remarks);
        }
        let clock = self.fake.clock();
        let mut world = self.fake.world();
        let now = world.now();
        let name = self.name();
        let major = match self.path {
            ["channels" | "guilds" | "webhooks" | "interactions", major, ..] => {
                major.parse().unwrap_or_default()
            }
            _ => 0,
        };
        let (came, clock) = (self.call.came, clock);
        let arrival = Arrival { call: &name, major, bot: self.call.bot, now, came, clock };
        let told = match world.limits.count(arrival) {
            Ok(told) => told,
            Err(no) => {
                let No { refusal, told, blame } = *no;
                remarks.extend(blame);
                return (Outcome::Refused(refusal), told, remarks);
            }
        };
        let mut ask = Ask {
            world: &mut world,
            bot: self.call.bot,
            method: &self.call.method,
            path: self.path.to_vec(),
            query: self.query,
            body: &self.given.body,
            files: &self.given.files,
            remarks: Vec::new(),
        };
        let done = carry_out(&mut ask);
        remarks.append(&mut ask.remarks);
        if let Err(refusal) = &done
            && refusal.malformed
            && remarks.is_empty()
        {
            remarks.push(refusal.body().to_string());
        }
        (done.unwrap_or_else(Outcome::Refused), told, remarks)
    }

    fn file(&self, outcome: &Outcome, fault: Option<&Answer>, remarks: Vec<String>) {
        let status = match fault {
            Some(Answer::Refuse(refusal)) => refusal.status,
            Some(Answer::Raw { status, .. }) => *status,
            Some(Answer::Reset | Answer::Truncated | Answer::Silence) => 0,
            Some(Answer::Held(_) | Answer::Delayed(_)) | None => outcome.status(),
        };
        let call = Call {
            body: self.given.body.clone(),
            files: self.given.files.iter().map(|file| (file.name.clone(), file.bytes.len())).collect(),
            status,
            answer: outcome.note(),
            fault: fault.is_some(),
            ..self.call.clone()
        };
        self.fake.file(call, remarks);
    }
}

/// Waits as long as the fault wants the client to.
async fn wait(answer: &Answer) {
    match answer {
        Answer::Held(gate) => gate.pass().await,
        Answer::Delayed(by) => tokio::time::sleep(*by).await,
        Answer::Silence => std::future::pending().await,
        Answer::Refuse(_) | Answer::Raw { .. } | Answer::Reset | Answer::Truncated => {}
    }
}
