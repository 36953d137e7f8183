//! The load harness: what a message costs, told as one table beside its aims.
//!
//! Times are taken inside the fakes, between the moment in which an answer leaves them and the moment in which the next
//! request is there, so that what the harness itself does stays out.

mod bench;
mod capacity;
mod discord;
mod floor;
mod growth;
mod live;
mod plan;
mod quick;
mod storm;
mod yardstick;

pub use plan::{Options, Part, run};
