//! What is left of a text when directives are taken out: a line that held nothing else goes as a whole, inside a line
//! one adjacent blank goes along, and every other byte stays.

use std::ops::Range;

use crate::words::{after_blanks, between, count, from, is_blank_of_line};

/// Takes the cuts, which are in order and apart, out of the text.
pub(crate) fn cut(text: &str, cuts: &[Range<usize>]) -> String {
    let mut left = Remainder { text, kept: String::with_capacity(text.len()), at: 0 };
    let mut cuts = cuts;
    while let Some(first) = cuts.first() {
        let (line, others) = cuts.split_at(on_one_line(text, cuts));
        cuts = others;
        left.take_line(first.start, line);
    }
    left.kept.push_str(from(text, left.at));
    left.kept
}

/// How many cuts from the front have no line break between them.
fn on_one_line(text: &str, cuts: &[Range<usize>]) -> usize {
    let gaps = cuts.iter().zip(cuts.iter().skip(1)).map(|(cut, next)| between(text, cut.end, next.start));
    1 + gaps.take_while(|gap| !has_break(gap)).count()
}

struct Remainder<'a> {
    text: &'a str,
    kept: String,
    /// Up to where the text is settled.
    at: usize,
}

impl Remainder<'_> {
    fn take_line(&mut self, first: usize, cuts: &[Range<usize>]) {
        let before = between(self.text, self.at, first);
        count(before.len());
        let line = before.rfind('\n').map_or(self.at, |newline| self.at + newline + 1);
        let last = cuts.last().map_or(first, |cut| cut.end);
        let after = from(self.text, last);
        let end = after.find('\n').map_or(self.text.len(), |newline| last + newline + 1);
        count(end - last);
        if self.is_bare(line, cuts, end) {
            self.keep_to(line);
            if end == self.text.len() && !between(self.text, last, end).ends_with('\n') {
                self.drop_break();
            }
            self.at = end;
        } else {
            cuts.iter().for_each(|cut| self.take_out(cut));
        }
    }

    /// Whether the line holds nothing but the cuts.
    fn is_bare(&self, line: usize, cuts: &[Range<usize>], end: usize) -> bool {
        let ends = cuts.iter().map(|cut| cut.start).chain([end]);
        let starts = [line].into_iter().chain(cuts.iter().map(|cut| cut.end));
        starts.zip(ends).all(|(start, end)| after_blanks(between(self.text, start, end)).is_empty())
    }

    /// The last line has no break of its own, so the one before it goes.
    fn drop_break(&mut self) {
        if self.kept.ends_with('\n') {
            self.kept.pop();
            if self.kept.ends_with('\r') {
                self.kept.pop();
            }
        }
    }

    fn take_out(&mut self, cut: &Range<usize>) {
        self.keep_to(cut.start);
        self.at = cut.end;
        match from(self.text, cut.end).chars().next().filter(|c| is_blank_of_line(*c)) {
            Some(blank) => self.at += blank.len_utf8(),
            None => {
                if self.kept.ends_with(is_blank_of_line) {
                    self.kept.pop();
                }
            }
        }
    }

    fn keep_to(&mut self, end: usize) {
        self.kept.push_str(between(self.text, self.at, end));
        self.at = end;
    }
}

fn has_break(gap: &str) -> bool {
    count(gap.len());
    gap.contains('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts out every `X`, with its blanks and line breaks as the rules have it.
    fn check(text: &str, expected: &str) {
        let cuts: Vec<_> = text.match_indices('X').map(|(at, x)| at..at + x.len()).collect();
        assert_eq!(cut(text, &cuts), expected, "{text:?}");
    }

    #[test]
    fn a_line_alone_goes_with_its_break() {
        check("X\na", "a");
        check("a\nX\nb", "a\nb");
        check("a\n  X \nb", "a\nb");
        check("a\nX X\nb", "a\nb");
        check("a\nX\nX\nb", "a\nb");
        check("a\r\nX\r\nb", "a\r\nb");
        check("a\n\nX\n\nb", "a\n\n\nb");
        check("X", "");
        check("X\nX", "");
    }

    #[test]
    fn the_last_line_takes_the_break_before_it() {
        check("a\nX", "a");
        check("a\r\nX", "a");
        check("a\nX\nX", "a");
        check("a\nX\n", "a\n");
        check("a\n\nX", "a\n");
    }

    #[test]
    fn inside_a_line_one_blank_goes() {
        check("X a", "a");
        check("a X", "a");
        check("a X b", "a b");
        check("a  X  b", "a   b");
        check("a X, b", "a, b");
        check("a X X b", "a b");
        check("  X a", "  a");
        check("a X\nb", "a\nb");
        check("a X\r\nb", "a\r\nb");
        check("a\u{a0}X\u{a0}b", "a\u{a0}b");
        check("a\tX b", "a\tb");
        check("\u{200f}שלום X\u{200f}", "\u{200f}שלום\u{200f}");
    }
}
