//! `/_control/…`.
use super::TelegramFake;
use axum::Router;
/// Routes.
pub(crate) fn router() -> Router<TelegramFake> {
    Router::new()
}
