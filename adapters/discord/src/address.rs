//! Which channel of Discord's a place is: a thread is a channel of its own there.

use pensive_contract::inbound::{Place, TopicKind};
use pensive_contract::outward::{Outcome, Refusal};

/// The channel that messages to a place go to; nothing where it is none of Discord's.
pub(crate) fn channel(place: &Place) -> Option<u64> {
    let thread = place.topic.as_ref().filter(|topic| topic.kind == TopicKind::Thread);
    thread.map_or(place.chat.as_str(), |topic| topic.id.as_str()).parse().ok()
}

/// The outcome of a call that has no address, as after a slip in the configuration.
pub(crate) fn unaddressed<T>(to: &Place) -> Outcome<T> {
    Outcome::Refused {
        refusal: Refusal::Never,
        why: format!("\"{}\" is no place on Discord: channels and threads are numbers there", to.chat),
    }
}
