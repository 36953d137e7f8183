//! What the engine sends, as events for the clients of the user whose chat it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::ids::MessageId;
use pensive_contract::inbound::Place;
use pensive_contract::outward::{
    Body, Cost, Enclosure, Extras, Finality, Lasting, Mark, Outcome, Outlet, Part, Presses, Preview,
    Previews, Refusal, Style, Tempo, Typing,
};
use pensive_contract::store::OutboxKind;

use super::Shared;
use super::seats::Making;
use crate::wire::{Choice, Event, Message, MessageKind};

/// Often enough to read along, and seldom enough that a fast model costs no more lines than a slow one.
const PREVIEW_EVERY: Duration = Duration::from_millis(100);

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

    fn give<T>(&self, user: &str, event: &Event, making: Making, landed: T) -> Outcome<T> {
        landed_where(self.shared.seats.deliver(user, &event.line().into(), making), landed)
    }
}

/// A line that nobody took went nowhere.
fn landed_where<T>(seats: usize, landed: T) -> Outcome<T> {
    match seats {
        0 => Outcome::Refused { refusal: Refusal::ChatGone, why: "no terminal of this user is open".into() },
        _ => Outcome::Delivered(landed),
    }
}

/// What a part is. Its marks say which body it was made of; there are no others on a terminal.
fn kind_of(part: &Part, extras: &Extras) -> MessageKind {
    let made_of = part.marks.first().map(|mark| &mark.style);
    match (made_of, extras.finality, extras.kind) {
        (Some(Style::Fold), _, _) => MessageKind::Thinking,
        (_, Finality::Failed, _) => MessageKind::Failure,
        (Some(_), _, _) | (None, _, OutboxKind::Acknowledgement | OutboxKind::Notice) => MessageKind::Notice,
        (None, _, OutboxKind::Answer) => MessageKind::Text,
    }
}

/// What a part says, and where its file lies: whoever sits at a terminal goes there.
fn words(part: &Part) -> String {
    let Some(Enclosure { agent, path, .. }) = &part.file else { return part.text.clone() };
    let below = if part.text.is_empty() { "" } else { "\n\n" };
    format!("{}{below}📎 {path} in the workspace of {agent}", part.text)
}

#[async_trait]
impl Outlet for Seated {
    /// A terminal has no limits: one body is one part. Markdown stays as it was written; one mark over all of a part says
    /// that it is reasoning, which is folded, or our own words, which are shown letter for letter.
    fn render(&self, body: &Body) -> Vec<Part> {
        let (text, style) = match body {
            Body::Markdown(text) => (text.trim_end().to_owned(), None),
            Body::Plain(text) => (text.trim_end().to_owned(), Some(Style::Pre { language: String::new() })),
            Body::Framed { before, markdown, after } => {
                // A fence is one only where its line begins.
                let begins = before.is_empty() || before.ends_with('\n') || !markdown.starts_with(['`', '~']);
                let between = if begins { "" } else { "\n" };
                (format!("{before}{between}{markdown}\n\n{after}").trim_end().to_owned(), None)
            }
            Body::Thinking(text) => (text.trim().to_owned(), Some(Style::Fold)),
        };
        if text.trim().is_empty() {
            return Vec::new();
        }
        let marks = style.map(|style| Mark { range: 0..text.len(), style }).into_iter().collect();
        vec![Part { text, marks, whole: None, file: None }]
    }

    async fn send(&self, to: &Place, part: &Part, extras: &Extras) -> Outcome<MessageId> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let id = format!("t{:08x}-{number}", self.life);
        let kind = kind_of(part, extras);
        let message = Message {
            id: id.clone(),
            answers: extras.reply_to.as_ref().map(|id| id.as_str().to_owned()),
            kind,
            text: words(part),
            buttons: extras.buttons.iter().cloned().map(Choice::from).collect(),
            last: extras.finality != Finality::More,
        };
        let making = match kind {
            MessageKind::Text | MessageKind::Failure => Making::Stands,
            MessageKind::Notice | MessageKind::Thinking => Making::GoesOn,
        };
        self.give(to.chat.as_str(), &Event::Message(message), making, id.into())
    }
}

#[async_trait]
impl Typing for Seated {
    fn lasts(&self) -> Duration {
        Duration::from_secs(30)
    }

    async fn show(&self, to: &Place) -> Outcome<()> {
        self.give(to.chat.as_str(), &Event::Typing, Making::GoesOn, ())
    }
}

/// A preview goes to whoever is there and stands nowhere: the client takes its place with what it shows next.
#[async_trait]
impl Previews for Seated {
    fn tempo(&self, _: &Place) -> Option<Tempo> {
        Some(Tempo { every: PREVIEW_EVERY, fades: None, cost: Cost::Free })
    }

    async fn show(&self, to: &Place, preview: &Preview, _: Option<&MessageId>) -> Outcome<Option<MessageId>> {
        landed_where(self.shared.seats.show(to.chat.as_str(), preview), None)
    }

    async fn settle(&self, _: &Place, _: &MessageId, _: &Part, _: &Extras) -> Outcome<MessageId> {
        stands_nowhere()
    }

    async fn remove(&self, _: &Place, _: &MessageId) -> Outcome<()> {
        stands_nowhere()
    }
}

fn stands_nowhere<T>() -> Outcome<T> {
    Outcome::Refused { refusal: Refusal::Never, why: "no preview stands on a terminal".into() }
}

#[async_trait]
impl Presses for Seated {
    async fn answer(&self, query: &str, text: Option<&str>) -> Outcome<()> {
        let Some((user, press)) = query.split_once('/') else {
            return Outcome::Refused { refusal: Refusal::Never, why: "no press of a terminal".into() };
        };
        let event = Event::Pressed { answers: press.to_owned(), text: text.map(str::to_owned) };
        self.give(user, &event, Making::GoesOn, ())
    }

    fn lasting(&self) -> Lasting {
        Lasting::Briefly
    }
}

#[cfg(test)]
mod tests {
    use pensive_contract::inbound::{AttachmentKind, ChatKind};

    use super::*;
    use crate::server::tests::{place, terminal};

    #[test]
    fn a_body_is_one_part_and_an_invisible_one_is_none() {
        let home = tempfile::tempdir().unwrap();
        let outlet = terminal(home.path()).outward().outlet;
        let part = |text: &str| vec![Part { text: text.into(), ..Part::default() }];
        assert_eq!(outlet.render(&Body::Markdown("  **hi**\n".into())), part("  **hi**"));
        assert_eq!(outlet.render(&Body::Markdown("x".repeat(1 << 20))), part(&"x".repeat(1 << 20)));
        let letters = vec![Mark { range: 0..2, style: Style::Pre { language: String::new() } }];
        assert_eq!(
            outlet.render(&Body::Plain("hi\n".into())),
            vec![Part { text: "hi".into(), marks: letters, whole: None, file: None }]
        );
        assert_eq!(outlet.render(&Body::Plain(" \n".into())), vec![]);
        let framed = |before: &str, markdown: &str, after: &str| Body::Framed {
            before: before.into(),
            markdown: markdown.into(),
            after: after.into(),
        };
        assert_eq!(outlet.render(&framed("> ", "**hi**", "3 tokens")), part("> **hi**\n\n3 tokens"));
        assert_eq!(outlet.render(&framed("", "hi\n", "")), part("hi"));
        assert_eq!(outlet.render(&framed("Exec", "```\nhi\n```", "")), part("Exec\n```\nhi\n```"));
        let fold = vec![Mark { range: 0..3, style: Style::Fold }];
        assert_eq!(
            outlet.render(&Body::Thinking(" hm.\n".into())),
            vec![Part { text: "hm.".into(), marks: fold, whole: None, file: None }]
        );
    }

    #[test]
    fn a_file_is_told_by_its_place() {
        let check = |text: &str, expected: &str| {
            let file = Enclosure {
                agent: "main".into(),
                path: "plots/a.png".to_owned(),
                name: "a.png".to_owned(),
                kind: AttachmentKind::Photo,
                shelf: ChatKind::Direct,
            };
            let part = Part { text: text.to_owned(), file: Some(file), ..Part::default() };
            assert_eq!(words(&part), expected);
        };
        check("", "📎 plots/a.png in the workspace of main");
        check("**Look**", "**Look**\n\n📎 plots/a.png in the workspace of main");
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
