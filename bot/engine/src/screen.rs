//! The screen of one run: what happens in it is put on its stage, and what the stage wants shown goes out in order. Messages
//! go through the outbox, answers in the making straight to the chat, and never two calls at once. Settings are read anew
//! for each message and each preview: people change their minds during a run.

mod work;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pensive_contract::ids::MessageId;
use pensive_contract::inbound::ChatKind;
use pensive_contract::outward::Tempo;
use pensive_contract::store::Standing;
use pensive_directives::{Settings, Verbose};
use tokio::sync::{Notify, oneshot};

use crate::bubble::Lens;
use crate::core::{Core, Letter};
use crate::desk;
use crate::present::{Event, Occasion, Op, Over, Rest, Scene, Stage, View};
use crate::rule::{defaults_of, rule_of};
use crate::run::Pending;

/// Shows one run.
pub(crate) struct Screen<'a> {
    core: &'a Arc<Core>,
    pending: &'a Pending,
    scene: Scene,
    state: Mutex<State>,
    /// Rung when there may be something to do.
    changed: Notify,
}

struct State {
    stage: Stage,
    view: View,
    /// What is to be done, in order. As long as a turn has calls and blocks of reasoning, which are bounded.
    due: VecDeque<Due>,
    phase: Phase,
    /// The preview that stands in the chat as a message.
    standing: Option<MessageId>,
    /// Previews that came to nothing, one after the other.
    failures: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The run has no slot yet.
    Waiting,
    Open,
    /// It is over: what is due is done, and nothing else.
    Closing,
}

enum Due {
    Op(Op),
    /// A letter that somebody waits to be written down.
    Letter(Box<Letter>, oneshot::Sender<Posted>),
}

/// What became of a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Posted {
    /// It is on disk and goes out.
    Kept,
    /// It goes nowhere.
    Lost,
}

/// What is left when everything due was done.
#[derive(Debug)]
pub(crate) struct Closed {
    pub(crate) rest: Rest,
    /// The preview that stands, and what becomes of it.
    pub(crate) standing: Option<Standing>,
    /// How much of the tools may be told at the end.
    pub(crate) verbose: Verbose,
}

impl<'a> Screen<'a> {
    /// The screen of a run. `stream` names its previews and is not zero.
    pub(crate) fn new(core: &'a Arc<Core>, pending: &'a Pending, stream: i64, occasion: Occasion) -> Self {
        let scene = scene(core, pending, occasion);
        let reply_to = match scene.kind {
            ChatKind::Direct => None,
            ChatKind::Group | ChatKind::Channel => Some(pending.inbound.message.clone()),
        };
        let state = State {
            stage: Stage::new(stream, reply_to, occasion, core.now()),
            view: View::new(&pending.settings, &scene, tempo(core, pending)),
            due: VecDeque::new(),
            phase: Phase::Waiting,
            standing: None,
            failures: 0,
        };
        Self { core, pending, scene, state: Mutex::new(state), changed: Notify::new() }
    }

    /// The run has its slot.
    pub(crate) fn open(&self) {
        let mut state = self.lock();
        state.phase = Phase::Open;
        state.stage.begin(self.core.now());
        tracing::debug!(previews = ?state.view.previews, streaming = ?self.scene.streaming, "a run is shown");
        drop(state);
        self.changed.notify_one();
    }

    /// Takes in what happened.
    pub(crate) fn hear(&self, event: Event) {
        let now = self.core.now();
        let mut guard = self.lock();
        let state = &mut *guard;
        state.stage.feed(event, &state.view, now);
        state.due.extend(state.stage.take().into_iter().map(Due::Op));
        drop(guard);
        self.changed.notify_one();
    }

    /// The same under the settings of this moment.
    pub(crate) async fn tell(&self, event: Event) {
        self.refresh().await;
        self.hear(event);
    }

    /// Sends a letter in its turn. Returns when it is on disk.
    pub(crate) async fn post(&self, letter: Letter) -> Posted {
        if self.scene.occasion == Occasion::Background {
            // Nobody works at this screen: there is nothing before it.
            return self.dispatch(letter, None).await.0;
        }
        let (kept, outcome) = oneshot::channel();
        self.lock().due.push_back(Due::Letter(Box::new(letter), kept));
        self.changed.notify_one();
        outcome.await.unwrap_or(Posted::Lost)
    }

    /// Nothing more happens in the run.
    pub(crate) fn end(&self) {
        self.lock().phase = Phase::Closing;
        self.changed.notify_one();
    }

    /// What is left once [`Screen::work`] has ended.
    pub(crate) async fn close(&self) -> Closed {
        self.refresh().await;
        let mut guard = self.lock();
        let state = &mut *guard;
        let rest = state.stage.close(&state.view);
        let standing = state.standing.take().map(|id| match rest.over {
            Over::Standing => Standing::Settle(id),
            Over::Beside => Standing::Remove(id),
        });
        Closed { rest, standing, verbose: state.view.verbose }
    }

    /// Whether the chat shows that an answer is being made.
    pub(crate) fn is_seen(&self) -> bool {
        self.lock().stage.is_seen()
    }

    /// How the words of bubbles are made.
    pub(crate) fn lens(&self) -> Lens<'a> {
        Lens {
            detail: self.pending.route.agent.tool_detail,
            home: &self.core.settings.home,
            masker: &self.core.ports.masker,
        }
    }

    async fn refresh(&self) {
        let settings = live(self.core, self.pending).await;
        let view = View::new(&settings, &self.scene, tempo(self.core, self.pending));
        self.lock().view = view;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The settings of a run as they stand now.
async fn live(core: &Core, pending: &Pending) -> Settings {
    match core.ports.sessions.get(&pending.route.key).await {
        Ok(record) => desk::live(core, pending, record.as_ref()),
        Err(fault) => {
            tracing::error!(%fault, "the store cannot be read; a run goes by what held as it began");
            pending.settings.clone()
        }
    }
}

fn tempo(core: &Core, pending: &Pending) -> Option<Tempo> {
    let place = &pending.inbound.place;
    core.ports.outward.get(&place.account)?.previews.as_ref()?.tempo(place)
}

fn scene(core: &Core, pending: &Pending, occasion: Occasion) -> Scene {
    let place = &pending.inbound.place;
    let door = core.settings.doors.get(&place.account);
    Scene {
        occasion,
        kind: place.kind,
        verbose_here: door.and_then(|door| defaults_of(door, &pending.inbound).verbose),
        reasoning_here: door
            .and_then(|door| rule_of(door, &pending.inbound))
            .is_some_and(|rule| rule.reasoning),
        streaming: core.settings.streaming.get(&place.account).copied().unwrap_or_default(),
    }
}
