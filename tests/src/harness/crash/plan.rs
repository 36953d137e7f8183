//! What people write: settings, questions about settings, questions to the model, both in one message, alone or in a
//! burst. The planner keeps what each chat's settings should be, so that every acknowledgement can be foretold.

use fastrand::Rng;

const THINK: [&str; 5] = ["off", "minimal", "low", "medium", "high"];
const FAST: [&str; 3] = ["on", "off", "auto"];
const VERBOSE: [&str; 3] = ["on", "off", "full"];

/// One message, with what has to come of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errand {
    /// What is typed.
    pub text: String,
    /// The first line of the acknowledgement, where there is one.
    pub acknowledgement: Option<String>,
    /// A word that only the model's answer to this message contains, where the model is asked.
    pub token: Option<String>,
}

/// What one chat has been told so far.
#[derive(Clone, Debug, Default)]
struct Chat {
    think: Option<&'static str>,
    fast: Option<&'static str>,
}

/// Makes up messages.
#[derive(Clone, Debug)]
pub struct Planner {
    rng: Rng,
    chats: Vec<Chat>,
    serial: usize,
}

impl Planner {
    /// The same `seed` makes up the same messages for the same questions.
    pub fn new(seed: u64, chats: usize) -> Self {
        Self { rng: Rng::with_seed(seed), chats: vec![Chat::default(); chats], serial: 0 }
    }

    /// Somebody to write next, of those whom `may` lets.
    pub fn pick(&mut self, may: impl Fn(usize) -> bool) -> Option<usize> {
        let chats: Vec<usize> = (0..self.chats.len()).filter(|chat| may(*chat)).collect();
        self.rng.choice(chats)
    }

    /// What this chat writes next: mostly one message, at times several at once.
    pub fn next(&mut self, chat: usize) -> Vec<Errand> {
        let count = if self.rng.u8(..6) == 0 { self.rng.usize(3..=5) } else { 1 };
        (0..count).filter_map(|_| self.errand(chat)).collect()
    }

    /// Asks a chat for the settings that it was given.
    pub fn questions(&self, chat: usize) -> Vec<Errand> {
        let Some(chat) = self.chats.get(chat) else { return Vec::new() };
        let think = chat
            .think
            .map(|value| Errand::told("/think", format!("Current thinking level: {value} (from session).")));
        let fast = chat.fast.map(|value| {
            let shown = if value == "auto" { "auto (60 sec)" } else { value };
            Errand::told("/fast status", format!("Current fast mode: {shown} (from session)."))
        });
        think.into_iter().chain(fast).collect()
    }

    fn errand(&mut self, chat: usize) -> Option<Errand> {
        match self.rng.u8(..10) {
            0 | 1 => self.set_think(chat),
            2 => self.set_fast(chat),
            3 => self.set_verbose(),
            4 => {
                let questions = self.questions(chat);
                self.rng.choice(questions).or_else(|| self.set_think(chat))
            }
            5 | 6 => self.mixed(),
            _ => Some(self.question(String::new())),
        }
    }

    fn set_think(&mut self, chat: usize) -> Option<Errand> {
        let value = self.rng.choice(THINK)?;
        self.chats.get_mut(chat)?.think = Some(value);
        Some(Errand::told(format!("/think {value}"), think_set(value)))
    }

    fn set_fast(&mut self, chat: usize) -> Option<Errand> {
        let value = self.rng.choice(FAST)?;
        self.chats.get_mut(chat)?.fast = Some(value);
        let told = match value {
            "on" => "⚙️ Fast mode enabled.",
            "off" => "⚙️ Fast mode disabled.",
            _ => "⚙️ Fast mode set to auto.",
        };
        Some(Errand::told(format!("/fast {value}"), told))
    }

    fn set_verbose(&mut self) -> Option<Errand> {
        let value = self.rng.choice(VERBOSE)?;
        let told = match value {
            "on" => "⚙️ Verbose logging enabled.",
            "off" => "⚙️ Verbose logging disabled.",
            _ => "⚙️ Verbose logging set to full.",
        };
        Some(Errand::told(format!("/verbose {value}"), told))
    }

    /// A setting for one message, and the message: it is acknowledged and answered, and nothing is stored.
    fn mixed(&mut self) -> Option<Errand> {
        let value = self.rng.choice(THINK)?;
        let question = self.question(format!("/think {value} "));
        Some(Errand { acknowledgement: Some(think_set(value)), ..question })
    }

    fn question(&mut self, before: String) -> Errand {
        self.serial += 1;
        let token = format!("tok{:06}", self.serial);
        Errand {
            text: format!("{before}please say {token} again"),
            acknowledgement: None,
            token: Some(token),
        }
    }
}

impl Errand {
    fn told(text: impl Into<String>, acknowledgement: impl Into<String>) -> Self {
        Self { text: text.into(), acknowledgement: Some(acknowledgement.into()), token: None }
    }
}

fn think_set(value: &str) -> String {
    if value == "off" { "Thinking disabled.".into() } else { format!("Thinking level set to {value}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_up_the_same() {
        let script = |seed| {
            let mut planner = Planner::new(seed, 3);
            (0..200).flat_map(|n| planner.next(n % 3)).collect::<Vec<_>>()
        };
        assert_eq!(script(7), script(7));
        assert_ne!(script(7), script(8));
    }

    #[test]
    fn a_question_foretells_what_was_set_last() {
        let mut planner = Planner::new(1, 2);
        assert_eq!(planner.questions(0), []);
        let set = planner.set_think(0).expect("a value");
        let value = set.text.strip_prefix("/think ").expect("a directive");
        let asked = planner.questions(0);
        assert_eq!(
            asked[0].acknowledgement,
            Some(format!("Current thinking level: {value} (from session)."))
        );
        assert_eq!(planner.questions(1), []);
    }

    #[test]
    fn tokens_are_unlike() {
        let mut planner = Planner::new(3, 1);
        let errands: Vec<_> = (0..500).flat_map(|_| planner.next(0)).collect();
        let tokens: std::collections::BTreeSet<_> =
            errands.iter().filter_map(|e| e.token.as_deref()).collect();
        assert_eq!(tokens.len(), errands.iter().filter(|e| e.token.is_some()).count());
        assert!(errands.iter().any(|e| e.token.is_some() && e.acknowledgement.is_some()));
    }
}
