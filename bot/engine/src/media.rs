//! What people send along with their words. The desk asks `welcome` what can be done with it at all; a run fetches it
//! (`basket`), knows it by its bytes (`sort`) and puts it before the words; each call gets what its model takes (`fit`); the
//! transcript keeps a `mark` of it and never the thing itself.

use pensive_contract::media::{Media, MediaKind};

mod basket;
mod fit;
mod mark;
mod shape;
mod sort;
mod welcome;

pub(crate) use basket::ears;
pub(crate) use fit::for_model;
pub(crate) use mark::{marked, spoken, words};
pub(crate) use shape::{Shape, shape};
pub(crate) use welcome::{Ears, Means, welcome};

/// About how many bytes of text a thing weighs in a model's window.
pub(crate) fn weight(media: &Media) -> usize {
    match media.kind {
        _ if media.mime == PLAIN => media.bytes.len(),
        // Some 1,600 tokens, whatever its size.
        MediaKind::Image => 4_800,
        // Some 30 tokens a second of compressed speech, and a page's words in some 20 KB.
        MediaKind::Audio | MediaKind::Document => (media.bytes.len() / 10).max(3_000),
    }
}

/// What the engine takes for words that a document holds, and for asides of its own.
pub(crate) const PLAIN: &str = "text/plain";
