//! What a message may have of what it asks: what is stored, what holds for this message alone, what is answered and
//! whether the model runs.

use crate::{Change, Defaults, ModelEntry, OnceOverrides, Overrides, Parsed, Profile, Scope, Shape};

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
    /// What the model now in force offers.
    pub profile: &'a Profile,
    /// The models that may be picked, in the order of `/model list`; the same that [`crate::Typed`] was given.
    pub models: &'a [ModelEntry],
    /// What a model offers that may be about to be picked.
    pub profile_of: &'a dyn Fn(&str) -> Profile,
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
    /// What to store, for [`Verdict::scope`].
    pub changes: Vec<Change>,
    /// Whose overrides change.
    pub scope: Scope,
    /// What holds for this message alone.
    pub once: OnceOverrides,
    /// Whether the model gets the text.
    pub run: RunsModel,
}

/// Judges a message by the standing of its sender.
pub fn judge(parsed: &Parsed, _standing: &Standing<'_>) -> Verdict {
    Verdict {
        reply: None,
        changes: Vec::new(),
        scope: parsed.scope,
        once: OnceOverrides::default(),
        run: if parsed.shape == Shape::DirectiveOnly { RunsModel::No } else { RunsModel::Yes },
    }
}
