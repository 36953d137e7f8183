//! The text that is being laid out: newlines that are owed, indentation, styles that are open.

use std::iter::repeat_n;
use std::ops::Range;

use pensive_contract::outward::{Mark, Style};

use crate::styled::{Lead, LeadKind, Styled};

/// Deeper lists are not indented further, so that the text stays linear in its source.
const DEEPEST: usize = 24;

/// A text in the making.
#[derive(Default)]
pub(crate) struct Page {
    out: Styled,
    /// Newlines owed before the next text; owed and not written, so that none lead or trail.
    gap: usize,
    /// Blanks before a further line of the innermost list item.
    indent: usize,
    /// Styles that show, and where their current stretch began. Each at most once.
    styles: Vec<(Style, usize)>,
    /// What was opened, innermost last: whether it shows, or its style did already.
    opened: Vec<Shows>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    Itself,
    Already,
}

impl Page {
    /// Lets the next text begin on a new line, after `newlines - 1` empty ones.
    pub(crate) fn owe(&mut self, newlines: usize) {
        self.gap = self.gap.max(newlines);
    }

    /// The same, on top of what is owed already.
    pub(crate) fn owe_more(&mut self, newlines: usize) {
        self.gap += newlines;
    }

    /// Lets further lines begin after `columns` blanks.
    pub(crate) fn indent_by(&mut self, columns: usize) {
        self.indent = columns.min(DEEPEST);
    }

    /// Adds text of a line.
    pub(crate) fn push(&mut self, text: &str) {
        if !text.is_empty() {
            self.settle();
            self.out.text.push_str(text);
        }
    }

    /// Adds text as it is, behind what is there.
    pub(crate) fn append(&mut self, text: &str) {
        self.out.text.push_str(text);
    }

    /// Begins a list item `columns` from the edge and gives the place of its label.
    pub(crate) fn label(&mut self, columns: usize, label: &str) -> Range<usize> {
        self.owe(1);
        self.settle_flush();
        self.out.text.extend(repeat_n(' ', columns.min(DEEPEST)));
        let start = self.len();
        self.out.text.push_str(label);
        start..self.len()
    }

    /// Lets the platform draw a stretch.
    pub(crate) fn lead(&mut self, range: Range<usize>, kind: LeadKind) {
        self.out.leads.push(Lead { range, kind });
    }

    /// Takes back the last text where it is `text`.
    pub(crate) fn take_back(&mut self, text: &str) {
        if self.out.text.ends_with(text) {
            self.out.text.truncate(self.out.text.len() - text.len());
            let end = self.out.text.len();
            self.out.leads.pop_if(|lead| lead.range.end > end);
        }
    }

    /// Writes what is owed and gives the place where the next text begins.
    pub(crate) fn settle(&mut self) -> usize {
        if self.gap > 0 && !self.out.text.is_empty() {
            self.settle_flush();
            self.out.text.extend(repeat_n(' ', self.indent));
        }
        self.settle_flush()
    }

    /// The same at the edge of the page, whatever the indentation; for blocks.
    pub(crate) fn settle_flush(&mut self) -> usize {
        let owed = std::mem::take(&mut self.gap);
        if !self.out.text.is_empty() {
            self.out.text.extend(repeat_n('\n', owed));
        }
        self.out.text.len()
    }

    /// How long the text is.
    pub(crate) fn len(&self) -> usize {
        self.out.text.len()
    }

    /// The text since `start`.
    pub(crate) fn since(&self, start: usize) -> &str {
        self.out.text.get(start..).unwrap_or_default()
    }

    /// Gives a stretch a style.
    pub(crate) fn mark(&mut self, range: Range<usize>, style: Style) {
        if !range.is_empty() {
            self.out.marks.push(Mark { range, style });
        }
    }

    /// Begins a style of a line.
    pub(crate) fn open(&mut self, style: Style) {
        let start = self.settle();
        if self.styles.iter().any(|(outer, _)| *outer == style) {
            self.opened.push(Shows::Already);
        } else {
            self.styles.push((style, start));
            self.opened.push(Shows::Itself);
        }
    }

    /// Ends the style that was opened last.
    pub(crate) fn close(&mut self) {
        if self.opened.pop() == Some(Shows::Itself)
            && let Some((style, start)) = self.styles.pop()
        {
            self.mark(start..self.len(), style);
        }
    }

    /// Marks a stretch that shares its characters with no open style: they end before it and begin again behind it.
    pub(crate) fn mark_alone(&mut self, range: Range<usize>, style: Style) {
        let styles = std::mem::take(&mut self.styles);
        for (open, start) in styles.iter().rev() {
            self.mark(*start..range.start, open.clone());
        }
        self.styles = styles.into_iter().map(|(open, _)| (open, range.end)).collect();
        self.mark(range, style);
    }

    /// The finished text, its marks in order.
    pub(crate) fn finish(mut self) -> Styled {
        // A style is marked when it ends, so that of two with one range the outer comes later.
        self.out.marks.reverse();
        self.out.marks.sort_by_key(|mark| (mark.range.start, std::cmp::Reverse(mark.range.end)));
        self.out.leads.sort_by_key(|lead| lead.range.start);
        self.out
    }
}
