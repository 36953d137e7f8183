//! One run: a prompt, calls with retries and fallbacks, and everything that came of them. What is shown and kept of it is
//! for `ending` to say.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use pensive_contract::clock::{Timestamp, within};
use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::ids::{SessionId, Ticket};
use pensive_contract::inbound::{ChatKind, Inbound};
use pensive_contract::model::{
    Manner, ModelEvent, ModelRef, ModelRequest, Pace, Params, PromptTurn, StopReason, TokenUsage, ToolChoice,
};
use pensive_contract::session::Turn;
use pensive_contract::speech::{PieceKind, Speech};
use pensive_contract::store::Write;
use pensive_directives::{Fast, Level, OnceOverrides, Settings};
use tokio_util::sync::CancellationToken;

use crate::access::Authority;
use crate::core::Core;
use crate::notices;
use crate::prompt;
use crate::retry::ModelRetries;
use crate::route::{self, Route};

/// Typing is shown for answers that take longer than an eye needs.
const TYPING_AFTER: Duration = Duration::from_millis(200);

/// Bytes that one call may say: more than any model's limit, for those that have none.
const MOST_SAID: usize = 2 << 20;

/// A message that waits for its run, with the settings that held when it was accepted.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    /// The inbox entries that this run closes; more than one where waiting messages were summed up.
    pub(crate) tickets: Vec<Ticket>,
    /// The newest of the messages.
    pub(crate) inbound: Inbound,
    /// What the model is told, cleaned of directives.
    pub(crate) text: String,
    /// What the message wants for itself.
    pub(crate) once: OnceOverrides,
    /// What holds for it.
    pub(crate) settings: Settings,
    /// The model that was in force.
    pub(crate) model: ModelRef,
    /// How old the run may be for `auto` to ask for the fast lane.
    pub(crate) fast_cutoff: Duration,
    /// Where it belongs.
    pub(crate) route: Route,
    /// Whether stored settings of its sender apply.
    pub(crate) authority: Authority,
}

impl Pending {
    /// The transcript's turn for the message.
    pub(crate) fn turn(&self) -> Turn {
        let name = match self.inbound.place.kind {
            ChatKind::Direct => None,
            ChatKind::Group | ChatKind::Channel => Some(self.inbound.sender.name.clone()),
        };
        Turn { at: self.inbound.at, name, said: PromptTurn::User(self.text.clone()) }
    }
}

/// What a model said in one run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// What was said last, and by whom.
    pub(crate) speech: Speech,
    pub(crate) usage: TokenUsage,
    pub(crate) level: Level,
    pub(crate) first_token: Option<Duration>,
    /// When anything came last.
    pub(crate) heard: Option<Timestamp>,
    pub(crate) took: Duration,
}

impl Answer {
    fn new(model: &ModelRef, level: Level) -> Self {
        Self {
            speech: Speech::new(Some(model.clone())),
            usage: TokenUsage::default(),
            level,
            first_token: None,
            heard: None,
            took: Duration::ZERO,
        }
    }

    /// The answer's words.
    pub(crate) fn text(&self) -> String {
        self.speech.text()
    }

    /// What the model thought.
    pub(crate) fn reasoning(&self) -> String {
        self.speech.reasoning()
    }

    /// Who said it, as `provider/model`.
    pub(crate) fn model(&self) -> String {
        self.speech.model.as_ref().map(ModelRef::to_string).unwrap_or_default()
    }

    /// Cuts what one piece alone may have made far too long.
    fn cut(&mut self) {
        for piece in &mut self.speech.pieces {
            match &mut piece.kind {
                PieceKind::Reasoning(text) | PieceKind::Text(text) => {
                    text.truncate(text.floor_char_boundary(MOST_SAID));
                }
                PieceKind::Call(_) => {}
            }
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RunEnd {
    /// The model said something, or was silent.
    Answered(Answer),
    /// No model could be brought to answer.
    Failed {
        /// One sentence for the person.
        person: String,
        /// What had come before it broke.
        partial: String,
    },
    /// A person stopped it.
    Stopped,
    /// The daemon ends.
    Aborted,
}

/// Runs `pending` in `session` until it ends one way or the other.
pub(crate) async fn run(
    core: Arc<Core>,
    pending: Pending,
    session: SessionId,
    stop: CancellationToken,
) -> RunEnd {
    let limit = core.settings.run_limit;
    let work = async {
        let Ok(_slot) = core.slots.acquire().await else { return RunEnd::Aborted };
        if core.closing.is_cancelled() {
            return RunEnd::Aborted;
        }
        begin(&core, &pending);
        let mut calls = Calls { core: &core, pending: &pending, session, began: core.now(), last: None };
        // Waiting for a slot is not the run's own time.
        within(&*core.ports.clock, limit, calls.all()).await.unwrap_or_else(|_| RunEnd::Failed {
            person: notices::TOO_LONG.to_owned(),
            partial: String::new(),
        })
    };
    tokio::select! {
        biased;
        // The end of the daemon stops everything below it, and is no person's wish.
        () = core.abort.cancelled() => RunEnd::Aborted,
        () = stop.cancelled() => RunEnd::Stopped,
        end = work => end,
        () = typing(&core, &pending) => RunEnd::Aborted,
    }
}

/// Writes down that the run goes on, for a start after a crash to tell. Nothing that a person could see comes before the
/// next flush, so nobody waits for it.
fn begin(core: &Core, pending: &Pending) {
    let begun = pending.tickets.iter().copied().map(Write::Begin).collect();
    if let Err(fault) = core.ports.ledger.commit_soon(begun) {
        tracing::warn!(%fault, "the begin of a run was not written down");
    }
}

/// Shows the typing sign for as long as this is polled.
async fn typing(core: &Core, pending: &Pending) {
    let place = &pending.inbound.place;
    let outward = core.ports.outward.get(&place.account);
    let Some(typing) = outward.and_then(|outward| outward.typing.as_ref()) else {
        return std::future::pending().await;
    };
    core.ports.clock.sleep(TYPING_AFTER).await;
    loop {
        let outcome = typing.show(place).await;
        tracing::debug!(?outcome, "typing shown");
        core.ports.clock.sleep(typing.lasts().mul_f64(0.8)).await;
    }
}

/// The calls of one run.
struct Calls<'a> {
    core: &'a Core,
    pending: &'a Pending,
    session: SessionId,
    began: Timestamp,
    last: Option<(Fault, Answer)>,
}

impl Calls<'_> {
    async fn all(&mut self) -> RunEnd {
        let history = match self.core.ports.transcript.tail(&self.session, prompt::MOST_TURNS).await {
            Ok(history) => history,
            Err(fault) => {
                tracing::error!(%fault, session = %self.session, "the transcript cannot be read");
                return RunEnd::Failed { person: notices::BROKE.to_owned(), partial: String::new() };
            }
        };
        let mut retries = ModelRetries::default();
        let fallbacks =
            self.pending.route.agent.fallbacks.iter().filter(|model| **model != self.pending.model);
        for model in std::iter::once(&self.pending.model).chain(fallbacks) {
            if let Some(answer) = self.with_model(model, &history, &mut retries).await {
                return RunEnd::Answered(answer);
            }
            retries = retries.for_fallback();
        }
        let (person, partial) =
            self.last.take().map(|(fault, answer)| (fault.person, answer.text())).unwrap_or_default();
        RunEnd::Failed { person, partial }
    }

    /// Calls one model until it answers or is not worth another try.
    async fn with_model(
        &mut self,
        model: &ModelRef,
        history: &[Turn],
        retries: &mut ModelRetries,
    ) -> Option<Answer> {
        let request = self.request(model, history);
        loop {
            let mut answer = Answer::new(model, request.manner.thinking);
            let called = self.core.now();
            let mut request = request.clone();
            request.manner.pace = pace(self.pending, called.since(self.began));
            let fault = match self.call(request, &mut answer).await {
                Ok(()) => {
                    answer.took = self.core.now().since(self.began);
                    return Some(answer);
                }
                Err(fault) => fault,
            };
            retries.spent(self.core.now().since(answer.heard.unwrap_or(called)));
            let pause = match fault.class {
                FaultClass::Again => retries.next(fastrand::f64()),
                FaultClass::AgainAfter(span) => retries.named(span),
                FaultClass::TellPerson | FaultClass::OursToMend => None,
            };
            tracing::warn!(session = %self.session, %model, cause = %self.core.ports.masker.mask(&fault.log), again_in = ?pause, "a model call failed");
            self.keep(fault, answer);
            self.core.ports.clock.sleep(pause?).await;
        }
    }

    /// The newest fault, with the newest words that came before one.
    fn keep(&mut self, fault: Fault, answer: Answer) {
        let earlier = self.last.take().map(|(_, earlier)| earlier);
        let earlier = earlier.filter(|_| answer.text().trim().is_empty());
        self.last = Some((fault, earlier.unwrap_or(answer)));
    }

    fn request(&self, model: &ModelRef, history: &[Turn]) -> ModelRequest {
        let think = self.pending.settings.think;
        let ports = &self.core.ports;
        let thinking = if *model == self.pending.model {
            think.level
        } else {
            ports.model.profile(model).clamp(think.asked)
        };
        let message = prompt::said(self.pending.turn().name.as_deref(), &self.pending.text);
        let turns: Vec<PromptTurn> = prompt::build(history.to_vec(), message, ports.model.limits(model));
        ModelRequest {
            model: model.clone(),
            system: self.pending.route.agent.prompt.clone(),
            turns,
            tools: Vec::new(),
            choice: ToolChoice::Auto,
            manner: Manner { thinking, pace: Pace::Normal, params: self.params(model) },
            session: self.session.to_string(),
        }
    }

    fn params(&self, model: &ModelRef) -> Params {
        route::params(&self.core.settings, &self.pending.route.agent, model)
    }

    async fn call(&self, request: ModelRequest, answer: &mut Answer) -> Result<(), Fault> {
        let mut stream = self.core.ports.model.stream(request).await?;
        while let Some(event) = stream.next().await {
            let event = event?;
            answer.heard = Some(self.core.now());
            match &event {
                ModelEvent::Reasoning(_) | ModelEvent::Text(_) | ModelEvent::Call(_) => {
                    answer.first_token.get_or_insert(self.core.now().since(self.began));
                }
                ModelEvent::Usage(usage) => answer.usage = *usage,
                ModelEvent::End(reason) => {
                    if !matches!(reason, StopReason::Done) {
                        tracing::info!(session = %self.session, ?reason, "a model stopped early");
                    }
                    return Ok(());
                }
                ModelEvent::Learned(_) | ModelEvent::Seal(_) | ModelEvent::Recast(_) => {}
            }
            answer.speech.hear(&event);
            if answer.speech.len() > MOST_SAID {
                tracing::warn!(session = %self.session, "a model did not come to an end; the answer is cut there");
                answer.cut();
                return Ok(());
            }
        }
        Err(Fault {
            class: FaultClass::Again,
            person: "The model broke off in the middle of its answer.".to_owned(),
            log: "the stream ended without its end event".to_owned(),
        })
    }
}

/// Whether a call that starts when the run is `age` old asks for the fast lane.
fn pace(pending: &Pending, age: Duration) -> Pace {
    match pending.settings.fast.value {
        Fast::On => Pace::Fast,
        Fast::Off => Pace::Normal,
        Fast::Auto if age <= pending.fast_cutoff => Pace::Fast,
        Fast::Auto => Pace::Normal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_piece_that_is_far_too_long_is_cut_between_characters() {
        let mut answer = Answer::new(&ModelRef { provider: "p".into(), id: "m".into() }, Level::Off);
        answer.speech.hear(&ModelEvent::Text(format!("x{}", "ä".repeat(MOST_SAID))));
        answer.cut();
        assert_eq!(answer.text().len(), MOST_SAID - 1);
        assert!(answer.text().ends_with('ä'));
    }
}
