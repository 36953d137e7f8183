//! A person's talk with a bot on Discord, read in order: every message of the bot counts, so that one too many is found by
//! whatever is asked next.

use std::collections::BTreeSet;

use crate::discord::{DiscordFake, Person, Seen};
use crate::scene::Scene;

/// What the first bot says in one channel in the eyes of one person, message by message.
#[derive(Clone, Debug)]
pub struct Chat {
    discord: DiscordFake,
    person: Person,
    read: BTreeSet<u64>,
}

impl Chat {
    /// The talk of `person` where they look now. What stands there already is not read again.
    pub fn with(scene: &Scene, person: &Person) -> Self {
        let mut chat =
            Self { discord: scene.discord.clone(), person: person.clone(), read: BTreeSet::default() };
        chat.read = chat.said().map(|seen| seen.id).collect();
        chat
    }

    /// The person.
    pub fn person(&self) -> &Person {
        &self.person
    }

    /// The same channel with somebody else at the keyboard; what both see is read once.
    pub fn handed_to(&mut self, person: &Person) -> &mut Self {
        self.person = person.at(self.person.channel());
        self
    }

    /// Writes and gives the text of the next message.
    pub async fn ask(&mut self, text: &str) -> String {
        self.person.say(text);
        self.hear().await
    }

    /// Calls the bot by its name and gives the text of the next message.
    pub async fn call(&mut self, text: &str) -> String {
        self.person.mention_and_say(text);
        self.hear().await
    }

    /// The text of the next message.
    pub async fn hear(&mut self) -> String {
        self.next().await.text
    }

    /// The next message of the bot that was not read yet. "… is thinking" is none.
    pub async fn next(&mut self) -> Seen {
        let seen = self.discord.wait_until(|_| self.said().find(|seen| !self.read.contains(&seen.id))).await;
        self.read.insert(seen.id);
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

    fn said(&self) -> impl Iterator<Item = Seen> {
        let bot = self.discord.bot().id();
        self.person.sees().into_iter().filter(move |seen| seen.from == bot && !seen.loading)
    }
}
