//! The model fake as a plain HTTP client meets it: five shapes, streamed and whole, recordings, everything that goes wrong, and what it refuses.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly, and the fakes live in real time"
)]

mod anthropic;
mod bench;
mod gemini;
mod media;
mod ollama;
mod openai;
mod record;
mod replay;
mod rules;
