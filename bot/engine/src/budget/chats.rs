//! The budgets of all chats that anything went out to lately.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::inbound::Place;
use pensive_contract::outward::Pace;

use super::{Budget, Rank};
use crate::core::Address;

/// Chats are looked through for idle ones when there are twice as many as were left the last time, and at least these.
const FEWEST: usize = 64;

/// A budget for each chat. A chat's topics share one: platforms count the chat.
#[derive(Default)]
pub(crate) struct Budgets {
    chats: Mutex<Chats>,
}

#[derive(Default)]
struct Chats {
    budgets: HashMap<Address, Budget>,
    /// How many were left when idle ones were last dropped.
    left: usize,
}

impl Budgets {
    /// Takes one call in this chat.
    ///
    /// # Errors
    /// It must not be made before this moment.
    pub(crate) fn take(
        &self,
        pace: Pace,
        place: &Place,
        rank: Rank,
        now: Timestamp,
    ) -> Result<(), Timestamp> {
        self.chats().budget(pace, place, now).take(rank, now)
    }

    /// When such a call may be made if nothing else is.
    pub(crate) fn ready(&self, pace: Pace, place: &Place, rank: Rank, now: Timestamp) -> Timestamp {
        self.chats().budget(pace, place, now).ready(rank, now)
    }

    /// The platform asked for silence in this chat from now on.
    pub(crate) fn hush(&self, pace: Pace, place: &Place, span: Duration, now: Timestamp) {
        self.chats().budget(pace, place, now).hush(span, now);
    }

    /// The end of the silence that still holds in this chat.
    pub(crate) fn hushed(&self, place: &Place, now: Timestamp) -> Option<Timestamp> {
        self.chats().budgets.get(&address(place))?.hushed(now)
    }

    fn chats(&self) -> MutexGuard<'_, Chats> {
        self.chats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Chats {
    fn budget(&mut self, pace: Pace, place: &Place, now: Timestamp) -> &mut Budget {
        if self.budgets.len() >= FEWEST.max(self.left * 2) {
            self.budgets.retain(|_, budget| !budget.is_idle(now));
            self.left = self.budgets.len();
        }
        self.budgets.entry(address(place)).or_insert_with(|| Budget::new(pace, place.kind))
    }
}

fn address(place: &Place) -> Address {
    (place.account.clone(), place.chat.clone())
}

#[cfg(test)]
mod tests {
    use pensive_contract::ids::{ChatId, TopicId};
    use pensive_contract::inbound::{Topic, TopicKind};

    use super::*;
    use crate::budget::tests::PACE;
    use crate::samples::inbound;

    fn place(chat: &str) -> Place {
        inbound(chat, "").place
    }

    #[test]
    fn str_03_a_chat_has_one_budget_whoever_calls_and_wherever_in_it() {
        let budgets = Budgets::default();
        let topic = Some(Topic { id: TopicId::from("5"), kind: TopicKind::Topic });
        let now = Timestamp(1_000);
        for place in [place("1"), Place { topic, ..place("1") }].iter().cycle().take(5) {
            assert_eq!(budgets.take(PACE, place, Rank::Answer, now), Ok(()));
        }
        assert_eq!(budgets.take(PACE, &place("1"), Rank::Answer, now), Err(Timestamp(2_000)));
        assert_eq!(budgets.take(PACE, &place("2"), Rank::Answer, now), Ok(()));
    }

    #[test]
    fn a_silence_belongs_to_its_chat() {
        let budgets = Budgets::default();
        budgets.hush(PACE, &place("1"), Duration::from_secs(9), Timestamp(1_000));
        assert_eq!(budgets.hushed(&place("1"), Timestamp(2_000)), Some(Timestamp(10_000)));
        assert_eq!(budgets.hushed(&place("2"), Timestamp(2_000)), None);
    }

    #[test]
    fn chats_that_are_idle_are_forgotten_and_others_are_not() {
        let budgets = Budgets::default();
        budgets.hush(PACE, &place("quiet"), Duration::from_hours(24), Timestamp(0));
        for index in 0..1_000_i64 {
            let place = Place { chat: ChatId::from(index.to_string()), ..place("1") };
            assert_eq!(budgets.take(PACE, &place, Rank::Answer, Timestamp(index * 10_000)), Ok(()));
        }
        assert!(budgets.chats().budgets.len() <= FEWEST);
        assert!(budgets.hushed(&place("quiet"), Timestamp(10_000_000)).is_some());
    }
}
