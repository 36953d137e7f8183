//! Model providers: the shapes they speak, how they are reached, what is known of their models, and a stand-in that needs
//! none of them.
//!
//! A call goes from [`Models`] through a wire module, which turns it into a body, over the transport, and back as bytes
//! that become server-sent events, then the wire module's pieces, then, with think tags filtered, the events of the port.
//!
//! OpenAI's two shapes are written with the request types of `async-openai`. Its client is not used: it hides `[DONE]`,
//! so that an answer cut short looks whole; it reads each answer in a task of its own that feeds an unbounded queue; and
//! its event reader took 5 times the CPU of this one for 20,000 events and grows with the square of a long line.

mod settings;

mod catalogue;
mod http;
mod ladder;
mod registry;

mod stream;
mod tags;
mod wire;

mod refusal;
mod sse;
mod transport;
mod trouble;

mod ollama;
mod rehearsal;

pub use ollama::ollama_models;
pub use registry::{Models, ModelsError};
pub use settings::{Api, ModelRow, ModelsSettings, ProviderSettings, TimeLimits};
pub use tags::TagFilter;
