//! Conversations, commands, messages and limits.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Builder;
use super::bindings::{CHANNELS, split_channel};
use crate::config::{DmScope, MessageSettings, OverrideScope, Rate, SessionSettings};
use crate::defaults;
use crate::fault::quoted;
use crate::file::rest::{Commands, Limits, Messages, Session};
use crate::nearest::hint;
use crate::trail::Trail;
use pensive_contract::model::ModelRef;
use pensive_directives::QueueMode;

impl Builder<'_> {
    pub(super) fn session(&mut self, session: &Session) -> SessionSettings {
        let idle = session.reset.idle_minutes.unwrap_or(defaults::IDLE_MINUTES);
        SessionSettings {
            dm_scope: session.dm_scope.unwrap_or(DmScope::PerChannelPeer),
            override_scope: session.override_scope.unwrap_or(OverrideScope::Sender),
            identity_links: self.identity_links(session),
            idle: (idle > 0).then(|| Duration::from_secs(u64::from(idle) * 60)),
            daily_hour: session.reset.at_hour,
            keep_overrides: session.reset.keep_overrides.unwrap_or(false),
        }
    }

    fn identity_links(&mut self, session: &Session) -> BTreeMap<String, Vec<String>> {
        let trail = Trail::of(&["session", "identityLinks"]);
        let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
        for (name, forms) in &session.identity_links.0 {
            for (index, form) in forms.iter().enumerate() {
                let place = trail.key(name).index(index);
                self.full_id(form, &place);
                if let Some(other) = owners.insert(form, name).filter(|other| other != name) {
                    self.fault(&place, format_args!("is linked to {} already", quoted(other)));
                }
            }
        }
        session.identity_links.0.iter().cloned().collect()
    }

    pub(super) fn owners(&mut self, commands: &Commands) -> Vec<String> {
        let owners = commands.owner_allow_from.clone().unwrap_or_default();
        for (index, owner) in owners.iter().enumerate() {
            self.full_id(owner, &Trail::of(&["commands", "ownerAllowFrom"]).index(index));
        }
        owners
    }

    /// Checks an id that says its channel.
    fn full_id(&mut self, text: &str, trail: &Trail) {
        match split_channel(text) {
            Some((_, "*")) => self.fault(trail, "must name one person; * would be everybody"),
            Some((_, id)) if id.starts_with("role:") => {
                self.fault(trail, "must name one person, not a role, which others can give away");
            }
            Some((_, id)) if !id.is_empty() => {}
            _ => {
                let channel = text.split_once(':').map_or("", |(channel, _)| channel);
                let near = hint(channel, CHANNELS);
                let message = format_args!(
                    "must be \"channel:id\", like \"telegram:1111\", not {}{near}",
                    quoted(text)
                );
                self.fault(trail, message);
            }
        }
    }

    pub(super) fn command_senders(&mut self, commands: &Commands) -> Option<BTreeMap<String, Vec<String>>> {
        let trail = Trail::of(&["commands", "allowFrom"]);
        let lists = &commands.allow_from.as_ref()?.0;
        let lists = lists.iter().map(|(channel, ids)| {
            let place = trail.key(channel);
            if channel != "*" && !CHANNELS.contains(&channel.as_str()) {
                let near = hint(channel, CHANNELS);
                self.fault(&place, format_args!("is no channel; allowed: *, {}{near}", CHANNELS.join(", ")));
            }
            (channel.clone(), self.ids(ids, &place))
        });
        Some(lists.collect())
    }
}

pub(super) fn messages(messages: &Messages, transcribe: Option<ModelRef>) -> MessageSettings {
    let milliseconds = |value: u32| Duration::from_millis(value.into());
    MessageSettings {
        debounce: milliseconds(messages.inbound.debounce_ms.unwrap_or(0)),
        queue: messages.queue.mode.as_ref().map_or(QueueMode::Steer, |mode| mode.0),
        queue_quiet: milliseconds(messages.queue.debounce_ms.unwrap_or(defaults::QUEUE_QUIET_MS)),
        queue_cap: messages.queue.cap.unwrap_or(defaults::QUEUE_CAP).into(),
        transcribe,
        response_prefix: messages.response_prefix.clone().unwrap_or_default(),
    }
}

pub(super) fn rate(limits: &Limits) -> Option<Rate> {
    let limit = &limits.per_sender;
    let per_minute = limit.per_minute.unwrap_or(defaults::PER_MINUTE);
    (per_minute > 0).then(|| Rate { per_minute, burst: limit.burst.unwrap_or(defaults::BURST) })
}
