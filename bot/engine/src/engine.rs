//! The engine as the other rooms see it: takes events in, goes on after a restart, says things, tells how it stands,
//! and ends.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use pensive_contract::clock::within;
use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::ids::{Account, MessageId, UpdateId};
use pensive_contract::inbound::{Addressed, Inbound, Place};
use pensive_contract::intake::{Asked, Intake, Kept, Suggestion};
use pensive_contract::outward::{Body, Finality};
use pensive_contract::store::{Cursor, InboxEntry, InboxState, OutboxEntry, OutboxKind, StoreFault, Write};
use tokio::sync::oneshot;

use crate::access::Admission;
use crate::album;
use crate::core::{Core, Letter, Ports};
use crate::courier::Parcel;
use crate::hearing::{self, Heard};
use crate::notices;
use crate::rate::Gate;
use crate::recovery;
use crate::settings::EngineSettings;
use crate::suggest;

/// How old an event may be when it comes in: as long as events are known as seen.
const OLDEST: Duration = Duration::from_hours(24);

/// How the daemon stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// The version.
    pub version: String,
    /// How long it has been up.
    pub up: Duration,
    /// Sessions that are kept.
    pub sessions: u64,
    /// Sessions with something going on, or lately.
    pub lanes: usize,
    /// Runs under way.
    pub runs: usize,
}

/// A batch after the door.
#[derive(Default)]
struct Sifted {
    admitted: Vec<Inbound>,
    /// What was heard of each, by the name of its event.
    heard: VecDeque<(UpdateId, Heard)>,
    told: Vec<OutboxEntry>,
    /// Who wrote these has been told before.
    hushed: Vec<UpdateId>,
}

/// The product's behaviour, assembled over its ports.
pub struct Engine {
    core: Arc<Core>,
}

impl Engine {
    /// An engine that does nothing until it is given something.
    ///
    /// # Errors
    /// The store could not be read.
    pub async fn new(ports: Ports, settings: EngineSettings) -> Result<Arc<Self>, StoreFault> {
        Ok(Arc::new(Self { core: Arc::new(Core::new(ports, settings).await?) }))
    }

    /// Goes on where the last life ended: messages that were not begun run, runs that were cut off are told, and what
    /// was to be sent is sent. Called once, before any channel runs.
    ///
    /// # Errors
    /// The store could not be read or written.
    pub async fn recover(&self) -> Result<(), StoreFault> {
        recovery::recover(&self.core).await
    }

    /// Ends: no new run starts, runs that go on have `grace`, and everything is over when this returns. What did not
    /// end in time is told after the next start.
    pub async fn drain(&self, grace: Duration) {
        let core = &self.core;
        core.closing.cancel();
        core.lane_tasks.close();
        let ended = async {
            core.lane_tasks.wait().await;
            core.couriers.all_quiet().await;
        };
        if within(&*core.ports.clock, grace, ended).await.is_err() {
            tracing::warn!("runs or messages were cut off");
        }
        core.abort.cancel();
        core.lane_tasks.wait().await;
        core.tasks.close();
        core.tasks.wait().await;
    }

    /// Sends a message of ours, for scripts. Returns when it has landed.
    ///
    /// # Errors
    /// It did not land, or nobody knows; the words say which.
    pub async fn say(&self, to: &Place, body: Body) -> Result<Vec<MessageId>, Fault> {
        let letter = Letter {
            kind: OutboxKind::Notice,
            bodies: vec![body],
            buttons: Vec::new(),
            finality: Finality::More,
            file: None,
        };
        let Some(entry) = self.core.seal(letter, to, None) else {
            let words = format!("There is nothing to send, or no account {}.", to.account);
            return Err(Fault::new(FaultClass::TellPerson, words.clone(), words));
        };
        let stored = self.core.ports.ledger.commit(vec![Write::Outbox(entry.clone())]).await;
        stored.map_err(|fault| {
            Fault::new(FaultClass::OursToMend, "The store did not take it.", fault.to_string())
        })?;
        let (done, landed) = oneshot::channel();
        self.core.dispatch(Parcel { entry, done: Some(done) });
        landed.await.unwrap_or_else(|_| {
            let words = "The daemon ended before it was sent; it will be sent at the next start.";
            Err(Fault::new(FaultClass::TellPerson, words, words))
        })
    }

    /// How the daemon stands.
    ///
    /// # Errors
    /// The store could not be read.
    pub async fn overview(&self) -> Result<Overview, StoreFault> {
        let core = &self.core;
        Ok(Overview {
            version: core.settings.version.clone(),
            up: core.now().since(core.started),
            sessions: core.ports.sessions.count().await?,
            lanes: core.lanes.count(),
            runs: core.settings.max_concurrent.max(1).saturating_sub(core.slots.available_permits()),
        })
    }

    /// Hears a batch: what comes in, and the lines for those who write too fast.
    fn sift(&self, batch: Vec<Inbound>) -> Sifted {
        let now = self.core.now();
        let mut sifted = Sifted { admitted: Vec::with_capacity(batch.len()), ..Sifted::default() };
        // A caption may call us for parts of its album that came before it.
        let called = |inbound: &&Inbound| inbound.album.is_some() && inbound.addressed == Addressed::Yes;
        let callers: Vec<Inbound> = batch.iter().filter(called).cloned().collect();
        for mut inbound in batch {
            if now.since(inbound.at) > OLDEST {
                tracing::info!(account = %inbound.place.account, "an event older than a day was dropped");
                continue;
            }
            let known = self.core.albums.knows(&inbound);
            if known || callers.iter().any(|caller| album::same(caller, &inbound)) {
                inbound.addressed = Addressed::Yes;
            }
            let heard = hearing::hear(&self.core, &inbound);
            if !self.comes_in(&inbound, &heard) {
                continue;
            }
            let gate = if known { Gate::Pass } else { hearing::gate(&self.core, &inbound, &heard) };
            match gate {
                Gate::Pass => {
                    self.core.albums.note(&inbound);
                    sifted.heard.push_back((inbound.update.clone(), heard));
                    sifted.admitted.push(inbound);
                }
                Gate::Silent => sifted.hushed.push(inbound.update),
                Gate::Tell(wait) => {
                    let letter = Letter::plain(OutboxKind::Notice, notices::too_fast(wait)).last();
                    sifted.told.extend(self.core.seal(letter, &inbound.place, Some(inbound.message.clone())));
                }
            }
        }
        sifted
    }

    fn comes_in(&self, inbound: &Inbound, heard: &Heard) -> bool {
        match heard.admission {
            Admission::Admitted => true,
            // Whatever others say among themselves would bury it.
            Admission::Stranger if inbound.addressed == Addressed::No => {
                tracing::debug!(account = %inbound.place.account, chat = %inbound.place.chat, "said elsewhere");
                false
            }
            Admission::Stranger => {
                let space = inbound.place.space.as_ref().map(tracing::field::display);
                tracing::info!(
                    account = %inbound.place.account, sender = %inbound.sender.id, chat = %inbound.place.chat, space,
                    "somebody who is on no list wrote; nothing was kept"
                );
                false
            }
            Admission::NotForUs => {
                tracing::debug!(account = %inbound.place.account, chat = %inbound.place.chat, "not meant for us");
                false
            }
        }
    }
}

#[async_trait]
impl Intake for Engine {
    async fn take(&self, batch: Vec<Inbound>, cursor: Option<Cursor>) -> Result<Kept, StoreFault> {
        if self.core.closing.is_cancelled() {
            return Err(StoreFault::Closed);
        }
        let accounts: BTreeSet<Account> = batch.iter().map(|inbound| inbound.place.account.clone()).collect();
        let Sifted { admitted, mut heard, told, hushed } = self.sift(batch);
        let fresh = self.core.ports.inbox.take(admitted, cursor).await?;
        if let Some(rate) = &self.core.rate {
            accounts.iter().for_each(|account| rate.settle(account));
        }
        // From here on nothing may fail: what is in the inbox is new only this once.
        if let Err(fault) = self.core.post(Vec::new(), told).await {
            tracing::error!(%fault, "who writes too fast could not be told");
        }
        for (ticket, inbound) in fresh {
            // What had been seen before is passed over; the rest comes back in the order in which it was heard.
            while heard.front().is_some_and(|(update, _)| *update != inbound.update) {
                heard.pop_front();
            }
            let known = heard.pop_front().map(|(_, heard)| heard);
            let heard = known.unwrap_or_else(|| hearing::hear(&self.core, &inbound));
            let state = InboxState::Waiting;
            self.core.assign(InboxEntry { ticket, state, inbound }, heard).await;
        }
        Ok(Kept { hushed })
    }

    async fn cursor(&self, account: &Account) -> Result<Option<Cursor>, StoreFault> {
        self.core.ports.inbox.cursor(account).await
    }

    fn admits(&self, inbound: &Inbound) -> bool {
        hearing::hear(&self.core, inbound).admission == Admission::Admitted
    }

    async fn suggest(&self, asked: &Asked) -> Vec<Suggestion> {
        suggest::values(&self.core, asked).await
    }
}

impl Core {
    /// Hands an event that is in the inbox to its lane.
    pub(crate) async fn assign(self: &Arc<Self>, entry: InboxEntry, heard: Heard) {
        let Some(route) = hearing::belongs(self, &entry.inbound) else {
            tracing::error!(ticket = %entry.ticket, "no agent is configured");
            return;
        };
        let key = route.key.clone();
        let job = heard.job(entry, route);
        let start = |bench| {
            self.lane_tasks.spawn(crate::lane::work(Arc::clone(self), bench));
        };
        self.lanes.hand(key, job, start).await;
    }
}
