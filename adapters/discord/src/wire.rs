//! What Discord's gateway sends, as far as we read it. Every field that we could do without may be missing, null or odd.
//!
//! The frames are ours and not serenity's: its `Message` is read whole or not at all, so that one component of a kind that
//! it does not know, be it in the message that is answered, loses a person's words.

mod channel;
mod interaction;
mod lenient;
mod message;

use serde::Deserialize;
use serde_json::error::Category;

pub(crate) use channel::{Channel, Gone, Guild, GuildRole, Role, Threads};
pub(crate) use interaction::{Called, Interaction, InteractionKind};
pub(crate) use message::{Content, File, Member, Message, Sticker, User};

/// Something that happened.
#[derive(Debug)]
pub(crate) enum Event {
    /// A session began: what happened before it does not come.
    Ready,
    /// A session was taken up again; everything that was missed has come.
    Resumed,
    /// A guild is there, or has changed.
    Guild(Box<Guild>),
    /// A guild has left us, or we it, or it cannot be reached for a while.
    GuildGone(Gone),
    /// A role is there, or has changed.
    Role(GuildRole),
    /// A channel or thread is there, or has changed.
    Channel(Channel),
    /// Threads that we can see from now on.
    Threads(Threads),
    /// A channel or thread was deleted.
    ChannelGone(Gone),
    /// Somebody wrote.
    Message(Box<Message>),
    /// A message has changed: by its author, or because Discord put something to it.
    Edited(Box<Message>),
    /// Somebody calls a command, presses a button, or is typing a command.
    Interaction(Box<Interaction>),
    /// Nothing that we act on.
    Other,
}

/// The application that our bot is a part of.
#[derive(Debug, Deserialize)]
pub(crate) struct Application {
    #[serde(deserialize_with = "lenient::id")]
    pub(crate) id: u64,
}

/// Where and why reading an event stopped. Never what was read: that may be a person's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{why:?} at column {column}")]
pub(crate) struct Unread {
    pub(crate) why: Category,
    pub(crate) column: usize,
}

impl From<serde_json::Error> for Unread {
    fn from(error: serde_json::Error) -> Self {
        Self { why: error.classify(), column: error.column() }
    }
}

/// Reads an event by what Discord calls it.
///
/// # Errors
/// What cannot be missing is: an id.
pub(crate) fn event(kind: &str, data: &str) -> Result<Event, Unread> {
    Ok(match kind {
        "READY" => Event::Ready,
        "RESUMED" => Event::Resumed,
        "GUILD_CREATE" | "GUILD_UPDATE" => Event::Guild(serde_json::from_str(data)?),
        "GUILD_DELETE" => Event::GuildGone(serde_json::from_str(data)?),
        "GUILD_ROLE_CREATE" | "GUILD_ROLE_UPDATE" => Event::Role(serde_json::from_str(data)?),
        "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" | "THREAD_UPDATE" => {
            Event::Channel(serde_json::from_str(data)?)
        }
        "THREAD_LIST_SYNC" => Event::Threads(serde_json::from_str(data)?),
        "CHANNEL_DELETE" | "THREAD_DELETE" => Event::ChannelGone(serde_json::from_str(data)?),
        "MESSAGE_CREATE" => Event::Message(Message::read(data)?),
        "MESSAGE_UPDATE" => Event::Edited(Message::read(data)?),
        "INTERACTION_CREATE" => Event::Interaction(serde_json::from_str(data)?),
        _ => Event::Other,
    })
}

#[cfg(test)]
pub(crate) mod tests;
