//! The HTTP side: finds bot and method in the path, reads the arguments, and serves uploaded files.

use axum::{
    Router,
    extract::{ConnectInfo, Request, State},
    response::Response,
};

use super::{
    TelegramFake, body, control,
    fault::{Answer, Stage},
    outcome::{Outcome, raw},
    record::Call,
    refusal::Refusal,
    schema,
    work::Work,
};
use crate::socket::Cut;

/// Bytes of one request that are read.
const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// Serves every path of the Bot API, and `/_control` beside it.
pub(crate) fn router(fake: TelegramFake) -> Router {
    Router::new().nest("/_control", control::router()).fallback(serve).with_state(fake)
}

async fn serve(
    State(fake): State<TelegramFake>,
    ConnectInfo(cut): ConnectInfo<Cut>,
    request: Request,
) -> Response {
    let came = fake.clock();
    // A base URL with a trailing slash gives two.
    let path = match body::path(request.uri().path().trim_start_matches('/')) {
        Ok(path) => path,
        Err(refusal) => return Outcome::Refused(refusal).response(),
    };
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
        fake.file(Call { fault: true, ..Call::begun(method, token, came) }, Vec::new());
        cut.reset();
        return Response::default();
    }
    let (parts, stream) = request.into_parts();
    let bytes = axum::body::to_bytes(stream, BODY_LIMIT).await.unwrap_or_default();
    let given = body::read(parts.uri.query(), &parts.headers, bytes).await;
    let work = Work { fake, cut, came, method: method.to_owned(), token: token.to_owned() };
    match given {
        Ok(given) => work.answer(&given, struck).await,
        Err(refusal) => work.unreadable(refusal),
    }
}

fn download(fake: &TelegramFake, token: &str, path: &str) -> Response {
    let mut world = fake.world();
    if !world.tokens.contains_key(token) {
        return Outcome::Refused(Refusal::unauthorized()).response();
    }
    let Some(bytes) = world.files.values().find(|file| file.path == path).map(|file| file.bytes.clone())
    else {
        return Outcome::Refused(Refusal::not_found()).response();
    };
    world.downloads.push(path.to_owned());
    drop(world);
    fake.tick();
    raw(200, "application/octet-stream", bytes)
}
