//! How the bot's words look on a terminal or in a pipe.

use crate::wire::{Event, Message, MessageKind};

/// How events are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dress {
    /// Text without any colour.
    Plain,
    /// Text for a terminal: reasoning is dimmed.
    Coloured,
    /// The protocol's own JSON, an event a line; a single turn gives one object.
    Json,
}

const DIM: &str = "\x1b[2m";
const NORMAL: &str = "\x1b[0m";

/// What an event looks like, with its line break; empty for what is not shown.
pub(super) fn show(event: &Event, dress: Dress) -> String {
    match (dress, event) {
        (Dress::Json, event) => event.line(),
        (_, Event::Message(message)) => show_message(message, dress),
        (_, Event::Error { text, .. } | Event::Pressed { text: Some(text), .. }) => {
            format!("{}\n", without_controls(text))
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
        Dress::Plain => format!("{text}\n"),
        Dress::Coloured => format!("{DIM}{text}{NORMAL}\n"),
        Dress::Json => String::new(),
    }
}

fn show_message(message: &Message, dress: Dress) -> String {
    let text = without_controls(&message.text);
    match message.kind {
        MessageKind::Text | MessageKind::Notice | MessageKind::Failure => format!("{text}\n"),
        MessageKind::Thinking => text.lines().map(|line| note(&format!("│ {line}"), dress)).collect(),
    }
}

/// A model may not move the cursor, colour the screen or ring the bell.
fn without_controls(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
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
        check(&message(MessageKind::Thinking, "a"), Dress::Coloured, "\x1b[2m│ a\x1b[0m\n");
        check(&Event::Typing, Dress::Plain, "");
        check(&Event::Typing, Dress::Json, "{\"is\":\"typing\"}\n");
    }

    #[test]
    fn a_model_cannot_command_the_terminal() {
        check(&message(MessageKind::Text, "a\x1b[2Jb\r\u{7}\u{9b}0mc\td"), Dress::Coloured, "a[2Jb0mc\td\n");
    }
}
