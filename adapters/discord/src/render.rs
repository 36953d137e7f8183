//! From a body to the messages that show it: what a model wrote is laid out once and written in Discord's own Markdown, and
//! what is too long is split. Pure and linear in the length of the body.
//!
//! A [`Part`]'s text is ready to be sent; its marks are empty. What was not meant as markup is escaped, so that it shows letter
//! for letter, and no mention of ours pings but by leave (`Pings`).

mod escape;
mod links;
mod pen;
mod place;
mod split;

use pensive_contract::outward::{Body, Part};
use pensive_prose::{Dialect, Quotes, Shapes, Spoilers, Styled, end, is_visible};

use split::{Limits, Split};

/// Lists and headings are Discord's own.
const DIALECT: Dialect = Dialect {
    shapes: Shapes::Marked,
    quotes: Quotes::Marked,
    spoilers: Spoilers::Hidden,
    is_link: links::is_link,
};
/// Characters in a message (<https://docs.discord.com/developers/resources/message#create-message>), counted in UTF-16 units
/// so that no reading of the word makes it longer, and lines that a reader takes in at a glance.
const MESSAGE: Limits = Limits { units: 2_000, lines: 17 };
/// The same for an answer in the making, with room for the sign that it goes on.
const PREVIEW: Limits = Limits { units: 1_990, lines: 16 };
/// How much of the live reasoning a preview shows, from its end, in bytes and lines: alone, and above an answer.
const THOUGHTS_ALONE: (usize, usize) = (1_400, 12);
const THOUGHTS_ABOVE: (usize, usize) = (400, 4);
/// More of an answer than one message can show.
const PREVIEW_SOURCE: usize = 16_000;

/// Gives `body` its form. A body with nothing to see gives no parts.
#[must_use]
pub fn render(body: &Body) -> Vec<Part> {
    let whole = match body {
        Body::Plain(text) => Styled::plain(text),
        Body::Markdown(text) => pensive_prose::answer("", text, "", &DIALECT),
        Body::Framed { before, markdown, after } => pensive_prose::answer(before, markdown, after, &DIALECT),
        Body::Thinking(text) => pensive_prose::thinking(text, &DIALECT),
    };
    if !is_visible(&whole.text) {
        return Vec::new();
    }
    Split::new(&whole, MESSAGE).map(part).collect()
}

/// An answer in the making by the same rules as the finished one: the end of the reasoning so far, then the beginning of the
/// answer. What goes on behind the one message that there is shows as an ellipsis.
#[must_use]
pub(crate) fn preview(thinking: Option<&str>, markdown: &str) -> Vec<Part> {
    let (bytes, lines) = if is_visible(markdown) { THOUGHTS_ABOVE } else { THOUGHTS_ALONE };
    let thoughts = thinking.map(|thoughts| last_lines(end(thoughts.trim_end(), bytes), lines));
    let shown = markdown.get(..pensive_prose::floor(markdown, PREVIEW_SOURCE)).unwrap_or(markdown);
    let whole = pensive_prose::in_the_making(thoughts, shown, &DIALECT);
    if !is_visible(&whole.text) {
        return Vec::new();
    }
    let mut messages = Split::new(&whole, PREVIEW);
    let Some(mut first) = messages.next() else { return Vec::new() };
    if messages.next().is_some() || shown.len() < markdown.len() {
        first.push_str(if first.ends_with("```") { "\n…" } else { "…" });
    }
    vec![part(first)]
}

fn last_lines(text: &str, most: usize) -> &str {
    let cut = text.rmatch_indices('\n').nth(most.saturating_sub(1));
    cut.and_then(|(at, _)| text.get(at + 1..)).unwrap_or(text)
}

fn part(text: String) -> Part {
    Part { text, ..Part::default() }
}

#[cfg(test)]
mod reader;
#[cfg(test)]
mod tests;
