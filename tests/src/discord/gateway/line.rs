//! A bot's line as a test holds it: whether it is open, and everything that can be done to it.

use serde_json::Value;

use super::session::{Frame, Session, of};
use crate::discord::DiscordFake;

/// The connections of one bot, or of one of its shards. What is done here strikes those that are open now.
#[derive(Clone, Debug)]
pub struct Line {
    fake: DiscordFake,
    bot: u64,
    shard: Option<u32>,
}

impl Line {
    pub(crate) fn new(fake: &DiscordFake, bot: u64) -> Self {
        Self { fake: fake.clone(), bot, shard: None }
    }

    /// Only this shard's.
    pub fn shard(&self, shard: u32) -> Self {
        Self { shard: Some(shard), ..self.clone() }
    }

    /// Sessions that have a connection now.
    pub fn open(&self) -> usize {
        self.count(|session| session.wire.is_some())
    }

    /// Sessions that could be resumed, those with a connection among them.
    pub fn sessions(&self) -> usize {
        self.count(|_| true)
    }

    /// The intents of each session.
    pub fn intents(&self) -> Vec<u64> {
        let mut world = self.fake.world();
        of(&mut world.sessions, self.bot, self.shard).map(|session| session.intents).collect()
    }

    /// Waits until `count` sessions have a connection.
    pub async fn wait_for(&self, count: usize) {
        self.fake.wait_until(|_| (self.open() == count).then_some(())).await;
    }

    /// Waits until there is a session with a connection.
    pub async fn wait_until_open(&self) {
        self.fake.wait_until(|_| (self.open() > 0).then_some(())).await;
    }

    /// Waits until no session has a connection.
    pub async fn wait_until_closed(&self) {
        self.wait_for(0).await;
    }

    /// Op 7: the client should come back by itself.
    pub fn ask_to_reconnect(&self) {
        self.send(|| Frame::Op(7, Value::Null));
    }

    /// Op 1: the client should send a heartbeat now.
    pub fn ask_for_heartbeat(&self) {
        self.send(|| Frame::Op(1, Value::Null));
    }

    /// Op 9; what cannot be resumed is forgotten.
    pub fn invalidate(&self, resumable: Resumable) {
        let keeps = resumable == Resumable::Yes;
        self.send(|| Frame::Op(9, keeps.into()));
        if !keeps {
            self.forget();
        }
    }

    /// Forgets the sessions: who comes back to them is told that they are invalid.
    pub fn forget(&self) {
        let (bot, shard) = (self.bot, self.shard);
        let gone =
            |session: &Session| session.bot == bot && shard.is_none_or(|shard| session.shard.id == shard);
        self.fake.world().sessions.retain(|_, session| !gone(session));
        self.fake.tick();
    }

    /// Closes with this code. Those after which Discord keeps no session end it.
    pub fn close(&self, code: u16) {
        self.send(|| Frame::Close(code, "as a test asked".to_owned()));
        if matches!(code, 1000 | 1001 | 4004 | 4007 | 4009..=4014) {
            self.forget();
        }
    }

    /// Ends the connection without a close frame.
    pub fn drop_connection(&self) {
        self.send(|| Frame::Drop);
    }

    /// Resets it.
    pub fn reset(&self) {
        self.send(|| Frame::Reset);
    }

    /// Ends it in the middle of a frame.
    pub fn break_off(&self) {
        self.send(|| Frame::Half);
    }

    /// Leaves it open, but dead: nothing comes any more, not even acknowledgements. Events are kept for a resume.
    pub fn go_silent(&self) {
        self.send(|| Frame::Zombie);
        self.each(|session| session.wire = None);
    }

    /// Acknowledges no heartbeat any more, while events go on.
    pub fn stop_acknowledging(&self) {
        self.send(|| Frame::Mute);
    }

    /// Holds events back until [`Self::release`].
    pub fn hold(&self) {
        self.each(|session| session.held = Some(session.seq));
    }

    /// Lets everything go that was held back.
    pub fn release(&self) {
        self.each(|session| {
            if let Some(from) = session.held {
                session.release(from);
            }
        });
    }

    /// An event of any kind, under the next number.
    pub fn event(&self, kind: &str, data: &Value) {
        self.each(|session| session.push_by_hand(kind, data));
    }

    /// The newest event of this kind once more, under the next number.
    pub fn repeat(&self, kind: &str) {
        self.each(|session| {
            if let Some(event) = session.newest(kind) {
                session.push(kind, &event.data);
            }
        });
    }

    /// The newest event of this kind once more, under its old number, as after a resume that named too little.
    pub fn replay(&self, kind: &str) {
        self.each(|session| {
            if let Some(event) = session.newest(kind) {
                session.send(Frame::Event(event));
            }
        });
    }

    /// These characters as a frame, JSON or not.
    pub fn raw(&self, text: &str) {
        self.send(|| Frame::Raw(text.to_owned()));
    }

    fn send(&self, frame: impl Fn() -> Frame) {
        self.each(|session| session.send(frame()));
    }

    fn each(&self, act: impl FnMut(&mut Session)) {
        let mut world = self.fake.world();
        of(&mut world.sessions, self.bot, self.shard).for_each(act);
        drop(world);
        self.fake.tick();
    }

    fn count(&self, wanted: impl Fn(&Session) -> bool) -> usize {
        let mut world = self.fake.world();
        of(&mut world.sessions, self.bot, self.shard).filter(|session| wanted(session)).count()
    }
}

/// What op 9 says about the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumable {
    /// It can be resumed.
    Yes,
    /// It is gone.
    No,
}
