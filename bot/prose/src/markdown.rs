//! Markdown to text and marks. The result keeps the strictest rules for nested styles that a platform has: code shares its
//! characters with no other style of a line, a link holds no code, quotations do not nest.

use pensive_contract::outward::Style;
use pulldown_cmark::{
    BlockQuoteKind, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream,
};

use crate::dialect::{Dialect, Quotes, Shapes, Spoilers};
use crate::page::Page;
use crate::styled::{LeadKind, Styled};
use crate::table::Table;

/// Reads `markdown` and lays it out.
pub(crate) fn styled(markdown: &str, dialect: &Dialect) -> Styled {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    let mut writer = Writer::new(dialect);
    for event in TextMergeStream::new(Parser::new_ext(markdown, options)) {
        writer.event(event);
    }
    writer.page.finish()
}

struct Writer<'a> {
    dialect: &'a Dialect,
    page: Page,
    lists: Vec<List>,
    /// Where the heading began that the platform draws.
    heading: Option<(usize, u8)>,
    /// Where the outermost quotation began, and how many are open.
    quoted: (usize, usize),
    links: Vec<Link>,
    code: Option<Code>,
    table: Option<Table>,
}

struct List {
    /// The number of the next item, where items are numbered.
    next: Option<u64>,
    /// Where its labels and its further lines begin.
    columns: (usize, usize),
}

struct Link {
    url: String,
    start: usize,
}

struct Code {
    language: String,
    /// Where its text began, once there is any.
    start: Option<usize>,
}

impl<'a> Writer<'a> {
    fn new(dialect: &'a Dialect) -> Self {
        Self {
            dialect,
            page: Page::default(),
            lists: Vec::new(),
            heading: None,
            quoted: (0, 0),
            links: Vec::new(),
            code: None,
            table: None,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Html(text) => {
                let line = text.trim_end_matches('\n');
                self.text(line);
                self.page.owe_more(text.len() - line.len());
            }
            Event::Code(code) => self.code_span(&code),
            Event::SoftBreak | Event::HardBreak if self.heading.is_some() => self.page.push(" "),
            Event::SoftBreak | Event::HardBreak => self.page.owe(1),
            Event::Rule => {
                self.page.push("———");
                self.page.owe(2);
            }
            Event::TaskListMarker(done) => {
                self.page.take_back(self.bullet());
                self.page.append(if done { "☑ " } else { "☐ " });
            }
            // Not asked for.
            Event::InlineMath(_) | Event::DisplayMath(_) | Event::FootnoteReference(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.start_heading(level),
            Tag::Strong => self.open(Style::Bold),
            Tag::Emphasis => self.open(Style::Italic),
            Tag::Strikethrough => self.open(Style::Strike),
            Tag::BlockQuote(kind) => self.start_quote(kind),
            Tag::CodeBlock(kind) => self.code = Some(Code { language: language(&kind), start: None }),
            Tag::List(first) => self.start_list(first),
            Tag::Item => self.start_item(),
            Tag::Table(alignments) => self.table = Some(Table::new(alignments)),
            Tag::TableHead | Tag::TableRow => self.in_table(Table::row),
            Tag::TableCell => self.in_table(Table::cell),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let start = if self.table.is_some() { 0 } else { self.page.settle() };
                self.links.push(Link { url: dest_url.into_string(), start });
            }
            Tag::Paragraph | Tag::HtmlBlock => {}
            // Not asked for.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Strikethrough => self.close(),
            TagEnd::BlockQuote(_) => self.end_quote(),
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => self.end_list(),
            TagEnd::Item => self.page.owe(1),
            TagEnd::Table => self.end_table(),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.page.owe(2),
            TagEnd::TableHead | TagEnd::TableRow | TagEnd::TableCell => {}
            // Not asked for.
            TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(table) = &mut self.table {
            table.push(text);
        } else if let Some(code) = &mut self.code {
            if code.start.is_none() {
                self.page.owe(1);
                code.start = Some(self.page.settle_flush());
            }
            self.page.append(text);
        } else if self.dialect.spoilers == Spoilers::Hidden {
            self.with_spoilers(text);
        } else {
            self.page.push(text);
        }
    }

    /// Text in which two bars on either side hide what is between.
    fn with_spoilers(&mut self, text: &str) {
        let mut rest = text;
        while let Some((before, hidden, after)) = spoiler(rest) {
            self.page.push(before);
            self.page.open(Style::Spoiler);
            self.page.push(hidden);
            self.page.close();
            rest = after;
        }
        self.page.push(rest);
    }

    fn start_heading(&mut self, level: HeadingLevel) {
        let level = level as u8;
        if self.dialect.shapes == Shapes::Marked && level <= 3 {
            self.heading = Some((self.page.settle(), level));
        } else {
            self.open(Style::Bold);
        }
    }

    fn end_heading(&mut self) {
        match self.heading.take() {
            Some((start, _)) if start == self.page.len() => {}
            Some((start, level)) => self.page.lead(start..self.page.len(), LeadKind::Heading(level)),
            None => self.close(),
        }
        self.page.owe(2);
    }

    fn bullet(&self) -> &'static str {
        match self.dialect.shapes {
            Shapes::Drawn => "• ",
            Shapes::Marked => "- ",
        }
    }

    fn open(&mut self, style: Style) {
        if self.table.is_none() {
            self.page.open(style);
        }
    }

    fn close(&mut self) {
        if self.table.is_none() {
            self.page.close();
        }
    }

    fn in_table(&mut self, step: fn(&mut Table)) {
        if let Some(table) = &mut self.table {
            step(table);
        }
    }

    fn code_span(&mut self, code: &str) {
        if self.table.is_some() || !self.links.is_empty() {
            return self.text(code);
        }
        let start = self.page.settle();
        self.page.push(code);
        self.page.mark_alone(start..self.page.len(), Style::Code);
    }

    fn end_code(&mut self) {
        if let Some(Code { language, start: Some(start) }) = self.code.take() {
            self.page.take_back("\n");
            self.page.mark(start..self.page.len(), Style::Pre { language });
            self.page.owe(if self.lists.is_empty() { 2 } else { 1 });
        }
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        self.page.owe(1);
        let start = self.page.settle_flush();
        self.page.append(&table.lines());
        self.page.mark(start..self.page.len(), Style::Pre { language: String::new() });
        self.page.owe(2);
    }

    fn start_list(&mut self, first: Option<u64>) {
        let (_, inside) = self.lists.last().map_or((0, 0), |list| list.columns);
        self.page.owe(1);
        self.lists.push(List { next: first, columns: (inside, inside) });
    }

    fn start_item(&mut self) {
        let bullet = self.bullet();
        let Some(list) = self.lists.last_mut() else { return };
        let label = match &mut list.next {
            Some(number) => {
                let label = format!("{number}. ");
                *number = number.saturating_add(1);
                label
            }
            None => bullet.to_owned(),
        };
        let (edge, shapes) = (list.columns.0, self.dialect.shapes);
        list.columns.1 = match shapes {
            Shapes::Drawn => edge + label.chars().count(),
            // Wider steps would be more than one level to some platforms.
            Shapes::Marked => edge + 2,
        };
        self.page.indent_by(list.columns.1);
        let place = self.page.label(edge, &label);
        if shapes == Shapes::Marked {
            self.page.lead(place, LeadKind::Item);
        }
    }

    fn end_list(&mut self) {
        self.lists.pop();
        self.page.indent_by(self.lists.last().map_or(0, |list| list.columns.1));
        self.page.owe(if self.lists.is_empty() { 2 } else { 1 });
    }

    fn start_quote(&mut self, kind: Option<BlockQuoteKind>) {
        self.page.owe(1);
        if self.quoted.1 == 0 {
            self.quoted.0 = self.page.settle_flush();
        }
        self.quoted.1 += 1;
        if let Some(kind) = kind {
            self.page.open(Style::Bold);
            self.page.push(title(kind));
            self.page.close();
            self.page.owe(1);
        }
    }

    fn end_quote(&mut self) {
        self.quoted.1 = self.quoted.1.saturating_sub(1);
        if self.quoted.1 == 0 && self.dialect.quotes == Quotes::Marked {
            self.page.mark(self.quoted.0..self.page.len(), Style::Quote);
        }
        self.page.owe(2);
    }

    fn end_link(&mut self) {
        let Some(Link { url, start }) = self.links.pop() else { return };
        if let Some(table) = &mut self.table {
            // Nothing can be touched inside fixed width; the address is worth its room.
            return if self.links.is_empty() && !table.ends_with(&url) {
                table.push(&aside(&url))
            };
        }
        if self.page.since(start).trim().is_empty() {
            self.page.push(if url.is_empty() { "image" } else { &url });
        }
        let shown =
            self.page.since(start) == url || url.strip_prefix("mailto:") == Some(self.page.since(start));
        if shown || url.is_empty() || !self.links.is_empty() {
            return;
        }
        if (self.dialect.is_link)(&url, self.page.since(start)) {
            self.page.mark(start..self.page.len(), Style::Link { url });
        } else {
            self.page.push(&aside(&url));
        }
    }
}

fn aside(url: &str) -> String {
    if url.is_empty() { String::new() } else { format!(" ({url})") }
}

fn language(kind: &CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Indented => String::new(),
        CodeBlockKind::Fenced(info) => {
            let word = info.split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default();
            word.chars().take(64).collect()
        }
    }
}

fn title(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "Note",
        BlockQuoteKind::Tip => "Tip",
        BlockQuoteKind::Important => "Important",
        BlockQuoteKind::Warning => "Warning",
        BlockQuoteKind::Caution => "Caution",
    }
}

/// The first stretch that two bars enclose without a blank at their inner sides: what is before, inside and behind.
fn spoiler(text: &str) -> Option<(&str, &str, &str)> {
    let is_open = |at: usize| {
        let next = text.get(at + 2..).and_then(|rest| rest.chars().next());
        next.is_some_and(|c| !c.is_whitespace() && c != '|')
    };
    let (open, _) = text.match_indices("||").find(|(at, _)| is_open(*at))?;
    let inside = text.get(open + 2..)?;
    let end = |at: &usize| inside.get(..*at).is_some_and(|hidden| !hidden.ends_with(char::is_whitespace));
    let close = inside.match_indices("||").map(|(at, _)| at).find(end)?;
    Some((text.get(..open)?, inside.get(..close)?, inside.get(close + 2..)?))
}
