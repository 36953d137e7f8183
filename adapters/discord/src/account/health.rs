//! How an account stands, made of how its lines stand.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::Account;
use pensive_contract::intake::{AccountState, Pulse};

use crate::gateway::{Entry, Sign};

/// How one line stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Standing {
    Starting,
    Up,
    Deaf(String),
    Down(String),
}

/// The state and the signs of life of an account.
pub(crate) struct Health {
    account: Account,
    inner: Mutex<Inner>,
}

struct Inner {
    state: AccountState,
    pulse: Pulse,
    name: String,
    lines: Vec<Standing>,
    /// Why events cannot be kept, where they cannot.
    store: Option<String>,
}

impl Health {
    /// An account that has not been heard from.
    pub(crate) fn new(account: Account) -> Self {
        let inner = Inner {
            state: AccountState::Starting,
            pulse: Pulse::default(),
            name: String::new(),
            lines: Vec::new(),
            store: None,
        };
        Self { account, inner: Mutex::new(inner) }
    }

    /// How it stands.
    pub(crate) fn state(&self) -> AccountState {
        self.inner().state.clone()
    }

    /// Its signs of life.
    pub(crate) fn pulse(&self) -> Pulse {
        self.inner().pulse
    }

    /// The account is known by `name` and gets so many lines.
    pub(crate) fn begin(&self, name: &str, lines: u32) {
        let mut inner = self.inner();
        inner.name = format!("@{name}");
        inner.lines = vec![Standing::Starting; usize::try_from(lines).unwrap_or(0)];
    }

    /// Something that it needs before it has lines is not to be had yet.
    pub(crate) fn waits(&self, why: String) {
        let lines = !self.inner().lines.is_empty();
        if !lines {
            self.enter(AccountState::Retrying { why });
        }
    }

    /// Events cannot be kept, or can again.
    pub(crate) fn store(&self, trouble: Option<String>) {
        let mut inner = self.inner();
        if inner.store != trouble {
            inner.store = trouble;
            self.settle(inner);
        }
    }

    /// What a line told.
    pub(crate) fn sign(&self, shard: u32, sign: Sign, now: Timestamp) {
        let mut inner = self.inner();
        match &sign {
            Sign::Acked => inner.pulse.heard = Some(now),
            Sign::Event => inner.pulse.event = Some(now),
            Sign::Up(Entry::Resumed) => inner.pulse.resumes = inner.pulse.resumes.saturating_add(1),
            Sign::Up(Entry::Fresh) | Sign::Deaf(_) | Sign::Down(_) => {}
        }
        let Some(line) = usize::try_from(shard).ok().and_then(|index| inner.lines.get_mut(index)) else {
            return;
        };
        *line = match sign {
            Sign::Acked | Sign::Event => return,
            Sign::Up(_) => Standing::Up,
            Sign::Deaf(why) => Standing::Deaf(why),
            // Until events come again it stays what people need to know.
            Sign::Down(_) if matches!(line, Standing::Deaf(_)) => return,
            Sign::Down(why) => Standing::Down(why),
        };
        self.settle(inner);
    }

    /// Takes on a state, with one line in the log where it is news.
    pub(crate) fn enter(&self, state: AccountState) {
        let before = std::mem::replace(&mut self.inner().state, state.clone());
        if before == state {
            return;
        }
        let account = &self.account;
        match (&before, &state) {
            (_, AccountState::Starting) => {}
            (_, AccountState::Listening { name }) => tracing::info!(%account, name, "listening"),
            (AccountState::Retrying { .. }, AccountState::Retrying { why }) => {
                tracing::debug!(%account, why, "trying again")
            }
            (_, AccountState::Retrying { why }) => tracing::warn!(%account, why, "trying again"),
            (_, AccountState::Deaf { why }) => tracing::warn!(%account, why, "deaf"),
            // Whoever runs the account is handed the fault, and logs it.
            (_, AccountState::Parked { .. }) => {}
        }
    }

    fn settle(&self, inner: MutexGuard<'_, Inner>) {
        let state = inner.whole();
        drop(inner);
        if let Some(state) = state {
            self.enter(state);
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// The worst that there is to tell; nothing new while some lines have not begun.
    fn whole(&self) -> Option<AccountState> {
        if let Some(why) = self.store.clone() {
            return Some(AccountState::Retrying { why });
        }
        let told = |index: usize, why: &str| match self.lines.len() {
            1 => why.to_owned(),
            count => format!("shard {index} of {count}: {why}"),
        };
        let lines = || self.lines.iter().enumerate();
        let deaf = lines().find_map(|(index, line)| match line {
            Standing::Deaf(why) => Some(AccountState::Deaf { why: told(index, why) }),
            Standing::Starting | Standing::Up | Standing::Down(_) => None,
        });
        let down = || {
            lines().find_map(|(index, line)| match line {
                Standing::Down(why) => Some(AccountState::Retrying { why: told(index, why) }),
                Standing::Starting | Standing::Up | Standing::Deaf(_) => None,
            })
        };
        let listening = || {
            let up = self.lines.iter().all(|line| *line == Standing::Up);
            up.then(|| AccountState::Listening { name: self.name.clone() })
        };
        deaf.or_else(down).or_else(listening)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn health(lines: u32) -> Health {
        let health = Health::new(Account { channel: "discord".into(), id: "main".into() });
        health.begin("pensive", lines);
        health
    }

    fn listening() -> AccountState {
        AccountState::Listening { name: "@pensive".to_owned() }
    }

    #[test]
    fn disc_05_an_account_is_deaf_from_the_missed_answer_until_events_come_again() {
        let health = health(1);
        let at = Timestamp(5);
        health.sign(0, Sign::Up(Entry::Fresh), at);
        assert_eq!(health.state(), listening());
        health.sign(0, Sign::Deaf("no answer".to_owned()), at);
        let deaf = AccountState::Deaf { why: "no answer".to_owned() };
        assert_eq!(health.state(), deaf);
        health.sign(0, Sign::Down("cannot be reached".to_owned()), at);
        health.sign(0, Sign::Acked, at);
        assert_eq!(health.state(), deaf);
        health.sign(0, Sign::Up(Entry::Resumed), at);
        assert_eq!(health.state(), listening());
        assert_eq!(health.pulse(), Pulse { heard: Some(at), event: None, resumes: 1 });
    }

    #[test]
    fn the_worst_line_tells_how_the_account_stands() {
        let health = health(2);
        health.sign(0, Sign::Up(Entry::Fresh), Timestamp(1));
        assert_eq!(health.state(), AccountState::Starting);
        health.sign(1, Sign::Down("reset".to_owned()), Timestamp(1));
        assert_eq!(health.state(), AccountState::Retrying { why: "shard 1 of 2: reset".to_owned() });
        health.sign(1, Sign::Up(Entry::Fresh), Timestamp(1));
        assert_eq!(health.state(), listening());
        health.store(Some("the disk is full".to_owned()));
        health.sign(1, Sign::Up(Entry::Resumed), Timestamp(1));
        assert_eq!(health.state(), AccountState::Retrying { why: "the disk is full".to_owned() });
        health.store(None);
        assert_eq!(health.state(), listening());
    }
}
