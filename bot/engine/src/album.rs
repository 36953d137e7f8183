//! Albums that are coming in. To people an album is one message, so whoever may send one of its parts may send all: a mention
//! in one caption calls us for the whole, and the whole counts once against the sender's rate.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pensive_contract::ids::{Account, ChatId, SenderId};
use pensive_contract::inbound::Inbound;

/// Albums that are kept in mind. The parts of one come within seconds of each other.
const MOST: usize = 256;

/// An album of one person in one chat.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Album {
    account: Account,
    chat: ChatId,
    sender: SenderId,
    name: String,
}

impl Album {
    fn of(inbound: &Inbound) -> Option<Self> {
        let (account, chat) = (inbound.place.account.clone(), inbound.place.chat.clone());
        let name = inbound.album.clone()?;
        Some(Self { account, chat, sender: inbound.sender.id.clone(), name })
    }
}

/// Those of which a part came in.
#[derive(Debug, Default)]
pub(crate) struct Albums {
    known: Mutex<VecDeque<Album>>,
}

impl Albums {
    /// A message came in.
    pub(crate) fn note(&self, inbound: &Inbound) {
        let Some(album) = Album::of(inbound) else { return };
        let mut known = self.lock();
        if !known.contains(&album) {
            known.push_back(album);
        }
        if known.len() > MOST {
            known.pop_front();
        }
    }

    /// Whether another message of its album came in.
    pub(crate) fn knows(&self, inbound: &Inbound) -> bool {
        Album::of(inbound).is_some_and(|album| self.lock().contains(&album))
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Album>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether two messages are parts of one album.
pub(crate) fn same(one: &Inbound, other: &Inbound) -> bool {
    Album::of(one).is_some_and(|album| Album::of(other) == Some(album))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::inbound;

    #[test]
    fn an_album_belongs_to_its_sender_and_the_oldest_is_forgotten() {
        let part =
            |sender: &str, album: &str| Inbound { album: Some(album.to_owned()), ..inbound(sender, "") };
        let albums = Albums::default();
        albums.note(&part("1", "a"));
        albums.note(&inbound("1", ""));
        assert!(
            albums.knows(&part("1", "a")) && !albums.knows(&part("2", "a")) && !albums.knows(&part("1", "b"))
        );
        assert!(!albums.knows(&inbound("1", "")) && !same(&inbound("1", ""), &inbound("1", "")));
        (0..MOST).for_each(|n| albums.note(&part("3", &n.to_string())));
        assert!(!albums.knows(&part("1", "a")) && albums.knows(&part("3", "0")));
    }
}
