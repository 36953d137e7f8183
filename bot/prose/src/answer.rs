//! Whole bodies: an answer with our own words around it, a model's thoughts, an answer in the making.

use pensive_contract::outward::{Mark, Style};

use crate::dialect::{Dialect, Quotes, Shapes};
use crate::styled::Styled;
use crate::{bidi, control, markdown, partial, visible};

/// An answer, with words of ours before and below it where there are any.
#[must_use]
pub fn answer(before: &str, markdown: &str, after: &str, dialect: &Dialect) -> Styled {
    let answer = markdown::styled(control::without_tags(markdown), dialect);
    if before.is_empty() && after.is_empty() {
        return bidi::guide(answer);
    }
    // A block begins on a line of its own.
    let gap = if !before.is_empty() && answer.begins_with_block() { "\n" } else { "" };
    let mut whole = Styled::plain(&format!("{before}{gap}"));
    whole.append(answer);
    if !after.is_empty() {
        whole.append(Styled::plain(&format!("\n\n{after}")));
    }
    bidi::guide(whole)
}

/// A bold line and below it the thoughts, folded. Nothing where there are none.
#[must_use]
pub fn thinking(markdown: &str, dialect: &Dialect) -> Styled {
    const TITLE: &str = "Thinking";
    let inside = Dialect { quotes: Quotes::Unmarked, shapes: Shapes::Drawn, ..*dialect };
    let thoughts = bidi::guide(markdown::styled(markdown, &inside));
    if !visible::is_visible(&thoughts.text) {
        return Styled::default();
    }
    let mut whole = Styled::plain(&format!("{TITLE}\n"));
    let fold = Mark { range: whole.text.len()..whole.text.len() + thoughts.text.len(), style: Style::Fold };
    whole.marks = vec![Mark { range: 0..TITLE.len(), style: Style::Bold }, fold];
    whole.append(thoughts);
    whole
}

/// An answer that breaks off anywhere, by the same rules as the finished one: the reasoning so far, then the answer.
#[must_use]
pub fn in_the_making(reasoning: Option<&str>, markdown: &str, dialect: &Dialect) -> Styled {
    let answer = answer("", &partial::closed(markdown), "", dialect);
    let mut whole = thinking(reasoning.unwrap_or_default(), dialect);
    if visible::is_visible(&answer.text) {
        if !whole.text.is_empty() {
            whole.append(Styled::plain("\n\n"));
        }
        whole.append(answer);
    }
    whole
}
