//! What a message may have of what it asks: what is stored, what holds for this message alone, what is answered and
//! whether the model runs.

use crate::bench::Bench;
use crate::pick::{new_model, pick};
use crate::{
    Ask, Change, Defaults, Effort, ModelEntry, OnceOverrides, Overrides, Parsed, Picker, Profile, Scope,
    Shape,
};

/// Whether the sender is an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    /// May do everything.
    Yes,
    /// May talk to the bot.
    No,
}

/// What holds while a message is judged.
#[derive(Clone, Copy)]
pub struct Standing<'a> {
    /// Who wrote it.
    pub owner: Owner,
    /// What the sender has stored.
    pub sender: &'a Overrides,
    /// What is stored for the chat.
    pub chat: &'a Overrides,
    /// What is configured.
    pub defaults: &'a Defaults,
    /// The tier that is kept for the whole daemon.
    pub effort: Option<Effort>,
    /// What the model now in force offers.
    pub profile: &'a Profile,
    /// The models that may be picked, in the order of `/model list`; the same that [`crate::Typed`] was given.
    pub models: &'a [ModelEntry],
    /// What a model that is about to be picked offers, and what is configured with it.
    pub with_model: &'a dyn Fn(&str) -> (Profile, Defaults),
}

/// Whether the model gets the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunsModel {
    /// It does.
    Yes,
    /// There is none, or the sender must put something right first.
    No,
}

/// What is to be done about a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The acknowledgement. Send it only after the changes are on disk.
    pub reply: Option<String>,
    /// What can be picked with a touch, where the message only asked what holds.
    pub pickers: Vec<Picker>,
    /// What to store, for [`Verdict::scope`].
    pub changes: Vec<Change>,
    /// Whose overrides change.
    pub scope: Scope,
    /// What to keep as the tier of the whole daemon, whatever the scope: one, or none from now on.
    pub effort: Option<Option<Effort>>,
    /// What holds for this message alone.
    pub once: OnceOverrides,
    /// Whether the model gets the text.
    pub run: RunsModel,
}

/// Judges a message by the standing of its sender: each family alone, so that what is right applies though something
/// else is refused.
pub fn judge(parsed: &Parsed, standing: &Standing<'_>) -> Verdict {
    if parsed.shape == Shape::Plain {
        return Verdict::empty(parsed);
    }
    if parsed.scope == Scope::Chat && standing.owner == Owner::No && parsed.asks.iter().any(Ask::changes) {
        let reply = Some(restricted("--chat"));
        return Verdict { reply, run: RunsModel::No, ..Verdict::empty(parsed) };
    }
    let pick = pick(parsed, standing);
    let mut bench = Bench::new(parsed, standing, &pick);
    if !parsed.asks.iter().any(|ask| matches!(ask, Ask::Think(_))) {
        bench.tell_of_moved_level(&pick);
    }
    for ask in &parsed.asks {
        bench.ask(ask, &pick);
    }
    let asks_for_model = parsed.asks.iter().any(|ask| matches!(ask, Ask::Model(_)));
    for call in &parsed.commands {
        match new_model(call).filter(|_| !asks_for_model) {
            Some(want) => bench.model(&want, &pick),
            None => bench.command(call),
        }
    }
    bench.rise()
}

impl Verdict {
    /// Makes the changes on copies of what is stored.
    pub fn apply(&self, sender: &mut Overrides, chat: &mut Overrides) {
        let overrides = match self.scope {
            Scope::Sender => sender,
            Scope::Chat => chat,
        };
        for change in &self.changes {
            overrides.apply(change);
        }
    }

    /// Nothing asked, nothing answered.
    pub(crate) fn empty(parsed: &Parsed) -> Self {
        let run = match parsed.shape {
            Shape::DirectiveOnly => RunsModel::No,
            Shape::Plain | Shape::Mixed => RunsModel::Yes,
        };
        let (scope, once) = (parsed.scope, OnceOverrides::default());
        Self { reply: None, pickers: Vec::new(), changes: Vec::new(), scope, effort: None, once, run }
    }
}

/// The answer to somebody who is no owner.
pub(crate) fn restricted(what: &str) -> String {
    format!("❌ {what} is restricted to owners.")
}
