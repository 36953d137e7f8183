//! Answers while they are made: each state goes out by the best method that its chat takes, and by the next one where that
//! is refused.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::ids::MessageId;
use pensive_contract::inbound::{ChatKind, Place};
use pensive_contract::outward::{Button, Cost, Extras, Outcome, Part, Preview, Previews, Refusal, Tempo};
use serde::de::IgnoredAny;
use teloxide_core::payloads::DeleteMessage;
use teloxide_core::types;

use crate::address::{Address, unaddressed};
use crate::client::CallFault;
use crate::ladder::{Fall, Rung, fall_of};
use crate::letter::{entities, keyboard, no_preview};
use crate::outlet::{Lines, send_message};
use crate::payloads::{DraftHead, EditMessageText, InputRichMessage, SendMessageDraft, SendRichMessageDraft};
use crate::render::{preview, rich_draft};
use crate::wire::Sent;

/// Drafts may follow each other this fast; they are no messages.
const DRAFT_EVERY: Duration = Duration::from_millis(300);
/// A draft lives 30 s (<https://core.telegram.org/bots/api#sendmessagedraft>); it is renewed well before.
const DRAFT_FADES: Duration = Duration::from_secs(20);
/// One message a second in a chat and 20 a minute in a group, edits included
/// (<https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this>).
const EDIT_EVERY: Duration = Duration::from_secs(1);
const GROUP_EDIT_EVERY: Duration = Duration::from_secs(3);
/// What the button under a standing preview says and brings back, before the number of the answer.
const STOP: &str = "⏹ Stop";
pub(crate) const STOP_DATA: &str = "halt:";

#[async_trait]
impl Previews for Lines {
    fn tempo(&self, to: &Place) -> Option<Tempo> {
        let address = Address::of(to, &self.chats)?;
        match self.ladder.rung(address.chat, to.kind) {
            Rung::RichDraft | Rung::Draft => {
                Some(Tempo { every: DRAFT_EVERY, fades: Some(DRAFT_FADES), cost: Cost::Free })
            }
            Rung::Edits => {
                let every = if to.kind == ChatKind::Direct { EDIT_EVERY } else { GROUP_EDIT_EVERY };
                Some(Tempo { every, fades: None, cost: Cost::Message })
            }
            Rung::Nothing => None,
        }
    }

    async fn show(
        &self,
        to: &Place,
        preview: &Preview,
        standing: Option<&MessageId>,
    ) -> Outcome<Option<MessageId>> {
        let Some(address) = Address::of(to, &self.chats) else { return unaddressed(to) };
        let scene = Scene { lines: self, to, address, preview };
        let mut rung = self.ladder.rung_of(address.chat, to.kind, preview.stream);
        if standing.is_some() {
            // What stands is changed until it is settled, whatever the chat takes by now.
            rung = rung.max(Rung::Edits);
        }
        loop {
            let shown = match rung {
                Rung::RichDraft => scene.rich_draft().await,
                Rung::Draft => scene.draft().await,
                Rung::Edits => scene.edit(standing).await,
                Rung::Nothing => return Outcome::Delivered(standing.cloned()),
            };
            let fault = match shown {
                Ok(outcome) => return outcome,
                Err(fault) => fault,
            };
            let Some(fall) = fall(rung, &fault) else { return self.failed(address, &fault) };
            let below = self.ladder.fall(address.chat, rung, preview.stream, fall);
            tracing::debug!(account = %to.account, ?rung, ?below, ?fall, %fault, "a preview was refused");
            rung = below;
        }
    }

    async fn settle(
        &self,
        to: &Place,
        standing: &MessageId,
        part: &Part,
        extras: &Extras,
    ) -> Outcome<MessageId> {
        let Some(address) = Address::of(to, &self.chats) else { return unaddressed(to) };
        let Some(id) = number(standing) else { return unknown_message(standing) };
        let edit = match &part.whole {
            Some(whole) => EditMessageText {
                rich_message: Some(InputRichMessage::new(whole.form.clone())),
                reply_markup: keyboard(&extras.buttons),
                ..EditMessageText::of(address, id)
            },
            None => EditMessageText {
                reply_markup: keyboard(&extras.buttons),
                ..EditMessageText::of(address, id).with_part(part)
            },
        };
        match self.client.call::<_, IgnoredAny>(&edit).await {
            Ok(_) => Outcome::Delivered(standing.clone()),
            Err(fault) => match self.failed(address, &fault) {
                // It says what it is to say.
                Outcome::Unchanged => Outcome::Delivered(standing.clone()),
                outcome => outcome,
            },
        }
    }

    async fn remove(&self, to: &Place, standing: &MessageId) -> Outcome<()> {
        let Some(address) = Address::of(to, &self.chats) else { return unaddressed(to) };
        let Some(message_id) = standing.as_str().parse().ok().map(types::MessageId) else {
            return unknown_message(standing);
        };
        let delete = DeleteMessage { chat_id: address.recipient(), message_id };
        match self.client.call::<_, bool>(&delete).await {
            Ok(_) => Outcome::Delivered(()),
            Err(CallFault::Refused(no)) if no.description.contains("not found") && no.code == 400 => {
                Outcome::Unchanged
            }
            Err(fault) => self.failed(address, &fault),
        }
    }
}

/// One state of one answer on its way.
struct Scene<'a> {
    lines: &'a Lines,
    to: &'a Place,
    address: Address,
    preview: &'a Preview,
}

/// What was shown, or a failure that a lower rung may not have.
type Shown = Result<Outcome<Option<MessageId>>, CallFault>;

impl Scene<'_> {
    async fn rich_draft(&self) -> Shown {
        let markdown = rich_draft(self.preview.thinking.as_deref(), &self.preview.markdown);
        let draft = SendRichMessageDraft { head: self.head(), rich_message: InputRichMessage::new(markdown) };
        self.lines.client.call::<_, IgnoredAny>(&draft).await?;
        Ok(Outcome::Delivered(None))
    }

    async fn draft(&self) -> Shown {
        // What does not fit is seen from its end: a draft is for following.
        let part = self.parts().pop().unwrap_or_default();
        let (entities, placeholder) = (entities(&part), part.text.is_empty());
        let draft = SendMessageDraft { head: self.head(), text: part.text, entities };
        match self.lines.client.call::<_, IgnoredAny>(&draft).await {
            // Servers that take no empty text yet: the typing sign says as much.
            Err(CallFault::Refused(no)) if placeholder && no.description.contains("empty") => {}
            outcome => drop(outcome?),
        }
        Ok(Outcome::Delivered(None))
    }

    async fn edit(&self, standing: Option<&MessageId>) -> Shown {
        // What does not fit is seen from its beginning: that is what the first message of the answer will hold.
        let Some(part) = self.parts().into_iter().next() else {
            return Ok(Outcome::Delivered(standing.cloned()));
        };
        let content = fingerprint(&part);
        let buttons = vec![Button { label: STOP.to_owned(), data: format!("{STOP_DATA}{}", self.stream()) }];
        let id = match standing {
            None => {
                let extras = Extras { buttons, reply_to: self.preview.reply_to.clone(), ..Extras::default() };
                let send = send_message(self.to, self.address, &part, &extras);
                self.lines.client.call::<_, Sent>(&send).await?.message_id
            }
            Some(standing) => {
                let Some(id) = number(standing) else { return Ok(unknown_message(standing)) };
                if self.lines.ladder.shows(self.address.chat, id, content) {
                    return Ok(Outcome::Unchanged);
                }
                let edit = EditMessageText {
                    reply_markup: keyboard(&buttons),
                    ..EditMessageText::of(self.address, id).with_part(&part)
                };
                self.lines.client.call::<_, IgnoredAny>(&edit).await?;
                id
            }
        };
        self.lines.ladder.shown(self.address.chat, id, content);
        Ok(Outcome::Delivered(Some(MessageId::from(id.to_string()))))
    }

    fn parts(&self) -> Vec<Part> {
        preview(self.preview.thinking.as_deref(), &self.preview.markdown)
    }

    fn head(&self) -> DraftHead {
        DraftHead {
            chat_id: self.address.chat,
            message_thread_id: self.address.thread(),
            draft_id: self.stream(),
            can_stop: true,
            keep_on_stop: true,
        }
    }

    /// Telegram takes no zero.
    fn stream(&self) -> i64 {
        if self.preview.stream == 0 { 1 } else { self.preview.stream }
    }
}

impl EditMessageText {
    fn of(address: Address, message_id: i64) -> Self {
        Self {
            chat_id: address.recipient(),
            message_id,
            text: None,
            entities: Vec::new(),
            rich_message: None,
            link_preview_options: None,
            reply_markup: None,
        }
    }

    fn with_part(self, part: &Part) -> Self {
        let (text, entities) = (Some(part.text.clone()), entities(part));
        Self { text, entities, link_preview_options: Some(no_preview()), ..self }
    }
}

fn fall(rung: Rung, fault: &CallFault) -> Option<Fall> {
    match fault {
        CallFault::Refused(no) => fall_of(rung, no),
        CallFault::Unreached(_) | CallFault::Overdue(_) | CallFault::Lost(_) => None,
    }
}

fn number(id: &MessageId) -> Option<i64> {
    id.as_str().parse().ok()
}

fn unknown_message<T>(id: &MessageId) -> Outcome<T> {
    Outcome::Refused { refusal: Refusal::Never, why: format!("\"{id}\" is no message of Telegram") }
}

fn fingerprint(part: &Part) -> u64 {
    let mut hasher = DefaultHasher::new();
    part.text.hash(&mut hasher);
    format!("{:?}", part.marks).hash(&mut hasher);
    hasher.finish()
}
