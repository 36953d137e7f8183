//! Cuts a text into messages within Telegram's limits, at the best place near the end of each. Nothing is added or lost:
//! the messages together are the text. A style that a cut goes through ends before it and begins again behind it.

use std::ops::Range;

use pensive_contract::outward::{Mark, Part, Style};
use pensive_prose::{Styled, floor, is_boundary, is_visible, length, sentence_ends};
use unicode_segmentation::GraphemeCursor;

/// UTF-16 units in a message (<https://core.telegram.org/bots/api#sendmessage>).
pub(super) const MOST_UNITS: usize = 4096;
/// Styles in a message; what is beyond, Telegram leaves out without a word.
pub(super) const MOST_MARKS: usize = 100;

/// Splits `whole`; parts that show nothing are left out.
pub(super) fn split(whole: Styled) -> Vec<Part> {
    if whole.marks.len() <= MOST_MARKS && length(&whole.text) <= MOST_UNITS {
        return vec![Part { text: whole.text, marks: whole.marks, whole: None, file: None }];
    }
    let mut cutter = Cutter { text: &whole.text, marks: &whole.marks, through: Vec::new(), start: 0 };
    let parts = std::iter::from_fn(|| cutter.next());
    parts.filter(|part| is_visible(&part.text)).collect()
}

struct Cutter<'a> {
    text: &'a str,
    /// Those that begin behind `start`.
    marks: &'a [Mark],
    /// Those that the last cut went through.
    through: Vec<Mark>,
    start: usize,
}

impl Cutter<'_> {
    fn next(&mut self) -> Option<Part> {
        let rest = self.text.get(self.start..).filter(|rest| !rest.is_empty())?;
        let room = self.room(rest);
        let length = match rest.get(..room) {
            Some(window) if room < rest.len() => self.cut(window, rest),
            _ => rest.len(),
        };
        Some(self.take(length))
    }

    /// How many bytes of `rest` fit: by units, and so that no mark is left over.
    fn room(&self, rest: &str) -> usize {
        let fits = fitting(rest, MOST_UNITS);
        let spare = MOST_MARKS.saturating_sub(self.through.len());
        let over = self.marks.get(spare).map(|mark| mark.range.start.saturating_sub(self.start));
        over.filter(|over| (1..fits).contains(over)).unwrap_or(fits)
    }

    /// Where to cut: after a paragraph, line, sentence or word that ends in the latter half of the window, else between
    /// two characters as a reader counts them.
    fn cut(&self, window: &str, rest: &str) -> usize {
        let half = floor(window, window.len() / 2);
        let code = self.code(window.len());
        let tail = window.get(half..).unwrap_or_default();
        let outside = |at: &usize| !code.iter().any(|code| code.start < *at && *at < code.end);
        let whole = |at: &usize| *at < rest.len() && is_boundary(rest, *at);
        let behind = |(at, found): (usize, &str)| half + at + found.len();
        let paragraph = tail.rmatch_indices("\n\n").map(behind).find(|at| outside(at) && whole(at));
        paragraph
            .or_else(|| tail.rmatch_indices('\n').map(behind).find(whole))
            .or_else(|| sentence_ends(tail).map(|at| half + at).filter(whole).filter(outside).last())
            .or_else(|| tail.rmatch_indices(char::is_whitespace).map(behind).find(whole))
            .unwrap_or_else(|| between_characters(rest, window.len()))
    }

    /// The blocks of code that reach into the next `length` bytes, from `start`.
    fn code(&self, length: usize) -> Vec<Range<usize>> {
        let end = self.start + length;
        let ahead = self.marks.iter().take_while(|mark| mark.range.start < end);
        let blocks = self.through.iter().chain(ahead).filter(|mark| matches!(mark.style, Style::Pre { .. }));
        blocks.map(|mark| mark.range.start.saturating_sub(self.start)..mark.range.end - self.start).collect()
    }

    fn take(&mut self, length: usize) -> Part {
        let (start, end) = (self.start, self.start + length);
        let begun = self.marks.partition_point(|mark| mark.range.start < end);
        let (here, later) = self.marks.split_at(begun);
        let mut marks = std::mem::take(&mut self.through);
        marks.extend_from_slice(here);
        self.through = marks.iter().filter(|mark| mark.range.end > end).cloned().collect();
        self.marks = later;
        self.start = end;
        marks.truncate(MOST_MARKS);
        for mark in &mut marks {
            mark.range = mark.range.start.max(start) - start..mark.range.end.min(end) - start;
        }
        Part {
            text: self.text.get(start..end).unwrap_or_default().to_owned(),
            marks,
            whole: None,
            file: None,
        }
    }
}

/// The longest start of `text`, in bytes, that has at most `most` units.
fn fitting(text: &str, most: usize) -> usize {
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units > most {
            return at;
        }
    }
    text.len()
}

/// The last place at or before `limit` where nothing is torn. What fills a whole message without such a place is torn
/// between two code points.
fn between_characters(text: &str, limit: usize) -> usize {
    if is_boundary(text, limit) {
        return limit;
    }
    let before = GraphemeCursor::new(limit, text.len(), true).prev_boundary(text, 0);
    before.ok().flatten().filter(|at| *at > 0).unwrap_or(limit)
}
