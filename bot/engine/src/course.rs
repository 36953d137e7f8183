//! The course of one run: the model is called, what it calls is worked, and so on until it answers. Settings hold for the
//! whole of it; whether a call goes by the fast lane is judged as it starts. How one call is made is for `call` to say.

use std::collections::VecDeque;
use std::time::Duration;

use pensive_contract::clock::Timestamp;
use pensive_contract::ids::SessionId;
use pensive_contract::model::{ModelRef, PromptTurn, StopReason};
use pensive_contract::session::Turn;
use pensive_contract::speech::{Speech, ToolCall, ToolOutcome};
use pensive_directives::{Level, Profile};

use crate::answer::{Answer, Spent, Told};
use crate::backlog::Backlog;
use crate::notices;
use crate::own::Tally;
use crate::present::{Event, Rest, Words};
use crate::prompt;
use crate::run::{Failure, Halted};
use crate::screen::Closed;
use crate::tools::{self, Bearings, Toolbox};
use crate::trace;

/// Calls of the model that one run may take, retries aside. In the last one it has to answer.
pub(crate) const MOST_CALLS: u32 = 25;

/// A run on its way. It can be left at any moment and still tells what there is of it.
pub(crate) struct Course<'a> {
    pub(crate) bearings: Bearings<'a>,
    pub(crate) session: &'a SessionId,
    /// What is said while the run goes on.
    pub(crate) backlog: &'a Backlog,
    pub(crate) began: Timestamp,
    /// What was said before this run.
    pub(crate) history: Vec<Turn>,
    /// What it answers, as turns for the model.
    pub(crate) message: Vec<PromptTurn>,
    /// What was said and done in it.
    pub(crate) said: Vec<PromptTurn>,
    /// What the call that goes on has said.
    pub(crate) heard: Speech,
    /// The newest words of tries that broke, while no later one stood.
    pub(crate) broken: String,
    pub(crate) toolbox: Toolbox,
    /// The models that may still be asked, the one in use first.
    pub(crate) models: VecDeque<ModelRef>,
    /// Calls made, retries aside.
    pub(crate) calls: u32,
    /// The weaker level that a model got which had spent everything on thinking.
    pub(crate) lowered: Option<Level>,
    /// How the newest call was asked: the level by its label, and the lane.
    pub(crate) level: String,
    pub(crate) tier: Option<String>,
    /// What it tells of itself to those who ask for that.
    pub(crate) trace: trace::Log,
    /// Calls that did what could not be undone by forgetting them.
    pub(crate) deeds: usize,
    pub(crate) spent: Spent,
    pub(crate) first_token: Option<Duration>,
}

impl<'a> Course<'a> {
    pub(crate) fn new(bearings: Bearings<'a>, session: &'a SessionId, backlog: &'a Backlog) -> Self {
        let pending = bearings.pending;
        let agent = &pending.route.agent;
        let fallbacks = agent.fallbacks.iter().filter(|model| **model != pending.model);
        Self {
            bearings,
            session,
            backlog,
            began: bearings.core.now(),
            history: Vec::new(),
            message: Vec::new(),
            said: Vec::new(),
            heard: Speech::new(None),
            broken: String::new(),
            toolbox: Toolbox::default(),
            models: std::iter::once(&pending.model).chain(fallbacks).cloned().collect(),
            calls: 0,
            lowered: None,
            level: String::new(),
            tier: None,
            trace: trace::Log::default(),
            deeds: 0,
            spent: Spent::default(),
            first_token: None,
        }
    }

    /// Goes on until the model answers. Gives what is to be said below the answer.
    ///
    /// # Errors
    /// It does not; the words are for the person.
    pub(crate) async fn run(&mut self) -> Result<Option<&'static str>, String> {
        self.began = self.bearings.core.now();
        let transcript = &self.bearings.core.ports.transcript;
        self.history = transcript.tail(self.session, prompt::MOST_TURNS).await.map_err(|fault| {
            tracing::error!(%fault, session = %self.session, "the transcript cannot be read");
            notices::BROKE.to_owned()
        })?;
        self.message = self.receive(self.bearings.pending).await?;
        self.toolbox = tools::gather(self.bearings).await;
        loop {
            let (speech, stop) = self.reply().await?;
            let calls: Vec<ToolCall> = speech.calls().cloned().collect();
            // The next call may go to another provider.
            self.said.push(PromptTurn::Assistant(self.bearings.core.ports.masker.speech(speech)));
            if calls.is_empty() {
                return Ok(coda(&stop));
            }
            let results = self.work(&calls).await;
            self.said.push(PromptTurn::Tools(results));
            for note in self.settle() {
                self.bearings.screen.tell(Event::Note(note)).await;
            }
            if self.calls >= MOST_CALLS {
                tracing::warn!(session = %self.session, "a model calls tools without end");
                return Ok(Some(notices::ENDLESS));
            }
            self.join().await;
        }
    }

    /// Takes in what was said to the run meanwhile.
    async fn join(&mut self) {
        for joining in self.backlog.steer(self.bearings.core, self.bearings.pending) {
            match self.receive(&joining).await {
                Ok(turns) => self.said.extend(turns),
                Err(person) => self.bearings.screen.tell(Event::Note(format!("⚙️ {person}"))).await,
            }
        }
    }

    /// What the model says next. Where it thought until nothing was left for words, it is asked once more to think less.
    async fn reply(&mut self) -> Result<(Speech, StopReason), String> {
        loop {
            let (speech, stop) = self.ask().await.map_err(|fault| fault.person)?;
            let is_silent = speech.text().trim().is_empty() && speech.calls().next().is_none();
            match stop {
                StopReason::Length if is_silent => self.lower(&speech).await?,
                StopReason::Filtered if is_silent => return Err(notices::FILTERED.to_owned()),
                StopReason::Done
                | StopReason::Tools
                | StopReason::Length
                | StopReason::Filtered
                | StopReason::Other(_) => return Ok((speech, stop)),
            }
        }
    }

    /// Takes the next lower level for the rest of the run.
    ///
    /// # Errors
    /// There is none, or it was taken already.
    async fn lower(&mut self, speech: &Speech) -> Result<(), String> {
        let Some(model) = speech.model.as_ref() else { return Err(notices::BROKE.to_owned()) };
        let profile = self.bearings.core.profile(&self.bearings.pending.route.agent, model);
        let level = self.level_on(&profile);
        let next = next_lower(&profile, level).filter(|_| self.lowered.is_none() && self.calls < MOST_CALLS);
        let Some(next) = next else { return Err(notices::out_of_output(level)) };
        let note = Event::Note(notices::lowered(model, &profile, level, next));
        self.bearings.screen.tell(note).await;
        self.lowered = Some(next);
        Ok(())
    }

    /// What used its tools and then had nothing to say is no silence: an earlier word stands, else a line of ours.
    pub(crate) fn answer(&mut self, coda: Option<&'static str>, closed: Closed) -> Answer {
        let Rest { notes, thinking, words, failed, over: _ } = closed.rest;
        let said = words.unposted();
        let told = self.told(said.as_deref());
        let failing = failed.and_then(|failed| failed.line(said.as_deref(), closed.verbose));
        let text = match told {
            Told::NotYet => said.unwrap_or_else(|| self.close()),
            Told::ByTool => said.unwrap_or_default(),
        };
        let model = self.models.front().cloned().unwrap_or_else(|| self.bearings.pending.model.clone());
        Answer {
            text,
            told,
            coda,
            thinking,
            turns: std::mem::take(&mut self.said),
            notes,
            failing,
            trace: std::mem::take(&mut self.trace),
            model,
            level: self.level.clone(),
            tier: self.tier.clone(),
            spent: self.spent,
            first_token: self.first_token,
            took: self.bearings.core.now().since(self.began),
        }
    }

    /// Whether the person has it already: the same words were sent before, or words were and no others follow.
    fn told(&self, said: Option<&str>) -> Told {
        let outbound = &self.bearings.own.outbound;
        let is_silent = match self.said.last() {
            Some(PromptTurn::Assistant(speech)) => speech.text().trim().is_empty(),
            Some(PromptTurn::User(_) | PromptTurn::Media(_) | PromptTurn::Tools(_)) | None => false,
        };
        if is_silent && outbound.any() || said.is_some_and(|said| outbound.said(said)) {
            Told::ByTool
        } else {
            Told::NotYet
        }
    }

    /// Takes over what our own tools brought about; gives what the person is to know of it.
    fn settle(&mut self) -> Vec<String> {
        let Tally { spent, deeds, notes } = self.bearings.own.crew.settle();
        self.spent.also(spent);
        self.deeds += deeds;
        notes
    }

    /// The line with which a run without a word ends, where tools did anything. The transcript has it too, so that it tells
    /// what the person saw.
    fn close(&mut self) -> String {
        let mut worked: Vec<&str> = Vec::new();
        for name in self.said.iter().flat_map(worked_in) {
            if !worked.contains(&name) {
                worked.push(name);
            }
        }
        if worked.is_empty() {
            return String::new();
        }
        let line = notices::worked(&worked);
        self.said.push(PromptTurn::Assistant(Speech::text_only(None, line.clone())));
        line
    }

    /// What there is of a run that fails with these words.
    pub(crate) fn failure(&mut self, person: String, closed: Closed) -> Failure {
        let Rest { mut notes, words, .. } = closed.rest;
        let partial = self.partial(words);
        notes.extend(self.settle());
        Failure { person, partial, turns: self.deeds(), notes, spent: self.spent }
    }

    /// What there is of a run that a person stops.
    pub(crate) fn halted(&mut self, closed: Closed) -> Halted {
        let partial = self.partial(closed.rest.words);
        // What went on is over: there is nothing more to know of it.
        drop(self.settle());
        let mut turns = self.deeds();
        if !partial.is_empty() {
            turns.push(PromptTurn::Assistant(Speech::text_only(None, partial.clone())));
        }
        Halted { partial, turns, spent: self.spent }
    }

    /// The newest words, as far as they came and were not shown yet.
    fn partial(&mut self, words: Words) -> String {
        let broken = Some(std::mem::take(&mut self.broken)).filter(|text| !text.is_empty());
        let partial = words.unposted().or(broken).unwrap_or_default();
        if self.bearings.own.outbound.said(&partial) { String::new() } else { partial }
    }

    /// What was said and done, where any of it cannot be undone by forgetting it: whoever goes on has to know.
    fn deeds(&mut self) -> Vec<PromptTurn> {
        if self.deeds == 0 { Vec::new() } else { std::mem::take(&mut self.said) }
    }
}

/// The tools that did what they were called for.
fn worked_in(turn: &PromptTurn) -> impl Iterator<Item = &str> {
    let results = match turn {
        PromptTurn::Tools(results) => results.as_slice(),
        PromptTurn::User(_) | PromptTurn::Media(_) | PromptTurn::Assistant(_) => &[],
    };
    let worked = results.iter().filter(|result| result.outcome == ToolOutcome::Done);
    worked.map(|result| result.name.as_str())
}

/// What is to be said below an answer that stopped for this.
fn coda(stop: &StopReason) -> Option<&'static str> {
    match stop {
        StopReason::Length => Some(notices::CUT),
        StopReason::Filtered => Some(notices::CUT_BY_FILTER),
        StopReason::Done | StopReason::Tools | StopReason::Other(_) => None,
    }
}

/// The strongest level below this one, which is off in the end. Of two equal ranks the definite level is meant.
fn next_lower(profile: &Profile, level: Level) -> Option<Level> {
    let levels = profile.levels.iter().map(|choice| choice.level);
    levels
        .filter(|other| other.rank() < level.rank())
        .max_by_key(|other| (other.rank(), *other != Level::Adaptive))
}

#[cfg(test)]
mod tests {
    use pensive_directives::LevelChoice;

    use super::*;

    #[test]
    fn prov_14_the_next_lower_level_is_one_of_the_models_own() {
        let check = |levels: &[Level], level, expected| {
            let levels = levels.iter().map(|&level| LevelChoice { level, label: None }).collect();
            let profile = Profile::new("prov/model", levels, Level::Off);
            assert_eq!(next_lower(&profile, level), expected, "{level}");
        };
        let five = [Level::Off, Level::Minimal, Level::Low, Level::Medium, Level::High];
        check(&five, Level::High, Some(Level::Medium));
        check(&five, Level::Minimal, Some(Level::Off));
        check(&five, Level::Off, None);
        check(&[Level::Off, Level::Medium, Level::Adaptive, Level::High], Level::High, Some(Level::Medium));
        check(&[Level::Off, Level::Low, Level::Adaptive], Level::Adaptive, Some(Level::Low));
        check(&[Level::Max], Level::Max, None);
    }
}
