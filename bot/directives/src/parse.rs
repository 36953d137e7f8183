//! From a typed message to what it asks and what is left of it.

use std::ops::Range;

use crate::cut::cut;
use crate::message::{Message, Stops};
use crate::scan::{Found, Hit, scan};
use crate::vocabulary::{Vocabulary, nearest};
use crate::words::{between, from, word};
use crate::{Ask, CommandCall, CommandName, ModelEntry, ModelWant, Queue, QueueMode, Scope, Want};

/// How many characters of an unknown word are kept.
const LONGEST_WORD: usize = 128;

/// What one person typed in one message: no quotation, no history, no envelope.
#[derive(Debug, Clone, Copy, Default)]
pub struct Typed<'a> {
    /// The words.
    pub text: &'a str,
    /// Byte ranges that the platform marks as code, preformatted text or quotation. A range that lies wrong protects
    /// what it covers and does no other harm.
    pub code: &'a [Range<usize>],
    /// Byte ranges that mention our bot. A range that lies wrong is passed over.
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
    let message = Message::new(typed);
    let addressee = message.addressee();
    if addressee == Addressee::Another {
        return plain(typed.text, addressee);
    }
    let mut reading = Reading::default();
    if asks_to_stop(&message) {
        reading.call(CommandName::Stop, None);
        return reading.finish(addressee, Shape::DirectiveOnly, String::new());
    }
    let hits = scan(&message);
    let (shape, hits) = counting(&message, hits);
    for hit in &hits {
        reading.take(&message, hit, shape);
    }
    let text = match shape {
        Shape::Plain => typed.text.to_owned(),
        Shape::DirectiveOnly => String::new(),
        Shape::Mixed => cut(typed.text, &hits.into_iter().map(|hit| hit.cut).collect::<Vec<_>>()),
    };
    reading.finish(addressee, shape, text)
}

/// Whether the message is nothing but `stop` or a word like it.
fn asks_to_stop(message: &Message<'_>) -> bool {
    let word = word(from(message.text(), message.opening)).word;
    let range = message.opening..message.opening + word.len();
    ["stop", "abort", "cancel"].iter().any(|stop| stop.eq_ignore_ascii_case(word))
        && !message.protected.touches(range.clone())
        && message.is_filler(range.end..message.text().len(), Stops::Filler)
}

/// Which hits count, and what that makes of the message.
fn counting(message: &Message<'_>, hits: Vec<Hit>) -> (Shape, Vec<Hit>) {
    if is_only(message, &hits) {
        return (Shape::DirectiveOnly, hits);
    }
    let counts = |hit: &Hit| match hit.found {
        Found::Valued(_) | Found::Anywhere(_) => true,
        Found::Bare(..) => hit.cut.start == message.opening,
        Found::Alone(..) => false,
    };
    let counting: Vec<_> = hits.into_iter().filter(counts).collect();
    (if counting.is_empty() { Shape::Plain } else { Shape::Mixed }, counting)
}

/// Whether nothing is said beside the hits and the words that they may take.
fn is_only(message: &Message<'_>, hits: &[Hit]) -> bool {
    let Some(first) = hits.first() else { return false };
    let ends = hits.iter().map(|hit| match &hit.found {
        Found::Bare(_, Some(word)) | Found::Alone(_, Some(word)) => word.end,
        Found::Bare(_, None) | Found::Alone(_, None) | Found::Valued(_) | Found::Anywhere(_) => hit.cut.end,
    });
    let nexts = hits.iter().skip(1).map(|hit| hit.cut.start).chain([message.text().len()]);
    first.cut.start == message.opening
        && ends.zip(nexts).all(|(end, next)| message.is_filler(end..next, Stops::Filler))
}

/// What has been read so far.
#[derive(Default)]
struct Reading {
    asks: Vec<Ask>,
    commands: Vec<CommandCall>,
    scope: Scope,
}

impl Reading {
    fn take(&mut self, message: &Message<'_>, hit: &Hit, shape: Shape) {
        if hit.scope == Scope::Chat {
            self.scope = Scope::Chat;
        }
        let said = |range: &Option<Range<usize>>| {
            range.as_ref().map(|range| between(message.text(), range.start, range.end))
        };
        match &hit.found {
            Found::Valued(ask) => self.ask(ask.clone()),
            Found::Bare(family, word) => {
                if let Some(ask) = without_value(*family, said(word), shape) {
                    self.ask(ask);
                }
            }
            Found::Anywhere(name) => self.call(*name, None),
            Found::Alone(name, word) => self.call(*name, said(word).map(shortened)),
        }
    }

    /// The last wish of a family wins, but to ask what holds is not to take a wish back.
    fn ask(&mut self, ask: Ask) {
        match self.asks.binary_search_by_key(&ask.command(), Ask::command) {
            Ok(place) => {
                if let Some(earlier) = self.asks.get_mut(place).filter(|_| !ask.shows()) {
                    *earlier = ask;
                }
            }
            Err(place) => self.asks.insert(place, ask),
        }
    }

    /// A command is answered once, however often it is typed.
    fn call(&mut self, name: CommandName, argument: Option<String>) {
        if self.commands.iter().all(|call| call.name != name) {
            self.commands.push(CommandCall { name, argument });
        }
    }

    fn finish(self, addressee: Addressee, shape: Shape, text: String) -> Parsed {
        let Self { asks, commands, scope } = self;
        Parsed { addressee, shape, text, asks, commands, scope }
    }
}

/// What a directive without a known value asks. The word behind it is a mistake where nothing else is said, and else
/// the beginning of the prompt.
fn without_value(family: CommandName, word: Option<&str>, shape: Shape) -> Option<Ask> {
    match family {
        CommandName::Think => Some(Ask::Think(want(word, shape))),
        CommandName::Fast => Some(Ask::Fast(want(word, shape))),
        CommandName::Verbose => Some(Ask::Verbose(want(word, shape))),
        CommandName::Trace => Some(Ask::Trace(want(word, shape))),
        CommandName::Reasoning => Some(Ask::Reasoning(want(word, shape))),
        CommandName::Elevated => Some(Ask::Elevated(want(word, shape))),
        CommandName::Effort => Some(Ask::Effort(want(word, shape))),
        CommandName::Queue => Some(Ask::Queue(queue(want(word, shape)))),
        CommandName::Model => Some(Ask::Model(model(word, shape))),
        CommandName::Status
        | CommandName::Help
        | CommandName::Commands
        | CommandName::Whoami
        | CommandName::New
        | CommandName::Reset
        | CommandName::Stop
        | CommandName::Approve
        | CommandName::Models
        | CommandName::Usage => None,
    }
}

fn want<T: Vocabulary>(word: Option<&str>, shape: Shape) -> Want<T> {
    let near = word.and_then(nearest);
    match (word, shape) {
        (Some(word), Shape::DirectiveOnly) => Want::Unknown { word: shortened(word), near },
        (Some(_) | None, _) => Want::Show { near },
    }
}

fn queue(want: Want<QueueMode>) -> Want<Queue> {
    let plain = |near: Option<QueueMode>| near.map(Queue::plain);
    match want {
        Want::Set(mode) => Want::Set(Queue::plain(mode)),
        Want::Clear => Want::Clear,
        Want::Show { near } => Want::Show { near: plain(near) },
        Want::Status => Want::Status,
        Want::Unknown { word, near } => Want::Unknown { word, near: plain(near) },
    }
}

fn model(word: Option<&str>, shape: Shape) -> ModelWant {
    match word.filter(|_| shape == Shape::DirectiveOnly) {
        Some(word) => ModelWant::named(&shortened(word)),
        None => ModelWant::Show,
    }
}

/// A word that will be repeated in an answer: as much of it as anybody would read.
fn shortened(word: &str) -> String {
    match word.char_indices().nth(LONGEST_WORD) {
        Some((end, _)) => format!("{}…", between(word, 0, end)),
        None => word.to_owned(),
    }
}

fn plain(text: &str, addressee: Addressee) -> Parsed {
    Reading::default().finish(addressee, Shape::Plain, text.to_owned())
}
