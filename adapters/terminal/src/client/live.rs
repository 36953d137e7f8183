//! The bot's words on a screen: an answer is read while it is made, and no word of it is written twice when it stands.

use super::canvas::{Canvas, Size};
use super::screen::{Ink, harmless, show_message};
use crate::wire::{Message, MessageKind, Preview, Stretch};

/// What is shown of the answer in the making. What the methods give is written at once and in order.
#[derive(Debug, Default)]
pub(super) struct Live {
    stream: i64,
    /// The words that are being made.
    text: String,
    /// How much of them is on the screen.
    shown: usize,
    canvas: Canvas,
}

impl Live {
    /// The answer has gone on.
    pub(super) fn preview(&mut self, preview: &Preview, size: Size, ink: Ink) -> String {
        let mut out = String::new();
        if preview.stream != self.stream {
            self.stream = preview.stream;
            out.push_str(&self.anew());
            out.push_str(&self.canvas.think_anew());
        }
        if let Some(thinking) = &preview.thinking {
            out.push_str(&self.think(thinking, size, ink));
        }
        if let Some(text) = &preview.text {
            out.push_str(&self.speak(text, size));
        }
        out
    }

    /// A message stands. The rest of it is written where its beginning was read already, otherwise all of it.
    pub(super) fn message(&mut self, message: &Message, size: Size, ink: Ink) -> String {
        let rest = match message.kind {
            MessageKind::Text => self.rest(&message.text),
            MessageKind::Notice | MessageKind::Failure | MessageKind::Thinking => None,
        };
        let mut out = match rest {
            Some("") => self.canvas.end(),
            Some(rest) => self.canvas.grow(&harmless(rest), size) + &self.canvas.end(),
            None => self.canvas.end() + &show_message(message, ink),
        };
        match message.kind {
            MessageKind::Text | MessageKind::Failure => out.push_str(&self.anew()),
            MessageKind::Notice | MessageKind::Thinking => {}
        }
        out
    }

    /// Words of others follow.
    pub(super) fn pause(&mut self) -> String {
        self.canvas.end()
    }

    /// The person has written on the screen.
    pub(super) fn typed(&mut self) {
        self.canvas.leave();
    }

    fn anew(&mut self) -> String {
        self.text.clear();
        self.shown = 0;
        self.canvas.end()
    }

    fn think(&mut self, thinking: &Stretch, size: Size, ink: Ink) -> String {
        match thinking {
            Stretch::More(more) => self.canvas.think(&harmless(more), size, ink),
            Stretch::Whole(whole) if whole.is_empty() => self.canvas.think_anew(),
            Stretch::Whole(whole) => {
                self.canvas.think_anew() + &self.canvas.think(&harmless(whole), size, ink)
            }
        }
    }

    fn speak(&mut self, text: &Stretch, size: Size) -> String {
        let mut out = String::new();
        match text {
            Stretch::Whole(whole) if !whole.starts_with(&self.text) => out.push_str(&self.anew()),
            Stretch::Whole(_) | Stretch::More(_) => {}
        }
        text.apply(&mut self.text);
        // Blank ends wait: an answer has none.
        let begin = self.shown.max(self.text.len() - self.text.trim_start().len());
        let end = self.text.trim_end().len();
        let more = self.text.get(begin..end).unwrap_or_default();
        if !more.is_empty() {
            out.push_str(&self.canvas.grow(&harmless(more), size));
            self.shown = end;
        }
        out
    }

    /// What is new of a text whose beginning is on the screen.
    fn rest<'a>(&self, text: &'a str) -> Option<&'a str> {
        let shown = self.text.get(..self.shown)?.trim_start();
        if shown.is_empty() { None } else { text.trim_start().strip_prefix(shown) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::client::glass::Glass;

    const SIZE: Size = Size { columns: 20, rows: 24 };

    struct Watched {
        live: Live,
        glass: Glass,
    }

    impl Watched {
        fn new() -> Self {
            Self { live: Live::default(), glass: Glass::new(SIZE.columns) }
        }

        fn preview(&mut self, thinking: Option<Stretch>, text: Option<Stretch>) -> String {
            let preview = Preview { stream: 7, answers: None, thinking, text };
            self.glass.write(&self.live.preview(&preview, SIZE, Ink::Dim));
            self.glass.text()
        }

        fn message(&mut self, kind: MessageKind, text: &str) -> String {
            let message = Message {
                id: "t1".into(),
                answers: None,
                kind,
                text: text.into(),
                buttons: Vec::new(),
                last: false,
            };
            self.glass.write(&self.live.message(&message, SIZE, Ink::Dim));
            self.glass.text()
        }
    }

    fn whole(text: &str) -> Option<Stretch> {
        Some(Stretch::Whole(text.into()))
    }

    fn more(text: &str) -> Option<Stretch> {
        Some(Stretch::More(text.into()))
    }

    #[test]
    fn an_answer_is_read_as_it_grows_and_stands_once() {
        let mut seen = Watched::new();
        assert_eq!(seen.preview(whole("The person asks"), None), "│ The person asks");
        assert_eq!(seen.preview(None, whole("\n\nBec")), "Bec");
        assert_eq!(seen.preview(None, more("ause of the long row\n\n")), "Because of the long \nrow");
        assert_eq!(
            seen.message(MessageKind::Text, "Because of the long row\n\nYes."),
            "Because of the long \nrow\n\nYes."
        );
        // The next answer begins anew, also where its beginning is the same.
        seen.preview(None, whole("Because"));
        assert_eq!(seen.message(MessageKind::Text, "Because"), "Because of the long \nrow\n\nYes.\nBecause");
    }

    #[test]
    fn what_is_another_text_is_written_whole() {
        let mut seen = Watched::new();
        seen.preview(None, whole("Yes and"));
        assert_eq!(seen.message(MessageKind::Text, "No."), "Yes and\nNo.");
        seen.preview(None, whole("Perhaps"));
        assert_eq!(seen.preview(None, whole("Never")), "Yes and\nNo.\nPerhaps\nNever");
        assert_eq!(
            seen.message(MessageKind::Failure, "⚠️ Broken."),
            "Yes and\nNo.\nPerhaps\nNever\n⚠️ Broken."
        );
    }

    #[test]
    fn bubbles_stand_between_and_words_behind_them_go_on() {
        let mut seen = Watched::new();
        seen.preview(whole("hm"), whole("One"));
        assert_eq!(seen.message(MessageKind::Notice, "🛠️ Exec"), "One\n🛠️ Exec");
        assert_eq!(seen.preview(None, more(" two")), "One\n🛠️ Exec\n two");
        assert_eq!(seen.message(MessageKind::Text, "One two"), "One\n🛠️ Exec\n two");
        assert_eq!(seen.message(MessageKind::Thinking, "hm"), "One\n🛠️ Exec\n two\n│ hm");
    }

    #[test]
    fn what_a_person_types_is_not_written_over() {
        let mut seen = Watched::new();
        seen.preview(whole("hm"), whole("One"));
        seen.glass.write("> /stop\n");
        seen.live.typed();
        assert_eq!(seen.message(MessageKind::Text, "One ⏹"), "One\n> /stop\n ⏹");
    }

    #[test]
    fn a_model_cannot_command_the_terminal_while_it_writes() {
        let mut seen = Watched::new();
        seen.preview(whole("\x1b[2J"), None);
        assert_eq!(seen.preview(None, whole("a\x1b")), "a␛");
        assert_eq!(seen.preview(None, more("[2Jb\r\u{7}\u{9b}0m")), "a␛[2Jb␇\u{fffd}0m");
    }

    proptest! {
        #[test]
        fn however_it_is_cut_the_answer_stands_once(text in "[a-z \n]{0,80}", cuts in proptest::collection::vec(0_usize..80, 0..6)) {
            let mut cuts = cuts;
            cuts.sort_unstable();
            let (mut seen, mut sent) = (Watched::new(), String::new());
            for cut in cuts {
                let now = text.get(..cut.min(text.len())).unwrap_or_default();
                seen.preview(more(&now.len().to_string()), Stretch::between(&sent, now));
                sent = now.to_owned();
            }
            seen.message(MessageKind::Text, text.trim_end());
            let mut plain = Glass::new(SIZE.columns);
            plain.write(text.trim_start());
            let seen = seen.glass.text();
            prop_assert_eq!(seen.trim_start(), plain.text());
        }
    }
}
