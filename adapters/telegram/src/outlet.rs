//! Sends: a part becomes one message, and beside it the typing sign and the answer to a pressed button.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::ids::MessageId;
use pensive_contract::inbound::Place;
use pensive_contract::outward::{Body, Extras, Lasting, Outcome, Outlet, Part, Presses, Refusal, Typing};
use teloxide_core::payloads::{AnswerCallbackQuery, SendChatAction, SendMessage};
use teloxide_core::types::{CallbackQueryId, ChatAction, ReplyMarkup};

use crate::address::{Address, GENERAL, thread, unaddressed};
use crate::chats::Chats;
use crate::client::{CallFault, Client};
use crate::enclosure::{self, Parcel};
use crate::ladder::Ladder;
use crate::letter::{entities, keyboard, no_preview, reply};
use crate::payloads::{InputRichMessage, SendRichMessage};
use crate::render::{RichMessages, dressed};
use crate::verdict::verdict;
use crate::wire::Sent;

/// A typing sign fades after this long (<https://core.telegram.org/bots/api#sendchataction>).
const TYPING_LASTS: Duration = Duration::from_secs(5);
/// Limit of the text that answers a press, in characters (<https://core.telegram.org/bots/api#answercallbackquery>).
const LONGEST_NOTICE: usize = 200;

/// The outward side of one account.
pub(crate) struct Lines {
    pub(crate) client: Client,
    pub(crate) chats: Arc<Chats>,
    /// What each chat takes of rich messages and previews.
    pub(crate) ladder: Ladder,
    pub(crate) rich: RichMessages,
}

#[async_trait]
impl Outlet for Lines {
    fn render(&self, body: &Body) -> Vec<Part> {
        dressed(body, self.rich)
    }

    async fn send(&self, to: &Place, part: &Part, extras: &Extras) -> Outcome<MessageId> {
        let Some(address) = Address::of(to, &self.chats) else { return unaddressed(to) };
        if let Some(file) = &extras.file {
            let parcel = Parcel { to, address, part, extras, file };
            return match self.send_file(&parcel).await {
                Ok(sent) => delivered(&sent),
                Err(fault) => enclosure::verdict(self.failed(address, &fault), &fault),
            };
        }
        let sent = match &part.whole {
            Some(_) if !self.ladder.takes_rich(address.chat) => return plainer(),
            Some(whole) => {
                self.client.call::<_, Sent>(&send_rich_message(to, address, &whole.form, extras)).await
            }
            None => self.client.call::<_, Sent>(&send_message(to, address, part, extras)).await,
        };
        match sent {
            Ok(sent) => delivered(&sent),
            Err(fault) => {
                if part.whole.is_some() {
                    self.ladder.judge_rich(address.chat, &fault);
                }
                self.failed(address, &fault)
            }
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

    fn lasting(&self) -> Lasting {
        Lasting::Briefly
    }
}

impl Lines {
    pub(crate) fn failed<T>(&self, address: Address, fault: &CallFault) -> Outcome<T> {
        if let CallFault::Refused(no) = fault
            && let Some(new) = no.moved_to
        {
            self.chats.moved(address.chat, new);
        }
        verdict(fault)
    }
}

fn delivered(sent: &Sent) -> Outcome<MessageId> {
    Outcome::Delivered(MessageId::from(sent.message_id.to_string()))
}

/// What a chat that takes no rich messages answers to one: its parts may pass.
fn plainer<T>() -> Outcome<T> {
    Outcome::Refused { refusal: Refusal::Style, why: "this chat takes no rich messages".to_owned() }
}

fn send_rich_message(to: &Place, address: Address, form: &str, extras: &Extras) -> SendRichMessage {
    SendRichMessage {
        chat_id: address.recipient(),
        message_thread_id: address.thread(),
        rich_message: InputRichMessage::new(form.to_owned()),
        reply_parameters: reply(to, extras),
        reply_markup: keyboard(&extras.buttons),
    }
}

/// A part as a plain message.
pub(crate) fn send_message(to: &Place, address: Address, part: &Part, extras: &Extras) -> SendMessage {
    let entities = entities(part);
    SendMessage {
        chat_id: address.recipient(),
        text: part.text.clone(),
        business_connection_id: None,
        message_thread_id: address.thread(),
        parse_mode: None,
        entities: (!entities.is_empty()).then_some(entities),
        link_preview_options: Some(no_preview()),
        disable_notification: None,
        protect_content: None,
        allow_paid_broadcast: None,
        message_effect_id: None,
        reply_parameters: reply(to, extras),
        reply_markup: keyboard(&extras.buttons).map(ReplyMarkup::InlineKeyboard),
    }
}
