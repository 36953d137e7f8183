//! What a screen does: one thing after the other, until the run is over and nothing is due any more.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use pensive_contract::clock::{Timestamp, within};
use pensive_contract::ids::MessageId;
use pensive_contract::outward::{Cost, Finality, Outcome, Preview, Previews, Refusal};
use pensive_contract::store::{OutboxKind, Standing};

use super::{Due, Phase, Posted, Screen, State};
use crate::budget::Rank;
use crate::core::{Landing, Letter, moment};
use crate::media;
use crate::notices;
use crate::present::{Op, Over, Post};
use crate::recovery;

/// A preview that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(15);
/// After so many previews in a row that came to nothing a run is shown without.
const MOST_FAILURES: u32 = 5;

enum Step {
    Do(Due),
    Show,
    /// Until this moment, or until something changes.
    Wait(Option<Timestamp>),
    Over,
}

impl Screen<'_> {
    /// Works until the run is over and everything due was done.
    pub(crate) async fn work(&self) {
        let mut landings: VecDeque<Landing> = VecDeque::new();
        loop {
            match self.next(!landings.is_empty()) {
                Step::Do(due) => landings.extend(self.perform(due).await),
                Step::Show => self.preview().await,
                Step::Wait(until) => tokio::select! {
                    () = self.changed.notified() => {}
                    () = moment(self.core, until) => {}
                    () = landed(&mut landings) => self.lock().stage.wiped(self.core.now()),
                },
                Step::Over => return,
            }
        }
    }

    /// Does what is still due where nobody works any more, as far as that waits for the disk alone.
    pub(crate) async fn rush(&self) {
        while let Some(due) = self.take_due() {
            match due {
                // The message that comes next, or the end of the run, takes its place.
                Due::Op(Op::Retract) => {}
                Due::Op(Op::Post(_) | Op::NoLiveReasoning) | Due::Letter(..) => drop(self.perform(due).await),
            }
        }
    }

    fn take_due(&self) -> Option<Due> {
        self.lock().due.pop_front()
    }

    fn next(&self, is_landing: bool) -> Step {
        let now = self.core.now();
        let mut state = self.lock();
        if let Some(due) = state.due.pop_front() {
            return Step::Do(due);
        }
        match state.phase {
            Phase::Closing => Step::Over,
            Phase::Waiting => Step::Wait(None),
            // A preview that overtook a message would stand above it.
            Phase::Open if is_landing => Step::Wait(None),
            Phase::Open => match self.soonest(&state, now) {
                Some(at) if at <= now => Step::Show,
                at => Step::Wait(at),
            },
        }
    }

    /// When a preview is due and the chat takes it.
    fn soonest(&self, state: &State, now: Timestamp) -> Option<Timestamp> {
        if state.failures >= MOST_FAILURES {
            return None;
        }
        let place = &self.pending.inbound.place;
        let due = state.stage.due(&state.view)?;
        let ready = match state.view.previews.ok()?.cost {
            Cost::Message => self.core.ready(place, Rank::Preview),
            Cost::Free => self.core.hushed(place).unwrap_or(now),
        };
        Some(due.max(ready))
    }

    async fn perform(&self, due: Due) -> Option<Landing> {
        match due {
            Due::Op(Op::Post(Post { kind, body, over })) => {
                let letter = Letter {
                    kind,
                    bodies: vec![body],
                    buttons: Vec::new(),
                    finality: Finality::More,
                    file: None,
                };
                let standing = self.give_way(over);
                self.dispatch(letter, standing).await.1
            }
            Due::Op(Op::Retract) => {
                self.retract().await;
                None
            }
            Due::Op(Op::NoLiveReasoning) => self.tell_no_live_reasoning().await,
            Due::Letter(letter, kept) => {
                let over = self.lock().view.over();
                let standing = self.give_way(over);
                let (posted, landing) = self.dispatch(*letter, standing).await;
                // Whoever asked may have been ended.
                let _gone = kept.send(posted).is_err();
                landing
            }
        }
    }

    /// The preview whose place a message takes, where it takes any.
    fn give_way(&self, over: Over) -> Option<MessageId> {
        match over {
            Over::Standing => self.lock().standing.take(),
            Over::Beside => None,
        }
    }

    /// Nothing took the place of a preview. One that nobody wanted to take the place of stands anyway.
    fn stands_still(&self, standing: Option<MessageId>) {
        if standing.is_some() {
            self.lock().standing = standing;
        }
    }

    /// Writes a letter down and hands it to its courier. The run may be left at any moment: what is on disk goes out all
    /// the same.
    pub(super) async fn dispatch(
        &self,
        letter: Letter,
        standing: Option<MessageId>,
    ) -> (Posted, Option<Landing>) {
        let inbound = &self.pending.inbound;
        let Some(mut entry) = self.core.seal(letter, &inbound.place, Some(inbound.message.clone())) else {
            self.stands_still(standing);
            return (Posted::Lost, None);
        };
        let carries = entry.parts.iter().any(|(part, _)| part.file.is_some());
        // A preview becomes words, and no file.
        entry.standing = standing.clone().map(if carries { Standing::Remove } else { Standing::Settle });
        let core = Arc::clone(self.core);
        let send = async move {
            if entry.standing.is_some() {
                // First: half a preview that stays after a crash is better than a message that goes.
                recovery::settles(&core, &entry.place).await;
            }
            core.send(entry).await
        };
        let sent = self.core.tasks.spawn(send).await;
        match sent {
            Ok(Ok(landing)) => (Posted::Kept, Some(landing)),
            Ok(Err(fault)) => {
                tracing::error!(%fault, "a letter of a run was not written down");
                self.stands_still(standing);
                (Posted::Lost, None)
            }
            Err(error) => {
                tracing::error!(%error, "a letter of a run was not written down");
                (Posted::Lost, None)
            }
        }
    }

    /// What a preview showed was no answer.
    async fn retract(&self) {
        let Some(standing) = self.lock().standing.take() else { return };
        let Some(previews) = self.previews() else { return };
        let outcome = previews.remove(&self.pending.inbound.place, &standing).await;
        match outcome {
            Outcome::Delivered(()) | Outcome::Unchanged => {}
            Outcome::Wait(_) | Outcome::Refused { .. } | Outcome::Unknown { .. } => {
                tracing::warn!(?outcome, "a preview was not taken back; the next message takes its place");
                self.lock().standing = Some(standing);
            }
        }
    }

    async fn tell_no_live_reasoning(&self) -> Option<Landing> {
        let place = &self.pending.inbound.place;
        if !self.core.tells_once("no-live-reasoning", place).await {
            return None;
        }
        let letter = Letter::plain(OutboxKind::Notice, notices::NO_LIVE_REASONING);
        self.dispatch(letter, None).await.1
    }

    async fn preview(&self) {
        self.refresh().await;
        let Some((preview, cost, standing)) = self.take_preview() else { return };
        let place = &self.pending.inbound.place;
        if cost == Cost::Message && self.core.pass(place, Rank::Preview).is_err() {
            // Another run of this chat was quicker.
            return self.lock().stage.wiped(self.core.now());
        }
        let Some(previews) = self.previews() else { return };
        let show = previews.show(place, &preview, standing.as_ref());
        match within(&*self.core.ports.clock, PATIENCE, show).await {
            Ok(outcome) => self.shown(outcome, cost, standing).await,
            Err(_) => {
                let why = "it took too long".to_owned();
                self.shown(Outcome::Unknown { why }, cost, standing).await;
            }
        }
    }

    fn take_preview(&self) -> Option<(Preview, Cost, Option<MessageId>)> {
        let now = self.core.now();
        let mut guard = self.lock();
        let state = &mut *guard;
        self.soonest(state, now).filter(|at| *at <= now)?;
        let cost = state.view.previews.ok()?.cost;
        let preview = state.stage.preview(&state.view, now);
        state.due.extend(state.stage.take().into_iter().map(Due::Op));
        let preview = preview?;
        let mask = |text: String| self.core.ports.masker.mask(&text).into_owned();
        let preview = Preview {
            thinking: preview.thinking.map(mask),
            markdown: mask(media::spoken(&preview.markdown).to_owned()),
            ..preview
        };
        Some((preview, cost, state.standing.clone()))
    }

    /// Learns how a preview went.
    async fn shown(&self, outcome: Outcome<Option<MessageId>>, cost: Cost, stood: Option<MessageId>) {
        let now = self.core.now();
        match outcome {
            Outcome::Delivered(standing) => {
                {
                    let mut state = self.lock();
                    state.failures = 0;
                    state.standing.clone_from(&standing);
                }
                if let Some(standing) = standing.filter(|_| stood.is_none()) {
                    recovery::remember(self.core, self.pending, &standing).await;
                }
            }
            Outcome::Unchanged => self.lock().failures = 0,
            Outcome::Wait(span) => {
                self.core.hush(&self.pending.inbound.place, span);
                self.lock().stage.wiped(now);
            }
            Outcome::Refused { refusal, why } => {
                tracing::debug!(?refusal, why, "a preview was refused");
                self.fail(match refusal {
                    Refusal::Again | Refusal::Style | Refusal::Never | Refusal::TopicGone => 1,
                    Refusal::ChatGone | Refusal::Account => MOST_FAILURES,
                });
            }
            Outcome::Unknown { why } => {
                tracing::debug!(why, "a preview may or may not have landed");
                // A second message would stand beside the first.
                let is_lost = cost == Cost::Message && stood.is_none();
                self.fail(if is_lost { MOST_FAILURES } else { 1 });
            }
        }
    }

    fn fail(&self, weight: u32) {
        let now = self.core.now();
        let mut state = self.lock();
        state.failures += weight;
        state.stage.wiped(now);
        if state.failures >= MOST_FAILURES {
            tracing::info!("a run goes on without previews");
        }
    }

    fn previews(&self) -> Option<Arc<dyn Previews>> {
        self.core.ports.outward.get(&self.pending.inbound.place.account)?.previews.clone()
    }
}

/// Ends when all letters have landed or never will; where there are none, never.
async fn landed(landings: &mut VecDeque<Landing>) {
    if landings.is_empty() {
        return std::future::pending().await;
    }
    while let Some(first) = landings.front_mut() {
        // How is for the courier to say.
        let _landed = first.await;
        landings.pop_front();
    }
}
