//! `bindings`: which agent serves which conversation.

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::Id;
use crate::agents::PeerKind;

/// Sends matching conversations to an agent.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Binding {
    /// The agent.
    pub(crate) agent: Id,
    /// What is matched. Absent keys match everything.
    #[serde(rename = "match")]
    pub(crate) matches: Match,
}

/// What a binding matches.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Match {
    /// The channel.
    pub(crate) channel: Option<Channel>,
    /// The account of that channel.
    pub(crate) account: Option<Id>,
    /// The guild.
    pub(crate) guild: Option<Id>,
    /// The group: the same as a peer of that kind.
    pub(crate) group: Option<Id>,
    /// The far side.
    pub(crate) peer: Option<Peer>,
    /// The topic or thread.
    pub(crate) topic: Option<Id>,
}

/// The far side of a conversation.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Peer {
    /// What it is.
    pub(crate) kind: Option<PeerKind>,
    /// Its id.
    pub(crate) id: Id,
}

/// A channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Channel {
    /// Telegram.
    Telegram,
    /// Discord.
    Discord,
    /// The web page.
    Web,
    /// The terminal.
    Terminal,
}

impl Channel {
    /// The name that ids carry.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Channel::Telegram => "telegram",
            Channel::Discord => "discord",
            Channel::Web => "web",
            Channel::Terminal => "terminal",
        }
    }
}
