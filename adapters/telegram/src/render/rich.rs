//! Answers as rich messages: the model's Markdown in the dialect that Telegram reads itself
//! (<https://core.telegram.org/bots/api#rich-messages>). Lines break where they were broken, tags and pictures of a model's
//! making do nothing, and what Telegram's limits do not allow stays plain.

use std::ops::Range;

use pensive_contract::outward::Body;
use pensive_prose::{closed, end, open_fence, without_tags};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

/// The limits that Telegram documents for rich messages: characters, blocks, levels, columns of a table.
const MOST_CHARACTERS: usize = 32_768;
const MOST_BLOCKS: usize = 500;
const MOST_LEVELS: usize = 16;
const MOST_COLUMNS: usize = 20;
/// What a draft shows of its reasoning and its answer at most, both from their ends.
const DRAFT_THINKING: usize = 4_096;
const DRAFT_ANSWER: usize = 24_000;
/// What Telegram's own drafts say while nothing is to be seen.
const PLACEHOLDER: &str = "Thinking…";

/// A text in Telegram's Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) text: String,
    pub(super) gain: Gain,
}

/// Whether a rich message shows what a plain one cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gain {
    None,
    /// A table, a task list or maths.
    Shapes,
}

/// The rich form of a body, where it has one that Telegram takes.
pub(super) fn form(body: &Body) -> Option<Form> {
    let (before, markdown, after) = match body {
        Body::Markdown(markdown) => ("", markdown.as_str(), ""),
        Body::Framed { before, markdown, after } => (before.as_str(), markdown.as_str(), after.as_str()),
        Body::Plain(_) | Body::Thinking(_) => return None,
    };
    let answer = Reader::read(without_tags(markdown));
    if !answer.fits() {
        return None;
    }
    let mut text = answer.out;
    if !before.is_empty() {
        // A block begins on a line of its own; a paragraph goes on behind our words.
        let gap = if answer.begins_with_block { "\n\n" } else { "" };
        text = format!("{}{gap}{text}", escaped(before));
    }
    if !after.is_empty() {
        text = format!("{}\n\n{}", text.trim_end(), escaped(after));
    }
    (text.chars().count() <= MOST_CHARACTERS).then_some(Form { text, gain: answer.gain })
}

/// An answer in the making: the reasoning so far or the bare sign that there is some, then the answer so far.
pub(crate) fn rich_draft(thinking: Option<&str>, markdown: &str) -> String {
    let thoughts = thinking.map(str::trim).filter(|thoughts| !thoughts.is_empty());
    let thoughts =
        thoughts.map_or_else(|| PLACEHOLDER.to_owned(), |thoughts| tag_text(end(thoughts, DRAFT_THINKING)));
    let markdown = without_tags(markdown);
    let tail = end(markdown, DRAFT_ANSWER);
    // Cut inside a block of code, the rest of it is code still.
    let fence = markdown.get(..markdown.len() - tail.len()).and_then(open_fence);
    let answer =
        fence.map_or_else(|| closed(tail), |fence| closed(&format!("{fence}\n{tail}")).into_owned().into());
    let answer = Reader::read(&answer).out;
    let answer = answer.trim();
    let gap = if answer.is_empty() { "" } else { "\n\n" };
    format!("<tg-thinking>{thoughts}</tg-thinking>{gap}{answer}")
}

/// Text inside a tag: nothing in it is Markdown or a tag, and no empty line ends the tag early.
fn tag_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        if !out.is_empty() {
            out.push('\n');
        }
        for c in line.chars() {
            match c {
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '&' => out.push_str("&amp;"),
                '*' | '_' | '`' | '~' | '[' | ']' | '|' | '=' | '$' | '\\' | '#' => {
                    out.push_str(&format!("&#{};", u32::from(c)))
                }
                _ => out.push(c),
            }
        }
    }
    out
}

/// Words of ours as Markdown that shows them letter for letter.
fn escaped(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '\n' => out.push_str("  "),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '(' | ')' | '#' | '+' | '-'
            | '!' | '|' | '=' | '$' | '~' | '&' => out.push('\\'),
            _ => {}
        }
        out.push(c);
    }
    out
}

/// One reading of a Markdown text that copies it with a few changes and measures it.
struct Reader<'a> {
    source: &'a str,
    out: String,
    /// How much of the source was copied.
    done: usize,
    gain: Gain,
    blocks: usize,
    level: usize,
    deepest: usize,
    columns: usize,
    begins_with_block: bool,
    /// Inside what is shown as it is written.
    code: bool,
}

impl<'a> Reader<'a> {
    fn read(source: &'a str) -> Self {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_GFM
            | Options::ENABLE_MATH;
        let out = String::with_capacity(source.len() + source.len() / 16);
        let mut reader = Self {
            source,
            out,
            done: 0,
            gain: Gain::None,
            blocks: 0,
            level: 0,
            deepest: 0,
            columns: 0,
            begins_with_block: false,
            code: false,
        };
        for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
            reader.event(&event, range);
        }
        reader.copy_to(source.len());
        reader
    }

    fn fits(&self) -> bool {
        self.blocks <= MOST_BLOCKS && self.deepest <= MOST_LEVELS && self.columns <= MOST_COLUMNS
    }

    fn event(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, &range),
            Event::End(end) => {
                self.level = self.level.saturating_sub(1);
                self.code &= *end != TagEnd::CodeBlock;
                if *end == TagEnd::Link
                    && self.source.get(range.clone()).is_some_and(|link| link.starts_with('<'))
                {
                    self.replace(range.end - 1..range.end, "");
                }
            }
            Event::Text(_) if !self.code => self.text(range),
            Event::Html(_) | Event::InlineHtml(_) => self.text(range),
            Event::SoftBreak => self.replace(range, "  \n"),
            Event::TaskListMarker(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {
                self.gain = Gain::Shapes;
            }
            Event::Rule => self.blocks += 1,
            Event::Text(_) | Event::Code(_) | Event::HardBreak | Event::FootnoteReference(_) => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: &Range<usize>) {
        self.level += 1;
        self.deepest = self.deepest.max(self.level);
        let inline = matches!(
            tag,
            Tag::Emphasis
                | Tag::Strong
                | Tag::Strikethrough
                | Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::TableCell
        );
        if !inline {
            self.begins_with_block |= self.blocks == 0 && !matches!(tag, Tag::Paragraph);
            self.blocks += 1;
        }
        match tag {
            Tag::CodeBlock(_) => self.code = true,
            Tag::Table(alignments) => {
                self.gain = Gain::Shapes;
                self.columns = self.columns.max(alignments.len());
            }
            // Telegram would fetch the picture; a link leaves that to the reader. An address in brackets looks like a tag.
            Tag::Image { .. } => self.replace(range.start..range.start + 1, ""),
            Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. } => {
                self.replace(range.start..range.start + 1, "");
            }
            _ => {}
        }
    }

    /// Text in which what only Telegram takes for a mark is none.
    fn text(&mut self, range: Range<usize>) {
        let Some(text) = self.source.get(range.clone()) else { return };
        for (at, c) in text.char_indices() {
            let place = range.start + at;
            let doubled = || text.get(at + 1..).is_some_and(|rest| rest.starts_with(c));
            let active = match c {
                '<' | '$' => true,
                '|' | '=' | '+' | '^' => doubled(),
                _ => false,
            };
            if active && !self.source.get(..place).is_some_and(|before| before.ends_with('\\')) {
                self.copy_to(place);
                self.out.push('\\');
            }
        }
    }

    fn replace(&mut self, range: Range<usize>, with: &str) {
        if range.start >= self.done {
            self.copy_to(range.start);
            self.out.push_str(with);
            self.done = range.end.max(self.done);
        }
    }

    fn copy_to(&mut self, end: usize) {
        self.out.push_str(self.source.get(self.done..end).unwrap_or_default());
        self.done = self.done.max(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rich(markdown: &str) -> String {
        form(&Body::Markdown(markdown.to_owned())).unwrap().text
    }

    #[test]
    fn str_22_markdown_stays_and_lines_break_where_they_did() {
        let check = |markdown: &str, expected: &str| assert_eq!(rich(markdown), expected, "{markdown:?}");
        check("**b** and `c`", "**b** and `c`");
        check("one\ntwo\n\nthree", "one  \ntwo\n\nthree");
        check("| a | b |\n| - | - |\n| 1 | 2 |", "| a | b |\n| - | - |\n| 1 | 2 |");
        check("- [ ] a\n- [x] b", "- [ ] a\n- [x] b");
        check("```html\n<b>x</b>\na\n```", "```html\n<b>x</b>\na\n```");
        check("so $x^2$ it is", "so $x^2$ it is");
    }

    #[test]
    fn what_only_telegram_takes_for_a_mark_is_text() {
        let check = |markdown: &str, expected: &str| assert_eq!(rich(markdown), expected, "{markdown:?}");
        check("a <b>x</b> 1 < 2", "a \\<b>x\\</b> 1 \\< 2");
        check("<tg-thinking>x", "\\<tg-thinking>x");
        check("<details>\nx\n</details>", "\\<details>\nx\n\\</details>");
        check("a || b == c", "a \\|| b \\== c");
        check("costs $5 and $10", "costs \\$5 and \\$10");
        check("already \\$5", "already \\$5");
        check("`a || <b>`", "`a || <b>`");
        check("see <https://x.example/a> <me@x.example>.", "see https://x.example/a me@x.example.");
        check("![a picture](https://x.example/p.png)", "[a picture](https://x.example/p.png)");
    }

    #[test]
    fn our_own_words_are_no_markdown() {
        let body = Body::Framed {
            before: "*note* ".to_owned(),
            markdown: "**b**".to_owned(),
            after: "1_000 in".to_owned(),
        };
        assert_eq!(form(&body).unwrap().text, "\\*note\\* **b**\n\n1\\_000 in");
    }

    #[test]
    fn what_a_plain_message_cannot_show_is_a_gain() {
        let check = |markdown: &str, expected: Gain| {
            assert_eq!(form(&Body::Markdown(markdown.to_owned())).unwrap().gain, expected, "{markdown:?}");
        };
        check("text", Gain::None);
        check("# heading\n- list\n\n```\ncode\n```", Gain::None);
        check("costs $5 and $10", Gain::None);
        check("| a |\n| - |\n| b |", Gain::Shapes);
        check("- [ ] a", Gain::Shapes);
        check("$$\nx^2\n$$", Gain::Shapes);
    }

    #[test]
    fn what_is_over_a_limit_stays_plain() {
        let plain = |markdown: String| form(&Body::Markdown(markdown)).is_none();
        assert!(plain("x".repeat(MOST_CHARACTERS + 1)));
        assert!(plain("a\n\n".repeat(MOST_BLOCKS + 1)));
        assert!(plain(format!("|{}\n|{}\n", " a |".repeat(21), " - |".repeat(21))));
        assert!(plain(format!("{}x", "> ".repeat(17))));
        assert!(!plain("a\n\n".repeat(100)));
    }

    #[test]
    fn rsn_a_draft_holds_the_reasoning_or_the_bare_sign_and_the_answer() {
        let check = |thinking: Option<&str>, markdown: &str, expected: &str| {
            assert_eq!(rich_draft(thinking, markdown), expected, "{thinking:?} {markdown:?}");
        };
        check(None, "", "<tg-thinking>Thinking…</tg-thinking>");
        check(None, "a **b", "<tg-thinking>Thinking…</tg-thinking>\n\na **b**");
        check(Some("hm"), "a", "<tg-thinking>hm</tg-thinking>\n\na");
        check(
            Some("a\n\n</tg-thinking>*b*"),
            "",
            "<tg-thinking>a\n&lt;/tg-thinking&gt;&#42;b&#42;</tg-thinking>",
        );
        let code = format!("```rust\n{}```\nend", "let a;\n".repeat(4_000));
        assert!(rich_draft(None, &code).contains("```\nlet a;\n"), "what was code stays code");
        let long = rich_draft(Some(&"thought\n".repeat(2_000)), &"word ".repeat(20_000));
        assert!(long.chars().count() <= MOST_CHARACTERS);
    }
}
