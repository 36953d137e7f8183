//! The Telegram channel: one bot account that takes in what people write and sends what the engine says.
//!
//! What comes in: `poll` asks for events, `wire` names their fields, `receive` reads them as the engine's inbound
//! shape. What goes out: `render` makes messages of a body, `outlet` sends them, `previews` shows what is being made by the
//! best method that a chat takes (`ladder`), `verdict` says how a call ended; `enclosure` sends files, `files` fetches what came with messages. Below both is `client`, one HTTP call; beside them `identity` and `menu` run once at start.
//!
//! Nothing here retries a send, parses a directive, judges access or keeps state that a restart would miss.

mod units;

mod client;
mod payloads;
mod repair;
mod wire;

mod address;
mod chats;
mod receive;

mod account;
mod identity;
mod menu;
mod pauses;
mod poll;
mod probe;
mod trouble;

mod enclosure;
mod files;
mod ladder;
mod letter;
mod outlet;
mod previews;
mod render;
mod verdict;

pub use account::{Telegram, TelegramSettings, connect};
pub use probe::{Hearing, probe};
pub use render::{RichMessages, render};
