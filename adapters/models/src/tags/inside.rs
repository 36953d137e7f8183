//! A stretch of reasoning between tags, and what becomes of it when its closer never comes.

use memchr::memchr3;
use pensive_contract::model::ModelEvent;

/// A stretch that has begun.
#[derive(Debug)]
pub(super) struct Inside {
    /// Openers that wait for their closers.
    depth: usize,
    /// The opener, while it may be a word of a sentence.
    word: Option<String>,
    /// What may yet turn out to be answer.
    kept: String,
    keeping: Keeping,
    /// Whether the line so far has an odd number of backtick runs, and so its next tag is code.
    in_ticks: bool,
    /// The last piece ended with a backtick; more of them belong to the same run.
    after_tick: bool,
}

/// What is done with reasoning as it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeping {
    /// It is given.
    Given,
    /// It is given, and also kept for a reply that has nothing else.
    Both,
    /// It waits, because a closer came that was not the outermost or the opener may be a word.
    Held,
}

/// What a closer closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closed {
    Outermost,
    Inner,
}

/// What a stretch without end was.
#[derive(Debug)]
pub(super) enum Verdict {
    /// Its opener was a word of the answer, and this goes on with that word.
    Word(String),
    /// The part after its last closer was the answer.
    Answer(String),
    /// Reasoning, given already where it is not empty.
    Reasoning(String),
}

impl Inside {
    /// Begins where nothing is visible yet.
    pub(super) fn opening() -> Self {
        Self::new(Keeping::Both, None)
    }

    /// Begins on a line of its own.
    pub(super) fn between_lines() -> Self {
        Self::new(Keeping::Given, None)
    }

    /// Begins in the middle of a line.
    pub(super) fn in_sentence(opener: &str) -> Self {
        Self::new(Keeping::Held, Some(opener.to_owned()))
    }

    fn new(keeping: Keeping, word: Option<String>) -> Self {
        Self { depth: 1, word, kept: String::new(), keeping, in_ticks: false, after_tick: false }
    }

    /// Goes on to the next `<` that is not in code. Only single lines are looked at: a closer that the model put on a
    /// line of its own counts, whatever stands open around it.
    pub(super) fn next_angle(&mut self, text: &[u8], mut at: usize) -> Option<usize> {
        let mut same_run = std::mem::take(&mut self.after_tick) && at == 0;
        loop {
            let rest = text.get(at..)?;
            let found = memchr3(b'<', b'`', b'\n', rest)?;
            at += found;
            match rest.get(found) {
                Some(b'`') => {
                    let run = rest.iter().skip(found).take_while(|byte| **byte == b'`').count();
                    if !(same_run && found == 0) {
                        self.in_ticks = !self.in_ticks;
                    }
                    at += run;
                    self.after_tick = at == text.len();
                }
                Some(b'\n') => {
                    self.in_ticks = false;
                    at += 1;
                }
                Some(_) if !self.in_ticks => return Some(at),
                Some(_) | None => at += 1,
            }
            same_run = false;
        }
    }

    /// Takes text.
    pub(super) fn give(&mut self, text: String, out: &mut Vec<ModelEvent>) {
        if let (Some(first), true, true) = (text.chars().next(), self.word.is_some(), self.kept.is_empty())
            && !follows_a_word(first)
        {
            self.word = None;
            self.keeping = Keeping::Given;
        }
        if self.keeping != Keeping::Given {
            self.kept.push_str(&text);
        }
        if self.keeping != Keeping::Held && !text.is_empty() {
            out.push(ModelEvent::Reasoning(text));
        }
    }

    /// Another opener.
    pub(super) fn open(&mut self) {
        self.depth += 1;
    }

    /// A closer. What follows one that is not the outermost waits: models speak of tags while they reason, and then the
    /// outermost opener never gets its closer.
    pub(super) fn close(&mut self, out: &mut Vec<ModelEvent>) -> Closed {
        let kept = std::mem::take(&mut self.kept);
        if self.keeping == Keeping::Held && !kept.is_empty() {
            out.push(ModelEvent::Reasoning(kept));
        }
        self.word = None;
        self.keeping = Keeping::Held;
        self.depth -= 1;
        if self.depth == 0 { Closed::Outermost } else { Closed::Inner }
    }

    /// The text is over, and this is still open.
    pub(super) fn end(self) -> Verdict {
        match (self.word, self.keeping) {
            (Some(opener), _) => Verdict::Word(opener + &self.kept),
            (None, Keeping::Held) => Verdict::Answer(self.kept),
            (None, Keeping::Given | Keeping::Both) => Verdict::Reasoning(self.kept),
        }
    }
}

/// Whether a sentence goes on like this after one of its words.
fn follows_a_word(c: char) -> bool {
    c == ' '
        || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '"' | '\'' | '’' | '”' | '*' | '_')
}
