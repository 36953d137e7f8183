//! What each chat takes: by which method answers in the making are shown there, and whether rich messages arrive. Learned
//! from refusals that name the method or the kind of chat, kept in memory, and learned anew after a restart.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pensive_contract::inbound::ChatKind;

use crate::client::{CallFault, Refused};

/// Beyond this many chats, what is known is forgotten and learned anew.
const MOST: usize = 10_000;

/// The methods, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rung {
    /// sendRichMessageDraft.
    RichDraft,
    /// sendMessageDraft.
    Draft,
    /// sendMessage, then editMessageText.
    Edits,
    /// Only the typing sign.
    Nothing,
}

impl Rung {
    fn below(self) -> Self {
        match self {
            Self::RichDraft => Self::Draft,
            Self::Draft => Self::Edits,
            Self::Edits | Self::Nothing => Self::Nothing,
        }
    }

    /// Drafts are for private chats only.
    fn best(kind: ChatKind) -> Self {
        match kind {
            ChatKind::Direct => Self::RichDraft,
            ChatKind::Group | ChatKind::Channel => Self::Edits,
        }
    }
}

/// How far a refusal of a preview reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fall {
    /// The chat does not take the method.
    Chat,
    /// It does not take what this answer holds.
    Stream,
}

/// The memory, by chat.
#[derive(Debug, Default)]
pub(crate) struct Ladder(Mutex<HashMap<i64, Known>>);

#[derive(Debug, Default)]
struct Known {
    /// The best method that may work; nothing until one was refused.
    rung: Option<Rung>,
    /// The same for one answer.
    stream: Option<(i64, Rung)>,
    /// Rich messages were refused as such.
    plain: bool,
    /// What a standing preview shows: the message, and its content's fingerprint.
    shown: Option<(i64, u64)>,
}

impl Ladder {
    /// The method for a chat.
    pub(crate) fn rung(&self, chat: i64, kind: ChatKind) -> Rung {
        let known = self.known();
        let learned = known.get(&chat).and_then(|known| known.rung);
        learned.unwrap_or(Rung::RichDraft).max(Rung::best(kind))
    }

    /// The method for one answer there.
    pub(crate) fn rung_of(&self, chat: i64, kind: ChatKind, stream: i64) -> Rung {
        let fallen = self.known().get(&chat).and_then(|known| known.stream);
        let fallen = fallen.filter(|(of, _)| *of == stream).map_or(Rung::RichDraft, |(_, rung)| rung);
        self.rung(chat, kind).max(fallen)
    }

    /// Notes that `rung` was refused, and gives the next one.
    pub(crate) fn fall(&self, chat: i64, rung: Rung, stream: i64, fall: Fall) -> Rung {
        let next = rung.below();
        self.note(chat, |known| match fall {
            Fall::Chat => known.rung = known.rung.max(Some(next)),
            Fall::Stream => known.stream = Some((stream, next)),
        });
        next
    }

    /// Whether rich messages may arrive.
    pub(crate) fn takes_rich(&self, chat: i64) -> bool {
        !self.known().get(&chat).is_some_and(|known| known.plain)
    }

    /// Learns from the failure of a rich message.
    pub(crate) fn judge_rich(&self, chat: i64, fault: &CallFault) {
        if let CallFault::Refused(no) = fault
            && fall_of(Rung::RichDraft, no) == Some(Fall::Chat)
        {
            self.note(chat, |known| known.plain = true);
        }
    }

    /// Whether a standing preview shows exactly this already.
    pub(crate) fn shows(&self, chat: i64, message: i64, content: u64) -> bool {
        self.known().get(&chat).is_some_and(|known| known.shown == Some((message, content)))
    }

    /// Notes what it shows.
    pub(crate) fn shown(&self, chat: i64, message: i64, content: u64) {
        self.note(chat, |known| known.shown = Some((message, content)));
    }

    fn note(&self, chat: i64, change: impl FnOnce(&mut Known)) {
        let mut known = self.known();
        if known.len() >= MOST && !known.contains_key(&chat) {
            known.clear();
        }
        change(known.entry(chat).or_default());
    }

    fn known(&self) -> MutexGuard<'_, HashMap<i64, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a refusal says that a lower rung should be tried, and for how long. What concerns the chat, the topic, the
/// account or the pace as such is no matter of the method.
pub(crate) fn fall_of(rung: Rung, no: &Refused) -> Option<Fall> {
    const METHOD: &[&str] = &[
        "method",
        "not supported",
        "unsupported",
        "not available",
        "not allowed",
        "can't be used",
        "can't be sent",
        "peer_invalid",
        "private chat",
        "chat type",
        "type of the chat",
        "only for",
    ];
    const GONE: &[&str] = &["chat not found", "user not found", "thread", "topic", "deactivated", "rights"];
    let description = no.description.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| description.contains(word));
    match (no.code, rung) {
        (_, Rung::Nothing) => None,
        (404, _) => Some(Fall::Chat),
        (400, _) if no.moved_to.is_some() || says(GONE) || description.contains("not modified") => None,
        (400, _) if says(METHOD) => Some(Fall::Chat),
        // What is wrong is the content, or that the standing message is gone.
        (400 | 413, _) => Some(Fall::Stream),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_that_names_the_method_or_the_chat_falls_for_the_chat() {
        let check = |code: u16, description: &str, expected: Option<Fall>| {
            let no = Refused { code, description: description.to_owned(), retry_after: None, moved_to: None };
            assert_eq!(fall_of(Rung::RichDraft, &no), expected, "{code} {description}");
        };
        check(404, "Not Found: method not found", Some(Fall::Chat));
        check(404, "Not Found", Some(Fall::Chat));
        check(400, "Bad Request: method is available only for private chats", Some(Fall::Chat));
        check(400, "Bad Request: TEXTDRAFT_PEER_INVALID", Some(Fall::Chat));
        check(400, "Bad Request: rich messages are not supported in the chat", Some(Fall::Chat));
        check(400, "Bad Request: RICH_MESSAGE_MARKDOWN_INVALID", Some(Fall::Stream));
        check(400, "Bad Request: can't parse entities", Some(Fall::Stream));
        check(400, "Bad Request: message thread not found", None);
        check(400, "Bad Request: chat not found", None);
        check(403, "Forbidden: bot was blocked by the user", None);
        check(401, "Unauthorized", None);
        check(429, "Too Many Requests: retry after 5", None);
        check(500, "Internal Server Error", None);
    }

    #[test]
    fn each_chat_and_each_answer_is_remembered_by_itself() {
        let ladder = Ladder::default();
        let rung = |chat, stream| ladder.rung_of(chat, ChatKind::Direct, stream);
        assert_eq!(ladder.fall(1, Rung::RichDraft, 7, Fall::Chat), Rung::Draft);
        assert_eq!((rung(1, 8), rung(2, 8)), (Rung::Draft, Rung::RichDraft));
        assert_eq!(ladder.fall(2, Rung::RichDraft, 8, Fall::Stream), Rung::Draft);
        assert_eq!((rung(2, 8), rung(2, 9)), (Rung::Draft, Rung::RichDraft));
        assert_eq!(ladder.fall(1, Rung::Draft, 8, Fall::Chat), Rung::Edits);
        assert_eq!(ladder.fall(1, Rung::RichDraft, 8, Fall::Chat), Rung::Draft);
        assert_eq!(rung(1, 9), Rung::Edits, "an earlier refusal that comes late takes nothing back");
        assert_eq!(ladder.rung(3, ChatKind::Group), Rung::Edits);
        assert_eq!(ladder.rung(3, ChatKind::Channel), Rung::Edits);
    }

    #[test]
    fn the_memory_has_an_end() {
        let ladder = Ladder::default();
        for chat in 0..=i64::try_from(MOST).unwrap() {
            ladder.fall(chat, Rung::RichDraft, 1, Fall::Chat);
        }
        assert!(ladder.known().len() <= MOST);
    }
}
