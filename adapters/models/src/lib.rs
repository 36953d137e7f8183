//! Model providers: the shapes they speak, how they are reached, what is known of their models, and a stand-in that needs
//! none of them.
//!
//! A call goes from [`Models`] through a wire module, which turns it into a body, over the transport, and back as bytes
//! that become server-sent events or JSON values, then the wire module's pieces, then, with think tags filtered, the
//! events of the port.
//!
//! OpenAI's two shapes are written with the request types of `async-openai`, which know every field. Its client is not
//! used: it swallows `[DONE]`, so that an answer cut short looks whole; it reads each answer in a task of its own into an
//! unbounded queue; and its reader took 140 ms of CPU for an answer of 20,000 deltas (20 ms here) and a second for an
//! event of 1 MiB that came in pieces of 1 KiB, because it begins each line anew with every piece.

mod settings;

mod catalogue;
mod http;
mod knobs;
mod ladder;
mod lessons;
mod registry;
mod sheet;

mod history;
mod kept;
mod stream;
mod tags;
mod wire;

mod refusal;
mod repair;
mod sse;
mod transport;
mod trouble;
mod values;

mod ollama;
mod probe;
mod rehearsal;
mod transcribe;

pub use ollama::ollama_models;
pub use probe::{Listed, Look};
pub use registry::{Models, ModelsError};
pub use settings::{Api, ModelRow, ModelsSettings, ProviderSettings, ThinkingFormat, TimeLimits};
pub use sheet::{Explanation, Sheet, SheetLevel, Unknown};
pub use tags::{TagFilter, untagged};
