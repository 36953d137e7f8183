//! Where a call goes: a place of the engine's in Telegram's numbers.

use pensive_contract::inbound::{ChatKind, Place};
use pensive_contract::outward::{Outcome, Refusal};
use teloxide_core::types::{self, ChatId, Recipient, ThreadId};

use crate::chats::Chats;

/// The topic that every forum has: messages go there without an id, the typing sign only with it.
pub(crate) const GENERAL: i32 = 1;

/// A place in Telegram's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) chat: i64,
    pub(crate) topic: Option<i32>,
}

impl Address {
    /// Nothing when the ids are not Telegram's, as after a slip in the configuration.
    pub(crate) fn of(place: &Place, chats: &Chats) -> Option<Self> {
        let chat = chats.current(place.chat.as_str().parse().ok()?);
        let topic = match &place.topic {
            Some(topic) => Some(topic.id.as_str().parse().ok()?),
            None => None,
        };
        let is_general = |topic: &i32| place.kind != ChatKind::Direct && *topic == GENERAL;
        Some(Self { chat, topic: topic.filter(|topic| !is_general(topic)) })
    }

    pub(crate) fn recipient(self) -> Recipient {
        Recipient::Id(ChatId(self.chat))
    }

    /// The topic as Telegram's calls take it.
    pub(crate) fn thread(self) -> Option<ThreadId> {
        self.topic.map(thread)
    }
}

/// The outcome of a call that has no address.
pub(crate) fn unaddressed<T>(to: &Place) -> Outcome<T> {
    Outcome::Refused {
        refusal: Refusal::Never,
        why: format!("\"{}\" is no place on Telegram: chats and topics are numbers there", to.chat),
    }
}

pub(crate) fn thread(id: i32) -> ThreadId {
    ThreadId(types::MessageId(id))
}
