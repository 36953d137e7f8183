//! The Discord channel: one bot account that takes in what people write and sends what the engine says.
//!
//! What comes in: `gateway` holds the line that events come in by, `wire` names their fields, `book` knows the channels,
//! `receive` reads events as the engine's inbound shape. What goes out: `render` makes messages of a body, `outlet` sends them,
//! `previews` shows what is being made, `verdict` says how a call ended, `files` fetches what came with messages. Slash commands
//! have two sides: `commands` publishes them, `interactions` answers whoever called one or pressed a button. `letter` is what a
//! message is made of, `probe` examines an account for its operator. Below all is `client`, one HTTP call under the limits that
//! Discord tells (`buckets`, read from answers by `answer`).
//!
//! Nothing here retries a send, parses a directive, judges access or keeps state that a restart would miss.

mod handle;
mod routes;
mod settings;

mod answer;
mod buckets;
mod client;
mod verdict;

mod book;
mod gateway;
mod receive;
mod wire;

mod account;
mod probe;

mod commands;
mod components;
mod interactions;

mod address;
mod files;
mod letter;
mod outlet;
mod previews;
mod render;

#[cfg(test)]
mod bench;

pub use account::{Discord, connect};
pub use probe::probe;
pub use render::render;
pub use settings::{DiscordSettings, Pings, Registration};
