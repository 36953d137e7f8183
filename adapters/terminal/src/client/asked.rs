//! What was asked in a turn, and to which of it an event belongs: other terminals of the same user see the same events.

use crate::wire::Event;

/// What was asked in this turn.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) question: String,
    pub(super) stop: Option<String>,
    /// What was said and pressed while the question was open.
    pub(super) besides: Vec<String>,
}

/// To whom an event belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// It answers the question.
    Question,
    /// It answers the stop.
    Stop,
    /// It answers what was said beside the question, whose turn goes on.
    Beside,
    /// It answers what another terminal of this user asked.
    Others,
    /// It answers nobody.
    Nobody,
}

impl Asked {
    pub(super) fn whose(&self, event: &Event) -> Whose {
        let answers = match event {
            Event::Message(message) => message.answers.as_deref(),
            Event::Taken { answers }
            | Event::Pressed { answers, .. }
            | Event::Status { answers, .. }
            | Event::Sent { answers, .. } => Some(answers.as_str()),
            Event::Error { answers, .. } => answers.as_deref(),
            Event::Preview(preview) => preview.answers.as_deref(),
            Event::Welcome { .. } | Event::Typing => None,
        };
        match answers {
            None => Whose::Nobody,
            Some(id) if id == self.question => Whose::Question,
            Some(id) if self.stop.as_deref() == Some(id) => Whose::Stop,
            Some(id) if self.besides.iter().any(|known| known == id) => Whose::Beside,
            Some(_) => Whose::Others,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_finds_whose_it_is() {
        let asked = Asked { question: "q".into(), stop: Some("s".into()), besides: vec!["b".into()] };
        let taken = |answers: &str| Event::Taken { answers: answers.into() };
        for (event, whose) in [
            (taken("q"), Whose::Question),
            (taken("s"), Whose::Stop),
            (taken("b"), Whose::Beside),
            (taken("x"), Whose::Others),
            (Event::Typing, Whose::Nobody),
        ] {
            assert_eq!(asked.whose(&event), whose, "{event:?}");
        }
    }
}
