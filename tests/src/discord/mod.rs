//! A Discord that runs on loopback: REST with its limits and its words of refusal, the gateway with all that can go wrong on it, and
//! people who write, call commands and press buttons. It checks what bots send and knows nothing of Pensive.

mod channel;
mod checks;
pub mod control;
mod endpoints;
mod fake;
mod fault;
mod gateway;
mod guild;
mod interaction;
mod limits;
mod message;
mod outcome;
mod people;
mod person;
mod record;
mod refusal;
mod room;
mod seen;
mod server;
mod time;
mod world;

pub use channel::ChannelKind;
pub use fake::{BotAccount, DiscordFake, Options};
pub use fault::{Answer, Fault, Injected, Stage};
pub use gateway::line::{Line, Resumable};
pub use person::{Called, Person};
pub use record::{Call, Said, Violation};
pub use refusal::{Refusal, Scope};
pub use room::{Guild, Room};
pub use seen::{Attached, Choice, Film, Frame, Menu, Seen};
