//! Sends: a part becomes one sendMessage, and beside it the typing sign and the answer to a pressed button.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::ids::MessageId;
use pensive_contract::inbound::{ChatKind, Place};
use pensive_contract::outward::{
    Body, Button, Extras, Mark, Outcome, Outlet, Part, Presses, Refusal, Style, Typing,
};
use teloxide_core::payloads::{AnswerCallbackQuery, SendChatAction, SendMessage};
use teloxide_core::types::{
    self, CallbackQueryId, ChatAction, ChatId, InlineKeyboardButton, InlineKeyboardMarkup,
    LinkPreviewOptions, MessageEntity, MessageEntityKind, Recipient, ReplyMarkup, ReplyParameters, ThreadId,
};

use crate::chats::Chats;
use crate::client::{CallFault, Client};
use crate::render::render;
use crate::units;
use crate::verdict::verdict;
use crate::wire::Sent;

/// A typing sign fades after this long (<https://core.telegram.org/bots/api#sendchataction>).
const TYPING_LASTS: Duration = Duration::from_secs(5);
/// Limits of a button's data in bytes and of the text that answers a press in characters
/// (<https://core.telegram.org/bots/api#inlinekeyboardbutton>, <https://core.telegram.org/bots/api#answercallbackquery>).
const LONGEST_DATA: usize = 64;
const LONGEST_NOTICE: usize = 200;
/// The topic that every forum has: messages go there without an id, the typing sign only with it.
const GENERAL: i32 = 1;

/// The outward side of one account.
pub(crate) struct Lines {
    pub(crate) client: Client,
    pub(crate) chats: Arc<Chats>,
}

#[async_trait]
impl Outlet for Lines {
    fn render(&self, body: &Body) -> Vec<Part> {
        render(body)
    }

    async fn send(&self, to: &Place, part: &Part, extras: &Extras) -> Outcome<MessageId> {
        let Some(address) = Address::of(to, &self.chats) else { return unaddressed(to) };
        let quoted = quoted(to, extras);
        match self.client.call::<_, Sent>(&send_message(address, part, extras, quoted)).await {
            Ok(sent) => Outcome::Delivered(MessageId::from(sent.message_id.to_string())),
            Err(fault) => self.failed(address, &fault),
        }
    }
}

#[async_trait]
impl Typing for Lines {
    fn lasts(&self) -> Duration {
        TYPING_LASTS
    }

    async fn show(&self, to: &Place) -> Outcome<()> {
        let Some(address) = Address::of(to, &self.chats) else { return unaddressed(to) };
        let general = || self.chats.is_forum(address.chat).then_some(GENERAL);
        let action = SendChatAction {
            chat_id: address.recipient(),
            action: ChatAction::Typing,
            business_connection_id: None,
            message_thread_id: address.topic.or_else(general).map(thread),
        };
        match self.client.call::<_, bool>(&action).await {
            Ok(_) => Outcome::Delivered(()),
            Err(fault) => self.failed(address, &fault),
        }
    }
}

#[async_trait]
impl Presses for Lines {
    async fn answer(&self, query: &str, text: Option<&str>) -> Outcome<()> {
        let answer = AnswerCallbackQuery {
            callback_query_id: CallbackQueryId(query.to_owned()),
            text: text.map(|text| text.chars().take(LONGEST_NOTICE).collect()),
            show_alert: None,
            url: None,
            cache_time: None,
        };
        match self.client.call::<_, bool>(&answer).await {
            Ok(_) => Outcome::Delivered(()),
            Err(fault) => verdict(&fault),
        }
    }
}

impl Lines {
    fn failed<T>(&self, address: Address, fault: &CallFault) -> Outcome<T> {
        if let CallFault::Refused(no) = fault
            && let Some(new) = no.moved_to
        {
            self.chats.moved(address.chat, new);
        }
        verdict(fault)
    }
}

/// A place in Telegram's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Address {
    chat: i64,
    topic: Option<i32>,
}

impl Address {
    /// Nothing when the ids are not Telegram's, as after a slip in the configuration.
    fn of(place: &Place, chats: &Chats) -> Option<Self> {
        let chat = chats.current(place.chat.as_str().parse().ok()?);
        let topic = match &place.topic {
            Some(topic) => Some(topic.id.as_str().parse().ok()?),
            None => None,
        };
        let is_general = |topic: &i32| place.kind != ChatKind::Direct && *topic == GENERAL;
        Some(Self { chat, topic: topic.filter(|topic| !is_general(topic)) })
    }

    fn recipient(self) -> Recipient {
        Recipient::Id(ChatId(self.chat))
    }
}

fn unaddressed<T>(to: &Place) -> Outcome<T> {
    Outcome::Refused {
        refusal: Refusal::Never,
        why: format!("\"{}\" is no place on Telegram: chats and topics are numbers there", to.chat),
    }
}

fn thread(id: i32) -> ThreadId {
    ThreadId(types::MessageId(id))
}

/// The message to quote. Of two people each knows what the other answers, so there only a message with buttons says what
/// it is about.
fn quoted<'a>(to: &Place, extras: &'a Extras) -> Option<&'a MessageId> {
    let says = match to.kind {
        ChatKind::Direct => !extras.buttons.is_empty(),
        ChatKind::Group | ChatKind::Channel => true,
    };
    extras.reply_to.as_ref().filter(|_| says)
}

fn send_message(to: Address, part: &Part, extras: &Extras, quoted: Option<&MessageId>) -> SendMessage {
    let entities = entities(part);
    let reply = quoted.and_then(|id| id.as_str().parse().ok());
    let reply = reply.map(|id| ReplyParameters::new(types::MessageId(id)).allow_sending_without_reply());
    SendMessage {
        chat_id: to.recipient(),
        text: part.text.clone(),
        business_connection_id: None,
        message_thread_id: to.topic.map(thread),
        parse_mode: None,
        entities: (!entities.is_empty()).then_some(entities),
        link_preview_options: Some(no_preview()),
        disable_notification: None,
        protect_content: None,
        allow_paid_broadcast: None,
        message_effect_id: None,
        reply_parameters: reply,
        reply_markup: keyboard(&extras.buttons),
    }
}

fn no_preview() -> LinkPreviewOptions {
    LinkPreviewOptions {
        is_disabled: true,
        url: None,
        prefer_small_media: false,
        prefer_large_media: false,
        show_above_text: false,
    }
}

fn keyboard(buttons: &[Button]) -> Option<ReplyMarkup> {
    let fits = |button: &&Button| {
        let fits = !button.label.is_empty() && (1..=LONGEST_DATA).contains(&button.data.len());
        if !fits {
            tracing::warn!(bytes = button.data.len(), "a button that Telegram would refuse was left out");
        }
        fits
    };
    let row = |button: &Button| [InlineKeyboardButton::callback(button.label.clone(), button.data.clone())];
    let rows: Vec<_> = buttons.iter().filter(fits).map(row).collect();
    (!rows.is_empty()).then(|| ReplyMarkup::InlineKeyboard(InlineKeyboardMarkup::new(rows)))
}

/// The marks in UTF-16 units, in one walk over the text. Marks that do not fit the text are left out: they were stored by
/// another version.
fn entities(part: &Part) -> Vec<MessageEntity> {
    let mut from = (0, 0);
    let mut entities = Vec::with_capacity(part.marks.len());
    for mark in &part.marks {
        // Marks are in order of their starts; one that is not begins its walk anew.
        let (byte, unit) = if mark.range.start >= from.0 { from } else { (0, 0) };
        let (Some(before), Some(inside)) =
            (part.text.get(byte..mark.range.start), part.text.get(mark.range.clone()))
        else {
            continue;
        };
        let offset = unit + units::length(before);
        from = (mark.range.start, offset);
        if let Some(kind) = kind(mark) {
            entities.push(MessageEntity { kind, offset, length: units::length(inside) });
        }
    }
    entities
}

fn kind(mark: &Mark) -> Option<MessageEntityKind> {
    Some(match &mark.style {
        Style::Bold => MessageEntityKind::Bold,
        Style::Italic => MessageEntityKind::Italic,
        Style::Underline => MessageEntityKind::Underline,
        Style::Strike => MessageEntityKind::Strikethrough,
        Style::Spoiler => MessageEntityKind::Spoiler,
        Style::Code => MessageEntityKind::Code,
        Style::Pre { language } => {
            MessageEntityKind::Pre { language: (!language.is_empty()).then(|| language.clone()) }
        }
        Style::Quote => MessageEntityKind::Blockquote,
        Style::Fold => MessageEntityKind::ExpandableBlockquote,
        Style::Link { url } => MessageEntityKind::TextLink { url: reqwest::Url::parse(url).ok()? },
    })
}
