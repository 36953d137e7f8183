//! What stands on the screen above the place where the cursor waits, so that it can go on where it stopped: the row that an
//! answer is being written in, and below it the newest rows of what the model thinks, which vanish again.
//!
//! Everything that is written ends with a line break. A row goes on by going up one line and writing it again, so that no
//! column has to be known; nothing else is ever written twice.

use std::collections::VecDeque;

use unicode_width::UnicodeWidthChar;

use super::screen::{Ink, dimmed};

/// The most rows of reasoning at a time; older ones give way.
const THOUGHTS: usize = 8;
/// Columns that stay free behind reasoning, as terminals differ over how wide some signs are.
const MARGIN: usize = 4;
const TAB: usize = 8;
const TO_END: &str = "\x1b[J";

/// How large the screen is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// The end of what is on the screen. What its methods give is to be written at once and in order.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    /// The row that goes on; empty where the next word begins a new one.
    row: String,
    column: usize,
    thoughts: VecDeque<String>,
    /// How many rows of them are on the screen.
    drawn: usize,
}

impl Canvas {
    /// Goes on with the answer. Reasoning gives way to it.
    pub(super) fn grow(&mut self, more: &str, size: Size) -> String {
        let mut out = self.erase();
        if !self.row.is_empty() {
            out.push_str(&format!("\x1b[1A\r{}{TO_END}", self.row));
        }
        out.push_str(more);
        for c in more.chars() {
            self.pass(c, size.columns);
        }
        if !self.row.is_empty() {
            out.push('\n');
        }
        out
    }

    /// Shows more of what the model thinks.
    pub(super) fn think(&mut self, more: &str, size: Size, ink: Ink) -> String {
        let mut out = self.erase();
        let most = size.columns.saturating_sub(MARGIN).max(MARGIN);
        for c in more.chars() {
            match self.thoughts.back_mut() {
                _ if c == '\n' => self.thoughts.push_back(String::new()),
                Some(row) if width_of(row) + width(c) <= most => row.push(c),
                Some(_) | None => self.thoughts.push_back(c.to_string()),
            }
        }
        let most = THOUGHTS.min(size.rows / 2).max(1);
        while self.thoughts.len() > most {
            self.thoughts.pop_front();
        }
        for row in &self.thoughts {
            out.push_str(&dimmed(&format!("│ {row}"), ink));
        }
        self.drawn = self.thoughts.len();
        out
    }

    /// What was thought so far does not go on.
    pub(super) fn think_anew(&mut self) -> String {
        self.thoughts.clear();
        self.erase()
    }

    /// What comes next begins a row of its own.
    pub(super) fn end(&mut self) -> String {
        self.row.clear();
        self.column = 0;
        self.erase()
    }

    /// Somebody else has written below: nothing that stands can be changed any more.
    pub(super) fn leave(&mut self) {
        self.row.clear();
        self.column = 0;
        self.drawn = 0;
    }

    fn erase(&mut self) -> String {
        match std::mem::take(&mut self.drawn) {
            0 => String::new(),
            rows => format!("\x1b[{rows}A\r{TO_END}"),
        }
    }

    /// Follows the terminal, which begins a new row where a sign has no room.
    fn pass(&mut self, c: char, columns: usize) {
        if c == '\n' {
            self.row.clear();
            self.column = 0;
            return;
        }
        let wide = if c == '\t' { TAB - self.column % TAB } else { width(c) };
        if self.column + wide > columns && c != '\t' {
            self.row.clear();
            self.column = 0;
        }
        self.row.push(c);
        self.column = (self.column + wide).min(columns.max(wide));
    }
}

fn width(c: char) -> usize {
    c.width().unwrap_or(0)
}

fn width_of(row: &str) -> usize {
    row.chars().map(width).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::client::glass::Glass;

    const SIZE: Size = Size { columns: 10, rows: 24 };

    #[test]
    fn an_answer_goes_on_in_its_row() {
        let mut canvas = Canvas::default();
        assert_eq!(canvas.grow("Bec", SIZE), "Bec\n");
        assert_eq!(canvas.grow("ause", SIZE), "\x1b[1A\rBec\x1b[Jause\n");
        assert_eq!(canvas.grow(".\n", SIZE), "\x1b[1A\rBecause\x1b[J.\n");
        assert_eq!(canvas.grow("Yes", SIZE), "Yes\n");
        assert_eq!(canvas.end(), "");
        assert_eq!(canvas.grow("No", SIZE), "No\n");
    }

    #[test]
    fn thoughts_vanish_where_the_answer_begins() {
        let mut canvas = Canvas::default();
        assert_eq!(canvas.think("hm\nso", SIZE, Ink::None), "│ hm\n│ so\n");
        assert_eq!(canvas.think(" it is", SIZE, Ink::None), "\x1b[2A\r\x1b[J│ hm\n│ so it \n│ is\n");
        assert_eq!(canvas.grow("Yes", SIZE), "\x1b[3A\r\x1b[JYes\n");
        canvas.leave();
        assert_eq!(canvas.end(), "");
    }

    proptest! {
        #[test]
        fn the_screen_holds_the_answer_and_no_thought(
            pieces in proptest::collection::vec(("[a-z 你\n]{0,25}", "[a-z\n]{0,40}"), 0..8),
        ) {
            let (mut canvas, mut glass, mut answer) = (Canvas::default(), Glass::new(SIZE.columns), String::new());
            for (text, thought) in pieces {
                glass.write(&canvas.think(&thought, SIZE, Ink::Dim));
                glass.write(&canvas.grow(&text, SIZE));
                answer.push_str(&text);
            }
            let mut expected = Glass::new(SIZE.columns);
            expected.write(&answer);
            prop_assert_eq!(glass.text(), expected.text());
        }
    }
}
