//! What a chat may be called for: one flood budget, shared by everything that goes out there, with room kept for answers.
//! Pure arithmetic over moments that the caller names.

pub(crate) mod chats;

use std::collections::VecDeque;
use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::inbound::ChatKind;
use pensive_contract::outward::Pace;

/// How much a call matters. What matters less leaves room for what matters more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// The typing sign.
    Sign,
    /// An answer in the making.
    Preview,
    /// A message beside the answer: a bubble, a thought, a notice.
    Aside,
    /// The answer.
    Answer,
}

impl Rank {
    /// Calls of the burst that it leaves to others.
    fn spares(self) -> u32 {
        match self {
            Self::Answer => 0,
            Self::Aside => 1,
            Self::Preview => 2,
            Self::Sign => 3,
        }
    }

    /// Calls of the window that it leaves to others.
    fn spares_in_window(self) -> usize {
        match self {
            Self::Answer => 0,
            Self::Aside => 4,
            Self::Preview => 6,
            Self::Sign => 8,
        }
    }
}

/// What one chat has been called for.
#[derive(Debug)]
pub(crate) struct Budget {
    pace: Pace,
    /// When the burst is whole again.
    whole: Timestamp,
    /// The newest calls, oldest first, in chats of several people.
    recent: VecDeque<Timestamp>,
    /// The silence that the platform asked for: since when, and how long.
    silence: Option<(Timestamp, Duration)>,
}

impl Budget {
    /// Nothing has been called yet.
    pub(crate) fn new(mut pace: Pace, kind: ChatKind) -> Self {
        match kind {
            ChatKind::Direct => pace.shared = None,
            ChatKind::Group | ChatKind::Channel => {}
        }
        Self { pace, whole: Timestamp::default(), recent: VecDeque::new(), silence: None }
    }

    /// Takes one call.
    ///
    /// # Errors
    /// It must not be made before this moment.
    pub(crate) fn take(&mut self, rank: Rank, now: Timestamp) -> Result<(), Timestamp> {
        self.settle(now);
        let ready = self.ready(rank, now);
        if ready > now {
            return Err(ready);
        }
        self.whole = self.whole.max(now) + self.pace.every;
        if self.pace.shared.is_some() {
            self.recent.push_back(now);
        }
        Ok(())
    }

    /// The platform asked for silence from now on: nothing goes to this chat until it has passed.
    pub(crate) fn hush(&mut self, span: Duration, now: Timestamp) {
        let until = now + span;
        if self.hushed(now).is_none_or(|standing| standing < until) {
            self.silence = Some((now, span));
        }
    }

    /// The end of the silence that still holds. What costs nothing has to keep it too.
    pub(crate) fn hushed(&self, now: Timestamp) -> Option<Timestamp> {
        let (since, span) = self.silence?;
        // A clock that was set back must not make it longer.
        let until = since.min(now) + span;
        (until > now).then_some(until)
    }

    /// Whether nothing is left to remember of it.
    pub(crate) fn is_idle(&self, now: Timestamp) -> bool {
        let is_past = |at: &Timestamp| *at + self.window() <= now;
        self.hushed(now).is_none() && self.whole <= now && self.recent.back().is_none_or(is_past)
    }

    /// When a call of this rank may be made if nothing else is.
    pub(crate) fn ready(&self, rank: Rank, now: Timestamp) -> Timestamp {
        let Pace { burst, every, shared } = self.pace;
        let burst = self.whole - every * burst.saturating_sub(1).saturating_sub(rank.spares());
        let window = shared.map_or(now, |(most, span)| {
            let most = most.saturating_sub(rank.spares_in_window()).max(1);
            let before = self.recent.len().checked_sub(most).and_then(|index| self.recent.get(index));
            before.map_or(now, |at| *at + span)
        });
        burst.max(window).max(self.hushed(now).unwrap_or(now))
    }

    /// Forgets what has passed. A clock that was set back has made moments of ours lie ahead: they count as now.
    fn settle(&mut self, now: Timestamp) {
        self.whole = self.whole.min(now + self.pace.every * self.pace.burst);
        for at in &mut self.recent {
            *at = now.min(*at);
        }
        let span = self.window();
        while self.recent.front().is_some_and(|at| *at + span <= now) {
            self.recent.pop_front();
        }
        if let Some((since, _)) = &mut self.silence {
            *since = now.min(*since);
        }
    }

    fn window(&self) -> Duration {
        self.pace.shared.map_or(Duration::ZERO, |(_, span)| span)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) const PACE: Pace =
        Pace { burst: 5, every: Duration::from_secs(1), shared: Some((20, Duration::from_mins(1))) };

    const RANKS: [Rank; 4] = [Rank::Sign, Rank::Preview, Rank::Aside, Rank::Answer];

    /// Asks at these moments and gives those at which the call could be made.
    fn made(budget: &mut Budget, rank: Rank, moments: impl IntoIterator<Item = i64>) -> Vec<i64> {
        moments.into_iter().filter(|at| budget.take(rank, Timestamp(*at)).is_ok()).collect()
    }

    #[test]
    fn a_burst_then_one_a_second_and_what_matters_less_stops_sooner() {
        let check = |rank, expected: &[i64]| {
            let mut budget = Budget::new(PACE, ChatKind::Direct);
            let asked = std::iter::repeat_n(10_000, 6).chain([10_500, 11_000, 11_999, 12_000]);
            assert_eq!(made(&mut budget, rank, asked), expected, "{rank:?}");
        };
        check(Rank::Answer, &[10_000, 10_000, 10_000, 10_000, 10_000, 11_000, 12_000]);
        check(Rank::Aside, &[10_000, 10_000, 10_000, 10_000, 11_000, 12_000]);
        check(Rank::Preview, &[10_000, 10_000, 10_000, 11_000, 12_000]);
        check(Rank::Sign, &[10_000, 10_000, 11_000, 12_000]);
    }

    #[test]
    fn a_refused_call_is_told_when_to_come_again_and_costs_nothing() {
        let mut budget = Budget::new(PACE, ChatKind::Direct);
        made(&mut budget, Rank::Answer, std::iter::repeat_n(1_000, 5));
        for _ in 0..3 {
            assert_eq!(budget.take(Rank::Answer, Timestamp(1_300)), Err(Timestamp(2_000)));
            assert_eq!(budget.take(Rank::Sign, Timestamp(1_300)), Err(Timestamp(5_000)));
        }
        assert_eq!(budget.take(Rank::Answer, Timestamp(2_000)), Ok(()));
    }

    #[test]
    fn a_group_has_twenty_calls_a_minute_of_which_previews_leave_six() {
        let every_second = || (0..200).map(|second| 1_000_000 + second * 1_000);
        let within_first = |made: &[i64]| made.iter().filter(|at| **at < 1_060_000).count();
        for (rank, most) in [(Rank::Answer, 20), (Rank::Aside, 16), (Rank::Preview, 14), (Rank::Sign, 12)] {
            let made = made(&mut Budget::new(PACE, ChatKind::Group), rank, every_second());
            assert_eq!(within_first(&made), most, "{rank:?}");
        }
        let made = made(&mut Budget::new(PACE, ChatKind::Direct), Rank::Answer, every_second());
        assert_eq!(within_first(&made), 60, "alone with a person there is no such window");
    }

    #[test]
    fn str_01_nothing_goes_out_before_the_silence_has_passed_to_the_second() {
        let mut budget = Budget::new(PACE, ChatKind::Direct);
        budget.hush(Duration::from_secs(33), Timestamp(5_000));
        for rank in RANKS {
            assert_eq!(budget.take(rank, Timestamp(5_001)), Err(Timestamp(38_000)), "{rank:?}");
            assert_eq!(budget.take(rank, Timestamp(37_999)), Err(Timestamp(38_000)), "{rank:?}");
        }
        assert_eq!(budget.hushed(Timestamp(37_999)), Some(Timestamp(38_000)));
        assert_eq!(budget.hushed(Timestamp(38_000)), None);
        assert_eq!(budget.take(Rank::Answer, Timestamp(38_000)), Ok(()));
    }

    #[test]
    fn a_shorter_silence_does_not_end_a_longer_one() {
        let mut budget = Budget::new(PACE, ChatKind::Direct);
        budget.hush(Duration::from_secs(30), Timestamp(0));
        budget.hush(Duration::from_secs(1), Timestamp(1_000));
        assert_eq!(budget.hushed(Timestamp(3_000)), Some(Timestamp(30_000)));
    }

    #[test]
    fn str_02_previews_leave_the_answer_its_call_at_any_moment() {
        for kind in [ChatKind::Direct, ChatKind::Group] {
            let mut budget = Budget::new(PACE, kind);
            for at in (1_000_000..1_060_000).step_by(500) {
                let _spent_or_not = budget.take(Rank::Preview, Timestamp(at)).is_ok();
            }
            assert_eq!(budget.take(Rank::Answer, Timestamp(1_060_000)), Ok(()), "{kind:?}");
        }
    }

    #[test]
    fn a_chat_is_idle_when_nothing_of_its_past_counts_any_more() {
        let check = |kind, idle_from: i64| {
            let mut budget = Budget::new(PACE, kind);
            assert!(budget.is_idle(Timestamp(0)));
            made(&mut budget, Rank::Answer, [1_000]);
            assert!(!budget.is_idle(Timestamp(idle_from - 1)), "{kind:?}");
            assert!(budget.is_idle(Timestamp(idle_from)), "{kind:?}");
        };
        check(ChatKind::Direct, 2_000);
        check(ChatKind::Group, 61_000);
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_silence_a_chat_for_long() {
        let mut budget = Budget::new(PACE, ChatKind::Group);
        let late = Timestamp(1_000_000_000);
        made(&mut budget, Rank::Answer, std::iter::repeat_n(late.0, 5));
        budget.hush(Duration::from_secs(10), late);
        assert_eq!(budget.take(Rank::Answer, Timestamp(1_000)), Err(Timestamp(11_000)));
        assert_eq!(budget.take(Rank::Answer, Timestamp(11_000)), Ok(()));
    }

    fn rank() -> impl Strategy<Value = Rank> {
        proptest::sample::select(RANKS.to_vec())
    }

    proptest! {
        #[test]
        fn never_more_than_allowed_in_any_window(
            asked in proptest::collection::vec((0_i64..1_500, rank()), 1..400),
            is_group in any::<bool>(),
        ) {
            let mut budget = Budget::new(PACE, if is_group { ChatKind::Group } else { ChatKind::Direct });
            let (mut now, mut calls) = (0, Vec::new());
            for (pause, rank) in asked {
                now += pause;
                if budget.take(rank, Timestamp(now)).is_ok() {
                    calls.push(now);
                }
            }
            for (index, from) in calls.iter().enumerate() {
                for (count, to) in calls.iter().skip(index).enumerate() {
                    prop_assert!(count as i64 <= 4 + (to - from) / 1_000, "{count} more in {} ms", to - from);
                    let in_window = to - from < 60_000;
                    prop_assert!(!is_group || !in_window || count < 20, "{count} more in {} ms", to - from);
                }
            }
        }

        #[test]
        fn what_comes_when_it_was_told_to_passes(
            before in proptest::collection::vec((0_i64..1_500, rank()), 0..100),
            rank in rank(),
            is_group in any::<bool>(),
        ) {
            let mut budget = Budget::new(PACE, if is_group { ChatKind::Group } else { ChatKind::Direct });
            let mut now = 0;
            for (pause, rank) in before {
                now += pause;
                let _spent_or_not = budget.take(rank, Timestamp(now)).is_ok();
            }
            if let Err(ready) = budget.take(rank, Timestamp(now)) {
                prop_assert!(ready > Timestamp(now));
                prop_assert_eq!(budget.take(rank, ready), Ok(()));
            }
        }

        #[test]
        fn str_02_an_answer_never_waits_for_what_matters_less(
            before in proptest::collection::vec((0_i64..1_500, rank()), 0..200),
        ) {
            for kind in [ChatKind::Direct, ChatKind::Group] {
                let mut budget = Budget::new(PACE, kind);
                let mut now = 0;
                for (pause, rank) in &before {
                    now += pause;
                    let _spent_or_not = budget.take((*rank).min(Rank::Aside), Timestamp(now)).is_ok();
                }
                prop_assert_eq!(budget.take(Rank::Answer, Timestamp(now)), Ok(()));
            }
        }
    }
}
