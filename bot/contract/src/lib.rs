//! The words that Pensive's rooms share and the ports between them: small values without a runtime, a database, HTTP or
//! any platform's or provider's name.
//!
//! Read [`ids`] and [`inbound`] for what comes in, [`outward`] for what goes out, [`model`] and [`speech`] for the model's
//! side, [`tool`] for what it may do, [`session`] and [`store`] for what is kept, [`clock`], [`fault`] and [`finding`] for time
//! and trouble.

pub mod clock;
pub mod fault;
pub mod finding;
pub mod ids;
pub mod inbound;
pub mod intake;
pub mod media;
pub mod model;
pub mod outward;
pub mod secret;
pub mod session;
pub mod speech;
pub mod store;
pub mod tool;
