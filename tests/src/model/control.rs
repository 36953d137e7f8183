//! `/_control/…`.
use super::ModelFake;
use axum::Router;
/// Routes.
pub(crate) fn router() -> Router<ModelFake> {
    Router::new()
}
