//! Seals that a provider did not know again. They stay behind from then on: each call would be refused anew, and what a
//! model thinks after such a call may be bound to a history without them.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use pensive_contract::model::{ModelRequest, PromptTurn};
use pensive_contract::speech::Seal;

/// How many are kept in mind. Beyond that all are forgotten, which costs each conversation one refused call.
const MOST: usize = 1 << 16;

/// The refused seals, by their hashes. Held until the daemon ends.
#[derive(Debug, Default)]
pub(crate) struct Refused(Mutex<BTreeSet<u64>>);

impl Refused {
    /// Keeps every seal of a request in mind; which one it was is not told.
    pub(crate) fn learn(&self, request: &ModelRequest) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() > MOST {
            known.clear();
        }
        for turn in &request.turns {
            if let PromptTurn::Assistant(speech) = turn {
                known.extend(speech.pieces.iter().filter_map(|piece| piece.seal.as_ref()).map(hash));
            }
        }
    }

    pub(super) fn knows(&self, seal: &Seal) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&hash(seal))
    }
}

fn hash(seal: &Seal) -> u64 {
    let mut hasher = DefaultHasher::new();
    seal.0.hash(&mut hasher);
    hasher.finish()
}
