//! Calls that teloxide does not know, or not with all their fields: rich messages, drafts, a list of events with the newest
//! kinds. They are written after <https://core.telegram.org/bots/api> and go through the same client as teloxide's own.

use pensive_prose::reads_right;
use serde::Serialize;
use teloxide_core::requests::Payload;
use teloxide_core::types::{
    InlineKeyboardMarkup, LinkPreviewOptions, MessageEntity, Recipient, ReplyParameters, ThreadId, True,
};

/// A rich message (Bot API 10.1), as Markdown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct InputRichMessage {
    pub(crate) markdown: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_rtl: bool,
}

impl InputRichMessage {
    /// Its direction is what most of its letters say.
    pub(crate) fn new(markdown: String) -> Self {
        Self { is_rtl: reads_right(&markdown), markdown }
    }
}

/// Sends a rich message (Bot API 10.1).
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SendRichMessage {
    pub(crate) chat_id: Recipient,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message_thread_id: Option<ThreadId>,
    pub(crate) rich_message: InputRichMessage,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reply_parameters: Option<ReplyParameters>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reply_markup: Option<InlineKeyboardMarkup>,
}

/// What both kinds of drafts say beside their content.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct DraftHead {
    pub(crate) chat_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message_thread_id: Option<ThreadId>,
    /// Never zero.
    pub(crate) draft_id: i64,
    /// Shows a button for stopping (Bot API 10.3); older servers pay no heed to it.
    pub(crate) can_stop: bool,
    /// Leaves what is there until the message comes that keeps it.
    pub(crate) keep_on_stop: bool,
}

/// Shows a rich message in the making (Bot API 10.1).
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SendRichMessageDraft {
    #[serde(flatten)]
    pub(crate) head: DraftHead,
    pub(crate) rich_message: InputRichMessage,
}

/// Shows a message in the making (Bot API 9.3); without text, Telegram's own sign that something is coming.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SendMessageDraft {
    #[serde(flatten)]
    pub(crate) head: DraftHead,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) entities: Vec<MessageEntity>,
}

/// Changes a message; with either a text or a rich message.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct EditMessageText {
    pub(crate) chat_id: Recipient,
    pub(crate) message_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) entities: Vec<MessageEntity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rich_message: Option<InputRichMessage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) link_preview_options: Option<LinkPreviewOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reply_markup: Option<InlineKeyboardMarkup>,
}

/// Asks for events.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct GetUpdates {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<i64>,
    pub(crate) limit: u8,
    pub(crate) timeout: u32,
    pub(crate) allowed_updates: &'static [&'static str],
}

macro_rules! payload {
    ($($name:ident -> $output:ty),* $(,)?) => {
        $(impl Payload for $name {
            type Output = $output;
            const NAME: &'static str = stringify!($name);
        })*
    };
}

// Telegram reads the names of methods without regard to case.
payload!(
    SendRichMessage -> (),
    SendRichMessageDraft -> True,
    SendMessageDraft -> True,
    EditMessageText -> (),
    GetUpdates -> (),
);
