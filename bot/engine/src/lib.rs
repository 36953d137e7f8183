//! The product's behaviour: who is let in, what a message means for its session, how a model is run for it, and how the
//! answer reaches the person exactly once. Knows no platform, no provider, no database and no clock of its own: all of
//! that comes through the ports of `pensive-contract`.
//!
//! A message's way through this crate: [`Engine`] takes it in (`hearing`, `access`, `rate`), `route` says where it
//! belongs, its `lane` decides at the `desk` what is answered at once and what is run, a `run` goes its `course` over each
//! `call` of the model and the `tools` that it calls for, `ending` says what came of it, and a `courier` carries it out. `recovery` goes on after a restart.
//!
//! What it never does: hold a message only in memory, send before what is sent is on disk (but for an answer, and word of
//! the trouble, where the disk refuses), or try again what may have landed.

mod access;
mod album;
mod answer;
mod approval;
mod backlog;
mod bubble;
mod budget;
mod call;
mod core;
mod courier;
mod course;
mod desk;
mod digest;
mod effort;
mod enclosure;
mod ending;
mod engine;
mod errand;
mod hearing;
mod hold;
mod lane;
mod mask;
mod media;
mod notices;
mod own;
mod picker;
mod present;
mod prompt;
mod rate;
mod recovery;
mod removal;
mod retry;
mod route;
mod rule;
mod run;
#[cfg(test)]
mod samples;
mod screen;
pub mod settings;
mod status;
mod suggest;
mod tools;
mod trace;
mod traces;
mod ultra;
mod workers;

pub use crate::core::Ports;
pub use engine::{Engine, Overview};
pub use mask::{Masker, STARS};
