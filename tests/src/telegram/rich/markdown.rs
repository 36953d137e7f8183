//! Rich Markdown into blocks. GitHub's dialect, to which the documentation compares it, is read by a parser of CommonMark; what only
//! Telegram has (`==marked==`, `||spoilers||`, maps, media) stays as it is written.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag};
use serde_json::{Value, json};

use super::{
    Rich,
    tags::{Piece, pieces},
    text_of,
};

/// Reads Markdown. A line break alone is a space, as the documentation shows it.
pub(super) fn read(markdown: &str) -> Rich {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
        | Options::ENABLE_FOOTNOTES;
    let mut builder = Builder { open: vec![Open::default()], ..Builder::default() };
    for event in Parser::new_ext(markdown, options) {
        builder.take(event);
    }
    let root = builder.open.pop().unwrap_or_default();
    Rich { blocks: blocks_of(root.children), thinking: builder.thinking, rtl: false }
}

/// A construct whose end has not come.
#[derive(Default)]
struct Open<'a> {
    tag: Option<Tag<'a>>,
    children: Vec<Value>,
    /// A list's item that is a task: whether it is done.
    task: Option<bool>,
}

#[derive(Default)]
struct Builder<'a> {
    open: Vec<Open<'a>>,
    thinking: Option<String>,
    thinks: bool,
}

impl<'a> Builder<'a> {
    fn take(&mut self, event: Event<'a>) {
        match event {
            Event::Start(tag) => {
                if self.thinks && matches!(tag, Tag::Paragraph) {
                    self.think_on();
                }
                self.open.push(Open { tag: Some(tag), ..Open::default() });
            }
            Event::End(_) => self.close(),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => self.add(json!({"type": "code", "text": &*code})),
            Event::InlineMath(formula) | Event::DisplayMath(formula) => {
                self.add(json!({"type": "mathematical_expression", "expression": &*formula}));
            }
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.text("\n"),
            Event::Rule => self.add(json!({"type": "divider"})),
            Event::TaskListMarker(done) => {
                let item = self.open.iter_mut().rev().find(|open| matches!(open.tag, Some(Tag::Item)));
                item.into_iter().for_each(|item| item.task = Some(done));
            }
            Event::FootnoteReference(name) => self.text(&format!("[{name}]")),
            Event::Html(html) | Event::InlineHtml(html) => self.html(&html),
        }
    }

    fn html(&mut self, html: &str) {
        for piece in pieces(html) {
            match piece {
                Piece::Text(text) => self.text(&text),
                Piece::Thinking(begins) => {
                    self.thinks = begins;
                    self.think("");
                }
                Piece::Tag(_) => {}
            }
        }
    }

    fn text(&mut self, text: &str) {
        if self.thinks {
            self.think(text);
            return;
        }
        let children = self.open.last_mut().map(|open| &mut open.children);
        match children.and_then(|children| children.last_mut()) {
            Some(Value::String(last)) => last.push_str(text),
            _ => self.add(text.into()),
        }
    }

    fn think(&mut self, text: &str) {
        let words = self.thinking.get_or_insert_default();
        if !(words.is_empty() && text.trim().is_empty()) {
            words.push_str(text);
        }
    }

    /// A new paragraph of the thinking.
    fn think_on(&mut self) {
        let words = self.thinking.get_or_insert_default();
        words.truncate(words.trim_end().len());
        self.think("\n\n");
    }

    fn add(&mut self, value: Value) {
        if self.thinks {
            self.think(&text_of(&value));
        } else if let Some(open) = self.open.last_mut() {
            open.children.push(value);
        }
    }

    fn close(&mut self) {
        if self.open.len() < 2 {
            return;
        }
        let Some(Open { tag: Some(tag), children, task }) = self.open.pop() else { return };
        if self.thinks && blank(&children) {
            return;
        }
        let place = self.place();
        if let (Some(value), Some(parent)) = (made(&tag, children, task, &place), self.open.last_mut()) {
            parent.children.push(value);
        }
    }

    /// Where the construct that just ended stands.
    fn place(&self) -> Place {
        let column = self.open.last().map_or(0, |row| row.children.len());
        let table = self.open.iter().rev().find_map(|open| match &open.tag {
            Some(Tag::Table(alignments)) => Some(alignments),
            _ => None,
        });
        let header = matches!(self.open.last().and_then(|row| row.tag.as_ref()), Some(Tag::TableHead));
        let list = self.open.last().and_then(|open| match open.tag {
            Some(Tag::List(start)) => start.map(|first| first + open.children.len() as u64),
            _ => None,
        });
        let align = table.and_then(|table: &Vec<Alignment>| table.get(column).copied());
        Place { align, header, number: list }
    }
}

struct Place {
    align: Option<Alignment>,
    header: bool,
    number: Option<u64>,
}

/// The value of a construct; nothing for one that shows nothing.
fn made(tag: &Tag<'_>, children: Vec<Value>, task: Option<bool>, place: &Place) -> Option<Value> {
    let style = |kind: &str| Some(json!({"type": kind, "text": children}));
    match tag {
        Tag::Paragraph | Tag::HtmlBlock | Tag::FootnoteDefinition(_) | Tag::Image { .. }
            if blank(&children) =>
        {
            None
        }
        Tag::Paragraph | Tag::HtmlBlock => style("paragraph"),
        Tag::FootnoteDefinition(name) => {
            let text = format!("[{name}] {}", text_of(&Value::Array(children)));
            Some(json!({"type": "footer", "text": text}))
        }
        Tag::Heading { level, .. } => {
            Some(json!({"type": "heading", "text": children, "size": *level as u8}))
        }
        Tag::BlockQuote(_) => Some(json!({"type": "blockquote", "blocks": blocks_of(children)})),
        Tag::CodeBlock(kind) => {
            let text = text_of(&Value::Array(children));
            let mut block = json!({"type": "pre", "text": text.trim_end_matches('\n')});
            if let (CodeBlockKind::Fenced(language), Some(fields)) = (kind, block.as_object_mut())
                && !language.is_empty()
            {
                fields.insert("language".into(), (&**language).into());
            }
            Some(block)
        }
        Tag::List(_) => Some(json!({"type": "list", "items": children})),
        Tag::Item => {
            let label = place.number.map_or_else(|| "•".to_owned(), |number| format!("{number}."));
            let mut item = json!({"label": label, "blocks": blocks_of(children)});
            if let (Some(done), Some(fields)) = (task, item.as_object_mut()) {
                fields.insert("has_checkbox".into(), true.into());
                fields.insert("is_checked".into(), done.into());
            }
            Some(item)
        }
        Tag::Table(_) => Some(json!({"type": "table", "cells": children})),
        Tag::TableHead | Tag::TableRow => Some(Value::Array(children)),
        Tag::TableCell => {
            let align = match place.align {
                Some(Alignment::Center) => "center",
                Some(Alignment::Right) => "right",
                Some(Alignment::Left | Alignment::None) | None => "left",
            };
            let mut cell = json!({"align": align, "valign": "middle", "text": children});
            if let (true, Some(fields)) = (place.header, cell.as_object_mut()) {
                fields.insert("is_header".into(), true.into());
            }
            Some(cell)
        }
        Tag::Emphasis => style("italic"),
        Tag::Strong => style("bold"),
        Tag::Strikethrough => style("strikethrough"),
        Tag::Link { dest_url, .. } => Some(json!({"type": "url", "text": children, "url": &**dest_url})),
        _ => Some(Value::Array(children)),
    }
}

fn blank(children: &[Value]) -> bool {
    children.iter().all(|child| text_of(child).trim().is_empty())
}

/// Children of a block: what is inline becomes a paragraph.
fn blocks_of(children: Vec<Value>) -> Vec<Value> {
    let mut blocks: Vec<Value> = Vec::new();
    let mut line = Vec::new();
    for child in children {
        if is_block(&child) {
            flush(&mut blocks, &mut line);
            blocks.push(child);
        } else {
            line.push(child);
        }
    }
    flush(&mut blocks, &mut line);
    blocks
}

fn flush(blocks: &mut Vec<Value>, line: &mut Vec<Value>) {
    if !blank(line) {
        blocks.push(json!({"type": "paragraph", "text": line}));
    }
    line.clear();
}

fn is_block(value: &Value) -> bool {
    let kinds = ["paragraph", "heading", "blockquote", "pre", "list", "table", "divider", "footer"];
    value.get("type").and_then(Value::as_str).is_some_and(|kind| kinds.contains(&kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructs_become_blocks() {
        let check = |markdown: &str, kinds: &[&str], text: &str| {
            let rich = read(markdown);
            let found: Vec<_> = rich.blocks.iter().map(|block| block["type"].as_str().unwrap()).collect();
            assert_eq!((found.as_slice(), rich.text().as_str()), (kinds, text), "{markdown}");
        };
        check("one\ntwo  \nthree\n\nfour", &["paragraph", "paragraph"], "one two\nthree\nfour");
        check("# Head\n---\n> said", &["heading", "divider", "blockquote"], "Head\n\nsaid");
        check("```rust\nfn a() {}\n```", &["pre"], "fn a() {}");
        check("```\nunfinished", &["pre"], "unfinished");
        check("- [x] done\n- [ ] not\n- plain", &["list"], "☑ done\n☐ not\n• plain");
        check("3. c\n4. d", &["list"], "3. c\n4. d");
        check("|a|b|\n|-|-:|\n|1|**2**|", &["table"], "a | b\n1 | 2");
        check("so $x^2$ and `<code>` <b>bold</b>", &["paragraph"], "so x^2 and <code> bold");
    }

    #[test]
    fn styles_nest_and_cells_know_their_column() {
        let bold = json!([{"type": "bold", "text": ["a ", {"type": "italic", "text": ["b"]}]}]);
        assert_eq!(read("**a _b_**").blocks, [json!({"type": "paragraph", "text": bold})]);
        let table = read("|a|b|\n|-|-:|\n|1|2|").blocks;
        assert_eq!(table[0]["cells"][0][0]["is_header"], true);
        assert_eq!(table[0]["cells"][1][1], json!({"align": "right", "valign": "middle", "text": ["2"]}));
    }

    #[test]
    fn thinking_is_taken_out_wherever_it_ends() {
        let check = |markdown: &str, thinking: Option<&str>, text: &str| {
            let rich = read(markdown);
            let words = rich.thinking.as_deref().map(str::trim);
            assert_eq!((words, rich.text().as_str()), (thinking, text), "{markdown}");
        };
        check("<tg-thinking>Thinking…</tg-thinking>", Some("Thinking…"), "");
        check("<tg-thinking>a &lt; b</tg-thinking>\n\nanswer", Some("a < b"), "answer");
        check("<tg-thinking>\none\n\ntwo\n</tg-thinking>\n\nanswer", Some("one\n\ntwo"), "answer");
        check("answer\n\n<tg-thinking>more", Some("more"), "answer");
        check("```\n<tg-thinking>\n```", None, "<tg-thinking>");
        check("`<tg-thinking>` is a tag", None, "<tg-thinking> is a tag");
    }
}
