//! OpenAI's Responses: what a conversation becomes, and what becomes of the answer.

mod answer;
mod body;
mod decoder;
mod sealed;

pub(crate) use body::encode;
pub(crate) use decoder::Decoder;

#[cfg(test)]
mod tests;
