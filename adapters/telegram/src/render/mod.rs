//! From a body to the messages that show it: Markdown becomes text and marks, and what is too long is split. Pure and
//! linear in the length of the body.

mod rich;
mod split;

use pensive_contract::outward::{Body, Part, Whole};
use pensive_prose::{Dialect, Quotes, Shapes, Spoilers, Styled, is_visible};

pub(crate) use rich::rich_draft;

/// What entities can show: neither lists nor headings
/// (<https://core.telegram.org/bots/api#formatting-options>).
const DIALECT: Dialect =
    Dialect { shapes: Shapes::Drawn, quotes: Quotes::Marked, spoilers: Spoilers::Text, is_link };

/// Whether answers go out as rich messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RichMessages {
    /// Where they show what plain ones cannot, or are one instead of several.
    #[default]
    Auto,
    /// Wherever Telegram takes them.
    On,
    /// Never.
    Off,
}

/// Gives `body` its form. A body with nothing to see gives no parts.
pub fn render(body: &Body) -> Vec<Part> {
    parts(match body {
        Body::Plain(text) => Styled::plain(text),
        Body::Markdown(text) => pensive_prose::answer("", text, "", &DIALECT),
        Body::Framed { before, markdown, after } => pensive_prose::answer(before, markdown, after, &DIALECT),
        Body::Thinking(text) => pensive_prose::thinking(text, &DIALECT),
    })
}

/// The same, with the richer form that goes out in its place where the setting wants one.
pub(crate) fn dressed(body: &Body, setting: RichMessages) -> Vec<Part> {
    let mut parts = render(body);
    let count = parts.len();
    let form = match setting {
        RichMessages::Off => None,
        RichMessages::Auto | RichMessages::On => rich::form(body),
    };
    let gains =
        |form: &rich::Form| setting == RichMessages::On || form.gain == rich::Gain::Shapes || count > 1;
    if let (Some(form), Some(first)) = (form.filter(gains), parts.first_mut()) {
        first.whole = Some(Whole { form: form.text, parts: count });
    }
    parts
}

/// An answer in the making as plain messages, by the same rules as the finished one: the reasoning so far, then the answer.
pub(crate) fn preview(reasoning: Option<&str>, markdown: &str) -> Vec<Part> {
    parts(pensive_prose::in_the_making(reasoning, markdown, &DIALECT))
}

fn parts(whole: Styled) -> Vec<Part> {
    if is_visible(&whole.text) { split::split(whole) } else { Vec::new() }
}

/// Whether Telegram makes a link of it. It drops others without a word, also those to a host without a dot, and a `tg:`
/// link could call a person.
fn is_link(url: &str, _words: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.host_str().is_some_and(|host| host.contains(['.', ':']))
    })
}

#[cfg(test)]
mod tests;
