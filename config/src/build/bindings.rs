//! Which agent serves which conversation.

use std::collections::BTreeSet;

use pensive_contract::ids::{Account, AgentId, ChannelName};

use super::Builder;
use crate::agents::{Binding, Peer, PeerKind};
use crate::fault::quoted;
use crate::file::bindings::{Binding as Written, Channel, Match};
use crate::file::values::Id;
use crate::nearest::hint;
use crate::trail::Trail;

/// The channels by name.
pub(super) const CHANNELS: [&str; 4] = ["telegram", "discord", "web", "terminal"];

/// Splits `channel:id`; nothing where no channel stands before the colon.
pub(super) fn split_channel(text: &str) -> Option<(&str, &str)> {
    text.split_once(':').filter(|(channel, _)| CHANNELS.contains(channel))
}

impl Builder<'_> {
    /// The bindings, most specific first; among equals the file's order holds.
    pub(super) fn bindings(
        &mut self,
        written: &[Written],
        agents: &[&AgentId],
        accounts: &BTreeSet<&Account>,
    ) -> Vec<Binding> {
        let mut bindings = Vec::new();
        for (index, binding) in written.iter().enumerate() {
            let trail = Trail::of(&["bindings"]).index(index);
            let Id(name) = &binding.agent;
            if !agents.iter().any(|agent| agent.as_str() == name) {
                let names: Vec<&str> = agents.iter().map(|agent| agent.as_str()).collect();
                let near = hint(name, names.iter().copied());
                let message =
                    format_args!("is no agent: {}; there are: {}{near}", quoted(name), names.join(", "));
                self.fault(&trail.key("agent"), message);
            }
            self.check_match(&binding.matches, accounts, &trail.key("match"));
            bindings.push(read(name, &binding.matches));
        }
        bindings.sort_by_key(|binding| std::cmp::Reverse(specificity(binding)));
        bindings
    }

    fn check_match(&mut self, matches: &Match, accounts: &BTreeSet<&Account>, trail: &Trail) {
        if matches.group.is_some() && matches.peer.is_some() {
            self.fault(trail, "has both group and peer; group is the same as a peer of kind \"group\"");
        }
        if matches.guild.is_some() && matches.channel.is_some_and(|channel| channel != Channel::Discord) {
            self.fault(&trail.key("guild"), "is only known on the channel \"discord\"");
        }
        let (Some(channel), Some(Id(account))) = (matches.channel, &matches.account) else { return };
        let known: Vec<&str> = accounts
            .iter()
            .filter(|known| known.channel.as_str() == channel.name())
            .map(|known| known.id.as_str())
            .collect();
        if !known.is_empty() && !known.contains(&account.as_str()) {
            let near = hint(account, known.iter().copied());
            let message =
                format_args!("is no account: {}; there are: {}{near}", quoted(account), known.join(", "));
            self.fault(&trail.key("account"), message);
        }
    }
}

fn read(agent: &str, matches: &Match) -> Binding {
    let text = |id: &Option<Id>| id.as_ref().map(|Id(id)| id.clone());
    let group = text(&matches.group).map(|id| Peer { kind: Some(PeerKind::Group), id });
    let peer = matches.peer.as_ref().map(|peer| Peer { kind: peer.kind, id: peer.id.0.clone() });
    Binding {
        agent: agent.into(),
        channel: matches.channel.map(|channel| ChannelName::from(channel.name())),
        account: text(&matches.account),
        guild: text(&matches.guild),
        peer: peer.or(group),
        topic: text(&matches.topic),
    }
}

fn specificity(binding: &Binding) -> [bool; 5] {
    [
        binding.topic.is_some(),
        binding.peer.is_some(),
        binding.guild.is_some(),
        binding.account.is_some(),
        binding.channel.is_some(),
    ]
}
