//! A table as aligned lines of fixed width, for messages that know no tables.

use std::iter::repeat_n;

use pulldown_cmark::Alignment;
use unicode_width::UnicodeWidthStr;

/// Cells wider than this hang over instead of widening their column for every row.
const WIDEST: usize = 60;
const BETWEEN: &str = " | ";

/// A table while its cells are being read.
#[derive(Debug, Default)]
pub(crate) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows; the columns are known by their alignments.
    pub(crate) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    /// Begins a row; the first is the head.
    pub(crate) fn row(&mut self) {
        self.rows.push(Vec::new());
    }

    /// Begins a cell of the current row.
    pub(crate) fn cell(&mut self) {
        if let Some(row) = self.rows.last_mut() {
            row.push(String::new());
        }
    }

    /// Adds to the current cell.
    pub(crate) fn push(&mut self, text: &str) {
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
            cell.push_str(text);
        }
    }

    /// Whether the current cell ends with `text`.
    pub(crate) fn ends_with(&self, text: &str) -> bool {
        self.rows.last().and_then(|row| row.last()).is_some_and(|cell| cell.ends_with(text))
    }

    /// The table as lines: the head, a rule, the rows.
    pub(crate) fn lines(&self) -> String {
        let widths = self.widths();
        let mut out = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            self.line(row, &widths, &mut out);
            if index == 0 {
                out.push('\n');
                rule(&widths, &mut out);
            }
        }
        out
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![1; self.alignments.len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width().min(WIDEST));
            }
        }
        widths
    }

    fn line(&self, row: &[String], widths: &[usize], out: &mut String) {
        let columns = row.iter().zip(widths).zip(&self.alignments);
        for (index, ((cell, width), alignment)) in columns.enumerate() {
            if index > 0 {
                out.push_str(BETWEEN);
            }
            let free = width.saturating_sub(cell.width());
            let left = match alignment {
                Alignment::None | Alignment::Left => 0,
                Alignment::Center => free / 2,
                Alignment::Right => free,
            };
            out.extend(repeat_n(' ', left));
            out.push_str(cell);
            out.extend(repeat_n(' ', free - left));
        }
        out.truncate(out.trim_end_matches(' ').len());
    }
}

fn rule(widths: &[usize], out: &mut String) {
    for (index, width) in widths.iter().enumerate() {
        if index > 0 {
            out.push_str("-+-");
        }
        out.extend(repeat_n('-', *width));
    }
}
