//! Bodies as Discord's Markdown, split by its limits. Pure.

use pensive_contract::outward::{Body, Part};

/// The messages of a body.
#[must_use]
pub fn render(body: &Body) -> Vec<Part> {
    let text = match body {
        Body::Markdown(text) | Body::Plain(text) | Body::Thinking(text) => text.clone(),
        Body::Framed { before, markdown, after } => format!("{before}{markdown}\n{after}"),
    };
    vec![Part { text, ..Part::default() }]
}

/// What stands while an answer is made.
#[must_use]
pub(crate) fn preview(thinking: Option<&str>, markdown: &str) -> Vec<Part> {
    let text = [thinking.unwrap_or_default(), markdown].concat();
    if text.trim().is_empty() { Vec::new() } else { vec![Part { text, ..Part::default() }] }
}
