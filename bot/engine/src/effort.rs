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

/// How many tellings are kept in mind. Beyond that all are forgotten, and each chat may be told once more.
const MOST: usize = 1 << 14;

/// The one owner of the tier.
pub(crate) struct Knob {
    /// Held while the disk is written, so that of two owners who turn it at once the later one wins both there and here.
    notes: tokio::sync::Mutex<Arc<dyn Notes>>,
    tier: watch::Sender<Option<Effort>>,
    told: Mutex<HashSet<Clamp>>,
}

/// A tier that a model lacks, as one chat is told about it: once until the next start, or until very many were told.
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
        let tier = str::from_utf8(&kept).ok().and_then(Effort::normalise);
        if tier.is_none() && !kept.is_empty() {
            tracing::warn!(bytes = kept.len(), "the kept effort is no tier of this version; none is set");
        }
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
        let mut memory = self.memory();
        if memory.len() >= MOST {
            memory.clear();
        }
        memory.insert(clamp);
    }

    fn memory(&self) -> MutexGuard<'_, HashSet<Clamp>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use pensive_contract::ids::{Account, AccountId, ChannelName, ChatId};

    use super::*;

    /// A disk of one note, which may be full.
    #[derive(Default)]
    struct Disk {
        note: Mutex<Option<Vec<u8>>>,
        is_full: bool,
    }

    #[async_trait]
    impl Notes for Disk {
        async fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreFault> {
            assert_eq!(name, NOTE);
            Ok(self.note.lock().unwrap().clone())
        }

        async fn keep(&self, name: &str, value: Vec<u8>) -> Result<(), StoreFault> {
            assert_eq!(name, NOTE);
            if self.is_full {
                return Err(StoreFault::Disk("full".to_owned()));
            }
            *self.note.lock().unwrap() = Some(value);
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_knob_stands_where_it_was_left() {
        let disk = Arc::new(Disk::default());
        for tier in Effort::ALL.iter().copied().map(Some).chain([None]) {
            Knob::read(disk.clone()).await.unwrap().keep(tier).await.unwrap();
            assert_eq!(Knob::read(disk.clone()).await.unwrap().tier(), tier);
        }
        *disk.note.lock().unwrap() = Some(vec![0xff]);
        assert_eq!(Knob::read(disk).await.unwrap().tier(), None, "what cannot be read is no tier");
    }

    #[tokio::test]
    async fn what_is_not_on_disk_does_not_hold() {
        let disk = Disk { note: Mutex::new(Some(b"low".to_vec())), is_full: true };
        let knob = Knob::read(Arc::new(disk)).await.unwrap();
        knob.keep(Some(Effort::Max)).await.unwrap_err();
        assert_eq!(knob.tier(), Some(Effort::Low));
    }

    #[tokio::test]
    async fn a_clamp_is_told_once_for_each_chat_model_and_tier() {
        let knob = Knob::read(Arc::new(Disk::default())).await.unwrap();
        let clamp = |chat: &str, id: &str, tier| Clamp {
            chat: (
                Account { channel: ChannelName::from("chat"), id: AccountId::from("one") },
                ChatId::from(chat),
            ),
            model: ModelRef { provider: "prov".to_owned(), id: id.to_owned() },
            tier,
        };
        let told = clamp("7", "model", Effort::Max);
        assert!(!knob.is_told(&told));
        knob.told(told.clone());
        assert!(knob.is_told(&told));
        for other in [
            clamp("8", "model", Effort::Max),
            clamp("7", "else", Effort::Max),
            clamp("7", "model", Effort::Xhigh),
        ] {
            assert!(!knob.is_told(&other), "{other:?}");
        }
    }
}
