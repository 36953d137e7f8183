//! Answers while they are made: a message that is changed as they grow, as often as its channel has room beside what is due.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::ids::MessageId;
use pensive_contract::inbound::Place;
use pensive_contract::outward::{Cost, Extras, Outcome, Part, Preview, Previews, Refusal, Tempo};
use reqwest::Method;
use serde::de::IgnoredAny;

use crate::address::{channel, unaddressed};
use crate::buckets::Rank;
use crate::client::{CallFault, Payload};
use crate::handle::Handle;
use crate::letter::{Letter, Manners, stop};
use crate::outlet::Lines;
use crate::render::preview;
use crate::routes::{self, Route};
use crate::verdict::{UNKNOWN_MESSAGE, code, verdict, verdict_of_change, verdict_of_removal};

/// At least this long between two edits of a message.
const EDIT_EVERY: Duration = Duration::from_millis(1_200);
/// Of so many standing previews it is remembered what they show.
const MOST_FACES: usize = 256;

#[async_trait]
impl Previews for Lines {
    fn tempo(&self, to: &Place) -> Option<Tempo> {
        // Any message of the channel: they share their limit.
        let edit = routes::message(channel(to)?, 0);
        let every = EDIT_EVERY.max(self.client.ready_in(Rank::Spare, &Method::PATCH, &edit));
        Some(Tempo { every, fades: None, cost: Cost::Message })
    }

    async fn show(
        &self,
        to: &Place,
        state: &Preview,
        standing: Option<&MessageId>,
    ) -> Outcome<Option<MessageId>> {
        let Some(channel) = channel(to) else { return unaddressed(to) };
        // What does not fit is seen from its beginning: that is what the first message of the answer will hold.
        let Some(part) = preview(state.thinking.as_deref(), &state.markdown).into_iter().next() else {
            return Outcome::Delivered(standing.cloned());
        };
        let reply_to = state.reply_to.clone();
        let extras = Extras { buttons: vec![stop(state.stream)], reply_to, ..Extras::default() };
        let content = fingerprint(&part);
        let shown = match standing.map(|id| (id, Handle::read(id))) {
            None => self.create(to, channel, &part, &extras).await,
            Some((_, Some(Handle::Message(id)))) if self.faces.shows(id, content) => {
                return Outcome::Unchanged;
            }
            Some((_, Some(Handle::Message(id)))) => self.redraw(channel, id, &part, &extras).await,
            Some((standing, _)) => return unknown_message(standing),
        };
        match shown {
            Ok(Some(id)) => {
                self.faces.shown(id, content);
                Outcome::Delivered(Some(Handle::Message(id).mint()))
            }
            Ok(None) => Outcome::Unchanged,
            Err(fault) => match verdict(&fault) {
                // The limit is known by now, and what is due goes by it alone.
                Outcome::Wait(_) => Outcome::Unchanged,
                outcome => outcome,
            },
        }
    }

    async fn settle(
        &self,
        to: &Place,
        standing: &MessageId,
        part: &Part,
        extras: &Extras,
    ) -> Outcome<MessageId> {
        let Some(channel) = channel(to) else { return unaddressed(to) };
        let letter = Letter::change(part, extras, self.manners);
        match Handle::read(standing) {
            Some(Handle::Message(id)) => {
                let payload = letter.payload(extras.file.clone());
                let route = routes::message(channel, id);
                let changed = match payload {
                    Ok(payload) => self.client.call::<IgnoredAny>(Method::PATCH, &route, payload).await,
                    Err(fault) => Err(fault),
                };
                self.faces.gone(id);
                changed
                    .map_or_else(|fault| verdict_of_change(&fault), |_| Outcome::Delivered(standing.clone()))
            }
            Some(Handle::Private { through, message }) => self.desk.edit(&through, message, &letter).await,
            Some(Handle::Command(_)) | None => unknown_message(standing),
        }
    }

    async fn remove(&self, to: &Place, standing: &MessageId) -> Outcome<()> {
        let Some(channel) = channel(to) else { return unaddressed(to) };
        let route = match Handle::read(standing) {
            Some(Handle::Message(id)) => {
                self.faces.gone(id);
                routes::message(channel, id)
            }
            Some(Handle::Private { through, message }) => {
                routes::answer(through.application, &through.token, &message.to_string())
            }
            Some(Handle::Command(_)) | None => return unknown_message(standing),
        };
        match self.client.call::<IgnoredAny>(Method::DELETE, &route, Payload::None).await {
            Ok(_) => Outcome::Delivered(()),
            Err(fault) if code(&fault) == Some(UNKNOWN_MESSAGE) => Outcome::Unchanged,
            Err(fault) => verdict_of_removal(&fault),
        }
    }
}

/// The message that shows a state now; nothing where there was no room for it.
type Shown = Result<Option<u64>, CallFault>;

impl Lines {
    async fn create(&self, to: &Place, channel: u64, part: &Part, extras: &Extras) -> Shown {
        if !self.finds_room(&Method::POST, &routes::messages(channel)).await {
            return Ok(None);
        }
        let letter = Letter::new(to, part, extras, Manners::QUIET);
        self.post(Rank::Spare, channel, &letter, None).await.map(Some)
    }

    async fn redraw(&self, channel: u64, id: u64, part: &Part, extras: &Extras) -> Shown {
        let route = routes::message(channel, id);
        if !self.finds_room(&Method::PATCH, &route).await {
            return Ok(None);
        }
        let payload = Letter::change(part, extras, Manners::QUIET).payload(None)?;
        self.client.call_as::<IgnoredAny>(Rank::Spare, Method::PATCH, &route, payload).await?;
        Ok(Some(id))
    }

    /// Waits for room where that is a matter of moments; later this state is an old one, and the next comes in its stead.
    async fn finds_room(&self, method: &Method, route: &Route) -> bool {
        let wait = self.client.ready_in(Rank::Spare, method, route);
        if wait > EDIT_EVERY {
            return false;
        }
        self.client.clock().sleep(wait).await;
        true
    }
}

/// What standing previews show, so that nothing is sent that is there already.
#[derive(Debug, Default)]
pub(crate) struct Faces(Mutex<VecDeque<(u64, u64)>>);

impl Faces {
    fn shows(&self, message: u64, content: u64) -> bool {
        self.faces(|faces| faces.contains(&(message, content)))
    }

    fn shown(&self, message: u64, content: u64) {
        self.faces(|faces| {
            faces.retain(|(other, _)| *other != message);
            if faces.len() >= MOST_FACES {
                faces.pop_front();
            }
            faces.push_back((message, content));
        });
    }

    fn gone(&self, message: u64) {
        self.faces(|faces| faces.retain(|(other, _)| *other != message));
    }

    fn faces<T>(&self, work: impl FnOnce(&mut VecDeque<(u64, u64)>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn fingerprint(part: &Part) -> u64 {
    let mut hasher = DefaultHasher::new();
    part.text.hash(&mut hasher);
    hasher.finish()
}

fn unknown_message<T>(id: &MessageId) -> Outcome<T> {
    Outcome::Refused { refusal: Refusal::Never, why: format!("\"{id}\" is no message of Discord") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_faces_are_remembered_as_there_is_room_for() {
        let faces = Faces::default();
        for message in 0..1_000 {
            faces.shown(message, 1);
            faces.shown(message, 2);
        }
        assert!(faces.shows(999, 2) && !faces.shows(999, 1) && !faces.shows(1, 2));
        assert_eq!(faces.faces(|faces| faces.len()), MOST_FACES);
        faces.gone(999);
        assert!(!faces.shows(999, 2));
    }
}
