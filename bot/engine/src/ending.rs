//! What a run leaves behind: the letter to the person and the writes that belong together.

use pensive_contract::ids::{SessionId, SessionKey};
use pensive_contract::model::PromptTurn;
use pensive_contract::outward::{Body, Finality};
use pensive_contract::session::{RunResult, SessionRecord, Turn};
use pensive_contract::store::{OutboxKind, Write};
use pensive_directives::Settings;

use crate::answer::{Answer, Spent, Told};
use crate::core::{Core, Letter};
use crate::desk;
use crate::notices;
use crate::run::{Failure, Halted, Pending, RunEnd};
use crate::status;
use crate::trace;

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
            match (answer.told, scene.visible(answer, &settings)) {
                (Told::ByTool, _) => {
                    scene.answered(answer, scene.letter(answer, &settings, scene.ends_turn(answer)))
                }
                (Told::NotYet, Some(body)) => {
                    scene.answered(answer, scene.letter(answer, &settings, Some(body)))
                }
                (Told::NotYet, None) => scene.put_by(Failure {
                    person: notices::NO_TEXT.to_owned(),
                    notes: answer.notes.clone(),
                    spent: answer.spent,
                    ..Failure::default()
                }),
            }
        }
        RunEnd::Failed(failure) => {
            scene.put_by(Failure { person: format!("⚠️ {}", failure.person), ..failure.clone() })
        }
        RunEnd::Stopped(halted) => scene.stopped(halted),
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
    fn answered(&self, answer: &Answer, letter: Option<Letter>) -> Ending {
        let mut writes = vec![self.record(RunResult::Answered, answer.spent), self.turn(self.pending.turn())];
        writes.extend(self.turns(&answer.turns));
        writes.extend(self.closes());
        Ending { letter, writes }
    }

    fn turn(&self, turn: Turn) -> Write {
        Write::Turn(self.session.clone(), turn)
    }

    /// What was said and done, as it is kept.
    fn turns(&self, turns: &[PromptTurn]) -> impl Iterator<Item = Write> {
        let (now, masker) = (self.core.now(), &self.core.ports.masker);
        // What was sent along is kept nowhere; its mark is with the words.
        let kept = turns.iter().filter(|said| !matches!(said, PromptTurn::Media(_)));
        kept.map(move |said| {
            let said = match said {
                // A secret that a model came by is not kept, and so not shown to the next model either.
                PromptTurn::Assistant(speech) => PromptTurn::Assistant(masker.speech(speech.clone())),
                PromptTurn::User(_) | PromptTurn::Media(_) | PromptTurn::Tools(_) => said.clone(),
            };
            self.turn(Turn { at: now, name: None, said })
        })
    }

    /// What the model was saying stays, with a sign that it was stopped there.
    fn stopped(&self, halted: &Halted) -> Ending {
        let Halted { partial, turns, spent } = halted;
        let mut writes = vec![self.record(RunResult::Stopped, *spent), self.turn(self.pending.turn())];
        writes.extend(self.turns(turns));
        writes.extend(self.closes());
        let letter = (!partial.trim().is_empty()).then(|| Letter {
            kind: OutboxKind::Answer,
            bodies: vec![Body::Framed {
                before: String::new(),
                markdown: partial.clone(),
                after: notices::STOPPED_HERE.to_owned(),
            }],
            buttons: Vec::new(),
            finality: Finality::More,
            file: None,
        });
        Ending { letter, writes }
    }

    /// The run came to nothing: the message is put by, and a button runs it again.
    fn put_by(&self, failure: Failure) -> Ending {
        let Failure { person: words, partial, turns, notes, spent } = failure;
        let mut bodies: Vec<Body> = notes.into_iter().map(Body::Plain).collect();
        if !partial.trim().is_empty() {
            bodies.push(Body::Markdown(partial));
        }
        bodies.push(Body::Plain(words.clone()));
        let newest = self.pending.tickets.last().copied();
        let mut letter = Letter {
            kind: OutboxKind::Answer,
            bodies,
            buttons: Vec::new(),
            finality: Finality::Failed,
            file: None,
        };
        if let Some(ticket) = newest {
            letter = letter.with_button(notices::TRY_AGAIN, notices::run_data(ticket));
        }
        let mut writes = vec![self.record(RunResult::Failed(words), spent)];
        if !turns.is_empty() {
            writes.push(self.turn(self.pending.turn()));
            writes.extend(self.turns(&turns));
        }
        writes.extend(self.pending.tickets.iter().map(|ticket| {
            if Some(*ticket) == newest { Write::Park(*ticket) } else { Write::Close(*ticket) }
        }));
        Ending { letter: Some(letter), writes }
    }

    fn closes(&self) -> impl Iterator<Item = Write> {
        self.pending.tickets.iter().copied().map(Write::Close)
    }

    fn record(&self, result: RunResult, spent: Spent) -> Write {
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
            record.tokens = record.tokens.plus(spent.usage);
            record.cost = record.cost.saturating_add(spent.cost);
            record.context_used = spent.context.unwrap_or(record.context_used);
            record.last_result = Some((now, result));
            record
        };
        Write::Session(self.key.clone(), Box::new(change))
    }

    /// The answer as a person sees it, with what stands around it; nothing when there is nothing to see.
    fn letter(&self, answer: &Answer, settings: &Settings, words: Option<Body>) -> Option<Letter> {
        let mut bodies: Vec<Body> = answer.notes.iter().cloned().map(Body::Plain).collect();
        bodies.extend(answer.thinking.clone().map(Body::Thinking));
        bodies.extend(words);
        bodies.extend(answer.failing.clone().map(Body::Plain));
        let limits = self.core.ports.model.limits(&answer.model);
        bodies.extend(trace::body(answer, limits, settings.trace.value));
        let letter = Letter {
            kind: OutboxKind::Answer,
            bodies,
            buttons: Vec::new(),
            finality: Finality::Last,
            file: None,
        };
        (!letter.bodies.is_empty()).then_some(letter)
    }

    /// What stands for words that were sent already: nothing, but where somebody waits at the machine for the turn to end.
    fn ends_turn(&self, answer: &Answer) -> Option<Body> {
        let is_local = !self.core.settings.doors.contains_key(&self.pending.inbound.place.account);
        let coda = answer.coda.map(str::to_owned);
        coda.or_else(|| is_local.then(|| notices::SAID_ABOVE.to_owned())).map(Body::Plain)
    }

    /// The answer's text with its prefix and footer, as Markdown where that shows anything, else letter for letter.
    fn visible(&self, answer: &Answer, settings: &Settings) -> Option<Body> {
        let text = &answer.text;
        if text.trim().is_empty() {
            return None;
        }
        let outlet = &self.core.ports.outward.get(&self.pending.inbound.place.account)?.outlet;
        let is_visible = |body: &Body| !outlet.render(body).is_empty();
        if !is_visible(&Body::Markdown(text.clone())) {
            let letters = Body::Plain(text.clone());
            return is_visible(&letters).then(|| Body::Plain(below(text, answer.coda)));
        }
        let footer = status::footer(settings.usage.value, answer);
        let after: Vec<&str> = answer.coda.into_iter().chain(footer.as_deref()).collect();
        Some(Body::Framed {
            before: self.core.settings.response_prefix.clone(),
            markdown: text.clone(),
            after: after.join("\n\n"),
        })
    }
}

fn below(text: &str, coda: Option<&str>) -> String {
    coda.map_or_else(|| text.to_owned(), |coda| format!("{text}\n\n{coda}"))
}
