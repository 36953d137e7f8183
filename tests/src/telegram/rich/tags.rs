//! HTML inside rich messages, as far as it matters to a reader: text without its tags, and what stands in a thinking block.

use serde_json::json;

use super::Rich;

/// A stretch of HTML.
#[derive(Debug, PartialEq)]
pub(super) enum Piece<'a> {
    Text(String),
    /// `<tg-thinking>` begins or, if false, ends.
    Thinking(bool),
    /// Any other tag, without its brackets.
    Tag(&'a str),
}

/// Splits HTML at its tags and resolves the entities between them.
pub(super) fn pieces(html: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        let (text, after) = rest.split_once('<').unwrap_or((rest, ""));
        if !text.is_empty() {
            found.push(Piece::Text(plain(text)));
        }
        let (tag, later) = after.split_once('>').unwrap_or((after, ""));
        match tag {
            "" => {}
            "tg-thinking" => found.push(Piece::Thinking(true)),
            "/tg-thinking" => found.push(Piece::Thinking(false)),
            other => found.push(Piece::Tag(other)),
        }
        rest = later;
    }
    found
}

/// The entities that escaping makes; the server knows a few more.
fn plain(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    text.replace("&#39;", "'").replace("&nbsp;", " ").replace("&amp;", "&")
}

/// A paragraph for each stretch between two block tags.
pub(super) fn read(html: &str) -> Rich {
    let mut rich = Rich::default();
    let mut paragraphs = vec![String::new()];
    let mut thinking = false;
    for piece in pieces(html) {
        match piece {
            Piece::Thinking(begins) => {
                thinking = begins;
                rich.thinking.get_or_insert_default();
            }
            Piece::Text(text) if thinking => rich.thinking.get_or_insert_default().push_str(&text),
            Piece::Tag(tag) if is_block(tag) => paragraphs.push(String::new()),
            Piece::Tag(_) => {}
            Piece::Text(text) => paragraphs.last_mut().into_iter().for_each(|last| last.push_str(&text)),
        }
    }
    let paragraphs = paragraphs.into_iter().filter(|text| !text.trim().is_empty());
    rich.blocks = paragraphs.map(|text| json!({"type": "paragraph", "text": text.trim()})).collect();
    rich
}

fn is_block(tag: &str) -> bool {
    let name = tag.trim_matches('/').split(' ').next().unwrap_or_default();
    let blocks =
        ["p", "br", "pre", "ul", "ol", "li", "table", "tr", "td", "th", "blockquote", "details", "hr"];
    blocks.contains(&name) || (name.len() == 2 && name.starts_with('h'))
}
