//! One call of a run: what is asked, tries and pauses, other models where one does not answer, and what comes back.

use std::time::Duration;

use futures::StreamExt;
use pensive_contract::clock::Timestamp;
use pensive_contract::fault::{Fault, FaultClass};
use pensive_contract::model::{
    Manner, ModelEvent, ModelRef, ModelRequest, Pace, Params, StopReason, TokenUsage, ToolChoice,
};
use pensive_contract::speech::{PieceKind, Speech};
use pensive_directives::{Fast, Level, Profile};

use crate::course::{Course, MOST_CALLS};
use crate::media;
use crate::notices;
use crate::present::Event;
use crate::prompt;
use crate::retry::ModelRetries;
use crate::route;
use crate::run::Pending;
use crate::ultra;

/// Bytes that one call may say: more than any model's limit, for those that have none.
const MOST_SAID: usize = 2 << 20;

impl Course<'_> {
    /// Asks until a model answers. One that is not worth another try is not asked again in this run.
    ///
    /// # Errors
    /// No model is left; the fault is that of the last.
    pub(crate) async fn ask(&mut self) -> Result<(Speech, StopReason), Fault> {
        self.calls += 1;
        let mut retries = ModelRetries::default();
        loop {
            let Some(model) = self.models.front().cloned() else { return Err(broke()) };
            match self.ask_model(&model, &mut retries).await {
                Ok(reply) => return Ok(reply),
                Err(fault) if self.models.len() < 2 => return Err(fault),
                Err(_) => {
                    self.models.pop_front();
                    retries = retries.for_fallback();
                }
            }
        }
    }

    /// Asks one model until it answers or is not worth another try.
    async fn ask_model(
        &mut self,
        model: &ModelRef,
        retries: &mut ModelRetries,
    ) -> Result<(Speech, StopReason), Fault> {
        loop {
            let called = self.bearings.core.now();
            let mut listening = Listening { last: called, usage: TokenUsage::default() };
            let ended = self.try_once(model, called, &mut listening).await;
            self.spent.add(listening.usage, self.bearings.core.ports.model.limits(model).price);
            let heard = std::mem::replace(&mut self.heard, Speech::new(None));
            let fault = match ended {
                Ok(stop) => {
                    self.trace.answered();
                    self.broken.clear();
                    return Ok((heard, stop));
                }
                Err(fault) => fault,
            };
            if !heard.text().trim().is_empty() {
                self.broken = heard.text();
            }
            self.bearings.screen.hear(Event::Broke);
            let cause = self.bearings.core.ports.masker.mask(&fault.log).into_owned();
            self.trace.failed(model, cause.clone());
            retries.spent(self.bearings.core.now().since(listening.last));
            let pause = match fault.class {
                FaultClass::Again => retries.next(fastrand::f64()),
                FaultClass::AgainAfter(span) => retries.named(span),
                FaultClass::TellPerson | FaultClass::OursToMend => None,
            };
            let ports = &self.bearings.core.ports;
            tracing::warn!(session = %self.session, %model, %cause, again_in = ?pause, "a model call failed");
            let Some(pause) = pause else { return Err(fault) };
            ports.clock.sleep(pause).await;
        }
    }

    async fn try_once(
        &mut self,
        model: &ModelRef,
        called: Timestamp,
        listening: &mut Listening,
    ) -> Result<StopReason, Fault> {
        let profile = self.bearings.core.profile(&self.bearings.pending.route.agent, model);
        let request = self.request(model, &profile, called);
        profile.label(request.manner.thinking).clone_into(&mut self.level);
        self.tier = tier(&request.manner);
        let explained = self.bearings.core.ports.model.explain(model, &request.manner);
        self.trace.asked(&request, explained);
        let asked = self.bearings.pending.settings.think.asked;
        self.trace.clamped(profile.label(asked).to_owned(), self.level.clone());
        self.heard = Speech::new(Some(model.clone()));
        self.listen(request, &profile, listening).await
    }

    fn request(&self, model: &ModelRef, profile: &Profile, called: Timestamp) -> ModelRequest {
        let (core, pending) = (self.bearings.core, self.bearings.pending);
        let params = route::params(&core.settings, &pending.route.agent, model);
        let limits = core.ports.model.limits(model);
        let thinking = self.level_on(profile);
        ModelRequest {
            model: model.clone(),
            system: ultra::prompt(&pending.route.agent, thinking),
            turns: media::for_model(prompt::build(&self.history, &self.message, &self.said, limits), limits),
            tools: self.toolbox.specs(),
            choice: self.choice(&params),
            manner: Manner { thinking, pace: pace(pending, called.since(self.began)), params },
            session: self.session.to_string(),
        }
    }

    /// The run's level on a model. A profile may have learned since the message was accepted.
    pub(crate) fn level_on(&self, profile: &Profile) -> Level {
        profile.clamp(self.lowered.unwrap_or(self.bearings.pending.settings.think.asked))
    }

    /// The first call may be bound to tools; the last one has to answer without.
    fn choice(&self, params: &Params) -> ToolChoice {
        if self.said.is_empty() {
            self.toolbox.choice(params.tool_choice.as_ref())
        } else if self.calls >= MOST_CALLS {
            self.toolbox.choice(Some(&ToolChoice::None))
        } else {
            ToolChoice::Auto
        }
    }

    async fn listen(
        &mut self,
        request: ModelRequest,
        profile: &Profile,
        listening: &mut Listening,
    ) -> Result<StopReason, Fault> {
        let mut stream = self.bearings.core.ports.model.stream(request).await?;
        while let Some(event) = stream.next().await {
            let event = event?;
            let now = self.bearings.core.now();
            listening.last = now;
            match &event {
                ModelEvent::Reasoning(_) | ModelEvent::Text(_) | ModelEvent::Call(_) => {
                    self.first_token.get_or_insert(now.since(self.began));
                }
                ModelEvent::Usage(usage) => listening.usage = *usage,
                ModelEvent::Learned(lesson) => {
                    profile.label(lesson.instead).clone_into(&mut self.level);
                    self.bearings.screen.tell(Event::Note(notices::learned(lesson, profile))).await;
                }
                ModelEvent::End(reason) => {
                    if !matches!(reason, StopReason::Done | StopReason::Tools) {
                        tracing::info!(session = %self.session, ?reason, "a model stopped early");
                    }
                    return Ok(reason.clone());
                }
                ModelEvent::Seal(_) | ModelEvent::Recast(_) => {}
            }
            self.heard.hear(&event);
            if self.heard.len() > MOST_SAID {
                tracing::warn!(session = %self.session, "a model did not come to an end; the answer is cut there");
                cut(&mut self.heard);
                return Ok(StopReason::Length);
            }
            if let Some(shown) = shown(event) {
                self.bearings.screen.hear(shown);
            }
        }
        Err(Fault::new(
            FaultClass::Again,
            "The model broke off in the middle of its answer.",
            "the stream ended without its end event",
        ))
    }
}

/// What of an event is for people to see.
fn shown(event: ModelEvent) -> Option<Event> {
    match event {
        ModelEvent::Reasoning(words) => Some(Event::Reasoning(words)),
        ModelEvent::Text(words) => Some(Event::Text(words)),
        ModelEvent::Recast(recast) => Some(Event::Recast(recast)),
        ModelEvent::Learned(_)
        | ModelEvent::Call(_)
        | ModelEvent::Seal(_)
        | ModelEvent::Usage(_)
        | ModelEvent::End(_) => None,
    }
}

/// What is known of a call while it goes on.
struct Listening {
    /// When anything came last.
    last: Timestamp,
    usage: TokenUsage,
}

fn broke() -> Fault {
    Fault::new(FaultClass::OursToMend, notices::BROKE, "no model is left to be asked")
}

/// Cuts what is far too long. Calls in it are not worth being made.
fn cut(speech: &mut Speech) {
    speech.pieces.retain_mut(|piece| match &mut piece.kind {
        PieceKind::Reasoning(text) | PieceKind::Text(text) => {
            text.truncate(text.floor_char_boundary(MOST_SAID));
            true
        }
        PieceKind::Call(_) => false,
    });
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

/// The lane of a call as it is shown, where it is not the usual one.
fn tier(manner: &Manner) -> Option<String> {
    let fast = || matches!(manner.pace, Pace::Fast).then(|| "fast".to_owned());
    manner.params.service_tier.clone().or_else(fast)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_piece_that_is_far_too_long_is_cut_between_characters() {
        let mut speech = Speech::new(None);
        speech.hear(&ModelEvent::Text(format!("x{}", "ä".repeat(MOST_SAID))));
        cut(&mut speech);
        assert_eq!(speech.text().len(), MOST_SAID - 1);
        assert!(speech.text().ends_with('ä'));
    }
}
