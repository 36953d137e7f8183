//! What we learn about chats in passing and sends need: which are forums, and where a group went when it became a
//! supergroup. Kept in memory; what is lost is learned again from the next message or refusal.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::wire::{Chat, Message, Update};

/// Beyond this many, what is known is forgotten and learned anew.
const MOST: usize = 10_000;

/// The memory, shared by receiving and sending.
#[derive(Debug, Default)]
pub(crate) struct Chats(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    forums: HashSet<i64>,
    moved: HashMap<i64, i64>,
}

impl Chats {
    /// Takes note of what an event says about its chat.
    pub(crate) fn learn(&self, update: &Update) {
        if let Some(message) = update.message.as_deref() {
            self.learn_from(message);
        } else if let Some(pressed) = update.callback_query.as_ref().and_then(|query| query.message.as_ref())
        {
            self.learn_kind(&pressed.chat);
        }
    }

    fn learn_from(&self, message: &Message) {
        self.learn_kind(&message.chat);
        if let Some(new) = message.migrate_to_chat_id {
            self.moved(message.chat.id, new);
        }
    }

    fn learn_kind(&self, chat: &Chat) {
        // Most chats are no forums, and asking that needs no lock.
        if chat.is_forum {
            let mut known = self.known();
            if known.forums.len() >= MOST {
                known.forums.clear();
            }
            known.forums.insert(chat.id);
        }
    }

    /// The group `old` is now the supergroup `new`.
    pub(crate) fn moved(&self, old: i64, new: i64) {
        let mut known = self.known();
        if known.moved.len() >= MOST {
            known.moved.clear();
        }
        known.moved.insert(old, new);
    }

    /// The id under which `chat` can be reached now.
    pub(crate) fn current(&self, chat: i64) -> i64 {
        self.known().moved.get(&chat).copied().unwrap_or(chat)
    }

    /// Whether the chat is known to have topics.
    pub(crate) fn is_forum(&self, chat: i64) -> bool {
        self.known().forums.contains(&chat)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
