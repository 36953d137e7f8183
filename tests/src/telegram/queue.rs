//! One bot's updates between the moment they happen and the poll that confirms them, and everything that can go wrong there.

use std::{collections::VecDeque, sync::Arc};

use bytes::Bytes;
use serde_json::Value;
use tokio::sync::Notify;

/// Kinds that a bot gets only when it asks for them by name.
const ON_REQUEST: [&str; 3] = ["chat_member", "message_reaction", "message_reaction_count"];
/// Sent updates that can still be sent again.
const REMEMBERED: usize = 256;

/// One update as it will stand in the body of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Update {
    pub(crate) id: i64,
    pub(crate) body: Bytes,
}

/// A queue with the offsets, filters and numbering of getUpdates.
#[derive(Debug)]
pub(crate) struct Queue {
    waiting: VecDeque<Update>,
    past: VecDeque<Update>,
    next_id: i64,
    allowed: Option<Vec<String>>,
    paused: bool,
    /// Which poll is the newest; an older one that still waits is in conflict.
    pub(crate) poll: u64,
    pub(crate) open_polls: usize,
    pub(crate) changed: Arc<Notify>,
}

impl Queue {
    pub(crate) fn new(first_id: i64) -> Self {
        Self {
            waiting: VecDeque::new(),
            past: VecDeque::new(),
            next_id: first_id,
            allowed: None,
            paused: false,
            poll: 0,
            open_polls: 0,
            changed: Arc::new(Notify::new()),
        }
    }

    /// Adds an update with the next id, unless the bot did not ask for its kind.
    pub(crate) fn push(&mut self, kind: &str, payload: &Value) -> Option<i64> {
        let wanted = match &self.allowed {
            Some(kinds) => kinds.iter().any(|allowed| allowed == kind),
            None => !ON_REQUEST.contains(&kind),
        };
        if !wanted {
            return None;
        }
        let id = self.next_id;
        self.push_raw(id, Bytes::from(format!("{{\"update_id\":{id},\"{kind}\":{payload}}}")));
        Some(id)
    }

    /// Adds whatever bytes the test wants to see in the answer.
    pub(crate) fn push_raw(&mut self, id: i64, body: Bytes) {
        self.next_id = self.next_id.max(id.saturating_add(1));
        let update = Update { id, body };
        if self.past.len() == REMEMBERED {
            self.past.pop_front();
        }
        self.past.push_back(update.clone());
        self.waiting.push_back(update);
        self.changed.notify_waiters();
    }

    pub(crate) fn next_id(&self) -> i64 {
        self.next_id
    }

    /// Renumbers from here on, backwards too, as a week of silence does.
    pub(crate) fn set_next_id(&mut self, id: i64) {
        self.next_id = id;
    }

    /// Queues again what was sent before, id and all.
    pub(crate) fn repeat(&mut self, id: i64) -> bool {
        let Some(update) = self.past.iter().rev().find(|update| update.id == id).cloned() else {
            return false;
        };
        self.waiting.push_back(update);
        self.changed.notify_waiters();
        true
    }

    pub(crate) fn reverse(&mut self) {
        self.waiting.make_contiguous().reverse();
    }

    pub(crate) fn pause(&mut self, paused: bool) {
        self.paused = paused;
        self.changed.notify_waiters();
    }

    pub(crate) fn allow(&mut self, kinds: &Value) {
        let Some(kinds) = kinds.as_array() else { return };
        let kinds: Vec<String> = kinds.iter().filter_map(|kind| kind.as_str().map(str::to_owned)).collect();
        // An empty list goes back to the default set.
        self.allowed = (!kinds.is_empty()).then_some(kinds);
    }

    pub(crate) fn allowed(&self) -> Option<&[String]> {
        self.allowed.as_deref()
    }

    /// Forgets what `offset` confirms: everything below it or, when negative, all but the last so many. An offset past every id given
    /// out belongs to an older numbering and confirms nothing.
    pub(crate) fn confirm(&mut self, offset: i64) {
        if offset < 0 {
            let keep = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
            let surplus = self.waiting.len().saturating_sub(keep);
            self.waiting.drain(..surplus);
        } else if offset <= self.next_id {
            self.waiting.retain(|update| update.id >= offset);
        }
    }

    pub(crate) fn ready(&self, limit: usize) -> Vec<Update> {
        if self.paused { Vec::new() } else { self.waiting.iter().take(limit).cloned().collect() }
    }

    pub(crate) fn pending(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn queue(count: i64) -> Queue {
        let mut queue = Queue::new(10);
        for n in 0..count {
            queue.push("message", &json!({"n": n}));
        }
        queue
    }

    fn ids(queue: &Queue) -> Vec<i64> {
        queue.ready(100).iter().map(|update| update.id).collect()
    }

    #[test]
    fn an_offset_confirms_what_lies_below_it() {
        let check = |offset: i64, expected: &[i64]| {
            let mut queue = queue(4);
            queue.confirm(offset);
            assert_eq!(ids(&queue), expected, "{offset}");
        };
        check(0, &[10, 11, 12, 13]);
        check(12, &[12, 13]);
        check(14, &[]);
        check(-1, &[13]);
        check(-9, &[10, 11, 12, 13]);
        check(9999, &[10, 11, 12, 13]);
    }

    #[test]
    fn only_wanted_kinds_are_queued() {
        let mut queue = queue(0);
        assert_eq!(queue.push("message_reaction", &json!({})), None);
        queue.allow(&json!(["message_reaction"]));
        assert_eq!(queue.push("message_reaction", &json!({})), Some(10));
        assert_eq!(queue.push("message", &json!({})), None);
        queue.allow(&json!([]));
        assert_eq!(queue.push("message", &json!({})), Some(11));
    }

    #[test]
    fn updates_repeat_reverse_and_run_backwards() {
        let mut queue = queue(2);
        assert!(queue.repeat(10) && !queue.repeat(99));
        queue.reverse();
        assert_eq!(ids(&queue), [10, 11, 10]);
        queue.clear();
        queue.set_next_id(3);
        queue.push("message", &json!({}));
        queue.confirm(12);
        assert_eq!(ids(&queue), [3]);
    }
}
