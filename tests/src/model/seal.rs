//! What the fake gave out and wants back unchanged: the seals of its thoughts, and what came with its tool calls.

use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Seals that are remembered; runs of millions forget the oldest.
const KEPT: usize = 65_536;

/// All that one fake gave out.
#[derive(Debug, Default)]
pub(crate) struct Vault {
    /// The text that a seal belongs to.
    seals: HashMap<String, String>,
    calls: HashMap<String, Given>,
    /// Keys of both, oldest first.
    order: VecDeque<String>,
}

/// What came with a tool call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// The thoughts of its turn before it.
    pub(crate) thought: String,
    /// The seal on the call itself.
    pub(crate) signature: Option<String>,
}

impl Vault {
    /// The seal was given out for just this text.
    pub(crate) fn fits(&self, signature: &str, text: &str) -> bool {
        self.seals.get(signature).is_some_and(|sealed| sealed == text)
    }

    /// The seal was given out.
    pub(crate) fn knows(&self, signature: &str) -> bool {
        self.seals.contains_key(signature)
    }

    /// What came with the call of this id, if the fake made it.
    pub(crate) fn call(&self, id: &str) -> Option<&Given> {
        self.calls.get(id)
    }

    fn keep(&mut self, key: &str) {
        if self.order.len() >= KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.seals.remove(&oldest);
            self.calls.remove(&oldest);
        }
        self.order.push_back(key.to_owned());
    }
}

/// Seals the thoughts of one answer.
#[derive(Clone, Debug)]
pub(crate) struct Sealer {
    vault: Arc<Mutex<Vault>>,
    number: usize,
    count: usize,
}

impl Sealer {
    pub(crate) fn new(vault: Arc<Mutex<Vault>>, number: usize) -> Self {
        Self { vault, number, count: 0 }
    }

    /// The seal of `text`: the given one, or a new one.
    pub(crate) fn seal(&mut self, text: &str, given: Option<&str>) -> String {
        self.count += 1;
        let signature = given.map_or_else(|| self.invent(text), str::to_owned);
        let mut vault = lock(&self.vault);
        vault.seals.insert(signature.clone(), text.to_owned());
        vault.keep(&signature);
        drop(vault);
        signature
    }

    /// Valid Base64 of either alphabet that is the same after being decoded and encoded again.
    fn invent(&self, text: &str) -> String {
        let mut hasher = DefaultHasher::new();
        (self.number, self.count, text).hash(&mut hasher);
        format!("FakeSeal{:016x}", hasher.finish())
    }

    /// Remembers a call and the thoughts that came before it.
    pub(crate) fn called(&self, id: &str, thought: &str) {
        let mut vault = lock(&self.vault);
        vault.calls.entry(id.to_owned()).or_default().thought = thought.to_owned();
        vault.keep(id);
    }

    /// Remembers the seal on a call.
    pub(crate) fn signed(&self, id: &str, signature: &str) {
        lock(&self.vault).calls.entry(id.to_owned()).or_default().signature = Some(signature.to_owned());
    }
}

/// No test goes on after a panic under this lock.
pub(crate) fn lock(vault: &Mutex<Vault>) -> MutexGuard<'_, Vault> {
    vault.lock().unwrap_or_else(PoisonError::into_inner)
}
