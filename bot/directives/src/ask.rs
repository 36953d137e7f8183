//! What a message asks of the settings, before anybody has judged whether it may have it.

use crate::{Elevated, Fast, Level, Queue, Reasoning, Trace, Verbose};

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

/// One family's wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// `/think`
    Think(Want<Level>),
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
    /// `/model`
    Model(ModelWant),
    /// `/queue`
    Queue(Want<Queue>),
}

impl Ask {
    /// Where the family stands in every list: asks are judged and answered in this order.
    pub(crate) fn place(&self) -> usize {
        match self {
            Self::Think(_) => 0,
            Self::Fast(_) => 1,
            Self::Verbose(_) => 2,
            Self::Trace(_) => 3,
            Self::Reasoning(_) => 4,
            Self::Elevated(_) => 5,
            Self::Model(_) => 6,
            Self::Queue(_) => 7,
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
            Self::Model(want) => matches!(want, ModelWant::Show | ModelWant::List),
            Self::Queue(want) => shows(want),
        }
    }
}
