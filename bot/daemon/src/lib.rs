//! The daemon: reads the command line, puts the rooms together, and ends them in order. It decides nothing about a
//! message.
//!
//! [`House`] is the whole product assembled over a configuration and a clock; tests start it in their own process. The
//! `verbs` are what the command line offers; all but `run` speak to a running daemon where there is one.

mod arguments;
mod clock;
mod doctor;
mod doubts;
mod equipment;
mod exit;
mod greeting;
mod house;
mod logs;
mod settings;
mod unserved;
mod verbs;

pub use clock::SystemClock;
pub use house::{House, Plan, Reach, StartFault};
pub use verbs::main;

/// The version that the daemon tells everybody.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
