//! The engine's side, played by the test.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "test support fails the test")]

use std::sync::Arc;

use async_trait::async_trait;
use pensive_contract::ids::Account;
use pensive_contract::inbound::Inbound;
use pensive_contract::intake::{Asked, Intake, Kept, Suggestion};
use pensive_contract::store::{Cursor, StoreFault};
use tokio::sync::{mpsc, oneshot};

/// A batch that waits for the test's word before it counts as kept.
pub(crate) struct Taken {
    pub(crate) batch: Vec<Inbound>,
    answer: oneshot::Sender<Result<(), StoreFault>>,
}

impl Taken {
    pub(crate) fn kept(self) {
        self.answer.send(Ok(())).unwrap();
    }

    pub(crate) fn failed(self) {
        self.answer.send(Err(StoreFault::Disk("full".to_owned()))).unwrap();
    }

    /// What was written, in order.
    pub(crate) fn texts(&self) -> Vec<&str> {
        self.batch.iter().filter_map(Inbound::typed).map(|typed| typed.text.as_str()).collect()
    }
}

/// Takes everything in but what comes from the sender `666`, and suggests what was typed.
pub(crate) struct Engine {
    batches: mpsc::Sender<Taken>,
}

impl Engine {
    pub(crate) fn new() -> (Arc<Self>, mpsc::Receiver<Taken>) {
        let (batches, taken) = mpsc::channel(16);
        (Arc::new(Self { batches }), taken)
    }
}

#[async_trait]
impl Intake for Engine {
    async fn take(&self, batch: Vec<Inbound>, _cursor: Option<Cursor>) -> Result<Kept, StoreFault> {
        let (answer, kept) = oneshot::channel();
        self.batches.send(Taken { batch, answer }).await.unwrap();
        kept.await.unwrap_or(Err(StoreFault::Closed)).map(|()| Kept::default())
    }

    async fn cursor(&self, _account: &Account) -> Result<Option<Cursor>, StoreFault> {
        Ok(None)
    }

    fn admits(&self, inbound: &Inbound) -> bool {
        inbound.sender.id.as_str() != "666"
    }

    async fn suggest(&self, asked: &Asked) -> Vec<Suggestion> {
        vec![Suggestion { label: format!("{} it is", asked.typed), value: asked.typed.clone() }]
    }
}
