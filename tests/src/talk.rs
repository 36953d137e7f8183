//! A person's talk with the bot, read in order: every message of the bot counts, so that one too many is found by whatever
//! is asked next.

use crate::scene::Scene;
use crate::telegram::{Person, Seen, TelegramFake};

/// What the bot says in one chat, message by message.
#[derive(Clone, Debug)]
pub struct Talk {
    telegram: TelegramFake,
    person: Person,
    read: usize,
}

impl Talk {
    /// The talk of `person` where they are writing now. What stands there already is not read again.
    pub fn with(scene: &Scene, person: &Person) -> Self {
        let mut talk = Self { telegram: scene.telegram.clone(), person: person.clone(), read: 0 };
        talk.read = talk.said().len();
        talk
    }

    /// The person.
    pub fn person(&self) -> &Person {
        &self.person
    }

    /// Writes without waiting for anything.
    pub fn say(&self, text: &str) {
        self.person.say(text);
    }

    /// The same chat with somebody else at the keyboard.
    pub fn handed_to(&mut self, person: &Person) -> &mut Self {
        self.person = person.clone();
        self
    }

    /// Writes and gives the text of the next message.
    pub async fn ask(&mut self, text: &str) -> String {
        self.say(text);
        self.hear().await
    }

    /// The text of the next message.
    pub async fn hear(&mut self) -> String {
        self.next().await.text
    }

    /// The next message of the bot that was not read yet.
    pub async fn next(&mut self) -> Seen {
        let seen = self.telegram.wait_until(|_| self.said().into_iter().nth(self.read)).await;
        self.read += 1;
        seen
    }

    /// Writes each of the left and finds its answer at the right.
    ///
    /// # Panics
    /// Some answers are others: all of them are shown.
    pub async fn check(&mut self, table: &[(&str, &str)]) {
        let mut wrong = String::new();
        for (text, expected) in table {
            let answer = self.ask(text).await;
            if answer != *expected {
                wrong
                    .push_str(&format!("\n{text:?}\n  was answered {answer:?}\n  and not      {expected:?}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong}");
    }

    fn said(&self) -> Vec<Seen> {
        let bot = self.telegram.bot().id();
        self.telegram.messages(self.person.chat()).into_iter().filter(|seen| seen.from == bot).collect()
    }
}
