//! Partial messages that are shown below a chat and vanish by themselves.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// How long a draft is shown after it was sent, by the documentation of `sendMessageDraft`.
pub const DRAFT_LIFE_MS: i64 = 30_000;

/// A partial message that is shown but not kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// `draft_id`.
    pub id: i64,
    /// What the person reads; empty shows the placeholder.
    pub text: String,
    /// Entities of a plain draft.
    pub entities: Vec<Value>,
    /// Blocks of a rich one, without the thinking.
    pub blocks: Vec<Value>,
    /// What the thinking block of a rich draft says.
    pub thinking: Option<String>,
    /// Topic of the draft.
    pub thread: Option<i64>,
    /// The person sees a Stop button.
    pub can_stop: bool,
    /// Stop leaves it to fade instead of taking it away.
    pub keep_on_stop: bool,
    /// When it fades, in milliseconds on the clock that the fake follows.
    pub until: i64,
}

/// The drafts of one chat: one at a time in each topic, as a draft with another id replaces the one before it.
#[derive(Debug, Default)]
pub(crate) struct Drafts {
    shown: BTreeMap<Option<i64>, Draft>,
    /// Topic and id of drafts that the person stopped: what still comes under these is not shown.
    stopped: BTreeSet<(Option<i64>, i64)>,
}

impl Drafts {
    pub(crate) fn show(&mut self, draft: Draft) {
        if !self.stopped.contains(&(draft.thread, draft.id)) {
            self.shown.insert(draft.thread, draft);
        }
    }

    /// Those that have not faded, by topic.
    pub(crate) fn live(&self, now: i64) -> impl Iterator<Item = &Draft> {
        self.shown.values().filter(move |draft| draft.until > now)
    }

    /// A message in the same topic takes the place of a draft.
    pub(crate) fn give_way(&mut self, thread: Option<i64>) {
        self.shown.remove(&thread);
    }

    /// The person's Stop: gives the draft that it concerns, if there is one with a button.
    pub(crate) fn stop(&mut self, thread: Option<i64>, now: i64) -> Option<Draft> {
        let draft = self.shown.get(&thread).filter(|draft| draft.can_stop && draft.until > now)?.clone();
        self.stopped.insert((thread, draft.id));
        if !draft.keep_on_stop {
            self.shown.remove(&thread);
        }
        Some(draft)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(id: i64, thread: Option<i64>, until: i64) -> Draft {
        Draft {
            id,
            text: format!("draft {id}"),
            entities: Vec::new(),
            blocks: Vec::new(),
            thinking: None,
            thread,
            can_stop: true,
            keep_on_stop: false,
            until,
        }
    }

    fn ids(drafts: &Drafts, now: i64) -> Vec<i64> {
        drafts.live(now).map(|draft| draft.id).collect()
    }

    #[test]
    fn each_topic_shows_the_newest_until_it_fades_or_a_message_comes() {
        let mut drafts = Drafts::default();
        drafts.show(draft(1, None, 30));
        drafts.show(draft(2, Some(9), 30));
        assert_eq!(ids(&drafts, 0), [1, 2]);
        drafts.show(draft(3, None, 40));
        assert_eq!(ids(&drafts, 29), [3, 2], "another id replaces");
        assert_eq!(ids(&drafts, 30), [3], "the other has faded");
        drafts.give_way(Some(9));
        drafts.give_way(None);
        assert_eq!(ids(&drafts, 0), [0; 0]);
    }

    #[test]
    fn what_was_stopped_does_not_come_back() {
        let mut drafts = Drafts::default();
        drafts.show(draft(1, None, 30));
        assert_eq!(drafts.stop(None, 30), None, "there is no button on what has faded");
        assert_eq!(drafts.stop(None, 0).map(|draft| draft.id), Some(1));
        drafts.show(draft(1, None, 60));
        assert_eq!(ids(&drafts, 0), [0; 0]);
        drafts.show(Draft { keep_on_stop: true, ..draft(2, None, 60) });
        assert_eq!(drafts.stop(None, 0).map(|draft| draft.id), Some(2));
        assert_eq!(ids(&drafts, 0), [2]);
    }
}
