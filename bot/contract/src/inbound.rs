//! The one shape in which every channel hands in what people do.

use std::ops::Range;

use crate::clock::Timestamp;
use crate::ids::{Account, ChatId, MessageId, RoleId, SenderId, SpaceId, TopicId, UpdateId};

/// What kind of conversation a chat is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChatKind {
    /// One person and the bot.
    Direct,
    /// Several people and the bot.
    Group,
    /// A broadcast channel.
    Channel,
}

/// What a platform calls the rooms inside a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TopicKind {
    /// A forum topic.
    Topic,
    /// A thread.
    Thread,
}

/// A room inside a chat with a conversation of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Topic {
    /// The platform's id of it.
    pub id: TopicId,
    /// What it is called there.
    pub kind: TopicKind,
}

/// Where a message stands, and where its answer goes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Which of our accounts sees it.
    pub account: Account,
    /// The chat.
    pub chat: ChatId,
    /// What kind of chat.
    pub kind: ChatKind,
    /// The topic or thread, only where the message itself stood in one.
    pub topic: Option<Topic>,
    /// The community that the chat belongs to, where the platform has such.
    pub space: Option<SpaceId>,
}

/// Who wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender {
    /// The platform's id; access is judged by it, and by the roles.
    pub id: SenderId,
    /// The name shown to people and, in groups, to the model.
    pub name: String,
    /// The roles that they have in the place's community.
    pub roles: Vec<RoleId>,
}

/// How a message in a shared chat is meant for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addressed {
    /// Nothing says that it is.
    No,
    /// A mention, a reply to us, a command with our name, or a conversation of two.
    Yes,
}

/// What a file that came with a message is to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachmentKind {
    /// A picture.
    Photo,
    /// A spoken message.
    Voice,
    /// Music or a recording.
    Audio,
    /// A film, or a picture that moves.
    Video,
    /// A sticker.
    Sticker,
    /// Any other file.
    Document,
}

/// A file that came with a message; fetched by the adapter, on request, after admission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// What it is.
    pub kind: AttachmentKind,
    /// What its sender calls it, where they call it anything.
    pub name: Option<String>,
    /// The platform's handle for fetching it.
    pub handle: String,
    /// Its size in bytes, where the platform tells.
    pub size: Option<u64>,
}

/// What a person typed, with the marks that the platform put on it. All ranges are byte ranges of `text`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypedText {
    /// The text or caption, as typed.
    pub text: String,
    /// Stretches that the platform marks as code or quotation.
    pub code: Vec<Range<usize>>,
    /// Stretches that name our bot.
    pub mentions: Vec<Range<usize>>,
    /// The name of our bot, without `@`, when the platform has such names.
    pub bot_name: Option<String>,
}

/// What a person did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InboundKind {
    /// Wrote a message.
    Message(TypedText),
    /// Changed the text of an earlier message; nothing in it is ever executed.
    Edit(TypedText),
    /// Pressed a button of ours.
    Press {
        /// What we put behind the button.
        data: String,
        /// The platform's handle for answering the press.
        query: String,
    },
    /// Stopped an answer in the making by what the platform offers beside it.
    Halt {
        /// Which one: the `stream` of its previews.
        stream: i64,
        /// The platform's handle for answering, where it was a button.
        query: Option<String>,
    },
}

/// One event from a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbound {
    /// Equal ids of one account are the same event.
    pub update: UpdateId,
    /// Where it happened.
    pub place: Place,
    /// Who did it.
    pub sender: Sender,
    /// The message it concerns.
    pub message: MessageId,
    /// What was done.
    pub kind: InboundKind,
    /// Whether it is meant for us, where that is a question.
    pub addressed: Addressed,
    /// What was sent along.
    pub attachments: Vec<Attachment>,
    /// What names the album that this message is one of, where it is: its messages are one to people.
    pub album: Option<String>,
    /// When the platform says that it happened.
    pub at: Timestamp,
}

impl Inbound {
    /// The typed text of a message or edit; nothing for a button or a stop.
    #[must_use]
    pub fn typed(&self) -> Option<&TypedText> {
        match &self.kind {
            InboundKind::Message(typed) | InboundKind::Edit(typed) => Some(typed),
            InboundKind::Press { .. } | InboundKind::Halt { .. } => None,
        }
    }
}
