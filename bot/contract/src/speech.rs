//! What a model said in one call, piece by piece, so that it can be shown, kept and handed back unchanged.

use std::fmt;

use crate::model::{ModelEvent, ModelRef, Recast};

/// What a provider wants back with a piece, byte for byte, to know its own words again: a signature, an encrypted item, an
/// opaque list. Only the wire module that took it in can read it, and only for the model that it came from.
#[derive(Clone, PartialEq, Eq)]
pub struct Seal(pub String);

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It may hold the model's thoughts.
        write!(f, "Seal({} bytes)", self.0.len())
    }
}

/// A wish of a model to have a tool work for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// What names the call, so that its result finds it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments as JSON text, as the model wrote them: it may be none.
    pub arguments: String,
}

/// What a tool call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// Which call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What came of it.
    pub text: String,
    /// Whether it went well.
    pub outcome: ToolOutcome,
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolOutcome {
    /// Well.
    Done,
    /// Not; the text says why.
    Failed,
}

/// One piece of what a model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// What its provider wants back with it.
    pub seal: Option<Seal>,
}

/// What a piece is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PieceKind {
    /// Reasoning; empty where only the provider may read it.
    Reasoning(String),
    /// The answer, or a part of it.
    Text(String),
    /// A tool call.
    Call(ToolCall),
}

impl From<PieceKind> for Piece {
    fn from(kind: PieceKind) -> Self {
        Self { kind, seal: None }
    }
}

/// What a model said in one call, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speech {
    /// Who said it; nothing where that is not known any more. Seals mean something to this model alone.
    pub model: Option<ModelRef>,
    /// The pieces.
    pub pieces: Vec<Piece>,
}

impl Speech {
    /// Nothing yet.
    #[must_use]
    pub fn new(model: Option<ModelRef>) -> Self {
        Self { model, pieces: Vec::new() }
    }

    /// Plain words.
    #[must_use]
    pub fn text_only(model: Option<ModelRef>, text: impl Into<String>) -> Self {
        Self { model, pieces: vec![PieceKind::Text(text.into()).into()] }
    }

    /// Takes an event of the model's stream in. What carries nothing said is passed over.
    pub fn hear(&mut self, event: &ModelEvent) {
        match event {
            ModelEvent::Reasoning(words) => match self.open() {
                Some(PieceKind::Reasoning(before)) => before.push_str(words),
                Some(PieceKind::Text(_) | PieceKind::Call(_)) | None => {
                    self.push(PieceKind::Reasoning(words.clone()));
                }
            },
            ModelEvent::Text(words) => match self.open() {
                Some(PieceKind::Text(before)) => before.push_str(words),
                Some(PieceKind::Reasoning(_) | PieceKind::Call(_)) | None => {
                    self.push(PieceKind::Text(words.clone()));
                }
            },
            ModelEvent::Call(call) => self.push(PieceKind::Call(call.clone())),
            ModelEvent::Seal(seal) => self.seal(seal.clone()),
            ModelEvent::Recast(recast) => self.recast(*recast),
            ModelEvent::Learned(_) | ModelEvent::Usage(_) | ModelEvent::End(_) => {}
        }
    }

    /// All of the answer's text. Parts that a tool call stands between are apart.
    #[must_use]
    pub fn text(&self) -> String {
        self.joined(|kind| match kind {
            PieceKind::Text(text) => Some(text),
            PieceKind::Reasoning(_) | PieceKind::Call(_) => None,
        })
    }

    /// All of the reasoning that people may see.
    #[must_use]
    pub fn reasoning(&self) -> String {
        self.joined(|kind| match kind {
            PieceKind::Reasoning(text) => Some(text),
            PieceKind::Text(_) | PieceKind::Call(_) => None,
        })
    }

    /// The tool calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.pieces.iter().filter_map(|piece| match &piece.kind {
            PieceKind::Call(call) => Some(call),
            PieceKind::Reasoning(_) | PieceKind::Text(_) => None,
        })
    }

    /// How many bytes were said, seals aside.
    #[must_use]
    pub fn len(&self) -> usize {
        let size = |piece: &Piece| match &piece.kind {
            PieceKind::Reasoning(text) | PieceKind::Text(text) => text.len(),
            PieceKind::Call(call) => call.name.len() + call.arguments.len(),
        };
        self.pieces.iter().map(size).sum()
    }

    /// Whether nothing at all was said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    fn joined<'a>(&'a self, pick: impl Fn(&'a PieceKind) -> Option<&'a String>) -> String {
        let parts: Vec<&str> = self
            .pieces
            .iter()
            .filter_map(|piece| pick(&piece.kind))
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        parts.join("\n\n")
    }

    /// The last piece, while it may still grow.
    fn open(&mut self) -> Option<&mut PieceKind> {
        self.pieces.last_mut().filter(|piece| piece.seal.is_none()).map(|piece| &mut piece.kind)
    }

    fn push(&mut self, kind: PieceKind) {
        self.pieces.push(kind.into());
    }

    fn seal(&mut self, seal: Seal) {
        match self.pieces.last_mut() {
            Some(piece) if piece.seal.is_none() => piece.seal = Some(seal),
            Some(_) | None => {
                let kind = PieceKind::Reasoning(String::new());
                self.pieces.push(Piece { kind, seal: Some(seal) });
            }
        }
    }

    /// Tags in plain text belong to models without seals, so that sealed pieces stay what they are.
    fn recast(&mut self, recast: Recast) {
        for piece in self.pieces.iter_mut().filter(|piece| piece.seal.is_none()) {
            if let (Recast::TextWasReasoning, PieceKind::Text(text)) = (recast, &mut piece.kind) {
                piece.kind = PieceKind::Reasoning(std::mem::take(text));
            }
        }
        if recast == Recast::ReasoningWasText {
            self.pieces
                .retain(|piece| piece.seal.is_some() || !matches!(piece.kind, PieceKind::Reasoning(_)));
        }
    }
}
