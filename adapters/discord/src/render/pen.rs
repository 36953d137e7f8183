//! Writes a stretch of a text in Discord's Markdown, one letter after the other, and knows at each what it would take to end
//! there. Discord reads no nesting of blocks and looks for the end of a style by its sign alone, so styles end with each line,
//! leave blanks outside, and every line says anew that it is quoted.

use std::borrow::Cow;
use std::ops::Range;

use pensive_contract::outward::{Mark, Style};
use pensive_prose::{LeadKind, ends_sentence, floor, length};

use super::place::Place;
use super::split::Seam;
use super::{escape, links};

/// A language longer than this is named only where its block begins.
const LONG_LANGUAGE: usize = 32;
/// An address longer than this may be cut anywhere.
const LONG_ADDRESS: usize = 600;
/// So much of a span of code is looked at to choose the signs around it; a message holds no more.
const LONG_SPAN: usize = 8_000;
/// Shows nothing and keeps signs apart.
const APART: char = '\u{200b}';

#[cfg(test)]
thread_local! {
    /// Letters that were written, to see that the work is in proportion to the text.
    pub(super) static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A message in the making.
pub(super) struct Pen<'a> {
    place: Place<'a>,
    out: String,
    units: usize,
    breaks: usize,
    /// Ends of lines that are owed, and blanks after them: they are written where something follows.
    gap: String,
    blanks: String,
    /// The styles of a line that are open, outermost first.
    open: Vec<Open<'a>>,
    /// How long the message was when a style was closed last.
    closed: usize,
    /// The same of one that was opened or closed.
    signed: usize,
    fence: Option<Fence<'a>>,
    line: Line,
    /// A sign ahead that has to be escaped, as it would change what the line is.
    trap: Option<usize>,
    /// Written as it is up to there: an address or a mention.
    raw: Range<usize>,
}

/// A style and the sign that ends it.
struct Open<'a> {
    mark: &'a Mark,
    end: Cow<'static, str>,
}

/// A block of code and what stands before its lines.
struct Fence<'a> {
    code: &'a Mark,
    margin: &'static str,
}

/// How far a line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    New,
    /// Only what says what line it is.
    Begun,
    Written,
}

impl<'a> Pen<'a> {
    pub(super) fn new(place: Place<'a>) -> Self {
        Self {
            place,
            out: String::new(),
            units: 0,
            breaks: 0,
            gap: String::new(),
            blanks: String::new(),
            open: Vec::new(),
            closed: 0,
            signed: 0,
            fence: None,
            line: Line::New,
            trap: None,
            raw: 0..0,
        }
    }

    pub(super) fn at(&self) -> usize {
        self.place.at
    }

    /// Units and lines of the message if it ended here.
    pub(super) fn size(&self) -> (usize, usize) {
        // A span of code may take a blank more.
        let styles: usize = self.open.iter().map(|open| length(&open.end) + 1).sum();
        let (fence, line) = self.fence.as_ref().map_or((0, 0), |fence| (fence.margin.len() + 4, 1));
        (self.units + styles + fence, self.breaks + 1 + line)
    }

    /// Writes the next letter, or what cannot be torn, and says how good it would be to cut behind it; nothing inside what has
    /// to stay together. Nothing at all at the end.
    pub(super) fn step(&mut self) -> Option<Option<Seam>> {
        if self.place.is_last() {
            return None;
        }
        #[cfg(test)]
        STEPS.set(STEPS.get() + 1);
        if self.fence.as_ref().is_some_and(|fence| fence.code.range.end <= self.at()) {
            self.end_fence();
        }
        let letter = self.place.letter();
        let taken = self.take(letter);
        let before = self.place.rest();
        self.place.go(taken);
        Some(self.seam(before.get(..taken).unwrap_or_default()))
    }

    /// The finished message and the place behind it.
    pub(super) fn finish(mut self) -> (String, Place<'a>) {
        self.end_fence();
        self.end_styles(0);
        (self.out, self.place)
    }

    /// Writes what begins here; gives how much of the text that was.
    fn take(&mut self, letter: &str) -> usize {
        let code = self.place.find(|style| matches!(style, Style::Pre { .. })).filter(|_| !self.is_folded());
        match code {
            Some(code) => self.take_code(code, letter),
            None if letter.ends_with('\n') => self.end_line(),
            None if self.is_blank(letter) => self.blanks.push_str(letter),
            None => return self.take_word(letter),
        }
        letter.len()
    }

    fn is_blank(&self, letter: &str) -> bool {
        let in_code = self.place.find(|style| matches!(style, Style::Code)).is_some();
        !in_code && letter.chars().all(char::is_whitespace)
    }

    /// A letter of a block of code. The block begins with what is seen of it.
    fn take_code(&mut self, code: &'a Mark, letter: &str) {
        let is_blank = letter.chars().all(char::is_whitespace);
        if letter.ends_with('\n') {
            if self.fence.is_some() { self.end_line() } else { self.blanks.clear() }
        } else if self.fence.is_none() && is_blank {
            self.blanks.push_str(letter);
        } else {
            let indentation = std::mem::take(&mut self.blanks);
            if self.fence.is_none() {
                self.begin_fence(code);
            }
            self.begin_line();
            self.line = Line::Written;
            self.put(&indentation);
            if letter.starts_with('`') && self.out.ends_with("``") {
                self.put_char(APART);
            }
            self.put(letter);
        }
    }

    fn begin_fence(&mut self, code: &'a Mark) {
        self.end_styles(0);
        if self.line == Line::Written {
            self.end_line();
        }
        self.begin_line();
        self.put("```");
        if let Style::Pre { language } = &code.style {
            let is_shown = self.at() == code.range.start || language.len() <= LONG_LANGUAGE;
            let is_word = language.chars().all(|c| c.is_ascii_alphanumeric() || "_+-.".contains(c));
            self.put(if is_shown && is_word { language } else { "" });
        }
        self.end_line();
        self.fence = Some(Fence { code, margin: self.margin() });
    }

    fn end_fence(&mut self) {
        if let Some(fence) = self.fence.take() {
            self.gap.clear();
            self.put("\n");
            self.put(fence.margin);
            self.put("```");
            self.line = Line::Written;
        }
    }

    /// A letter of a line, or the whole label of an item.
    fn take_word(&mut self, letter: &str) -> usize {
        let common = self.common();
        self.end_styles(common);
        self.begin_line();
        match self.place.lead().map(|lead| (lead.kind, lead.range.end)) {
            Some((LeadKind::Item, end)) => {
                let label = self.place.text.get(self.at()..end).unwrap_or_default();
                self.put_blanks();
                self.put(label);
                return label.len();
            }
            Some((LeadKind::Heading(level), _)) if self.line == Line::Begun => {
                self.put(["# ", "## ", "### "].get(usize::from(level) - 1).copied().unwrap_or_default());
            }
            Some((LeadKind::Heading(_), _)) | None => {}
        }
        self.put_blanks();
        self.begin_styles(common);
        if self.line == Line::Begun {
            self.trap = escape::at_line_start(self.place.rest()).map(|ahead| self.at() + ahead);
        }
        self.line = Line::Written;
        self.put_letter(letter);
        letter.len()
    }

    fn put_letter(&mut self, letter: &str) {
        let Some(Style::Code) = self.open.last().map(|open| &open.mark.style) else {
            return self.put_text(letter);
        };
        if letter.starts_with('`') && self.out.ends_with('`') {
            self.put_char(APART);
        }
        self.put(letter);
    }

    fn put_text(&mut self, letter: &str) {
        if !self.raw.contains(&self.at()) {
            self.find_raw();
        }
        if self.raw.contains(&self.at()) {
            return self.put_raw(letter);
        }
        let rest = self.place.rest();
        let first = letter.chars().next().unwrap_or_default();
        let is_trap = self.trap == Some(self.at());
        if escape::is_sign(first) || is_trap || first == '<' && escape::is_reference(rest) {
            self.leave_address();
            self.put("\\");
        }
        self.put(letter);
    }

    /// Whether an address or a mention begins here.
    fn find_raw(&mut self) {
        let rest = self.place.rest();
        let in_link = self.open.iter().any(|open| matches!(open.mark.style, Style::Link { .. }));
        let found = match rest.as_bytes().first() {
            // It ends by itself.
            Some(b'<') => escape::mention(rest).and_then(|mention| mention.get(..mention.len() - 1)),
            Some(b'h') if !in_link && !self.out.ends_with(char::is_alphanumeric) => {
                links::bare(rest.get(..self.place.stretch()).unwrap_or(rest))
            }
            _ => None,
        };
        if let Some(found) = found {
            self.raw = self.at()..self.at() + found.len();
        }
    }

    fn put_raw(&mut self, letter: &str) {
        if self.open.is_empty() || letter.len() > 1 {
            return self.put(letter);
        }
        let mut piece = String::new();
        letter.chars().for_each(|c| links::in_style(c, &mut piece));
        self.put(&piece);
    }

    /// Ends the line with all that is open on it.
    fn end_line(&mut self) {
        self.end_styles(0);
        self.blanks.clear();
        if self.line == Line::New {
            // Quoted though empty.
            self.gap.push_str(self.margin());
        }
        self.gap.push('\n');
        self.line = Line::New;
        self.trap = None;
    }

    /// Says what line it is.
    fn begin_line(&mut self) {
        if self.line != Line::New {
            return;
        }
        self.line = Line::Begun;
        let gap = std::mem::take(&mut self.gap);
        if !self.out.is_empty() {
            self.put(&gap);
        }
        self.put(self.margin());
        if self.is_folded() {
            self.put("-# ");
        }
    }

    /// What stands before a line of a quotation.
    fn margin(&self) -> &'static str {
        let quoted = self.place.find(|style| matches!(style, Style::Quote | Style::Fold));
        if quoted.is_some() { "> " } else { "" }
    }

    fn is_folded(&self) -> bool {
        self.place.find(|style| matches!(style, Style::Fold)).is_some()
    }

    fn put_blanks(&mut self) {
        let blanks = std::mem::take(&mut self.blanks);
        if !self.out.is_empty() {
            self.put(&blanks);
        }
    }

    /// How many of the open styles go on here.
    fn common(&self) -> usize {
        let here = self.place.begun.iter().filter(|mark| is_inline(&mark.style));
        self.open.iter().zip(here).take_while(|(open, here)| std::ptr::eq(open.mark, **here)).count()
    }

    fn begin_styles(&mut self, common: usize) {
        let here = self.place.begun.iter().filter(|mark| is_inline(&mark.style));
        let new: Vec<&'a Mark> = here.skip(common).copied().collect();
        for mark in new {
            let (start, end) = self.signs(mark);
            let is_behind = self.closed == self.out.len() && self.out.ends_with('*');
            let is_within = start == "**" && self.open.last().is_some_and(|open| open.end == "*");
            if start.starts_with('*') && (is_behind || is_within && self.out.ends_with('*')) {
                self.put_char(APART);
            }
            self.leave_address();
            self.part_from_text(&start);
            self.put(&start);
            self.signed = self.out.len();
            self.open.push(Open { mark, end });
        }
    }

    fn end_styles(&mut self, keep: usize) {
        while self.open.len() > keep {
            let Some(Open { mark, end }) = self.open.pop() else { return };
            match mark.style {
                Style::Italic if self.out.ends_with('\\') => self.put_char(APART),
                Style::Code if self.out.ends_with('`') => self.put_char(' '),
                _ => self.part_from_text(&end),
            }
            self.put(&end);
            self.closed = self.out.len();
            self.signed = self.closed;
        }
    }

    /// An escaped sign counts where the end of a style is looked for, so none of ours stands next to one.
    fn part_from_text(&mut self, sign: &str) {
        let first = sign.chars().next().filter(|c| matches!(c, '*' | '~' | '|'));
        if self.signed < self.out.len() && first.is_some_and(|first| self.out.ends_with(first)) {
            self.put_char(APART);
        }
    }

    /// What begins a style here, and what ends it.
    fn signs(&self, mark: &Mark) -> (Cow<'static, str>, Cow<'static, str>) {
        let both = |sign: &'static str| (sign.into(), sign.into());
        match &mark.style {
            Style::Bold => both("**"),
            Style::Italic => both("*"),
            Style::Underline => both("__"),
            Style::Strike => both("~~"),
            Style::Spoiler => both("||"),
            Style::Code => {
                let end = floor(self.place.text, mark.range.end.min(self.at() + LONG_SPAN));
                let code = self.place.text.get(self.at()..end).unwrap_or_default();
                match code.starts_with('`') {
                    true => ("`` ".into(), "``".into()),
                    false if code.contains('`') => both("``"),
                    false => both("`"),
                }
            }
            Style::Link { url } => ("[".into(), format!("]({})", links::target(url)).into()),
            Style::Pre { .. } | Style::Quote | Style::Fold => both(""),
        }
    }

    /// An address goes on to the next blank, so there is one where markup follows.
    fn leave_address(&mut self) {
        if !self.raw.is_empty() && self.raw.end == self.at() {
            self.raw = 0..0;
            self.put_char(' ');
        }
    }

    fn put(&mut self, text: &str) {
        self.units += length(text);
        self.breaks += text.matches('\n').count();
        self.out.push_str(text);
    }

    fn put_char(&mut self, c: char) {
        self.units += c.len_utf16();
        self.out.push(c);
    }

    /// How good it is to cut behind `taken`, which has just been written.
    fn seam(&self, taken: &str) -> Option<Seam> {
        let is_address = self.raw.contains(&self.at()) && self.raw.len() <= LONG_ADDRESS;
        if self.line == Line::Begun || is_address {
            return None;
        }
        let before = self.place.text.get(..self.at() - taken.len()).unwrap_or_default();
        let in_code = self.place.find(|style| matches!(style, Style::Pre { .. })).is_some();
        let in_link = self.place.find(|style| matches!(style, Style::Link { .. })).is_some();
        Some(match taken.chars().next_back()? {
            '\n' if self.place.rest().starts_with('\n') => Seam::Letter,
            '\n' if before.ends_with('\n') && !in_code => Seam::Paragraph,
            '\n' => Seam::Line,
            _ if in_link || in_code => Seam::Letter,
            c if c.is_whitespace() && before.ends_with(ends_sentence) => Seam::Sentence,
            c if c.is_whitespace() => Seam::Word,
            '。' | '！' | '？' => Seam::Sentence,
            _ => Seam::Letter,
        })
    }
}

fn is_inline(style: &Style) -> bool {
    match style {
        Style::Bold
        | Style::Italic
        | Style::Underline
        | Style::Strike
        | Style::Spoiler
        | Style::Code
        | Style::Link { .. } => true,
        Style::Pre { .. } | Style::Quote | Style::Fold => false,
    }
}
