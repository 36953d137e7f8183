//! What goes back to the provider just as it came: encrypted reasoning, and which part of its work a message was.

use async_openai::types::responses::{MessagePhase, ReasoningItem, SummaryPart, SummaryTextContent};
use pensive_contract::speech::Seal;
use serde::{Deserialize, Serialize};

/// What a seal holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Sealed {
    /// An item of reasoning. It stands behind the piece that it seals, or for itself where that is reasoning.
    Reasoning {
        /// The item's own id; the provider refuses the item without it.
        id: String,
        /// What people may read of it, part by part.
        summary: Vec<String>,
        /// All of it, for the provider alone.
        encrypted_content: String,
    },
    /// A message on the way to the answer, or the answer.
    Message {
        /// Which of the two.
        phase: MessagePhase,
    },
}

impl Sealed {
    /// Opens a seal. One that this shape did not make is none.
    pub(super) fn open(seal: &Seal) -> Option<Self> {
        serde_json::from_str(&seal.0).ok()
    }

    /// Seals it.
    pub(super) fn seal(&self) -> Option<Seal> {
        serde_json::to_string(self).ok().map(Seal)
    }

    /// Which part of its work the sealed message was.
    pub(super) fn phase(&self) -> Option<MessagePhase> {
        match self {
            Self::Message { phase } => Some(*phase),
            Self::Reasoning { .. } => None,
        }
    }

    /// The item of reasoning as it goes back.
    pub(super) fn reasoning(self) -> Option<ReasoningItem> {
        match self {
            Self::Reasoning { id, summary, encrypted_content } => Some(ReasoningItem {
                id: Some(id),
                summary: summary
                    .into_iter()
                    .map(|text| SummaryPart::SummaryText(SummaryTextContent { text }))
                    .collect(),
                content: None,
                encrypted_content: Some(encrypted_content),
                status: None,
            }),
            Self::Message { .. } => None,
        }
    }
}
