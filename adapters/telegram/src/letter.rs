//! What a message to Telegram is made of: styles in UTF-16 units, buttons, the message it answers. Pure.

use pensive_contract::ids::MessageId;
use pensive_contract::inbound::{ChatKind, Place};
use pensive_contract::outward::{Button, Extras, Mark, Part, Quote, Style};
use pensive_prose::length;
use teloxide_core::types::{
    self, InlineKeyboardButton, InlineKeyboardMarkup, LinkPreviewOptions, MessageEntity, MessageEntityKind,
    ReplyParameters,
};

/// Limit of a button's data in bytes (<https://core.telegram.org/bots/api#inlinekeyboardbutton>).
const LONGEST_DATA: usize = 64;

/// The message to quote. Of two people each knows what the other answers, so there only a message with buttons says what
/// it is about.
fn quoted<'a>(to: &Place, extras: &'a Extras) -> Option<&'a MessageId> {
    let says = match to.kind {
        ChatKind::Direct => !extras.buttons.is_empty(),
        ChatKind::Group | ChatKind::Channel => true,
    };
    extras.reply_to.as_ref().filter(|_| says && extras.quote == Quote::Shown)
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

/// The longest labels that fit into a row of two, of three and of four, in characters: a phone shows a message at some forty
/// letters' width, and each button has margins of its own.
const LABELS: [(usize, usize); 3] = [(4, 8), (3, 12), (2, 18)];

pub(crate) fn keyboard(buttons: &[Button]) -> Option<InlineKeyboardMarkup> {
    let fits = |button: &&Button| {
        let fits = !button.label.is_empty() && (1..=LONGEST_DATA).contains(&button.data.len());
        if !fits {
            tracing::warn!(bytes = button.data.len(), "a button that Telegram would refuse was left out");
        }
        fits
    };
    let mut rows: Vec<Vec<&Button>> = Vec::new();
    for button in buttons.iter().filter(fits) {
        match rows.last_mut() {
            Some(row) if row.iter().chain([&button]).all(|each| columns(each) > row.len()) => {
                row.push(button)
            }
            _ => rows.push(vec![button]),
        }
    }
    let key = |button: &&Button| InlineKeyboardButton::callback(button.label.clone(), button.data.clone());
    let row = |row: &Vec<&Button>| row.iter().map(key).collect::<Vec<_>>();
    (!rows.is_empty()).then(|| InlineKeyboardMarkup::new(rows.iter().map(row)))
}

/// How many buttons may stand in one row with this one.
fn columns(button: &Button) -> usize {
    let length = button.label.chars().count();
    LABELS.iter().find(|(_, longest)| length <= *longest).map_or(1, |(columns, _)| *columns)
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
        let offset = unit + length(before);
        from = (mark.range.start, offset);
        if let Some(kind) = kind(mark) {
            entities.push(MessageEntity { kind, offset, length: length(inside) });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_labels_stand_side_by_side_and_long_ones_alone() {
        let check = |labels: &str, expected: &str| {
            let button = |label: &str| Button { label: label.to_owned(), data: "x".to_owned() };
            let buttons: Vec<Button> = labels.split('|').map(button).collect();
            let rows = keyboard(&buttons).map(|keyboard| keyboard.inline_keyboard).unwrap_or_default();
            let row = |row: Vec<InlineKeyboardButton>| {
                row.into_iter().map(|key| key.text).collect::<Vec<_>>().join("|")
            };
            assert_eq!(rows.into_iter().map(row).collect::<Vec<_>>().join(" / "), expected);
        };
        check("", "");
        check("Try again", "Try again");
        check("Allow once|Deny", "Allow once|Deny");
        check("✓ on|off|auto|Default (on)", "✓ on|off|auto / Default (on)");
        check(
            "off|minimal|low|✓ medium|high|Default (medium)",
            "off|minimal|low|✓ medium / high|Default (medium)",
        );
        check("off|✓ minimal|low|medium", "off|✓ minimal|low / medium");
        check(
            "prov/one-model-with-a-name|prov/another|Default (prov/another)|‹|›",
            "prov/one-model-with-a-name / prov/another / Default (prov/another) / ‹|›",
        );
    }
}
