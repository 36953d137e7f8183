//! What is known of the interactions that came in: how far each is, and what is due next. Each is one caller's at a time, so
//! that two answers never race for the first word.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pensive_contract::clock::Timestamp;
use tokio::sync::{Notify, watch};

use crate::handle::Interaction;

/// After this long an interaction is acknowledged, if nobody has: Discord gives up after 3 s
/// (<https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-callback>).
pub(super) const ACKNOWLEDGED_AFTER: Duration = Duration::from_secs(2);
/// After this long nobody waits for an answer to a command any more.
pub(super) const ANSWERED_AFTER: Duration = Duration::from_mins(1);
/// As long as an interaction can be answered.
pub(super) const LASTS: Duration = Duration::from_mins(15);
/// The oldest beyond these are forgotten: an answer to one finds out by itself what has been said.
const MOST: usize = 1_024;

/// What somebody did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Came {
    /// Called a slash command.
    Command,
    /// Pressed a button or chose from a menu, below a message that everybody sees.
    Press,
    /// The same below a message that they alone see.
    PrivatePress,
}

/// How far an interaction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing is known to have been said.
    Open,
    /// Its person sees that an answer is being made.
    Deferred,
    /// They have an answer, or were not promised any.
    Answered,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hand {
    Free(Stage),
    Taken,
}

/// One interaction.
pub(super) struct Slip {
    pub(super) interaction: Interaction,
    pub(super) came: Came,
    /// When we first heard of it.
    pub(super) since: Timestamp,
    hand: watch::Sender<Hand>,
    /// What was last said to a press, and as which message.
    said: Mutex<Option<(String, u64)>>,
}

impl Slip {
    /// Waits for its turn.
    pub(super) async fn turn(&self) -> Turn<'_> {
        let mut hands = self.hand.subscribe();
        loop {
            let mut stage = None;
            self.hand.send_if_modified(|hand| match *hand {
                Hand::Free(free) => {
                    (stage, *hand) = (Some(free), Hand::Taken);
                    true
                }
                Hand::Taken => false,
            });
            if let Some(stage) = stage {
                return Turn { slip: self, stage };
            }
            // The sender is ours: it does not close.
            let _free = hands.wait_for(|hand| matches!(hand, Hand::Free(_))).await;
        }
    }
}

/// The right to say something; given back when it is dropped.
pub(super) struct Turn<'a> {
    slip: &'a Slip,
    /// How far it is, to be set before the turn ends.
    pub(super) stage: Stage,
}

impl Turn<'_> {
    /// The message in which the same was just said to a press.
    pub(super) fn said_before(&self, content: &str) -> Option<u64> {
        let said = self.slip.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.as_ref().filter(|(said, _)| said == content).map(|(_, id)| *id)
    }

    /// Keeps in mind what was said, where it may be said again.
    pub(super) fn has_said(&self, content: String, message: u64) {
        match self.slip.came {
            Came::Press | Came::PrivatePress => {
                *self.slip.said.lock().unwrap_or_else(PoisonError::into_inner) = Some((content, message));
            }
            Came::Command => {}
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.slip.hand.send_replace(Hand::Free(self.stage));
    }
}

/// What is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// To be acknowledged.
    Word,
    /// To be answered, if it was promised.
    End,
    /// To be forgotten.
    Nothing,
}

struct Entry {
    slip: Arc<Slip>,
    due: Due,
}

impl Entry {
    fn at(&self) -> Timestamp {
        let after = match self.due {
            Due::Word => ACKNOWLEDGED_AFTER,
            Due::End => ANSWERED_AFTER,
            Due::Nothing => LASTS,
        };
        self.slip.since + after
    }
}

/// All of them, by id.
#[derive(Default)]
pub(super) struct Slips {
    entries: Mutex<HashMap<u64, Entry>>,
    /// Rings when one came in.
    pub(super) news: Notify,
}

impl Slips {
    /// Notes one that came in; one that is known keeps its place.
    pub(super) fn arrived(&self, interaction: &Interaction, came: Came, now: Timestamp) {
        let mut entries = self.lock();
        if !entries.contains_key(&interaction.id) {
            add(&mut entries, interaction, came, now, Due::Word);
            self.news.notify_one();
        }
    }

    /// The slip of one that is to be answered; a fresh one where it came in before a restart, or long ago.
    pub(super) fn of(&self, interaction: &Interaction, came: Came, now: Timestamp) -> Arc<Slip> {
        let mut entries = self.lock();
        match entries.get(&interaction.id) {
            Some(entry) => Arc::clone(&entry.slip),
            None => add(&mut entries, interaction, came, now, Due::Nothing),
        }
    }

    /// What is due by now, and when the next is. Each is given once.
    pub(super) fn due(&self, now: Timestamp) -> (Vec<(Arc<Slip>, Due)>, Option<Timestamp>) {
        let mut entries = self.lock();
        let mut due = Vec::new();
        for entry in entries.values_mut().filter(|entry| entry.at() <= now) {
            due.push((Arc::clone(&entry.slip), entry.due));
            entry.due = match (entry.due, entry.slip.came) {
                (Due::Word, Came::Command) => Due::End,
                (Due::Word | Due::End | Due::Nothing, _) => Due::Nothing,
            };
        }
        entries.retain(|_, entry| entry.at() > now);
        (due, entries.values().map(Entry::at).min())
    }

    /// Those that nobody may have acknowledged.
    pub(super) fn open(&self) -> Vec<Arc<Slip>> {
        self.lock()
            .values()
            .filter(|entry| entry.due == Due::Word)
            .map(|entry| Arc::clone(&entry.slip))
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn add(
    entries: &mut HashMap<u64, Entry>,
    interaction: &Interaction,
    came: Came,
    now: Timestamp,
    due: Due,
) -> Arc<Slip> {
    if entries.len() >= MOST
        && let Some(oldest) = entries.iter().min_by_key(|(_, entry)| entry.slip.since).map(|(id, _)| *id)
    {
        entries.remove(&oldest);
    }
    let hand = watch::Sender::new(Hand::Free(Stage::Open));
    let said = Mutex::default();
    let slip = Arc::new(Slip { interaction: interaction.clone(), came, since: now, hand, said });
    entries.insert(interaction.id, Entry { slip: Arc::clone(&slip), due });
    slip
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn interaction(id: u64) -> Interaction {
        Interaction { application: 1, id, token: format!("t{id}") }
    }

    fn due(slips: &Slips, at: i64) -> (Vec<(u64, Due)>, Option<i64>) {
        let (due, next) = slips.due(Timestamp(at));
        let mut due: Vec<_> = due.into_iter().map(|(slip, due)| (slip.interaction.id, due)).collect();
        due.sort_by_key(|(id, _)| *id);
        (due, next.map(|next| next.0))
    }

    #[test]
    fn each_thing_is_due_once_and_then_all_is_forgotten() {
        let slips = Slips::default();
        slips.arrived(&interaction(1), Came::Command, Timestamp(0));
        slips.arrived(&interaction(2), Came::Press, Timestamp(500));
        slips.arrived(&interaction(1), Came::Command, Timestamp(900));
        assert_eq!(due(&slips, 0), (vec![], Some(2_000)));
        assert_eq!(due(&slips, 2_000), (vec![(1, Due::Word)], Some(2_500)));
        assert_eq!(due(&slips, 2_500), (vec![(2, Due::Word)], Some(60_000)));
        assert_eq!(due(&slips, 60_000), (vec![(1, Due::End)], Some(900_000)));
        assert_eq!(due(&slips, 900_000), (vec![(1, Due::Nothing)], Some(900_500)));
        assert_eq!(due(&slips, 1_000_000), (vec![(2, Due::Nothing)], None));
    }

    #[test]
    fn what_came_before_a_restart_is_owed_nothing() {
        let slips = Slips::default();
        slips.of(&interaction(1), Came::Command, Timestamp(0));
        assert_eq!(due(&slips, 60_000), (vec![], Some(900_000)));
    }

    #[test]
    fn the_oldest_are_forgotten_where_there_are_too_many() {
        let slips = Slips::default();
        for id in 0..2_000 {
            slips.arrived(&interaction(id), Came::Press, Timestamp(i64::try_from(id).unwrap()));
        }
        assert_eq!(slips.lock().len(), MOST);
        assert!(slips.lock().contains_key(&1_999) && !slips.lock().contains_key(&0));
    }

    #[test]
    fn one_has_the_word_at_a_time() {
        let slips = Slips::default();
        let slip = slips.of(&interaction(1), Came::Command, Timestamp(0));
        let mut first = slip.turn().now_or_never().unwrap();
        assert_eq!(first.stage, Stage::Open);
        assert!(slip.turn().now_or_never().is_none());
        first.stage = Stage::Deferred;
        drop(first);
        assert_eq!(slip.turn().now_or_never().unwrap().stage, Stage::Deferred);
        let mut waiting = Box::pin(slip.turn());
        assert_eq!(waiting.as_mut().now_or_never().unwrap().stage, Stage::Deferred);
    }
}
