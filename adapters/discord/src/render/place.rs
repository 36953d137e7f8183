//! A place in a text that is being written: what stands there, and the marks that have begun.

use pensive_contract::outward::{Mark, Style};
use pensive_prose::{Lead, Styled};
use unicode_segmentation::UnicodeSegmentation;

/// An accented letter longer than this is no letter.
const LONG_LETTER: usize = 64;

/// A place in a text and the marks there.
#[derive(Debug, Clone)]
pub(super) struct Place<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    /// Those that begin later.
    marks: &'a [Mark],
    /// Those that have begun, outermost first.
    pub(super) begun: Vec<&'a Mark>,
    /// Those that end later.
    leads: &'a [Lead],
}

impl<'a> Place<'a> {
    pub(super) fn first(whole: &'a Styled) -> Self {
        let mut place =
            Self { text: &whole.text, at: 0, marks: &whole.marks, begun: Vec::new(), leads: &whole.leads };
        place.go(0);
        place
    }

    pub(super) fn is_last(&self) -> bool {
        self.at >= self.text.len()
    }

    /// What stands between here and `later`.
    pub(super) fn until(&self, later: &Self) -> &'a str {
        self.text.get(self.at..later.at).unwrap_or_default()
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn go(&mut self, by: usize) {
        self.at += by;
        let at = self.at;
        self.begun.retain(|mark| mark.range.end > at);
        while let Some((mark, later)) = self.marks.split_first().filter(|(mark, _)| mark.range.start <= at) {
            if mark.range.end > at {
                self.begin(mark);
            }
            self.marks = later;
        }
        while let Some((_, later)) = self.leads.split_first().filter(|(lead, _)| lead.range.end <= at) {
            self.leads = later;
        }
    }

    /// Of bold and italics over the same words bold is outside: `***` is read so.
    fn begin(&mut self, mark: &'a Mark) {
        let inside = self.begun.pop_if(|last| {
            last.style == Style::Italic && mark.style == Style::Bold && last.range == mark.range
        });
        self.begun.push(mark);
        self.begun.extend(inside);
    }

    /// How far it is to the next place where a mark begins or ends.
    pub(super) fn stretch(&self) -> usize {
        let begins = self.marks.first().map(|mark| mark.range.start);
        let ends = self.begun.iter().map(|mark| mark.range.end);
        ends.chain(begins).min().unwrap_or(self.text.len()).saturating_sub(self.at)
    }

    pub(super) fn find(&self, wanted: fn(&Style) -> bool) -> Option<&'a Mark> {
        self.begun.iter().copied().find(|mark| wanted(&mark.style))
    }

    pub(super) fn lead(&self) -> Option<&'a Lead> {
        self.leads.first().filter(|lead| lead.range.start <= self.at)
    }

    /// The letter here, as a reader counts letters.
    pub(super) fn letter(&self) -> &'a str {
        let rest = self.rest();
        match rest.as_bytes() {
            [first, second, ..] if first.is_ascii() && second.is_ascii() && *first != b'\r' => {
                rest.get(..1).unwrap_or_default()
            }
            _ => {
                let letter = rest.graphemes(true).next().unwrap_or_default();
                // A style may begin or end in the middle of what a reader counts as one.
                let letter = letter.get(..self.stretch().max(1)).unwrap_or(letter);
                let first = letter.chars().next().unwrap_or_default();
                let more = letter.get(first.len_utf8()..).unwrap_or_default();
                let is_apart = |c: char| c.is_ascii() || c.is_whitespace();
                // Some scripts join blanks and signs of ours to their letters.
                let is_joined = first.is_whitespace() || more.starts_with(is_apart);
                if letter == "\r\n" || letter.len() <= LONG_LETTER && !is_joined {
                    letter
                } else {
                    letter.get(..first.len_utf8()).unwrap_or_default()
                }
            }
        }
    }
}
