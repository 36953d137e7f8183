//! From a typed message to what it asks and what is left of it.

use std::ops::Range;

use crate::{Ask, CommandCall, ModelEntry, Scope};

/// What one person typed in one message: no quotation, no history, no envelope.
#[derive(Debug, Clone, Copy, Default)]
pub struct Typed<'a> {
    /// The words.
    pub text: &'a str,
    /// Byte ranges that the platform marks as code, preformatted text or quotation. A range that lies wrong protects
    /// what it covers and does no other harm.
    pub code: &'a [Range<usize>],
    /// Byte ranges that mention our bot.
    pub mentions: &'a [Range<usize>],
    /// Our name on the platform, without the `@`.
    pub bot_name: Option<&'a str>,
    /// The models that may be picked by name, alias or number. Where none are given, only `provider/model` is a name.
    pub models: &'a [ModelEntry],
}

/// Whom a command at the start of the message names: `/think@Name`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Addressee {
    /// Nobody in particular.
    Nobody,
    /// Our bot, which counts as a mention.
    Us,
    /// Another bot: the message is not for us, and nothing in it is read.
    Another,
}

/// What kind of message it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Nothing was found; the text is as it came.
    Plain,
    /// Directives and commands and nothing else: no run.
    DirectiveOnly,
    /// Something was found and taken out of a text that goes on.
    Mixed,
}

/// A message, read once. Everything after sees only this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// Whom it names.
    pub addressee: Addressee,
    /// What kind it is.
    pub shape: Shape,
    /// The text without what was found; empty for [`Shape::DirectiveOnly`].
    pub text: String,
    /// One wish per family, in the order in which families are answered. The last value typed wins.
    pub asks: Vec<Ask>,
    /// The commands, in the order in which they were typed.
    pub commands: Vec<CommandCall>,
    /// Whom the changes are for.
    pub scope: Scope,
}

/// Reads a message. Takes time in proportion to its length, whatever it holds, and never panics.
pub fn parse(typed: &Typed<'_>) -> Parsed {
    plain(typed.text, Addressee::Nobody)
}

fn plain(text: &str, addressee: Addressee) -> Parsed {
    Parsed {
        addressee,
        shape: Shape::Plain,
        text: text.to_owned(),
        asks: Vec::new(),
        commands: Vec::new(),
        scope: Scope::Sender,
    }
}
