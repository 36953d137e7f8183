//! What the configuration says, in the words of each room.

mod engine;
mod models;
mod telegram;
mod tools;

pub(crate) use engine::engine;
pub(crate) use models::{keyless, models};
pub(crate) use telegram::telegram;
pub(crate) use tools::tools;
