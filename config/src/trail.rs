//! The way to a value in the file: shown in messages, and followed to find its line.

use std::fmt;

/// Keys and indices from the top of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Trail(Vec<Step>);

/// One step down.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

impl Trail {
    /// From the top along keys.
    pub(crate) fn of(keys: &[&str]) -> Self {
        Self(keys.iter().map(|key| Step::Key((*key).to_owned())).collect())
    }

    pub(crate) fn key(&self, key: &str) -> Self {
        self.with(Step::Key(key.to_owned()))
    }

    pub(crate) fn index(&self, index: usize) -> Self {
        self.with(Step::Index(index))
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.0
    }

    fn with(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }
}

impl fmt::Display for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the top of the file");
        }
        for (place, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if !plain(key) => write!(f, "[{}]", crate::fault::quoted(key))?,
                Step::Key(key) if place == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

fn plain(key: &str) -> bool {
    !key.is_empty() && key.len() <= 60 && key.chars().all(|c| c.is_ascii_alphanumeric() || "_-$*".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_reads_like_code() {
        let trail = Trail::of(&["agents", "defaults", "models", "openai/gpt-5"]).key("alias");
        assert_eq!(trail.to_string(), "agents.defaults.models[\"openai/gpt-5\"].alias");
        assert_eq!(Trail::of(&["bindings"]).index(2).key("agent").to_string(), "bindings[2].agent");
        assert_eq!(Trail::default().to_string(), "the top of the file");
    }
}
