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
    seals: HashMap<String, Sealed>,
    calls: HashMap<String, Given>,
    /// Keys of both, oldest first.
    order: VecDeque<String>,
}

/// What a seal belongs to.
#[derive(Debug)]
struct Sealed {
    text: String,
    /// What was said before, as a number.
    before: u64,
}

/// What came with a tool call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// The model that called: to another one the call is a stranger's, of whom nothing is known.
    model: String,
    /// The thoughts of its turn before it.
    pub(crate) thought: String,
    /// The seal on the call itself.
    pub(crate) signature: Option<String>,
    /// The seals of its turn before it.
    pub(crate) seals: Vec<String>,
}

impl Vault {
    /// The seal was given out for just this text.
    pub(crate) fn fits(&self, signature: &str, text: &str) -> bool {
        self.seals.get(signature).is_some_and(|sealed| sealed.text == text)
    }

    /// The seal was given out.
    pub(crate) fn knows(&self, signature: &str) -> bool {
        self.seals.contains_key(signature)
    }

    /// What was said before the thought of this seal.
    pub(crate) fn bound_to(&self, signature: &str) -> Option<u64> {
        self.seals.get(signature).map(|sealed| sealed.before)
    }

    /// What came with the call of this id, if the fake made it as this model.
    pub(crate) fn call(&self, model: &str, id: &str) -> Option<&Given> {
        self.calls.get(id).filter(|given| given.model == model)
    }

    /// The same, whichever of the vendor's models it was made as.
    pub(crate) fn call_of_any(&self, id: &str) -> Option<&Given> {
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
    model: String,
    before: u64,
    count: usize,
}

impl Sealer {
    pub(crate) fn new(vault: Arc<Mutex<Vault>>, number: usize, model: &str) -> Self {
        Self { vault, number, model: model.to_owned(), before: 0, count: 0 }
    }

    /// From now on seals are bound to what was said before.
    pub(crate) fn bind(&mut self, before: u64) {
        self.before = before;
    }

    /// The seal of `text`: the given one, or a new one.
    pub(crate) fn seal(&mut self, text: &str, given: Option<&str>) -> String {
        self.count += 1;
        let signature = given.map_or_else(|| self.invent(text), str::to_owned);
        let mut vault = lock(&self.vault);
        vault.seals.insert(signature.clone(), Sealed { text: text.to_owned(), before: self.before });
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
        self.given(id, |given| given.thought = thought.to_owned());
        lock(&self.vault).keep(id);
    }

    /// Remembers the seals of a call's turn.
    pub(crate) fn came_after(&self, id: &str, seals: Vec<String>) {
        self.given(id, |given| given.seals = seals);
    }

    /// Remembers the seal on a call.
    pub(crate) fn signed(&self, id: &str, signature: &str) {
        self.given(id, |given| given.signature = Some(signature.to_owned()));
    }

    fn given(&self, id: &str, note: impl FnOnce(&mut Given)) {
        let mut vault = lock(&self.vault);
        let given = vault.calls.entry(id.to_owned()).or_default();
        given.model.clone_from(&self.model);
        note(given);
    }
}

/// No test goes on after a panic under this lock.
pub(crate) fn lock(vault: &Mutex<Vault>) -> MutexGuard<'_, Vault> {
    vault.lock().unwrap_or_else(PoisonError::into_inner)
}
