//! The chat at a line editor: the person may type while the bot works, stop it, or go.

use std::path::Path;

use super::editor::{Prompt, Typed};
use super::live::Live;
use super::screen::{Dress, note, offers, show, size};
use super::turn::{STOPPING, chosen, interrupts};
use super::{Ending, Link};
use crate::fault::TerminalFault;
use crate::wire::{Choice, Event, Message, MessageKind, Request};

/// What is known of the conversation so far.
#[derive(Default)]
struct Conversation {
    /// Requests whose answer has not ended, oldest first.
    open: Vec<String>,
    /// The last request to stop: with its answer nothing is open.
    stop: Option<String>,
    /// The buttons of the last message that had any, and that message.
    choices: Vec<(String, Choice)>,
    /// Whether the last thing that the person did was Ctrl-C.
    interrupted: Interrupted,
    live: Live,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Interrupted {
    #[default]
    No,
    Once,
}

/// What to do after a step.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Ask(Ask),
    Nothing,
    Leave,
}

#[derive(Debug, PartialEq, Eq)]
enum Ask {
    Say(String),
    Stop,
    Press(String, String),
}

pub(super) async fn hold(mut link: Link, history: &Path, dress: Dress) -> Result<Ending, TerminalFault> {
    let mut prompt = Prompt::open(history).await?;
    // Between two lines the editor does not hold the terminal, and Ctrl-C is a signal.
    let mut interrupts = interrupts()?;
    let mut conversation = Conversation::default();
    prompt.print(note("/help says what can be asked; Ctrl-C stops an answer, Ctrl-D leaves.", dress));
    loop {
        let (typed, line) = tokio::select! {
            typed = prompt.next() => (typed, Edited::Yes),
            _ = interrupts.recv() => (Typed::Interrupt, Edited::No),
            event = link.next() => match event {
                Ok(event) => {
                    prompt.print(conversation.heard(&event, dress));
                    continue;
                }
                Err(fault) => {
                    prompt.print(note(&format!("{fault}. Press Enter to leave."), dress));
                    // The editor holds the terminal until the person lets go of it.
                    prompt.next().await;
                    return Err(fault);
                }
            },
        };
        match conversation.typed(typed) {
            Step::Ask(ask) => {
                if ask == Ask::Stop {
                    prompt.print(note(STOPPING, dress));
                }
                ask_for(ask, &mut link, &mut conversation).await?;
            }
            Step::Nothing => {}
            Step::Leave => return Ok(Ending::Left),
        }
        if line == Edited::Yes {
            prompt.go_on();
        }
    }
}

/// Whether the editor has given a line, and waits for leave to read the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edited {
    Yes,
    No,
}

async fn ask_for(ask: Ask, link: &mut Link, conversation: &mut Conversation) -> Result<(), TerminalFault> {
    let id = link.fresh_id();
    conversation.opened(&id, &ask);
    let request = match ask {
        Ask::Say(text) => Request::Say { id, text },
        Ask::Stop => Request::Stop { id },
        Ask::Press(message, data) => Request::Press { id, message, data },
    };
    link.request(&request).await
}

impl Conversation {
    fn typed(&mut self, typed: Typed) -> Step {
        self.live.typed();
        let before = std::mem::take(&mut self.interrupted);
        match typed {
            Typed::Line(line) if line.trim().is_empty() => Step::Nothing,
            Typed::Line(line) => Step::Ask(self.meant(line)),
            Typed::End => Step::Leave,
            Typed::Interrupt if before == Interrupted::Once || self.open.is_empty() => Step::Leave,
            Typed::Interrupt => {
                self.interrupted = Interrupted::Once;
                Step::Ask(Ask::Stop)
            }
        }
    }

    /// `/2` presses the second button that was offered last; everything else is said.
    fn meant(&self, line: String) -> Ask {
        match chosen(&line, &self.choices) {
            Some((message, choice)) => Ask::Press(message.clone(), choice.data.clone()),
            None if line.trim() == "/stop" => Ask::Stop,
            None => Ask::Say(line),
        }
    }

    fn opened(&mut self, id: &str, ask: &Ask) {
        self.open.push(id.to_owned());
        if *ask == Ask::Stop {
            self.stop = Some(id.to_owned());
        }
    }

    /// Remembers what an event changes; gives what is shown of it.
    fn heard(&mut self, event: &Event, dress: Dress) -> String {
        match event {
            Event::Message(message) => {
                let text = match dress {
                    Dress::Screen(ink) => self.live.message(message, size(), ink),
                    Dress::Plain | Dress::Json => show(event, dress),
                };
                self.ended(message);
                text + &self.offer(message, dress)
            }
            Event::Preview(preview) => match dress {
                Dress::Screen(ink) => self.live.preview(preview, size(), ink),
                Dress::Plain | Dress::Json => show(event, dress),
            },
            Event::Pressed { answers, .. } | Event::Error { answers: Some(answers), .. } => {
                self.open.retain(|id| id != answers);
                self.beside(event, dress)
            }
            Event::Error { answers: None, .. } => self.beside(event, dress),
            Event::Welcome { .. }
            | Event::Taken { .. }
            | Event::Typing
            | Event::Status { .. }
            | Event::Sent { .. } => show(event, dress),
        }
    }

    /// What is no message begins a row of its own where it shows anything.
    fn beside(&mut self, event: &Event, dress: Dress) -> String {
        let text = show(event, dress);
        if text.is_empty() { text } else { self.live.pause() + &text }
    }

    fn ended(&mut self, message: &Message) {
        match (&message.answers, message.kind) {
            _ if !message.last => {}
            (None, _) => self.open.clear(),
            (Some(id), _) if self.stop.as_ref() == Some(id) => self.open.clear(),
            // Our own words answer that one request, and a run may go on.
            (Some(id), MessageKind::Notice) => self.open.retain(|open| open != id),
            // A run takes what was said before it, and answers the newest.
            (Some(id), MessageKind::Text | MessageKind::Failure | MessageKind::Thinking) => {
                let known = self.open.iter().position(|open| open == id).map_or(0, |at| at + 1);
                self.open.drain(..known);
            }
        }
    }

    fn offer(&mut self, message: &Message, dress: Dress) -> String {
        if !message.buttons.is_empty() {
            self.choices =
                message.buttons.iter().map(|choice| (message.id.clone(), choice.clone())).collect();
        }
        offers(message, dress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Typed {
        Typed::Line(text.to_owned())
    }

    fn message(answers: Option<&str>, buttons: &[&str]) -> Event {
        Event::Message(Message {
            id: "t1".into(),
            answers: answers.map(str::to_owned),
            kind: MessageKind::Text,
            text: "hi".into(),
            buttons: buttons
                .iter()
                .map(|b| Choice { label: format!("do {b}"), data: (*b).to_owned() })
                .collect(),
            last: true,
        })
    }

    #[test]
    fn the_first_interrupt_stops_what_runs_and_the_second_leaves() {
        let mut conversation = Conversation::default();
        assert_eq!(conversation.typed(Typed::Interrupt), Step::Leave);
        assert_eq!(conversation.typed(line("why?")), Step::Ask(Ask::Say("why?".into())));
        conversation.opened("1", &Ask::Say(String::new()));
        assert_eq!(conversation.typed(Typed::Interrupt), Step::Ask(Ask::Stop));
        conversation.opened("2", &Ask::Stop);
        assert_eq!(conversation.typed(Typed::Interrupt), Step::Leave);
        assert_eq!(conversation.typed(line(" ")), Step::Nothing);
        // With the answer to the stop nothing is open, whatever became of the question.
        conversation.heard(&message(Some("2"), &[]), Dress::Plain);
        assert_eq!(conversation.typed(Typed::Interrupt), Step::Leave);
        assert_eq!(conversation.typed(line("/stop ")), Step::Ask(Ask::Stop));
        assert_eq!(conversation.typed(Typed::End), Step::Leave);
    }

    #[test]
    fn a_number_presses_the_button_that_was_offered_last() {
        let mut conversation = Conversation::default();
        assert_eq!(conversation.typed(line("/1")), Step::Ask(Ask::Say("/1".into())));
        let shown = conversation.heard(&message(None, &["a", "b"]), Dress::Plain);
        assert_eq!(shown, "hi\n  /1  do a\n  /2  do b\n");
        let press = |data: &str| Step::Ask(Ask::Press("t1".into(), data.into()));
        assert_eq!(conversation.typed(line("/2 ")), press("b"));
        assert_eq!(conversation.typed(line("/0")), Step::Ask(Ask::Say("/0".into())));
        assert_eq!(conversation.typed(line("/3")), Step::Ask(Ask::Say("/3".into())));
    }
}
