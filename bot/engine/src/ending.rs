//! What a run leaves behind: the letter to the person and the writes that belong together.

use pensive_contract::ids::{SessionId, SessionKey};
use pensive_contract::inbound::ChatKind;
use pensive_contract::model::{PromptTurn, TokenUsage};
use pensive_contract::outward::{Body, Finality};
use pensive_contract::session::{RunResult, SessionRecord, Turn};
use pensive_contract::store::{OutboxKind, Write};
use pensive_directives::{Level, Reasoning, Settings};

use crate::core::{Core, Letter};
use crate::desk;
use crate::notices;
use crate::rule::rule_of;
use crate::run::{Answer, Pending, RunEnd};
use crate::status;

/// What is sent and written when a run ends.
pub(crate) struct Ending {
    pub(crate) letter: Option<Letter>,
    pub(crate) writes: Vec<Write>,
}

/// The ending of a run of `pending` in `session`.
pub(crate) fn of(
    core: &Core,
    key: &SessionKey,
    pending: &Pending,
    session: &SessionId,
    record: Option<&SessionRecord>,
    end: &RunEnd,
) -> Ending {
    let scene = Scene { core, key, pending, session };
    match end {
        RunEnd::Answered(answer) => {
            let settings = desk::live(core, pending, record);
            match scene.answer_letter(answer, &settings) {
                Some(letter) => scene.answered(answer, letter),
                None => scene.put_by(notices::NO_TEXT.to_owned(), String::new()),
            }
        }
        RunEnd::Failed { person, partial } => scene.put_by(format!("⚠️ {person}"), partial.clone()),
        RunEnd::Stopped => scene.stopped(),
        RunEnd::Aborted => Ending { letter: None, writes: Vec::new() },
    }
}

struct Scene<'a> {
    core: &'a Core,
    key: &'a SessionKey,
    pending: &'a Pending,
    session: &'a SessionId,
}

impl Scene<'_> {
    fn answered(&self, answer: &Answer, letter: Letter) -> Ending {
        // A secret that a model came by is not kept, and so not shown to the next model either.
        let speech = self.core.ports.masker.speech(answer.speech.clone());
        let said = Turn { at: self.core.now(), name: None, said: PromptTurn::Assistant(speech) };
        let mut writes = vec![
            self.record(RunResult::Answered, answer.usage),
            Write::Turn(self.session.clone(), self.pending.turn()),
            Write::Turn(self.session.clone(), said),
        ];
        writes.extend(self.closes());
        Ending { letter: Some(letter), writes }
    }

    fn stopped(&self) -> Ending {
        let mut writes = vec![
            self.record(RunResult::Stopped, TokenUsage::default()),
            Write::Turn(self.session.clone(), self.pending.turn()),
        ];
        writes.extend(self.closes());
        Ending { letter: None, writes }
    }

    /// The run came to nothing: the message is put by, and a button runs it again.
    fn put_by(&self, words: String, partial: String) -> Ending {
        let mut bodies = Vec::new();
        if !partial.trim().is_empty() {
            bodies.push(Body::Markdown(partial));
        }
        bodies.push(Body::Plain(words.clone()));
        let newest = self.pending.tickets.last().copied();
        let mut letter =
            Letter { kind: OutboxKind::Answer, bodies, buttons: Vec::new(), finality: Finality::Failed };
        if let Some(ticket) = newest {
            letter = letter.with_button(notices::TRY_AGAIN, notices::run_data(ticket));
        }
        let mut writes = vec![self.record(RunResult::Failed(words), TokenUsage::default())];
        writes.extend(self.pending.tickets.iter().map(|ticket| {
            if Some(*ticket) == newest { Write::Park(*ticket) } else { Write::Close(*ticket) }
        }));
        Ending { letter: Some(letter), writes }
    }

    fn closes(&self) -> impl Iterator<Item = Write> {
        self.pending.tickets.iter().copied().map(Write::Close)
    }

    fn record(&self, result: RunResult, usage: TokenUsage) -> Write {
        let now = self.core.now();
        let at = self.pending.inbound.at;
        let fresh = SessionRecord::new(
            self.session.clone(),
            self.key.clone(),
            self.pending.route.agent.id.clone(),
            self.pending.inbound.place.clone(),
            now,
        );
        let change = move |old: Option<SessionRecord>| {
            let mut record = old.unwrap_or(fresh);
            record.updated = now;
            record.last_interaction = record.last_interaction.max(at);
            record.tokens.input = record.tokens.input.saturating_add(usage.input);
            record.tokens.cached = record.tokens.cached.saturating_add(usage.cached);
            record.tokens.output = record.tokens.output.saturating_add(usage.output);
            record.tokens.reasoning = record.tokens.reasoning.saturating_add(usage.reasoning);
            if usage.input > 0 {
                record.context_used = usage.input.saturating_add(usage.output);
            }
            record.last_result = Some((now, result));
            record
        };
        Write::Session(self.key.clone(), Box::new(change))
    }

    /// The answer as a person sees it; nothing when there is nothing to see.
    fn answer_letter(&self, answer: &Answer, settings: &Settings) -> Option<Letter> {
        if answer.text().trim().is_empty() {
            return None;
        }
        let mut bodies = Vec::new();
        let reasoning = answer.reasoning();
        if self.shows_reasoning(settings) && !reasoning.trim().is_empty() {
            bodies.push(Body::Thinking(reasoning.trim().to_owned()));
        }
        bodies.push(self.visible(answer, settings)?);
        Some(Letter { kind: OutboxKind::Answer, bodies, buttons: Vec::new(), finality: Finality::Last })
    }

    /// The answer's text with its prefix and footer, as Markdown where that shows anything, else letter for letter.
    fn visible(&self, answer: &Answer, settings: &Settings) -> Option<Body> {
        let outlet = &self.core.ports.outward.get(&self.pending.inbound.place.account)?.outlet;
        let text = answer.text();
        let plain = Body::Plain(text.clone());
        if outlet.render(&Body::Markdown(text.clone())).is_empty() {
            return (!outlet.render(&plain).is_empty()).then_some(plain);
        }
        Some(Body::Framed {
            before: self.core.settings.response_prefix.clone(),
            markdown: text,
            after: status::footer(settings.usage.value, answer).unwrap_or_default(),
        })
    }

    fn shows_reasoning(&self, settings: &Settings) -> bool {
        let place = &self.pending.inbound.place;
        let here = match place.kind {
            ChatKind::Direct => true,
            ChatKind::Group | ChatKind::Channel => {
                let door = self.core.settings.doors.get(&place.account);
                door.and_then(|door| rule_of(door, place)).is_some_and(|rule| rule.reasoning)
            }
        };
        here && settings.reasoning.value == Reasoning::On && settings.think.level != Level::Off
    }
}
