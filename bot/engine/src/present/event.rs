//! What a stage is told, and what it has others do.

use pensive_contract::model::Recast;
use pensive_contract::outward::Body;
use pensive_contract::store::OutboxKind;
use pensive_contract::tool::Danger;

use super::Failed;
use crate::bubble::Bubble;

/// What happens in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// A piece of reasoning.
    Reasoning(String),
    /// A piece of the answer, or of what is said before a tool is called.
    Text(String),
    /// What the call of the model said so far was of the other kind.
    Recast(Recast),
    /// The call of the model broke and is made again: what it said does not count.
    Broke,
    /// A tool starts. Calls that go on side by side are told in their order.
    Called {
        /// What names the call.
        id: String,
        /// The tool's own name.
        tool: String,
        /// How people see it.
        bubble: Bubble,
    },
    /// A tool has ended.
    Returned {
        /// Which call.
        id: String,
        /// What it gave, without its secrets.
        output: String,
        /// How.
        fate: Fate,
    },
    /// A word of ours that the person is to have before the answer.
    Note(String),
}

/// How a call of a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It could not be made, or somebody did not allow it.
    NotMade,
    /// It was made.
    Done(Danger),
    /// It was made and came to nothing.
    Failed(Danger),
}

/// What is to be done, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Op {
    /// A message goes out.
    Post(Post),
    /// What a preview shows was no answer: one that stands as a message is taken away.
    Retract,
    /// The person asked for live reasoning where nothing can be shown live, and is to hear so once in this chat.
    NoLiveReasoning,
}

/// A message beside the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Post {
    pub(crate) kind: OutboxKind,
    pub(crate) body: Body,
    pub(crate) over: Over,
}

/// What becomes of a preview that stands as a real message when a message goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    /// The message takes its place, so that nothing of ours stands above what came before it.
    Standing,
    /// It stays until the end, and is taken away before the answer, which comes as a message of its own.
    Beside,
}

/// What is left to show when a run has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rest {
    /// Notes that nobody has been sent.
    pub(crate) notes: Vec<String>,
    /// The reasoning that the answer followed from, where it is to be shown.
    pub(crate) thinking: Option<String>,
    /// The words since the last tool, or the last words at all.
    pub(crate) words: Words,
    /// The last call that came to nothing.
    pub(crate) failed: Option<Failed>,
    /// What becomes of a preview that stands.
    pub(crate) over: Over,
}

/// What there is of a run's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Words {
    /// None at all.
    Nothing,
    /// All of them went out as messages.
    Posted,
    /// These did not.
    Unposted(String),
}

impl Words {
    /// Those that are still to be shown.
    pub(crate) fn unposted(self) -> Option<String> {
        match self {
            Self::Unposted(words) => Some(words),
            Self::Posted | Self::Nothing => None,
        }
    }
}
