//! A Telegram Bot API server to try bots against: long polling with real time limits, message boxes, forums, and faults on demand. It
//! checks every call against the field lists of Bot API 10.3 and the limits of the documentation, and keeps what it saw.
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use pensive_tests::telegram::{Fault, TelegramFake};
//!
//! let telegram = TelegramFake::start().await?;
//! // … start a bot with telegram.url() and telegram.token() …
//! let alice = telegram.user("Alice");
//! telegram.inject(Fault::on("sendMessage").retry_after(1));
//! alice.say("/think high");
//! let answer = telegram.wait_for(|call| call.method == "sendMessage" && call.ok()).await;
//! assert_eq!(telegram.violations(), []);
//! # Ok(())
//! # }
//! ```

mod body;
mod bots;
pub mod control;
mod conversation;
mod draft;
mod fake;
mod fault;
mod flood;
mod markup;
mod methods;
mod outcome;
mod parse_mode;
mod people;
mod person;
mod poll;
mod post;
mod queue;
mod record;
mod refusal;
mod rich;
mod room;
mod schema;
mod screen;
mod server;
mod setting;
mod text;
mod work;
mod world;

pub use bots::BotAccount;
pub use conversation::Seen;
pub use draft::{DRAFT_LIFE_MS, Draft};
pub use fake::{Options, TelegramFake};
pub use fault::{Answer, Fault, Injected, Stage};
pub use flood::FloodLimits;
pub use people::ChatKind;
pub use person::{Person, Press};
pub use post::Post;
pub use record::{Call, Violation};
pub use refusal::Refusal;
pub use room::Room;
pub use screen::{Film, Frame, Screen};
pub use text::{CAPTION_LIMIT, MESSAGE_LIMIT, utf16_len};
pub use world::Posted;
