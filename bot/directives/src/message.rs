//! A message as the parser sees it: the text with what is protected in it, and what in it does not count as said.

use std::ops::Range;

use crate::code::Protected;
use crate::words::{self, count, from, is_over, is_stop};
use crate::{Addressee, Typed};

pub(crate) struct Message<'a> {
    pub(crate) typed: &'a Typed<'a>,
    pub(crate) protected: Protected,
    /// Where mentions of our bot begin and end, in order.
    mentions: Vec<Range<usize>>,
    /// Where the text begins when blanks and mentions are set aside.
    pub(crate) opening: usize,
}

impl<'a> Message<'a> {
    pub(crate) fn new(typed: &'a Typed<'a>) -> Self {
        let is_sound = |range: &&Range<usize>| range.start < range.end && range.end <= typed.text.len();
        let mut mentions: Vec<_> = typed.mentions.iter().filter(is_sound).cloned().collect();
        mentions.sort_unstable_by_key(|range| range.start);
        let protected = Protected::of(typed.text, typed.code);
        let mut message = Self { typed, protected, mentions, opening: 0 };
        message.opening = message.after_filler(0, Stops::Said);
        message
    }

    pub(crate) fn text(&self) -> &'a str {
        self.typed.text
    }

    /// Where a rest of the text begins.
    pub(crate) fn place(&self, rest: &str) -> usize {
        self.text().len() - rest.len()
    }

    /// The first byte from `at` on that says something: no blank, no mention of us, and no stop behind either.
    pub(crate) fn after_filler(&self, at: usize, mut stops: Stops) -> usize {
        let start = at;
        let mut at = at;
        loop {
            if let Some(mention) = self.mention_at(at) {
                at = mention.end;
                stops = Stops::Filler;
                continue;
            }
            match from(self.text(), at).chars().next() {
                Some(c) if c.is_whitespace() || (stops == Stops::Filler && is_stop(c)) => at += c.len_utf8(),
                Some(_) | None => break,
            }
        }
        count(at - start);
        at
    }

    /// Whether nothing is said between two places.
    pub(crate) fn is_filler(&self, part: Range<usize>, stops: Stops) -> bool {
        self.after_filler(part.start, stops) >= part.end
    }

    /// The mention that begins at a byte.
    pub(crate) fn mention_at(&self, at: usize) -> Option<&Range<usize>> {
        let place = self.mentions.partition_point(|range| range.start < at);
        self.mentions.get(place).filter(|range| range.start == at)
    }

    /// Whom the command at the opening names.
    pub(crate) fn addressee(&self) -> Addressee {
        let Some(ours) = self.typed.bot_name else { return Addressee::Nobody };
        if self.protected.touches(self.opening..self.opening + 1) {
            return Addressee::Nobody;
        }
        match named(from(self.text(), self.opening)) {
            Some(name) if name.eq_ignore_ascii_case(ours) => Addressee::Us,
            Some(_) => Addressee::Another,
            None => Addressee::Nobody,
        }
    }
}

/// What a stop between two directives is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stops {
    /// Part of the text.
    Said,
    /// The end of a directive or a mention, and nothing else.
    Filler,
}

/// The name in `/command@name`.
fn named(text: &str) -> Option<&str> {
    let command = words::name(text.strip_prefix('/')?);
    let name = words::name(command.rest.strip_prefix('@')?);
    let is_whole = is_over(name.rest) || words::after_colon(name.rest).is_some();
    (is_whole && !command.word.is_empty() && !name.word.is_empty()).then_some(name.word)
}
