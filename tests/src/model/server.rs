//! The HTTP side: finds the API in the path, reads the request, and lets the script answer.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request as HttpRequest, State},
    http::{
        HeaderMap, HeaderName, HeaderValue, Method, StatusCode,
        header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER},
    },
    response::Response,
};
use bytes::Bytes;
use serde_json::Value;

use super::{
    ModelFake,
    chat::ChatWriter,
    control,
    failure::Failure,
    player::{Player, Writer},
    request::{Fate, Request, Shape},
    responses::ResponsesWriter,
    script::{Script, Step},
};
use crate::socket::Cut;

/// Bytes of one request that are read.
const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// Serves both APIs under any base path, and `/_control/…` beside them.
pub(crate) fn router(fake: ModelFake) -> Router {
    Router::new().nest("/_control", control::router()).fallback(serve).with_state(fake)
}

async fn serve(
    State(fake): State<ModelFake>,
    ConnectInfo(cut): ConnectInfo<Cut>,
    request: HttpRequest,
) -> Response {
    let path = request.uri().path().trim_end_matches('/').to_owned();
    if let Some(key) = &fake.options().key
        && bearer(request.headers()) != Some(key)
    {
        return failed(&Failure::json(401));
    }
    let shape = match (request.method(), path.as_str()) {
        (&Method::GET, path) if path.ends_with("/models") => {
            return answer(200, "application/json", fake.model_list().to_string().into());
        }
        (&Method::POST, path) if path.ends_with("/chat/completions") => Shape::Chat,
        (&Method::POST, path) if path.ends_with("/responses") => Shape::Responses,
        _ => {
            let words = format!("Invalid URL ({} {path})", request.method());
            return failed(&Failure::with_error(404, &words, "invalid_request_error", "unknown_url"));
        }
    };
    let (parts, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, BODY_LIMIT).await.unwrap_or_default();
    match read(shape, &parts.headers, &bytes) {
        Ok(request) => respond(&fake, &cut, request, bytes.len()).await,
        Err(failure) => failed(&failure),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "))
}

/// The request, or what the API says to a body that it cannot use.
fn read(shape: Shape, headers: &HeaderMap, bytes: &[u8]) -> Result<Request, Failure> {
    let invalid = |words: &str, code: &str| Failure::with_error(400, words, "invalid_request_error", code);
    let body: Value = serde_json::from_slice(bytes).map_err(|error| {
        invalid(&format!("We could not parse the JSON body of your request: {error}."), "invalid_json")
    })?;
    let conversation = if shape == Shape::Chat { "messages" } else { "input" };
    for name in ["model", conversation] {
        if body.get(name).is_none_or(Value::is_null) {
            return Err(invalid(
                &format!("Missing required parameter: '{name}'."),
                "missing_required_parameter",
            ));
        }
    }
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    Ok(Request { number: 0, at: 0, shape, body, headers, fate: Fate::Running })
}

async fn respond(fake: &ModelFake, cut: &Cut, request: Request, size: usize) -> Response {
    let (request, script, mut visit) = fake.admit(request);
    for step in &script.head_wait {
        match step {
            Step::Wait(gate) => gate.pass().await,
            Step::Delay(by) => tokio::time::sleep(*by).await,
            _ => {}
        }
    }
    if let Some(failure) = &script.failure {
        visit.done();
        if failure.status == 0 {
            cut.reset();
        }
        return failed(failure);
    }
    let player = Player::new(writer(&request, &script), script, (size as u64).div_ceil(4), visit);
    if request.streams() {
        let mut response = Response::new(Body::from_stream(player.stream()));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(HeaderName::from_static("x-request-id"), HeaderValue::from(request.number));
        return response;
    }
    match player.whole().await {
        Some(whole) => answer(200, "application/json", whole.to_string().into()),
        None => {
            cut.reset();
            Response::default()
        }
    }
}

fn writer(request: &Request, script: &Script) -> Box<dyn Writer> {
    let created = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (number, body) = (request.number, &request.body);
    match request.shape {
        Shape::Chat => Box::new(ChatWriter::new(number, created, body, script.shape, script.null_first)),
        Shape::Responses => Box::new(ResponsesWriter::new(number, created, body, script.shape)),
    }
}

fn failed(failure: &Failure) -> Response {
    let mut response = answer(failure.status, failure.kind, failure.body.clone());
    let wait = failure.retry_after.as_deref().and_then(|value| HeaderValue::from_str(value).ok());
    if let Some(wait) = wait {
        response.headers_mut().insert(RETRY_AFTER, wait);
    }
    response
}

fn answer(status: u16, kind: &str, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let Ok(kind) = HeaderValue::from_str(kind) {
        response.headers_mut().insert(CONTENT_TYPE, kind);
    }
    response
}
