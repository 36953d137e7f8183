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

use super::refusal::Refusal;
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

/// A rule for calls to come. Made with [`Fault::on`], handed to `TelegramFake::inject`.
#[derive(Clone, Debug)]
pub struct Fault {
    method: Option<String>,
    token: Option<String>,
    chat: Option<i64>,
    skip: usize,
    times: usize,
    stage: Stage,
    answer: Answer,
}

impl Fault {
    /// Hits the next call of this method; by itself with `500 Internal Server Error` before anything has happened.
    pub fn on(method: &str) -> Self {
        Self { method: Some(method.to_ascii_lowercase()), ..Self::on_any() }
    }

    /// Hits the next call whatever its method.
    pub fn on_any() -> Self {
        let answer = Answer::Refuse(Refusal::new(500, "Internal Server Error"));
        Self { method: None, token: None, chat: None, skip: 0, times: 1, stage: Stage::Before, answer }
    }

    /// Only calls of this bot.
    pub fn for_bot(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Only calls that name this chat.
    pub fn in_chat(mut self, chat: i64) -> Self {
        self.chat = Some(chat);
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

    /// 429 with this wait.
    pub fn retry_after(self, seconds: u64) -> Self {
        self.answer(Answer::Refuse(Refusal::too_many(seconds)))
    }

    /// A JSON error with this code and whole description.
    pub fn refuse(self, code: u16, description: &str) -> Self {
        self.answer(Answer::Refuse(Refusal::new(code, description)))
    }

    /// 409 as the older of two polls gets it.
    pub fn conflict(self) -> Self {
        self.answer(Answer::Refuse(Refusal::other_poll()))
    }

    /// 401 as a revoked token gets it.
    pub fn unauthorized(self) -> Self {
        self.answer(Answer::Refuse(Refusal::unauthorized()))
    }

    /// 404 as a server gives it that does not have the method.
    pub fn missing(self) -> Self {
        self.answer(Answer::Refuse(Refusal::not_found()))
    }

    /// A gateway's HTML page.
    pub fn html(self, status: u16) -> Self {
        let body = format!(
            "<html>\r\n<head><title>{status} Bad Gateway</title></head>\r\n<body>\r\n<center><h1>{status} Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
        );
        self.answer(Answer::Raw { status, kind: "text/html".into(), body: body.into() })
    }

    /// Status 200 and JSON that ends too early.
    pub fn broken_json(self) -> Self {
        let body = Bytes::from_static(b"{\"ok\":true,\"result\":{\"message_id\":");
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

    /// The first rule that hits this call, counted as done. Asked twice for each call: without a chat before the body is read, for the
    /// rules that name none, and with the chat for those that do.
    pub(crate) fn strike(&mut self, method: &str, token: &str, chat: Option<i64>) -> Option<(Stage, Answer)> {
        self.0.retain(|(_, injected)| !injected.spent());
        for (fault, injected) in &self.0 {
            let hit = fault.method.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(method))
                && fault.token.as_ref().is_none_or(|wanted| wanted == token)
                && fault.chat == chat;
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
        let some = faults.add(Fault::on("SendMessage").in_chat(7).skip(1).times(2));
        let mut strike = |method: &str, chat| faults.strike(method, "t", Some(chat)).is_some();
        assert!(!strike("sendMessage", 8) && !strike("getMe", 7), "other chats and methods pass");
        assert!(!strike("sendMessage", 7), "the first is skipped");
        assert!(strike("sendMessage", 7) && strike("sendMessage", 7));
        assert!(!strike("sendMessage", 7), "two were asked for");
        assert_eq!(some.hits(), 2);
    }
}
