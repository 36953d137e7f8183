//! The terminal channel: a local socket that the daemon listens on, and the clients that speak through it: the chat,
//! one turn for a script, and the small verbs. Read [`wire`] first: it is the whole protocol.
//!
//! Whoever may open the socket is the operating-system user that the daemon runs as, so nobody is asked who they are.

mod client;
mod fault;
mod lines;
mod server;
pub mod wire;

pub use client::{Dress, Ending, Ink, Input, Link, Replies, Sheet, Sheets, ask, chat, harmless};
pub use fault::TerminalFault;
pub use server::{Desk, Terminal, TerminalSettings, account};
