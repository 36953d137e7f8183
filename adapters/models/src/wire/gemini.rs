//! Google's Generative AI: `streamGenerateContent` of Gemini 2.5 and later.
//!
//! What Gemini signs goes back on the part that it came with, unmerged with its neighbours; Gemini 3 refuses a call
//! without its signature (<https://ai.google.dev/gemini-api/docs/thought-signatures>, read in November 2026).

mod decode;
mod encode;
mod path;
mod seal;

pub(crate) use decode::Decoder;
pub(crate) use encode::encode;
pub(crate) use path::path;

#[cfg(test)]
mod tests;
