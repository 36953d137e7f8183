//! A screen for tests: obeys the few commands that the client gives a terminal, and tells what a person sees.

use std::str::Chars;

use unicode_width::UnicodeWidthChar;

#[derive(Debug)]
pub(super) struct Glass {
    columns: usize,
    /// Each column's sign with what belongs to it; empty behind a wide one.
    rows: Vec<Vec<String>>,
    row: usize,
    column: usize,
}

impl Glass {
    pub(super) fn new(columns: usize) -> Self {
        Self { columns, rows: vec![Vec::new()], row: 0, column: 0 }
    }

    pub(super) fn write(&mut self, text: &str) {
        let mut signs = text.chars();
        while let Some(c) = signs.next() {
            match c {
                '\x1b' => {
                    assert_eq!(signs.next(), Some('['));
                    self.obey(&mut signs);
                }
                '\r' => self.column = 0,
                '\n' => self.go_down(),
                c => self.put(c),
            }
        }
    }

    /// What is to be seen, without blank ends.
    pub(super) fn text(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(|row| row.concat()).collect();
        rows.join("\n").trim_end().to_owned()
    }

    fn obey(&mut self, signs: &mut Chars<'_>) {
        let mut number = String::new();
        let command = loop {
            match signs.next().unwrap() {
                c if c.is_ascii_digit() => number.push(c),
                c => break c,
            }
        };
        match command {
            'A' => self.row = self.row.checked_sub(number.parse().unwrap()).unwrap(),
            'J' => {
                self.rows.truncate(self.row + 1);
                self.rows[self.row].truncate(self.column);
            }
            'm' => {}
            other => panic!("a command that nobody gives: {other}"),
        }
    }

    fn put(&mut self, c: char) {
        let width = c.width().unwrap();
        if self.column + width > self.columns {
            self.go_down();
        }
        let row = &mut self.rows[self.row];
        if width == 0 {
            return row[self.column - 1].push(c);
        }
        row.resize(row.len().max(self.column + width), String::new());
        row[self.column] = c.into();
        self.column += width;
    }

    fn go_down(&mut self) {
        self.row += 1;
        self.column = 0;
        if self.row == self.rows.len() {
            self.rows.push(Vec::new());
        }
    }
}
