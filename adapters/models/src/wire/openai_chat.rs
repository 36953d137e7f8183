//! Chat Completions, as OpenAI defines it and as the many servers write it that follow its example.

mod answer;
mod body;
mod calls;
mod decoder;
mod details;

pub(crate) use body::encode;
pub(crate) use decoder::Decoder;

#[cfg(test)]
mod tests;
