//! What went wrong, for two readers: words for the person, words for the log, and a class that says what to do next.

use std::time::Duration;

/// What the engine does about a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultClass {
    /// Passing trouble: try again with back-off.
    Again,
    /// The far side named a time: not before it has passed.
    AgainAfter(Duration),
    /// No attempt will help; the person can act on the words.
    TellPerson,
    /// No attempt will help and the person cannot act: an operator or we must mend it.
    OursToMend,
}

/// A fault with its words. The person never sees a path, a body or a trace; the log never holds a secret or a message's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{log}")]
pub struct Fault {
    /// What to do about it.
    pub class: FaultClass,
    /// One plain sentence for the person.
    pub person: String,
    /// The cause, for the log.
    pub log: String,
}

impl Fault {
    /// A fault from its three parts.
    pub fn new(class: FaultClass, person: impl Into<String>, log: impl Into<String>) -> Self {
        Self { class, person: person.into(), log: log.into() }
    }
}
