//! What every worker of the engine holds: the ports, the settings, the registries, and the tokens that end things.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use pensive_contract::clock::{Clock, Timestamp};
use pensive_contract::fault::Fault;
use pensive_contract::ids::{Account, ChatId, MessageId, SessionKey, Ticket};
use pensive_contract::inbound::Place;
use pensive_contract::media::Transcriber;
use pensive_contract::model::Model;
use pensive_contract::outward::{Body, Button, Enclosure, Finality, Outward, Pace, Part};
use pensive_contract::store::{
    Inbox, Ledger, Notes, Outbox, OutboxEntry, OutboxKind, PartState, Sessions, Standing, StoreFault,
    Transcript, Write,
};
use pensive_contract::tool::{Toolshed, Workspace};
use tokio::sync::{Semaphore, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::album::Albums;
use crate::approval::Approvals;
use crate::budget::Rank;
use crate::budget::chats::Budgets;
use crate::courier::Parcel;
use crate::effort::Knob;
use crate::enclosure;
use crate::errand::shortened;
use crate::lane::Job;
use crate::mask::Masker;
use crate::media;
use crate::picker::Signet;
use crate::rate::RateGate;
use crate::removal::Removal;
use crate::retry::send_pause;
use crate::settings::EngineSettings;
use crate::traces::Traces;
use crate::workers::Workers;

/// What the engine needs from other rooms.
#[derive(Clone)]
pub struct Ports {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// All writes.
    pub ledger: Arc<dyn Ledger>,
    /// Messages that came in.
    pub inbox: Arc<dyn Inbox>,
    /// Session records.
    pub sessions: Arc<dyn Sessions>,
    /// What was said.
    pub transcript: Arc<dyn Transcript>,
    /// Messages that go out.
    pub outbox: Arc<dyn Outbox>,
    /// Small values that outlive a restart.
    pub notes: Arc<dyn Notes>,
    /// Every model.
    pub model: Arc<dyn Model>,
    /// Who writes recordings down for models that do not listen; nothing where nobody does.
    pub transcriber: Option<Arc<dyn Transcriber>>,
    /// The tools that agents may be allowed, beside the engine's own; nothing where there are no others.
    pub toolshed: Option<Arc<dyn Toolshed>>,
    /// Where the files are that agents send; nothing where there are none.
    pub workspace: Option<Arc<dyn Workspace>>,
    /// The outward side of each account.
    pub outward: BTreeMap<Account, Outward>,
    /// A model's words without what tags in them mark as reasoning.
    pub untag: fn(&str) -> String,
    /// The masker that everything outward passes.
    pub masker: Masker,
}

/// Bytes of a Thinking message, over all its parts. Thoughts can be many times longer than an answer, which waits behind
/// them, and hundreds of messages are for nobody to read.
const MOST_THOUGHT: usize = 32 << 10;

/// A chat of an account: what flood limits and the order of messages belong to.
pub(crate) type Address = (Account, ChatId);

pub(crate) struct Core {
    pub(crate) ports: Ports,
    pub(crate) settings: EngineSettings,
    pub(crate) lanes: Arc<Workers<SessionKey, Job>>,
    pub(crate) couriers: Arc<Workers<Address, Parcel>>,
    /// Lanes and their runs.
    pub(crate) lane_tasks: TaskTracker,
    /// Couriers, and what waits for nobody.
    pub(crate) tasks: TaskTracker,
    /// No new run starts once this is cancelled.
    pub(crate) closing: CancellationToken,
    /// Everything that still goes ends when this is cancelled.
    pub(crate) abort: CancellationToken,
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) rate: Option<RateGate>,
    /// The tier of the whole daemon.
    pub(crate) effort: Knob,
    /// Albums that are coming in.
    pub(crate) albums: Albums,
    /// What people are asked about calls of tools.
    pub(crate) approvals: Approvals,
    /// What signs the buttons that pick a value.
    pub(crate) signet: Signet,
    /// What runs told of themselves.
    pub(crate) traces: Traces,
    /// What chats take.
    pub(crate) budgets: Budgets,
    pub(crate) started: Timestamp,
}

/// Ends when a letter has landed, or never will.
pub(crate) type Landing = oneshot::Receiver<Result<Vec<MessageId>, Fault>>;

/// Waits for a moment, where there is one.
pub(crate) async fn moment(core: &Core, moment: Option<Timestamp>) {
    match moment {
        Some(moment) => core.ports.clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// A message of ours before it has a form.
pub(crate) struct Letter {
    pub(crate) kind: OutboxKind,
    pub(crate) bodies: Vec<Body>,
    pub(crate) buttons: Vec<Button>,
    pub(crate) finality: Finality,
    /// What goes with it. The first words stand below it, where they fit there.
    pub(crate) file: Option<Enclosure>,
}

impl Letter {
    pub(crate) fn plain(kind: OutboxKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            bodies: vec![Body::Plain(text.into())],
            buttons: Vec::new(),
            finality: Finality::More,
            file: None,
        }
    }

    pub(crate) fn with_button(mut self, label: &str, data: String) -> Self {
        self.buttons.push(Button { label: label.to_owned(), data });
        self
    }

    pub(crate) fn last(mut self) -> Self {
        self.finality = Finality::Last;
        self
    }
}

impl Core {
    /// # Errors
    /// The store could not be read.
    pub(crate) async fn new(ports: Ports, settings: EngineSettings) -> Result<Self, StoreFault> {
        let slots = Arc::new(Semaphore::new(settings.max_concurrent.max(1)));
        let rate = settings.rate.map(|rate| RateGate::new(rate, Arc::clone(&ports.clock)));
        let effort = Knob::read(Arc::clone(&ports.notes)).await?;
        let signet = Signet::read(&*ports.notes).await?;
        let started = ports.clock.now();
        Ok(Self {
            ports,
            settings,
            lanes: Workers::new(),
            couriers: Workers::new(),
            lane_tasks: TaskTracker::new(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            abort: CancellationToken::new(),
            slots,
            rate,
            effort,
            albums: Albums::default(),
            approvals: Approvals::default(),
            signet,
            traces: Traces::default(),
            budgets: Budgets::default(),
            started,
        })
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.ports.clock.now()
    }

    /// Gives a letter its form for `place`: masked, rendered, split. Nothing when there would be nothing to see, or the
    /// account has no way out.
    pub(crate) fn seal(
        &self,
        letter: Letter,
        place: &Place,
        reply_to: Option<MessageId>,
    ) -> Option<OutboxEntry> {
        let outward = self.ports.outward.get(&place.account)?;
        let mut parts: Vec<Part> =
            letter.bodies.iter().flat_map(|body| outward.outlet.render(&self.masked(body))).collect();
        if let Some(file) = letter.file {
            parts = enclosure::enclose(file, parts, outward.files);
        }
        if parts.is_empty() {
            return None;
        }
        let mut parts: Vec<(Part, PartState)> =
            parts.into_iter().map(|part| (part, PartState::Waiting)).collect();
        // Where nothing is ahead of it the first part goes out at once: that it is being tried is written in the same
        // flush as the message itself. Behind others it stays untried, for a crash to find it so.
        let address = (place.account.clone(), place.chat.clone());
        if self.couriers.is_quiet(&address)
            && let Some((_, state)) = parts.first_mut()
        {
            *state = PartState::Trying;
        }
        Some(OutboxEntry {
            ticket: self.ports.ledger.ticket(),
            kind: letter.kind,
            place: place.clone(),
            parts,
            buttons: letter.buttons,
            reply_to,
            standing: None,
            finality: letter.finality,
            created: self.now(),
        })
    }

    fn masked(&self, body: &Body) -> Body {
        let mask = |text: &str| self.ports.masker.mask(text).into_owned();
        match body {
            Body::Markdown(text) => Body::Markdown(mask(media::spoken(text))),
            Body::Framed { before, markdown, after } => Body::Framed {
                before: mask(before),
                markdown: mask(media::spoken(markdown)),
                after: mask(after),
            },
            Body::Plain(text) => Body::Plain(mask(text)),
            Body::Thinking(text) => Body::Thinking(shortened(mask(text), MOST_THOUGHT)),
        }
    }

    /// Takes one call in a chat.
    ///
    /// # Errors
    /// It must not be made before this moment.
    pub(crate) fn pass(&self, place: &Place, rank: Rank) -> Result<(), Timestamp> {
        self.budgets.take(self.pace(place), place, rank, self.now())
    }

    /// When such a call may be made if nothing else is.
    pub(crate) fn ready(&self, place: &Place, rank: Rank) -> Timestamp {
        self.budgets.ready(self.pace(place), place, rank, self.now())
    }

    /// The platform asked for silence in a chat from now on.
    pub(crate) fn hush(&self, place: &Place, span: Duration) {
        self.budgets.hush(self.pace(place), place, span, self.now());
    }

    /// The end of the silence that still holds in a chat.
    pub(crate) fn hushed(&self, place: &Place) -> Option<Timestamp> {
        self.budgets.hushed(place, self.now())
    }

    fn pace(&self, place: &Place) -> Pace {
        self.ports.outward.get(&place.account).and_then(|outward| outward.pace).unwrap_or(Pace::FREE)
    }

    /// Takes a preview away that nothing comes in the place of.
    pub(crate) fn take_away(&self, place: &Place, standing: Option<Standing>) {
        let Some(Standing::Settle(id) | Standing::Remove(id)) = standing else { return };
        let Some(removal) = Removal::new(self, place, id) else { return };
        self.tasks.spawn(async move {
            if let Some(pause) = removal.attempt(0).await {
                removal.insist(pause).await;
            }
        });
    }

    /// Whether this is the first time that something is told in a chat; from here on it is not.
    pub(crate) async fn tells_once(&self, what: &str, place: &Place) -> bool {
        let name = format!("told/{what}/{}/{}", place.account, place.chat);
        match self.ports.notes.note(&name).await {
            Ok(None) => {}
            Ok(Some(_)) => return false,
            Err(fault) => tracing::warn!(%fault, "whether it was told before is not known"),
        }
        if let Err(fault) = self.ports.notes.keep(&name, Vec::new()).await {
            tracing::warn!(%fault, "that something was told was not written down");
        }
        true
    }

    /// Writes an entry down and hands it to its courier. What comes back tells when it has landed.
    ///
    /// # Errors
    /// It was not written and does not go out.
    pub(crate) async fn send(self: &Arc<Self>, entry: OutboxEntry) -> Result<Landing, StoreFault> {
        self.ports.ledger.commit(vec![Write::Outbox(entry.clone())]).await?;
        let (done, landing) = oneshot::channel();
        self.dispatch(Parcel { entry, done: Some(done) });
        Ok(landing)
    }

    /// Writes `writes` and `entries` together, then hands the entries to their couriers, in order.
    ///
    /// # Errors
    /// Nothing was written and nothing goes out.
    pub(crate) async fn post(
        self: &Arc<Self>,
        mut writes: Vec<Write>,
        mut entries: Vec<OutboxEntry>,
    ) -> Result<(), StoreFault> {
        for (_, state) in entries.iter_mut().skip(1).filter_map(|entry| entry.parts.first_mut()) {
            *state = PartState::Waiting;
        }
        writes.extend(entries.iter().cloned().map(Write::Outbox));
        if !writes.is_empty() {
            self.ports.ledger.commit(writes).await?;
        }
        for entry in entries {
            self.dispatch(Parcel { entry, done: None });
        }
        Ok(())
    }

    /// Closes messages whose end could not be written down, once the store takes writes again: a later start would begin
    /// them anew.
    pub(crate) fn close_later(self: &Arc<Self>, tickets: &[Ticket]) {
        let (core, tickets) = (Arc::clone(self), tickets.to_vec());
        self.tasks.spawn(async move {
            for tries in 0.. {
                tokio::select! {
                    () = core.abort.cancelled() => return,
                    () = core.ports.clock.sleep(send_pause(tries, fastrand::f64())) => {}
                }
                let closes = tickets.iter().copied().map(Write::Close).collect();
                if core.ports.ledger.commit(closes).await.is_ok() {
                    return;
                }
            }
        });
    }

    /// Hands an entry that is on disk to the courier of its chat. Waits for nothing: where the courier is far behind, the
    /// entry stays in the outbox and the courier fetches it from there.
    pub(crate) fn dispatch(self: &Arc<Self>, parcel: Parcel) {
        let address = (parcel.entry.place.account.clone(), parcel.entry.place.chat.clone());
        let offered = self.couriers.offer(address, parcel, |bench| {
            self.tasks.spawn(crate::courier::work(Arc::clone(self), bench));
        });
        if let Err(parcel) = offered {
            parcel.left(self);
        }
    }

    /// The same for what a start finds in the outbox: waits for room.
    pub(crate) async fn dispatch_in_turn(self: &Arc<Self>, entry: OutboxEntry) {
        let address = (entry.place.account.clone(), entry.place.chat.clone());
        let start = |bench| {
            self.tasks.spawn(crate::courier::work(Arc::clone(self), bench));
        };
        self.couriers.hand(address, Parcel { entry, done: None }, start).await;
    }
}
