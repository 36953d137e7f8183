//! What a person sees at a moment and what they saw at each one: messages that stand and the drafts below them.

use super::{Draft, Seen, TelegramFake};

/// A chat on a person's phone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Screen {
    /// Oldest first.
    pub messages: Vec<Seen>,
    /// Below them, those of the chat itself before those of its topics.
    pub drafts: Vec<Draft>,
}

impl Screen {
    /// How often a text of a bot's can be read that contains `part`: more than once is once too often.
    pub fn copies(&self, part: &str) -> usize {
        self.texts().iter().filter(|text| text.contains(part)).count()
    }

    /// What bots say here, drafts included.
    pub fn texts(&self) -> Vec<&str> {
        let messages = self.messages.iter().filter(|seen| seen.by_bot).map(|seen| seen.text.as_str());
        messages.chain(self.drafts.iter().map(|draft| draft.text.as_str())).collect()
    }
}

/// One picture of a [`Film`].
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Milliseconds on the clock that the fake follows.
    pub moment: i64,
    /// What could be seen from then on.
    pub screen: Screen,
}

/// Takes a picture whenever a bot changes what is seen in a chat. Drafts that fade by themselves make no picture.
#[derive(Clone, Debug)]
pub struct Film {
    fake: TelegramFake,
    key: (i64, i64),
}

impl Film {
    pub(crate) fn begin(fake: &TelegramFake, chat: i64, bot: i64) -> Self {
        fake.world().film(chat, bot);
        Self { fake: fake.clone(), key: (chat, bot) }
    }

    /// All pictures, the first being that of the beginning.
    pub fn frames(&self) -> Vec<Frame> {
        self.fake.world().films.get(&self.key).cloned().unwrap_or_default()
    }

    /// The most copies of a text with `part` in it that could ever be read at the same moment.
    pub fn most_copies(&self, part: &str) -> usize {
        self.frames().iter().map(|frame| frame.screen.copies(part)).max().unwrap_or_default()
    }

    /// What drafts said one after the other, each text once for as long as it did not change.
    pub fn drafts(&self) -> Vec<String> {
        let frames = self.frames();
        let drafts = frames.iter().flat_map(|frame| &frame.screen.drafts);
        let mut texts: Vec<String> = drafts.map(|draft| draft.text.clone()).collect();
        texts.dedup();
        texts
    }

    /// The first picture in which a text of a bot's contains `part`.
    pub fn first(&self, part: &str) -> Option<Frame> {
        self.frames().into_iter().find(|frame| frame.screen.copies(part) > 0)
    }
}
