//! From a body to the messages that show it: Markdown becomes text and marks, and what is too long is split. Pure and
//! linear in the length of the body.

mod bidi;
mod control;
mod markdown;
mod page;
mod partial;
mod rich;
mod split;
mod table;
mod visible;

use pensive_contract::outward::{Body, Mark, Part, Style, Whole};

pub(crate) use bidi::reads_right;
pub(crate) use rich::rich_draft;

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

/// A text of any length with its styles, outermost first where two begin together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Styled {
    text: String,
    marks: Vec<Mark>,
}

/// Gives `body` its form. A body with nothing to see gives no parts.
pub fn render(body: &Body) -> Vec<Part> {
    let whole = match body {
        Body::Plain(text) => Styled { text: text.clone(), marks: Vec::new() },
        Body::Markdown(text) => framed("", text, ""),
        Body::Framed { before, markdown, after } => framed(before, markdown, after),
        Body::Thinking(text) => thinking(text),
    };
    if visible::is_visible(&whole.text) { split::split(whole) } else { Vec::new() }
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
    let answer = framed("", &partial::closed(markdown), "");
    let mut whole = thinking(reasoning.unwrap_or_default());
    if visible::is_visible(&answer.text) {
        let gap = if whole.text.is_empty() { "" } else { "\n\n" };
        let shift = whole.text.len() + gap.len();
        whole.text.push_str(gap);
        whole.text.push_str(&answer.text);
        whole.marks.extend(answer.marks.into_iter().map(|mark| moved(mark, shift)));
    }
    if visible::is_visible(&whole.text) { split::split(whole) } else { Vec::new() }
}

/// An answer, with words of ours before and below it where there are any.
fn framed(before: &str, markdown: &str, after: &str) -> Styled {
    let answer = markdown::styled(control::without_tags(markdown), markdown::Quotes::Marked);
    if before.is_empty() && after.is_empty() {
        return bidi::guide(answer);
    }
    // A block begins on a line of its own.
    let is_block =
        |mark: &Mark| mark.range.start == 0 && matches!(mark.style, Style::Pre { .. } | Style::Quote);
    let gap = if !before.is_empty() && answer.marks.iter().any(is_block) { "\n" } else { "" };
    let shift = before.len() + gap.len();
    let below = if after.is_empty() { String::new() } else { format!("\n\n{after}") };
    let text = format!("{before}{gap}{}{below}", answer.text);
    let marks = answer.marks.into_iter().map(|mark| moved(mark, shift)).collect();
    bidi::guide(Styled { text, marks })
}

fn moved(mark: Mark, by: usize) -> Mark {
    Mark { range: mark.range.start + by..mark.range.end + by, style: mark.style }
}

/// A bold line and below it the thoughts, folded.
fn thinking(markdown: &str) -> Styled {
    const TITLE: &str = "Thinking";
    let thoughts = bidi::guide(markdown::styled(markdown, markdown::Quotes::Unmarked));
    if !visible::is_visible(&thoughts.text) {
        return Styled::default();
    }
    let text = format!("{TITLE}\n{}", thoughts.text);
    let before = TITLE.len() + 1;
    let fold = Mark { range: before..text.len(), style: Style::Fold };
    let inner = thoughts.marks.into_iter().map(|mark| moved(mark, before));
    let title = Mark { range: 0..TITLE.len(), style: Style::Bold };
    Styled { marks: [title, fold].into_iter().chain(inner).collect(), text }
}

#[cfg(test)]
mod tests;
