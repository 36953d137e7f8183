//! What goes wrong on demand: which calls are hit, how often, whether the call takes effect all the same, and what the client gets to
//! see in place of the answer.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;

use super::refusal::{Refusal, Scope};
use crate::gate::Gate;

/// Whether a call that is hit takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Nothing happens in the chat.
    Before,
    /// It happens, and the client cannot tell.
    After,
}

/// What the client gets.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A well-formed error of the API.
    Refuse(Refusal),
    /// Any status, type and bytes: a gateway's page, broken JSON.
    Raw {
        /// HTTP status.
        status: u16,
        /// `Content-Type`.
        kind: String,
        /// Sent as it stands.
        body: Bytes,
    },
    /// The connection is reset without a byte of answer.
    Reset,
    /// The right answer, cut off in the middle.
    Truncated,
    /// No answer, ever.
    Silence,
    /// The right answer, once the gate lets it through.
    Held(Gate),
    /// The right answer, later.
    Delayed(Duration),
}

/// A rule for calls to come. Made with [`Fault::on`], handed to `DiscordFake::inject`.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Method and route: `POST /channels/{}/messages`.
    call: Option<String>,
    bot: Option<u64>,
    channel: Option<u64>,
    skip: usize,
    times: usize,
    stage: Stage,
    answer: Answer,
}

impl Fault {
    /// Hits the next such call, like `POST /channels/{}/messages`; by itself with a 500 before anything has happened.
    pub fn on(call: &str) -> Self {
        Self { call: Some(call.to_owned()), ..Self::on_any() }
    }

    /// Hits the next message that is sent.
    pub fn on_send() -> Self {
        Self::on("POST /channels/{}/messages")
    }

    /// Hits the next message that is changed.
    pub fn on_edit() -> Self {
        Self::on("PATCH /channels/{}/messages/{}")
    }

    /// Hits the next call whatever it is.
    pub fn on_any() -> Self {
        let answer = Answer::Refuse(Refusal::new(500, 0, "500: Internal Server Error"));
        Self { call: None, bot: None, channel: None, skip: 0, times: 1, stage: Stage::Before, answer }
    }

    /// Only calls of this bot.
    pub fn for_bot(mut self, bot: u64) -> Self {
        self.bot = Some(bot);
        self
    }

    /// Only calls that name this channel.
    pub fn in_channel(mut self, channel: u64) -> Self {
        self.channel = Some(channel);
        self
    }

    /// Lets the first `count` matching calls pass.
    pub fn skip(mut self, count: usize) -> Self {
        self.skip = count;
        self
    }

    /// Hits so many calls.
    pub fn times(mut self, count: usize) -> Self {
        self.times = count;
        self
    }

    /// Hits until the faults are cleared.
    pub fn always(self) -> Self {
        self.times(usize::MAX)
    }

    /// The call takes effect before the client sees the fault.
    pub fn after_commit(mut self) -> Self {
        self.stage = Stage::After;
        self
    }

    /// Any answer.
    pub fn answer(mut self, answer: Answer) -> Self {
        self.answer = answer;
        self
    }

    /// 429 for this bucket with this wait, in seconds.
    pub fn retry_after(self, seconds: f64) -> Self {
        self.answer(Answer::Refuse(Refusal::too_many(seconds, Scope::User)))
    }

    /// 429 for every call of the bot.
    pub fn global(self, seconds: f64) -> Self {
        self.answer(Answer::Refuse(Refusal::too_many(seconds, Scope::Global)))
    }

    /// A JSON error with this status, code and words.
    pub fn refuse(self, status: u16, code: u64, message: &str) -> Self {
        self.answer(Answer::Refuse(Refusal::new(status, code, message)))
    }

    /// 401 as a revoked token gets it.
    pub fn unauthorized(self) -> Self {
        self.answer(Answer::Refuse(Refusal::unauthorized()))
    }

    /// A gateway's HTML page.
    pub fn html(self, status: u16) -> Self {
        let body = format!(
            "<html>\r\n<head><title>{status} Bad Gateway</title></head>\r\n<body>\r\n<center><h1>{status} Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n"
        );
        self.answer(Answer::Raw { status, kind: "text/html".into(), body: body.into() })
    }

    /// Status 200 and JSON that ends too early.
    pub fn broken_json(self) -> Self {
        let body = Bytes::from_static(b"{\"id\":\"12");
        self.answer(Answer::Raw { status: 200, kind: "application/json".into(), body })
    }

    /// See [`Answer::Reset`].
    pub fn reset(self) -> Self {
        self.answer(Answer::Reset)
    }

    /// See [`Answer::Truncated`]; the call takes effect.
    pub fn truncated(self) -> Self {
        self.after_commit().answer(Answer::Truncated)
    }

    /// See [`Answer::Silence`].
    pub fn silence(self) -> Self {
        self.answer(Answer::Silence)
    }

    /// See [`Answer::Held`].
    pub fn held(self, gate: &Gate) -> Self {
        self.answer(Answer::Held(gate.clone()))
    }

    /// See [`Answer::Delayed`].
    pub fn delayed(self, by: Duration) -> Self {
        self.answer(Answer::Delayed(by))
    }
}

/// Counts what a rule has done, and ends it.
#[derive(Clone, Debug)]
pub struct Injected(Arc<Progress>);

#[derive(Debug)]
struct Progress {
    seen: AtomicUsize,
    ended: AtomicUsize,
    skip: usize,
    times: usize,
}

impl Injected {
    /// Calls hit so far.
    pub fn hits(&self) -> usize {
        self.0.seen.load(Ordering::Acquire).saturating_sub(self.0.skip).min(self.0.times)
    }

    /// No further call is hit.
    pub fn end(&self) {
        self.0.ended.store(1, Ordering::Release);
    }

    fn spent(&self) -> bool {
        self.0.ended.load(Ordering::Acquire) > 0 || self.hits() >= self.0.times
    }
}

/// The rules in force, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<(Fault, Injected)>);

impl Faults {
    pub(crate) fn add(&mut self, fault: Fault) -> Injected {
        let (skip, times) = (fault.skip, fault.times);
        let progress = Progress { seen: AtomicUsize::new(0), ended: AtomicUsize::new(0), skip, times };
        let injected = Injected(Arc::new(progress));
        self.0.push((fault, injected.clone()));
        injected
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The first rule that hits this call, counted as done.
    pub(crate) fn strike(&mut self, call: &str, bot: u64, channel: u64) -> Option<(Stage, Answer)> {
        self.0.retain(|(_, injected)| !injected.spent());
        for (fault, injected) in &self.0 {
            let hit = fault.call.as_ref().is_none_or(|wanted| wanted == call)
                && fault.bot.is_none_or(|wanted| wanted == bot)
                && fault.channel.is_none_or(|wanted| wanted == channel);
            if hit && injected.0.seen.fetch_add(1, Ordering::AcqRel) >= fault.skip {
                return Some((fault.stage, fault.answer.clone()));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_hit_what_they_name_and_run_out() {
        let mut faults = Faults::default();
        let some = faults.add(Fault::on_send().in_channel(7).skip(1).times(2));
        let mut strike = |call: &str, channel| faults.strike(call, 1, channel).is_some();
        let send = "POST /channels/{}/messages";
        assert!(!strike(send, 8) && !strike("GET /users/@me", 7), "other channels and calls pass");
        assert!(!strike(send, 7), "the first is skipped");
        assert!(strike(send, 7) && strike(send, 7));
        assert!(!strike(send, 7), "two were asked for");
        assert_eq!(some.hits(), 2);
    }
}
