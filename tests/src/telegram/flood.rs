//! How much a chat takes: a burst, then a call a second, in groups 20 a minute, and what happens to those who do not wait. Telegram
//! publishes the rates (bots FAQ, "avoid sending more than one message per second" and "20 messages per minute" in a group) but neither
//! the burst nor the penalty nor anything about drafts; those numbers are ours, on the strict side of what bots report.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use super::refusal::Refusal;

/// What clocks of two sides may differ by, so that a bot that keeps to the same numbers is never caught.
const SLACK_MS: i64 = 400;
const MINUTE_MS: i64 = 60_000;

/// The rates that a [`super::TelegramFake`] holds bots to.
#[derive(Clone, Debug)]
pub struct FloodLimits {
    /// Messages and edits that a chat takes at once.
    pub burst: u32,
    /// One more of them every so often.
    pub every: Duration,
    /// Messages and edits a minute in a group.
    pub group_minute: usize,
    /// Drafts at once.
    pub draft_burst: u32,
    /// One more draft every so often.
    pub draft_every: Duration,
    /// The least that a bot is told to wait.
    pub penalty: Duration,
}

impl Default for FloodLimits {
    /// As Telegram's.
    fn default() -> Self {
        Self {
            burst: 5,
            every: Duration::from_secs(1),
            group_minute: 20,
            draft_burst: 10,
            draft_every: Duration::from_millis(250),
            penalty: Duration::from_secs(3),
        }
    }
}

/// What a call costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// A message, or a change of one.
    Message,
    Draft,
    /// Typing, removals: free, but not while the chat is silenced.
    Sign,
    /// No matter of a chat's.
    Free,
}

/// The weight of a method in its own spelling.
pub(crate) fn weight(method: &str) -> Weight {
    match method {
        "sendMessageDraft" | "sendRichMessageDraft" => Weight::Draft,
        "sendChatAction" | "deleteMessage" | "deleteMessages" | "setMessageReaction" => Weight::Sign,
        _ if method.starts_with("send") || method.starts_with("editMessage") => Weight::Message,
        _ => Weight::Free,
    }
}

/// One call at the gate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) bot: i64,
    pub(crate) chat: i64,
    /// The chat is none of two.
    pub(crate) group: bool,
    pub(crate) weight: Weight,
    /// Milliseconds on the clock that the fake follows.
    pub(crate) now: i64,
    /// When the call's first byte came and what the time is, both on the clock of the record.
    pub(crate) came: u64,
    pub(crate) clock: u64,
}

/// A call that is turned away.
#[derive(Debug, PartialEq)]
pub(crate) struct Denied {
    pub(crate) refusal: Refusal,
    /// The bot had been told to be silent and was not.
    pub(crate) deaf: Option<String>,
}

/// The limits and what each chat has used of them.
#[derive(Debug, Default)]
pub(crate) struct Flood {
    pub(crate) limits: Option<FloodLimits>,
    chats: HashMap<(i64, i64), Used>,
}

#[derive(Debug, Default)]
struct Used {
    /// When all that was let through is paid for.
    messages: i64,
    drafts: i64,
    /// Messages of the last minute.
    minute: VecDeque<i64>,
    silence: Option<Silence>,
}

#[derive(Debug)]
struct Silence {
    until: i64,
    /// When the bot was first told, on the clock of the record.
    told: Option<u64>,
}

impl Flood {
    /// Silences a chat for a bot as after a flood.
    pub(crate) fn silence(&mut self, bot: i64, chat: i64, until: i64) {
        self.chats.entry((bot, chat)).or_default().silence = Some(Silence { until, told: None });
    }

    /// Lets a call through or says how long to wait.
    pub(crate) fn admit(&mut self, call: &Arrival) -> Result<(), Denied> {
        if call.weight == Weight::Free {
            return Ok(());
        }
        let used = self.chats.entry((call.bot, call.chat)).or_default();
        if let Some(silence) = &mut used.silence {
            if silence.until > call.now {
                return Err(silence.deny(call));
            }
            used.silence = None;
        }
        let Some(limits) = &self.limits else { return Ok(()) };
        let wait = used.wait(limits, call);
        if wait <= 0 {
            used.pay(limits, call);
            return Ok(());
        }
        let until = call.now + wait.max(millis(limits.penalty));
        Err(used.silence.insert(Silence { until, told: None }).deny(call))
    }
}

impl Silence {
    fn deny(&mut self, call: &Arrival) -> Denied {
        let left = self.until - call.now;
        let deaf = self.told.is_some_and(|told| call.came > told);
        let deaf = deaf.then(|| format!("sent {left} ms before the end of the silence that was asked for"));
        self.told.get_or_insert(call.clock);
        Denied { refusal: Refusal::too_many(u64::try_from((left + 999) / 1_000).unwrap_or(1).max(1)), deaf }
    }
}

impl Used {
    /// Milliseconds until this call would pass.
    fn wait(&mut self, limits: &FloodLimits, call: &Arrival) -> i64 {
        let ahead = |paid: i64, burst: u32, every: Duration| {
            paid - call.now - i64::from(burst.saturating_sub(1)) * millis(every) - SLACK_MS
        };
        match call.weight {
            Weight::Message => {
                let bucket = ahead(self.messages, limits.burst, limits.every);
                let horizon = call.now - MINUTE_MS + SLACK_MS;
                self.minute.retain(|at| *at > horizon);
                let full = call.group && self.minute.len() >= limits.group_minute;
                let minute = if full { self.minute.front().map_or(0, |first| first - horizon) } else { 0 };
                bucket.max(minute)
            }
            Weight::Draft => ahead(self.drafts, limits.draft_burst, limits.draft_every),
            Weight::Sign | Weight::Free => 0,
        }
    }

    fn pay(&mut self, limits: &FloodLimits, call: &Arrival) {
        match call.weight {
            Weight::Message => {
                self.messages = self.messages.max(call.now) + millis(limits.every);
                self.minute.push_back(call.now);
            }
            Weight::Draft => self.drafts = self.drafts.max(call.now) + millis(limits.draft_every),
            Weight::Sign | Weight::Free => {}
        }
    }
}

fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(weight: Weight, now: i64) -> Arrival {
        Arrival { bot: 1, chat: 2, group: false, weight, now, came: 0, clock: 0 }
    }

    /// How many of the calls at these moments pass before the first that does not.
    fn passed(calls: impl IntoIterator<Item = Arrival>) -> usize {
        let mut flood = Flood { limits: Some(FloodLimits::default()), ..Flood::default() };
        calls.into_iter().take_while(|call| flood.admit(call).is_ok()).count()
    }

    #[test]
    fn a_burst_passes_and_then_one_a_second() {
        let messages = |gap: i64| (0..100).map(move |n| call(Weight::Message, n * gap));
        assert_eq!(passed(messages(0)), 5);
        assert_eq!(passed(messages(500)), 9, "five at once and one a second after them");
        assert_eq!(passed(messages(1_000)), 100);
        assert_eq!(passed((0..100).map(|n| call(Weight::Draft, n * 300))), 100);
        assert_eq!(passed((0..100).map(|n| call(Weight::Draft, n * 100))), 18);
        assert_eq!(passed((0..100).map(|n| call(Weight::Sign, n))), 100);
    }

    #[test]
    fn a_group_takes_twenty_a_minute() {
        let messages =
            |gap: i64| (0..100).map(move |n| Arrival { group: true, ..call(Weight::Message, n * gap) });
        assert_eq!(passed(messages(1_000)), 20);
        assert_eq!(passed(messages(3_000)), 100);
    }

    #[test]
    fn a_bot_that_was_told_and_goes_on_is_remarked_on() {
        let mut flood = Flood::default();
        flood.silence(1, 2, 33_000);
        let arrival = |now, came, clock| Arrival { came, clock, ..call(Weight::Sign, now) };
        let mut deny = |arrival| flood.admit(&arrival).unwrap_err();
        let first = deny(arrival(500, 10, 20));
        assert_eq!((first.refusal.retry_after, first.deaf), (Some(33), None));
        assert_eq!(deny(arrival(500, 15, 25)).deaf, None, "it was on its way when the other was answered");
        assert!(deny(arrival(32_999, 30, 40)).deaf.is_some());
        assert_eq!(flood.admit(&arrival(33_000, 50, 60)), Ok(()));
        assert_eq!(flood.admit(&call(Weight::Message, 33_000)), Ok(()));
        flood.silence(1, 2, 60_000);
        assert_eq!(flood.admit(&call(Weight::Free, 50_000)), Ok(()));
        let other = Arrival { chat: 3, ..call(Weight::Message, 50_000) };
        assert_eq!(flood.admit(&other), Ok(()), "other chats are free");
    }
}
