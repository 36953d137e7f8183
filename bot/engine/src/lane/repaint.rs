//! Messages of ours that show a state which has changed since: they are made to show it, the newest state alone and one
//! message after the other. Nobody waits for it, and nothing is lost where it fails.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pensive_contract::ids::MessageId;
use pensive_contract::inbound::Place;
use pensive_contract::outward::{Body, Button, Extras, Outcome};

use crate::budget::Rank;
use crate::core::{Core, moment};

/// Tries of one message.
const MOST_TRIES: u32 = 3;

/// What a message is to show.
pub(super) struct Picture {
    pub(super) place: Place,
    pub(super) message: MessageId,
    pub(super) text: String,
    pub(super) buttons: Vec<Button>,
}

/// What one lane has to paint.
#[derive(Clone, Default)]
pub(super) struct Easel(Arc<Mutex<Due>>);

#[derive(Default)]
struct Due {
    pictures: VecDeque<Picture>,
    hand: Hand,
}

#[derive(Default, PartialEq, Eq)]
enum Hand {
    #[default]
    Rests,
    Paints,
}

impl Easel {
    /// Paints a picture soon, in place of an older one of the same message.
    pub(super) fn paint(&self, core: &Arc<Core>, picture: Picture) {
        let mut due = self.lock();
        due.pictures.retain(|older| older.message != picture.message || older.place != picture.place);
        due.pictures.push_back(picture);
        if due.hand == Hand::Rests {
            due.hand = Hand::Paints;
            let (easel, core) = (self.clone(), Arc::clone(core));
            core.tasks.clone().spawn(async move { easel.work(&core).await });
        }
    }

    async fn work(&self, core: &Core) {
        while let Some(picture) = self.next() {
            tokio::select! {
                biased;
                () = core.abort.cancelled() => {}
                () = self.put(core, &picture) => {}
            }
        }
    }

    fn next(&self) -> Option<Picture> {
        let mut due = self.lock();
        let picture = due.pictures.pop_front();
        if picture.is_none() {
            due.hand = Hand::Rests;
        }
        picture
    }

    async fn put(&self, core: &Core, picture: &Picture) {
        let Picture { place, message, text, buttons } = picture;
        let Some(outward) = core.ports.outward.get(&place.account) else { return };
        let Some(previews) = &outward.previews else { return };
        let body = Body::Plain(core.ports.masker.mask(text).into_owned());
        let Some(part) = outward.outlet.render(&body).into_iter().next() else { return };
        let extras = Extras { buttons: buttons.clone(), ..Extras::default() };
        for _ in 0..MOST_TRIES {
            while let Err(ready) = core.pass(place, Rank::Preview) {
                moment(core, Some(ready)).await;
            }
            if self.is_outdated(picture) {
                return;
            }
            match previews.settle(place, message, &part, &extras).await {
                Outcome::Wait(span) => core.hush(place, span),
                Outcome::Delivered(_) | Outcome::Unchanged => return,
                outcome @ (Outcome::Refused { .. } | Outcome::Unknown { .. }) => {
                    tracing::debug!(account = %place.account, ?outcome, "a message shows an older state");
                    return;
                }
            }
        }
    }

    fn is_outdated(&self, picture: &Picture) -> bool {
        let same = |newer: &Picture| newer.message == picture.message && newer.place == picture.place;
        self.lock().pictures.iter().any(same)
    }

    fn lock(&self) -> MutexGuard<'_, Due> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
