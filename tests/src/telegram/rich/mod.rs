//! Rich messages (Bot API 10.1 and later): reads what a bot sends into the blocks that a client is shown, and holds it to the
//! documented limits. Faults have the words of the live server where these are known.

mod markdown;
mod tags;

use serde_json::{Map, Value, json};

use super::refusal::Refusal;

/// Limits of "Rich Message Limits" in the documentation.
const TEXT_LIMIT: usize = 32_768;
const BLOCK_LIMIT: usize = 500;
const DEPTH_LIMIT: usize = 16;
const COLUMN_LIMIT: usize = 20;

/// A rich message as it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rich {
    pub(crate) blocks: Vec<Value>,
    /// Only drafts may have it.
    pub(crate) thinking: Option<String>,
    rtl: bool,
}

impl Rich {
    /// Reads an `InputRichMessage`.
    pub(crate) fn read(input: &Value) -> Result<Self, Refusal> {
        let field = |name: &str| input.get(name).filter(|value| !value.is_null());
        let given: Vec<&str> =
            ["html", "markdown", "blocks"].into_iter().filter(|name| field(name).is_some()).collect();
        let [kind] = given[..] else {
            return Err(Refusal::malformed(
                "can't parse InputRichMessage: exactly one of html, markdown and blocks must be given",
            ));
        };
        let source = field(kind).unwrap_or(&Value::Null);
        let text = source.as_str().unwrap_or_default();
        let mut rich = match kind {
            "markdown" if text.is_empty() => return Err(Refusal::malformed("RICH_MESSAGE_MARKDOWN_INVALID")),
            "html" if text.is_empty() => return Err(Refusal::malformed("RICH_MESSAGE_HTML_INVALID")),
            "markdown" => markdown::read(text),
            "html" => tags::read(text),
            _ => Self::of_blocks(source),
        };
        rich.rtl = field("is_rtl").and_then(Value::as_bool).unwrap_or_default();
        rich.measure()?;
        Ok(rich)
    }

    fn of_blocks(given: &Value) -> Self {
        let mut rich = Self::default();
        for block in given.as_array().into_iter().flatten() {
            match block.get("type").and_then(Value::as_str) {
                Some("thinking") => rich.thinking = Some(text_of(block)),
                _ => rich.blocks.push(block.clone()),
            }
        }
        rich
    }

    fn measure(&self) -> Result<(), Refusal> {
        let mut size = Size::default();
        size.add_all(&self.blocks, 1);
        size.characters += self.thinking.as_ref().map_or(0, |words| words.chars().count());
        if size.characters > TEXT_LIMIT {
            return Err(Refusal::malformed("RICH_MESSAGE_TOO_LONG"));
        }
        if size.blocks > BLOCK_LIMIT || size.depth > DEPTH_LIMIT || size.columns > COLUMN_LIMIT {
            return Err(Refusal::malformed(format!(
                "RICH_MESSAGE_INVALID: {} blocks, {} levels, {} columns",
                size.blocks, size.depth, size.columns
            )));
        }
        if self.thinking.is_none() && self.text().trim().is_empty() {
            return Err(Refusal::malformed("RICH_MESSAGE_EMPTY"));
        }
        Ok(())
    }

    /// What can be read in it, line by line.
    pub(crate) fn text(&self) -> String {
        lines(&self.blocks)
    }

    /// The `rich_message` field of a message.
    pub(crate) fn fields(&self) -> Map<String, Value> {
        let mut rich = json!({"blocks": self.blocks});
        if let (true, Some(fields)) = (self.rtl, rich.as_object_mut()) {
            fields.insert("is_rtl".into(), true.into());
        }
        Map::from_iter([("rich_message".to_owned(), rich)])
    }
}

/// What can be read in blocks, line by line.
pub(crate) fn lines(blocks: &[Value]) -> String {
    blocks.iter().map(text_of).collect::<Vec<_>>().join("\n")
}

/// What can be read in a block, a list's item, a table's cell or a rich text.
fn text_of(value: &Value) -> String {
    let inner = |name: &str| value.get(name).map(text_of).unwrap_or_default();
    let lines = |name: &str| {
        let parts = value.get(name).and_then(Value::as_array).into_iter().flatten();
        parts.map(text_of).collect::<Vec<_>>().join("\n")
    };
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect(),
        Value::Object(fields) if fields.contains_key("label") => {
            let mark = match fields.get("is_checked").and_then(Value::as_bool) {
                Some(true) => "☑".to_owned(),
                _ if fields.contains_key("has_checkbox") => "☐".to_owned(),
                _ => inner("label"),
            };
            format!("{mark} {}", lines("blocks"))
        }
        Value::Object(fields) if fields.contains_key("cells") => {
            let rows = fields.get("cells").and_then(Value::as_array).into_iter().flatten();
            let row = |row: &Value| {
                let cells = row.as_array().into_iter().flatten();
                cells.map(text_of).collect::<Vec<_>>().join(" | ")
            };
            rows.map(row).collect::<Vec<_>>().join("\n")
        }
        Value::Object(fields) if fields.contains_key("expression") => inner("expression"),
        Value::Object(fields) if fields.contains_key("items") => lines("items"),
        Value::Object(fields) if fields.contains_key("blocks") => {
            let summary = inner("summary");
            if summary.is_empty() { lines("blocks") } else { format!("{summary}\n{}", lines("blocks")) }
        }
        Value::Object(_) => inner("text"),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// What the limits count.
#[derive(Debug, Default, PartialEq)]
struct Size {
    characters: usize,
    blocks: usize,
    depth: usize,
    columns: usize,
}

impl Size {
    fn add_all(&mut self, blocks: &[Value], level: usize) {
        for block in blocks {
            self.blocks += 1;
            self.add(block, level);
        }
    }

    fn add(&mut self, value: &Value, level: usize) {
        match value {
            Value::String(text) => self.characters += text.chars().count(),
            Value::Array(parts) => parts.iter().for_each(|part| self.add(part, level)),
            Value::Object(fields) => {
                self.depth = self.depth.max(level);
                for (name, inner) in fields {
                    let parts = inner.as_array().map(Vec::as_slice).unwrap_or_default();
                    match name.as_str() {
                        "text" | "summary" | "expression" => self.add(inner, level + 1),
                        "blocks" | "items" => self.add_all(parts, level + 1),
                        "cells" => self.rows(parts, level + 1),
                        _ => {}
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn rows(&mut self, rows: &[Value], level: usize) {
        self.blocks += rows.len();
        for row in rows {
            self.columns = self.columns.max(row.as_array().map_or(0, Vec::len));
            self.add(row, level);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(input: Value) -> String {
        Rich::read(&input).unwrap_err().description
    }

    #[test]
    fn one_source_is_read() {
        let check = |input: Value, text: &str, thinking: Option<&str>| {
            let rich = Rich::read(&input).unwrap();
            assert_eq!((rich.text().as_str(), rich.thinking.as_deref()), (text, thinking), "{input}");
        };
        check(json!({"markdown": "a\nb"}), "a b", None);
        check(json!({"html": "<p>a &lt; <b>b</b></p><tg-thinking>hm</tg-thinking>"}), "a < b", Some("hm"));
        let blocks = json!([{"type": "thinking", "text": ["h", "m"]}, {"type": "paragraph", "text": "a"}]);
        check(json!({"blocks": blocks}), "a", Some("hm"));
        assert!(refused(json!({})).contains("exactly one"));
        assert!(refused(json!({"markdown": "a", "html": "a"})).contains("exactly one"));
        assert!(refused(json!({"markdown": ""})).contains("RICH_MESSAGE_MARKDOWN_INVALID"));
        assert!(refused(json!({"markdown": " \n"})).contains("RICH_MESSAGE_EMPTY"));
        assert!(refused(json!({"blocks": [{"type": "divider"}]})).contains("RICH_MESSAGE_EMPTY"));
    }

    #[test]
    fn the_documented_limits_hold() {
        let read = |markdown: String| Rich::read(&json!({"markdown": markdown})).map(|_| ());
        assert_eq!(read("é".repeat(TEXT_LIMIT)), Ok(()));
        assert!(read("é".repeat(TEXT_LIMIT + 1)).unwrap_err().description.contains("TOO_LONG"));
        assert_eq!(read("a\n\n".repeat(BLOCK_LIMIT)), Ok(()));
        assert!(read("a\n\n".repeat(BLOCK_LIMIT + 1)).unwrap_err().description.contains("501 blocks"));
        let table = |columns: usize| {
            format!("|{}\n|{}\n|{}", "a|".repeat(columns), "-|".repeat(columns), "b|".repeat(columns))
        };
        assert_eq!(read(table(COLUMN_LIMIT)), Ok(()));
        assert!(read(table(COLUMN_LIMIT + 1)).unwrap_err().description.contains("21 columns"));
        assert!(read(format!("{}a", "> ".repeat(17))).unwrap_err().description.contains("levels"));
    }
}
