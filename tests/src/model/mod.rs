//! A model server in five shapes, streaming and whole: OpenAI's Chat Completions and Responses, Anthropic's Messages, Gemini, and Ollama's
//! own. It plays scripts: reasoning with its seals, text, tool calls, pauses that a test ends, and every way of going wrong. Like a vendor
//! it refuses requests that break its rules. Without a script it echoes.
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use pensive_tests::{gate::Gate, model::{ModelFake, Script}};
//!
//! let model = ModelFake::start().await?;
//! let gate = Gate::new();
//! model.play(Script::new().reasoning("Hm.").wait(&gate).text("42"));
//! // … ask at model.base_url() …
//! let request = model.wait_for_request(|request| request.prompt().contains("meaning")).await;
//! assert_eq!(request.effort(), Some("high"));
//! gate.open();
//! # Ok(())
//! # }
//! ```

mod anthropic;
mod chat;
pub mod control;
mod conversation;
mod failure;
mod fake;
mod gemini;
mod listener;
mod listing;
mod media;
mod ollama;
mod player;
mod record;
mod request;
mod responses;
mod rules;
mod script;
mod seal;
mod server;

pub use failure::Failure;
pub use fake::{ModelFake, Options};
pub use listener::Recording;
pub use media::{Media, MediaKind};
pub use request::{Fate, Request, Shape};
pub use rules::{RefusedEfforts, Replay, Rules, Strictness};
pub use script::{Finish, ReasoningShape, Script, Step, Usage};
