//! What is kept of a conversation.

use std::collections::BTreeMap;

use pensive_directives::Overrides;

use crate::clock::Timestamp;
use crate::ids::{AgentId, SenderId, SessionId, SessionKey};
use crate::inbound::Place;
use crate::model::{PromptTurn, TokenUsage};

/// How the last run of a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunResult {
    /// It answered.
    Answered,
    /// A person stopped it.
    Stopped,
    /// It failed; the words are those that the person got.
    Failed(String),
}

/// The state of one conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// Which life of the conversation this is; the transcript hangs on it.
    pub id: SessionId,
    /// Where it is kept.
    pub key: SessionKey,
    /// Who serves it.
    pub agent: AgentId,
    /// Where it began and where its answers go.
    pub origin: Place,
    /// When this life began.
    pub created: Timestamp,
    /// When anything of it last changed.
    pub updated: Timestamp,
    /// When a person last wrote.
    pub last_interaction: Timestamp,
    /// What each sender set for themselves.
    pub senders: BTreeMap<SenderId, Overrides>,
    /// What an owner set for the whole chat.
    pub chat: Overrides,
    /// Tokens of all its runs.
    pub tokens: TokenUsage,
    /// What they cost, in millionths of a US dollar, as far as prices are known.
    pub cost: u64,
    /// What the last call's prompt and answer took of the context, in tokens.
    pub context_used: u64,
    /// How often its history was compacted.
    pub compactions: u32,
    /// How the last run ended, and when.
    pub last_result: Option<(Timestamp, RunResult)>,
}

impl SessionRecord {
    /// A conversation that begins now.
    #[must_use]
    pub fn new(id: SessionId, key: SessionKey, agent: AgentId, origin: Place, now: Timestamp) -> Self {
        Self {
            id,
            key,
            agent,
            origin,
            created: now,
            updated: now,
            last_interaction: now,
            senders: BTreeMap::new(),
            chat: Overrides::default(),
            tokens: TokenUsage::default(),
            cost: 0,
            context_used: 0,
            compactions: 0,
            last_result: None,
        }
    }

    /// What `sender` set, or nothing set.
    #[must_use]
    pub fn overrides_of(&self, sender: &SenderId) -> Overrides {
        self.senders.get(sender).cloned().unwrap_or_default()
    }
}

/// One entry of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// When it was said.
    pub at: Timestamp,
    /// The sender's name, where several people share the chat.
    pub name: Option<String>,
    /// What was said. A person's words are cleaned of directives; a model's hold everything that it may want back.
    pub said: PromptTurn,
}
