//! Cuts a text into messages within Discord's limits, at the best place near the end of each. What is open at a cut is closed
//! before it and opened again behind it, and all that this takes is counted before the cut is made. Each message is written
//! twice at most, so the work is linear in the text, whatever is in it.

use pensive_prose::{Styled, is_visible};

use super::pen::Pen;
use super::place::Place;

/// What a message holds at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    pub(super) units: usize,
    pub(super) lines: usize,
}

/// How good a place is to cut, the best last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Seam {
    /// Nothing is torn there.
    Letter,
    Word,
    Sentence,
    Line,
    Paragraph,
}

/// The messages of a text; those that would show nothing are left out.
pub(super) struct Split<'a> {
    limits: Limits,
    place: Place<'a>,
}

impl<'a> Split<'a> {
    pub(super) fn new(whole: &'a Styled, limits: Limits) -> Self {
        Self { limits, place: Place::first(whole) }
    }

    /// One message and where it ends.
    fn message(&self) -> (String, Place<'a>) {
        let mut pen = Pen::new(self.place.clone());
        let mut cut = Cut::default();
        while let Some(seam) = pen.step() {
            let (units, lines) = pen.size();
            if units > self.limits.units || lines > self.limits.lines {
                let end = cut.end().unwrap_or(pen.at());
                return self.written(end);
            }
            let is_late = units * 2 >= self.limits.units || lines * 2 >= self.limits.lines;
            if let Some(seam) = seam {
                cut.meet(seam, pen.at(), is_late);
            }
        }
        pen.finish()
    }

    /// The message that ends at `end`.
    fn written(&self, end: usize) -> (String, Place<'a>) {
        let mut pen = Pen::new(self.place.clone());
        while pen.at() < end && pen.step().is_some() {}
        pen.finish()
    }
}

impl Iterator for Split<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        while !self.place.is_last() {
            let (text, place) = self.message();
            let shows = is_visible(self.place.until(&place));
            self.place = place;
            if shows {
                return Some(text);
            }
        }
        None
    }
}

/// The best places that were met in the latter half of a message, and the last one at all.
#[derive(Debug, Default)]
struct Cut {
    best: Option<(Seam, usize)>,
    last: Option<usize>,
}

impl Cut {
    fn meet(&mut self, seam: Seam, at: usize, is_late: bool) {
        self.last = Some(at);
        if is_late && self.best.is_none_or(|(best, _)| best <= seam) {
            self.best = Some((seam, at));
        }
    }

    fn end(&self) -> Option<usize> {
        self.best.map(|(_, at)| at).or(self.last)
    }
}
