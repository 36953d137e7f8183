//! The words of a shell script as far as it takes to say what it does: quoting, pipes, lists, redirections and here
//! documents. Never fails: what is broken is read as well as it goes.

use std::iter::Peekable;
use std::str::Chars;

/// One command of a script.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Step {
    /// How it follows the one before.
    pub(super) joint: Joint,
    /// The program and what it is given, unquoted.
    pub(super) words: Vec<String>,
    /// The file that its output goes into.
    pub(super) into: Option<String>,
}

/// How a command follows the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Joint {
    /// It reads what the one before writes.
    Pipe,
    /// It comes after it.
    #[default]
    Then,
    /// It comes after it where that failed.
    Else,
}

/// The commands of a script, in order.
pub(super) fn steps(script: &str) -> Vec<Step> {
    let mut reader = Reader {
        chars: script.chars().peekable(),
        steps: Vec::new(),
        step: Step::default(),
        word: None,
        awaits: Awaits::Word,
        documents: Vec::new(),
    };
    reader.read();
    reader.steps
}

/// What the next word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaits {
    Word,
    /// The file that output goes into.
    Into,
    /// A file or text that does not matter.
    Nothing,
    /// The line that ends a here document.
    Delimiter,
}

struct Reader<'a> {
    chars: Peekable<Chars<'a>>,
    steps: Vec<Step>,
    step: Step,
    /// The word that is being read; an empty one was quoted.
    word: Option<String>,
    awaits: Awaits,
    /// The ends of the here documents that begin on the next line.
    documents: Vec<String>,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(c) = self.chars.next() {
            match c {
                '\'' => self.single(),
                '"' => self.double(),
                '\\' => self.escape(),
                '`' => self.copy_to('`', "`"),
                '$' => self.dollar(),
                '#' if self.word.is_none() => self.comment(),
                '\n' => self.line_end(),
                c if c.is_whitespace() => self.end_word(),
                '|' if self.eat('|') => self.end_step(Joint::Else),
                '|' => {
                    self.eat('&');
                    self.end_step(Joint::Pipe);
                }
                '&' if self.eat('&') => self.end_step(Joint::Then),
                '&' if self.eat('>') => {
                    self.eat('>');
                    self.end_word();
                    self.awaits = Awaits::Into;
                }
                '&' | ';' | '(' | ')' => self.end_step(Joint::Then),
                '>' => self.output(),
                '<' => self.input(),
                c => self.push(c),
            }
        }
        self.end_step(Joint::Then);
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn eat(&mut self, expected: char) -> bool {
        self.chars.next_if_eq(&expected).is_some()
    }

    fn single(&mut self) {
        let word = self.word.get_or_insert_default();
        word.extend(self.chars.by_ref().take_while(|c| *c != '\''));
    }

    fn double(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.chars.next() {
            match c {
                '"' => return,
                '\\' => match self.chars.next_if(|c| matches!(c, '"' | '\\' | '$' | '`' | '\n')) {
                    Some('\n') => {}
                    Some(c) => self.push(c),
                    None => self.push('\\'),
                },
                '$' => self.dollar(),
                c => self.push(c),
            }
        }
    }

    fn escape(&mut self) {
        match self.chars.next() {
            Some('\n') | None => {}
            Some(c) => self.push(c),
        }
    }

    /// What is worked out when the script runs is shown as it stands.
    fn dollar(&mut self) {
        self.push('$');
        if self.eat('(') {
            self.push('(');
            self.nested();
        } else if self.eat('{') {
            self.copy_to('}', "{");
        }
    }

    /// Up to the parenthesis that closes the open one.
    fn nested(&mut self) {
        let mut depth = 1_u32;
        while depth > 0 {
            let Some(c) = self.chars.next() else { return };
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            self.push(c);
        }
    }

    fn copy_to(&mut self, end: char, opening: &str) {
        let word = self.word.get_or_insert_default();
        word.push_str(opening);
        word.extend(self.chars.by_ref().take_while(|c| *c != end));
        word.push(end);
    }

    fn comment(&mut self) {
        while self.chars.next_if(|c| *c != '\n').is_some() {}
    }

    fn output(&mut self) {
        let stream = self.descriptor();
        self.eat('>');
        self.eat('|');
        let to_stream = self.eat('&');
        let is_result = stream.is_none_or(|number| number == "1");
        self.awaits = if is_result && !to_stream { Awaits::Into } else { Awaits::Nothing };
    }

    fn input(&mut self) {
        if self.eat('(') {
            self.word.get_or_insert_default().push_str("<(");
            self.nested();
            return;
        }
        self.descriptor();
        self.awaits = if !self.eat('<') {
            Awaits::Word
        } else if self.eat('<') {
            Awaits::Nothing
        } else {
            self.eat('-');
            Awaits::Delimiter
        };
    }

    /// The number right before a redirection is no word.
    fn descriptor(&mut self) -> Option<String> {
        let is_number = |word: &String| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let number = self.word.take_if(|word| is_number(word));
        self.end_word();
        number
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match std::mem::replace(&mut self.awaits, Awaits::Word) {
            Awaits::Word => self.step.words.push(word),
            Awaits::Into if word != "/dev/null" => self.step.into = Some(word),
            Awaits::Into | Awaits::Nothing => {}
            Awaits::Delimiter => self.documents.push(word),
        }
    }

    fn end_step(&mut self, next: Joint) {
        self.end_word();
        if self.step.words.is_empty() && self.step.into.is_none() {
            // A line may be broken behind a pipe.
            if next != Joint::Then {
                self.step.joint = next;
            }
            return;
        }
        let following = Step { joint: next, ..Step::default() };
        self.steps.push(std::mem::replace(&mut self.step, following));
    }

    fn line_end(&mut self) {
        self.end_step(Joint::Then);
        for delimiter in std::mem::take(&mut self.documents) {
            self.skip_document(&delimiter);
        }
    }

    fn skip_document(&mut self, delimiter: &str) {
        while self.chars.peek().is_some() {
            let line: String = self.chars.by_ref().take_while(|c| *c != '\n').collect();
            if line.trim() == delimiter {
                return;
            }
        }
    }
}
