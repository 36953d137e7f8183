//! An answer's bytes as the port's events: events out of bytes, pieces out of events, think tags out of text. Nothing is
//! read ahead of the reader, and dropping the stream closes it upstream.

use std::collections::VecDeque;

use futures::StreamExt;
use futures::stream;
use pensive_contract::fault::Fault;
use pensive_contract::model::{ModelEvent, ModelStream};
use serde::de::IgnoredAny;

use crate::kept::{EACH, Kept};
use crate::repair::Halves;
use crate::sse::Events;
use crate::tags::{Between, TagFilter};
use crate::transport::Answer;
use crate::trouble::Trouble;
use crate::values::Values;
use crate::wire::Decode;

/// Reads an answer.
pub(crate) fn events(answer: Answer, decoder: Box<dyn Decode>, provider: &str) -> ModelStream {
    let reader = Reader {
        form: Form::Unknown,
        answer,
        decoder,
        provider: provider.to_owned(),
        tags: TagFilter::default(),
        text: Halves::default(),
        reasoning: Halves::default(),
        pieces: Vec::new(),
        ready: VecDeque::new(),
        kept: Kept::default(),
        state: State::Reading,
    };
    stream::unfold(reader, |mut reader| async move { reader.next().await.map(|event| (event, reader)) })
        .boxed()
}

struct Reader {
    answer: Answer,
    form: Form,
    decoder: Box<dyn Decode>,
    provider: String,
    tags: TagFilter,
    /// Characters of the text, and of the reasoning, that came in halves.
    text: Halves,
    reasoning: Halves,
    /// What was decoded and not yet filtered.
    pieces: Vec<ModelEvent>,
    /// What was not yet asked for.
    ready: VecDeque<Result<ModelEvent, Fault>>,
    /// The seals and calls that were given.
    kept: Kept,
    state: State,
}

/// How the answer is written. Its first bytes tell; what servers say of it in headers is often something else.
enum Form {
    Unknown,
    Events(Events),
    Values(Values),
}

impl Form {
    /// The form of a body that begins so, and the rest of the beginning; nothing while there is only what stands before
    /// any beginning.
    fn of(beginning: &[u8]) -> Option<(Self, &[u8])> {
        let is_before = |byte: &u8| byte.is_ascii_whitespace() || b"\xEF\xBB\xBF".contains(byte);
        let rest = beginning.get(beginning.iter().position(|byte| !is_before(byte))?..)?;
        let form = match rest.first() {
            Some(b'{' | b'[') => Self::Values(Values::default()),
            Some(_) | None => Self::Events(Events::default()),
        };
        Some((form, rest))
    }
}

/// Whether data is JSON that holds nothing: some servers send `null` or `[]` where others send nothing at all.
fn is_empty(data: &[u8]) -> bool {
    match data.trim_ascii() {
        [b'{', ..] => false,
        [b'[', inside @ .., b']'] => inside.trim_ascii().is_empty(),
        other => serde_json::from_slice::<IgnoredAny>(other).is_ok(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Reading,
    Over,
}

impl Reader {
    async fn next(&mut self) -> Option<Result<ModelEvent, Fault>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.state == State::Over {
                return None;
            }
            let read = self.read().await;
            self.settle(read);
        }
    }

    /// Decodes the next bytes.
    async fn read(&mut self) -> Result<(), Trouble> {
        let Some(chunk) = self.answer.chunk().await? else {
            return Err(Trouble::Cut("no end mark".to_owned()));
        };
        let mut bytes: &[u8] = &chunk;
        if matches!(self.form, Form::Unknown) {
            let Some((form, rest)) = Form::of(bytes) else { return Ok(()) };
            (self.form, bytes) = (form, rest);
        }
        let is_over = |pieces: &[ModelEvent]| matches!(pieces.last(), Some(ModelEvent::End(_)));
        match &mut self.form {
            Form::Unknown => {}
            Form::Events(events) => {
                events.push(bytes)?;
                while let Some(event) = events.next() {
                    if is_empty(event.data) {
                        continue;
                    }
                    self.decoder.event(event, &mut self.pieces)?;
                    if is_over(&self.pieces) {
                        break;
                    }
                }
            }
            Form::Values(values) => {
                values.push(bytes)?;
                while let Some(value) = values.next()? {
                    self.decoder.document(value, &mut self.pieces)?;
                    if is_over(&self.pieces) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Filters what was decoded. What was said before a trouble stays said; the trouble comes after it.
    fn settle(&mut self, read: Result<(), Trouble>) {
        let mut out = Vec::new();
        let mut pieces = std::mem::take(&mut self.pieces);
        if !pieces.is_empty() {
            self.answer.gives();
        }
        for piece in pieces.drain(..) {
            match piece {
                ModelEvent::Text(text) => {
                    self.answer.speaks();
                    self.tags.push(self.text.join(text), &mut out);
                }
                ModelEvent::Reasoning(text) => {
                    self.tags.between(Between::Reasoning, &mut out);
                    let text = self.reasoning.join(text);
                    out.extend((!text.is_empty()).then_some(ModelEvent::Reasoning(text)));
                }
                ModelEvent::Call(ref call) => {
                    self.kept.add(EACH + call.id.len() + call.name.len() + call.arguments.len());
                    self.lose_halves(&mut out);
                    self.tags.between(Between::Call, &mut out);
                    out.push(piece);
                }
                ModelEvent::Seal(ref seal) => {
                    self.kept.add(EACH + seal.0.len());
                    self.lose_halves(&mut out);
                    self.tags.between(Between::Seal, &mut out);
                    out.push(piece);
                }
                ModelEvent::End(reason) => {
                    self.lose_halves(&mut out);
                    self.tags.finish(&mut out);
                    out.push(ModelEvent::End(reason));
                    self.state = State::Over;
                    break;
                }
                ModelEvent::Learned(_) | ModelEvent::Recast(_) | ModelEvent::Usage(_) => out.push(piece),
            }
        }
        self.pieces = pieces;
        let trouble =
            read.err().or_else(|| self.kept.within_bounds().err()).filter(|_| self.state == State::Reading);
        if trouble.is_some() {
            self.lose_halves(&mut out);
            self.tags.cut(&mut out);
            self.state = State::Over;
        }
        out.into_iter().for_each(|event| self.offer(event));
        self.ready.extend(trouble.map(|trouble| Err(trouble.fault(&self.provider))));
    }

    /// Half a character that nothing followed is lost.
    fn lose_halves(&mut self, out: &mut Vec<ModelEvent>) {
        out.extend(self.reasoning.finish().map(|lost| ModelEvent::Reasoning(lost.into())));
        if let Some(lost) = self.text.finish() {
            self.tags.push(lost.into(), out);
        }
    }

    /// Queues an event; pieces that arrived together go out together.
    fn offer(&mut self, event: ModelEvent) {
        match (self.ready.back_mut(), event) {
            (Some(Ok(ModelEvent::Text(before))), ModelEvent::Text(text)) => before.push_str(&text),
            (Some(Ok(ModelEvent::Reasoning(before))), ModelEvent::Reasoning(text)) => before.push_str(&text),
            (_, event) => self.ready.push_back(Ok(event)),
        }
    }
}
