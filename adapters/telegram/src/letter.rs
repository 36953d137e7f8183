//! What a message to Telegram is made of: styles in UTF-16 units, buttons, the message it answers. Pure.

use pensive_contract::ids::MessageId;
use pensive_contract::inbound::{ChatKind, Place};
use pensive_contract::outward::{Button, Extras, Mark, Part, Style};
use teloxide_core::types::{
    self, InlineKeyboardButton, InlineKeyboardMarkup, LinkPreviewOptions, MessageEntity, MessageEntityKind,
    ReplyParameters,
};

use crate::units;

/// Limit of a button's data in bytes (<https://core.telegram.org/bots/api#inlinekeyboardbutton>).
const LONGEST_DATA: usize = 64;

/// The message to quote. Of two people each knows what the other answers, so there only a message with buttons says what
/// it is about.
fn quoted<'a>(to: &Place, extras: &'a Extras) -> Option<&'a MessageId> {
    let says = match to.kind {
        ChatKind::Direct => !extras.buttons.is_empty(),
        ChatKind::Group | ChatKind::Channel => true,
    };
    extras.reply_to.as_ref().filter(|_| says)
}

/// The message to quote, in Telegram's words. One that is gone by then is no reason to lose the answer.
pub(crate) fn reply(to: &Place, extras: &Extras) -> Option<ReplyParameters> {
    let id = quoted(to, extras)?.as_str().parse().ok()?;
    Some(ReplyParameters::new(types::MessageId(id)).allow_sending_without_reply())
}

pub(crate) fn no_preview() -> LinkPreviewOptions {
    LinkPreviewOptions {
        is_disabled: true,
        url: None,
        prefer_small_media: false,
        prefer_large_media: false,
        show_above_text: false,
    }
}

pub(crate) fn keyboard(buttons: &[Button]) -> Option<InlineKeyboardMarkup> {
    let fits = |button: &&Button| {
        let fits = !button.label.is_empty() && (1..=LONGEST_DATA).contains(&button.data.len());
        if !fits {
            tracing::warn!(bytes = button.data.len(), "a button that Telegram would refuse was left out");
        }
        fits
    };
    let row = |button: &Button| [InlineKeyboardButton::callback(button.label.clone(), button.data.clone())];
    let rows: Vec<_> = buttons.iter().filter(fits).map(row).collect();
    (!rows.is_empty()).then(|| InlineKeyboardMarkup::new(rows))
}

/// The marks in UTF-16 units, in one walk over the text. Marks that do not fit the text are left out: they were stored by
/// another version.
pub(crate) fn entities(part: &Part) -> Vec<MessageEntity> {
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
