//! The effort tier of the whole daemon: read at start, on disk before anybody hears that it is set. Beside it, which chats
//! were told that a model lacks the tier.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pensive_contract::model::ModelRef;
use pensive_contract::store::{Notes, StoreFault};
use pensive_directives::Effort;
use tokio::sync::watch;

use crate::core::Address;

/// The note that holds the tier's name; empty when it was given up.
const NOTE: &str = "effort";

/// The one owner of the tier.
pub(crate) struct Knob {
    /// Held while the disk is written, so that of two owners who turn it at once the later one wins both there and here.
    notes: tokio::sync::Mutex<Arc<dyn Notes>>,
    tier: watch::Sender<Option<Effort>>,
    told: Mutex<HashSet<Clamp>>,
}

/// A tier that a model lacks, as one chat is told about it: once until the next start.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Clamp {
    pub(crate) chat: Address,
    pub(crate) model: ModelRef,
    pub(crate) tier: Effort,
}

impl Knob {
    /// The knob as it was left.
    ///
    /// # Errors
    /// The store could not be read.
    pub(crate) async fn read(notes: Arc<dyn Notes>) -> Result<Self, StoreFault> {
        let kept = notes.note(NOTE).await?.unwrap_or_default();
        let tier = String::from_utf8(kept).ok().as_deref().and_then(Effort::normalise);
        Ok(Self {
            notes: tokio::sync::Mutex::new(notes),
            tier: watch::Sender::new(tier),
            told: Mutex::default(),
        })
    }

    /// Where it stands.
    pub(crate) fn tier(&self) -> Option<Effort> {
        *self.tier.borrow()
    }

    /// Turns it; that is on disk when this returns.
    ///
    /// # Errors
    /// It stays where it was.
    pub(crate) async fn keep(&self, tier: Option<Effort>) -> Result<(), StoreFault> {
        let notes = self.notes.lock().await;
        notes.keep(NOTE, tier.map_or("", Effort::name).into()).await?;
        self.tier.send_replace(tier);
        Ok(())
    }

    /// Whether this chat knows already.
    pub(crate) fn is_told(&self, clamp: &Clamp) -> bool {
        self.memory().contains(clamp)
    }

    /// Remembers that it was told.
    pub(crate) fn told(&self, clamp: Clamp) {
        self.memory().insert(clamp);
    }

    fn memory(&self) -> MutexGuard<'_, HashSet<Clamp>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
