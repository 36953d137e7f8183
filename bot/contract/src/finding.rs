//! What an examination finds, for whoever runs the daemon.

/// How good what was found is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// As it should be.
    Good,
    /// It works, and may not do what was meant.
    Doubtful,
    /// It does not work.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How good it is.
    pub grade: Grade,
    /// What was looked at, in a few words.
    pub about: String,
    /// What was found.
    pub found: String,
    /// What to do about it; empty where nothing is to be done.
    pub advice: String,
}

impl Finding {
    /// Something that is as it should be.
    pub fn good(about: impl Into<String>, found: impl Into<String>) -> Self {
        Self { grade: Grade::Good, about: about.into(), found: found.into(), advice: String::new() }
    }

    /// Something that works, with what to do about it.
    pub fn doubtful(about: impl Into<String>, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { grade: Grade::Doubtful, about: about.into(), found: found.into(), advice: advice.into() }
    }

    /// Something that does not work, with what to do about it.
    pub fn bad(about: impl Into<String>, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { grade: Grade::Bad, about: about.into(), found: found.into(), advice: advice.into() }
    }
}
