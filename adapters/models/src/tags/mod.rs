//! Think tags out of a model's text, while it streams.
//!
//! What stands between tags is reasoning. Tags in code are text. A piece that may yet become a tag is held back; where a
//! later tag, or the end, shows that earlier pieces were of the other kind, the filter says so with a
//! [`Recast`](ModelEvent::Recast). The result does not depend on how the text is cut into pieces.
//!
//! A lone closer makes what stood before it reasoning as soon as an answer follows. An opener that never closes hides the
//! rest where something is visible before it, save where it reads like a word of its sentence (`the <think> tag is …`);
//! with nothing visible before it, the rest is the answer, because something must be.

mod code;
mod inside;
mod tag;

use pensive_contract::model::{ModelEvent, Recast};
use pensive_contract::speech::Speech;

use code::Code;
use inside::{Closed, Inside, Verdict};
use tag::{Beginning, Tag, beginning};

/// A text that is there as a whole, without what tags in it mark as reasoning.
#[must_use]
pub fn untagged(text: &str) -> String {
    let mut filter = TagFilter::default();
    let mut events = Vec::new();
    filter.push(text.to_owned(), &mut events);
    filter.finish(&mut events);
    let mut speech = Speech::new(None);
    events.iter().for_each(|event| speech.hear(event));
    speech.text()
}

/// Filters the text of one answer.
#[derive(Debug, Default)]
pub struct TagFilter {
    code: Code,
    inside: Option<Inside>,
    /// The beginning of what may become a tag.
    held: String,
    /// Blanks before anything visible.
    lead: String,
    shown: Shown,
    after_tag: AfterTag,
    since: Since,
    calls: Calls,
}

/// What stands in the text of an answer without being text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Between {
    /// Reasoning that came as such.
    Reasoning,
    /// A tool call.
    Call,
    /// The seal of what stood before it.
    Seal,
}

/// What came since the beginning, or since something else than text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Since {
    #[default]
    Nothing,
    Text,
}

/// Whether the answer has tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Calls {
    #[default]
    None,
    Some,
}

/// What follows a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Text,
    Else,
}

/// How the answer given so far ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Shown {
    /// Nothing visible was given.
    #[default]
    Nothing,
    /// With something visible.
    Visible,
    /// With a blank.
    Blank,
}

/// What the last tag means for the text that follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum AfterTag {
    /// Nothing.
    #[default]
    Plain,
    /// Its leading blanks belonged to the tag.
    DropBlanks,
    /// The same, and once something visible comes, all that was shown before was reasoning.
    Recast,
}

impl TagFilter {
    /// Takes a piece of text, gives events.
    pub fn push(&mut self, piece: String, out: &mut Vec<ModelEvent>) {
        if !piece.is_empty() {
            self.since = Since::Text;
        }
        let text = if self.held.is_empty() { piece } else { std::mem::take(&mut self.held) + &piece };
        self.scan(text, Next::Text, out);
    }

    /// Something that is no text comes here: gives what stands before it, as far as that is decided. Reasoning that was
    /// opened stays open, and what stood before a lone closer is reasoning: a call follows it like an answer.
    pub(crate) fn between(&mut self, what: Between, out: &mut Vec<ModelEvent>) {
        if !self.held.is_empty() {
            let held = std::mem::take(&mut self.held);
            self.scan(held, Next::Else, out);
        }
        match what {
            Between::Reasoning => {}
            Between::Call => {
                self.lead.clear();
                if self.after_tag == AfterTag::Recast {
                    out.push(ModelEvent::Recast(Recast::TextWasReasoning));
                    self.shown = Shown::Nothing;
                    self.after_tag = AfterTag::DropBlanks;
                }
                self.calls = Calls::Some;
            }
            Between::Seal if self.since == Since::Text && !self.lead.is_empty() => {
                out.push(ModelEvent::Text(std::mem::take(&mut self.lead)));
            }
            Between::Seal => {}
        }
        self.since = Since::Nothing;
    }

    fn scan(&mut self, text: String, next: Next, out: &mut Vec<ModelEvent>) {
        let (mut given, mut at) = (0, 0);
        while let Some(angle) = self.next_angle(text.as_bytes(), at) {
            let rest = text.as_bytes().get(angle..).unwrap_or_default();
            match beginning(rest) {
                Beginning::Tag(tag, length) if self.heeds(tag) => {
                    self.give(slice(&text, given, angle).to_owned(), out);
                    self.tag(tag, slice(&text, angle, angle + length), out);
                    at = angle + length;
                    given = at;
                }
                Beginning::Perhaps if next == Next::Text => {
                    self.give(slice(&text, given, angle).to_owned(), out);
                    self.held = slice(&text, angle, text.len()).to_owned();
                    return;
                }
                Beginning::Tag(..) | Beginning::Perhaps | Beginning::Text => {
                    self.code.skip_angle();
                    at = angle + 1;
                }
            }
        }
        let rest = if given == 0 { text } else { slice(&text, given, text.len()).to_owned() };
        self.give(rest, out);
    }

    /// The text is over: gives what was held back. Beside a tool call, open reasoning is no answer.
    pub fn finish(&mut self, out: &mut Vec<ModelEvent>) {
        if self.calls == Calls::Some {
            return self.cut(out);
        }
        let held = std::mem::take(&mut self.held);
        self.give(held, out);
        let Some(inside) = self.inside.take() else { return };
        match inside.end() {
            Verdict::Word(text) => self.answer(text, out),
            Verdict::Answer(text) => {
                self.drop_blanks();
                self.answer(text, out);
            }
            Verdict::Reasoning(text) if self.shown == Shown::Nothing && !text.trim().is_empty() => {
                out.push(ModelEvent::Recast(Recast::ReasoningWasText));
                self.answer(text, out);
            }
            Verdict::Reasoning(_) => {}
        }
    }

    /// The text broke off: gives what was held back, and leaves open reasoning what it is.
    pub fn cut(&mut self, out: &mut Vec<ModelEvent>) {
        let held = std::mem::take(&mut self.held);
        self.give(held, out);
        match self.inside.take().map(Inside::end) {
            Some(Verdict::Word(text)) => self.answer(text, out),
            Some(Verdict::Answer(text)) => out.push(ModelEvent::Reasoning(text)),
            Some(Verdict::Reasoning(_)) | None => {}
        }
    }

    fn next_angle(&mut self, text: &[u8], at: usize) -> Option<usize> {
        match &mut self.inside {
            Some(inside) => inside.next_angle(text, at),
            None => self.code.next_angle(text, at),
        }
    }

    /// Inside reasoning, only what opens and closes reasoning is a tag.
    fn heeds(&self, tag: Tag) -> bool {
        self.inside.is_none() || matches!(tag, Tag::Open | Tag::Close)
    }

    fn tag(&mut self, tag: Tag, written: &str, out: &mut Vec<ModelEvent>) {
        match (tag, &mut self.inside) {
            (Tag::Open, Some(inside)) => inside.open(),
            (Tag::Close, Some(inside)) => {
                if inside.close(out) == Closed::Outermost {
                    self.inside = None;
                    self.drop_blanks();
                }
            }
            (Tag::Open, None) => {
                self.lead.clear();
                self.inside = Some(match self.shown {
                    Shown::Nothing => Inside::opening(),
                    Shown::Visible | Shown::Blank if self.code.at_line_start() => Inside::between_lines(),
                    Shown::Visible | Shown::Blank => Inside::in_sentence(written),
                });
            }
            (Tag::Close, None) if self.shown != Shown::Nothing => self.after_tag = AfterTag::Recast,
            (Tag::Close, None) | (Tag::Empty | Tag::Final, _) => self.drop_blanks(),
        }
    }

    fn drop_blanks(&mut self) {
        if self.after_tag == AfterTag::Plain && self.shown != Shown::Visible {
            self.lead.clear();
            self.after_tag = AfterTag::DropBlanks;
        }
    }

    fn give(&mut self, text: String, out: &mut Vec<ModelEvent>) {
        match &mut self.inside {
            Some(inside) => inside.give(text, out),
            None => self.answer(text, out),
        }
    }

    fn answer(&mut self, mut text: String, out: &mut Vec<ModelEvent>) {
        let is_blank = text.trim_start().is_empty();
        if is_blank && (text.is_empty() || self.after_tag != AfterTag::Plain) {
            return;
        }
        if is_blank && self.shown == Shown::Nothing {
            self.lead.push_str(&text);
            return;
        }
        if self.after_tag != AfterTag::Plain {
            text.drain(..text.len() - text.trim_start().len());
        } else if !self.lead.is_empty() {
            text.insert_str(0, &std::mem::take(&mut self.lead));
        }
        if std::mem::take(&mut self.after_tag) == AfterTag::Recast {
            out.push(ModelEvent::Recast(Recast::TextWasReasoning));
        }
        let ends_blank = text.ends_with(char::is_whitespace);
        self.shown = if ends_blank { Shown::Blank } else { Shown::Visible };
        out.push(ModelEvent::Text(text));
    }
}

/// A part of the text between two places where ASCII characters begin.
fn slice(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

#[cfg(test)]
mod tests;
