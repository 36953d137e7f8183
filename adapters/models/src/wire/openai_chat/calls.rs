//! Tool calls out of their pieces, however a server cuts and counts them.

use pensive_contract::model::{ModelEvent, StopReason};
use pensive_contract::speech::{Seal, ToolCall};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::answer::{Arguments, CallPiece, FunctionPiece};
use crate::kept::{EACH, weight};
use crate::repair;
use crate::wire::lenient::Loose;
use crate::wire::{arguments, made_id};

/// The calls of one answer, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Draft>);

/// A call as far as it is known.
#[derive(Debug, Default)]
struct Draft {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
    extra: Option<Map<String, Value>>,
}

impl Calls {
    /// Takes a piece; returns what there is to be kept of it.
    pub(super) fn take(&mut self, piece: CallPiece) -> usize {
        let index = piece.index.known();
        let function = piece.function.known();
        let piece = Draft {
            index,
            id: piece.id.some(),
            name: function.name.some().unwrap_or_default(),
            arguments: function.arguments.known().map(Arguments::text).unwrap_or_default(),
            extra: piece.extra_content.known(),
        };
        let size = piece.size();
        match self.0.iter_mut().rfind(|draft| draft.is_continued_by(&piece)) {
            Some(draft) => {
                draft.learn(piece);
                size
            }
            None => {
                self.0.push(piece);
                size + EACH
            }
        }
    }

    /// Takes a piece of the only call, as it was written before there could be several.
    pub(super) fn take_only(&mut self, function: FunctionPiece) -> usize {
        self.take(CallPiece { function: Loose::Known(function), ..CallPiece::default() })
    }

    /// Gives the calls, each with its seal, and tells whether there were any. Where the answer was cut, a call that is
    /// not whole is none. `answer` is what the server calls the answer.
    pub(super) fn give(&mut self, answer: &str, reason: &StopReason, out: &mut Vec<ModelEvent>) -> bool {
        let mut drafts = std::mem::take(&mut self.0);
        drafts.sort_by_key(|draft| draft.index);
        let before = out.len();
        for (place, draft) in drafts.into_iter().enumerate() {
            let is_cut = *reason == StopReason::Length && !is_json(&draft.arguments);
            if !draft.name.is_empty() && !is_cut {
                draft.give(answer, place, out);
            }
        }
        out.len() > before
    }
}

impl Draft {
    fn size(&self) -> usize {
        let id = self.id.as_ref().map_or(0, String::len);
        id + self.name.len() + self.arguments.len() + self.extra.as_ref().map_or(0, weight)
    }

    /// Whether a piece goes on with this call. Some servers count all their calls as the first, and some do not count.
    fn is_continued_by(&self, piece: &Self) -> bool {
        let same_index = self.index == piece.index || piece.index.is_none();
        match (&self.id, &piece.id) {
            (Some(id), Some(other)) => id == other && same_index,
            (_, Some(_)) | (_, None) => same_index && !self.is_whole_before(piece),
        }
    }

    /// Whether a piece that names a function, and does not say which call it belongs to, finds nothing to add here.
    fn is_whole_before(&self, piece: &Self) -> bool {
        let is_new = !piece.name.is_empty() && !piece.arguments.is_empty();
        is_new && self.arguments.ends_with('}') && is_json(&self.arguments)
    }

    fn learn(&mut self, piece: Self) {
        self.id = self.id.take().or(piece.id);
        self.extra = piece.extra.or(self.extra.take());
        if self.name.is_empty() {
            self.name = piece.name;
        }
        // Some say the whole call once more at its end.
        let is_repeated = self.arguments.ends_with('}') && self.arguments == piece.arguments;
        if !is_repeated {
            self.arguments.push_str(&piece.arguments);
        }
    }

    fn give(self, answer: &str, place: usize, out: &mut Vec<ModelEvent>) {
        let Self { id, name, arguments: words, .. } = self;
        let words = arguments(words);
        let id = id.unwrap_or_else(|| made_id(answer, place, &name, &words));
        out.push(ModelEvent::Call(ToolCall { id, name, arguments: words }));
        let seal = self.extra.map(|extra| Seal(repair::healed(Value::Object(extra).to_string())));
        out.extend(seal.map(ModelEvent::Seal));
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}
