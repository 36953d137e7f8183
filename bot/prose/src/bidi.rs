//! Marks of direction for text in Hebrew, Arabic and their kin. Clients take a line's direction from its first strong
//! letter and some take none at all, so that a name, a path or a question mark lands on the wrong side. Lines that carry
//! such marks already are left as they are, and so is code.

use std::ops::Range;

use pensive_contract::outward::{Mark, Style};

use crate::styled::{Lead, LeadKind, Styled};

const RIGHT_TO_LEFT: char = '\u{200f}';
const ISOLATE_LEFT: char = '\u{2066}';
const ISOLATE_RIGHT: char = '\u{2067}';
const END_ISOLATE: char = '\u{2069}';

/// Adds the marks that `whole` needs.
pub(crate) fn guide(whole: Styled) -> Styled {
    // Everything below U+0590 is spelled with smaller lead bytes; most texts end here.
    if !whole.text.bytes().any(|byte| byte >= 0xD6) || !whole.text.chars().any(is_right) {
        return whole;
    }
    let fixed = fixed(&whole);
    let mut signs = Vec::new();
    let mut start = 0;
    for line in whole.text.split_inclusive('\n') {
        let end = start + line.len();
        let first = fixed.partition_point(|mark| mark.range.end <= start);
        let here = fixed.get(first..).unwrap_or_default().iter().take_while(|mark| mark.range.start < end);
        let words = line.trim_end_matches(['\n', '\r']);
        let begin = behind_label(&whole.leads, start, end).min(start + words.len());
        let text = words.get(begin - start..).unwrap_or_default();
        Line { text, start: begin, fixed: here.cloned().collect() }.guide(&mut signs);
        start = end;
    }
    insert(whole, &signs)
}

/// Where the words of a line begin: a label has to stay at its edge.
fn behind_label(leads: &[Lead], start: usize, end: usize) -> usize {
    let near = leads.partition_point(|lead| lead.range.start < start);
    let ahead = leads.get(near..).unwrap_or_default();
    let items = ahead.iter().take_while(|lead| lead.range.start < end);
    items.filter(|lead| lead.kind == LeadKind::Item).map(|lead| lead.range.end).last().unwrap_or(start)
}

/// Whether most letters of a text read from the right.
#[must_use]
pub fn reads_right(text: &str) -> bool {
    if !text.bytes().any(|byte| byte >= 0xD6) {
        return false;
    }
    let right = text.chars().filter(|c| is_right(*c)).count();
    right > text.chars().filter(|c| is_left(*c)).count()
}

/// A stretch into which nothing may be put.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fixed {
    range: Range<usize>,
    kind: FixedKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FixedKind {
    Block,
    Span,
}

fn fixed(whole: &Styled) -> Vec<Fixed> {
    let of = |mark: &Mark| match mark.style {
        Style::Pre { .. } => Some(Fixed { range: mark.range.clone(), kind: FixedKind::Block }),
        Style::Code => Some(Fixed { range: mark.range.clone(), kind: FixedKind::Span }),
        Style::Bold
        | Style::Italic
        | Style::Underline
        | Style::Strike
        | Style::Spoiler
        | Style::Quote
        | Style::Fold
        | Style::Link { .. } => None,
    };
    whole.marks.iter().filter_map(of).collect()
}

/// A sign and the byte before which it goes; in order.
type Signs = Vec<(usize, char)>;

struct Line<'a> {
    text: &'a str,
    start: usize,
    fixed: Vec<Fixed>,
}

impl Line<'_> {
    fn guide(&self, signs: &mut Signs) {
        let block = self.fixed.iter().any(|fixed| fixed.kind == FixedKind::Block);
        if block || !self.text.chars().any(is_right) || self.text.chars().any(is_sign) {
            return;
        }
        let free = || self.text.char_indices().filter(|(at, _)| !self.is_fixed(*at));
        let right = free().filter(|(_, c)| is_right(*c)).count();
        let left = free().filter(|(_, c)| is_left(*c)).count();
        if right >= left { self.guide_right(signs) } else { self.guide_left(signs) }
    }

    fn is_fixed(&self, at: usize) -> bool {
        let at = self.start + at;
        let near = self.fixed.partition_point(|fixed| fixed.range.end <= at);
        self.fixed.get(near).is_some_and(|fixed| fixed.range.contains(&at))
    }

    fn is_free(&self, range: &Range<usize>) -> bool {
        let near = self.fixed.partition_point(|fixed| fixed.range.end <= range.start);
        self.fixed.get(near).is_none_or(|fixed| fixed.range.start >= range.end)
    }

    /// A line that reads from the right: says so where its first letter does not, keeps code, ids and paths together,
    /// and holds its last sign of punctuation at its end.
    fn guide_right(&self, signs: &mut Signs) {
        let begin = signs.len();
        let strong = self.text.chars().find(|c| is_right(*c) || is_left(*c));
        if strong.is_some_and(is_left) {
            signs.push((self.start, RIGHT_TO_LEFT));
        }
        let mut isolates: Vec<Range<usize>> =
            self.fixed.iter().map(|fixed| fixed.range.clone()).chain(self.names()).collect();
        isolates.sort_unstable_by_key(|range| range.start);
        for range in isolates {
            signs.push((range.start, ISOLATE_LEFT));
            signs.push((range.end, END_ISOLATE));
        }
        let last = self.text.chars().next_back();
        if last.is_some_and(|c| !c.is_alphanumeric() && !c.is_whitespace()) {
            signs.push((self.start + self.text.len(), RIGHT_TO_LEFT));
        }
        debug_assert!(signs.get(begin..).unwrap_or_default().is_sorted_by_key(|(at, _)| *at));
    }

    /// Words that are written in order from the left and hold signs that would turn: ids, paths, addresses.
    fn names(&self) -> impl Iterator<Item = Range<usize>> {
        words(self.text).filter_map(|word| {
            let name = trimmed(self.text, word)?;
            let text = self.text.get(name.clone())?;
            let signed = text.chars().any(|c| c.is_ascii_punctuation());
            let ordered = text.chars().any(|c| c.is_ascii_alphanumeric()) && !text.chars().any(is_right);
            let name = self.start + name.start..self.start + name.end;
            (signed && ordered && self.is_free(&name)).then_some(name)
        })
    }

    /// A line that reads from the left: every run from the right is kept together with its own question mark.
    fn guide_left(&self, signs: &mut Signs) {
        for run in self.runs() {
            signs.push((self.start + run.start, ISOLATE_RIGHT));
            signs.push((self.start + run.end, END_ISOLATE));
        }
    }

    fn runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut joined = false;
        for (at, c) in self.text.char_indices() {
            let end = at + c.len_utf8();
            if is_left(c) || self.is_fixed(at) {
                joined = false;
            } else if is_right(c) {
                match runs.last_mut() {
                    Some(run) if joined => run.end = end,
                    _ => runs.push(at..end),
                }
                joined = true;
            } else if matches!(c, '?' | '!' | '؟') {
                match runs.last_mut() {
                    Some(run) if joined && run.end == at => run.end = end,
                    _ => {}
                }
            }
        }
        runs
    }
}

fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split_inclusive(char::is_whitespace).map(move |word| {
        let begin = start;
        start += word.len();
        begin..begin + word.trim_end().len()
    })
}

/// A word without the punctuation of the sentence around it.
fn trimmed(text: &str, word: Range<usize>) -> Option<Range<usize>> {
    let full = text.get(word.clone())?;
    let behind = full.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '»', '”']);
    let name = behind.trim_start_matches(['(', '[', '{', '"', '\'', '«', '“', '„']);
    let start = word.start + behind.len() - name.len();
    (!name.is_empty()).then_some(start..start + name.len())
}

/// Strong letters that read from the right.
fn is_right(c: char) -> bool {
    matches!(c,
        '\u{5be}'..='\u{5f4}' | '\u{608}'..='\u{60b}' | '\u{61b}'..='\u{64a}' | '\u{66d}'..='\u{66f}'
        | '\u{671}'..='\u{6d5}' | '\u{6e5}'..='\u{6e6}' | '\u{6ee}'..='\u{6ef}' | '\u{6fa}'..='\u{8c9}'
        | '\u{fb1d}'..='\u{fd3d}' | '\u{fd50}'..='\u{fdfc}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
        && !is_sign(c)
}

fn is_left(c: char) -> bool {
    c.is_alphabetic() && !is_right(c)
}

/// Marks of direction that somebody has put there already.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Puts the signs into the text. A mark neither grows nor tears: a sign at its edge stays outside, except that blocks keep
/// their lines whole.
fn insert(whole: Styled, signs: &[(usize, char)]) -> Styled {
    let mut text = String::with_capacity(whole.text.len() + signs.len() * 3);
    let mut done = 0;
    for (at, sign) in signs {
        text.push_str(whole.text.get(done..*at).unwrap_or_default());
        text.push(*sign);
        done = *at;
    }
    text.push_str(whole.text.get(done..).unwrap_or_default());
    // Every sign takes three bytes.
    let upto = |at: usize| signs.partition_point(|(place, _)| *place <= at) * 3;
    let before = |at: usize| signs.partition_point(|(place, _)| *place < at) * 3;
    let moved = |mark: Mark| {
        let Range { start, end } = mark.range;
        let range = match mark.style {
            Style::Quote | Style::Fold => start + before(start)..end + upto(end),
            Style::Bold
            | Style::Italic
            | Style::Underline
            | Style::Strike
            | Style::Spoiler
            | Style::Code
            | Style::Pre { .. }
            | Style::Link { .. } => start + upto(start)..end + before(end),
        };
        Mark { range, style: mark.style }
    };
    let shifted = |lead: Lead| {
        let Range { start, end } = lead.range;
        Lead { range: start + before(start)..end + before(end), ..lead }
    };
    let leads = whole.leads.into_iter().map(shifted).collect();
    Styled { text, marks: whole.marks.into_iter().map(moved).collect(), leads }
}
