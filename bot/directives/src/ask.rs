//! What a message asks of the settings, before anybody has judged whether it may have it.

use crate::scan::number;
use crate::{CommandName, Effort, Elevated, Fast, LevelWord, Queue, Reasoning, Trace, Verbose};

/// What was typed after a directive's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Want<T> {
    /// A known value.
    Set(T),
    /// One of the words that give an override up.
    Clear,
    /// No value: tell what holds and what there is.
    Show {
        /// What the following word may have been meant to be.
        near: Option<T>,
    },
    /// `status`: tell what holds.
    Status,
    /// A word that is no value, where it cannot be part of a prompt.
    Unknown {
        /// The word, cut short when it is very long.
        word: String,
        /// What it may have been meant to be.
        near: Option<T>,
    },
}

/// What was typed after `/model`. Whether the name is one is for the judge to say, who knows the models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelWant {
    /// `provider/model` or an alias, as it was typed.
    Pick(String),
    /// A place in the list that `/model list` shows, counted from one.
    Number(usize),
    /// Back to the configured model.
    Clear,
    /// Tell which model holds.
    Show,
    /// Tell which models there are.
    List,
}

impl ModelWant {
    /// What a word means that stands where only a model can stand.
    pub(crate) fn named(word: &str) -> Self {
        number(word).map_or_else(|| Self::Pick(word.to_owned()), Self::Number)
    }
}

/// One family's wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// `/think`
    Think(Want<LevelWord>),
    /// `/fast`
    Fast(Want<Fast>),
    /// `/verbose`
    Verbose(Want<Verbose>),
    /// `/trace`
    Trace(Want<Trace>),
    /// `/reasoning`
    Reasoning(Want<Reasoning>),
    /// `/elevated`
    Elevated(Want<Elevated>),
    /// `/effort`
    Effort(Want<Effort>),
    /// `/model`
    Model(ModelWant),
    /// `/queue`
    Queue(Want<Queue>),
}

impl Ask {
    /// The directive that it was typed with. Its place among the commands is the order in which asks are answered.
    pub(crate) fn command(&self) -> CommandName {
        match self {
            Self::Think(_) => CommandName::Think,
            Self::Fast(_) => CommandName::Fast,
            Self::Verbose(_) => CommandName::Verbose,
            Self::Trace(_) => CommandName::Trace,
            Self::Reasoning(_) => CommandName::Reasoning,
            Self::Elevated(_) => CommandName::Elevated,
            Self::Effort(_) => CommandName::Effort,
            Self::Model(_) => CommandName::Model,
            Self::Queue(_) => CommandName::Queue,
        }
    }

    /// Whether it would change something, were it granted.
    pub(crate) fn changes(&self) -> bool {
        fn sets<T>(want: &Want<T>) -> bool {
            matches!(want, Want::Set(_) | Want::Clear)
        }
        match self {
            Self::Think(want) => sets(want),
            Self::Fast(want) => sets(want),
            Self::Verbose(want) => sets(want),
            Self::Trace(want) => sets(want),
            Self::Reasoning(want) => sets(want),
            Self::Elevated(want) => sets(want),
            Self::Effort(want) => sets(want),
            Self::Model(want) => matches!(want, ModelWant::Pick(_) | ModelWant::Number(_) | ModelWant::Clear),
            Self::Queue(want) => sets(want),
        }
    }

    /// Whether it only asks what holds.
    pub(crate) fn shows(&self) -> bool {
        fn shows<T>(want: &Want<T>) -> bool {
            matches!(want, Want::Show { .. } | Want::Status)
        }
        match self {
            Self::Think(want) => shows(want),
            Self::Fast(want) => shows(want),
            Self::Verbose(want) => shows(want),
            Self::Trace(want) => shows(want),
            Self::Reasoning(want) => shows(want),
            Self::Elevated(want) => shows(want),
            Self::Effort(want) => shows(want),
            Self::Model(want) => matches!(want, ModelWant::Show | ModelWant::List),
            Self::Queue(want) => shows(want),
        }
    }
}
