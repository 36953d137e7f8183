//! A model server in the two shapes of OpenAI's API, Chat Completions and Responses, streaming and whole. It plays scripts: reasoning,
//! text, tool calls, pauses that a test ends, and every way of going wrong. Without a script it echoes.
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

mod chat;
pub mod control;
mod failure;
mod fake;
mod player;
mod request;
mod responses;
mod script;
mod server;

pub use failure::Failure;
pub use fake::{ModelFake, Options};
pub use request::{Fate, Request, Shape};
pub use script::{Finish, ReasoningShape, Script, Step, Usage};
