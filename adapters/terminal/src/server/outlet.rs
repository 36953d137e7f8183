//! What the engine sends, as events for the clients of the user whose chat it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::ids::MessageId;
use pensive_contract::inbound::Place;
use pensive_contract::outward::{
    Body, Extras, Finality, Mark, Outcome, Outlet, Part, Presses, Refusal, Style, Typing,
};

use super::Shared;
use crate::wire::{Choice, Event, Message, MessageKind};

/// The outward ports. A message for a user without a connection is refused as gone: a terminal that is closed has no
/// place to show it, and the conversation itself is in the transcript.
pub(super) struct Seated {
    shared: Arc<Shared>,
    /// Sets the message ids of this life apart from those of earlier ones.
    life: u32,
    next: AtomicU64,
}

impl Seated {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, life: fastrand::u32(..), next: AtomicU64::new(1) }
    }

    fn give<T>(&self, to: &Place, event: &Event, landed: T) -> Outcome<T> {
        match self.shared.seats.deliver(to.chat.as_str(), &event.line().into()) {
            0 => Outcome::Refused {
                refusal: Refusal::ChatGone,
                why: "no terminal of this user is open".into(),
            },
            _ => Outcome::Delivered(landed),
        }
    }
}

#[async_trait]
impl Outlet for Seated {
    /// A terminal has no limits: one body is one part. Markdown stays as it was written, reasoning is marked as folded.
    fn render(&self, body: &Body) -> Vec<Part> {
        let (text, marks) = match body {
            Body::Markdown(text) | Body::Plain(text) => (text.trim_end().to_owned(), Vec::new()),
            Body::Framed { before, markdown, after } => {
                (format!("{before}{markdown}\n\n{after}").trim_end().to_owned(), Vec::new())
            }
            Body::Thinking(text) => {
                let text = text.trim();
                (text.to_owned(), vec![Mark { range: 0..text.len(), style: Style::Fold }])
            }
        };
        if text.trim().is_empty() {
            return Vec::new();
        }
        vec![Part { text, marks, whole: None }]
    }

    async fn send(&self, to: &Place, part: &Part, extras: &Extras) -> Outcome<MessageId> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let id = format!("t{:08x}-{number}", self.life);
        let folded = part.marks.iter().any(|mark| mark.style == Style::Fold);
        let message = Message {
            id: id.clone(),
            answers: extras.reply_to.as_ref().map(|id| id.as_str().to_owned()),
            kind: match (folded, extras.finality) {
                (true, _) => MessageKind::Thinking,
                (false, Finality::Failed) => MessageKind::Failure,
                (false, Finality::More | Finality::Last) => MessageKind::Text,
            },
            text: part.text.clone(),
            buttons: extras.buttons.iter().cloned().map(Choice::from).collect(),
            last: extras.finality != Finality::More,
        };
        self.give(to, &Event::Message(message), id.into())
    }
}

#[async_trait]
impl Typing for Seated {
    fn lasts(&self) -> Duration {
        Duration::from_secs(30)
    }

    async fn show(&self, to: &Place) -> Outcome<()> {
        self.give(to, &Event::Typing, ())
    }
}

#[async_trait]
impl Presses for Seated {
    async fn answer(&self, query: &str, text: Option<&str>) -> Outcome<()> {
        let Some((user, press)) = query.split_once('/') else {
            return Outcome::Refused { refusal: Refusal::Never, why: "no press of a terminal".into() };
        };
        let event = Event::Pressed { answers: press.to_owned(), text: text.map(str::to_owned) };
        match self.shared.seats.deliver(user, &event.line().into()) {
            0 => Outcome::Refused {
                refusal: Refusal::ChatGone,
                why: "no terminal of this user is open".into(),
            },
            _ => Outcome::Delivered(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::tests::{place, terminal};

    #[test]
    fn a_body_is_one_part_and_an_invisible_one_is_none() {
        let home = tempfile::tempdir().unwrap();
        let outlet = terminal(home.path()).outward().outlet;
        let part = |text: &str| vec![Part { text: text.into(), ..Part::default() }];
        assert_eq!(outlet.render(&Body::Markdown("  **hi**\n".into())), part("  **hi**"));
        assert_eq!(outlet.render(&Body::Plain("x".repeat(1 << 20))), part(&"x".repeat(1 << 20)));
        assert_eq!(outlet.render(&Body::Plain(" \n".into())), vec![]);
        let framed = |before: &str, markdown: &str, after: &str| Body::Framed {
            before: before.into(),
            markdown: markdown.into(),
            after: after.into(),
        };
        assert_eq!(outlet.render(&framed("> ", "**hi**", "3 tokens")), part("> **hi**\n\n3 tokens"));
        assert_eq!(outlet.render(&framed("", "hi\n", "")), part("hi"));
        let fold = vec![Mark { range: 0..3, style: Style::Fold }];
        assert_eq!(
            outlet.render(&Body::Thinking(" hm.\n".into())),
            vec![Part { text: "hm.".into(), marks: fold, whole: None }]
        );
    }

    #[tokio::test]
    async fn a_message_without_a_reader_is_refused_as_gone() {
        let home = tempfile::tempdir().unwrap();
        let outlet = terminal(home.path()).outward().outlet;
        let part = Part { text: "hi".into(), ..Part::default() };
        let outcome = outlet.send(&place("ann"), &part, &Extras::default()).await;
        assert!(matches!(outcome, Outcome::Refused { refusal: Refusal::ChatGone, .. }), "{outcome:?}");
    }
}
