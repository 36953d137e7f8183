//! Finds every slash word that may count. Which of them do is decided when the whole message is known.

use std::ops::Range;

use crate::commands::find;
use crate::message::Message;
use crate::vocabulary::{Vocabulary, clears, find as value_of, find_pair, is_dash, same};
use crate::words::{
    Piece, after_blanks, after_blanks_of_line, after_colon, count, from, is_over, is_stop, name, whole_word,
    word,
};
use crate::{Ask, CommandName, CommandSpec, ModelWant, Placement, Queue, QueueMode, Scope, Want};

/// A slash word of the table, with what stands behind it.
#[derive(Debug)]
pub(crate) struct Hit {
    /// From the slash to the end of what belongs to it for certain.
    pub(crate) cut: Range<usize>,
    pub(crate) found: Found,
    /// Whether `--chat` stands with it.
    pub(crate) scope: Scope,
}

#[derive(Debug)]
pub(crate) enum Found {
    /// A directive with a value.
    Valued(Ask),
    /// A directive without one. The word behind it is either a mistake or the first of the prompt.
    Bare(CommandName, Option<Range<usize>>),
    /// A command that counts wherever it stands.
    Anywhere(CommandName),
    /// A command that counts where nothing else is said, with the word behind it if it takes one.
    Alone(CommandName, Option<Range<usize>>),
}

/// Every hit, from left to right.
pub(crate) fn scan(message: &Message<'_>) -> Vec<Hit> {
    let text = message.text();
    let mut hits: Vec<Hit> = Vec::new();
    // A bot's own name may stand behind a command as long as nothing but commands came before.
    let mut front = message.opening;
    let mut at = 0;
    while let Some(ahead) = from(text, at).find('/') {
        let slash = at + ahead;
        count(ahead + 1);
        at = slash + 1;
        if !follows_blank(text, slash) || message.protected.touches(slash..at) {
            continue;
        }
        let place = if slash == front { Place::Front } else { Place::Within };
        if let Some(hit) = hit(message, slash, place) {
            at = hit.cut.end;
            if place == Place::Front {
                front = message.place(after_blanks(from(text, at)));
            }
            keep(&mut hits, hit);
        }
    }
    hits
}

/// Where a slash stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Behind nothing but other hits.
    Front,
    /// Anywhere else.
    Within,
}

fn follows_blank(text: &str, at: usize) -> bool {
    text.get(..at).and_then(|before| before.chars().next_back()).is_none_or(char::is_whitespace)
}

/// Adds a hit; it is not the word that the one before it was waiting for.
fn keep(hits: &mut Vec<Hit>, hit: Hit) {
    if let Some(Hit { found: Found::Bare(_, word) | Found::Alone(_, word), .. }) = hits.last_mut()
        && word.as_ref().is_some_and(|word| word.start == hit.cut.start)
    {
        *word = None;
    }
    hits.push(hit);
}

fn hit(message: &Message<'_>, slash: usize, place: Place) -> Option<Hit> {
    let Piece { word, rest } = name(from(message.text(), slash + 1));
    let spec = find(word)?;
    let rest = if place == Place::Front { after_our_name(message, rest) } else { rest };
    match spec.placement {
        Placement::Directive => directive(message, spec.name, slash, rest),
        Placement::Anywhere | Placement::Alone => command(message, spec, slash, rest),
    }
}

fn after_our_name<'a>(message: &Message<'_>, rest: &'a str) -> &'a str {
    let named = rest.strip_prefix('@').map(name);
    let ours =
        |name: &Piece<'_>| message.typed.bot_name.is_some_and(|bot| bot.eq_ignore_ascii_case(name.word));
    named.filter(ours).map_or(rest, |name| name.rest)
}

/// Reads on behind a directive's name: a colon, `--chat`, the value, `--chat`.
fn directive(message: &Message<'_>, family: CommandName, slash: usize, rest: &str) -> Option<Hit> {
    if !is_over(rest) && after_colon(rest).is_none() {
        return None;
    }
    let mut scope = Scope::Sender;
    let mut end = rest;
    if let Some(behind) = after_colon(after_blanks(end)) {
        end = behind;
    }
    take_option(&mut end, &mut scope);
    let place = |rest: &str| message.place(rest);
    let front = after_blanks(end);
    let valued = value(message, family, front)
        .filter(|(_, behind)| !message.protected.touches(place(front)..place(behind)));
    let found = match valued {
        Some((ask, behind)) => {
            end = behind;
            take_option(&mut end, &mut scope);
            Found::Valued(ask)
        }
        None => Found::Bare(family, word_at(message, front)),
    };
    Some(Hit { cut: slash..place(end), found, scope })
}

/// Steps over a `--chat`.
fn take_option(end: &mut &str, scope: &mut Scope) {
    let Piece { word, rest } = word(after_blanks(end));
    if is_chat_option(word) {
        *scope = Scope::Chat;
        *end = rest;
    }
}

/// Whether the word is `--chat`, also where a keyboard made one long dash of the two.
fn is_chat_option(word: &str) -> bool {
    let option = word.trim_start_matches(is_dash);
    let dashes = word.len() - option.len();
    // One `-` is one byte; all other dashes have two or three.
    (2..=6).contains(&dashes) && option.eq_ignore_ascii_case("chat")
}

fn command(message: &Message<'_>, spec: &CommandSpec, slash: usize, rest: &str) -> Option<Hit> {
    let end = after_colon(rest).unwrap_or(rest);
    let is_whole = is_over(rest) || end.len() < rest.len();
    // `/status!` is an order where nothing else is said, and a mention in a sentence.
    if !is_whole && !is_over(after_stops(rest)) {
        return None;
    }
    let takes_word = matches!(spec.name, CommandName::New | CommandName::Usage | CommandName::Approve);
    let found = match spec.placement {
        Placement::Anywhere if is_whole => Found::Anywhere(spec.name),
        Placement::Anywhere | Placement::Alone | Placement::Directive => {
            let word = if takes_word && is_whole { word_at(message, after_blanks(end)) } else { None };
            Found::Alone(spec.name, word)
        }
    };
    Some(Hit { cut: slash..message.place(end), found, scope: Scope::Sender })
}

fn after_stops(rest: &str) -> &str {
    let behind = rest.trim_start_matches(is_stop);
    count(rest.len() - behind.len());
    behind
}

/// The word at the front, unless it is protected or mentions us.
fn word_at(message: &Message<'_>, front: &str) -> Option<Range<usize>> {
    let word = word(front).word;
    let start = message.place(front);
    let range = start..start + word.len();
    let is_said = !word.is_empty() && !message.protected.touches(range.clone());
    (is_said && message.mention_at(start).is_none()).then_some(range)
}

/// A known value of the family at the front of `rest`, and what stands behind it.
fn value<'a>(message: &Message<'_>, family: CommandName, rest: &'a str) -> Option<(Ask, &'a str)> {
    fn ask<T>(valued: Option<(Want<T>, &str)>, family: fn(Want<T>) -> Ask) -> Option<(Ask, &str)> {
        valued.map(|(want, rest)| (family(want), rest))
    }
    match family {
        CommandName::Think => ask(known(rest), Ask::Think),
        CommandName::Fast => ask(known(rest).or_else(|| status(rest)), Ask::Fast),
        CommandName::Verbose => ask(known(rest), Ask::Verbose),
        CommandName::Trace => ask(known(rest), Ask::Trace),
        CommandName::Reasoning => ask(known(rest), Ask::Reasoning),
        CommandName::Elevated => ask(known(rest), Ask::Elevated),
        CommandName::Effort => ask(known(rest), Ask::Effort),
        CommandName::Queue => ask(queue(rest), Ask::Queue),
        CommandName::Model => model(message, rest).map(|(want, rest)| (Ask::Model(want), rest)),
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

/// A value in one word or two; the longer one wins.
fn known<T: Vocabulary>(text: &str) -> Option<(Want<T>, &str)> {
    pair(text).or_else(|| {
        let Piece { word, rest } = word(text);
        let set = || value_of(word).map(Want::Set);
        set().or_else(|| clears(word).then_some(Want::Clear)).map(|want| (want, rest))
    })
}

fn pair<T: Vocabulary>(text: &str) -> Option<(Want<T>, &str)> {
    let first = whole_word(text);
    let second = word(after_blanks_of_line(first.rest));
    find_pair(first.word, second.word).map(|value| (Want::Set(value), second.rest))
}

fn status<T>(text: &str) -> Option<(Want<T>, &str)> {
    let Piece { word, rest } = word(text);
    same(word, "status").then_some((Want::Status, rest))
}

/// A queue mode and the options behind it.
fn queue(text: &str) -> Option<(Want<Queue>, &str)> {
    let (want, mut rest) = known::<QueueMode>(text)?;
    let Want::Set(mode) = want else { return Some((Want::Clear, rest)) };
    let mut queue = Queue::plain(mode);
    loop {
        let option = word(after_blanks_of_line(rest));
        let Some(with) = queue.with(option.word) else { break };
        (queue, rest) = (with, option.rest);
    }
    Some((Want::Set(queue), rest))
}

/// A model that can be told from a word of the prompt: one that is listed, a number of the list, or one of our words.
fn model<'a>(message: &Message<'_>, text: &'a str) -> Option<(ModelWant, &'a str)> {
    let models = message.typed.models;
    let Piece { word, rest } = word(text);
    let want = if clears(word) {
        ModelWant::Clear
    } else if same(word, "status") {
        ModelWant::Show
    } else if same(word, "list") {
        ModelWant::List
    } else if let Some(number) = number(word).filter(|number| (1..=models.len()).contains(number)) {
        ModelWant::Number(number)
    } else {
        ModelWant::Pick(crate::family::model::find(models, word).map(|_| word.to_owned())?)
    };
    Some((want, rest))
}

/// A number in plain digits.
pub(crate) fn number(word: &str) -> Option<usize> {
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok()).flatten()
}
