//! What is shown of a run while it goes on, decided in one place from its events and the settings that hold at the moment.
//! Pure: who sends it, and when the chat can take it, is for others to say.

mod event;
mod face;
mod failed;
mod stage;
mod view;

pub(crate) use event::{Event, Fate, Op, Over, Post, Rest, Words};
pub(crate) use failed::Failed;
pub(crate) use stage::Stage;
pub(crate) use view::{NoPreviews, Occasion, Scene, View};

#[cfg(test)]
mod tests;
