//! One session: a row of numbered events, kept so that whoever comes back gets what was missed.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

/// Events that a session keeps for a resume.
const KEPT: usize = 20_000;

/// Which guilds a session is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    pub(crate) id: u32,
    pub(crate) count: u32,
}

impl Shard {
    /// Direct messages and all that belongs to no guild go to the first.
    pub(crate) fn takes(self, guild: Option<u64>) -> bool {
        let home = guild.map_or(0, |guild| (guild >> 22) % u64::from(self.count.max(1)));
        home == u64::from(self.id)
    }
}

/// One event of a session.
#[derive(Debug)]
pub(crate) struct Event {
    /// A test wrote it, like Discord or not.
    pub(crate) by_hand: bool,
    pub(crate) seq: u64,
    pub(crate) kind: String,
    pub(crate) data: Value,
}

impl Event {
    pub(crate) fn frame(&self) -> Value {
        json!({"t": self.kind, "s": self.seq, "op": 0, "d": self.data})
    }
}

/// What a connection is told to do.
#[derive(Debug)]
pub(crate) enum Frame {
    /// An event of its session.
    Event(Arc<Event>),
    /// Anything but an event.
    Op(u64, Value),
    /// These characters, whatever they are.
    Raw(String),
    /// Ends in order.
    Close(u16, String),
    /// Ends without a word.
    Drop,
    /// Is reset.
    Reset,
    /// Begins a frame and ends in its middle.
    Half,
    /// Stays open, says nothing any more and hears nothing.
    Zombie,
    /// Goes on without acknowledging heartbeats.
    Mute,
}

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) bot: u64,
    pub(crate) shard: Shard,
    pub(crate) intents: u64,
    pub(crate) seq: u64,
    log: VecDeque<Arc<Event>>,
    /// The connection that it has now.
    pub(crate) wire: Option<(u64, UnboundedSender<Frame>)>,
    /// Events after this one are held back.
    pub(crate) held: Option<u64>,
}

impl Session {
    pub(crate) fn new(id: String, bot: u64, shard: Shard, intents: u64) -> Self {
        Self { id, bot, shard, intents, seq: 0, log: VecDeque::new(), wire: None, held: None }
    }

    /// The next event.
    pub(crate) fn push(&mut self, kind: &str, data: &Value) {
        self.add(kind, data, false);
    }

    /// The same, written by a test.
    pub(crate) fn push_by_hand(&mut self, kind: &str, data: &Value) {
        self.add(kind, data, true);
    }

    fn add(&mut self, kind: &str, data: &Value, by_hand: bool) {
        self.seq += 1;
        let event = Arc::new(Event { by_hand, seq: self.seq, kind: kind.to_owned(), data: data.clone() });
        self.log.push_back(Arc::clone(&event));
        if self.log.len() > KEPT {
            self.log.pop_front();
        }
        if self.held.is_none() {
            self.send(Frame::Event(event));
        }
    }

    /// Sends everything after this event.
    pub(crate) fn release(&mut self, from: u64) {
        self.held = None;
        for event in self.after(from) {
            self.send(Frame::Event(event));
        }
    }

    /// Events with larger numbers.
    pub(crate) fn after(&self, seq: u64) -> Vec<Arc<Event>> {
        self.log.iter().filter(|event| event.seq > seq).cloned().collect()
    }

    /// The newest event of a kind.
    pub(crate) fn newest(&self, kind: &str) -> Option<Arc<Event>> {
        self.log.iter().rev().find(|event| event.kind == kind).cloned()
    }

    /// Goes to whoever is connected; nobody else misses it.
    pub(crate) fn send(&self, frame: Frame) {
        if let Some((_, wire)) = &self.wire {
            // A connection that has just ended takes nothing.
            drop(wire.send(frame));
        }
    }

    /// The connection is gone, if it was still this one.
    pub(crate) fn leave(&mut self, connection: u64) {
        if self.wire.as_ref().is_some_and(|(known, _)| *known == connection) {
            self.wire = None;
        }
    }
}

/// Sessions of a bot, those of one shard when it is named.
pub(crate) fn of(
    sessions: &mut BTreeMap<String, Session>,
    bot: u64,
    shard: Option<u32>,
) -> impl Iterator<Item = &mut Session> {
    sessions
        .values_mut()
        .filter(move |session| session.bot == bot && shard.is_none_or(|shard| session.shard.id == shard))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guilds_have_their_shard_and_the_rest_the_first() {
        let takes = |id, guild: Option<u64>| Shard { id, count: 4 }.takes(guild);
        assert!(takes(0, None) && !takes(1, None));
        assert!(takes(3, Some(7 << 22)) && !takes(2, Some(7 << 22)));
    }

    #[test]
    fn what_was_missed_is_kept_in_order() {
        let mut session = Session::new("s".into(), 1, Shard { id: 0, count: 1 }, 0);
        for kind in ["READY", "GUILD_CREATE", "MESSAGE_CREATE"] {
            session.push(kind, &json!({}));
        }
        let missed: Vec<_> = session.after(1).iter().map(|event| event.kind.clone()).collect();
        assert_eq!(missed, ["GUILD_CREATE", "MESSAGE_CREATE"]);
    }
}
