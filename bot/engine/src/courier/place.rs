//! Where a part goes: into the place of a preview that stands, or out as a message of its own; and when its chat has room.

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::ids::MessageId;
use pensive_contract::outward::{Outcome, Outlet, Part, Previews, Refusal};
use pensive_contract::store::{OutboxKind, PartState, Standing};

use super::{Landing, Round};
use crate::budget::Rank;
use crate::enclosure;
use crate::removal::Removal;

/// A message that waits for room in its chat looks after so long whether others wait behind it.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

impl Round<'_> {
    /// Sends a part, or puts it in the place of the preview that stands.
    pub(super) async fn attempt(&self, outlet: &dyn Outlet, index: usize, part: &Part) -> Outcome<MessageId> {
        let mut extras = self.extras(index, part);
        if let Some(file) = &part.file {
            match enclosure::read(self.core, file, &self.place).await {
                Ok(media) => extras.file = Some(media),
                Err(fault) => return Outcome::Refused { refusal: Refusal::Never, why: fault.model },
            }
        }
        match self.settles(index) {
            Some((previews, standing)) => previews.settle(&self.place, &standing, part, &extras).await,
            None => outlet.send(&self.place, part, &extras).await,
        }
    }

    /// The preview whose place a part takes.
    pub(super) fn settles(&self, index: usize) -> Option<(Arc<dyn Previews>, MessageId)> {
        let Some(Standing::Settle(standing)) = self.entry.standing.as_ref().filter(|_| index == 0) else {
            return None;
        };
        let outward = self.core.ports.outward.get(&self.place.account)?;
        Some((outward.previews.clone()?, standing.clone()))
    }

    /// Whether a part of unknown fate may be sent again: what takes the place of a preview does so twice without harm, and a
    /// notice is the only way to what is behind its button.
    pub(super) fn bears_twice(&self, index: usize) -> bool {
        let notice = self.entry.kind == OutboxKind::Notice && !self.entry.buttons.is_empty();
        notice || self.settles(index).is_some()
    }

    /// Takes a preview away that nothing comes in the place of.
    pub(super) async fn clear(&mut self) {
        let untouched =
            self.entry.parts.first().is_some_and(|(_, state)| !matches!(state, PartState::Sent(_)));
        let Some(Standing::Remove(standing)) = self.entry.standing.clone().filter(|_| untouched) else {
            return;
        };
        let Some(removal) = Removal::new(self.core, &self.place, standing) else { return };
        self.entry.standing = None;
        if let Some(pause) = removal.attempt(0).await {
            self.core.tasks.spawn(removal.insist(pause));
        }
    }

    /// Gives up the place of a preview that stands: it is to go, and a message of its own to come. Says whether there was one.
    pub(super) fn gives_place_up(&mut self) -> bool {
        let Some(Standing::Settle(standing)) = self.entry.standing.clone() else { return false };
        self.entry.standing = Some(Standing::Remove(standing));
        true
    }

    /// Waits until the chat has room for one more message. What holds up others counts as much as they may.
    pub(super) async fn room(&mut self, index: usize) -> Landing {
        let own = match self.entry.kind {
            OutboxKind::Answer => Rank::Answer,
            OutboxKind::Acknowledgement | OutboxKind::Notice => Rank::Aside,
        };
        let mut announced = Landing::Known(PartState::Trying);
        loop {
            let rank = if self.bench.has_more() { Rank::Answer } else { own };
            let Err(ready) = self.core.pass(&self.place, rank) else { break };
            if let Landing::Known(PartState::Trying) = announced {
                // It has certainly not landed.
                self.note(index, PartState::Waiting);
                announced = Landing::Kept;
            }
            if self.pause(ready.since(self.core.now()).min(LOOK_AGAIN)).await.is_err() {
                return Landing::Kept;
            }
        }
        match announced {
            Landing::Kept => self.announce(index).await,
            Landing::Known(_) | Landing::Whole(..) | Landing::ChatGone(_) => announced,
        }
    }
}
