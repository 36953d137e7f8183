//! The three markups that the server parses for clients that do not send entities. Reads what people really send and refuses what
//! the server refuses, in its wording; it is no complete copy of the server's parser.

mod html;
mod markdown;

use serde_json::{Map, Value, json};

use super::{refusal::Refusal, text::Formatted};

/// Parses `text`; the mode's name is matched without regard to case.
pub(crate) fn parse(text: &str, mode: &str) -> Result<Formatted, Refusal> {
    let parsed = match mode.to_ascii_lowercase().as_str() {
        "html" => html::parse(text),
        "markdownv2" => markdown::parse(text, &markdown::V2),
        "markdown" => markdown::parse(text, &markdown::LEGACY),
        _ => return Err(Refusal::malformed("unsupported parse_mode")),
    };
    parsed.map_err(|what| Refusal::malformed(format!("can't parse entities: {what}")))
}

/// Plain text so far, and the entities opened in it.
#[derive(Default)]
struct Output {
    text: String,
    length: usize,
    open: Vec<Open>,
    entities: Vec<Value>,
}

struct Open {
    mark: String,
    kind: &'static str,
    start: usize,
    byte: usize,
    extra: Map<String, Value>,
}

impl Output {
    fn push(&mut self, c: char) {
        self.text.push(c);
        self.length += c.len_utf16();
    }

    fn open(&mut self, mark: &str, kind: &'static str, byte: usize) {
        let extra = Map::new();
        self.open.push(Open { mark: mark.into(), kind, start: self.length, byte, extra });
    }

    fn close(&mut self, extra: Map<String, Value>) {
        let Some(open) = self.open.pop().filter(|open| !open.kind.is_empty()) else { return };
        let length = self.length - open.start;
        let mut entity = json!({"type": open.kind, "offset": open.start, "length": length});
        if let Some(fields) = entity.as_object_mut() {
            fields.extend(open.extra);
            fields.extend(extra);
        }
        if length > 0 {
            self.entities.push(entity);
        }
    }

    fn finish(mut self) -> Formatted {
        self.entities.sort_by_key(|entity| entity.get("offset").and_then(Value::as_u64));
        Formatted { text: self.text, entities: self.entities, remarks: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mode: &str, source: &str, text: &str, entities: Value) {
        let parsed = parse(source, mode).unwrap();
        assert_eq!((parsed.text.as_str(), Value::from(parsed.entities)), (text, entities), "{source}");
    }

    fn refused(mode: &str, source: &str, expected: &str) {
        let description = parse(source, mode).unwrap_err().description;
        assert!(description.contains(expected), "{description}");
    }

    #[test]
    fn html_tags_become_entities() {
        check("HTML", "a <b>b&lt;😀</b>c", "a b<😀c", json!([{"type": "bold", "offset": 2, "length": 4}]));
        check(
            "html",
            "<a href=\"http://a.example/?x=1&amp;y\">l</a><blockquote expandable>q</blockquote>",
            "lq",
            json!([{"type": "text_link", "offset": 0, "length": 1, "url": "http://a.example/?x=1&y"},
                   {"type": "expandable_blockquote", "offset": 1, "length": 1}]),
        );
        check(
            "HTML",
            "<pre><code class=\"language-rust\">x</code></pre>",
            "x",
            json!([{"type": "pre", "offset": 0, "length": 1, "language": "rust"}]),
        );
        refused("HTML", "<div>x</div>", "Unsupported start tag \"div\" at byte offset 0");
        refused("HTML", "<b>x</i>", "expected \"</b>\", found \"</i>\"");
        refused("HTML", "<b>x", "Can't find end tag corresponding to start tag \"b\"");
    }

    #[test]
    fn markdown_marks_become_entities() {
        check(
            "MarkdownV2",
            "*a* _b_",
            "a b",
            json!([{"type": "bold", "offset": 0, "length": 1}, {"type": "italic", "offset": 2, "length": 1}]),
        );
        check("MarkdownV2", "1\\. `a.b`", "1. a.b", json!([{"type": "code", "offset": 3, "length": 3}]));
        check("Markdown", "1. *a*", "1. a", json!([{"type": "bold", "offset": 3, "length": 1}]));
        check(
            "Markdown",
            "[l](http://x.example)",
            "l",
            json!([{"type": "text_link", "offset": 0, "length": 1, "url": "http://x.example"}]),
        );
        check(
            "MarkdownV2",
            "```rust\nfn\n```",
            "fn\n",
            json!([{"type": "pre", "offset": 0, "length": 3, "language": "rust"}]),
        );
        refused("MarkdownV2", "1. x", "Character '.' is reserved");
        refused("MarkdownV2", "*x", "Can't find end of Bold entity at byte offset 0");
        refused("Markdown", "a_b", "Can't find end of the entity starting at byte offset 1");
        assert_eq!(parse("x", "latex").unwrap_err().description, "Bad Request: unsupported parse_mode");
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_sent_is_parsed_or_refused(source in "[a<>/b&;#_*`\\[\\]()!|~\\\\ é😀\n\"=-]{0,60}", mode in 0_usize..3) {
            let mode = ["HTML", "MarkdownV2", "Markdown"][mode];
            if let Ok(parsed) = parse(&source, mode) {
                let entities = serde_json::Value::from(parsed.entities);
                let source = crate::telegram::text::Source { text: &parsed.text, parse_mode: None, entities: Some(&entities) };
                proptest::prop_assert!(crate::telegram::text::format(&source).is_ok(), "entities out of range");
            }
        }
    }
}
