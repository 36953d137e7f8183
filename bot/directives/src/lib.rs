//! Words to settings: what a person types with a slash, what it means, what holds because of it and what is answered.
//!
//! A message takes three steps, each a plain function. [`parse()`] finds directives and commands in what was typed and
//! cuts them out; [`judge()`] says what is stored, what holds for this message alone, what is answered and whether the
//! model runs; [`resolve()`] settles every setting of a run and remembers who set it. This crate knows no other, waits
//! for nothing and keeps nothing.

mod vocabulary;

mod family;
mod profile;
mod settings;

mod commands;
mod help;

mod ask;
mod code;
mod cut;
mod message;
mod parse;
mod scan;
mod words;

#[cfg(test)]
mod linearity;

mod bench;
mod judge;
mod pick;
mod picker;
mod resolve;

pub use ask::{Ask, ModelWant, Want};
pub use commands::{
    Access, Argument, CommandCall, CommandName, CommandSpec, NOTHING_RUNNING, Placement, STOPPED, Values,
    table,
};
pub use family::effort::Effort;
pub use family::elevated::Elevated;
pub use family::fast::Fast;
pub use family::model::ModelEntry;
pub use family::queue::{Queue, QueueMode};
pub use family::reasoning::Reasoning;
pub use family::think::{Level, LevelWord};
pub use family::trace::Trace;
pub use family::usage::Usage;
pub use family::verbose::Verbose;
pub use help::{commands, help};
pub use judge::{Owner, RunsModel, Standing, Verdict, judge};
pub use parse::{Addressee, Parsed, Shape, Typed, parse};
pub use pick::find_model;
pub use picker::{Choice, Picker};
pub use profile::{LevelChoice, Profile};
pub use resolve::{Layers, Resolved, Settings, ThinkResolved, resolve};
pub use settings::{Change, Defaults, Once, OnceOverrides, Overrides, Scope, Source};
