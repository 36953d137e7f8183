//! What the configuration says, in the words of each room.

mod discord;
mod engine;
mod models;
mod telegram;
mod tools;

pub(crate) use discord::discord;
pub(crate) use engine::engine;
pub(crate) use models::{keyless, models};
pub(crate) use telegram::telegram;
pub(crate) use tools::tools;
