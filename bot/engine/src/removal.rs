//! Takes away previews that nothing comes in the place of. Nobody waits for it longer than a moment: what the chat does not
//! take at once is tried again beside everything else, so that no status with a Stop under it outlives its run.

use std::sync::Arc;
use std::time::Duration;

use pensive_contract::clock::{Clock, within};
use pensive_contract::ids::MessageId;
use pensive_contract::inbound::Place;
use pensive_contract::outward::{Outcome, Previews, Refusal};
use tokio_util::sync::CancellationToken;

use crate::core::Core;
use crate::retry::send_pause;

/// How long the answer waits behind it.
const MOMENT: Duration = Duration::from_secs(5);
/// More than these are in vain.
const MOST_TRIES: u32 = 8;

/// A preview that is to go.
pub(crate) struct Removal {
    previews: Arc<dyn Previews>,
    clock: Arc<dyn Clock>,
    closing: CancellationToken,
    place: Place,
    standing: MessageId,
}

impl Removal {
    /// Nothing where no previews are known.
    pub(crate) fn new(core: &Core, place: &Place, standing: MessageId) -> Option<Self> {
        let previews = core.ports.outward.get(&place.account)?.previews.clone()?;
        let clock = Arc::clone(&core.ports.clock);
        Some(Self { previews, clock, closing: core.closing.clone(), place: place.clone(), standing })
    }

    /// Tries once. Gives the pause before the next try, where one may help.
    pub(crate) async fn attempt(&self, tries: u32) -> Option<Duration> {
        let outcome = within(&*self.clock, MOMENT, self.previews.remove(&self.place, &self.standing)).await;
        tracing::debug!(?outcome, tries, "a preview is taken away");
        match outcome {
            Ok(Outcome::Delivered(()) | Outcome::Unchanged) => None,
            Ok(Outcome::Wait(span)) => Some(span),
            Ok(Outcome::Refused { refusal: Refusal::Again, .. } | Outcome::Unknown { .. }) | Err(_) => {
                Some(send_pause(tries, fastrand::f64()))
            }
            Ok(Outcome::Refused {
                refusal:
                    Refusal::Style | Refusal::TopicGone | Refusal::ChatGone | Refusal::Account | Refusal::Never,
                ..
            }) => None,
        }
    }

    /// Goes on trying after a pause.
    pub(crate) async fn insist(self, mut pause: Duration) {
        for tries in 1..MOST_TRIES {
            if self.closing.run_until_cancelled(self.clock.sleep(pause)).await.is_none() {
                return;
            }
            match self.attempt(tries).await {
                Some(next) => pause = next,
                None => return,
            }
        }
        tracing::warn!(account = %self.place.account, "a preview could not be taken away");
    }
}
