//! How the bot's words look on a terminal or in a pipe.

use std::io::{self, Write};

use rustix::termios::tcgetwinsize;

use super::canvas::Size;
use crate::fault::TerminalFault;
use crate::wire::{Event, Message, MessageKind};

/// How events are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dress {
    /// Text for a pipe: what stands, and no answer in the making.
    Plain,
    /// Text for a terminal, which shows answers while they are made.
    Screen(Ink),
    /// The protocol's own JSON, an event a line; a single turn gives one object.
    Json,
}

/// Whether a terminal is told how its letters look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Reasoning is dimmed.
    Dim,
    /// It is not.
    None,
}

/// Where words are written, and how.
pub struct Sheet<'a> {
    /// Where.
    pub out: &'a mut (dyn Write + Send),
    /// How.
    pub dress: Dress,
}

/// The two streams of a program.
pub struct Sheets<'a> {
    /// What the person asked for, and nothing else: a script reads it.
    pub answer: Sheet<'a>,
    /// All that stands around it: tool calls, reasoning, questions, failures.
    pub aside: Sheet<'a>,
}

impl Sheet<'_> {
    /// Writes at once.
    pub(super) fn write(&mut self, text: &str) -> Result<(), TerminalFault> {
        if text.is_empty() {
            return Ok(());
        }
        self.out
            .write_all(text.as_bytes())
            .and_then(|()| self.out.flush())
            .map_err(TerminalFault::io("cannot write the answer"))
    }
}

impl Dress {
    /// What a terminal is told of letters; elsewhere nothing.
    pub(super) fn ink(self) -> Ink {
        match self {
            Self::Screen(ink) => ink,
            Self::Plain | Self::Json => Ink::None,
        }
    }
}

const DIM: &str = "\x1b[2m";
const NORMAL: &str = "\x1b[0m";

/// What an event looks like, with its line break; empty for what is not shown.
pub(super) fn show(event: &Event, dress: Dress) -> String {
    match (dress, event) {
        (Dress::Json, event) => event.line(),
        (_, Event::Message(message)) => show_message(message, dress.ink()),
        (_, Event::Error { text, .. } | Event::Pressed { text: Some(text), .. }) => {
            format!("{}\n", harmless(text))
        }
        (
            _,
            Event::Welcome { .. }
            | Event::Taken { .. }
            | Event::Typing
            | Event::Preview(_)
            | Event::Pressed { text: None, .. }
            | Event::Status { .. }
            | Event::Sent { .. },
        ) => String::new(),
    }
}

/// A note of the client itself.
pub(super) fn note(text: &str, dress: Dress) -> String {
    match dress {
        Dress::Plain | Dress::Screen(_) => dimmed(text, dress.ink()),
        Dress::Json => String::new(),
    }
}

/// A line that stands back.
pub(super) fn dimmed(line: &str, ink: Ink) -> String {
    match ink {
        Ink::Dim => format!("{DIM}{line}{NORMAL}\n"),
        Ink::None => format!("{line}\n"),
    }
}

pub(super) fn show_message(message: &Message, ink: Ink) -> String {
    let text = harmless(&message.text);
    match message.kind {
        MessageKind::Text | MessageKind::Notice | MessageKind::Failure => format!("{text}\n"),
        MessageKind::Thinking => text.lines().map(|line| dimmed(&format!("│ {line}"), ink)).collect(),
    }
}

/// What can be pressed under a message, a line each.
pub(super) fn offers(message: &Message, dress: Dress) -> String {
    let numbered = message.buttons.iter().zip(1..);
    numbered
        .map(|(choice, number)| note(&format!("  /{number}  {}", harmless(&choice.label)), dress))
        .collect()
}

/// A text in which nothing commands the terminal: a model may not move the cursor, colour the screen or ring the bell.
/// What would, is seen as a sign.
#[must_use]
pub fn harmless(text: &str) -> String {
    text.chars().filter(|c| *c != '\r').map(visible).collect()
}

fn visible(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        // The pictures of these stand in the same order.
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\x7f' => '␡',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// How large the terminal is now.
pub(super) fn size() -> Size {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
            Size { columns: size.ws_col.into(), rows: size.ws_row.into() }
        }
        Ok(_) | Err(_) => Size { columns: 80, rows: 24 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: MessageKind, text: &str) -> Event {
        let text = text.to_owned();
        Event::Message(Message {
            id: "t1".into(),
            answers: None,
            kind,
            text,
            buttons: Vec::new(),
            last: true,
        })
    }

    fn check(event: &Event, dress: Dress, expected: &str) {
        assert_eq!(show(event, dress), expected, "{event:?}");
    }

    #[test]
    fn messages_are_shown_and_signs_of_life_are_not() {
        check(&message(MessageKind::Text, "**hi**\nyou"), Dress::Plain, "**hi**\nyou\n");
        check(&message(MessageKind::Thinking, "a\nb"), Dress::Plain, "│ a\n│ b\n");
        check(&message(MessageKind::Thinking, "a"), Dress::Screen(Ink::Dim), "\x1b[2m│ a\x1b[0m\n");
        check(&message(MessageKind::Thinking, "a"), Dress::Screen(Ink::None), "│ a\n");
        check(&Event::Typing, Dress::Plain, "");
        check(&Event::Typing, Dress::Json, "{\"is\":\"typing\"}\n");
    }

    #[test]
    fn a_model_cannot_command_the_terminal() {
        for dress in [Dress::Plain, Dress::Screen(Ink::Dim)] {
            check(
                &message(MessageKind::Text, "a\x1b[2Jb\r\u{7}\u{9b}0mc\td\x7f"),
                dress,
                "a␛[2Jb␇\u{fffd}0mc\td␡\n",
            );
        }
    }
}
