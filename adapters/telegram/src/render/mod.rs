//! From a body to the messages that show it: Markdown becomes text and marks, and what is too long is split. Pure and
//! linear in the length of the body.

mod bidi;
mod control;
mod markdown;
mod page;
mod split;
mod table;
mod visible;

use pensive_contract::outward::{Body, Mark, Part, Style};

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
        Body::Markdown(text) => answer(text),
        Body::Thinking(text) => thinking(text),
    };
    if visible::is_visible(&whole.text) { split::split(whole) } else { Vec::new() }
}

fn answer(markdown: &str) -> Styled {
    bidi::guide(markdown::styled(control::without_tags(markdown), markdown::Quotes::Marked))
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
    let inner = thoughts
        .marks
        .into_iter()
        .map(|mark| Mark { range: mark.range.start + before..mark.range.end + before, style: mark.style });
    let title = Mark { range: 0..TITLE.len(), style: Style::Bold };
    Styled { marks: [title, fold].into_iter().chain(inner).collect(), text }
}

#[cfg(test)]
mod tests;
