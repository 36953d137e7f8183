//! A conversation as every provider takes it: the person begins, each call has one result right behind it, no turn is
//! empty, no seal belongs to another model. What is mended here was refused somewhere, often for good.

mod ids;
mod refused;

use std::collections::BTreeMap;

use pensive_contract::media::Media;
use pensive_contract::model::{ModelRef, ModelRequest, PromptTurn};
use pensive_contract::speech::{Piece, PieceKind, Speech, ToolCall, ToolOutcome, ToolResult};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::wire::object;
pub(crate) use ids::Form;
use ids::Ids;
pub(crate) use refused::Refused;

/// What stands for the result of a call that has none.
const UNFINISHED: &str = "The tool did not run to its end.";

/// Which seals stay.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Seals<'a> {
    /// Those of the model that is asked, but for what was refused before.
    Own(&'a Refused),
    /// None, and no reasoning either: the provider did not know them again.
    None,
}

/// The request with its history mended, the names of its calls in that form. Mending twice changes nothing more.
pub(crate) fn repaired(mut request: ModelRequest, seals: Seals<'_>, form: Form) -> ModelRequest {
    let mut history = History { asked: &request.model, seals, turns: Vec::new() };
    for turn in request.turns {
        match turn {
            PromptTurn::User(text) => history.user(text),
            PromptTurn::Media(media) => history.media(media),
            PromptTurn::Assistant(speech) => history.speech(speech),
            PromptTurn::Tools(results) => results.into_iter().for_each(|result| history.result(result)),
        }
    }
    request.turns = history.told(Ids::new(form));
    request
}

/// The turns so far, results with the calls that they belong to.
struct History<'a> {
    /// The model that is asked.
    asked: &'a ModelRef,
    seals: Seals<'a>,
    turns: Vec<Turn>,
}

enum Turn {
    User(String),
    Media(Vec<Media>),
    /// What was said, and the result of each of its calls.
    Model(Speech, Vec<Option<ToolResult>>),
}

impl History<'_> {
    /// A person may speak twice in a row, after a run that was stopped. The two stay apart, so that the model sees which
    /// one was left behind; a shape that cannot have that puts them together.
    fn user(&mut self, text: String) {
        if !text.trim().is_empty() {
            self.turns.push(Turn::User(text));
        }
    }

    /// What was sent along with the words of the next turn. What has no bytes is nothing.
    fn media(&mut self, mut media: Vec<Media>) {
        media.retain(|media| !media.bytes.is_empty());
        if !media.is_empty() {
            self.turns.push(Turn::Media(media));
        }
    }

    /// A turn of the model, which never begins a conversation. One without text and calls has nothing to say to others.
    fn speech(&mut self, mut speech: Speech) {
        let is_own = speech.model.as_ref() == Some(self.asked);
        match self.seals {
            Seals::Own(refused) if is_own => clean(&mut speech.pieces, Some(refused)),
            Seals::Own(_) | Seals::None => clean(&mut speech.pieces, None),
        }
        let speaks = |piece: &Piece| match &piece.kind {
            PieceKind::Text(text) => !text.trim().is_empty(),
            PieceKind::Call(_) => true,
            PieceKind::Reasoning(_) => false,
        };
        if !speech.pieces.iter().any(speaks) {
            return;
        }
        let calls = speech.calls().count();
        match self.turns.last_mut() {
            None => {}
            Some(Turn::Model(before, results)) if results.is_empty() => {
                before.pieces.append(&mut speech.pieces);
                results.resize(calls, None);
                if is_own {
                    before.model = speech.model;
                }
            }
            Some(Turn::Model(..) | Turn::User(_) | Turn::Media(_)) => {
                self.turns.push(Turn::Model(speech, vec![None; calls]))
            }
        }
    }

    /// Puts a result to its call: the first without one, in the latest turn that called under this name. A result that
    /// finds none is dropped.
    fn result(&mut self, result: ToolResult) {
        for turn in self.turns.iter_mut().rev() {
            let Turn::Model(speech, results) = turn else { continue };
            let open =
                speech.calls().zip(results).find(|(call, came)| call.id == result.id && came.is_none());
            if let Some((_, came)) = open {
                *came = Some(result);
                return;
            }
        }
    }

    fn told(self, mut ids: Ids) -> Vec<PromptTurn> {
        let mut told = Vec::with_capacity(self.turns.len());
        for turn in self.turns {
            match turn {
                Turn::User(text) => told.push(PromptTurn::User(text)),
                Turn::Media(media) => told.push(PromptTurn::Media(media)),
                Turn::Model(mut speech, mut came) => {
                    let calls = speech.pieces.iter_mut().filter_map(call);
                    let results: Vec<_> = calls
                        .zip(&mut came)
                        .map(|(call, came)| settle(call, came.take(), &mut ids))
                        .collect();
                    told.push(PromptTurn::Assistant(speech));
                    if !results.is_empty() {
                        told.push(PromptTurn::Tools(results));
                    }
                }
            }
        }
        told
    }
}

/// Leaves what may go to the model that is asked: of its own words all but what was refused, of others' no thought.
fn clean(pieces: &mut Vec<Piece>, own: Option<&Refused>) {
    pieces.retain_mut(|piece| {
        let was_sealed = piece.seal.is_some();
        piece.seal = piece.seal.take().filter(|seal| own.is_some_and(|refused| !refused.knows(seal)));
        match &piece.kind {
            _ if piece.seal.is_some() => true,
            PieceKind::Reasoning(words) => own.is_some() && !was_sealed && !words.is_empty(),
            PieceKind::Text(text) => !text.trim().is_empty(),
            PieceKind::Call(_) => true,
        }
    });
}

fn call(piece: &mut Piece) -> Option<&mut ToolCall> {
    match &mut piece.kind {
        PieceKind::Call(call) => Some(call),
        PieceKind::Reasoning(_) | PieceKind::Text(_) => None,
    }
}

/// Brings a call into a form that all providers take, and its result with it.
fn settle(call: &mut ToolCall, came: Option<ToolResult>, ids: &mut Ids) -> ToolResult {
    call.id = ids.settle(&call.id);
    if !ids::is_word(&call.name, 64) {
        call.name = ids::word(&call.name);
    }
    if serde_json::from_str::<BTreeMap<String, IgnoredAny>>(&call.arguments).is_err() {
        call.arguments = Value::Object(object(&call.arguments)).to_string();
    }
    let (text, outcome) = came
        .map_or_else(|| (UNFINISHED.to_owned(), ToolOutcome::Failed), |result| (result.text, result.outcome));
    ToolResult { id: call.id.clone(), name: call.name.clone(), text, outcome }
}

#[cfg(test)]
mod tests;
