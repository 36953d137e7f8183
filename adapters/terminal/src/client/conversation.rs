//! The chat at a line editor: the person may type while the bot works, stop it, or go.

use std::collections::BTreeSet;
use std::path::Path;

use super::editor::{Prompt, Typed};
use super::screen::{Dress, note, show};
use super::{Ending, Link};
use crate::fault::TerminalFault;
use crate::wire::{Choice, Event, Message, Request};

/// What is known of the conversation so far.
#[derive(Default)]
struct Conversation {
    /// Requests whose answer has not ended.
    open: BTreeSet<String>,
    /// The buttons of the last message that had any, and that message.
    choices: Vec<(String, Choice)>,
    /// Whether the last thing that the person did was Ctrl-C.
    interrupted: Interrupted,
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
    Hint,
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
    let mut conversation = Conversation::default();
    prompt.print(note("/help says what can be asked; Ctrl-C stops an answer, Ctrl-D leaves.", dress));
    loop {
        tokio::select! {
            typed = prompt.next() => {
                match conversation.typed(typed) {
                    Step::Ask(ask) => ask_for(ask, &mut link, &mut conversation).await?,
                    Step::Hint => prompt.print(note("Ctrl-C again or Ctrl-D leaves.", dress)),
                    Step::Nothing => {}
                    Step::Leave => return Ok(Ending::Left),
                }
                prompt.go_on();
            }
            event = link.next() => match event {
                Ok(event) => prompt.print(conversation.heard(&event, dress)),
                Err(fault) => {
                    prompt.print(note(&format!("{fault}. Press Enter to leave."), dress));
                    // The editor holds the terminal until the person lets go of it.
                    prompt.next().await;
                    return Err(fault);
                }
            },
        }
    }
}

async fn ask_for(ask: Ask, link: &mut Link, conversation: &mut Conversation) -> Result<(), TerminalFault> {
    let id = link.fresh_id();
    conversation.open.insert(id.clone());
    let request = match ask {
        Ask::Say(text) => Request::Say { id, text },
        Ask::Stop => Request::Stop { id },
        Ask::Press(message, data) => Request::Press { id, message, data },
    };
    link.request(&request).await
}

impl Conversation {
    fn typed(&mut self, typed: Typed) -> Step {
        let before = std::mem::take(&mut self.interrupted);
        match typed {
            Typed::Line(line) if line.trim().is_empty() => Step::Nothing,
            Typed::Line(line) => Step::Ask(self.meant(line)),
            Typed::End => Step::Leave,
            Typed::Interrupt if before == Interrupted::Once => Step::Leave,
            Typed::Interrupt => {
                self.interrupted = Interrupted::Once;
                if self.open.is_empty() { Step::Hint } else { Step::Ask(Ask::Stop) }
            }
        }
    }

    /// `/2` presses the second button that was offered last; everything else is said.
    fn meant(&self, line: String) -> Ask {
        let number = line.trim().strip_prefix('/').and_then(|rest| rest.parse::<usize>().ok());
        match number.and_then(|number| self.choices.get(number.checked_sub(1)?)) {
            Some((message, choice)) => Ask::Press(message.clone(), choice.data.clone()),
            None => Ask::Say(line),
        }
    }

    /// Remembers what an event changes; gives what is shown of it.
    fn heard(&mut self, event: &Event, dress: Dress) -> String {
        let mut text = show(event, dress);
        match event {
            Event::Message(message) => {
                if message.last {
                    self.end(message.answers.as_deref());
                }
                text.push_str(&self.offer(message, dress));
            }
            Event::Pressed { answers, .. } | Event::Error { answers: Some(answers), .. } => {
                self.open.remove(answers);
            }
            Event::Welcome { .. }
            | Event::Taken { .. }
            | Event::Typing
            | Event::Preview(_)
            | Event::Status { .. }
            | Event::Sent { .. }
            | Event::Error { answers: None, .. } => {}
        }
        text
    }

    fn end(&mut self, answers: Option<&str>) {
        match answers {
            Some(id) => {
                self.open.remove(id);
            }
            None => self.open.clear(),
        }
    }

    fn offer(&mut self, message: &Message, dress: Dress) -> String {
        if message.buttons.is_empty() {
            return String::new();
        }
        self.choices = message.buttons.iter().map(|choice| (message.id.clone(), choice.clone())).collect();
        let lines = message.buttons.iter().enumerate();
        lines.map(|(index, choice)| note(&format!("  /{}  {}", index + 1, choice.label), dress)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::MessageKind;

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
        assert_eq!(conversation.typed(Typed::Interrupt), Step::Hint);
        assert_eq!(conversation.typed(Typed::Interrupt), Step::Leave);
        assert_eq!(conversation.typed(line("why?")), Step::Ask(Ask::Say("why?".into())));
        conversation.open.insert("1".into());
        assert_eq!(conversation.typed(Typed::Interrupt), Step::Ask(Ask::Stop));
        assert_eq!(conversation.typed(Typed::Interrupt), Step::Leave);
        assert_eq!(conversation.typed(line(" ")), Step::Nothing);
        conversation.heard(&message(Some("1"), &[]), Dress::Plain);
        assert_eq!(conversation.typed(Typed::Interrupt), Step::Hint);
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
