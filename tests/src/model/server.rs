//! The HTTP side: finds the API in the path, reads the request, and lets the script answer.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, DefaultBodyLimit, Request as HttpRequest, State},
    http::{
        HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri,
        header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER},
        request::Parts,
    },
    response::Response,
};
use bytes::Bytes;
use serde_json::Value;

use super::{
    ModelFake,
    anthropic::AnthropicWriter,
    chat::ChatWriter,
    control, conversation,
    failure::Failure,
    gemini::GeminiWriter,
    listener, listing,
    ollama::OllamaWriter,
    player::{Player, Writer},
    request::{Fate, Request, Shape},
    responses::ResponsesWriter,
    script::{Script, Step},
    seal::Sealer,
};
use crate::socket::Cut;

/// Bytes of one request that are read.
const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// Serves all APIs under any base path, and `/_control/…` beside them.
pub(crate) fn router(fake: ModelFake) -> Router {
    let limit = DefaultBodyLimit::max(BODY_LIMIT);
    Router::new().nest("/_control", control::router()).fallback(serve).layer(limit).with_state(fake)
}

/// What a path is for.
enum Door {
    Models,
    Show,
    Talk,
    Listen,
    Nothing,
}

async fn serve(
    State(fake): State<ModelFake>,
    ConnectInfo(cut): ConnectInfo<Cut>,
    request: HttpRequest,
) -> Response {
    let (shape, door) = door(&request);
    if let Some(key) = &fake.options().key
        && given_key(request.headers(), request.uri()) != Some(key)
    {
        return failed(&wrong_key(shape), shape);
    }
    match door {
        Door::Models => json(&listing::models(shape, &fake.options().models)),
        Door::Show => json(&listing::shown()),
        Door::Listen => listener::listen(&fake, request).await,
        Door::Nothing => failed(&unknown_url(&request), shape),
        Door::Talk => {
            let (parts, body) = request.into_parts();
            let bytes = axum::body::to_bytes(body, BODY_LIMIT).await.unwrap_or_default();
            match read(shape, &parts, &bytes) {
                Ok(request) => respond(&fake, &cut, request, bytes.len()).await,
                Err(failure) => failed(&failure, shape),
            }
        }
    }
}

fn door(request: &HttpRequest) -> (Shape, Door) {
    let path = request.uri().path().trim_end_matches('/');
    match *request.method() {
        Method::GET if path.ends_with("/api/tags") => (Shape::Ollama, Door::Models),
        Method::GET if path.ends_with("/models") => (lister(request), Door::Models),
        Method::POST if path.ends_with("/api/show") => (Shape::Ollama, Door::Show),
        Method::POST if path.ends_with("/api/chat") => (Shape::Ollama, Door::Talk),
        Method::POST if path.ends_with("/chat/completions") => (Shape::Chat, Door::Talk),
        Method::POST if path.ends_with("/audio/transcriptions") => (Shape::Chat, Door::Listen),
        Method::POST if path.ends_with("/responses") => (Shape::Responses, Door::Talk),
        Method::POST if path.ends_with("/messages") => (Shape::Anthropic, Door::Talk),
        Method::POST if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") => {
            (Shape::Gemini, Door::Talk)
        }
        _ => (lister(request), Door::Nothing),
    }
}

/// Whose list a client of `…/models` reads, by what else it sends.
fn lister(request: &HttpRequest) -> Shape {
    if request.headers().contains_key("anthropic-version") {
        Shape::Anthropic
    } else if request.uri().path().contains("/v1beta/") || request.headers().contains_key("x-goog-api-key") {
        Shape::Gemini
    } else {
        Shape::Chat
    }
}

/// The key, wherever one of the vendors has it.
fn given_key<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Option<&'a str> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = text(AUTHORIZATION.as_str()).and_then(|value| value.strip_prefix("Bearer "));
    let query = || {
        uri.query().into_iter().flat_map(|query| query.split('&')).find_map(|pair| pair.strip_prefix("key="))
    };
    bearer.or_else(|| text("x-api-key")).or_else(|| text("x-goog-api-key")).or_else(query)
}

fn wrong_key(shape: Shape) -> Failure {
    match shape {
        Shape::Anthropic => Failure::words(401, "invalid x-api-key"),
        // Google says 400 to a key that it does not know.
        Shape::Gemini => Failure::words(400, "API key not valid. Please pass a valid API key."),
        Shape::Ollama => Failure::words(401, "unauthorized"),
        Shape::Chat | Shape::Responses => Failure::json(401),
    }
}

fn unknown_url(request: &HttpRequest) -> Failure {
    let words = format!("Invalid URL ({} {})", request.method(), request.uri().path());
    Failure::with_error(404, &words, "invalid_request_error", "unknown_url")
}

/// The request, or what the API says to a body that it cannot use.
fn read(shape: Shape, parts: &Parts, bytes: &[u8]) -> Result<Request, Failure> {
    let body: Value = serde_json::from_slice(bytes).map_err(|error| {
        let words = format!("We could not parse the JSON body of your request: {error}.");
        Failure::words(400, words).code("invalid_json")
    })?;
    let needed: &[&str] = match shape {
        Shape::Chat => &["model", "messages"],
        Shape::Responses => &["model", "input"],
        Shape::Anthropic => &["model", "messages", "max_tokens"],
        Shape::Gemini => &["contents"],
        Shape::Ollama => &["model"],
    };
    if let Some(name) = needed.iter().find(|name| body.get(**name).is_none_or(Value::is_null)) {
        return Err(missing(shape, name));
    }
    let path = parts.uri.path().trim_end_matches('/').to_owned();
    if path.ends_with(":streamGenerateContent") && !parts.uri.query().unwrap_or_default().contains("alt=sse")
    {
        return Err(Failure::words(400, "This fake streams only with alt=sse."));
    }
    let body = if shape == Shape::Gemini { conversation::camel(body) } else { body };
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = parts.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    Ok(Request { number: 0, at: 0, shape, path, body, headers, fate: Fate::Running, refused: None })
}

fn missing(shape: Shape, name: &str) -> Failure {
    match shape {
        Shape::Chat | Shape::Responses => {
            Failure::words(400, format!("Missing required parameter: '{name}'."))
                .code("missing_required_parameter")
                .param(name)
        }
        Shape::Anthropic => Failure::words(400, format!("{name}: Field required")),
        Shape::Gemini => {
            Failure::words(400, "* GenerateContentRequest.contents: contents is not specified\n")
        }
        Shape::Ollama => Failure::words(400, format!("{name} is required")),
    }
}

async fn respond(fake: &ModelFake, cut: &Cut, request: Request, size: usize) -> Response {
    let (request, script, mut visit) = fake.admit(request);
    let script = match script {
        Ok(script) => script,
        Err(refusal) => {
            visit.done();
            return failed(&refusal, request.shape);
        }
    };
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
        return failed(failure, request.shape);
    }
    let writer = writer(&request, &script, visit.sealer().clone());
    let player = Player::new(writer, script, (size as u64).div_ceil(4), visit);
    if request.streams() {
        return streamed(&request, Body::from_stream(player.stream()));
    }
    match player.whole().await {
        Some(whole) => json(&whole),
        None => {
            cut.reset();
            Response::default()
        }
    }
}

fn writer(request: &Request, script: &Script, sealer: Sealer) -> Box<dyn Writer> {
    let created = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    match request.shape {
        Shape::Chat => Box::new(ChatWriter::new(request, script, created, sealer)),
        Shape::Responses => Box::new(ResponsesWriter::new(request, script, created, sealer)),
        Shape::Anthropic => Box::new(AnthropicWriter::new(request, script, sealer)),
        Shape::Gemini => Box::new(GeminiWriter::new(request, script, sealer)),
        Shape::Ollama => Box::new(OllamaWriter::new(request)),
    }
}

fn streamed(request: &Request, body: Body) -> Response {
    let (kind, id) = match request.shape {
        Shape::Ollama => ("application/x-ndjson", "x-request-id"),
        Shape::Gemini => ("text/event-stream", "x-request-id"),
        Shape::Anthropic => ("text/event-stream; charset=utf-8", "request-id"),
        Shape::Chat | Shape::Responses => ("text/event-stream; charset=utf-8", "x-request-id"),
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(HeaderName::from_static(id), HeaderValue::from(request.number));
    response
}

pub(crate) fn failed(failure: &Failure, shape: Shape) -> Response {
    let (kind, body) = failure.render(shape);
    let mut response = answer(failure.status, kind, body);
    let wait = failure.retry_after.as_deref().and_then(|value| HeaderValue::from_str(value).ok());
    if let (Some(wait), true) = (wait, shape != Shape::Gemini) {
        response.headers_mut().insert(RETRY_AFTER, wait);
    }
    response
}

pub(crate) fn json(body: &Value) -> Response {
    answer(200, "application/json", body.to_string().into())
}

fn answer(status: u16, kind: &str, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let Ok(kind) = HeaderValue::from_str(kind) {
        response.headers_mut().insert(CONTENT_TYPE, kind);
    }
    response
}
