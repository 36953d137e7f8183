//! What a person typed, with the names that people see: Discord writes `<@7>` in their place, which tells a model nothing.

use std::ops::Range;

use pensive_contract::inbound::TypedText;

use super::{Us, name};
use crate::book::Book;
use crate::wire::Content;

/// More mentions by pattern than a person could mean.
const MOST_MENTIONS: usize = 16;
/// The longest sign that Discord writes: an emoji with a name of 32 letters.
const LONGEST_SIGN: usize = 64;

/// What is needed to read one text.
pub(super) struct Reader<'a> {
    pub(super) us: &'a Us,
    pub(super) book: &'a Book,
    pub(super) guild: Option<u64>,
}

/// What stands for something else (<https://docs.discord.com/developers/reference#message-formatting>).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign<'a> {
    User(u64),
    Role(u64),
    Channel(u64),
    Emoji(&'a str),
}

/// What people see in the place of a sign.
enum Shown {
    /// The name of us, who are meant by it.
    Us,
    /// The name of something else. Whoever gave it wrote it, and not the sender.
    Named(String),
    /// Something harmless.
    Plain(String),
}

impl Reader<'_> {
    /// Reads what somebody wrote themselves.
    pub(super) fn typed(&self, content: &Content) -> TypedText {
        let mut typed = TypedText { bot_name: Some(self.us.username.clone()), ..TypedText::default() };
        self.write(content, &mut typed);
        let called = self.called(&typed);
        typed.mentions.extend(called);
        typed.mentions.sort_unstable_by_key(|range| range.start);
        typed
    }

    /// Puts what somebody else wrote behind what was typed. The model sees it, and nothing in it is said to us.
    pub(super) fn lend(&self, content: &Content, typed: &mut TypedText) {
        if content.text.as_deref().is_none_or(str::is_empty) {
            return;
        }
        if !typed.text.is_empty() {
            typed.text.push_str("\n\n");
        }
        let (start, mentions) = (typed.text.len(), typed.mentions.len());
        let protected = typed.code.len();
        self.write(content, typed);
        typed.mentions.truncate(mentions);
        typed.code.truncate(protected);
        typed.code.push(start..typed.text.len());
    }

    fn write(&self, content: &Content, typed: &mut TypedText) {
        let mut rest = content.text.as_deref().unwrap_or_default();
        while let Some((before, at_sign)) = rest.find('<').map(|at| rest.split_at(at)) {
            typed.text.push_str(before);
            let shown = sign(at_sign).and_then(|(sign, length)| Some((self.shown(content, sign)?, length)));
            let (shown, length) = shown.unwrap_or((Shown::Plain("<".to_owned()), 1));
            show(shown, &self.us.username, typed);
            rest = at_sign.get(length..).unwrap_or_default();
        }
        typed.text.push_str(rest);
    }

    fn shown(&self, content: &Content, sign: Sign<'_>) -> Option<Shown> {
        match sign {
            // What Discord does not list stands in code, and mentions nobody.
            Sign::User(id) if id == self.us.bot => Some(match &content.mentions {
                Some(users) if !users.iter().any(|user| user.id == id) => {
                    Shown::Named(format!("@{}", self.us.username))
                }
                _ => Shown::Us,
            }),
            Sign::User(id) => {
                let user = content.mentions.as_ref()?.iter().find(|user| user.id == id)?;
                Some(Shown::Named(format!("@{}", name(user, user.member.nick.as_deref())?)))
            }
            Sign::Role(id) => {
                let role = self.book.role(self.guild?, id)?;
                let listed = content.mention_roles.as_ref().is_none_or(|roles| roles.contains(&id));
                if role.tags.bot_id == Some(self.us.bot) && listed {
                    return Some(Shown::Us);
                }
                Some(Shown::Named(format!("@{}", role.name.as_ref()?.trim_start_matches('@'))))
            }
            // Not one of another guild: its members' business is not this one's.
            Sign::Channel(id) => Some(Shown::Named(format!("#{}", self.book.name(self.guild?, id)?))),
            Sign::Emoji(name) => Some(Shown::Plain(format!(":{name}:"))),
        }
    }

    /// Where words of the operator's call us.
    fn called(&self, typed: &TypedText) -> Vec<Range<usize>> {
        let given = |range: &Range<usize>| {
            typed.code.iter().any(|name| name.start < range.end && range.start < name.end)
        };
        let found = self.us.patterns.iter().flat_map(|pattern| pattern.find_iter(&typed.text));
        let ranges = found.map(|found| found.range()).filter(|range| !range.is_empty() && !given(range));
        ranges.take(MOST_MENTIONS).collect()
    }
}

fn show(shown: Shown, username: &str, typed: &mut TypedText) {
    let start = typed.text.len();
    match shown {
        Shown::Us => {
            typed.text.push('@');
            typed.text.push_str(username);
            typed.mentions.push(start..typed.text.len());
        }
        Shown::Named(name) => {
            typed.text.extend(name.chars().map(tame));
            typed.code.push(start..typed.text.len());
        }
        Shown::Plain(text) => typed.text.push_str(&text),
    }
}

/// A letter of a name in which it cannot begin a line or end the code around it.
fn tame(letter: char) -> char {
    match letter {
        '`' => '\'',
        letter if letter.is_control() => ' ',
        letter => letter,
    }
}

/// The sign at the start of `text`, and how long it is.
fn sign(text: &str) -> Option<(Sign<'_>, usize)> {
    let end = text.bytes().take(LONGEST_SIGN).position(|byte| byte == b'>')?;
    let inner = text.get(1..end)?;
    let sign = if let Some(role) = inner.strip_prefix("@&") {
        Sign::Role(number(role)?)
    } else if let Some(user) = inner.strip_prefix("@!").or_else(|| inner.strip_prefix('@')) {
        Sign::User(number(user)?)
    } else if let Some(channel) = inner.strip_prefix('#') {
        Sign::Channel(number(channel)?)
    } else {
        let (name, id) = inner.strip_prefix("a:").or_else(|| inner.strip_prefix(':'))?.split_once(':')?;
        number(id)?;
        let word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        word.then_some(Sign::Emoji(name))?
    };
    Some((sign, end + 1))
}

fn number(digits: &str) -> Option<u64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}
