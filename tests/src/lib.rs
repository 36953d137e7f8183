//! What stands in for the outside world while Pensive is tried: a Telegram Bot API server, a Discord with its gateway and a model server
//! that check what they are sent and fail on demand. They know nothing of the daemon and can be played with by hand (`src/bin`).
#![allow(
    clippy::disallowed_methods,
    reason = "fakes live in real time and hold their own tasks; the daemon's rules are not theirs"
)]

pub mod chat;
pub mod clock;
pub mod discord;
pub mod gate;
pub mod harness;
pub mod live;
pub mod model;
pub mod program;
pub mod pty;
pub mod scene;
pub mod socket;
pub mod talk;
pub mod telegram;
pub mod tools;
pub mod wire;
